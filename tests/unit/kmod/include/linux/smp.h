/* SPDX-License-Identifier: GPL-2.0-only */
/* The CPU number, for the module's code in unit tests: a test simulates CPU 0 only */
#ifndef TEST_LINUX_SMP_H
#define TEST_LINUX_SMP_H

#define smp_processor_id()	0

#endif /* TEST_LINUX_SMP_H */
