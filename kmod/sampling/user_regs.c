// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers with which a task left user mode
 *
 * The PMI of a user-mode overflow may arrive in the kernel: it was late, or the instruction
 * that overflowed entered the kernel. How far the kernel entry has got decides where the user
 * registers are: on the stack that an interrupt gate switches to, in the registers where
 * SYSCALL leaves them (RCX, R11), or in the task's saved registers.
 *
 * Owns no data and takes no lock: NMI context, or interrupts off.
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
#include "sampling/user_regs.h"

/* The SYSCALL entry has saved the registers before this many bytes of its code. */
#define PMC_SYSCALL_ENTRY_MAX	256
/* The same for 32-bit programs; this range includes the exit by SYSRET. */
#define PMC_SYSCALL32_MAX	336
/* The SYSENTER entry switches to the task's stack before this; its exit lies behind. */
#define PMC_SYSENTER_BEGIN_MAX	96

/*
 * Bytes of the data segment selectors, which a gate pushes first when it leaves virtual-8086
 * mode: the kernel raises sp0 of a task in that mode by them.
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
 * Get the registers from the entry stack, if the kernel was entered through a gate and still
 * runs on that stack. Some entries save all registers there, and clear them, before they switch
 * to the task's stack.
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

/* In the SYSCALL entry of 32-bit programs? AMD only; Intel's 32-bit programs use SYSENTER. */
static bool pmc_user_regs_in_syscall32(const struct pt_regs *regs)
{
	u64 entry;

	if (!boot_cpu_has(X86_FEATURE_SYSCALL32))
		return false;
	pmc_rdmsr(MSR_CSTAR, entry);
	return regs->ip - entry < PMC_SYSCALL32_MAX;
}

/* In the SYSCALL entry, or in its exit, which lies behind it? */
static bool pmc_user_regs_in_syscall(const struct pt_regs *regs)
{
	u64 entry;

	pmc_rdmsr(MSR_LSTAR, entry);
	return regs->ip - entry < PMC_SYSCALL_ENTRY_MAX || pmc_user_regs_in_syscall32(regs);
}

/* RCX is the return address and R11 the flags until they are on the stack. */
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

/* In the SYSENTER entry, before it switches to the task's stack? */
static bool pmc_user_regs_at_sysenter(const struct pt_regs *regs)
{
	u64 entry;

	if (!boot_cpu_has(X86_FEATURE_SEP))
		return false;
	pmc_rdmsr(MSR_IA32_SYSENTER_EIP, entry);
	return regs->ip - entry < PMC_SYSENTER_BEGIN_MAX;
}

/*
 * Is this register of current saved on its stack? Registers are pushed and popped in a fixed
 * order: it is saved if the stack pointer is not above it, or is on another kernel stack.
 */
static bool pmc_user_regs_are_saved(const struct pt_regs *regs, const unsigned long *saved)
{
	unsigned long stack = (unsigned long)task_stack_page(current);
	unsigned long top = this_cpu_read(cpu_tss_rw.x86_tss.sp0);

	/* the task's stack; at its end it is empty */
	if (regs->sp - stack <= THREAD_SIZE)
		return regs->sp <= (unsigned long)saved;
	/* SYSCALL's entry starts with user mode's stack pointer; its exit uses the entry stack */
	if (pmc_user_regs_in_syscall(regs))
		return top - regs->sp <= PAGE_SIZE;
	/* SYSENTER's entry has saved nothing yet; on an exit everything is still saved */
	return regs->sp >= TASK_SIZE_MAX && !pmc_user_regs_at_sysenter(regs);
}

/**
 * pmc_user_regs_find - find the registers with which a task left user mode
 * @user:	out; @ip is 0 if they are unknown
 * @task:	current, or the next current
 * @regs:	this CPU's registers, of kernel mode; NULL: not in the entry code
 *
 * NMI context, or interrupts off.
 */
void pmc_user_regs_find(struct pmc_user_regs *user, struct task_struct *task,
			const struct pt_regs *regs)
{
	const struct pt_regs *saved = task_pt_regs(task);

	*user = (struct pmc_user_regs){ .cs = __USER_CS };
	if (!pmc_has_user_mode(task))
		return;
	/* the entry code does not switch tasks */
	if (task != current)
		regs = NULL;
	/* SYSCALL keeps user mode's stack pointer, which may have any value */
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
		user->bp = !regs || pmc_user_regs_are_saved(regs, &saved->bp) ?
			saved->bp : regs->bp;
}
