/* SPDX-License-Identifier: GPL-2.0-only */
/* Saved registers, for the module's code in unit tests: in the order of 64-bit kernels */
#ifndef TEST_ASM_PTRACE_H
#define TEST_ASM_PTRACE_H

#include <stdbool.h>

#define __KERNEL_CS	0x10
#define __USER32_CS	0x23
#define __USER_DS	0x2b
#define __USER_CS	0x33
#define THREAD_SIZE	16384UL

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	unsigned long ip, cs, flags, sp, ss;
};

/* In virtual-8086 mode, of 32-bit kernels, the segment has no level. */
static inline int user_mode(const struct pt_regs *regs)
{
	return (regs->cs & 3) == 3;
}

/* Of 64-bit kernels */
static inline bool user_64bit_mode(const struct pt_regs *regs)
{
	return regs->cs == __USER_CS;
}

#define task_pt_regs(task)	((struct pt_regs *)((task)->stack + THREAD_SIZE) - 1)

#endif /* TEST_ASM_PTRACE_H */
