/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that counts itself
 */
#ifndef PMC_SELF_H
#define PMC_SELF_H

#include "api/context.h"
#include "target/thread.h"

/*
 * The thread of a context that only ever has one, if its overflows, in which others
 * take part, are not asked for; else NULL.
 */
static inline struct pmc_thread *pmc_self_thread(const struct pmc_context *context)
{
	return context->sampling ? NULL : context->target.only;
}

/* Is it the caller? @thread may be NULL. */
static __always_inline bool pmc_self_is_current(const struct pmc_thread *thread)
{
	return thread && thread->task == current;
}

int pmc_self_start(struct pmc_thread *thread);
void pmc_self_stop(struct pmc_thread *thread);
bool pmc_self_read(struct pmc_thread *const *settled, struct pmc_read __user *to);

#endif /* PMC_SELF_H */
