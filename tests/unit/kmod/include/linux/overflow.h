/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes of structures, for the module's code in unit tests */
#ifndef TEST_LINUX_OVERFLOW_H
#define TEST_LINUX_OVERFLOW_H

#include <linux/slab.h>

#endif /* TEST_LINUX_OVERFLOW_H */
