// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU scopes: contexts that count one CPU or all CPUs
 *
 * Such a context has one run for each CPU that it counts, and counts whatever executes
 * there. PMC_SCOPE_CPU has one CPU in &pmc_context.cpu, PMC_SCOPE_ALL_CPUS has
 * PMC_CPU_ANY there. Owns these runs, and for each CPU a snapshot to which only that CPU adds:
 * CPUs do not wait for each other with interrupts off.
 *
 * Locking (outermost first):
 *   the file's lock      started, enabled, since
 *   cpus_read_lock()     no CPU comes online or goes offline during an operation
 * A run is accessed on its own CPU with interrupts off, or from any CPU under
 * cpus_read_lock() while its CPU is offline. The hotplug callbacks run on the CPU
 * concerned and hold cpus_write_lock(), so they exclude all operations.
 */
#include <linux/cpu.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <asm/tsc.h>

#include "base/notify.h"
#include "pmu/core_type.h"
#include "pmu/perf_rdpmc.h"
#include "pmu/pmu.h"
#include "pmu/leftovers.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "target/context.h"
#include "target/cpu_counters.h"
#include "target/cpus.h"
#include "target/run.h"
#include "target/snapshot.h"

/**
 * pmc_cpus_check_one - &pmc_scope_ops.check of PMC_SCOPE_CPU
 * @config:	request; its cpu becomes safe as an index under speculation
 *
 * Return: 0, -EINVAL.
 */
int pmc_cpus_check_one(struct pmc_config *config)
{
	if (config->tid)
		return -EINVAL;
	if (config->cpu < 0 || config->cpu >= nr_cpu_ids || !cpu_possible(config->cpu))
		return -EINVAL;
	config->cpu = array_index_nospec(config->cpu, nr_cpu_ids);
	return 0;
}

/**
 * pmc_cpus_check_all - &pmc_scope_ops.check of PMC_SCOPE_ALL_CPUS
 * @config:	request
 *
 * Return: 0, -EINVAL.
 */
int pmc_cpus_check_all(struct pmc_config *config)
{
	return config->tid || config->cpu != PMC_CPU_ANY ? -EINVAL : 0;
}

static bool pmc_cpus_include(const struct pmc_context *context, int cpu)
{
	return context->cpu == PMC_CPU_ANY || context->cpu == cpu;
}

/* Is the only CPU of the context offline? cpus_read_lock() is held. */
static bool pmc_cpus_are_offline(const struct pmc_context *context)
{
	return context->cpu != PMC_CPU_ANY && !cpu_online(context->cpu);
}

/* As long as @nr counters need. */
static struct pmc_snapshot *pmc_cpus_snapshot_alloc(u32 nr, int node)
{
	return kmalloc_node(offsetof(struct pmc_snapshot, value[nr]), GFP_KERNEL_ACCOUNT, node);
}

static int pmc_cpus_prepare_one(struct pmc_context *context, int cpu)
{
	int node = cpu_to_node(cpu);

	context->runs[cpu] = pmc_run_alloc(context->program, node);
	if (!context->runs[cpu])
		return -ENOMEM;
	context->runs[cpu]->state = &context->uncounted;
	context->snapshots[cpu] = pmc_cpus_snapshot_alloc(context->program->nr, node);
	return context->snapshots[cpu] ? 0 : -ENOMEM;
}

/**
 * pmc_cpus_prepare - allocate a run for each CPU, the offline ones included
 * @context:	its programs are built
 * @tid:	0
 *
 * Return: 0, -ENOMEM; in both cases pmc_cpus_free() frees the runs.
 */
int pmc_cpus_prepare(struct pmc_context *context, pid_t tid)
{
	int cpu;

	context->runs = kcalloc(nr_cpu_ids, sizeof(*context->runs), GFP_KERNEL_ACCOUNT);
	context->snapshots = kcalloc(nr_cpu_ids, sizeof(*context->snapshots), GFP_KERNEL_ACCOUNT);
	if (!context->runs || !context->snapshots)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		if (pmc_cpus_include(context, cpu) && pmc_cpus_prepare_one(context, cpu))
			return -ENOMEM;
	}
	return 0;
}

/**
 * pmc_cpus_free - free the runs
 * @context:	no RCU reader sees it any more; runs may be missing
 */
void pmc_cpus_free(struct pmc_context *context)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (context->runs)
			pmc_run_free(context->runs[cpu]);
		if (context->snapshots)
			kfree(context->snapshots[cpu]);
	}
	kfree(context->runs);
	kfree(context->snapshots);
}

static void pmc_cpus_start_local(void *data)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct pmc_context *context = data;
	struct pmc_run *run = context->runs[smp_processor_id()];

	if (pmc_run_active(run))
		return;
	if (pmc_pmu_fits(pmu, context->program))
		pmc_run_start(pmu, run, &pmu->cpu_runs);
	else if (pmc_core_type_matches(context->core_type, &pmu->description.query))
		pmc_state_set(&context->uncounted, PMC_STATE_UNCOUNTED);
}

static void pmc_cpus_stop_local(void *data)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct pmc_context *context = data;
	struct pmc_run *run = context->runs[smp_processor_id()];

	pmc_cpu_counters_check(pmu);
	if (!pmc_run_active(run))
		return;
	pmc_run_stop(pmu, run);
	pmc_leftovers_clear_watched(pmu);
}

/* Call @function on each online CPU of the context. cpus_read_lock() is held. */
static void pmc_cpus_call(struct pmc_context *context, void (*function)(void *))
{
	if (context->cpu == PMC_CPU_ANY)
		on_each_cpu(function, context, 1);
	else if (cpu_online(context->cpu))
		pmc_call_on_cpu(context->cpu, function, context);
}

static void pmc_cpus_set_idle(struct pmc_context *context, bool idle)
{
	if (context->sampling)
		pmc_rings_set_idle(context->sampling->rings, idle, false);
}

/**
 * pmc_cpus_start - start the counters on each CPU of the context
 * @context:	configured
 *
 * Return: 0, also if they are started; -ENODEV if the only CPU is offline.
 */
int pmc_cpus_start(struct pmc_context *context)
{
	int err = 0;

	pmc_perf_rdpmc_settle();
	cpus_read_lock();
	if (pmc_cpus_are_offline(context)) {
		err = -ENODEV;
	} else if (!context->started) {
		context->since = rdtsc();
		pmc_cpus_set_idle(context, false);
		pmc_cpus_call(context, pmc_cpus_start_local);
		context->started = true;
		pmc_notify_context(&context->identity, PMC_NETLINK_STARTED);
	}
	cpus_read_unlock();
	return err;
}

/**
 * pmc_cpus_stop - stop the counters on each CPU of the context
 * @context:	configured
 */
void pmc_cpus_stop(struct pmc_context *context)
{
	cpus_read_lock();
	if (context->started) {
		pmc_cpus_call(context, pmc_cpus_stop_local);
		pmc_cpus_set_idle(context, true);
		context->started = false;
		context->enabled += rdtsc() - context->since;
		pmc_notify_context(&context->identity, PMC_NETLINK_STOPPED);
	}
	cpus_read_unlock();
}

/**
 * pmc_cpus_state - PMC_STATE_* of a context
 * @context:	in the list of contexts; cpus_read_lock() is held
 */
u32 pmc_cpus_state(struct pmc_context *context)
{
	u32 state = READ_ONCE(context->uncounted);

	if (READ_ONCE(context->started))
		state |= PMC_STATE_RUNNING;
	if (pmc_cpus_are_offline(context))
		state |= PMC_STATE_OFFLINE;
	return state;
}

/* struct pmc_collection - what the CPUs of @context are asked for: @wanted's clear flags */
struct pmc_collection {
	struct pmc_context *context;
	const struct pmc_snapshot *wanted;
};

static void pmc_cpus_collect_local(void *data)
{
	const struct pmc_collection *collection = data;
	struct pmc_context *context = collection->context;
	int cpu = smp_processor_id();
	struct pmc_snapshot *snapshot = context->snapshots[cpu];

	pmc_cpu_counters_check(this_cpu_ptr(&pmc_pmus));
	pmc_snapshot_begin(snapshot, cpu, context->program->nr);
	snapshot->clear_values = collection->wanted->clear_values;
	snapshot->clear_times = collection->wanted->clear_times;
	pmc_snapshot_add_run(snapshot, context->runs[cpu]);
}

/* Add what an online CPU has collected. */
static void pmc_cpus_add(const struct pmc_context *context, int cpu,
			 struct pmc_snapshot *snapshot)
{
	const struct pmc_snapshot *added = context->snapshots[cpu];
	u32 i;

	snapshot->counted += added->counted;
	for (i = 0; i < context->program->nr; i++)
		snapshot->value[i] += added->value[i];
}

/* cpus_read_lock() keeps other code from the runs of offline CPUs. */
static void pmc_cpus_collect_all(struct pmc_context *context, struct pmc_snapshot *snapshot)
{
	struct pmc_collection collection = { context, snapshot };
	int cpu;

	on_each_cpu(pmc_cpus_collect_local, &collection, 1);
	for_each_possible_cpu(cpu) {
		if (cpu_online(cpu))
			pmc_cpus_add(context, cpu, snapshot);
		else
			pmc_snapshot_add_run(snapshot, context->runs[cpu]);
	}
}

static void pmc_cpus_collect_one(struct pmc_context *context, int cpu,
				 struct pmc_snapshot *snapshot)
{
	struct pmc_collection collection = { context, snapshot };

	if (cpu_online(cpu)) {
		pmc_call_on_cpu(cpu, pmc_cpus_collect_local, &collection);
		pmc_cpus_add(context, cpu, snapshot);
	} else {
		snapshot->state |= PMC_STATE_OFFLINE;
		pmc_snapshot_add_run(snapshot, context->runs[cpu]);
	}
	snapshot->cpu = cpu;
}

/**
 * pmc_cpus_snapshot - add the counts of all CPUs, or of the only one requested
 * @context:	configured
 * @snapshot:	its cpu selects one CPU of PMC_SCOPE_ALL_CPUS, or is -1
 */
void pmc_cpus_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot)
{
	int cpu = context->cpu == PMC_CPU_ANY ? snapshot->cpu : context->cpu;

	cpus_read_lock();
	if (cpu >= 0)
		pmc_cpus_collect_one(context, cpu, snapshot);
	else
		pmc_cpus_collect_all(context, snapshot);
	snapshot->state |= READ_ONCE(context->uncounted);
	snapshot->tsc = rdtsc();
	if (context->started) {
		snapshot->state |= PMC_STATE_RUNNING;
		context->enabled += snapshot->tsc - context->since;
		context->since = snapshot->tsc;
	}
	snapshot->enabled = context->enabled;
	if (snapshot->clear_times)
		context->enabled = 0;
	cpus_read_unlock();
}

/**
 * pmc_cpus_online - continue on this CPU, which came online, if started
 * @context:	in the list of contexts; interrupts are off, pmc_claims_lock is held
 */
void pmc_cpus_online(struct pmc_context *context)
{
	if (context->started && pmc_cpus_include(context, smp_processor_id()))
		pmc_cpus_start_local(context);
}

/**
 * pmc_cpus_offline - stop on this CPU, which goes offline; its counts stay
 * @context:	in the list of contexts; interrupts are off, pmc_claims_lock is held
 */
void pmc_cpus_offline(struct pmc_context *context)
{
	if (pmc_cpus_include(context, smp_processor_id()))
		pmc_cpus_stop_local(context);
}

/**
 * pmc_cpus_set_uncounted - this CPU cannot continue a run: report that counts are missing
 * @context:	seen in the list of contexts by an RCU reader; interrupts are off
 * @run:	the run, perhaps another context's
 */
void pmc_cpus_set_uncounted(struct pmc_context *context, const struct pmc_run *run)
{
	if (context->runs[smp_processor_id()] == run)
		pmc_state_set(&context->uncounted, PMC_STATE_UNCOUNTED);
}

/**
 * pmc_cpus_set_clock_back - the time-stamp counter lost @ticks in a suspend
 * @context:	in the list of contexts
 * @ticks:	ticks of the time-stamp counter
 *
 * The file's lock is not held. This is the only CPU online and interrupts are off. User
 * processes are frozen, so a task that holds the lock can only be a kernel thread that
 * releases the context.
 */
void pmc_cpus_set_clock_back(struct pmc_context *context, u64 ticks)
{
	context->since -= ticks;
}
