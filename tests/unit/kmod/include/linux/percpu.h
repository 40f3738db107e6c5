/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's variables of each CPU, for the module's code in unit tests: one, or TEST_CPUS */
#ifndef TEST_LINUX_PERCPU_H
#define TEST_LINUX_PERCPU_H

#include <linux/cpumask.h>
#include <linux/smp.h>

#ifdef TEST_CPUS
#define DECLARE_PER_CPU(type, name)	extern type name[TEST_CPUS]
#define DEFINE_PER_CPU(type, name)	type name[TEST_CPUS]
#define per_cpu(name, cpu)		((name)[cpu])
#define this_cpu_ptr(pointer)		(&(*(pointer))[smp_processor_id()])
#else
#define DECLARE_PER_CPU(type, name)	extern type name
#define DEFINE_PER_CPU(type, name)	type name
#define per_cpu(name, cpu)		(*((void)(cpu), &(name)))
#define this_cpu_ptr(pointer)		(pointer)
#define this_cpu_read(variable)		(variable)
#endif

#endif /* TEST_LINUX_PERCPU_H */
