// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where user mode was left
 *
 * An overflow in user mode may be told by an NMI that comes in the kernel: because
 * the interrupt was late, or because the instruction that overflowed was the one
 * that entered the kernel. Where user mode was left then stands in one of three
 * places, by how far the entry has come: on the stack that gates switch to, in the
 * registers that SYSCALL leaves it in, or in the task's saved registers.
 *
 * Owns no data, takes no lock; NMI context, or interrupts off.
 */
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include "compat/compat.h"
#include "base/user_mode.h"
#include "sampling/overflow.h"

/* The kernel's entry for SYSCALL saves the registers in fewer bytes of code than this. */
#define PMC_SYSCALL_ENTRY_MAX	256
/* So does that for 32-bit programs, and has returned by SYSRET before the end of these. */
#define PMC_SYSCALL32_MAX	336
/* That for SYSENTER is on the task's stack after fewer than this, and returns behind it. */
#define PMC_SYSENTER_BEGIN_MAX	96

/*
 * The bytes of the data segments that a gate saves before all else where it is left
 * virtual-8086 mode: a task that the kernel has sent there has its stack higher by them.
 */
static unsigned long pmc_user_regs_vm86(void)
{
#ifdef CONFIG_X86_32
	return current->thread.sp0 - (unsigned long)(task_pt_regs(current) + 1);
#else
	return 0;
#endif
}

/*
 * Through a gate, and still on the stack that it switched to? Some entries save all
 * registers there before they go on to the task's, and clear them.
 */
static bool pmc_user_regs_from_gate(struct pmc_user_regs *user, const struct pt_regs *regs)
{
	unsigned long top = this_cpu_read(cpu_tss_rw.x86_tss.sp0);
	const struct pt_regs *frame = (void *)(top - pmc_user_regs_vm86() - sizeof(*frame));

	if (regs->sp > (unsigned long)&frame->ip || regs->sp < top - PAGE_SIZE)
		return false;
	user->ip = frame->ip;
	user->cs = frame->cs;
	user->flags = frame->flags;
	user->bp = regs->sp > (unsigned long)&frame->bp ? regs->bp : frame->bp;
	return true;
}

#ifdef CONFIG_X86_64

/* In that of a 32-bit program? Only AMD's processors have it; Intel's have SYSENTER. */
static bool pmc_user_regs_in_syscall32(const struct pt_regs *regs)
{
	u64 entry;

	if (!boot_cpu_has(X86_FEATURE_SYSCALL32))
		return false;
	pmc_rdmsr(MSR_CSTAR, entry);
	return regs->ip - entry < PMC_SYSCALL32_MAX;
}

/* In the way in by SYSCALL, or in the way out, which lies behind it? */
static bool pmc_user_regs_in_syscall(const struct pt_regs *regs)
{
	u64 entry;

	pmc_rdmsr(MSR_LSTAR, entry);
	return regs->ip - entry < PMC_SYSCALL_ENTRY_MAX || pmc_user_regs_in_syscall32(regs);
}

/* There RCX is the return address and R11 the flags, as long as the stack has neither. */
static void pmc_user_regs_from_syscall(struct pmc_user_regs *user, const struct pt_regs *regs)
{
	if (regs->cx >= TASK_SIZE_MAX)
		return;
	user->ip = regs->cx;
	user->flags = regs->r11;
	if (pmc_user_regs_in_syscall32(regs))
		user->cs = __USER32_CS;
}

#else

static bool pmc_user_regs_in_syscall(const struct pt_regs *regs)
{
	return false;
}

static void pmc_user_regs_from_syscall(struct pmc_user_regs *user, const struct pt_regs *regs)
{
}

#endif /* CONFIG_X86_64 */

/* Has SYSENTER not switched to the task's stack yet? */
static bool pmc_user_regs_at_sysenter(const struct pt_regs *regs)
{
	u64 entry;

	if (!boot_cpu_has(X86_FEATURE_SEP))
		return false;
	pmc_rdmsr(MSR_IA32_SYSENTER_EIP, entry);
	return regs->ip - entry < PMC_SYSENTER_BEGIN_MAX;
}

/*
 * Is this one of current's registers saved? They are pushed and popped in one order:
 * it is if the stack pointer is not above it, or on another stack of the kernel.
 */
static bool pmc_user_regs_are_saved(const struct pt_regs *regs, const unsigned long *saved)
{
	unsigned long stack = (unsigned long)task_stack_page(current);
	unsigned long top = this_cpu_read(cpu_tss_rw.x86_tss.sp0);

	/* at its end it is empty */
	if (regs->sp - stack <= THREAD_SIZE)
		return regs->sp <= (unsigned long)saved;
	/* SYSCALL's way in has anything in the stack pointer; its way out, the entry stack */
	if (pmc_user_regs_in_syscall(regs))
		return top - regs->sp <= PAGE_SIZE;
	/* on the entry stack SYSENTER has nothing saved yet; who leaves, everything still */
	return regs->sp >= TASK_SIZE_MAX && !pmc_user_regs_at_sysenter(regs);
}

/**
 * pmc_user_regs_find - where did a task leave user mode?
 * @user:	filled in; @ip is 0 if that is not known
 * @task:	current, or about to become so
 * @regs:	where this CPU is now, in the kernel; NULL: not in the entry code
 */
void pmc_user_regs_find(struct pmc_user_regs *user, struct task_struct *task,
		    const struct pt_regs *regs)
{
	const struct pt_regs *saved = task_pt_regs(task);

	*user = (struct pmc_user_regs){ .cs = __USER_CS };
	if (!pmc_has_user_mode(task))
		return;
	/* no switch happens in the entry code */
	if (task != current)
		regs = NULL;
	/* SYSCALL leaves the stack pointer as user mode had it: that proves nothing */
	if (regs && !pmc_user_regs_in_syscall(regs) && pmc_user_regs_from_gate(user, regs))
		return;
	if (!regs || pmc_user_regs_are_saved(regs, &saved->ip)) {
		user->ip = saved->ip;
		user->cs = saved->cs;
		user->flags = saved->flags;
	} else if (pmc_user_regs_in_syscall(regs)) {
		pmc_user_regs_from_syscall(user, regs);
	}
	if (user->ip)
		user->bp = !regs || pmc_user_regs_are_saved(regs, &saved->bp) ? saved->bp : regs->bp;
}
