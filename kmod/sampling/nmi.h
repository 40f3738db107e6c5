/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NMI attribution: did this driver cause this NMI?
 */
#ifndef PMC_NMI_H
#define PMC_NMI_H

#include <linux/types.h>

#include "sampling/pmi_types.h"

/* A late NMI comes within this many milliseconds after its overflow was handled, or never. */
#define PMC_LATE_MS		100

struct pmc_pmu;
struct pmc_sampler;

/**
 * enum pmc_nmi_class - the source of an NMI
 * @PMC_NMI_OURS: the PMI of this CPU's counters: an overflow was found, or the local APIC
 *		has delivered a PMI and no late one is expected
 * @PMC_NMI_LATE: an NMI of this driver that needs no further handling: the PMI of an
 *		overflow that was handled before, or an NMI that the CPU sent to itself
 * @PMC_NMI_FOREIGN: any other NMI, which is left to the next handler
 */
enum pmc_nmi_class {
	PMC_NMI_OURS,
	PMC_NMI_LATE,
	PMC_NMI_FOREIGN,
};

/**
 * struct pmc_nmi_policy - attribution of NMIs for one behaviour of the local APIC
 * @is_late:	may this NMI, for which no overflow was found, be a late one? @delivered: LVTPC
 *		shows a delivered PMI
 * @expect:	the NMIs of handled overflows may still come
 * @passed:	passes over samplers that count the kernel are over, LVTPC is armed; NULL if
 *		there is nothing to do
 *
 * All run on the CPU concerned, in NMI context; @expect with interrupts off, too.
 */
struct pmc_nmi_policy {
	bool (*is_late)(struct pmc_pmi *pmi, bool delivered, u64 now);
	void (*expect)(struct pmc_nmi *nmi, u32 overflows);
	void (*passed)(struct pmc_nmi *nmi);
};

void pmc_nmi_init(struct pmc_nmi *nmi);
void pmc_nmi_arm(struct pmc_pmu *pmu);
bool pmc_nmi_learn(struct pmc_pmu *pmu, bool masked);
void pmc_nmi_disarm(struct pmc_nmi *nmi);
enum pmc_nmi_class pmc_nmi_classify(struct pmc_pmi *pmi, bool delivered, u64 now);
void pmc_nmi_expect(struct pmc_nmi *nmi, u32 overflows);
void pmc_nmi_begin_late_period(struct pmc_nmi *nmi);
void pmc_nmi_update_follow_up(struct pmc_pmi *pmi);
bool pmc_nmi_is_pending(const struct pmc_nmi *nmi, u64 now);
bool pmc_nmi_overflow_waits(const struct pmc_sampler *sampler);

#endif /* PMC_NMI_H */
