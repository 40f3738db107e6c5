// SPDX-License-Identifier: GPL-2.0-only
/*
 * CR4.PCE: who may execute RDPMC in user mode
 *
 * Owns the device's attribute pce: 0 nobody, 1 processes with a context that
 * asked for it, 2 every process. CR4 is never written here: the kernel sets PCE
 * at every switch to an address space whose perf_rdpmc_allowed is not 0, and
 * clears it at every other. That count is perf's in its lower 16 bits. Bit 16
 * is ours for setting 2, and from bit 17 on we count the contexts of setting 1.
 * So what is ours can be told, also in the copy that a fork makes. A changed
 * count takes effect when a CPU next switches address spaces; leave_mm() makes
 * it do so. perf's own file rdpmc goes above all this: with 0 there PCE is never
 * set, with 2 always. When it is written, perf makes each CPU set PCE anew; a kprobe
 * there hides the pages until it is known what is so now.
 *
 * At 2, who execs makes its CPU load the new address space on its way to user mode, by
 * a work of those that were made ahead: the probe cannot allocate.
 *
 * pmc_rdpmc_lock guards the setting and who has been granted what. It is taken
 * inside a file's lock and outside of the probes' lock, cpus_read_lock() and
 * pmc_thread.lock. The probes run in the task concerned with interrupts off.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mm_types.h>
#include <linux/mmu_context.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>

#include "compat/compat.h"
#include "target/context_types.h"
#include "target/target_count.h"
#include "base/notify.h"
#include "sampling/overflow.h"
#include "pmu/rdpmc.h"
#include "pmu/pmu.h"
#include "target/tracepoints.h"
#include "base/task_work.h"

#define PMC_PCE_EVERYBODY	BIT(16)
#define PMC_PCE_CONTEXT		BIT(17)
#define PMC_PCE_CONTEXTS_MAX	8191
#define PMC_PCE_PERF		(PMC_PCE_EVERYBODY - 1)

enum pmc_pce_setting {
	PMC_PCE_NOBODY,
	PMC_PCE_ASKED,
	PMC_PCE_ALL,
};

static DEFINE_MUTEX(pmc_rdpmc_lock); /* the setting, the list, the grants */
static enum pmc_pce_setting pmc_pce_setting = PMC_PCE_ASKED;
static LIST_HEAD(pmc_rdpmc_requests);
static bool pmc_rdpmc_forks; /* the fork probe is ours till unload; pmc_rdpmc_lock */
static atomic_t pmc_rdpmc_pending = ATOMIC_INIT(0);

/* Threads that may be between their exec and user mode at once; nobody is stopped there */
#define PMC_PCE_WORKS	(64 + 4 * nr_cpu_ids)

static struct callback_head *pmc_rdpmc_array; /* all of them; pmc_rdpmc_lock */
static DEFINE_RAW_SPINLOCK(pmc_rdpmc_ready_lock); /* the list */
static struct callback_head *pmc_rdpmc_ready; /* those that wait for an exec */

#ifdef CONFIG_PERF_EVENTS
static atomic_t *pmc_rdpmc_count(struct mm_struct *mm)
{
	return &mm->context.perf_rdpmc_allowed;
}
#else
/* Such a kernel never sets PCE. */
static atomic_t pmc_rdpmc_nowhere;

static atomic_t *pmc_rdpmc_count(struct mm_struct *mm)
{
	return &pmc_rdpmc_nowhere;
}
#endif

static bool pmc_has_rdpmc(void)
{
	struct pmc_query *query = &raw_cpu_ptr(&pmc_pmus)->description.query;

	return IS_ENABLED(CONFIG_PERF_EVENTS) && query->features & PMC_FEATURE(RDPMC);
}

static void pmc_leave_mm_here(void)
{
	unsigned long flags;

	local_irq_save(flags);
	pmc_leave_mm();
	local_irq_restore(flags);
}

/* Where an address space is left: a kernel worker on each CPU. */
struct pmc_visit {
	struct work_struct work;
	struct mm_struct *mm; /* to be entered and left again; or NULL */
	int raise; /* its count by so much meanwhile */
	bool set; /* so PCE was */
};

static void pmc_visit_here(struct work_struct *work)
{
	struct pmc_visit *visit = container_of(work, struct pmc_visit, work);
	struct mm_struct *mm = visit->mm;

	/* first: if somebody else enters it in between, that was with the count raised */
	if (mm)
		atomic_add(visit->raise, pmc_rdpmc_count(mm));
	pmc_leave_mm_here();
	if (!mm)
		return;
	kthread_use_mm(mm);
	visit->set = __read_cr4() & X86_CR4_PCE;
	kthread_unuse_mm(mm);
	atomic_sub(visit->raise, pmc_rdpmc_count(mm));
	pmc_leave_mm_here();
}

/*
 * Is PCE set in @mm on this CPU? work_on_cpu() would stay in the caller on a kernel for one
 * CPU.
 */
static bool pmc_visit_cpu(int cpu, struct mm_struct *mm, int raise)
{
	struct pmc_visit visit = { .mm = mm, .raise = raise };

	INIT_WORK_ONSTACK(&visit.work, pmc_visit_here);
	schedule_work_on(cpu, &visit.work);
	flush_work(&visit.work);
	destroy_work_on_stack(&visit.work);
	return visit.set;
}

/* cpus_read_lock() is held. */
static void pmc_rdpmc_refresh_locked(const struct cpumask *cpus)
{
	int cpu;

	for_each_cpu_and(cpu, cpus, cpu_online_mask)
		pmc_visit_cpu(cpu, NULL, 0);
}

/* What the counts say is so from now on, on these CPUs. */
static void pmc_rdpmc_refresh(const struct cpumask *cpus)
{
	cpus_read_lock();
	pmc_rdpmc_refresh_locked(cpus);
	cpus_read_unlock();
}

/* Who has the first process' count raised, or looks at it: within cpus_read_lock() */
static DEFINE_MUTEX(pmc_rdpmc_first_lock);

/*
 * That of the system's first process, to be put; or NULL. While its count is raised its
 * threads may execute RDPMC, if they run in just that moment, which does no harm: the system
 * is theirs. Were it the caller's, one of his threads could wait for it and read whatever
 * counts.
 */
static struct mm_struct *pmc_rdpmc_first_mm(void)
{
	struct task_struct *first, *thread;
	struct mm_struct *mm = NULL;

	rcu_read_lock();
	first = pid_task(find_pid_ns(1, &init_pid_ns), PIDTYPE_TGID);
	if (first) {
		/* the leader may have ended: then it has none, the others do */
		for_each_thread(first, thread) {
			mm = get_task_mm(thread);
			if (mm)
				break;
		}
	}
	rcu_read_unlock();
	return mm;
}

/**
 * pmc_rdpmc_forget_dirty_counters - make perf forget what it left in counters
 *
 * perf zeroes the counters that it left dirty when a CPU next switches to an
 * address space that may use RDPMC. So every CPU is switched to such an address
 * space once: the first process', with the permission raised for that moment.
 * cpus_read_lock() is held, and forks are watched. A Pentium has no RDPMC and no
 * CR4.PCE: the kernel would fault, and perf does not know its counters.
 */
void pmc_rdpmc_forget_dirty_counters(void)
{
	struct mm_struct *mm;
	int cpu;

	if (!pmc_has_rdpmc())
		return;
	mm = pmc_rdpmc_first_mm();
	if (!mm)
		return;
	mutex_lock(&pmc_rdpmc_first_lock);
	for_each_online_cpu(cpu)
		pmc_visit_cpu(cpu, mm, PMC_PCE_CONTEXT);
	/* those that had come to it by themselves */
	pmc_rdpmc_refresh_locked(mm_cpumask(mm));
	mutex_unlock(&pmc_rdpmc_first_lock);
	mmput_async(mm);
}

static int pmc_rdpmc_watch_forks_locked(void)
{
	int err = pmc_rdpmc_forks ? 0 : pmc_tracepoints_get(BIT(PMC_TRACEPOINT_FORK));

	if (!err)
		pmc_rdpmc_forks = true;
	return err;
}

/**
 * pmc_rdpmc_watch_forks - some address space's count is about to be raised
 *
 * From now on till unload, because a fork may copy the count long before its
 * probe is called. cpus_read_lock() is not held.
 *
 * Return: 0, -ENOMEM.
 */
int pmc_rdpmc_watch_forks(void)
{
	int err;

	mutex_lock(&pmc_rdpmc_lock);
	err = pmc_rdpmc_watch_forks_locked();
	mutex_unlock(&pmc_rdpmc_lock);
	return err;
}

static void pmc_rdpmc_grant(struct pmc_context *context)
{
	if (context->granted || !pmc_has_rdpmc())
		return;
	atomic_add(PMC_PCE_CONTEXT, pmc_rdpmc_count(context->mm));
	pmc_rdpmc_refresh(mm_cpumask(context->mm));
	context->granted = true;
}

static void pmc_rdpmc_revoke(struct pmc_context *context)
{
	if (!context->granted)
		return;
	context->granted = false;
	atomic_sub(PMC_PCE_CONTEXT, pmc_rdpmc_count(context->mm));
	pmc_rdpmc_refresh(mm_cpumask(context->mm));
}

/*
 * Is PCE set in an address space whose count is @raise? That depends on perf's file, for all
 * alike. Forks are watched.
 */
static bool pmc_rdpmc_sets(int raise)
{
	struct mm_struct *mm = pmc_rdpmc_first_mm();
	bool set = false;

	if (!mm)
		return false;
	cpus_read_lock();
	mutex_lock(&pmc_rdpmc_first_lock);
	if (raise || !atomic_read(pmc_rdpmc_count(mm)))
		set = pmc_visit_cpu(raw_smp_processor_id(), mm, raise);
	pmc_rdpmc_refresh_locked(mm_cpumask(mm));
	mutex_unlock(&pmc_rdpmc_first_lock);
	cpus_read_unlock();
	mmput_async(mm);
	return set;
}

/* perf's file overrides what was granted: then RDPMC would fault. */
static bool pmc_rdpmc_works(void)
{
	return pmc_rdpmc_sets(PMC_PCE_CONTEXT);
}

/**
 * pmc_rdpmc_request - a context asks for RDPMC in user mode
 * @context:	follows one thread; configured by a process that is to read it
 *
 * Where it isn't allowed now it may be later; the page tells.
 *
 * Return: 0, -ENOSPC (too many contexts of one process).
 */
int pmc_rdpmc_request(struct pmc_context *context)
{
	struct mm_struct *mm = current->mm;

	if (atomic_read(pmc_rdpmc_count(mm)) / PMC_PCE_CONTEXT >= PMC_PCE_CONTEXTS_MAX)
		return -ENOSPC;
	mmgrab(mm);
	context->mm = mm;
	mutex_lock(&pmc_rdpmc_lock);
	list_add(&context->grants, &pmc_rdpmc_requests);
	if (pmc_pce_setting != PMC_PCE_NOBODY && pmc_has_rdpmc() && pmc_rdpmc_works()) {
		pmc_rdpmc_grant(context);
		pmc_target_open_user_page(context, true);
	}
	mutex_unlock(&pmc_rdpmc_lock);
	return 0;
}

/**
 * pmc_rdpmc_withdraw - a context asks no more
 * @context:	one for which pmc_rdpmc_request() was called, or not
 */
void pmc_rdpmc_withdraw(struct pmc_context *context)
{
	if (!context->mm)
		return;
	mutex_lock(&pmc_rdpmc_lock);
	list_del(&context->grants);
	pmc_rdpmc_revoke(context);
	mutex_unlock(&pmc_rdpmc_lock);
	mmdrop(context->mm);
	context->mm = NULL;
}

/**
 * pmc_rdpmc_pause - what the page says is about to be wrong
 * @context:	to be given to pmc_rdpmc_resume() afterwards
 */
void pmc_rdpmc_pause(struct pmc_context *context)
{
	if (!context->mm)
		return;
	mutex_lock(&pmc_rdpmc_lock);
	pmc_target_open_user_page(context, false);
}

/**
 * pmc_rdpmc_resume - the page may be shown again
 * @context:	was given to pmc_rdpmc_pause()
 */
void pmc_rdpmc_resume(struct pmc_context *context)
{
	if (!context->mm)
		return;
	pmc_target_open_user_page(context, context->granted);
	mutex_unlock(&pmc_rdpmc_lock);
}

/**
 * pmc_rdpmc_fork - current has made @child, which has not run yet
 * @child:	a thread or a process; a process' count is a copy, in which the
 *		contexts are the parent's
 */
void pmc_rdpmc_fork(struct task_struct *child)
{
	struct mm_struct *mm = child->mm;

	if (!mm || mm == current->mm)
		return;
	atomic_and(PMC_PCE_PERF, pmc_rdpmc_count(mm));
	if (READ_ONCE(pmc_pce_setting) == PMC_PCE_ALL)
		atomic_or(PMC_PCE_EVERYBODY, pmc_rdpmc_count(mm));
}

static struct callback_head *pmc_rdpmc_get_work(void)
{
	struct callback_head *work;
	unsigned long flags;

	raw_spin_lock_irqsave(&pmc_rdpmc_ready_lock, flags);
	work = pmc_rdpmc_ready;
	if (work)
		pmc_rdpmc_ready = work->next;
	raw_spin_unlock_irqrestore(&pmc_rdpmc_ready_lock, flags);
	return work;
}

static void pmc_rdpmc_put_work(struct callback_head *work)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pmc_rdpmc_ready_lock, flags);
	work->next = pmc_rdpmc_ready;
	pmc_rdpmc_ready = work;
	raw_spin_unlock_irqrestore(&pmc_rdpmc_ready_lock, flags);
}

/* When they are first needed; they stay till unload. */
static int pmc_rdpmc_make_works(void)
{
	u32 i;

	if (pmc_rdpmc_array)
		return 0;
	pmc_rdpmc_array = kcalloc(PMC_PCE_WORKS, sizeof(*pmc_rdpmc_array), GFP_KERNEL);
	if (!pmc_rdpmc_array)
		return -ENOMEM;
	for (i = 0; i < PMC_PCE_WORKS; i++)
		pmc_rdpmc_put_work(&pmc_rdpmc_array[i]);
	return 0;
}

/* In current, on its way to user mode: make this CPU load the address space anew. */
static void pmc_rdpmc_exec_work(struct callback_head *work)
{
	pmc_rdpmc_put_work(work);
	if (current->mm)
		pmc_rdpmc_refresh(mm_cpumask(current->mm));
	if (atomic_dec_and_test(&pmc_rdpmc_pending))
		wake_up_var(&pmc_rdpmc_pending);
}

/**
 * pmc_rdpmc_exec - current has exec'ed: its address space is new
 */
void pmc_rdpmc_exec(void)
{
	struct callback_head *work;

	if (READ_ONCE(pmc_pce_setting) != PMC_PCE_ALL || !current->mm)
		return;
	atomic_or(PMC_PCE_EVERYBODY, pmc_rdpmc_count(current->mm));
	work = pmc_rdpmc_get_work();
	if (!work)
		return; /* it takes effect with its next switch */
	init_task_work(work, pmc_rdpmc_exec_work);
	atomic_inc(&pmc_rdpmc_pending);
	if (pmc_task_work_add(current, work)) {
		pmc_rdpmc_put_work(work);
		atomic_dec(&pmc_rdpmc_pending);
	}
}

static void pmc_rdpmc_mark(struct task_struct *task, bool everybody)
{
	task_lock(task);
	if (task->mm && !(task->flags & PF_KTHREAD)) {
		if (everybody)
			atomic_or(PMC_PCE_EVERYBODY, pmc_rdpmc_count(task->mm));
		else
			atomic_andnot(PMC_PCE_EVERYBODY, pmc_rdpmc_count(task->mm));
	}
	task_unlock(task);
}

/* The fork and exec probes see those who are not in the list of tasks yet. */
static void pmc_rdpmc_mark_all(bool everybody)
{
	struct task_struct *process, *task;

	rcu_read_lock();
	for_each_process_thread(process, task)
		pmc_rdpmc_mark(task, everybody);
	rcu_read_unlock();
}

/* Setting 2 begins or ends. */
static int pmc_rdpmc_set_all(enum pmc_pce_setting setting)
{
	int err;

	if (setting == PMC_PCE_ALL) {
		err = pmc_rdpmc_make_works();
		if (!err)
			err = pmc_rdpmc_watch_forks_locked();
		if (!err)
			err = pmc_tracepoints_get(BIT(PMC_TRACEPOINT_EXEC));
		if (err)
			return err;
	}
	WRITE_ONCE(pmc_pce_setting, setting);
	pmc_rdpmc_mark_all(setting == PMC_PCE_ALL);
	if (setting != PMC_PCE_ALL) {
		pmc_tracepoints_put(BIT(PMC_TRACEPOINT_EXEC));
		/* those whose probe had seen the old setting */
		tracepoint_synchronize_unregister();
		pmc_rdpmc_mark_all(false);
	}
	pmc_rdpmc_refresh(cpu_online_mask);
	return 0;
}

/* Setting 0 begins or ends. First nobody reads the pages, then nobody may. */
static void pmc_rdpmc_set_none(enum pmc_pce_setting setting)
{
	struct pmc_context *context;

	list_for_each_entry(context, &pmc_rdpmc_requests, grants) {
		if (setting == PMC_PCE_NOBODY) {
			pmc_target_open_user_page(context, false);
			pmc_rdpmc_revoke(context);
		} else if (pmc_rdpmc_works()) {
			pmc_rdpmc_grant(context);
			pmc_target_open_user_page(context, context->granted);
		}
	}
}

static int pmc_rdpmc_set(enum pmc_pce_setting setting)
{
	enum pmc_pce_setting before = pmc_pce_setting;
	int err = 0;

	if (setting == before)
		return 0;
	if (setting == PMC_PCE_ALL || before == PMC_PCE_ALL)
		err = pmc_rdpmc_set_all(setting);
	if (err)
		return err;
	WRITE_ONCE(pmc_pce_setting, setting);
	if (setting == PMC_PCE_NOBODY || before == PMC_PCE_NOBODY)
		pmc_rdpmc_set_none(setting);
	pmc_notify_pce(setting, before);
	return 0;
}

static void pmc_rdpmc_recheck_context(struct pmc_context *context)
{
	/* who has no address space any more reads nothing */
	if (pmc_pce_setting == PMC_PCE_NOBODY || !mmget_not_zero(context->mm))
		return;
	if (pmc_has_rdpmc() && pmc_rdpmc_works()) {
		pmc_rdpmc_grant(context);
		pmc_target_open_user_page(context, context->granted);
	} else {
		pmc_rdpmc_revoke(context);
	}
	mmput_async(context->mm);
}

static void pmc_rdpmc_recheck(struct work_struct *unused)
{
	struct pmc_context *context;

	mutex_lock(&pmc_rdpmc_lock);
	list_for_each_entry(context, &pmc_rdpmc_requests, grants)
		pmc_target_open_user_page(context, false);
	/* whoever writes perf's file from here on shuts them again, and calls this again */
	WRITE_ONCE(pmc_user_pages_disabled, false);
	list_for_each_entry(context, &pmc_rdpmc_requests, grants)
		pmc_rdpmc_recheck_context(context);
	mutex_unlock(&pmc_rdpmc_lock);
}

static DECLARE_WORK(pmc_rdpmc_recheck_work, pmc_rdpmc_recheck);

/* On each CPU, with interrupts off, before it does what perf's file says. */
static int pmc_rdpmc_perf_writes(struct kprobe *probe, struct pt_regs *regs)
{
	WRITE_ONCE(pmc_user_pages_disabled, true);
	pmc_pmu_hide_user_pages(this_cpu_ptr(&pmc_pmus));
	schedule_work(&pmc_rdpmc_recheck_work);
	return 0;
}

static struct kprobe pmc_rdpmc_probe = {
	.symbol_name = "cr4_update_pce",
	.pre_handler = pmc_rdpmc_perf_writes,
};

static bool pmc_rdpmc_probed;

/**
 * pmc_rdpmc_init - watch perf's file, where that can be done
 */
void pmc_rdpmc_init(void)
{
	pmc_rdpmc_probed = !register_kprobe(&pmc_rdpmc_probe);
}

static ssize_t pce_show(struct device *device, struct device_attribute *attribute, char *text)
{
	const char *override = "";
	ssize_t length;

	mutex_lock(&pmc_rdpmc_lock);
	/* finding out takes a worker, for which not every kernel thread may wait */
	if (!pmc_has_user_mode(current) || !perfmon_capable() || pmc_rdpmc_watch_forks_locked())
		override = "";
	else if (!pmc_has_rdpmc())
		override = " (no effect: this CPU or kernel has no RDPMC for user mode)";
	else if (!pmc_rdpmc_works())
		override = " (overridden: perf's rdpmc file says 0, nobody)";
	else if (pmc_rdpmc_sets(0))
		override = " (overridden: perf's rdpmc file says 2, every process)";
	length = sysfs_emit(text, "%d%s\n", pmc_pce_setting, override);
	mutex_unlock(&pmc_rdpmc_lock);
	return length;
}

static ssize_t pce_store(struct device *device, struct device_attribute *attribute,
			 const char *text, size_t length)
{
	unsigned int setting;
	int err;

	err = kstrtouint(text, 10, &setting);
	if (err)
		return err;
	if (setting > PMC_PCE_ALL)
		return -EINVAL;
	/* a kernel thread, or who keeps accounts of one that ends: nobody wants it of them */
	if (!pmc_has_user_mode(current))
		return -EACCES;
	if (!pmc_has_rdpmc())
		return -EOPNOTSUPP;
	mutex_lock(&pmc_rdpmc_lock);
	err = pmc_rdpmc_set(setting);
	mutex_unlock(&pmc_rdpmc_lock);
	return err ? err : length;
}

static DEVICE_ATTR_RW(pce);

static struct attribute *pmc_rdpmc_attributes[] = {
	&dev_attr_pce.attr,
	NULL,
};

static const struct attribute_group pmc_rdpmc_group = {
	.attrs = pmc_rdpmc_attributes,
};

const struct attribute_group *pmc_rdpmc_groups[] = {
	&pmc_rdpmc_group,
	NULL,
};

/**
 * pmc_rdpmc_exit - give back what was found; no file is open any more
 */
void pmc_rdpmc_exit(void)
{
	if (pmc_rdpmc_probed)
		unregister_kprobe(&pmc_rdpmc_probe);
	cancel_work_sync(&pmc_rdpmc_recheck_work);
	mutex_lock(&pmc_rdpmc_lock);
	if (pmc_pce_setting == PMC_PCE_ALL)
		pmc_rdpmc_set_all(PMC_PCE_NOBODY);
	if (pmc_rdpmc_forks)
		pmc_tracepoints_put(BIT(PMC_TRACEPOINT_FORK));
	pmc_rdpmc_forks = false;
	mutex_unlock(&pmc_rdpmc_lock);
	/* no probe adds a work any more; then none waits any more */
	tracepoint_synchronize_unregister();
	wait_var_event(&pmc_rdpmc_pending, !atomic_read(&pmc_rdpmc_pending));
	kfree(pmc_rdpmc_array);
}
