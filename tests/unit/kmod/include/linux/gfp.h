/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_LINUX_GFP_H
#define TEST_LINUX_GFP_H

#include <linux/types.h>

#define GFP_KERNEL		0xcc0U
#define GFP_KERNEL_ACCOUNT	(GFP_KERNEL | 0x400000U)
#define __GFP_ZERO		0x100U
#define __GFP_NOWARN		0x2000U
#define __GFP_NORETRY		0x10000U

#endif /* TEST_LINUX_GFP_H */
