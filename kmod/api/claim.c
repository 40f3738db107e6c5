// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims: which context holds which counter, and the exclusion of perf
 *
 * Owns the list of contexts. The first context acquires the hardware: perf's reservations
 * of all general counters and of all event selects, and what these do not cover
 * (perf_exclude.c). Each context acquires the CPUs on which it can count, if no other context
 * has: a CPU's registers are saved then. Other CPUs are left alone. A CPU is released with
 * the last context that can count there. Threads acquire isolated CPUs themselves (isolated.c).
 *
 * Locking (outermost first):
 *   pmc_claims_queue   one claim or release at a time: the others do not hold cpus_read_lock(),
 *                      so CPU hotplug continues. A claim that waits can be killed
 *   cpus_read_lock()   the hotplug callbacks hold it for writing instead
 *   pmc_claims_lock    the lists of contexts, acquisition of the hardware
 * Context: task context, but for pmc_claims_notify_uncounted() and
 * pmc_claims_set_clock_back(), which hold no lock.
 */
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "api/claim.h"
#include "base/notify.h"
#include "compat/topology.h"
#include "pmu/perf_exclude.h"
#include "pmu/pmu.h"
#include "pmu/rdpmc_tasks.h"
#include "pmu/run_types.h"
#include "sampling/pmi.h"
#include "sampling/sample_config.h"
#include "target/cpu_counters.h"
#include "pmu/rdpmc_mm.h"
#include "target/context.h"
#include "target/isolated.h"
#include "target/scope_types.h"
#include "target/target.h"

static DEFINE_MUTEX(pmc_claims_queue); /* guards no data */
DEFINE_MUTEX(pmc_claims_lock); /* the lists of contexts, acquisition of the hardware */
LIST_HEAD(pmc_contexts); /* those that count CPUs first */
static LIST_HEAD(pmc_contexts_attaching); /* without a number yet; pmc_claims_lock */
LIST_HEAD(pmc_contexts_announced); /* in the order of their numbers; pmc_claims_lock */

/* What is reserved from perf while the list is not empty; pmc_claims_lock */
static struct {
	const struct pmc_family *family;
	u64 mask;
	u32 contexts;
	u32 leaking; /* contexts with events that count in the counters of siblings */
} pmc_acquired;

/* The CPUs that an operation acquires, arms, limits or releases; pmc_claims_lock */
static struct cpumask pmc_visited;

/* The online CPUs that one context does not leave out; pmc_claims_lock */
static struct cpumask pmc_not_left_out;

/* The attribute throttle_percent; pmc_claims_lock, read without */
static u32 pmc_throttle_percent = PMC_THROTTLE_PERCENT_MAX;

/* Argument of pmc_try_local(): the context, and the result of all CPUs */
struct pmc_try {
	const struct pmc_context *context;
	bool failed;
};

static bool pmc_programs_overlap(const struct pmc_program *a, const struct pmc_program *b)
{
	return a->general & b->general || a->fixed & b->fixed || a->shared & b->shared;
}

/* Do both use the same counter of the same PMU type? */
static bool pmc_contexts_conflict(const struct pmc_context *a, const struct pmc_context *b)
{
	return a->program->pmu_types & b->program->pmu_types &&
	       pmc_programs_overlap(a->program, b->program);
}

/*
 * Can both count on one CPU at one time? Two contexts that follow threads can if they follow
 * a common thread: here only the requested process is compared, pmc_target_find_conflict()
 * looks up the others.
 */
static bool pmc_contexts_share_cpu(const struct pmc_context *a, const struct pmc_context *b)
{
	if (pmc_context_follows(a) && pmc_context_follows(b))
		return pmc_targets_share_process(a, b);
	return a->cpu == PMC_CPU_ANY || b->cpu == PMC_CPU_ANY || a->cpu == b->cpu;
}

static bool pmc_context_can_count(const struct pmc_context *context, int cpu)
{
	return context->cpu == PMC_CPU_ANY || context->cpu == cpu;
}

/* The same, but for isolated CPUs that its threads acquire themselves */
static bool pmc_context_includes_cpu(const struct pmc_context *context, int cpu)
{
	const struct cpumask *left_out = context->target.left_out;

	return pmc_context_can_count(context, cpu) &&
	       (!left_out || !cpumask_test_cpu(cpu, left_out));
}

static u32 pmc_counter_shared(const struct pmc_program *a, const struct pmc_program *b)
{
	if (a->general & b->general)
		return PMC_COUNTER_GENERAL(__ffs64(a->general & b->general));
	/* they share another register: report one of @b's counters */
	if (!(a->fixed & b->fixed))
		return PMC_COUNTER_GENERAL(__ffs64(b->general));
	return PMC_COUNTER_FIXED(__ffs64(a->fixed & b->fixed));
}

static void pmc_holder_context(const struct pmc_context *context, struct pmc_holder *holder)
{
	holder->kind = PMC_HOLDER_CONTEXT;
	holder->pid = pid_vnr(context->owner);
	holder->cpu = context->cpu;
	holder->scope = context->ops->scope;
	holder->tid = pid_vnr(context->target.pid);
	/* outside of the caller's pid namespace the process has no name either */
	if (holder->pid)
		memcpy(holder->comm, context->identity.comm, sizeof(holder->comm));
}

static bool pmc_claims_exclude(const struct pmc_context *context, const struct pmc_context *other)
{
	return pmc_contexts_conflict(context, other) && pmc_contexts_share_cpu(context, other);
}

/*
 * If @context follows threads, other contexts that follow threads are not walked: find_conflict
 * looks them up by thread. Those that are still attaching are in pmc_contexts_attaching.
 */
static const struct pmc_context *pmc_claims_find(const struct pmc_context *context)
{
	const struct pmc_context *other;

	list_for_each_entry(other, &pmc_contexts, node) {
		if (pmc_context_follows(context) && pmc_context_follows(other))
			break;
		if (pmc_claims_exclude(context, other))
			return other;
		cond_resched();
	}
	list_for_each_entry(other, &pmc_contexts_attaching, announced) {
		if (pmc_claims_exclude(context, other))
			return other;
		cond_resched();
	}
	return context->ops->find_conflict ?
	       context->ops->find_conflict(context, pmc_contexts_conflict) : NULL;
}

static int pmc_claim_conflict(const struct pmc_context *context, struct pmc_holder *holder)
{
	const struct pmc_context *conflict = pmc_claims_find(context);

	if (!conflict)
		return 0;
	pmc_holder_context(conflict, holder);
	holder->counter = pmc_counter_shared(context->program, conflict->program);
	return -EBUSY;
}

/*
 * A counter that ran when the hardware was acquired has an owner that did not reserve it.
 * Where perf cannot be excluded the owner is perf, which then uses all counters.
 */
static int pmc_claim_found_running(const struct pmc_context *context,
				   struct pmc_holder *holder)
{
	bool perf = pmc_perf_exclude_unavailable();
	u64 wanted = perf ? U64_MAX : context->program->general | context->program->fixed << 32;
	int cpu;

	for_each_online_cpu(cpu) {
		const struct pmc_pmu *pmu = &per_cpu(pmc_pmus, cpu);
		u64 running = READ_ONCE(pmu->acquired) ? pmu->found_running & wanted : 0;

		if (!(context->program->pmu_types & BIT(pmu->description.pmu_type)))
			continue;
		if (!running || !pmc_context_includes_cpu(context, cpu))
			continue;
		holder->kind = perf ? PMC_HOLDER_KERNEL : PMC_HOLDER_UNKNOWN;
		holder->cpu = cpu;
		holder->counter = running & U32_MAX ? PMC_COUNTER_GENERAL(__ffs64(running)) :
				  PMC_COUNTER_FIXED(__ffs64(running) - 32);
		return -EBUSY;
	}
	return 0;
}

/*
 * Does the context have events that count in the counters of sibling threads, and is such a
 * thread online? Until its CPU was looked at by CONFIGURE it may have come online.
 */
static bool pmc_claim_leaks(const struct pmc_context *context)
{
	int cpu;

	if (!context->program->leaks)
		return false;
	for_each_online_cpu(cpu) {
		if (pmc_context_includes_cpu(context, cpu) && pmc_cpu_has_siblings(cpu))
			return true;
	}
	return false;
}

/* perf has zeroed its dirty counters here, or will do so after its file was written. */
static void pmc_acquire_local(void *unused)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);

	pmc_cpu_counters_acquire(pmu);
	/* a thread that acquired it after the visit has marked it; the mark of a write stays */
	if (!READ_ONCE(pmu->perf_never))
		WRITE_ONCE(pmu->dirty, false);
}

static void pmc_arm_local(void *unused)
{
	pmc_pmi_arm(this_cpu_ptr(&pmc_pmus));
}

/* A thread that has arrived meanwhile keeps the CPU: pmc_isolated_join(). */
static void pmc_release_local(void *unused)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);

	if (!hlist_empty(&pmu->thread_runs))
		return;
	pmc_cpu_counters_release(pmu);
	WRITE_ONCE(pmu->dirty, false);
	WRITE_ONCE(pmu->perf_never, false);
}

/* Take the counters of @mask from perf, and keep its new events off them: 0, -EBUSY, -ENOMEM. */
static int pmc_exclude_perf(const struct pmc_family *family, u64 mask)
{
	int err;

	err = family->reserve(mask);
	if (err || !family->reserved_as)
		return err;
	err = pmc_perf_exclude_begin(family, mask);
	if (err)
		family->unreserve(mask);
	return err;
}

static void pmc_admit_perf(const struct pmc_family *family, u64 mask)
{
	pmc_perf_exclude_end();
	family->unreserve(mask);
}

static void pmc_visited_add(const struct pmc_context *context)
{
	const struct cpumask *left_out = context->target.left_out;

	if (context->cpu != PMC_CPU_ANY) {
		cpumask_set_cpu(context->cpu, &pmc_visited);
	} else if (!left_out) {
		cpumask_setall(&pmc_visited);
	} else {
		/* a thread that arrives clears its CPU: either value is right */
		data_race(cpumask_andnot(&pmc_not_left_out, cpu_online_mask, left_out));
		cpumask_or(&pmc_visited, &pmc_visited, &pmc_not_left_out);
	}
}

/* Set pmc_visited to the CPUs on which a context can count. */
static void pmc_visited_by_contexts(void)
{
	const struct pmc_context *context;

	cpumask_clear(&pmc_visited);
	list_for_each_entry(context, &pmc_contexts, node) {
		pmc_visited_add(context);
		if (cpumask_full(&pmc_visited))
			break;
		cond_resched();
	}
}

/* Arm LVTPC on each acquired CPU where it is not armed. */
static void pmc_arm(void)
{
	int cpu;

	cpumask_clear(&pmc_visited);
	for_each_online_cpu(cpu) {
		const struct pmc_pmu *pmu = &per_cpu(pmc_pmus, cpu);

		if (READ_ONCE(pmu->acquired) && !READ_ONCE(pmu->pmi.armed))
			cpumask_set_cpu(cpu, &pmc_visited);
	}
	on_each_cpu_mask(&pmc_visited, pmc_arm_local, NULL, 1);
}

/* Use the changed limits where a run may sample. Other CPUs are not interrupted. */
static void pmc_limit(void)
{
	int cpu;

	cpumask_clear(&pmc_visited);
	/* the limits before the CPUs are looked at; pairs with smp_mb() in pmc_isolated_join() */
	smp_mb();
	for_each_online_cpu(cpu) {
		if (READ_ONCE(per_cpu(pmc_pmus, cpu).acquired))
			cpumask_set_cpu(cpu, &pmc_visited);
	}
	pmc_pmi_limit(&pmc_visited);
}

/* Release the CPUs on which no context can count; without a context let perf count again. */
static void pmc_release(void)
{
	int cpu;

	pmc_visited_by_contexts();
	cpumask_andnot(&pmc_visited, cpu_online_mask, &pmc_visited);
	for_each_cpu(cpu, &pmc_visited) {
		if (!READ_ONCE(per_cpu(pmc_pmus, cpu).acquired))
			cpumask_clear_cpu(cpu, &pmc_visited);
	}
	on_each_cpu_mask(&pmc_visited, pmc_release_local, NULL, 1);
	if (pmc_acquired.contexts)
		return;
	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu(pmc_pmus, cpu).perf_never, false);
	pmc_rdpmc_tasks_exclude_perf(false);
	pmc_admit_perf(pmc_acquired.family, pmc_acquired.mask);
	pmc_acquired.family = NULL;
}

static int pmc_acquire(const struct pmc_family *family, struct pmc_holder *holder)
{
	u64 mask = 0;
	int cpu, err;

	for_each_online_cpu(cpu)
		mask |= per_cpu(pmc_pmus, cpu).description.query.general_counters;
	err = pmc_exclude_perf(family, mask);
	if (err == -EBUSY) {
		holder->kind = PMC_HOLDER_KERNEL;
		holder->cpu = -1;
	}
	if (err)
		return err;
	pmc_acquired.family = family;
	pmc_acquired.mask = mask;
	return 0;
}

/*
 * Acquire the CPUs in pmc_visited that are not acquired, but leave out those on which a context
 * would disturb the counters. Return: 0 or -ENODEV.
 */
static int pmc_acquire_visited(void)
{
	int cpu, err = 0;

	cpumask_and(&pmc_visited, &pmc_visited, cpu_online_mask);
	for_each_cpu(cpu, &pmc_visited) {
		const struct pmc_pmu *pmu = &per_cpu(pmc_pmus, cpu);

		if ((READ_ONCE(pmu->acquired) && !READ_ONCE(pmu->dirty)) ||
		    !pmu->description.family || pmc_claims_leak(cpu))
			cpumask_clear_cpu(cpu, &pmc_visited);
	}
	if (cpumask_empty(&pmc_visited))
		return 0;
	/* else perf would zero them later, while contexts count with them */
	pmc_rdpmc_forget_dirty_counters(&pmc_visited);
	on_each_cpu_mask(&pmc_visited, pmc_acquire_local, NULL, 1);
	for_each_cpu(cpu, &pmc_visited) {
		if (per_cpu(pmc_pmus, cpu).writes_ignored)
			err = -ENODEV;
	}
	/* also on an error: a release disarms, and CPUs that are readmitted are not released */
	if (pmc_claims_sampled())
		pmc_arm();
	return err;
}

static int pmc_acquire_for(const struct pmc_context *context)
{
	cpumask_clear(&pmc_visited);
	pmc_visited_add(context);
	return pmc_acquire_visited();
}

/* Does a CPU discard the values of the context's extra registers? On that CPU, as an IPI. */
static void pmc_try_local(void *data)
{
	const struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct pmc_try *try = data;
	const struct pmc_program *program = try->context->program;

	if (!pmu->acquired || !(program->pmu_types & BIT(pmu->description.pmu_type)))
		return;
	while (program->pmu_type != pmu->description.pmu_type)
		program = program->next;
	if (program->family->try && !program->family->try(pmu, program))
		WRITE_ONCE(try->failed, true);
}

/* An entry that needs an extra register needs one on CPUs of each PMU type. */
static int pmc_claim_try(const struct pmc_context *context)
{
	struct pmc_try try = { .context = context };

	if (!context->program->family->try)
		return 0;
	if (context->cpu == PMC_CPU_ANY)
		on_each_cpu(pmc_try_local, &try, 1);
	else
		pmc_call_on_cpu(context->cpu, pmc_try_local, &try);
	return try.failed ? -ENODEV : 0;
}

/*
 * Interrupts are off because pmc_claims_set_clock_back() walks the list without the lock on
 * this CPU; RCU is used because pmc_claims_notify_uncounted() does so on any CPU. Any user can
 * have many contexts that follow threads, so those walks with interrupts off that do not concern
 * them end at the first.
 */
static void pmc_contexts_add(struct pmc_context *context)
{
	unsigned long flags;

	local_irq_save(flags);
	if (context->ops->come_online)
		list_add_rcu(&context->node, &pmc_contexts);
	else
		list_add_tail_rcu(&context->node, &pmc_contexts);
	local_irq_restore(flags);
}

static void pmc_contexts_del(struct pmc_context *context)
{
	unsigned long flags;

	local_irq_save(flags);
	list_del_rcu(&context->node);
	local_irq_restore(flags);
}

/* Has @pmu all counters of @context? */
static bool pmc_context_counters_exist(const struct pmc_context *context, const struct pmc_pmu *pmu)
{
	const struct pmc_program *program = context->program;
	u32 i;

	if (!pmu->description.family)
		return false;
	for (i = 0; i < program->nr; i++) {
		struct pmc_counter unused = {};

		if (pmu->description.family->describe_counter(&pmu->description.query,
							      program->setup[i].rdpmc, &unused))
			return false;
	}
	return true;
}

/*
 * Does a CPU that came online after the check of the request lack a counter that a thread will read
 * in user mode? Those that come online from now on are checked by pmc_claims_lack_counter().
 */
static bool pmc_claim_lacks_counter(const struct pmc_context *context)
{
	int cpu;

	if (!context->user_page)
		return false;
	for_each_online_cpu(cpu) {
		if (!pmc_context_counters_exist(context, &per_cpu(pmc_pmus, cpu)))
			return true;
	}
	return false;
}

/**
 * pmc_claim - claim a context's counters
 * @context:	complete; added to the list
 * @holder:	on -EBUSY: the holder of one of the counters
 *
 * Return: 0, -EBUSY, -ENOMEM; -EINTR if the task is killed while it waits; -ENODEV if the counters
 * do not count, an extra register does not keep its value, or the system shuts down; -EDOM if an
 * event would count in the counters of another thread of the core; -EXDEV if a CPU lacks a counter
 * that user mode reads.
 */
int pmc_claim(struct pmc_context *context, struct pmc_holder *holder)
{
	int err;

	err = mutex_lock_killable(&pmc_claims_queue);
	if (err)
		return err;
	cpus_read_lock();
	mutex_lock(&pmc_claims_lock);
	/* pairs with the WRITE_ONCE() in reboot.c */
	if (READ_ONCE(pmc_pmus_disabled))
		err = -ENODEV;
	else if (pmc_claim_leaks(context))
		err = -EDOM;
	else if (pmc_claim_lacks_counter(context))
		err = -EXDEV;
	else if (!pmc_acquired.contexts)
		err = pmc_acquire(context->program->family, holder);
	if (err)
		goto unlock;
	err = pmc_claim_conflict(context, holder);
	if (!err)
		err = pmc_acquire_for(context);
	if (!err)
		err = pmc_claim_found_running(context, holder);
	if (!err)
		err = pmc_claim_try(context);
	if (err) {
		pmc_release();
		goto unlock;
	}
	pmc_contexts_add(context);
	list_add(&context->announced, &pmc_contexts_attaching);
	pmc_acquired.contexts++;
	pmc_acquired.leaking += !!context->program->leaks;
	pmc_rdpmc_tasks_exclude_perf(!pmc_perf_exclude_unavailable());
	pmc_isolated_add(context);
	if (context->sampling) {
		pmc_sample_config_limit(context->sampling, pmc_throttle_percent);
		pmc_arm();
	}
unlock:
	mutex_unlock(&pmc_claims_lock);
	cpus_read_unlock();
	mutex_unlock(&pmc_claims_queue);
	return err;
}

/**
 * pmc_claims_announce - number a context and notify listeners
 * @context:	claimed, and follows its threads
 */
void pmc_claims_announce(struct pmc_context *context)
{
	mutex_lock(&pmc_claims_lock);
	context->ops->announce(context);
	list_move_tail(&context->announced, &pmc_contexts_announced);
	mutex_unlock(&pmc_claims_lock);
}

/*
 * Acquire the CPUs that were left out because a context that is released now would have disturbed
 * their counters. Contexts that were started meanwhile report PMC_STATE_UNCOUNTED already: those
 * that count CPUs count there after their next START, threads after their next context switch.
 */
static void pmc_readmit(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		WRITE_ONCE(per_cpu(pmc_pmus, cpu).leaks, pmc_claims_leak(cpu));
	pmc_visited_by_contexts();
	pmc_acquire_visited();
}

/**
 * pmc_unclaim - release a context's counters
 * @context:	stopped; removed from the list
 */
void pmc_unclaim(struct pmc_context *context)
{
	mutex_lock(&pmc_claims_queue);
	cpus_read_lock();
	mutex_lock(&pmc_claims_lock);
	pmc_contexts_del(context);
	list_del(&context->announced);
	pmc_acquired.contexts--;
	pmc_acquired.leaking -= !!context->program->leaks;
	pmc_isolated_del(context);
	pmc_release();
	if (context->program->leaks)
		pmc_readmit();
	if (pmc_context_id(context))
		pmc_notify_context(&context->identity, PMC_NETLINK_RELEASED);
	mutex_unlock(&pmc_claims_lock);
	cpus_read_unlock();
	mutex_unlock(&pmc_claims_queue);
}

/**
 * pmc_claims_include_cpu - can a context count on a CPU? pmc_claims_lock is held.
 * @cpu:	the CPU, which may be coming online
 */
bool pmc_claims_include_cpu(int cpu)
{
	const struct pmc_context *context;

	list_for_each_entry(context, &pmc_contexts, node) {
		if (pmc_context_includes_cpu(context, cpu))
			return true;
	}
	return false;
}

/**
 * pmc_claims_sampled - does a context use sampling? pmc_claims_lock is held.
 */
bool pmc_claims_sampled(void)
{
	const struct pmc_context *context;

	list_for_each_entry(context, &pmc_contexts, node) {
		if (context->sampling)
			return true;
	}
	return false;
}

/**
 * pmc_claims_leak - does a context count in the counters of a CPU that comes online?
 * @cpu:	the CPU; its siblings count it as online
 *
 * pmc_claims_lock is held.
 *
 * Return: true if so. The CPU's counters must not be used then.
 */
bool pmc_claims_leak(int cpu)
{
	const struct pmc_context *context;
	int sibling;

	if (!pmc_acquired.leaking)
		return false;
	list_for_each_entry(context, &pmc_contexts, node) {
		if (!context->program->leaks)
			continue;
		for_each_cpu(sibling, topology_sibling_cpumask(cpu)) {
			if (sibling != cpu && pmc_context_includes_cpu(context, sibling))
				return true;
		}
	}
	return false;
}

/**
 * pmc_claims_lack_counter - would RDPMC of a thread that reads in user mode fault on a CPU?
 * @pmu:	the CPU's counters, described
 *
 * pmc_claims_lock is held.
 */
bool pmc_claims_lack_counter(const struct pmc_pmu *pmu)
{
	const struct pmc_context *context;

	list_for_each_entry(context, &pmc_contexts, node) {
		if (context->user_page && !pmc_context_counters_exist(context, pmu))
			return true;
	}
	return false;
}

/**
 * pmc_claims_count - number of contexts now; may be called without a lock
 */
u32 pmc_claims_count(void)
{
	return READ_ONCE(pmc_acquired.contexts);
}

/**
 * pmc_claims_throttle_percent - the limit of all contexts; may be called without a lock
 */
u32 pmc_claims_throttle_percent(void)
{
	return READ_ONCE(pmc_throttle_percent);
}

/**
 * pmc_claims_set_throttle_percent - set the limit, also of contexts that count now
 * @percent:	of each CPU's time, 1 to PMC_THROTTLE_PERCENT_MAX
 */
void pmc_claims_set_throttle_percent(u32 percent)
{
	struct pmc_context *context;
	bool sampled = false;

	mutex_lock(&pmc_claims_lock);
	WRITE_ONCE(pmc_throttle_percent, percent);
	list_for_each_entry(context, &pmc_contexts, node) {
		if (context->sampling) {
			pmc_sample_config_limit(context->sampling, percent);
			sampled = true;
		}
		cond_resched();
	}
	if (sampled)
		pmc_limit();
	mutex_unlock(&pmc_claims_lock);
}

/**
 * pmc_claims_cpu_online - this CPU came online: the started contexts count here
 *
 * Interrupts are off, pmc_claims_lock is held.
 */
void pmc_claims_cpu_online(void)
{
	struct pmc_context *context;

	list_for_each_entry(context, &pmc_contexts, node) {
		if (!context->ops->come_online)
			break;
		context->ops->come_online(context);
	}
}

/**
 * pmc_claims_cpu_offline - this CPU goes offline: contexts that count CPUs stop here
 *
 * Interrupts are off, pmc_claims_lock is held.
 */
void pmc_claims_cpu_offline(void)
{
	struct pmc_context *context;

	list_for_each_entry(context, &pmc_contexts, node) {
		if (!context->ops->go_offline)
			break;
		context->ops->go_offline(context);
	}
}

/**
 * pmc_claims_set_clock_back - the time-stamp counter lost ticks in a suspend
 * @ticks:	ticks of the time-stamp counter
 *
 * Interrupts are off on the only CPU that is online. A task that holds pmc_claims_lock may
 * have been interrupted, but the list is consistent: it is changed with interrupts off.
 */
void pmc_claims_set_clock_back(u64 ticks)
{
	struct pmc_context *context;

	list_for_each_entry(context, &pmc_contexts, node)
		context->ops->set_clock_back(context, ticks);
}

/**
 * pmc_claims_notify_uncounted - this CPU cannot continue a run
 * @run:	of a CPU scope's context, perhaps one that is being released
 *
 * Interrupts are off, so this is an RCU reader; contexts are freed by RCU.
 */
void pmc_claims_notify_uncounted(const struct pmc_run *run)
{
	struct pmc_context *context;

	list_for_each_entry_rcu(context, &pmc_contexts, node) {
		if (!context->ops->set_uncounted)
			break;
		context->ops->set_uncounted(context, run);
	}
}

/**
 * pmc_claim_holder - find the holder of a counter
 * @cpu:	a CPU that is online and has counters
 * @counter:	a counter that it has
 * @holder:	receives the holder; with several holders the first one found
 * @id:		receives the number of the context that holds the counter, or 0
 *
 * Task context, cpus_read_lock() is held.
 *
 * Return: 0; -EINTR if the task is killed while it waits.
 */
int pmc_claim_holder(int cpu, u32 counter, struct pmc_holder *holder, u64 *id)
{
	const struct pmc_description *description = &per_cpu(pmc_pmus, cpu).description;
	struct pmc_program wanted = { .family = description->family };
	const struct pmc_context *other;
	int err;

	*id = 0;
	/* the metrics belong to the holder of the slots counter */
	if (counter == PMC_COUNTER_METRICS)
		wanted.fixed = BIT_ULL(PMC_COUNTER_SLOTS & ~PMC_COUNTER_FIXED_FLAG);
	else if (counter & PMC_COUNTER_FIXED_FLAG)
		wanted.fixed = BIT_ULL(counter & ~PMC_COUNTER_FIXED_FLAG);
	else
		wanted.general = BIT_ULL(counter);

	err = mutex_lock_killable(&pmc_claims_lock);
	if (err)
		return err;
	holder->counter = counter;
	holder->cpu = -1;
	if (!pmc_acquired.family) {
		if (pmc_perf_has_counters())
			holder->kind = PMC_HOLDER_KERNEL;
		goto unlock;
	}
	list_for_each_entry(other, &pmc_contexts, node) {
		if (!pmc_context_can_count(other, cpu))
			continue;
		if (!(other->program->pmu_types & BIT(description->pmu_type)))
			continue;
		if (!pmc_programs_overlap(other->program, &wanted))
			continue;
		pmc_holder_context(other, holder);
		*id = pmc_context_id(other);
		goto unlock;
	}
	if (READ_ONCE(per_cpu(pmc_pmus, cpu).acquired) &&
	    per_cpu(pmc_pmus, cpu).found_running & (wanted.general | wanted.fixed << 32))
		holder->kind = PMC_HOLDER_UNKNOWN;
unlock:
	mutex_unlock(&pmc_claims_lock);
	return 0;
}
