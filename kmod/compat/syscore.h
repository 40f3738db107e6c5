/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels: callbacks on the last online CPU during suspend and resume
 */
#ifndef PMC_COMPAT_SYSCORE_H
#define PMC_COMPAT_SYSCORE_H

#include <linux/syscore_ops.h>

/* Newer kernels pass data to the callbacks, which the driver does not need. */
#ifdef PMC_HAVE_SYSCORE_DATA

#define PMC_SYSCORE_ARGUMENTS	void *data

struct pmc_syscore {
	struct syscore_ops ops;
	struct syscore syscore;
};

static inline void pmc_syscore_register(struct pmc_syscore *syscore)
{
	syscore->syscore.ops = &syscore->ops;
	register_syscore(&syscore->syscore);
}

static inline void pmc_syscore_unregister(struct pmc_syscore *syscore)
{
	unregister_syscore(&syscore->syscore);
}

#else

#define PMC_SYSCORE_ARGUMENTS	void

struct pmc_syscore {
	struct syscore_ops ops;
};

static inline void pmc_syscore_register(struct pmc_syscore *syscore)
{
	register_syscore_ops(&syscore->ops);
}

static inline void pmc_syscore_unregister(struct pmc_syscore *syscore)
{
	unregister_syscore_ops(&syscore->ops);
}

#endif

#endif /* PMC_COMPAT_SYSCORE_H */
