// SPDX-License-Identifier: GPL-2.0-only
/* The device node of the driver */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libpmcdrv.h>

#include "util/device.h"
#include "util/error.h"
#include "util/output.h"

static void user_name(uid_t user, char *text, size_t size)
{
	const struct passwd *entry = getpwuid(user);

	if (entry)
		text_append(text, size, "%s", entry->pw_name);
	else
		text_append(text, size, "%u", (unsigned int)user);
}

static void group_name(gid_t group, char *text, size_t size)
{
	const struct group *entry = getgrgid(group);

	if (entry)
		text_append(text, size, "%s", entry->gr_name);
	else
		text_append(text, size, "%u", (unsigned int)group);
}

void device_denied_text(const struct stat *node, const char *user, char *text, size_t size)
{
	char owner[64] = "", group[64] = "";

	user_name(node->st_uid, owner, sizeof(owner));
	group_name(node->st_gid, group, sizeof(group));
	*text = '\0';
	text_append(text, size, "not allowed to open " PMC_DEVICE " (mode %04o, %s:%s): ",
		    (unsigned int)(node->st_mode & 07777), owner, group);
	if (node->st_gid && (node->st_mode & 0060) == 0060)
		text_append(text, size,
			    "members of the group %s may; as root run 'usermod -aG %s %s', then log in again",
			    group, group, user);
	else
		text_append(text, size,
			    "run pmcctl as root, or install the udev rule that admits the group pmc (make install-system)");
}

struct pmc_device *device_open(void)
{
	struct pmc_device *device = pmc_device_open(NULL);
	char text[512], user[64] = "";
	struct stat node;

	if (device)
		return device;
	if (errno == EACCES && !stat(PMC_DEVICE, &node)) {
		user_name(getuid(), user, sizeof(user));
		device_denied_text(&node, user, text, sizeof(text));
		report_error("%s", text);
	} else {
		report_error("%s", pmc_error());
	}
	return NULL;
}
