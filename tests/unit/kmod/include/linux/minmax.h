/* SPDX-License-Identifier: GPL-2.0-only */
/* linux/kernel.h has min() and max() in unit tests. */
#include <linux/kernel.h>
