/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events that need an extra register: its value selects what they count */
#ifndef PMC_EXTRA_REGISTER_H
#define PMC_EXTRA_REGISTER_H

#include "event.h"

/* Why load latency is refused: an event, or a term, "..." */
#define LOAD_LATENCY_REASON \
	"selects loads by their latency, of which the hardware counts only a random sample"

/*
 * The register of an event select; PMC_REGISTER_NONE if the driver sets none for it.
 * @core_type: on a hybrid processor that of the event, 0 for all
 */
enum pmc_register pmc_register_of(const struct pmc_processor *processor, uint32_t core_type,
				  uint64_t select);

/* The register of an MSR's number, or PMC_REGISTER_NONE */
enum pmc_register pmc_register_of_msr(uint64_t msr);

/* The event select that counts the same by a register of offcore response */
uint64_t pmc_register_offcore_select(uint64_t select, enum pmc_register number);

/* Why an event select that needs a register without a pmc_register_of() is refused */
const char *pmc_register_reason(uint64_t select);

/*
 * Set the value that a name stands for, 0 for none.
 * Return: 0, or -1 after pmc_fail() if a term has set it.
 */
int pmc_register_set(struct pmc_event *event, uint64_t value);

/*
 * Set the register of a parsed event, and check the term that gave its value.
 * Return: 0, or -1 after pmc_fail().
 */
int pmc_register_check(struct pmc_event *event, const struct pmc_processor *processor);

/* An event without the value that it needs cannot be counted. Return: 0, or -1 after pmc_fail(). */
int pmc_register_check_value(const struct pmc_event *event);

/* Values of registers that events are counted with at once; 0: the register is not used */
struct pmc_register_values {
	uint64_t value[PMC_NUM_REGISTERS];
};

/*
 * Choose a register for an event, unless it needs none. Call it for events with
 * &struct pmc_event.either last, so that they can use the register that is left. Return: the
 * register, PMC_REGISTER_NONE for an event without, or -1 if it has another value.
 */
int pmc_register_choose(struct pmc_register_values *values, const struct pmc_event *event);

/* Whether two events need one register with different values */
bool pmc_register_conflict(const struct pmc_event *a, const struct pmc_event *b);

/* The term that sets the register, such as "offcore_rsp" */
const char *pmc_register_term(enum pmc_register number);

/* Whether the token is a term that sets a register */
bool pmc_register_is_term(const struct pmc_token *token);

#endif /* PMC_EXTRA_REGISTER_H */
