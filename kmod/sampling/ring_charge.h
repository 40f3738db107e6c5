/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The limit on the memory of sample rings, per user and per process
 */
#ifndef PMC_RING_CHARGE_H
#define PMC_RING_CHARGE_H

struct cred;
struct mm_struct;

/**
 * struct pmc_ring_charge - pages that a user and a process are charged for
 * @cred:	credentials of the user; holds a reference. NULL: nothing is charged
 * @mm:		address space of the process; holds a reference to the structure
 * @user_pages:	pages within the user's allowance
 * @mm_pages:	pages beyond it, which RLIMIT_MEMLOCK limits
 *
 * Constant while charged.
 */
struct pmc_ring_charge {
	const struct cred *cred;
	struct mm_struct *mm;
	unsigned long user_pages;
	unsigned long mm_pages;
};

int pmc_ring_charge(struct pmc_ring_charge *charge, unsigned long pages);
void pmc_ring_uncharge(struct pmc_ring_charge *charge);

#endif /* PMC_RING_CHARGE_H */
