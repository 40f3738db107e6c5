/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPUs, for the module's code in unit tests: the test sets which CPUs there are */
#ifndef TEST_LINUX_CPUMASK_H
#define TEST_LINUX_CPUMASK_H

#include <stdlib.h>

#include <linux/gfp.h>
#include <linux/kernel.h>

struct cpumask {
	u32 bits;
};

/* One variable in all objects of a program */
struct cpumask cpus_possible __attribute__((weak));
struct cpumask cpus_online __attribute__((weak));

/* The numbers above those of possible CPUs */
#define nr_cpu_ids		fls(cpus_possible.bits)
#define cpu_online_mask		((const struct cpumask *)&cpus_online)
#define cpu_possible(cpu)	cpumask_test_cpu(cpu, &cpus_possible)
#define cpu_online(cpu)		cpumask_test_cpu(cpu, &cpus_online)

/* A kernel with DEBUG_PER_CPU_MAPS warns of a CPU beyond the last. */
static inline bool cpumask_test_cpu(unsigned int cpu, const struct cpumask *mask)
{
	if (cpu >= (unsigned int)nr_cpu_ids)
		abort();
	return mask->bits >> cpu & 1;
}

#define for_each_cpu(cpu, mask)						\
	for ((cpu) = 0; (cpu) < 32; (cpu)++)				\
		if (!((mask)->bits >> (cpu) & 1)) {			\
		} else

#define for_each_online_cpu(cpu)	for_each_cpu(cpu, &cpus_online)
#define for_each_possible_cpu(cpu)	for_each_cpu(cpu, &cpus_possible)

static inline unsigned int cpumask_weight(const struct cpumask *mask)
{
	return hweight32(mask->bits);
}

#define num_possible_cpus()		cpumask_weight(&cpus_possible)

static inline bool cpumask_empty(const struct cpumask *mask)
{
	return !mask->bits;
}

static inline void cpumask_set_cpu(int cpu, struct cpumask *mask)
{
	mask->bits |= 1U << cpu;
}

#define cpumask_var_t	struct cpumask *

/* Each test that uses them defines them. */
bool zalloc_cpumask_var(struct cpumask **mask, gfp_t gfp);
void free_cpumask_var(struct cpumask *mask);

#endif /* TEST_LINUX_CPUMASK_H */
