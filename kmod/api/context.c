// SPDX-License-Identifier: GPL-2.0-only
/*
 * Configuring and releasing contexts
 *
 * A context is built, claims its counters, and attaches to its threads, in this order;
 * release does the reverse. What differs between scopes is in struct pmc_scope_ops. Owns no
 * data.
 *
 * Locking (outermost first):
 *   the file's lock        serialises the operations of one context (ioctl.c)
 *   pmc_tracepoints_lock   registration of probes (tracepoints.c)
 *   pmc_claims_queue       claims and releases, one at a time (claim.c)
 *   cpus_read_lock()       no CPU comes online or goes offline
 *   pmc_claims_lock        the list of contexts (claim.c)
 *   the locks of thread.c
 * pmc_tracepoints_lock and cpus_read_lock() are taken one after the other here, but
 * registering a probe takes cpus_read_lock() itself. Context: task context.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "api/check.h"
#include "api/claim.h"
#include "api/context.h"
#include "api/program.h"
#include "compat/compat.h"
#include "compat/dumpable.h"
#include "pmu/pmu.h"
#include "pmu/rdpmc.h"
#include "pmu/run_types.h"
#include "pmu/user_page.h"
#include "sampling/pmi.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "sampling/sampler.h"
#include "target/context.h"
#include "target/isolated.h"
#include "target/scope.h"
#include "target/snapshot.h"
#include "base/tracepoints.h"
#include "target/target_count.h"

/* No run of the context exists or will ever start: close the rings. */
static void pmc_context_end_sampling(struct pmc_context *context)
{
	if (context->sampling)
		pmc_sample_config_release(context->sampling);
	context->sampling = NULL;
}

static void pmc_user_page_fill(struct pmc_page *page, const struct pmc_program *program)
{
	u32 i;

	page->size = struct_size(page, counter, program->nr);
	page->sequence = PMC_PAGE_UNAVAILABLE;
	page->nr_counters = program->nr;
	for (i = 0; i < program->nr; i++) {
		page->counter[i].rdpmc = program->setup[i].rdpmc;
		page->counter[i].width = fls64(program->setup[i].mask);
	}
}

/* Allocate the page for reading in user mode; it is not open yet. */
static int pmc_context_alloc_user_page(struct pmc_context *context)
{
	const struct pmc_program *program = context->program;
	struct pmc_user_page *user_page;
	u32 i;

	user_page = kzalloc(sizeof(*user_page), GFP_KERNEL_ACCOUNT);
	if (!user_page)
		return -ENOMEM;
	context->user_page = user_page;
	user_page->page = (struct pmc_page *)get_zeroed_page(PMC_GFP_MAPPED);
	if (!user_page->page)
		return -ENOMEM;
	pmc_user_page_fill(user_page->page, program);
	/* the narrowest counter of all PMU types decides */
	do {
		for (i = 0; i < program->nr; i++)
			user_page->high |= ~(program->setup[i].mask >> 1);
		program = program->next;
	} while (program != context->program);
	user_page->base = context->base;
	user_page->clock = &context->target.clock;
	return 0;
}

static int pmc_context_create_sampling(struct pmc_context *context,
				       const struct pmc_config *config, wait_queue_head_t *wait)
{
	struct pmc_sample_config *sampling = pmc_sample_config_create(config, wait);
	struct pmc_program *program = context->program;

	if (IS_ERR(sampling))
		return PTR_ERR(sampling);
	context->sampling = sampling;
	sampling->rings->identity = &context->identity;
	do {
		program->sampling = context->sampling;
		program->only = pmc_program_find_only(program);
		program = program->next;
	} while (program != context->program);
	return 0;
}

/* All that does not depend on the scope, but for what pmc_context_alloc() does */
static int pmc_context_init(struct pmc_context *context, struct pmc_config *config,
			    const struct pmc_counter_config *counters)
{
	u32 i;

	INIT_LIST_HEAD(&context->node);
	INIT_LIST_HEAD(&context->announced);
	refcount_set(&context->refs, 1);
	context->ops = pmc_scope_find(config->scope);
	context->cpu = config->cpu;
	context->core_type = config->core_type;
	context->owner = get_pid(task_tgid(current));
	get_task_comm(context->identity.comm, current);
	/* a program that exec gave other rights is not dumpable */
	context->identity.privileged = perfmon_capable() || !pmc_current_dumpable() ||
				       !uid_eq(current_uid(), current_euid());
	for (i = 0; i < config->nr_counters; i++)
		context->base[i] = counters[i].initial;
	context->target.scope = config->scope;
	context->target.on_exec = config->flags & PMC_CONFIG_ON_EXEC;
	return pmc_programs_build(context, config, counters);
}

/* A context that no probe and no other CPU has seen. */
static void pmc_context_destroy(struct pmc_context *context)
{
	pmc_context_end_sampling(context);
	pmc_context_put(context);
}

/* Check the request and build the context; *@samples: a counter has a period. */
static struct pmc_context *pmc_context_build(struct pmc_config *config,
					     const struct pmc_counter_config *counters,
					     bool *samples)
{
	struct pmc_context *context;
	int err;

	err = pmc_config_check(config, counters, samples);
	if (err)
		return ERR_PTR(err);
	context = kzalloc(struct_size(context, base, config->nr_counters), GFP_KERNEL_ACCOUNT);
	if (!context)
		return ERR_PTR(-ENOMEM);
	err = pmc_context_init(context, config, counters);
	if (err) {
		pmc_context_destroy(context);
		return ERR_PTR(err);
	}
	return context;
}

/* Memory that can be large; its allocation must not delay CPU hotplug */
static int pmc_context_alloc(struct pmc_context *context, const struct pmc_config *config,
			     wait_queue_head_t *wait)
{
	int err = 0;

	if (wait)
		err = pmc_context_create_sampling(context, config, wait);
	if (!err && config->flags & PMC_CONFIG_USER_READ)
		err = pmc_context_alloc_user_page(context);
	return err;
}

static struct pmc_context *pmc_context_create(struct pmc_config *config,
					      const struct pmc_counter_config *counters,
					      wait_queue_head_t *wait)
{
	struct pmc_context *context;
	bool samples = false;
	int err;

	cpus_read_lock();
	context = pmc_context_build(config, counters, &samples);
	cpus_read_unlock();
	if (IS_ERR(context))
		return context;
	err = pmc_context_alloc(context, config, samples ? wait : NULL);
	if (err) {
		pmc_context_destroy(context);
		return ERR_PTR(err);
	}
	return context;
}

static void pmc_context_open_user_page(struct pmc_rdpmc_access *access, bool open)
{
	pmc_target_open_user_page(container_of(access, struct pmc_context, rdpmc), open);
}

/* Claim the counters, follow the threads, request RDPMC. The probes are registered. */
static int pmc_context_attach(struct pmc_context *context, struct pmc_config *config)
{
	const struct pmc_scope_ops *ops = context->ops;
	int err;

	err = pmc_rdpmc_watch_copies();
	if (err)
		return err;
	err = pmc_context_follows(context) ? pmc_isolated_leave_out(context) : 0;
	if (err)
		goto unwatch;
	err = pmc_claim(context, &config->holder);
	if (err)
		goto unwatch;
	err = pmc_rdpmc_watch_late_copies();
	if (err)
		goto unclaim;
	if (ops->attach) {
		err = ops->attach(context);
		if (err)
			goto unclaim;
	}
	if (config->flags & PMC_CONFIG_USER_READ) {
		err = pmc_rdpmc_request(&context->rdpmc, pmc_context_open_user_page);
		if (err)
			goto detach;
	}
	return 0;

detach:
	if (ops->detach)
		ops->detach(context);
unclaim:
	pmc_unclaim(context);
unwatch:
	pmc_rdpmc_unwatch_copies();
	return err;
}

/* Register the probes that the file has not registered yet, and attach. */
static int pmc_context_attach_probes(struct pmc_context *context, struct pmc_config *config,
				     unsigned long *probes)
{
	unsigned long missing = context->ops->tracepoints & ~*probes;
	int err;

	err = pmc_rdpmc_watch_forks();
	if (err)
		return err;
	err = pmc_tracepoints_get(missing);
	if (err)
		return err;
	err = pmc_context_attach(context, config);
	if (err)
		pmc_tracepoints_put(missing);
	else
		*probes |= missing;
	return err;
}

/**
 * pmc_context_configure - configure a context: check the request and claim its counters
 * @config:	the request; receives its out fields
 * @counters:	its counters
 * @probes:	mask of the probes that the caller has registered; those needed are added
 * @wait:	wait queue of the readers of samples; outlives the context
 *
 * Return: the context, stopped, or an error pointer.
 */
struct pmc_context *pmc_context_configure(struct pmc_config *config,
					  const struct pmc_counter_config *counters,
					  unsigned long *probes, wait_queue_head_t *wait)
{
	struct pmc_context *context;
	int err;

	context = pmc_context_create(config, counters, wait);
	if (IS_ERR(context))
		return context;
	err = context->ops->prepare(context, config->tid);
	if (err) {
		pmc_context_destroy(context);
		return ERR_PTR(err);
	}
	err = pmc_context_attach_probes(context, config, probes);
	if (err) {
		if (context->ops->release)
			context->ops->release(context);
		pmc_context_end_sampling(context);
		/* if following failed half-way, a context switch may still see the context */
		pmc_context_put_rcu(context);
		return ERR_PTR(err);
	}
	pmc_claims_announce(context);
	config->context = context->identity.id;
	return context;
}

/**
 * pmc_context_release - stop, release the counters, free
 * @context:	configured; the caller must not use it any more
 */
void pmc_context_release(struct pmc_context *context)
{
	const struct pmc_scope_ops *ops = context->ops;

	ops->stop(context);
	pmc_rdpmc_withdraw(&context->rdpmc);
	if (ops->detach)
		ops->detach(context);
	pmc_unclaim(context);
	pmc_rdpmc_unwatch_copies();
	pmc_context_end_sampling(context);
	if (ops->release)
		ops->release(context);
	pmc_context_put_rcu(context);
}

/**
 * pmc_context_set_base - set all counts to given values
 * @context:	configured
 * @values:	one value for each counter; NULL: RESET, all counts and times become 0
 */
void pmc_context_set_base(struct pmc_context *context, const u64 *values)
{
	struct pmc_snapshot snapshot = {
		.cpu = -1,
		.clear_values = true,
		.clear_times = !values,
	};
	size_t size = context->program->nr * sizeof(context->base[0]);

	pmc_rdpmc_pause(&context->rdpmc);
	context->ops->snapshot(context, &snapshot);
	if (values)
		memcpy(context->base, values, size);
	else
		memset(context->base, 0, size);
	if (!values && context->sampling)
		pmc_rings_reset(context->sampling->rings);
	pmc_rdpmc_resume(&context->rdpmc);
}
