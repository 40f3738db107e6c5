/* SPDX-License-Identifier: GPL-2.0-only */
/* The C library's <limits.h> includes this, too: user space's own, with the kernel's */
#include_next <linux/limits.h>

#ifndef ULONG_MAX
#define ULONG_MAX	(~0UL)
#endif
