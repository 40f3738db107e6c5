/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The references and the identity of a context (api/context.c configures and releases it)
 */
#ifndef PMC_TARGET_CONTEXT_H
#define PMC_TARGET_CONTEXT_H

#include "target/context_types.h"

/**
 * pmc_context_id - the number under which a context is reported
 * @context:	a context
 *
 * Return: the number; 0 while the context is being configured.
 */
static inline u64 pmc_context_id(const struct pmc_context *context)
{
	/* the whole identity is valid afterwards: pairs with pmc_context_announce() */
	return smp_load_acquire(&context->numbered) ? context->identity.id : 0;
}

/* Does the context follow threads, rather than count CPUs? */
static inline bool pmc_context_follows(const struct pmc_context *context)
{
	return context->target.pid;
}

void pmc_context_put(struct pmc_context *context);
void pmc_context_put_rcu(struct pmc_context *context);
void pmc_context_announce(struct pmc_context *context);
u64 pmc_contexts_configured(void);

#endif /* PMC_TARGET_CONTEXT_H */
