/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The permission of one context's process to execute RDPMC in user mode
 */
#ifndef PMC_RDPMC_TYPES_H
#define PMC_RDPMC_TYPES_H

#include <linux/types.h>

struct mm_struct;

/**
 * struct pmc_rdpmc_access - a context's request for RDPMC in user mode
 * @node:	in the list of all requests; pmc_rdpmc_lock
 * @mm:		the address space that may use RDPMC, NULL without a request. A reference is
 *		held; constant from pmc_rdpmc_request() to pmc_rdpmc_withdraw()
 * @granted:	the permission count of @mm includes this context; pmc_rdpmc_lock
 * @open_user_page: opens or closes the user page, by which the context's thread reads its
 *		counters with RDPMC; called under pmc_rdpmc_lock, may sleep; constant
 */
struct pmc_rdpmc_access {
	struct list_head node;
	struct mm_struct *mm;
	bool granted;
	void (*open_user_page)(struct pmc_rdpmc_access *access, bool open);
};

#endif /* PMC_RDPMC_TYPES_H */
