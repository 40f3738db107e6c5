/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User space's <linux/limits.h> and the kernel's ULONG_MAX, U32_MAX, U64_MAX; glibc includes it
 * too
 */
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
