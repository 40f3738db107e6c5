/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading and unloading the module; the environment variable PMCDRV_KO names its file */
#ifndef SELFTESTS_MODULE_H
#define SELFTESTS_MODULE_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

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
