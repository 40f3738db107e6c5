/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocation, for the module's code in unit tests: each test that uses it defines it */
#ifndef TEST_LINUX_SLAB_H
#define TEST_LINUX_SLAB_H

#include <linux/gfp.h>
#include <linux/overflow.h>
#include <stdlib.h>

#define NUMA_NO_NODE		(-1)

void *kmalloc_node(size_t size, gfp_t gfp, int node);
void *kzalloc_node(size_t size, gfp_t gfp, int node);
void *kzalloc(size_t size, gfp_t gfp);
void *kcalloc(size_t n, size_t size, gfp_t gfp);
void *kvzalloc(size_t size, gfp_t gfp);
void *kvcalloc(size_t n, size_t size, gfp_t gfp);
void kfree(const void *memory);
void kvfree(const void *memory);

#endif /* TEST_LINUX_SLAB_H */
