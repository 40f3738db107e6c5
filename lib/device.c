// SPDX-License-Identifier: LGPL-2.1-or-later
/* The device node */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "error.h"

static int fail_open(const char *path)
{
	struct stat node;
	int error = errno;

	switch (error) {
	case ENOENT:
		return pmc_fail(error,
				"%s does not exist: load the driver with 'modprobe pmcdrv' or 'insmod pmcdrv.ko'",
				path);
	case ENXIO:
	case ENODEV:
		return pmc_fail(error,
				"no driver behind %s: load it with 'modprobe pmcdrv' or 'insmod pmcdrv.ko'",
				path);
	case EACCES:
	case EPERM:
		if (!stat(path, &node))
			return pmc_fail(error,
					"not allowed to open %s (mode %04o, user %u, group %u): run as that user, or let the administrator change its mode or group",
					path, (unsigned int)(node.st_mode & 07777),
					(unsigned int)node.st_uid, (unsigned int)node.st_gid);
		break;
	}
	return pmc_fail(error, "cannot open %s: %s", path, strerror(error));
}

PMC_PRIVATE int pmc_query_cpu(int fd, int cpu, struct pmc_query *query)
{
	*query = (struct pmc_query){ .size = sizeof(*query), .cpu = cpu };
	return ioctl(fd, PMC_IOC_QUERY, query) < 0 ? -1 : 0;
}

PMC_PRIVATE int pmc_device_open_fd(const char *path)
{
	int error, fd = open(path, O_RDWR | O_CLOEXEC);
	struct pmc_query query;

	if (fd < 0)
		return fail_open(path);
	if (!pmc_query_cpu(fd, PMC_CPU_ANY, &query))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	if (error == ENOTTY)
		return pmc_fail(error, "%s is not the device of pmcdrv", path);
	return pmc_fail_errno("%s does not answer", path);
}

PMC_API struct pmc_device *pmc_device_open(const char *path)
{
	struct pmc_device *device;

	device = calloc(1, sizeof(*device));
	if (!device)
		goto no_memory;
	device->path = strdup(path ? path : PMC_DEVICE);
	if (!device->path)
		goto no_memory;
	device->fd = pmc_device_open_fd(device->path);
	if (device->fd >= 0)
		return device;
	free(device->path);
	free(device);
	return NULL;

no_memory:
	free(device);
	errno = ENOMEM;
	pmc_fail_errno("opening the device");
	return NULL;
}

PMC_API void pmc_device_close(struct pmc_device *device)
{
	if (!device)
		return;
	close(device->fd);
	free(device->path);
	free(device);
}

PMC_API int pmc_device_fd(const struct pmc_device *device)
{
	return device->fd;
}

PMC_API int pmc_device_read_tsc(struct pmc_device *device, uint64_t *tsc, int *cpu)
{
	struct pmc_tsc request = { .size = sizeof(request) };

	if (ioctl(device->fd, PMC_IOC_TSC, &request) < 0)
		return pmc_fail_errno("reading the time-stamp counter");
	*tsc = request.tsc;
	if (cpu)
		*cpu = request.cpu;
	return 0;
}
