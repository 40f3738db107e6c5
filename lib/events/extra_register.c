// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events that need an extra register: its value selects what they count
 *
 * SDM Volume 3B, "Off-core Response Performance Monitoring" and "Frontend Retired". The driver has
 * the same events in kmod/families/core_extra.c.
 */
#include <errno.h>
#include <string.h>

#include "common.h"
#include "constraint.h"
#include "core_type.h"
#include "error.h"
#include "extra_register.h"

#define NUMBER_AND_MASK	0xffffULL

/* On processors from @first to @last; the first row of an event applies. */
static const struct row {
	enum core_uarch first;
	enum core_uarch last;
	uint16_t select;
	enum pmc_register number;
} rows[] = {
	{ UARCH_NEHALEM, UARCH_ICE_LAKE, 0x01b7, PMC_REGISTER_OFFCORE_0 },
	{ UARCH_WESTMERE, UARCH_ICE_LAKE, 0x01bb, PMC_REGISTER_OFFCORE_1 },
	{ UARCH_SAPPHIRE_RAPIDS, UARCH_LION_COVE, 0x012a, PMC_REGISTER_OFFCORE_0 },
	{ UARCH_SAPPHIRE_RAPIDS, UARCH_LION_COVE, 0x012b, PMC_REGISTER_OFFCORE_1 },
	{ UARCH_SKYLAKE, UARCH_SAPPHIRE_RAPIDS, 0x01c6, PMC_REGISTER_FRONTEND },
	{ UARCH_REDWOOD_COVE, UARCH_LION_COVE, 0x02c6, PMC_REGISTER_FRONTEND },
	{ UARCH_REDWOOD_COVE, UARCH_LION_COVE, 0x03c6, PMC_REGISTER_FRONTEND },
	{ UARCH_SAPPHIRE_RAPIDS, UARCH_LION_COVE, 0x40ad, PMC_REGISTER_FRONTEND },
	{ UARCH_SAPPHIRE_RAPIDS, UARCH_LION_COVE, 0x04c2, PMC_REGISTER_FRONTEND },
};

static const struct {
	uint32_t msr;
	const char *term;
} registers[] = {
	[PMC_REGISTER_NONE] = { 0, "config1" },
	[PMC_REGISTER_OFFCORE_0] = { 0x1a6, "offcore_rsp" },
	[PMC_REGISTER_OFFCORE_1] = { 0x1a7, "offcore_rsp" },
	[PMC_REGISTER_FRONTEND] = { 0x3f7, "frontend" },
};

static enum core_uarch uarch_of(const struct pmc_processor *processor, uint32_t core_type)
{
	if (processor->layout != PMC_LAYOUT_CORE ||
	    (processor->is_hybrid && core_type != PMC_CORE_TYPE_CORE))
		return UARCH_UNKNOWN;
	return pmc_core_uarch(processor);
}

enum pmc_register pmc_register_of(const struct pmc_processor *processor, uint32_t core_type,
				  uint64_t select)
{
	enum core_uarch uarch = uarch_of(processor, core_type ? core_type : processor->core_type);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (uarch >= rows[i].first && uarch <= rows[i].last &&
		    (select & NUMBER_AND_MASK) == rows[i].select)
			return rows[i].number;
	return PMC_REGISTER_NONE;
}

enum pmc_register pmc_register_of_msr(uint64_t msr)
{
	size_t i;

	for (i = 1; i < ARRAY_SIZE(registers); i++)
		if (registers[i].msr == msr)
			return i;
	return PMC_REGISTER_NONE;
}

/* Event numbers of the first and the second register */
static const uint8_t offcore_numbers[][2] = { { 0xb7, 0xbb }, { 0x2a, 0x2b } };

uint64_t pmc_register_offcore_select(uint64_t select, enum pmc_register number)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(offcore_numbers); i++)
		if ((select & 0xff) == offcore_numbers[i][0] ||
		    (select & 0xff) == offcore_numbers[i][1])
			return (select & ~0xffULL) |
			       offcore_numbers[i][number == PMC_REGISTER_OFFCORE_1];
	return select;
}

const char *pmc_register_reason(uint64_t select)
{
	uint64_t event = select & NUMBER_AND_MASK;

	/*
	 * MEM_TRANS_RETIRED.LOAD_LATENCY; Nehalem: MEM_INST_RETIRED.LATENCY_ABOVE_THRESHOLD;
	 * Atom: MEM_UOPS_RETIRED.LOAD_LATENCY
	 */
	if (event == 0x01cd || event == 0x100b || event == 0x05d0)
		return LOAD_LATENCY_REASON;
	return "needs an extra register, which the driver does not set";
}

const char *pmc_register_term(enum pmc_register number)
{
	return registers[number].term;
}

bool pmc_register_is_term(const struct pmc_token *token)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(registers); i++)
		if (pmc_token_equals(token, registers[i].term))
			return true;
	return false;
}

int pmc_register_choose(struct pmc_register_values *values, const struct pmc_event *event)
{
	enum pmc_register first = event->extra_register, last = first, number;
	const uint64_t wanted[] = { event->event_extra, 0 };
	size_t i;

	if (!event->extra_register)
		return PMC_REGISTER_NONE;
	if (event->either) {
		first = PMC_REGISTER_OFFCORE_0;
		last = PMC_REGISTER_OFFCORE_1;
	}
	/* one with this value already, else a free one */
	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		for (number = first; number <= last; number++)
			if (values->value[number] == wanted[i]) {
				values->value[number] = event->event_extra;
				return number;
			}
	return -1;
}

bool pmc_register_conflict(const struct pmc_event *a, const struct pmc_event *b)
{
	return a->extra_register && a->extra_register == b->extra_register &&
	       a->event_extra != b->event_extra;
}

/* ---- check ---- */

int pmc_register_set(struct pmc_event *event, uint64_t value)
{
	if (!value)
		return 0;
	if (event->register_term)
		return pmc_fail(EINVAL, "event '%s': the name has its own value: omit %s=",
				event->name, event->register_term);
	event->event_extra = value;
	return 0;
}

static int fail_no_register(const struct pmc_event *event)
{
	return pmc_fail(EINVAL,
			"event '%s': no register selects what this event counts here: omit %s=",
			event->name, event->register_term);
}

static int fail_other_term(const struct pmc_event *event)
{
	return pmc_fail(EINVAL, "event '%s': its register is set by %s=, not by %s=", event->name,
			pmc_register_term(event->extra_register), event->register_term);
}

int pmc_register_check_value(const struct pmc_event *event)
{
	if (!event->extra_register || event->event_extra)
		return 0;
	return pmc_fail(EINVAL,
			"event '%s': a register selects what it counts: write it as cpu/event=0x%llx,umask=0x%llx,%s=VALUE/",
			event->name, (unsigned long long)event->select & 0xff,
			(unsigned long long)event->select >> 8 & 0xff,
			pmc_register_term(event->extra_register));
}

int pmc_register_check(struct pmc_event *event, const struct pmc_processor *processor)
{
	const char *term = event->register_term;

	event->extra_register = pmc_register_of(processor, event->core_type, event->select);
	if (!event->extra_register)
		return term ? fail_no_register(event) : 0;
	if (term && strcmp(term, "config1") &&
	    strcmp(term, pmc_register_term(event->extra_register)))
		return fail_other_term(event);
	return 0;
}
