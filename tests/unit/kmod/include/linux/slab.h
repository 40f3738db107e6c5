/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's memory, for the module's code in unit tests: each test that uses it defines it */
#ifndef TEST_LINUX_SLAB_H
#define TEST_LINUX_SLAB_H

#include <stddef.h>

#include <linux/gfp.h>

void *kzalloc(size_t size, gfp_t gfp);

#endif /* TEST_LINUX_SLAB_H */
