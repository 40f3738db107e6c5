/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's variables of each CPU, for the module's code in unit tests: there is one CPU */
#ifndef TEST_LINUX_PERCPU_H
#define TEST_LINUX_PERCPU_H

#define DECLARE_PER_CPU(type, name)	extern type name
#define DEFINE_PER_CPU(type, name)	type name
#define per_cpu(name, cpu)		(*((void)(cpu), &(name)))
#define this_cpu_ptr(pointer)		(pointer)
#define this_cpu_read(variable)		(variable)

#endif /* TEST_LINUX_PERCPU_H */
