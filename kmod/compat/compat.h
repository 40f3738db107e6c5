/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels
 *
 * Kbuild defines each PMC_HAVE_* if the file of kmod/compat/tests/ with that name
 * compiles against the kernel. The driver never tests a version number, because
 * stable branches change interfaces within one version.
 *
 * pmc_wrmsr_native() and pmc_rdmsr_native() are the bare instructions, for context
 * switches and overflows: no call and no tracepoint. They do not work in Xen PV guests, where no
 * family finds counters.
 */
#ifndef PMC_COMPAT_H
#define PMC_COMPAT_H

#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/mmu_context.h>
#include <linux/path.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <asm/asm.h>
#include <asm/msr.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#ifdef PMC_HAVE_INSTRUCTION_POINTER
#include <linux/instruction_pointer.h>
#endif
#ifdef PMC_HAVE_CPUID_API
#include <asm/cpuid/api.h>
#endif

#ifdef PMC_HAVE_RDMSRQ
#define pmc_rdmsr(msr, value)		rdmsrq(msr, value)
#define pmc_rdmsr_safe(msr, value)	rdmsrq_safe(msr, value)
#define pmc_wrmsr(msr, value)		wrmsrq(msr, value)
#define pmc_wrmsr_native(msr, value)	native_wrmsrq(msr, value)
#define pmc_wrmsr_safe(msr, value)	wrmsrq_safe(msr, value)
#else
#define pmc_rdmsr(msr, value)		rdmsrl(msr, value)
#define pmc_rdmsr_safe(msr, value)	rdmsrl_safe(msr, value)
#define pmc_wrmsr(msr, value)		wrmsrl(msr, value)
#define pmc_wrmsr_native(msr, value)	native_wrmsrl(msr, value)
#define pmc_wrmsr_safe(msr, value)	wrmsrl_safe(msr, value)
#endif

/*
 * A virtual machine can be moved to a computer without the register: a read that faults returns 0,
 * and the kernel warns once. RDPMC returns -EIO there, without a warning, on newer kernels.
 */
#ifdef EX_TYPE_RDMSR
#define PMC_EXTABLE_READ(from, to)	_ASM_EXTABLE_TYPE(from, to, EX_TYPE_RDMSR)
#else
#define PMC_EXTABLE_READ(from, to)	_ASM_EXTABLE_HANDLE(from, to, ex_handler_rdmsr_unsafe)
#endif
#ifdef EX_DATA_REG
/* register 0 is EAX */
#define PMC_EXTABLE_RDPMC(from, to)	\
	_ASM_EXTABLE_TYPE(from, to, EX_TYPE_RDMSR_SAFE | EX_DATA_REG(0))
#else
#define PMC_EXTABLE_RDPMC(from, to)	PMC_EXTABLE_READ(from, to)
#endif

static __always_inline u64 pmc_rdmsr_native(u32 msr)
{
	unsigned long low, high;

	asm volatile("1: rdmsr\n2:\n" PMC_EXTABLE_READ(1b, 2b)
		     : "=a" (low), "=d" (high) : "c" (msr));
	return low | (u64)high << 32;
}

/* Context: a kernel thread, interrupts off. */
static inline void pmc_leave_mm(void)
{
#ifdef PMC_HAVE_LEAVE_MM_CPU
	leave_mm(smp_processor_id());
#else
	leave_mm();
#endif
}

/* irq_work that runs in hard interrupt context, with PREEMPT_RT too */
#ifdef IRQ_WORK_INIT_HARD
#define PMC_IRQ_WORK_INIT_HARD(function)	IRQ_WORK_INIT_HARD(function)
#else
#define PMC_IRQ_WORK_INIT_HARD(function)	((struct irq_work){ \
		.flags = ATOMIC_INIT(IRQ_WORK_HARD_IRQ), .func = (function) })
#endif

/*
 * Pages that user mode maps. Before Linux 5.11, a page that is charged to a memory cgroup has
 * PageKmemcg in place of _mapcount. It must not be mapped, so such pages are not charged there.
 */
#ifdef PMC_HAVE_PAGE_KMEMCG
#define PMC_GFP_MAPPED	GFP_KERNEL
#else
#define PMC_GFP_MAPPED	GFP_KERNEL_ACCOUNT
#endif

#ifdef in_hardirq
#define pmc_in_hardirq()	in_hardirq()
#else
#define pmc_in_hardirq()	in_irq()
#endif

static inline unsigned int pmc_task_state(const struct task_struct *task)
{
#ifdef PMC_HAVE_TASK_STATE
	return READ_ONCE(task->__state);
#else
	return READ_ONCE(task->state);
#endif
}

static inline struct file *pmc_file_open_root(const struct path *root, const char *name,
					      int flags)
{
#ifdef PMC_HAVE_FILE_OPEN_ROOT_PATH
	return file_open_root(root, name, flags, 0);
#else
	return file_open_root(root->dentry, root->mnt, name, flags, 0);
#endif
}

static inline void pmc_hrtimer_setup(struct hrtimer *timer,
				     enum hrtimer_restart (*function)(struct hrtimer *),
				     enum hrtimer_mode mode)
{
#ifdef PMC_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = function;
#endif
}

/* Newer kernels change a mapping's flags by functions that take its lock. */
#ifdef PMC_HAVE_VM_FLAGS_SET
#define pmc_vm_flags_set(vma, flags)	vm_flags_set(vma, flags)
#define pmc_vm_flags_clear(vma, flags)	vm_flags_clear(vma, flags)
#else
#define pmc_vm_flags_set(vma, flags)	((vma)->vm_flags |= (flags))
#define pmc_vm_flags_clear(vma, flags)	((vma)->vm_flags &= ~(flags))
#endif

/* The file of a mapping as its process sees it, also on overlayfs */
#ifdef PMC_HAVE_FILE_USER_PATH
#define pmc_file_user_path(file)	file_user_path(file)
#define pmc_file_user_inode(file)	file_user_inode(file)
#else
#define pmc_file_user_path(file)	(&(file)->f_path)
#define pmc_file_user_inode(file)	file_inode(file)
#endif

/* The workqueue that is not bound to a CPU */
#ifdef PMC_HAVE_DFL_WQ
#define pmc_unbound_wq	system_dfl_wq
#else
#define pmc_unbound_wq	system_unbound_wq
#endif

/* Does the kernel migrate all user threads from a CPU before it calls the offline callbacks? */
#ifdef PMC_HAVE_MIGRATION_PENDING
#define PMC_OFFLINE_MIGRATES	true
#else
#define PMC_OFFLINE_MIGRATES	false
#endif

/* Arguments of probes on the tracepoint sched_switch */
#ifdef PMC_HAVE_SCHED_SWITCH_STATE
#define PMC_SCHED_SWITCH_ARGS	void *data, bool preempt, struct task_struct *prev, \
				struct task_struct *next, unsigned int prev_state
#else
#define PMC_SCHED_SWITCH_ARGS	void *data, bool preempt, struct task_struct *prev, \
				struct task_struct *next
#endif

/* Arguments of probes on the tracepoint sched_process_exit */
#ifdef PMC_HAVE_EXIT_GROUP_DEAD
#define PMC_PROCESS_EXIT_ARGS	void *data, struct task_struct *task, bool group_dead
#else
#define PMC_PROCESS_EXIT_ARGS	void *data, struct task_struct *task
#endif

/* Arguments of probes on the tracepoint task_newtask */
#ifdef PMC_HAVE_NEWTASK_U64
#define PMC_NEWTASK_ARGS	void *data, struct task_struct *task, u64 clone_flags
#else
#define PMC_NEWTASK_ARGS	void *data, struct task_struct *task, unsigned long clone_flags
#endif

/*
 * Is the task a kernel worker of a process (vhost's, for example) that creates no threads? It
 * runs no task_work before it exits. io_uring's workers create threads and run task_work.
 */
static inline bool pmc_is_user_worker(const struct task_struct *task)
{
#ifdef PF_USER_WORKER
	return task->flags & PF_USER_WORKER && !(task->flags & PF_IO_WORKER);
#else
	return false;
#endif
}

/* First argument of a function, in a kprobe at its start (32 bits: -mregparm=3) */
static inline u32 pmc_first_argument(const struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return regs->di;
#else
	return regs->ax;
#endif
}

static inline void pmc_set_first_argument(struct pt_regs *regs, u32 value)
{
#ifdef CONFIG_X86_64
	regs->di = value;
#else
	regs->ax = value;
#endif
}

#endif /* PMC_COMPAT_H */
