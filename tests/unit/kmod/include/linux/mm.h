/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory, for the module's code in unit tests: each test that uses it defines it */
#ifndef TEST_LINUX_MM_H
#define TEST_LINUX_MM_H

#include <linux/gfp.h>
#include <stddef.h>

#define PAGE_SIZE	4096UL

void *kvzalloc(size_t size, gfp_t gfp);
void kvfree(const void *memory);

#endif /* TEST_LINUX_MM_H */
