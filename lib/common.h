/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Macros of libpmcdrv and libpmcevents */
#ifndef PMC_COMMON_H
#define PMC_COMMON_H

/* A function of a public header */
#define PMC_API		__attribute__((visibility("default")))

/* A function that libpmcdrv exports to libpmcevents only: LIBPMCDRV_PRIVATE_0 */
#define PMC_PRIVATE	__attribute__((visibility("default")))

#define __printf(a, b)	__attribute__((format(printf, a, b)))

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* A setting of the kernel. Return: the number in the file @path, 1 for Y; 0 without the file. */
long pmc_setting(const char *path);

#endif /* PMC_COMMON_H */
