/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU number, for the module's code in unit tests: a test simulates one CPU only */
#ifndef TEST_LINUX_SMP_H
#define TEST_LINUX_SMP_H

#ifndef SIMULATED_CPU
#define SIMULATED_CPU		0
#endif

#define smp_processor_id()	SIMULATED_CPU

#endif /* TEST_LINUX_SMP_H */
