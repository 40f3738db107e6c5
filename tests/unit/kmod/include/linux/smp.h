/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPU number and calls on other CPUs, for the module's code in unit tests. The number is
 * SIMULATED_CPU, or this_cpu if TEST_CPUS is defined.
 */
#ifndef TEST_LINUX_SMP_H
#define TEST_LINUX_SMP_H

#ifdef TEST_CPUS
extern int this_cpu;

#define smp_processor_id()	this_cpu
#define raw_smp_processor_id()	this_cpu
#define get_cpu()		this_cpu
#define put_cpu()		((void)0)

/* The test defines them. */
void on_each_cpu(void (*function)(void *data), void *data, int wait);
int smp_call_function_single(int cpu, void (*function)(void *data), void *data, int wait);
#else
#ifndef SIMULATED_CPU
#define SIMULATED_CPU		0
#endif

#define smp_processor_id()	SIMULATED_CPU
#endif

struct cpumask;

void on_each_cpu_mask(const struct cpumask *cpus, void (*function)(void *), void *data, int wait);

#endif /* TEST_LINUX_SMP_H */
