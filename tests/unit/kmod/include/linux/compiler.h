/* SPDX-License-Identifier: GPL-2.0-only */
/* An NMI may come before each access: the test's interrupts(), if it has one, delivers it. */
#ifndef TEST_LINUX_COMPILER_H
#define TEST_LINUX_COMPILER_H

void interrupts(void) __attribute__((weak));

static inline void nmi_may_come(void)
{
	if (interrupts)
		interrupts();
}

#define READ_ONCE(x)		(nmi_may_come(), (x))
#define noinline		__attribute__((noinline))
#define likely(x)		(x)
#define unlikely(x)		(x)
#define barrier()		nmi_may_come()
#define smp_mb()		nmi_may_come() /* an NMI may come at a barrier, too */
#define smp_rmb()		nmi_may_come() /* likewise */
#define smp_load_acquire(x)	READ_ONCE(*(x)) /* likewise */
#define smp_store_release(x, value)	WRITE_ONCE(*(x), value) /* likewise */
#define __uninitialized
#ifndef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#endif
#define WRITE_ONCE(x, value)	(nmi_may_come(), (x) = (value))

#endif /* TEST_LINUX_COMPILER_H */
