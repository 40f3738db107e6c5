// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lifetime and the identity of a context
 *
 * A context is freed with its last reference. The configured context holds one, and each
 * followed thread holds another, because the thread's task_work may still need the
 * context. The last may be dropped in an RCU callback, so nothing here may sleep.
 *
 * Owns the references, the identity and the number of contexts configured. Locking: none.
 * pmc_context_announce() publishes the identity by a release store.
 * Context: any but NMI; pmc_context_announce() task context.
 */
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/gfp.h>
#include <linux/pid.h>
#include <linux/slab.h>

#include "base/notify.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "target/context.h"
#include "target/scope_types.h"

static void pmc_context_free_programs(struct pmc_context *context)
{
	struct pmc_program *program = context->program, *next;

	if (!program)
		return;
	do {
		next = program->next;
		kfree(program);
		program = next;
	} while (program != context->program);
}

static void pmc_context_free(struct pmc_context *context)
{
	if (context->ops->free)
		context->ops->free(context);
	if (context->user_page)
		free_page((unsigned long)context->user_page->page);
	kfree(context->user_page);
	kfree(context->target.left_out);
	pmc_context_free_programs(context);
	put_pid(context->owner);
	kfree(context);
}

/**
 * pmc_context_put - drop a reference
 * @context:	freed with the last reference
 *
 * Context: any but NMI; RCU callbacks call it.
 */
void pmc_context_put(struct pmc_context *context)
{
	if (refcount_dec_and_test(&context->refs))
		pmc_context_free(context);
}

static void pmc_context_put_callback(struct rcu_head *rcu)
{
	pmc_context_put(container_of(rcu, struct pmc_context, rcu));
}

/**
 * pmc_context_put_rcu - drop the first reference, after an RCU grace period
 * @context:	released: no context switch that begins now can find it
 */
void pmc_context_put_rcu(struct pmc_context *context)
{
	call_rcu(&context->rcu, pmc_context_put_callback);
}

static atomic64_t pmc_contexts_numbered = ATOMIC64_INIT(0);

/**
 * pmc_contexts_configured - number of contexts configured since the module was loaded
 */
u64 pmc_contexts_configured(void)
{
	return atomic64_read(&pmc_contexts_numbered);
}

/**
 * pmc_context_announce - number a context and notify listeners that it is configured
 * @context:	its counters are claimed; may be called with interrupts off
 */
void pmc_context_announce(struct pmc_context *context)
{
	struct pmc_identity *identity = &context->identity;

	identity->id = atomic64_inc_return(&pmc_contexts_numbered);
	identity->uid = current_uid();
	identity->pid = pid_nr(context->owner);
	identity->tid = pid_nr(context->target.pid);
	identity->cpu = context->cpu;
	identity->scope = context->ops->scope;
	identity->general = context->program->general;
	identity->fixed = context->program->fixed;
	/* pairs with pmc_context_id(); a u64 is written in two steps on 32-bit kernels */
	smp_store_release(&context->numbered, true);
	pmc_notify_update_listening();
	pmc_notify_context(identity, PMC_NETLINK_CONFIGURED);
}
