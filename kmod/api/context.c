// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts: configure, start, stop, snapshot, release
 *
 * Owns struct pmc_context. The ioctls of one file are serialised by the file's
 * lock (device.c); CPUs neither come nor go meanwhile (cpus_read_lock(), taken
 * here). What happens on a CPU happens there with interrupts off. Task context,
 * but for the hotplug callbacks, which run in the CPU's own hotplug thread.
 *
 * Order of locks: the file's lock; inside it, one after the other and never
 * together, the probes' lock (tracepoints.c) and cpus_read_lock(); inside that
 * pmc_claims_lock. Innermost those of thread.c. The probes' lock stays outside
 * of cpus_read_lock() because registering a probe takes that itself.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <asm/tsc.h>

#include "api/claim.h"
#include "api/context.h"
#include "pmu/perf_metrics.h"
#include "pmu/rdpmc.h"
#include "pmu/pmu.h"
#include "target/tracepoints.h"
#include "sampling/ring.h"

static const struct pmc_description *pmc_cpu_description(int cpu)
{
	return &per_cpu(pmc_pmus, cpu).description;
}

/* Is the CPU of the pmu_type that is asked for, if one is? */
static bool pmc_query_matches_core_type(const struct pmc_query *query, u32 core_type)
{
	u32 pmu_type = query->core_type;

	if (!(core_type & PMC_CORE_TYPE_MODEL))
		pmu_type &= ~PMC_CORE_TYPE_MODEL;
	return !core_type || core_type == pmu_type;
}

/* Is the context to count on this CPU? It is online. */
static bool pmc_config_matches(const struct pmc_config *config, int cpu)
{
	if (config->scope == PMC_SCOPE_CPU && config->cpu != cpu)
		return false;
	return pmc_query_matches_core_type(&pmc_cpu_description(cpu)->query, config->core_type);
}

/**
 * pmc_context_matches - is it to count on a CPU, if it runs there?
 * @context:	configured
 * @query:	the CPU's; it may have come online since
 */
bool pmc_context_matches(const struct pmc_context *context, const struct pmc_query *query)
{
	return pmc_query_matches_core_type(query, context->core_type);
}

/* A CPU that the context may count on, as an example of all of them; or none. */
static int pmc_config_cpu(const struct pmc_config *config)
{
	int cpu;

	for_each_online_cpu(cpu) {
		if (pmc_config_matches(config, cpu))
			return cpu;
	}
	return -1;
}

/* One entry on one CPU: may it be programmed there? */
static int pmc_check_entry(const struct pmc_counter_config *entry, int cpu, u64 *refused)
{
	const struct pmc_description *description = pmc_cpu_description(cpu);

	if (!description->family)
		return -ENODEV;
	return description->family->check(&description->query, entry, refused);
}

/* An entry must be right on every CPU that may run it. */
static int pmc_check_entry_everywhere(struct pmc_config *config,
				      const struct pmc_counter_config *entry, u64 *refused)
{
	int cpu, err = -ENODEV;

	if (!entry->flags || entry->flags & ~(PMC_COUNT_USER | PMC_COUNT_KERNEL) ||
	    entry->reserved)
		return -EINVAL;
	for_each_online_cpu(cpu) {
		if (!pmc_config_matches(config, cpu))
			continue;
		err = pmc_check_entry(entry, cpu, refused);
		if (err) {
			config->failed_cpu = cpu;
			break;
		}
	}
	return err;
}

static int pmc_check_access(const struct pmc_config *config,
			    const struct pmc_counter_config *entry)
{
	const struct pmc_family *family;
	bool kernel = entry->flags & PMC_COUNT_KERNEL;

	family = pmc_cpu_description(pmc_config_cpu(config))->family;
	if ((kernel || family->sibling(entry)) && !perfmon_capable())
		return -EACCES;
	return kernel ? security_locked_down(LOCKDOWN_PERF) : 0;
}

static int pmc_check_counters(struct pmc_config *config,
			      const struct pmc_counter_config *counters)
{
	u32 i, j;
	int err;

	for (i = 0; i < config->nr_counters; i++) {
		config->failed_entry = i;
		for (j = 0; j < i; j++) {
			if (counters[j].counter == counters[i].counter)
				return -EINVAL;
		}
		err = pmc_check_entry_everywhere(config, &counters[i], &config->refused_bits);
		if (err)
			return err;
	}
	for (i = 0; i < config->nr_counters; i++) {
		config->failed_entry = i;
		err = pmc_check_access(config, &counters[i]);
		if (err)
			return err;
	}
	config->failed_entry = PMC_ENTRY_NONE;
	return pmc_perf_metrics_check(config, counters);
}

static int pmc_check_scope(struct pmc_config *config)
{
	bool follows = config->scope >= PMC_SCOPE_THREAD;

	if (config->scope < PMC_SCOPE_CPU || config->scope > PMC_SCOPE_TREE)
		return -EINVAL;
	/* a model without a type is none */
	if (config->core_type && !(config->core_type & ~PMC_CORE_TYPE_MODEL))
		return -EINVAL;
	if (config->flags & ~(PMC_CONFIG_ON_EXEC | PMC_CONFIG_USER_READ))
		return -EINVAL;
	if (!follows && (config->flags || config->tid))
		return -EINVAL;
	if (config->flags & PMC_CONFIG_USER_READ &&
	    (config->scope != PMC_SCOPE_THREAD || config->flags & PMC_CONFIG_ON_EXEC))
		return -EINVAL;
	if (config->tid < 0)
		return -EINVAL;
	if (config->scope != PMC_SCOPE_CPU)
		return config->cpu == PMC_CPU_ANY ? 0 : -EINVAL;
	if (config->cpu < 0 || config->cpu >= nr_cpu_ids || !cpu_possible(config->cpu))
		return -EINVAL;
	config->cpu = array_index_nospec(config->cpu, nr_cpu_ids);
	return 0;
}

static int pmc_check(struct pmc_config *config, const struct pmc_counter_config *counters,
		     bool *samples)
{
	int err;

	err = pmc_check_scope(config);
	if (err)
		return err;
	err = pmc_check_counters(config, counters);
	if (err)
		return err;
	err = pmc_sample_config_check(config, counters);
	if (err < 0)
		return err;
	*samples = err;
	return config->scope >= PMC_SCOPE_THREAD || perfmon_capable() ? 0 : -EACCES;
}

static atomic64_t pmc_programs = ATOMIC64_INIT(0); /* built so far */

/* The programs of a ring */
static void pmc_programs_free(struct pmc_program *program)
{
	struct pmc_program *first = program, *next;

	if (!program)
		return;
	do {
		next = program->next;
		kfree(program);
		program = next;
	} while (program != first);
}

/* For one pmu_type of CPU, a ring of its own. */
static struct pmc_program *pmc_program_build(struct pmc_config *config,
					     const struct pmc_counter_config *counters,
					     const struct pmc_description *description)
{
	struct pmc_program *program;
	int err;
	u32 i;

	program = kzalloc(struct_size(program, setup, config->nr_counters), GFP_KERNEL_ACCOUNT);
	if (!program)
		return ERR_PTR(-ENOMEM);
	program->family = description->family;
	program->pmu_type = description->pmu_type;
	program->next = program;
	for (i = 0; i < config->nr_counters; i++) {
		err = program->family->compile(&description->query, &counters[i], program);
		if (err) {
			config->failed_entry = i;
			kfree(program);
			return ERR_PTR(err);
		}
		program->setup[i].number = i;
	}
	program->plain = !program->family->read_one && !program->metrics;
	return program;
}

/* A program for each pmu_type of CPU that the context may count on, in a ring. */
static struct pmc_program *pmc_programs_build(struct pmc_config *config,
					      const struct pmc_counter_config *counters)
{
	u64 number = atomic64_inc_return(&pmc_programs);
	struct pmc_program *first = NULL, *program;
	u32 pmu_types = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		const struct pmc_description *description = pmc_cpu_description(cpu);

		if (!pmc_config_matches(config, cpu) || pmu_types & BIT(description->pmu_type))
			continue;
		program = pmc_program_build(config, counters, description);
		if (IS_ERR(program)) {
			config->failed_cpu = config->failed_entry == PMC_ENTRY_NONE ? -1 : cpu;
			pmc_programs_free(first);
			return program;
		}
		program->number = number;
		pmu_types |= BIT(description->pmu_type);
		if (!first) {
			first = program;
		} else {
			program->next = first->next;
			first->next = program;
		}
	}
	program = first;
	do {
		program->pmu_types = pmu_types;
		program = program->next;
	} while (program != first);
	return first;
}

static bool pmc_context_includes_cpu(const struct pmc_context *context, int cpu)
{
	return context->scope == PMC_SCOPE_ALL_CPUS || context->cpu == cpu;
}

static void pmc_context_free(struct pmc_context *context)
{
	int cpu;

	if (context->runs) {
		for_each_possible_cpu(cpu)
			pmc_run_free(context->runs[cpu]);
	}
	kfree(context->runs);
	free_page((unsigned long)context->user_page.page);
	pmc_programs_free(context->program);
	put_pid(context->owner);
	kfree(context);
}

/* It counts nowhere and never will. */
static void pmc_context_end_sampling(struct pmc_context *context)
{
	if (context->sampling)
		pmc_sample_config_release(context->sampling);
	context->sampling = NULL;
}

/**
 * pmc_context_put - give a reference back
 * @context:	to be freed with the last; by an RCU callback
 */
void pmc_context_put(struct pmc_context *context)
{
	if (refcount_dec_and_test(&context->refs))
		pmc_context_free(context);
}

static void pmc_context_put_rcu(struct rcu_head *rcu)
{
	pmc_context_put(container_of(rcu, struct pmc_context, rcu));
}

static int pmc_context_alloc_runs(struct pmc_context *context)
{
	int cpu;

	if (pmc_context_follows(context))
		return 0;
	context->runs = kcalloc(nr_cpu_ids, sizeof(*context->runs), GFP_KERNEL_ACCOUNT);
	if (!context->runs)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		if (!pmc_context_includes_cpu(context, cpu))
			continue;
		context->runs[cpu] = pmc_run_alloc(context->program, cpu_to_node(cpu));
		if (!context->runs[cpu])
			return -ENOMEM;
	}
	return 0;
}

/* The page for reading in user mode; nothing can be read yet. */
static int pmc_context_alloc_page(struct pmc_context *context)
{
	const struct pmc_program *program = context->program;
	struct pmc_page *page;
	u32 i;

	page = (struct pmc_page *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!page)
		return -ENOMEM;
	page->size = struct_size(page, counter, context->program->nr);
	page->sequence = PMC_PAGE_UNAVAILABLE;
	page->nr_counters = context->program->nr;
	for (i = 0; i < context->program->nr; i++) {
		const struct pmc_counter_setup *setup = &context->program->setup[i];

		page->counter[i].rdpmc = setup->rdpmc;
		page->counter[i].width = fls64(setup->mask);
	}
	/* of all pmu_types of CPU the narrowest decides */
	do {
		for (i = 0; i < program->nr; i++)
			context->user_page.high |= ~(program->setup[i].mask >> 1);
		program = program->next;
	} while (program != context->program);
	context->user_page.page = page;
	context->user_page.base = context->base;
	context->user_page.clock = &context->target.clock;
	return 0;
}

static int pmc_context_sample(struct pmc_context *context, const struct pmc_config *config,
			      wait_queue_head_t *wait)
{
	struct pmc_program *program = context->program;

	context->sampling = pmc_sample_config_create(config, wait);
	if (!context->sampling)
		return -ENOMEM;
	context->sampling->rings->identity = &context->identity;
	do {
		program->sampling = context->sampling;
		program->only = pmc_program_find_only(program);
		program = program->next;
	} while (program != context->program);
	return 0;
}

static struct pmc_context *pmc_context_alloc(struct pmc_config *config,
					     const struct pmc_counter_config *counters,
					     wait_queue_head_t *wait)
{
	struct pmc_context *context;
	int err = -ENOMEM;
	u32 i;

	context = kzalloc(struct_size(context, base, config->nr_counters), GFP_KERNEL_ACCOUNT);
	if (!context)
		return ERR_PTR(err);
	INIT_LIST_HEAD(&context->node);
	refcount_set(&context->refs, 1);
	context->scope = config->scope;
	context->cpu = config->cpu;
	context->core_type = config->core_type;
	context->owner = get_pid(task_tgid(current));
	get_task_comm(context->identity.comm, current);
	for (i = 0; i < config->nr_counters; i++)
		context->base[i] = counters[i].initial;
	context->target.scope = config->scope;
	context->target.on_exec = config->flags & PMC_CONFIG_ON_EXEC;
	context->program = pmc_programs_build(config, counters);
	if (IS_ERR(context->program)) {
		err = PTR_ERR(context->program);
		context->program = NULL;
		goto free;
	}
	if (wait && pmc_context_sample(context, config, wait))
		goto free;
	if (pmc_context_alloc_runs(context))
		goto free;
	if (config->flags & PMC_CONFIG_USER_READ && pmc_context_alloc_page(context))
		goto free;
	return context;

free:
	pmc_context_end_sampling(context);
	pmc_context_free(context);
	return ERR_PTR(err);
}

static unsigned long pmc_context_tracepoints(const struct pmc_context *context)
{
	return pmc_context_follows(context) ? PMC_TRACEPOINTS_THREADS : 0;
}

static atomic64_t pmc_contexts_numbered = ATOMIC64_INIT(0);

/**
 * pmc_contexts_configured - number of contexts that were ever configured
 */
u64 pmc_contexts_configured(void)
{
	return atomic64_read(&pmc_contexts_numbered);
}

/* From now on others are told of it. */
static void pmc_context_number(struct pmc_context *context)
{
	struct pmc_identity *identity = &context->identity;

	identity->id = atomic64_inc_return(&pmc_contexts_numbered);
	identity->uid = current_uid();
	identity->pid = pid_nr(context->owner);
	identity->tid = pmc_context_follows(context) ? pid_nr(context->target.pid) : 0;
	identity->cpu = context->cpu;
	identity->scope = context->scope;
	identity->general = context->program->general;
	identity->fixed = context->program->fixed;
	/* pairs with pmc_context_id(); the number itself is two words on some kernels */
	smp_store_release(&context->numbered, true);
	pmc_notify_listener_added();
	pmc_notify_context(identity, PMC_NETLINK_CONFIGURED);
}

/* It is configured. Those whom it follows may have ended meanwhile. */
static void pmc_context_notify(struct pmc_context *context)
{
	struct pmc_target *target = &context->target;
	unsigned long flags;

	if (!pmc_context_follows(context)) {
		pmc_context_number(context);
		return;
	}
	raw_spin_lock_irqsave(&target->lock, flags);
	pmc_context_number(context);
	if (!target->nr)
		pmc_notify_context(&context->identity, PMC_NETLINK_ENDED);
	raw_spin_unlock_irqrestore(&target->lock, flags);
}

/**
 * pmc_context_configure - claim counters and say what they count
 * @config:	the request; its out fields are filled in
 * @counters:	its entries
 * @probes:	mask of the probes that the caller holds; those needed are added
 * @wait:	who waits for its samples; outlives it
 *
 * Return: the context, stopped, or an error pointer.
 */
struct pmc_context *pmc_context_configure(struct pmc_config *config,
					  const struct pmc_counter_config *counters,
					  unsigned long *probes, wait_queue_head_t *wait)
{
	struct pmc_context *context = NULL;
	unsigned long missing;
	bool samples = false;
	int err;

	cpus_read_lock();
	err = pmc_check(config, counters, &samples);
	if (!err) {
		context = pmc_context_alloc(config, counters, samples ? wait : NULL);
		err = PTR_ERR_OR_ZERO(context);
	}
	cpus_read_unlock();
	if (err)
		return ERR_PTR(err);

	if (pmc_context_follows(context)) {
		err = pmc_target_find(context, config->tid);
		if (err)
			goto free;
	}
	err = pmc_rdpmc_watch_forks();
	if (err)
		goto forget;
	missing = pmc_context_tracepoints(context) & ~*probes;
	err = pmc_tracepoints_get(missing);
	if (err)
		goto forget;
	err = pmc_claim(context, &config->holder);
	if (err)
		goto probes;
	if (pmc_context_follows(context)) {
		err = pmc_target_follow(context);
		if (err)
			goto unclaim;
	}
	if (config->flags & PMC_CONFIG_USER_READ) {
		err = pmc_rdpmc_request(context);
		if (err)
			goto unfollow;
	}
	*probes |= missing;
	pmc_context_notify(context);
	config->context = context->identity.id;
	return context;

unfollow:
	pmc_target_unfollow(context);
unclaim:
	pmc_unclaim(context);
probes:
	pmc_tracepoints_put(missing);
forget:
	if (pmc_context_follows(context))
		pmc_target_release(context);
free:
	pmc_context_end_sampling(context);
	/* a context switch may have seen it if following failed half-way */
	call_rcu(&context->rcu, pmc_context_put_rcu);
	return ERR_PTR(err);
}

/**
 * pmc_context_release - stop, give the counters back, free
 * @context:	no longer to be used by the caller
 */
void pmc_context_release(struct pmc_context *context)
{
	pmc_context_stop(context);
	pmc_rdpmc_withdraw(context);
	if (pmc_context_follows(context))
		pmc_target_unfollow(context);
	pmc_unclaim(context);
	pmc_context_end_sampling(context);
	if (pmc_context_follows(context))
		pmc_target_release(context);
	call_rcu(&context->rcu, pmc_context_put_rcu);
}

static void pmc_start_local(void *data)
{
	struct pmc_pmu *pmu = this_cpu_ptr(&pmc_pmus);
	struct pmc_context *context = data;
	struct pmc_run *run = context->runs[smp_processor_id()];

	if (pmc_run_active(run))
		return;
	if (pmc_pmu_fits(pmu, context->program))
		pmc_run_start(pmu, run, &pmu->cpu_runs);
	else if (pmc_context_matches(context, &pmu->description.query))
		WRITE_ONCE(context->uncounted, PMC_STATE_UNCOUNTED);
}

static void pmc_stop_local(void *data)
{
	struct pmc_context *context = data;
	struct pmc_run *run = context->runs[smp_processor_id()];

	if (pmc_run_active(run))
		pmc_run_stop(this_cpu_ptr(&pmc_pmus), run);
}

/* Call @function on each CPU that the context concerns and that is online. */
static void pmc_context_call(struct pmc_context *context, void (*function)(void *), void *data)
{
	if (context->scope == PMC_SCOPE_ALL_CPUS)
		on_each_cpu(function, data, 1);
	else if (cpu_online(context->cpu))
		pmc_call_on_cpu(context->cpu, function, data);
}

static void pmc_context_set_idle(struct pmc_context *context, bool idle)
{
	if (context->sampling)
		pmc_rings_set_idle(context->sampling->rings, idle, false);
}

/**
 * pmc_context_start - start all counters of a context
 * @context:	configured
 *
 * Return: 0, also when it runs already; -ENODEV (CPU offline), -ESRCH (thread
 * ended).
 */
int pmc_context_start(struct pmc_context *context)
{
	int err = 0;

	if (pmc_context_follows(context))
		return pmc_target_start(context);

	cpus_read_lock();
	if (context->scope == PMC_SCOPE_CPU && !cpu_online(context->cpu)) {
		err = -ENODEV;
	} else if (!context->started) {
		context->since = rdtsc();
		pmc_context_set_idle(context, false);
		pmc_context_call(context, pmc_start_local, context);
		context->started = true;
		pmc_notify_context(&context->identity, PMC_NETLINK_STARTED);
	}
	cpus_read_unlock();
	return err;
}

/**
 * pmc_context_stop - stop all counters of a context; the counts stay
 * @context:	configured
 */
void pmc_context_stop(struct pmc_context *context)
{
	if (pmc_context_follows(context)) {
		pmc_target_stop(context);
		return;
	}
	cpus_read_lock();
	if (context->started) {
		pmc_context_call(context, pmc_stop_local, context);
		pmc_context_set_idle(context, true);
		context->started = false;
		context->enabled += rdtsc() - context->since;
		pmc_notify_context(&context->identity, PMC_NETLINK_STOPPED);
	}
	cpus_read_unlock();
}

/**
 * pmc_context_state - PMC_STATE_* of a context, without looking at its counters
 * @context:	in the list of contexts; cpus_read_lock() and the claims' lock are held
 */
u32 pmc_context_state(struct pmc_context *context)
{
	u32 state = READ_ONCE(context->uncounted);

	if (pmc_context_follows(context))
		return pmc_target_state(context);
	if (READ_ONCE(context->started))
		state |= PMC_STATE_RUNNING;
	if (context->scope == PMC_SCOPE_CPU && !cpu_online(context->cpu))
		state |= PMC_STATE_OFFLINE;
	return state;
}

/**
 * pmc_run_collect - add a run's counts to a snapshot
 * @run:	on its own CPU with interrupts off, or counting nowhere
 * @snapshot:	to add to
 */
void pmc_run_collect(struct pmc_run *run, struct pmc_snapshot *snapshot)
{
	u32 i;

	bool held = run->sampler && pmc_run_active(run);

	if (held)
		pmc_run_lock(this_cpu_ptr(&pmc_pmus), run);
	else if (pmc_run_active(run))
		pmc_run_update(this_cpu_ptr(&pmc_pmus), run);
	if (run->sampler && snapshot->clear_values)
		pmc_sampler_clear(run->sampler);
	if (unlikely(run->program->metrics))
		pmc_perf_metrics_settle(run);
	for (i = 0; i < run->program->nr; i++) {
		snapshot->value[i] += run->count[i].value;
		if (snapshot->clear_values)
			run->count[i].value = 0;
	}
	if (unlikely(run->program->metrics) && snapshot->clear_values)
		pmc_perf_metrics_clear(pmc_run_active(run) ? this_cpu_ptr(&pmc_pmus) : NULL, run);
	snapshot->counted += run->counted;
	if (snapshot->clear_times)
		run->counted = 0;
	if (held)
		pmc_run_unlock(this_cpu_ptr(&pmc_pmus), run);
}

struct pmc_collection {
	struct pmc_context *context;
	struct pmc_snapshot *snapshot;
	raw_spinlock_t lock; /* guards @snapshot: several CPUs add to it */
};

static void pmc_collect_local(void *data)
{
	struct pmc_collection *collection = data;
	struct pmc_run *run = collection->context->runs[smp_processor_id()];

	raw_spin_lock(&collection->lock);
	pmc_run_collect(run, collection->snapshot);
	raw_spin_unlock(&collection->lock);
}

/* A CPU that is offline has counted what it has; nobody else touches it. */
static void pmc_collect_offline(struct pmc_context *context, struct pmc_snapshot *snapshot)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!cpu_online(cpu) && pmc_context_includes_cpu(context, cpu))
			pmc_run_collect(context->runs[cpu], snapshot);
	}
}

static void pmc_collect_one(struct pmc_collection *collection, int cpu)
{
	struct pmc_snapshot *snapshot = collection->snapshot;

	if (cpu_online(cpu)) {
		pmc_call_on_cpu(cpu, pmc_collect_local, collection);
	} else {
		snapshot->state |= PMC_STATE_OFFLINE;
		pmc_run_collect(collection->context->runs[cpu], snapshot);
	}
	snapshot->cpu = cpu;
}

static void pmc_cpus_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot)
{
	struct pmc_collection collection = {
		.context = context,
		.snapshot = snapshot,
	};

	raw_spin_lock_init(&collection.lock);
	cpus_read_lock();
	if (context->scope == PMC_SCOPE_CPU) {
		pmc_collect_one(&collection, context->cpu);
	} else if (snapshot->cpu >= 0) {
		pmc_collect_one(&collection, snapshot->cpu);
	} else {
		on_each_cpu(pmc_collect_local, &collection, 1);
		pmc_collect_offline(context, snapshot);
	}
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
 * pmc_context_snapshot - all counts of a context at one moment
 * @context:	configured
 * @snapshot:	what is wanted; zeroed but for that; filled in
 */
void pmc_context_snapshot(struct pmc_context *context, struct pmc_snapshot *snapshot)
{
	if (pmc_context_follows(context))
		pmc_target_snapshot(context, snapshot);
	else
		pmc_cpus_snapshot(context, snapshot);
}

/**
 * pmc_context_set_base - all counts become these values
 * @context:	configured
 * @values:	one for each counter, or NULL for 0; then the times become 0 too
 */
void pmc_context_set_base(struct pmc_context *context, const u64 *values)
{
	struct pmc_snapshot snapshot = {
		.cpu = -1,
		.clear_values = true,
		.clear_times = !values,
	};
	size_t size = context->program->nr * sizeof(context->base[0]);

	pmc_rdpmc_pause(context);
	pmc_context_snapshot(context, &snapshot);
	if (values)
		memcpy(context->base, values, size);
	else
		memset(context->base, 0, size);
	if (!values && context->sampling)
		pmc_rings_reset(context->sampling->rings);
	pmc_rdpmc_resume(context);
}

/**
 * pmc_context_cpu_online - this CPU came online; go on counting here if started
 * @context:	interrupts are off, the claims' lock is held
 */
void pmc_context_cpu_online(struct pmc_context *context)
{
	if (!pmc_context_follows(context) && context->started &&
	    pmc_context_includes_cpu(context, smp_processor_id()))
		pmc_start_local(context);
}

/**
 * pmc_context_cpu_offline - this CPU goes offline; its counts stay
 * @context:	interrupts are off, the claims' lock is held
 */
void pmc_context_cpu_offline(struct pmc_context *context)
{
	if (!pmc_context_follows(context) &&
	    pmc_context_includes_cpu(context, smp_processor_id()))
		pmc_stop_local(context);
}

/**
 * pmc_context_set_clock_back - the time-stamp counter lost this many ticks
 * @context:	in the list of contexts
 * @ticks:	how many
 *
 * Nobody else runs, see suspend.c: of those who hold the file's lock all are frozen, but
 * a kernel thread that releases the context.
 */
void pmc_context_set_clock_back(struct pmc_context *context, u64 ticks)
{
	if (pmc_context_follows(context))
		pmc_target_set_clock_back(&context->target, ticks);
	else
		context->since -= ticks;
}
