// SPDX-License-Identifier: GPL-2.0-only
/*
 * Isolated CPUs: left alone until a followed thread runs there
 *
 * A context that follows threads acquires the CPUs on which they can run. It leaves out isolated
 * CPUs that no thread's affinity includes. A thread can change its affinity later, so the first
 * one to arrive on such a CPU acquires its counters, in the context switch, or at START if it is
 * there already. It is counted from its first instruction there. perf may still zero counters that
 * it left dirty on that CPU: see &pmc_pmu.dirty.
 *
 * Owns &pmc_target.left_out and the two numbers of contexts below.
 *
 * Locks: pmc_claims_lock guards the numbers; pmc_isolated_join() reads them without, on the CPU
 * concerned with interrupts off. Nothing there allocates, prints or sleeps.
 */
#include <linux/cpumask.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "compat/isolation.h"
#include "pmu/leftovers.h"
#include "pmu/perf_rdpmc.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "sampling/pmi.h"
#include "target/context_types.h"
#include "target/isolated.h"

static u32 pmc_isolated_sampling; /* contexts that sample; pmc_claims_lock */
static u32 pmc_isolated_leaving; /* contexts that leave out CPUs; pmc_claims_lock */

/*
 * Must the context have acquired each CPU before a thread arrives? RDPMC in user mode must be right
 * on every CPU; extra registers must have been tried there; events that leak must have been
 * refused; performance metrics cannot be discarded. Once a task may execute RDPMC,
 * pmc_leftovers_defer() refuses more CPUs. Without the kprobe on perf's file it is not known when
 * perf zeroes counters.
 */
static bool pmc_isolated_needed(const struct pmc_context *context)
{
	const struct pmc_program *program = context->program;

	return context->user_page || program->family->try || program->leaks || program->metrics ||
	       pmc_leftovers_watched() || !pmc_perf_rdpmc_watched();
}

/* Remove the CPUs on which the requested threads may run. */
static void pmc_isolated_keep_affinity(struct cpumask *left_out, const struct pmc_target *target)
{
	const struct task_struct *task;

	cpumask_andnot(left_out, left_out, &target->leader->cpus_mask);
	if (target->scope == PMC_SCOPE_THREAD)
		return;
	rcu_read_lock();
	for_each_thread(target->leader, task)
		cpumask_andnot(left_out, left_out, &task->cpus_mask);
	rcu_read_unlock();
}

/**
 * pmc_isolated_leave_out - choose the CPUs that a context leaves alone
 * @context:	its program is built, &pmc_target.leader is set
 *
 * Return: 0, -ENOMEM.
 */
int pmc_isolated_leave_out(struct pmc_context *context)
{
	struct pmc_target *target = &context->target;
	int cpu;

	if (pmc_isolated_needed(context))
		return 0;
	for_each_possible_cpu(cpu) {
		if (!pmc_cpu_is_isolated(cpu))
			continue;
		if (!target->left_out)
			target->left_out = kzalloc(cpumask_size(), GFP_KERNEL_ACCOUNT);
		if (!target->left_out)
			return -ENOMEM;
		cpumask_set_cpu(cpu, target->left_out);
	}
	if (!target->left_out)
		return 0;
	pmc_isolated_keep_affinity(target->left_out, target);
	if (cpumask_empty(target->left_out)) {
		kfree(target->left_out);
		target->left_out = NULL;
	}
	return 0;
}

/* May the CPU be acquired for the context? The flags of @pmu may be from an earlier attempt. */
static bool pmc_isolated_may_join(const struct pmc_pmu *pmu, const struct pmc_context *context)
{
	const struct pmc_program *program = context->program;

	return context->target.left_out && pmu->description.family &&
	       program->pmu_types & BIT(pmu->description.pmu_type) &&
	       READ_ONCE(program->number) != PMC_PROGRAM_ENDED && !pmu->writes_ignored &&
	       !READ_ONCE(pmu->leaks);
}

/**
 * pmc_isolated_join - acquire this CPU's counters for a thread that has arrived
 * @pmu:	this CPU's counters, not acquired
 * @context:	follows the thread
 *
 * On this CPU with interrupts off, in the sched_switch probe too.
 *
 * Return: whether the counters are acquired now. They need not fit the thread's program.
 */
bool pmc_isolated_join(struct pmc_pmu *pmu, struct pmc_context *context)
{
	if (!pmc_isolated_may_join(pmu, context) || !pmc_leftovers_defer(pmu))
		return false;
	if (!pmu->join(pmu)) {
		pmc_leftovers_undefer(pmu);
		return false;
	}
	/* pmc_release() may have chosen this CPU: its IPI then finds the thread counting */
	cpumask_clear_cpu(smp_processor_id(), context->target.left_out);
	/*
	 * acquired before the number and, later, the limit of a run are read; pairs with smp_mb()
	 * in pmc_isolated_add() and in pmc_limit()
	 */
	smp_mb();
	if (READ_ONCE(pmc_isolated_sampling))
		pmc_pmi_arm(pmu);
	return true;
}

/**
 * pmc_isolated_add - a context claims its counters
 * @context:	from now on a CPU that joins is armed for it
 *
 * The caller arms the CPUs that are acquired already.
 */
void pmc_isolated_add(const struct pmc_context *context)
{
	pmc_isolated_leaving += !!context->target.left_out;
	WRITE_ONCE(pmc_isolated_sampling, pmc_isolated_sampling + !!context->sampling);
	/* the number before the CPUs are looked at; pairs with smp_mb() in pmc_isolated_join() */
	smp_mb();
}

/**
 * pmc_isolated_del - undo pmc_isolated_add()
 * @context:	released
 *
 * Afterwards no CPU is about to be armed for this context: the NMI handler may be unregistered.
 */
void pmc_isolated_del(const struct pmc_context *context)
{
	pmc_isolated_leaving -= !!context->target.left_out;
	WRITE_ONCE(pmc_isolated_sampling, pmc_isolated_sampling - !!context->sampling);
	/* pmc_isolated_join() runs with interrupts off, so it is an RCU reader */
	if (context->sampling && !pmc_isolated_sampling && pmc_isolated_leaving)
		synchronize_rcu();
}
