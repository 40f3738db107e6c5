/* SPDX-License-Identifier: GPL-2.0-only */
/* Saved registers, for the module's code in unit tests: in the order of 64-bit kernels */
#ifndef TEST_ASM_PTRACE_H
#define TEST_ASM_PTRACE_H

#define __USER32_CS	0x23
#define __USER_DS	0x2b
#define __USER_CS	0x33
#define THREAD_SIZE	16384UL

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	unsigned long ip, cs, flags, sp, ss;
};

#define task_pt_regs(task)	((struct pt_regs *)((task)->stack + THREAD_SIZE) - 1)

#endif /* TEST_ASM_PTRACE_H */
