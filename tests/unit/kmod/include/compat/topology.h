/* SPDX-License-Identifier: GPL-2.0-only */
/* The logical processors of a core in unit tests: each test that uses it defines it */
#ifndef TEST_COMPAT_TOPOLOGY_H
#define TEST_COMPAT_TOPOLOGY_H

#include <linux/types.h>

bool pmc_cpu_has_siblings(int cpu);

#endif /* TEST_COMPAT_TOPOLOGY_H */
