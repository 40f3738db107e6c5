/* SPDX-License-Identifier: GPL-2.0-only */
/* Logical processors of a core in unit tests: each test of a file that uses them defines them */
#ifndef TEST_COMPAT_TOPOLOGY_H
#define TEST_COMPAT_TOPOLOGY_H

#include <linux/topology.h>
#include <linux/types.h>

bool pmc_apic_id_present(u32 id);
bool pmc_cpu_has_siblings(int cpu);

#endif /* TEST_COMPAT_TOPOLOGY_H */
