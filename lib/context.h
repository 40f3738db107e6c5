/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The context, and the interface through which libpmcevents chooses its counters */
#ifndef PMC_CONTEXT_H
#define PMC_CONTEXT_H

#include "libpmcdrv.h"

/*
 * struct pmc_placer - chooses the counters of a context; libpmcevents implements it
 *
 * @prepare: called before each pmc_context_configure(). Return: 0, or -1 after pmc_fail()
 * @retry: the driver refused a counter with EBUSY. Choose others by pmc_context_set_counters().
 *	Return: whether to configure again
 * @name: the event on an entry, for messages
 * @fail: write the message of a refusal. Return: false if it has none
 * @free: the context is closed
 */
struct pmc_placer {
	int (*prepare)(struct pmc_placer *placer, struct pmc_context *context);
	bool (*retry)(struct pmc_placer *placer, struct pmc_context *context,
		      const struct pmc_holder *holder);
	const char *(*name)(const struct pmc_placer *placer, size_t index);
	bool (*fail)(const struct pmc_placer *placer, const struct pmc_context *context,
		     int error);
	void (*free)(struct pmc_placer *placer);
};

/*
 * @tid: for scopes that follow threads
 * @cpu: for PMC_SCOPE_CPU, else PMC_CPU_ANY
 * @core_type: 0 for all
 * @user_read: configured with PMC_CONFIG_USER_READ
 * @page_stale: @page belongs to an earlier configuration
 * @sample_flags, @frames, @ring_size, @watermark, @throttle_percent: as in struct pmc_config
 * @placer: NULL before the first pmc_context_add()
 * @page: NULL before the first pmc_context_page()
 * @failure: of the last pmc_context_configure()
 */
struct pmc_context {
	int fd;
	enum pmc_scope scope;
	int tid;
	int cpu;
	uint32_t core_type;
	uint32_t flags;
	bool configured;
	bool user_read;
	bool page_stale;
	uint32_t sample_flags;
	uint32_t frames;
	uint32_t ring_size;
	uint32_t watermark;
	uint32_t throttle_percent;
	struct pmc_placer *placer;
	struct pmc_page *page;
	struct pmc_failure failure;
	size_t num_counters;
	struct pmc_counter_config counter[PMC_COUNTERS_MAX];
};

#define PAGE_BYTES	4096

/* First page of the mapping of a user page, which is the second */
struct page_owner {
	struct pmc_context *context;
};

static inline struct page_owner *pmc_page_owner(const struct pmc_page *page)
{
	return (struct page_owner *)((uintptr_t)page - PAGE_BYTES);
}

/* Return: 0, or -1 after pmc_fail() if the context is configured. */
int pmc_context_check_unconfigured(const struct pmc_context *context);

/* Whether the scope follows threads */
bool pmc_context_follows_tasks(const struct pmc_context *context);

/* Whether a counter has a period */
bool pmc_context_is_sampling(const struct pmc_context *context);

/* Replace all counters. @num: at most PMC_COUNTERS_MAX */
void pmc_context_set_counters(struct pmc_context *context,
			      const struct pmc_counter_config *counters, size_t num);

#endif /* PMC_CONTEXT_H */
