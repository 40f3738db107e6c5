/* SPDX-License-Identifier: GPL-2.0-only */
/* The C library's <limits.h> includes this file too: user space's header and more */
#include_next <linux/limits.h>

#ifndef ULONG_MAX
#define ULONG_MAX	(~0UL)
#endif

#ifndef U32_MAX
#define U32_MAX		(~0U)
#endif

#ifndef U64_MAX
#define U64_MAX		(~0ULL)
#endif
