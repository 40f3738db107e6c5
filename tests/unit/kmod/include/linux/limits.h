/* SPDX-License-Identifier: GPL-2.0-only */
/* The C library's <limits.h> includes this file too: user space's header and ULONG_MAX */
#include_next <linux/limits.h>

#ifndef ULONG_MAX
#define ULONG_MAX	(~0UL)
#endif
