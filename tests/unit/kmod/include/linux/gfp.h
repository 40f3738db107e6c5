/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_LINUX_GFP_H
#define TEST_LINUX_GFP_H

#include <linux/types.h>

#define GFP_KERNEL		(1U << 0)
#define GFP_KERNEL_ACCOUNT	(1U << 1)
#define __GFP_NORETRY		(1U << 2)
#define __GFP_NOWARN		(1U << 3)

#endif /* TEST_LINUX_GFP_H */
