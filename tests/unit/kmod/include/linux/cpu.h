/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU hotplug, for the module's code in unit tests */
#ifndef TEST_LINUX_CPU_H
#define TEST_LINUX_CPU_H

#include <assert.h>
#include <linux/topology.h>

/* One variable in all objects of a program: how often cpus_read_lock() is held */
unsigned int cpus_locked __attribute__((weak));

static inline void cpus_read_lock(void)
{
	cpus_locked++;
}

static inline void cpus_read_unlock(void)
{
	assert(cpus_locked);
	cpus_locked--;
}

#endif /* TEST_LINUX_CPU_H */
