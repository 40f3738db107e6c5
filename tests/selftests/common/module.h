/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading and unloading the module; the environment variable PMCDRV_KO names its file */
#ifndef SELFTESTS_MODULE_H
#define SELFTESTS_MODULE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Store the path of the module's file: /pmcdrv.ko, where the emulator has it, or the one that is
 * installed for this kernel. Returns 0 or -ENOENT.
 */
static inline int module_find(char *path, size_t size)
{
	FILE *pipe;

	snprintf(path, size, "/pmcdrv.ko");
	if (!access(path, R_OK))
		return 0;
	pipe = popen("modinfo -F filename pmcdrv 2>/dev/null", "r");
	if (!pipe)
		return -ENOENT;
	if (!fgets(path, size, pipe))
		path[0] = 0;
	pclose(pipe);
	path[strcspn(path, "\n")] = 0;
	return access(path, R_OK) ? -ENOENT : 0;
}

static inline int module_unload(void)
{
	return syscall(SYS_delete_module, "pmcdrv", O_NONBLOCK) ? -errno : 0;
}

static inline int module_load(void)
{
	const char *path = getenv("PMCDRV_KO");
	int fd = open(path ? path : "/pmcdrv.ko", O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return err;
}

#endif /* SELFTESTS_MODULE_H */
