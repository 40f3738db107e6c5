/* SPDX-License-Identifier: GPL-2.0-only */
/* The online logical processors of a CPU's core in unit tests: each test that uses it defines it */
#ifndef TEST_LINUX_TOPOLOGY_H
#define TEST_LINUX_TOPOLOGY_H

#include <linux/cpumask.h>

const struct cpumask *topology_sibling_cpumask(int cpu);

/* Each CPU has a memory node of its own. */
#define cpu_to_node(cpu)	((cpu) + 10)

#endif /* TEST_LINUX_TOPOLOGY_H */
