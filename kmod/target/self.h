/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Self-monitoring: the fast path for a thread that counts itself
 */
#ifndef PMC_SELF_H
#define PMC_SELF_H

#include <linux/sched.h>

#include "target/context_types.h"
#include "target/thread.h"

/*
 * The thread for which the fast path may be used: the only thread of a PMC_SCOPE_THREAD
 * context without sampling, else NULL. (Sampling needs more than the fast path does.)
 */
static inline struct pmc_thread *pmc_self_thread(const struct pmc_context *context)
{
	return context->sampling ? NULL : context->target.only;
}

/* Is @thread, which may be NULL, the caller? */
static __always_inline bool pmc_self_is_current(const struct pmc_thread *thread)
{
	return thread && thread->task == current;
}

int pmc_self_start(struct pmc_thread *thread);
void pmc_self_stop(struct pmc_thread *thread);
bool pmc_self_read(struct pmc_thread *const *settled, struct pmc_read __user *to);

#endif /* PMC_SELF_H */
