/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mapping of a context's user page */
#ifndef PMC_PAGE_H
#define PMC_PAGE_H

#include <stdint.h>

#define PAGE_BYTES	4096

struct pmc_context;
struct pmc_page;

/* First page of the mapping; the user page follows it. */
struct page_owner {
	struct pmc_context *context;
};

static inline struct page_owner *pmc_page_owner(const struct pmc_page *page)
{
	return (struct page_owner *)((uintptr_t)page - PAGE_BYTES);
}

/* Unmap the context's page, if it has one. */
void pmc_page_unmap(struct pmc_context *context);

#endif /* PMC_PAGE_H */
