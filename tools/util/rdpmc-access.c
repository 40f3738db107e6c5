// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes may read counters in user mode
 *
 * perf's file rdpmc overrides the driver's attribute. The driver finds that out by trying, without
 * knowing what the file contains: permission that has no effect although the file contains
 * something other than 0 means that the kernel does not act on the field that the driver sets.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/error.h"
#include "util/rdpmc-access.h"

/* One for each core type, with the same content */
#define PERF_FILES	"/sys/bus/event_source/devices/cpu*/rdpmc"

/* The driver's texts */
#define NEVER		"(overridden: perf's rdpmc file contains 0, no process)"
#define UNSHOWN		"(no effect: perf's rdpmc file contains 0, or the module was built for another kernel)"
#define NOT_AS_BUILT	"(no effect: this kernel does not set CR4.PCE as the one that the driver was built for)"

static const char *const texts[] = {
	"no process may read counters in user mode",
	"processes that hold a context which asked for it may read counters in user mode",
	"every process may read counters in user mode",
};

/* The first line of a file without its newline. Return: 0, or an errno. */
static int read_line(const char *path, char *line, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC), error;
	ssize_t got;

	if (file < 0)
		return errno;
	got = read(file, line, size - 1);
	error = errno;
	close(file);
	if (got < 0)
		return error;
	line[got] = 0;
	line[strcspn(line, "\n")] = 0;
	return 0;
}

/* Does perf's file contain something other than 0? It takes root to know. */
static bool perf_allows(void)
{
	char line[16] = "";
	glob_t files;
	bool allows;

	if (glob(PERF_FILES, 0, NULL, &files))
		return false;
	allows = !read_line(files.gl_pathv[0], line, sizeof(line)) && strcmp(line, "0");
	globfree(&files);
	return allows;
}

int rdpmc_access_read(struct rdpmc_access *access)
{
	char line[sizeof(access->override)] = "";
	const char *override;
	int error = read_line(RDPMC_ACCESS_ATTRIBUTE, line, sizeof(line));

	if (error)
		return error;
	access->setting = line[0] - '0';
	override = line + 1 + strspn(line + 1, " ");
	if ((!strcmp(override, NEVER) || !strcmp(override, UNSHOWN)) && perf_allows())
		override = NOT_AS_BUILT;
	if (!rdpmc_access_text(access->setting) || (line[1] && line[1] != ' ')) {
		override = line;
		error = EPROTO;
	}
	snprintf(access->override, sizeof(access->override), "%s", override);
	return error;
}

const char *rdpmc_access_text(int setting)
{
	return setting >= 0 && setting < (int)ARRAY_SIZE(texts) ? texts[setting] : NULL;
}
