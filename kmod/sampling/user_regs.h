/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers with which a task left user mode
 */
#ifndef PMC_USER_REGS_H
#define PMC_USER_REGS_H

#include <linux/types.h>
#include <asm/processor-flags.h>

struct pt_regs;
struct task_struct;

/**
 * struct pmc_user_regs - registers of a sample: of user mode, or of the kernel if that is counted
 * @ip:		instruction pointer, 0 if it is not known
 * @flags:	flags register
 * @bp:		frame pointer
 * @cs:		code segment selector
 */
struct pmc_user_regs {
	unsigned long ip;
	unsigned long flags;
	unsigned long bp;
	u16 cs;
};

/*
 * Are these registers of user mode? In virtual-8086 mode, of 32-bit kernels, the code
 * segment selector holds no privilege level.
 */
static inline bool pmc_user_regs_is_user(const struct pmc_user_regs *user)
{
	return user->flags & X86_VM_MASK || user->cs & 3;
}

void pmc_user_regs_init(void);
void pmc_user_regs_find(struct pmc_user_regs *user, struct task_struct *task,
			const struct pt_regs *regs);

#endif /* PMC_USER_REGS_H */
