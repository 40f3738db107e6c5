// SPDX-License-Identifier: LGPL-2.1-or-later
/* The description of a CPU and its counters */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "device.h"
#include "error.h"
#include "info.h"

/* Return: 0, also if the CPU has no such counter; or -1. */
static int add_counter(struct pmc_info *info, int fd, uint32_t number)
{
	struct pmc_counter *counter = &info->counter[info->num_counters];
	char name[PMC_COUNTER_NAME_SIZE];

	if (info->num_counters == INFO_COUNTERS_MAX)
		return 0;
	*counter = (struct pmc_counter){
		.size = sizeof(*counter),
		.cpu = info->query.cpu,
		.counter = number,
	};
	if (!ioctl(fd, PMC_IOC_COUNTER, counter)) {
		info->num_counters++;
		return 0;
	}
	if (errno == ENODEV || errno == ENXIO)
		return 0;
	pmc_counter_name(number, name, sizeof(name));
	return pmc_fail_errno("querying counter %s", name);
}

static int add_counters(struct pmc_info *info, int fd)
{
	unsigned int i;

	for (i = 0; i < 64; i++)
		if (info->query.general_counters >> i & 1 &&
		    add_counter(info, fd, PMC_COUNTER_GENERAL(i)))
			return -1;
	for (i = 0; i < 64; i++)
		if (info->query.fixed_counters >> i & 1 &&
		    add_counter(info, fd, PMC_COUNTER_FIXED(i)))
			return -1;
	if (info->query.features & PMC_FEATURE(METRICS))
		return add_counter(info, fd, PMC_COUNTER_METRICS);
	return 0;
}

static int fail_query(int cpu)
{
	if (errno == EINVAL && cpu != PMC_CPU_ANY)
		return pmc_fail(EINVAL, "there is no CPU %d", cpu);
	return pmc_fail_errno("querying the CPU");
}

PMC_PRIVATE struct pmc_info *pmc_info_get(int fd, int cpu)
{
	struct pmc_info *info;

	info = calloc(1, sizeof(*info));
	if (!info) {
		pmc_fail_errno("describing a CPU");
		return NULL;
	}
	if (pmc_query_cpu(fd, cpu, &info->query)) {
		fail_query(cpu);
		goto fail;
	}
	if (cpu == PMC_CPU_ANY)
		snprintf(info->cpu_text, sizeof(info->cpu_text), "this processor");
	else
		snprintf(info->cpu_text, sizeof(info->cpu_text), "CPU %d", cpu);
	if (add_counters(info, fd))
		goto fail;
	return info;

fail:
	pmc_info_free(info);
	return NULL;
}

PMC_API struct pmc_info *pmc_device_get_info(struct pmc_device *device, int cpu)
{
	return pmc_info_get(device->fd, cpu);
}

PMC_API void pmc_info_free(struct pmc_info *info)
{
	int error = errno;

	free(info);
	errno = error;
}

PMC_API const struct pmc_query *pmc_info_query(const struct pmc_info *info)
{
	return &info->query;
}

PMC_API size_t pmc_info_num_counters(const struct pmc_info *info)
{
	return info->num_counters;
}

PMC_API const struct pmc_counter *pmc_info_counter(const struct pmc_info *info, size_t index)
{
	return index < info->num_counters ? &info->counter[index] : NULL;
}
