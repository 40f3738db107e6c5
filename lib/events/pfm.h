/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Event selects of libpfm4, for processors without a table in tables/ */
#ifndef PMC_PFM_H
#define PMC_PFM_H

#include "lex.h"
#include "libpmcevents.h"
#include "processor.h"

/*
 * Describe the processor of the table that LIBPFM_FORCE_PMU in the environment chooses. Its core
 * type is that of the table, or a requested one.
 * Return: whether there is one.
 */
bool pmc_pfm_forced_processor(struct pmc_processor *processor);

/* Why there are no names, as a sentence; NULL if there are */
const char *pmc_pfm_unavailable_reason(const struct pmc_processor *processor);

/*
 * @select: event select, without privilege levels, enable and interrupt
 * @event_extra: value of the extra register that the event needs, or 0
 * @core_type: the core type that has the event; 0 if all of the processor have it
 */
struct pmc_pfm_code {
	uint64_t select;
	uint64_t event_extra;
	uint32_t core_type;
};

struct pmc_name_source;

/* Which suggestions can be added to a failure; with NAME_COMPLETE its message is complete. */
enum pmc_name_reason {
	NAME_COMPLETE,
	NAME_UNKNOWN,
	NAME_UNKNOWN_UNIT_MASK,
	NAME_NEEDS_UNIT_MASK,
	NAME_LACKING,
};

/*
 * @name: NAME_UNKNOWN, NAME_LACKING: the name
 * @unit_mask: NAME_UNKNOWN_UNIT_MASK: the token
 * @source: the source of names that failed
 * @event: NAME_*_UNIT_MASK: the event of @source that has other unit masks
 */
struct pmc_name_failure {
	enum pmc_name_reason reason;
	struct pmc_processor processor;
	struct pmc_token name;
	struct pmc_token unit_mask;
	const struct pmc_name_source *source;
	void *event;
};

/* No message: the reason is in @failure. Return: -1 with errno EINVAL. */
int pmc_fail_name(struct pmc_name_failure *failure, const struct pmc_processor *processor,
		  enum pmc_name_reason reason);

/*
 * Encode an event for processor->core_type; with 0 for all core types that have it, if they
 * have the same event select.
 * @whole: the event's text, for messages
 * Return: 0; 1 if there is no such event; or -1 with errno, and a message or @failure.
 */
int pmc_pfm_encode(const struct pmc_processor *processor, const char *whole,
		   const struct pmc_token *name, const struct pmc_token *unit_masks,
		   size_t num_unit_masks, struct pmc_pfm_code *code,
		   struct pmc_name_failure *failure);

#endif /* PMC_PFM_H */
