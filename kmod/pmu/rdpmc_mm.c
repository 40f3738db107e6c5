// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDPMC permission of address spaces: changes the count in perf_rdpmc_allowed, makes CPUs load CR4
 * anew, and tests whether RDPMC then works
 *
 * The driver never writes CR4. When a CPU switches to an address space, the kernel sets
 * CR4.PCE if the perf_rdpmc_allowed of that address space is not 0, otherwise it clears PCE.
 * perf's file rdpmc overrides this: with 0 the kernel never sets PCE, with 2 always.
 * perf_rdpmc_allowed is shared with perf, and a fork copies it, so each owner has bits of its
 * own:
 *   bits 15:0	perf's count of events that the process has mapped
 *   bit 16	every process may execute RDPMC (setting 2)
 *   bits 31:17	number of contexts with a granted request (setting 1)
 * A changed count takes effect on a CPU when that CPU next loads the address space.
 * leave_mm() in a kernel thread makes the next switch a load, even to the same one.
 *
 * perf zeroes the counters that it left dirty when a CPU next loads an address space with a
 * count other than 0. Before counters are claimed, a worker on each CPU loads the address space
 * of the system's first process (init) with its count raised, so that perf zeroes nothing
 * afterwards. The same visit, followed by a read of CR4, shows what perf's file allows.
 *
 * perf makes CPUs set PCE for an event that is mapped only if the whole count was 0. So the
 * driver raises counts only while it has the counters, and perf has no event. Exceptions: setting
 * 2, and a process with one thread that reads the attribute: the thread does not run meanwhile.
 * kmod/models/rdpmc.pml is a model of all this.
 *
 * Locks: pmc_rdpmc_visit_lock, inside cpus_read_lock(), serialises the visits to address
 * spaces, except for those of execs. The counts are atomic and need no lock. All CPUs are visited
 * at the same time, because one after the other they would add up their delays. An exec visits
 * its CPUs one after the other: as a rule there is one.
 * Context: task context; pmc_rdpmc_mm_set_every() and pmc_rdpmc_mm_reset() any.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/mm_types.h>
#include <linux/mmu_context.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/printk.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>

#include "compat/compat.h"
#include "pmu/pmu.h"
#include "pmu/rdpmc_mm.h"

#define RDPMC_EVERY_PROCESS	BIT(16)
#define RDPMC_CONTEXT		BIT(17)
#define RDPMC_CONTEXTS_MAX	8191
#define RDPMC_PERF		(RDPMC_EVERY_PROCESS - 1)

#ifdef CONFIG_PERF_EVENTS
static atomic_t *pmc_rdpmc_count(struct mm_struct *mm)
{
	return &mm->context.perf_rdpmc_allowed;
}
#else
/* A kernel without perf never sets PCE. */
static atomic_t pmc_rdpmc_unused_count;

static atomic_t *pmc_rdpmc_count(struct mm_struct *mm)
{
	return &pmc_rdpmc_unused_count;
}
#endif

/* Written by perf_rdpmc.c */
atomic_t pmc_rdpmc_perf_writes; /* of perf's file, in progress */
atomic_t pmc_rdpmc_perf_permits_all; /* those that write 2: every task may execute RDPMC soon */

/* A raised count made RDPMC work, so the field is the count. Until then it may be another one. */
static bool pmc_rdpmc_shown;

/**
 * pmc_rdpmc_exists - can user mode have RDPMC on this CPU and kernel?
 */
bool pmc_rdpmc_exists(void)
{
	struct pmc_query *query = &raw_cpu_ptr(&pmc_pmus)->description.query;

	return IS_ENABLED(CONFIG_PERF_EVENTS) && query->features & PMC_FEATURE(RDPMC);
}

/* Leave the address space. Returns CR4.PCE without one: true if perf's file contains 2. */
static bool pmc_leave_mm_here(void)
{
	unsigned long flags;
	bool pce;

	local_irq_save(flags);
	pmc_leave_mm();
	/* an interrupt could switch to a task and back, which leaves its address space loaded */
	pce = __read_cr4() & X86_CR4_PCE;
	local_irq_restore(flags);
	return pce;
}

/**
 * struct pmc_mm_visit - work of a kernel worker that leaves an address space on its CPU
 * @work:	the caller waits for it
 * @mm:		address space to load and leave again, or NULL
 * @raise:	added to the permission count of @mm meanwhile
 * @forget:	this is to make perf zero its dirty counters
 * @pce:	out: CR4.PCE was set while @mm was loaded
 */
struct pmc_mm_visit {
	struct work_struct work;
	struct mm_struct *mm;
	int raise;
	bool forget;
	bool pce;
};

/*
 * Without PCE, perf's file contains 0, and perf has zeroed nothing. With interrupts off, this CPU
 * does not apply a write of the file meanwhile, but the write can have begun: see perf_rdpmc.c.
 */
static void pmc_mm_forgot_dirty_counters(void)
{
	struct pmc_pmu *pmu;
	unsigned long flags;
	bool pce;

	local_irq_save(flags);
	pmu = this_cpu_ptr(&pmc_pmus);
	pce = __read_cr4() & X86_CR4_PCE;
	/* counts of CPUs that began before the write, and may have been zeroed now */
	if (!hlist_empty(&pmu->cpu_runs) && (READ_ONCE(pmu->dirty) || (pmu->perf_never && pce)))
		pmu->spoil(pmu);
	WRITE_ONCE(pmu->dirty, false);
	WRITE_ONCE(pmu->perf_never, !pce);
	/* perf_never before the number; pairs with smp_mb__after_atomic() in perf_rdpmc.c */
	smp_mb();
	if (!pce && atomic_read(&pmc_rdpmc_perf_writes))
		WRITE_ONCE(pmu->dirty, true);
	local_irq_restore(flags);
}

static void pmc_mm_visit_here(struct work_struct *work)
{
	struct pmc_mm_visit *visit = container_of(work, struct pmc_mm_visit, work);
	struct mm_struct *mm = visit->mm;
	bool always, by_count;

	/*
	 * Before leave_mm(): a thread of @mm that runs here before kthread_use_mm() then loads
	 * @mm with the raised count.
	 */
	if (mm)
		atomic_add(visit->raise, pmc_rdpmc_count(mm));
	always = pmc_leave_mm_here();
	if (!mm)
		return;
	kthread_use_mm(mm);
	visit->pce = __read_cr4() & X86_CR4_PCE;
	by_count = visit->raise && visit->pce && !always;
	if (visit->forget)
		pmc_mm_forgot_dirty_counters();
	kthread_unuse_mm(mm);
	atomic_sub(visit->raise, pmc_rdpmc_count(mm));
	/* if PCE is still set, a write of 2 to perf's file set it, not the count */
	always = pmc_leave_mm_here();
	if (by_count && !always)
		WRITE_ONCE(pmc_rdpmc_shown, true);
}

/* Visits to address spaces, and what they use; inside cpus_read_lock() */
static DEFINE_MUTEX(pmc_rdpmc_visit_lock);

/* One for each CPU; pmc_rdpmc_visit_lock */
static DEFINE_PER_CPU(struct pmc_mm_visit, pmc_mm_visits);

/* The CPUs that are visited; pmc_rdpmc_visit_lock */
static struct cpumask pmc_mm_visited;

/*
 * Visit CPUs, all at the same time. Returns whether one had PCE. cpus_read_lock() and
 * pmc_rdpmc_visit_lock are held. Not work_on_cpu(): on a uniprocessor kernel it calls the function
 * in the caller, which is no kernel thread.
 */
static bool pmc_mm_visit_cpus(const struct cpumask *cpus, const struct pmc_mm_visit *how)
{
	bool pce = false;
	int cpu;

	/* a copy: the visits change mm_cpumask() */
	cpumask_and(&pmc_mm_visited, cpus, cpu_online_mask);
	for_each_cpu(cpu, &pmc_mm_visited) {
		struct pmc_mm_visit *visit = &per_cpu(pmc_mm_visits, cpu);

		*visit = *how;
		INIT_WORK(&visit->work, pmc_mm_visit_here);
		schedule_work_on(cpu, &visit->work);
	}
	for_each_cpu(cpu, &pmc_mm_visited) {
		flush_work(&per_cpu(pmc_mm_visits, cpu).work);
		pce |= per_cpu(pmc_mm_visits, cpu).pce;
	}
	return pce;
}

/* cpus_read_lock() and pmc_rdpmc_visit_lock are held. */
static void pmc_rdpmc_refresh_locked(const struct cpumask *cpus)
{
	const struct pmc_mm_visit leave = {};

	pmc_mm_visit_cpus(cpus, &leave);
}

/**
 * pmc_rdpmc_refresh - make CPUs load their address space with its present count
 * @cpus:	the CPUs
 *
 * Context: task context, may sleep; without cpus_read_lock().
 */
void pmc_rdpmc_refresh(const struct cpumask *cpus)
{
	cpus_read_lock();
	mutex_lock(&pmc_rdpmc_visit_lock);
	pmc_rdpmc_refresh_locked(cpus);
	mutex_unlock(&pmc_rdpmc_visit_lock);
	cpus_read_unlock();
}

/**
 * pmc_rdpmc_refresh_exec - make CPUs load the address space of a program that current executes
 *
 * Without pmc_rdpmc_visit_lock: an exec does not wait for another one. The CPUs are visited one
 * after another; normally there is this one alone.
 *
 * Context: task context, may sleep; without cpus_read_lock().
 */
void pmc_rdpmc_refresh_exec(void)
{
	struct pmc_mm_visit leave = {};
	int cpu;

	cpus_read_lock();
	for_each_cpu_and(cpu, mm_cpumask(current->mm), cpu_online_mask) {
		INIT_WORK_ONSTACK(&leave.work, pmc_mm_visit_here);
		schedule_work_on(cpu, &leave.work);
		flush_work(&leave.work);
		destroy_work_on_stack(&leave.work);
	}
	cpus_read_unlock();
}

/**
 * pmc_rdpmc_mm_is_full - is there no room in the count for one more context?
 * @mm:	the address space
 */
bool pmc_rdpmc_mm_is_full(struct mm_struct *mm)
{
	return atomic_read(pmc_rdpmc_count(mm)) / RDPMC_CONTEXT >= RDPMC_CONTEXTS_MAX;
}

/**
 * pmc_rdpmc_mm_allowed - does the address space have permission, by the driver or by perf?
 * @mm:	the address space
 *
 * Context: any.
 */
bool pmc_rdpmc_mm_allowed(struct mm_struct *mm)
{
	return atomic_read(pmc_rdpmc_count(mm));
}

/**
 * pmc_rdpmc_mm_allowed_by_perf - is perf's part of the count other than 0?
 * @mm:	the address space
 *
 * Context: any.
 */
bool pmc_rdpmc_mm_allowed_by_perf(struct mm_struct *mm)
{
	return atomic_read(pmc_rdpmc_count(mm)) & RDPMC_PERF;
}

/**
 * pmc_rdpmc_mm_grant - count one more context; effective when this returns
 * @mm:	the address space; forks are watched, pmc_rdpmc_watch_forks(), and pmc_rdpmc_works()
 */
void pmc_rdpmc_mm_grant(struct mm_struct *mm)
{
	atomic_add(RDPMC_CONTEXT, pmc_rdpmc_count(mm));
	pmc_rdpmc_refresh(mm_cpumask(mm));
}

/**
 * pmc_rdpmc_mm_uncount - undo pmc_rdpmc_mm_grant(); effective after pmc_rdpmc_refresh()
 * @mm:	the address space
 * @cpus: the CPUs that are to be refreshed are added
 */
void pmc_rdpmc_mm_uncount(struct mm_struct *mm, struct cpumask *cpus)
{
	atomic_sub(RDPMC_CONTEXT, pmc_rdpmc_count(mm));
	cpumask_or(cpus, cpus, mm_cpumask(mm));
}

/**
 * pmc_rdpmc_mm_revoke - undo pmc_rdpmc_mm_grant(); effective when this returns
 * @mm:	the address space
 */
void pmc_rdpmc_mm_revoke(struct mm_struct *mm)
{
	atomic_sub(RDPMC_CONTEXT, pmc_rdpmc_count(mm));
	pmc_rdpmc_refresh(mm_cpumask(mm));
}

/**
 * pmc_rdpmc_mm_set_every - set or clear the bit of setting 2
 * @mm:		the address space; pmc_rdpmc_shown_to_work()
 * @every:	whether every process may execute RDPMC
 */
void pmc_rdpmc_mm_set_every(struct mm_struct *mm, bool every)
{
	if (every)
		atomic_or(RDPMC_EVERY_PROCESS, pmc_rdpmc_count(mm));
	else
		atomic_andnot(RDPMC_EVERY_PROCESS, pmc_rdpmc_count(mm));
}

/**
 * pmc_rdpmc_mm_reset - keep only perf's part of the count, or clear it
 * @mm:	address space of a new process; its count is a copy of current's
 * @perf:	keep perf's part
 *
 * The field is left alone while it could be another: see pmc_rdpmc_mm_check().
 */
void pmc_rdpmc_mm_reset(struct mm_struct *mm, bool perf)
{
	if (READ_ONCE(pmc_rdpmc_shown))
		atomic_and(perf ? RDPMC_PERF : 0, pmc_rdpmc_count(mm));
	else if (is_global_init(current))
		atomic_and(RDPMC_PERF, pmc_rdpmc_count(mm));
}

/*
 * Returns init's address space, to be put, or NULL. While its count is raised, those threads
 * of init that run at that moment may execute RDPMC. That is harmless, because init controls
 * the system. With the caller's address space instead, one of the caller's threads could
 * wait for the moment and read counters of others.
 */
static struct mm_struct *pmc_rdpmc_get_init_mm(void)
{
	struct task_struct *init, *thread;
	struct mm_struct *mm = NULL;

	rcu_read_lock();
	init = pid_task(find_pid_ns(1, &init_pid_ns), PIDTYPE_TGID);
	if (init) {
		/* the leader may have exited; then only the other threads have an mm */
		for_each_thread(init, thread) {
			mm = get_task_mm(thread);
			if (mm)
				break;
		}
	}
	rcu_read_unlock();
	return mm;
}

/**
 * pmc_rdpmc_mm_check - does the kernel keep something else where permission counts should be?
 *
 * So it is if the module was built with the headers of another kernel, and nothing compared them:
 * mm_context_t has changed within stable releases. Nothing has raised the count of init yet.
 *
 * Context: task context, at load.
 *
 * Return: 0, -ENOEXEC.
 */
int pmc_rdpmc_mm_check(void)
{
	struct mm_struct *mm = pmc_rdpmc_get_init_mm();
	int count;

	if (!mm)
		return 0;
	count = atomic_read(pmc_rdpmc_count(mm));
	mmput_async(mm);
	if (!(count & ~RDPMC_PERF))
		return 0;
	pr_err("built for another kernel: mm_context_t is different here; build the module with this kernel's headers\n");
	return -ENOEXEC;
}

/**
 * pmc_rdpmc_forget_dirty_counters - make perf zero the counters that it left dirty
 * @cpus:	online CPUs
 *
 * Each of them loads init's address space once with the count raised. If perf's file contains 0,
 * perf zeroes nothing, and &pmc_pmu.perf_never is set. A Pentium has neither RDPMC nor CR4.PCE: the
 * kernel would fault there, and perf does not know its counters. Where RDPMC faults in the kernel,
 * perf cannot have left counts: its first read would have crashed the kernel.
 *
 * Context: task context; cpus_read_lock() is held, forks are watched, perf has no event.
 */
void pmc_rdpmc_forget_dirty_counters(const struct cpumask *cpus)
{
	struct pmc_mm_visit visit = { .raise = RDPMC_CONTEXT, .forget = true };
	int cpu;

	visit.mm = pmc_rdpmc_exists() ? pmc_rdpmc_get_init_mm() : NULL;
	if (!visit.mm) {
		for_each_cpu(cpu, cpus)
			WRITE_ONCE(per_cpu(pmc_pmus, cpu).dirty, false);
		return;
	}
	mutex_lock(&pmc_rdpmc_visit_lock);
	pmc_mm_visit_cpus(cpus, &visit);
	/* CPUs that loaded it themselves, for a thread of init */
	pmc_rdpmc_refresh_locked(mm_cpumask(visit.mm));
	mutex_unlock(&pmc_rdpmc_visit_lock);
	mmput_async(visit.mm);
}

/*
 * Is PCE set in an address space with the count @raise? It depends on perf's file, so the
 * result for @mm holds for every other. Forks are watched.
 */
static bool pmc_rdpmc_sets_pce(struct mm_struct *mm, int raise)
{
	const struct pmc_mm_visit visit = { .mm = mm, .raise = raise };
	bool pce = false;

	cpus_read_lock();
	mutex_lock(&pmc_rdpmc_visit_lock);
	if (raise || !atomic_read(pmc_rdpmc_count(mm)))
		pce = pmc_mm_visit_cpus(cpumask_of(raw_smp_processor_id()), &visit);
	pmc_rdpmc_refresh_locked(mm_cpumask(mm));
	mutex_unlock(&pmc_rdpmc_visit_lock);
	cpus_read_unlock();
	return pce;
}

static bool pmc_rdpmc_sets_pce_of_init(int raise)
{
	struct mm_struct *mm = pmc_rdpmc_get_init_mm();
	bool pce;

	if (!mm)
		return false;
	pce = pmc_rdpmc_sets_pce(mm, raise);
	mmput_async(mm);
	return pce;
}

/**
 * pmc_rdpmc_works - does RDPMC work in an address space that has permission?
 *
 * While perf's file contains 0, RDPMC faults in spite of a count. While it contains 2, RDPMC works
 * everywhere. So the result is true only if a raised count has been shown to have an effect.
 *
 * Context: task context, without cpus_read_lock(); forks are watched. If perf has events and init
 * maps its first one meanwhile, perf does not enable RDPMC for it.
 */
bool pmc_rdpmc_works(void)
{
	return pmc_rdpmc_sets_pce_of_init(RDPMC_CONTEXT) && READ_ONCE(pmc_rdpmc_shown);
}

/**
 * pmc_rdpmc_shown_to_work - has RDPMC worked because of a raised count?
 *
 * Until then the kernel may keep something else there, see pmc_rdpmc_mm_check().
 */
bool pmc_rdpmc_shown_to_work(void)
{
	return READ_ONCE(pmc_rdpmc_shown);
}

/**
 * pmc_rdpmc_works_beside_perf - the same as pmc_rdpmc_works(), when perf may have events
 *
 * Raises the count of current's address space, where no other thread can map an event meanwhile.
 *
 * Context: task context, without cpus_read_lock(); forks are watched.
 *
 * Return: true if it works, or if current's address space has other users: then it is not known.
 */
bool pmc_rdpmc_works_beside_perf(void)
{
	struct mm_struct *mm = current->mm;

	return atomic_read(&mm->mm_users) > 1 || pmc_rdpmc_sets_pce(mm, RDPMC_CONTEXT);
}

/**
 * pmc_rdpmc_works_for_all - does RDPMC work in an address space without permission?
 *
 * It does while perf's file contains 2.
 *
 * Context: task context, without cpus_read_lock(); forks are watched.
 */
bool pmc_rdpmc_works_for_all(void)
{
	return pmc_rdpmc_sets_pce_of_init(0);
}
