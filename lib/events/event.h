/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events, and the architectural events */
#ifndef PMC_EVENT_H
#define PMC_EVENT_H

#include "lex.h"
#include "libpmcevents.h"
#include "processor.h"

/* Bits of an event select that modifiers set: on core and P6, and on P5 */
#define SELECT_EDGE		(1ULL << 18)
#define SELECT_ANY		(1ULL << 21)
#define SELECT_INVERT		(1ULL << 23)
#define SELECT_CMASK_SHIFT	24
#define SELECT_P5_CLOCKS	(1ULL << 8)

/* struct pmc_arch_event.fixed: no fixed counter counts it */
#define NO_FIXED	PMC_NO_FIXED

/* A row of tables/architectural.def */
struct pmc_arch_event {
	const char *name;
	const char *alias;
	unsigned int bit;
	uint64_t select;
	int fixed;
	bool general;
	const char *text;
};

extern const struct pmc_arch_event pmc_arch_events[];
extern const size_t pmc_num_arch_events;

/* Registers beside the event select, which select what an event counts */
enum pmc_register {
	PMC_REGISTER_NONE,
	PMC_REGISTER_OFFCORE_0,
	PMC_REGISTER_OFFCORE_1,
	PMC_REGISTER_FRONTEND,
	PMC_NUM_REGISTERS,
};

enum pmc_placement {
	PLACEMENT_ANY,
	PLACEMENT_GENERAL,
	PLACEMENT_FIXED,
	PLACEMENT_COUNTER,
};

/*
 * @label: name= of the text, or ""
 * @layout: of @select
 * @arch: NULL unless it is an architectural event
 * @extra: bits that modifiers and terms added to an architectural event
 * @event_extra: value of the register @extra_register, 0 without one; struct pmc_counter_config
 * @extra_register: the extra register that the event needs
 * @either: with PMC_REGISTER_OFFCORE_0: the second register can take the value as well
 * @register_term: the term of the text that set @event_extra, or NULL
 * @counters: general counters that can count it; 0: determined by @select
 * @core_type: the core type that the name was looked up for; 0 if all have it
 * @modes_given: the text has modes
 * @cmask_given: the text has a counter mask
 * @occurrences: the text has :n; only with PMC_LAYOUT_P5
 * @precise: the name is that of the precise form of an event, which cannot be sampled
 * @placement: counters that the caller allows
 * @counter: for PLACEMENT_COUNTER
 * @warning: see pmc_event_warning()
 * @default_period: see pmc_event_default_period()
 */
struct pmc_event {
	char name[PMC_EVENT_NAME_MAX + 1];
	char label[PMC_EVENT_NAME_MAX + 1];
	enum pmc_layout layout;
	const struct pmc_arch_event *arch;
	uint64_t select;
	uint64_t extra;
	uint64_t event_extra;
	enum pmc_register extra_register;
	bool either;
	const char *register_term;
	uint64_t counters;
	uint64_t initial;
	uint64_t period;
	uint32_t core_type;
	uint32_t modes;
	bool modes_given;
	bool cmask_given;
	bool occurrences;
	bool precise;
	uint32_t counter;
	enum pmc_placement placement;
	const char *warning;
	uint64_t default_period;
};

/* Whether the fixed counter of the architectural event can count it with its modifiers */
bool pmc_event_fits_fixed(const struct pmc_event *event);

/* Check a required fixed counter. Return: 0, or -1 after pmc_fail(). */
int pmc_event_check_fixed(const struct pmc_event *event);

/* Refuse an event of a unit outside the cores. Return: -1 after pmc_fail(). */
int pmc_event_fail_no_counter(const struct pmc_event *event, const char *reason);

/* The event select for @counter; for a fixed counter only the added bits */
uint64_t pmc_event_select_on(const struct pmc_event *event, uint32_t counter);

/* Whether the general counters can count an architectural event (CPUID.0AH:EBX) */
bool pmc_query_has_event(const struct pmc_query *query, const struct pmc_arch_event *arch);

/* The name of an architectural event in perf, or NULL */
const char *pmc_perf_event_name(const struct pmc_arch_event *arch);

#endif /* PMC_EVENT_H */
