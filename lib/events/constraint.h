/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which general counters can count an event */
#ifndef PMC_CONSTRAINT_H
#define PMC_CONSTRAINT_H

#include "processor.h"
#include "lex.h"

/* Microarchitectures of family 6, in the order of their years */
enum core_uarch {
	UARCH_UNKNOWN,
	UARCH_CORE_DUO,
	UARCH_CORE2,
	UARCH_NEHALEM,
	UARCH_WESTMERE,
	UARCH_SANDY_BRIDGE,
	UARCH_IVY_BRIDGE,
	UARCH_HASWELL,
	UARCH_BROADWELL,
	UARCH_SKYLAKE,
	UARCH_ICE_LAKE,
	UARCH_SAPPHIRE_RAPIDS,
	UARCH_REDWOOD_COVE,
	UARCH_LION_COVE,
	UARCH_PANTHER_COVE,
	UARCH_ARCTIC_WOLF,
};

/*
 * The microarchitecture of processor->core_type; with 0 on a hybrid processor that of the cores of
 * type Core, where fewer counters can count an event. UARCH_UNKNOWN if no table has it
 */
enum core_uarch pmc_core_uarch(const struct pmc_processor *processor);

/*
 * General counters that can count @select; PMC_ANY_COUNTER if no table restricts it
 */
uint64_t pmc_constraint(const struct pmc_processor *processor, uint64_t select);

/* Why no counter can count @select; NULL if unknown */
const char *pmc_constraint_reason(const struct pmc_processor *processor, uint64_t select);

/*
 * Does @select count both threads of a core, without AnyThread? Such events need CAP_PERFMON:
 * UOPS_EXECUTED.CORE of Sandy Bridge to Redwood Cove, L2 latency of AMD's family 17h and later
 */
bool pmc_counts_both_threads(const struct pmc_processor *processor, uint64_t select);

/*
 * Why the unknown name @name belongs to events outside the core (uncore); NULL if it does not
 */
const char *pmc_constraint_uncore_reason(const struct pmc_processor *processor,
					 const struct pmc_token *name);

#endif /* PMC_CONSTRAINT_H */
