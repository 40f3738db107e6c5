/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocations, which fail where a test wants it. Each program of tests has one object that
 * includes it.
 */
#ifndef TEST_ALLOCATIONS_H
#define TEST_ALLOCATIONS_H

#include <linux/slab.h>

/* The allocation after this many fails; not if it is negative */
static int allocations_left = -1;
/* Flags of the last one, and its node */
static gfp_t allocation_flags = ~0U;
static int allocation_node = -1;

void *kzalloc(size_t size, gfp_t gfp)
{
	allocation_flags = gfp;
	if (!allocations_left)
		return NULL;
	allocations_left -= allocations_left > 0;
	return calloc(1, size);
}

void *kzalloc_node(size_t size, gfp_t gfp, int node)
{
	allocation_node = node;
	return kzalloc(size, gfp);
}

void *kvzalloc(size_t size, gfp_t gfp)
{
	return kzalloc(size, gfp);
}

void *kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	return kzalloc(n * size, gfp);
}

void kfree(const void *memory)
{
	free((void *)memory);
}

void kvfree(const void *memory)
{
	kfree(memory);
}

#endif /* TEST_ALLOCATIONS_H */
