/* SPDX-License-Identifier: GPL-2.0-only */
/* An NMI may come before each access; the test's interrupts() delivers it. */
#ifndef TEST_LINUX_COMPILER_H
#define TEST_LINUX_COMPILER_H

void interrupts(void);

#define READ_ONCE(x)		(interrupts(), (x))
#define noinline		__attribute__((noinline))
#define likely(x)		(x)
#define unlikely(x)		(x)
#define barrier()		interrupts()
#define smp_mb()		interrupts() /* an NMI may come at a barrier, too */
#define smp_rmb()		interrupts() /* likewise */
#define smp_load_acquire(x)	READ_ONCE(*(x)) /* likewise */
#define smp_store_release(x, value)	WRITE_ONCE(*(x), value) /* likewise */
#define __uninitialized
#ifndef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#endif
#define WRITE_ONCE(x, value)	(interrupts(), (x) = (value))

#endif /* TEST_LINUX_COMPILER_H */
