// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims: who holds which counter, and the peace with perf
 *
 * Owns the list of contexts. With the first context the hardware is acquired:
 * perf's reservations of every general counter, both kinds, and what they can't do
 * (perf_exclude.c); every CPU's registers saved. With the last it is given back.
 *
 * Everything here runs in task context under pmc_claims_lock, with
 * cpus_read_lock() taken outside of it. The hotplug callbacks take only
 * pmc_claims_lock: the CPU lock is theirs already.
 */
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "api/claim.h"
#include "api/context.h"
#include "pmu/perf_exclude.h"
#include "pmu/rdpmc.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "sampling/pmi.h"
#include "target/cpu_counters.h"

DEFINE_MUTEX(pmc_claims_lock); /* the list of contexts, the acquisition of the hardware */
LIST_HEAD(pmc_contexts);

/* What is reserved while the list is not empty; pmc_claims_lock */
static struct {
	const struct pmc_family *family;
	u64 mask;
	u32 contexts;
} pmc_acquired;

static bool pmc_programs_overlap(const struct pmc_program *a, const struct pmc_program *b)
{
	return a->general & b->general || a->fixed & b->fixed || a->shared & b->shared;
}

/* Would both want a counter, if they met? */
static bool pmc_contexts_conflict(const struct pmc_context *a, const struct pmc_context *b)
{
	return a->program->pmu_types & b->program->pmu_types &&
	       pmc_programs_overlap(a->program, b->program);
}

/* Do they meet, by what they are alone? */
static bool pmc_contexts_share_cpu(const struct pmc_context *a, const struct pmc_context *b)
{
	if (pmc_context_follows(a) && pmc_context_follows(b))
		return pmc_targets_share_process(a, b);
	if (a->scope == PMC_SCOPE_CPU && b->scope == PMC_SCOPE_CPU)
		return a->cpu == b->cpu;
	return true;
}

static u32 pmc_counter_shared(const struct pmc_program *a, const struct pmc_program *b)
{
	if (a->general & b->general)
		return PMC_COUNTER_GENERAL(__ffs64(a->general & b->general));
	/* it is not a counter that they both want: name one of the other's */
	if (!(a->fixed & b->fixed))
		return PMC_COUNTER_GENERAL(__ffs64(b->general));
	return PMC_COUNTER_FIXED(__ffs64(a->fixed & b->fixed));
}

static void pmc_holder_context(const struct pmc_context *context, struct pmc_holder *holder)
{
	holder->kind = PMC_HOLDER_CONTEXT;
	holder->pid = pid_vnr(context->owner);
	holder->cpu = context->cpu;
	holder->scope = context->scope;
	if (pmc_context_follows(context))
		holder->tid = pid_vnr(context->target.pid);
	memcpy(holder->comm, context->identity.comm, sizeof(holder->comm));
}

static int pmc_claim_conflict(const struct pmc_context *context, struct pmc_holder *holder)
{
	const struct pmc_context *other, *conflict = NULL;

	list_for_each_entry(other, &pmc_contexts, node) {
		if (pmc_contexts_conflict(context, other) && pmc_contexts_share_cpu(context, other)) {
			conflict = other;
			break;
		}
		cond_resched();
	}
	if (!conflict && pmc_context_follows(context))
		conflict = pmc_target_find_conflict(context, pmc_contexts_conflict);
	if (!conflict)
		return 0;
	pmc_holder_context(conflict, holder);
	holder->counter = pmc_counter_shared(context->program, conflict->program);
	return -EBUSY;
}

/*
 * A counter that ran when we came is somebody's, though nobody reserved it. Where nothing
 * keeps perf out it is perf's, and perf has all of them.
 */
static int pmc_claim_found_running(const struct pmc_context *context,
				   struct pmc_holder *holder)
{
	bool perf = pmc_perf_exclude_unavailable();
	u64 wanted = perf ? U64_MAX : context->program->general | context->program->fixed << 32;
	int cpu;

	for_each_online_cpu(cpu) {
		const struct pmc_pmu *pmu = &per_cpu(pmc_pmus, cpu);
		u64 running = pmu->found_running & wanted;

		if (!(context->program->pmu_types & BIT(pmu->description.pmu_type)))
			continue;
		if (!running || (context->scope == PMC_SCOPE_CPU && context->cpu != cpu))
			continue;
		holder->kind = perf ? PMC_HOLDER_KERNEL : PMC_HOLDER_UNKNOWN;
		holder->cpu = cpu;
		holder->counter = running & U32_MAX ? PMC_COUNTER_GENERAL(__ffs64(running)) :
				  PMC_COUNTER_FIXED(__ffs64(running) - 32);
		return -EBUSY;
	}
	return 0;
}

static void pmc_acquire_local(void *unused)
{
	pmc_cpu_counters_acquire(this_cpu_ptr(&pmc_pmus));
}

static void pmc_arm_local(void *unused)
{
	pmc_pmi_arm(this_cpu_ptr(&pmc_pmus));
}

static void pmc_release_local(void *unused)
{
	pmc_cpu_counters_release(this_cpu_ptr(&pmc_pmus));
}

/* Have perf neither in nor get in, or only @asker's events not. 0, -EBUSY, -ENOMEM. */
static int pmc_exclude_perf(const struct pmc_family *family, u64 mask,
			     const struct task_struct *asker)
{
	int err;

	err = family->reserve(mask);
	if (err || !family->reserved_as)
		return err;
	err = pmc_perf_exclude_begin(family, mask, asker);
	if (err)
		family->unreserve(mask);
	return err;
}

static void pmc_admit_perf(const struct pmc_family *family, u64 mask)
{
	pmc_perf_exclude_end();
	family->unreserve(mask);
}

static void pmc_release(void)
{
	on_each_cpu(pmc_release_local, NULL, 1);
	pmc_admit_perf(pmc_acquired.family, pmc_acquired.mask);
	pmc_acquired.family = NULL;
}

static int pmc_acquire(const struct pmc_family *family, struct pmc_holder *holder)
{
	u64 mask = 0;
	int cpu, err;

	for_each_online_cpu(cpu)
		mask |= per_cpu(pmc_pmus, cpu).description.query.general_counters;
	err = pmc_exclude_perf(family, mask, NULL);
	if (err == -EBUSY) {
		holder->kind = PMC_HOLDER_KERNEL;
		holder->cpu = -1;
	}
	if (err)
		return err;
	pmc_acquired.family = family;
	pmc_acquired.mask = mask;
	/* it would zero them later, when they are ours */
	pmc_rdpmc_forget_dirty_counters();
	on_each_cpu(pmc_acquire_local, NULL, 1);
	for_each_online_cpu(cpu) {
		if (per_cpu(pmc_pmus, cpu).writes_ignored) {
			pmc_release();
			return -ENODEV;
		}
	}
	return 0;
}

/*
 * With interrupts off: pmc_claims_set_clock_back() does not ask who is at it. By RCU, for
 * neither does pmc_claims_notify_uncounted() where other CPUs are at work.
 */
static void pmc_contexts_add(struct pmc_context *context)
{
	unsigned long flags;

	local_irq_save(flags);
	list_add_rcu(&context->node, &pmc_contexts);
	local_irq_restore(flags);
}

static void pmc_contexts_del(struct pmc_context *context)
{
	unsigned long flags;

	local_irq_save(flags);
	list_del_rcu(&context->node);
	local_irq_restore(flags);
}

/**
 * pmc_claim - take a context's counters
 * @context:	complete; joins the list
 * @holder:	on -EBUSY: who holds one of them
 *
 * Return: 0, -EBUSY, -ENOMEM; -ENODEV when the counters do not count,
 * or the system goes down.
 */
int pmc_claim(struct pmc_context *context, struct pmc_holder *holder)
{
	int err = 0;

	cpus_read_lock();
	mutex_lock(&pmc_claims_lock);
	/* pairs with the WRITE_ONCE() in reboot.c */
	if (READ_ONCE(pmc_pmus_disabled))
		err = -ENODEV;
	else if (!pmc_acquired.contexts)
		err = pmc_acquire(context->program->family, holder);
	if (err)
		goto unlock;
	err = pmc_claim_conflict(context, holder);
	if (!err)
		err = pmc_claim_found_running(context, holder);
	if (err) {
		if (!pmc_acquired.contexts)
			pmc_release();
		goto unlock;
	}
	pmc_contexts_add(context);
	pmc_acquired.contexts++;
	if (context->sampling)
		on_each_cpu(pmc_arm_local, NULL, 1);
unlock:
	mutex_unlock(&pmc_claims_lock);
	cpus_read_unlock();
	return err;
}

/**
 * pmc_unclaim - give a context's counters back
 * @context:	stopped; leaves the list
 */
void pmc_unclaim(struct pmc_context *context)
{
	cpus_read_lock();
	mutex_lock(&pmc_claims_lock);
	pmc_contexts_del(context);
	if (!--pmc_acquired.contexts)
		pmc_release();
	if (pmc_context_id(context))
		pmc_notify_context(&context->identity, PMC_NETLINK_RELEASED);
	mutex_unlock(&pmc_claims_lock);
	cpus_read_unlock();
}

/**
 * pmc_claims_acquired - is the hardware ours? The claims' lock is held.
 */
bool pmc_claims_acquired(void)
{
	return pmc_acquired.family;
}

/**
 * pmc_claims_sampled - has a context a period? The claims' lock is held.
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
 * pmc_claims_count - number of contexts now
 */
u32 pmc_claims_count(void)
{
	return READ_ONCE(pmc_acquired.contexts);
}

/**
 * pmc_claims_set_clock_back - the time-stamp counter lost this many ticks in a suspend
 * @ticks:	how many
 *
 * On the only CPU that is online, with interrupts off: so the list is whole, whoever
 * holds the claims' lock.
 */
void pmc_claims_set_clock_back(u64 ticks)
{
	struct pmc_context *context;

	list_for_each_entry(context, &pmc_contexts, node)
		pmc_context_set_clock_back(context, ticks);
}

/**
 * pmc_claims_notify_uncounted - this CPU can't go on with what it counted
 * @run:	of a context that counts CPUs, perhaps one that is just being released
 *
 * With interrupts off, which makes an RCU reader: contexts are freed by RCU.
 */
void pmc_claims_notify_uncounted(const struct pmc_run *run)
{
	struct pmc_context *context;

	list_for_each_entry_rcu(context, &pmc_contexts, node) {
		if (!pmc_context_follows(context) && context->runs[smp_processor_id()] == run)
			WRITE_ONCE(context->uncounted, PMC_STATE_UNCOUNTED);
	}
}

/* Would perf's reservation be there for the taking? */
static bool pmc_kernel_reserved(const struct pmc_family *family, u64 mask)
{
	int err = pmc_exclude_perf(family, mask, current);

	if (!err)
		pmc_admit_perf(family, mask);
	return err == -EBUSY;
}

/**
 * pmc_claim_holder - who holds @counter on @cpu now?
 * @cpu:	a CPU that is online and has counters
 * @counter:	a counter that it has
 * @holder:	the answer; with several, the first found
 *
 * cpus_read_lock() is held.
 *
 * Return: the number of the context that holds it, or 0.
 */
u64 pmc_claim_holder(int cpu, u32 counter, struct pmc_holder *holder)
{
	const struct pmc_description *description = &per_cpu(pmc_pmus, cpu).description;
	struct pmc_program wanted = { .family = description->family };
	const struct pmc_context *other;
	u64 id = 0;

	/* who has the slots can have these, too, and nobody else */
	if (counter == PMC_COUNTER_METRICS)
		wanted.fixed = BIT_ULL(PMC_COUNTER_SLOTS & ~PMC_COUNTER_FIXED_FLAG);
	else if (counter & PMC_COUNTER_FIXED_FLAG)
		wanted.fixed = BIT_ULL(counter & ~PMC_COUNTER_FIXED_FLAG);
	else
		wanted.general = BIT_ULL(counter);

	mutex_lock(&pmc_claims_lock);
	holder->counter = counter;
	holder->cpu = -1;
	if (!pmc_claims_acquired()) {
		if (pmc_kernel_reserved(description->family, description->query.general_counters))
			holder->kind = PMC_HOLDER_KERNEL;
		goto unlock;
	}
	list_for_each_entry(other, &pmc_contexts, node) {
		if (other->scope == PMC_SCOPE_CPU && other->cpu != cpu)
			continue;
		if (!(other->program->pmu_types & BIT(description->pmu_type)))
			continue;
		if (!pmc_programs_overlap(other->program, &wanted))
			continue;
		pmc_holder_context(other, holder);
		id = pmc_context_id(other);
		goto unlock;
	}
	if (per_cpu(pmc_pmus, cpu).found_running & (wanted.general | wanted.fixed << 32))
		holder->kind = PMC_HOLDER_UNKNOWN;
unlock:
	mutex_unlock(&pmc_claims_lock);
	return id;
}
