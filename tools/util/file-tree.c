// SPDX-License-Identifier: GPL-2.0-only
/* Copy files into a new folder, and replace an old folder by it */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/error.h"
#include "util/file-tree.h"
#include "util/xalloc.h"

/* Files open at once during nftw() */
#define FILES_OPEN	16

/* ---- copy ---- */

/* Create the folders above a file. @path: written to, and restored */
static int make_folders(char *path)
{
	char *slash = path;
	int result = 0;

	while (!result && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			result = report_error("cannot create %s: %s", path, strerror(errno));
		*slash = '/';
	}
	return result;
}

static int copy_content(int in, int out)
{
	ssize_t copied;

	do
		copied = sendfile(out, in, NULL, 1 << 20);
	while (copied > 0);
	return copied < 0 || fsync(out) ? -1 : 0;
}

int file_tree_copy(const char *from, const char *to, const char *name)
{
	char *source = xasprintf("%s/%s", from, name), *target = xasprintf("%s/%s", to, name);
	int result = make_folders(target), in = -1, out = -1;

	if (!result) {
		in = open(source, O_RDONLY | O_CLOEXEC);
		out = in < 0 ? -1 : open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (in < 0 || out < 0 || copy_content(in, out))
			result = report_error("cannot copy %s to %s: %s", source, target,
					      strerror(errno));
	}
	if (in >= 0)
		close(in);
	if (out >= 0 && close(out) && !result)
		result = report_error("cannot write %s: %s", target, strerror(errno));
	free(source);
	free(target);
	return result;
}

/* ---- remove and replace ---- */

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

int file_tree_remove(const char *folder)
{
	if (nftw(folder, remove_one, FILES_OPEN, FTW_DEPTH | FTW_PHYS) && errno != ENOENT &&
	    errno != ENOTDIR)
		return report_error("cannot remove %s: %s", folder, strerror(errno));
	return 0;
}

int file_tree_replace(const char *new, const char *old)
{
	/* musl has no function for it */
	if (!syscall(SYS_renameat2, AT_FDCWD, new, AT_FDCWD, old, RENAME_EXCHANGE))
		return file_tree_remove(new);
	if (errno == ENOENT && !rename(new, old))
		return 0;
	return report_error("cannot replace %s: %s", old, strerror(errno));
}
