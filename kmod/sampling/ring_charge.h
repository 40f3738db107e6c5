/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The limit on the memory of a user's sample rings
 */
#ifndef PMC_RING_CHARGE_H
#define PMC_RING_CHARGE_H

struct cred;

/**
 * struct pmc_ring_charge - pages that a user is charged for
 * @cred:	credentials of the user; holds a reference. NULL: nothing is charged
 * @pages:	the pages
 *
 * Constant while charged.
 */
struct pmc_ring_charge {
	const struct cred *cred;
	unsigned long pages;
};

int pmc_ring_charge(struct pmc_ring_charge *charge, unsigned long pages);
void pmc_ring_uncharge(struct pmc_ring_charge *charge);

#endif /* PMC_RING_CHARGE_H */
