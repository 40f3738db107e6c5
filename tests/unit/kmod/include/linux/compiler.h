/* SPDX-License-Identifier: GPL-2.0-only */
/* Before each access an interrupt may come: the test says which. */
#ifndef TEST_LINUX_COMPILER_H
#define TEST_LINUX_COMPILER_H

void interrupts(void);

#define READ_ONCE(x)		(interrupts(), (x))
#define WRITE_ONCE(x, value)	(interrupts(), (x) = (value))

#endif /* TEST_LINUX_COMPILER_H */
