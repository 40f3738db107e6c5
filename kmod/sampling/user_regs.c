// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers with which a task left user mode
 *
 * The PMI of a user-mode overflow may arrive in the kernel: it was late, or the instruction
 * that overflowed entered the kernel. How far the kernel entry has got decides where the user
 * registers are: on the stack that an interrupt gate switches to, in the registers where
 * SYSCALL leaves them (RCX, R11), or in the task's saved registers. SYSENTER does not save the
 * user-mode address. With FRED the processor itself pushes the registers of user mode into the
 * task's saved registers.
 *
 * The registers found are those of user mode, or unknown. At load, entry_code.c finds where RCX
 * has the address in the running kernel's SYSCALL entry, and where its SYSENTER entry leaves the
 * entry stack. What is found must look like a user-mode frame.
 *
 * Owns the parts of the entry code, constant after load. Takes no lock: NMI context, or
 * interrupts off.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/pgtable.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include "compat/compat.h"
#include "base/user_mode.h"
#include "sampling/entry_code.h"
#include "sampling/user_regs.h"

/* Bits that user mode's flags can have. Bit 1 is always set. */
#define PMC_USER_FLAGS \
	(X86_EFLAGS_CF | X86_EFLAGS_FIXED | X86_EFLAGS_PF | X86_EFLAGS_AF | X86_EFLAGS_ZF | \
	 X86_EFLAGS_SF | X86_EFLAGS_TF | X86_EFLAGS_IF | X86_EFLAGS_DF | X86_EFLAGS_OF | \
	 X86_EFLAGS_IOPL | X86_EFLAGS_NT | X86_EFLAGS_RF | X86_VM_MASK | X86_EFLAGS_AC | \
	 X86_EFLAGS_VIF | X86_EFLAGS_VIP | X86_EFLAGS_ID)

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

static bool pmc_user_regs_on_entry_stack(const struct pt_regs *regs)
{
	return this_cpu_read(cpu_tss_rw.x86_tss.sp0) - regs->sp <= PAGE_SIZE;
}

/* Returns NULL if the code cannot be read: other software may have an entry of its own. */
static const u8 *pmc_entry_code_read(u64 entry)
{
	static u8 code[PMC_ENTRY_CODE_SIZE];

	return copy_from_kernel_nofault(code, (const void *)(unsigned long)entry, sizeof(code)) ?
	       NULL : code;
}

/*
 * Address of the SYSENTER entry (0: none), and the number of bytes of its code before its first
 * pushes to the task's stack are done
 */
static struct {
	u64 entry;
	unsigned long size;	/* 0: unknown */
} pmc_sysenter;

static void pmc_sysenter_find(void)
{
	const u8 *code;

	/* under Xen PV the register is the hypervisor's */
	if (!boot_cpu_has(X86_FEATURE_SEP) || boot_cpu_has(X86_FEATURE_XENPV) ||
	    pmc_rdmsr_safe(MSR_IA32_SYSENTER_EIP, &pmc_sysenter.entry) || !pmc_sysenter.entry)
		return;
	code = pmc_entry_code_read(pmc_sysenter.entry);
	pmc_sysenter.size = code ? pmc_entry_code_find_sysenter(code, __USER_DS) : 0;
	if (!pmc_sysenter.size)
		pr_warn("unknown code of the SYSENTER entry: if an interrupt arrives on the entry stack, the sample has no address\n");
}

/*
 * In the SYSENTER entry, before its pushes to the task's stack? If the entry's code is unknown,
 * nothing on the entry stack can be relied on.
 */
static bool pmc_user_regs_in_sysenter(const struct pt_regs *regs)
{
	if (!pmc_sysenter.entry)
		return false;
	if (!pmc_sysenter.size)
		return pmc_user_regs_on_entry_stack(regs);
	return regs->ip - pmc_sysenter.entry < pmc_sysenter.size;
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

/* The SYSCALL entries of 64-bit programs, and of 32-bit programs on AMD */
static struct pmc_syscall {
	u64 entry;
	u16 cs;
	bool known;
	struct pmc_entry_code code;
} pmc_syscalls[] = { { .cs = __USER_CS }, { .cs = __USER32_CS } };

static void pmc_syscall_find(struct pmc_syscall *syscall, u32 msr)
{
	const u8 *code;

	/* under Xen PV these are the hypervisor's */
	if (boot_cpu_has(X86_FEATURE_XENPV))
		return;
	if (pmc_rdmsr_safe(msr, &syscall->entry) || !syscall->entry)
		return;
	code = pmc_entry_code_read(syscall->entry);
	syscall->known = code && pmc_entry_code_find(&syscall->code, code, syscall->cs);
	if (!syscall->known)
		pr_warn("unknown code of the SYSCALL entry: if an interrupt arrives there, the sample has no address\n");
}

/* Is IP in a SYSCALL entry or in the code just after it? */
static const struct pmc_syscall *pmc_user_regs_in_syscall(const struct pt_regs *regs)
{
	const struct pmc_syscall *syscall;

	for (syscall = pmc_syscalls; syscall < pmc_syscalls + ARRAY_SIZE(pmc_syscalls); syscall++) {
		if (syscall->entry && regs->ip - syscall->entry < PMC_ENTRY_CODE_SIZE)
			return syscall;
	}
	return NULL;
}

/*
 * In these ranges RCX is the return address and R11 the flags, and RSP can still be user mode's, so
 * it must not be used to choose a stack. Outside of them RSP is the kernel's. Returns true if no
 * other place is to be searched.
 */
static bool pmc_user_regs_from_syscall(struct pmc_user_regs *user, const struct pt_regs *regs)
{
	const struct pmc_syscall *syscall = pmc_user_regs_in_syscall(regs);
	unsigned long at;

	if (!syscall)
		return false;
	if (!syscall->known)
		return true;
	at = regs->ip - syscall->entry;
	if (at > syscall->code.pushed &&
	    (at < syscall->code.exit || at > syscall->code.exit_end))
		return false;
	user->ip = regs->cx;
	user->flags = regs->r11;
	user->cs = syscall->cs;
	user->bp = regs->bp;
	return true;
}

/*
 * Is the stack pointer on an IST stack, such as that of #DB? The user registers may then be on that
 * stack instead of the task's.
 */
static bool pmc_user_regs_on_exception_stack(const struct pt_regs *regs)
{
	return regs->sp >> P4D_SHIFT == CPU_ENTRY_AREA_BASE >> P4D_SHIFT;
}

static bool pmc_user_regs_by_fred(void)
{
#ifdef X86_FEATURE_FRED
	return cpu_feature_enabled(X86_FEATURE_FRED);
#else
	return false;
#endif
}

static void pmc_syscalls_find(void)
{
	pmc_syscall_find(&pmc_syscalls[0], MSR_LSTAR);
	if (boot_cpu_has(X86_FEATURE_SYSCALL32))
		pmc_syscall_find(&pmc_syscalls[1], MSR_CSTAR);
}

#else

static bool pmc_user_regs_from_syscall(struct pmc_user_regs *user, const struct pt_regs *regs)
{
	return false;
}

static bool pmc_user_regs_on_exception_stack(const struct pt_regs *regs)
{
	return false;
}

static bool pmc_user_regs_by_fred(void)
{
	return false;
}

static void pmc_syscalls_find(void)
{
}

#endif /* CONFIG_X86_64 */

/**
 * pmc_user_regs_init - find the parts of the running kernel's entry code
 *
 * At load. Where they are not found, the registers of a PMI in the entry are unknown.
 */
void pmc_user_regs_init(void)
{
	if (pmc_user_regs_by_fred())
		return;
	pmc_sysenter_find();
	pmc_syscalls_find();
}

/*
 * Is this register of current saved on its stack? Registers are pushed and popped in a fixed
 * order: it is saved if the stack pointer is not above it, or is on another kernel stack.
 */
static bool pmc_user_regs_are_saved(const struct pt_regs *regs, const unsigned long *saved)
{
	unsigned long stack = (unsigned long)task_stack_page(current);

	/* the task's stack; at its end it is empty */
	if (regs->sp - stack <= THREAD_SIZE)
		return regs->sp <= (unsigned long)saved;
	/*
	 * The exit to user mode runs on the entry stack; the task's stack still has all
	 * registers. On 32 bits the NMI handler itself runs on the top of the task's stack and
	 * overwrites them.
	 */
	if (pmc_user_regs_on_entry_stack(regs))
		return IS_ENABLED(CONFIG_X86_64);
	if (regs->sp < TASK_SIZE_MAX)
		return false;
	/* FRED saves all of them on the task's stack when it leaves user mode */
	return pmc_user_regs_by_fred() || !pmc_user_regs_on_exception_stack(regs);
}

static void pmc_user_regs_from_task(struct pmc_user_regs *user, const struct pt_regs *saved,
				    const struct pt_regs *regs)
{
	user->ip = saved->ip;
	user->cs = saved->cs;
	user->flags = saved->flags;
	user->bp = !regs || pmc_user_regs_are_saved(regs, &saved->bp) ? saved->bp : regs->bp;
}

/* Do these look like user registers? */
static bool pmc_user_regs_plausible(const struct pmc_user_regs *user)
{
	if (user->flags & ~(unsigned long)PMC_USER_FLAGS || !(user->flags & X86_EFLAGS_FIXED))
		return false;
	if (user->flags & X86_VM_MASK)
		return true;
	return (user->cs & 3) == 3 && user->ip < TASK_SIZE_MAX;
}

static void pmc_user_regs_search(struct pmc_user_regs *user, struct task_struct *task,
				 const struct pt_regs *regs)
{
	const struct pt_regs *saved = task_pt_regs(task);

	if (!regs || pmc_user_regs_by_fred()) {
		pmc_user_regs_from_task(user, saved, regs);
		return;
	}
	if (pmc_user_regs_in_sysenter(regs))
		return;
	if (pmc_user_regs_from_syscall(user, regs) || pmc_user_regs_from_gate(user, regs))
		return;
	if (pmc_user_regs_are_saved(regs, &saved->ip))
		pmc_user_regs_from_task(user, saved, regs);
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
	*user = (struct pmc_user_regs){ .cs = __USER_CS };
	if (!pmc_has_user_mode(task))
		return;
	/* the entry code does not switch tasks */
	pmc_user_regs_search(user, task, task == current ? regs : NULL);
	if (!pmc_user_regs_plausible(user))
		*user = (struct pmc_user_regs){ .cs = __USER_CS };
}
