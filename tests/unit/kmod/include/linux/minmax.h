/* SPDX-License-Identifier: GPL-2.0-only */
/* Minimum and maximum: linux/kernel.h has them in unit tests */
#ifndef TEST_LINUX_MINMAX_H
#define TEST_LINUX_MINMAX_H

#include <linux/kernel.h>

#endif /* TEST_LINUX_MINMAX_H */
