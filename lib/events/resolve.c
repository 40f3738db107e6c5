// SPDX-License-Identifier: LGPL-2.1-or-later
/* From the name of an event to its event select */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "constraint.h"
#include "core_type.h"
#include "error.h"
#include "modifier.h"
#include "netburst.h"
#include "pfm.h"
#include "resolve.h"
#include "event_table.h"
#include "event_select.h"

/* Unit masks behind a name of generic.def at most */
#define GENERIC_MASKS_MAX	8

static const struct generic {
	enum pmc_layout layout;
	const char *name;
	const char *event;
	const char *text;
	uint64_t select;
	uint64_t counters;
	unsigned int first;
	unsigned int last;
} generics[] = {
#define PMC_GENERIC_TEXTS(name, event) name, event, "on this processor: " event
#define PMC_GENERIC_EVENT(layout, name, event, select, counters) \
	{ PMC_LAYOUT_##layout, PMC_GENERIC_TEXTS(name, event), select, counters, 0, ~0U },
#define PMC_GENERIC_NETBURST(name, event, select, counters) \
	PMC_GENERIC_EVENT(NETBURST, name, event, select, counters)
#define PMC_GENERIC_AMD(first, last, name, event, select) \
	{ PMC_LAYOUT_AMD, PMC_GENERIC_TEXTS(name, event), select, 0, first, last },
#include "tables/generic.def"
#undef PMC_GENERIC_TEXTS
#undef PMC_GENERIC_EVENT
#undef PMC_GENERIC_NETBURST
#undef PMC_GENERIC_AMD
};

/* ---- unit masks of the built-in tables ---- */

static const struct pmc_unit_mask *find_mask(const struct pmc_event_row *row,
					     const struct pmc_token *token)
{
	size_t i;

	for (i = 0; i < row->num_unit_masks; i++)
		if (pmc_token_equals_name(token, row->unit_masks[i].name))
			return &row->unit_masks[i];
	return NULL;
}

static void list_unit_masks(const struct pmc_event_row *row, char *text, size_t size)
{
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < row->num_unit_masks && used < size; i++)
		used += snprintf(text + used, size - used, "%s:%s", i ? " " : "",
				 row->unit_masks[i].name);
}

static int fail_unit_mask(const struct pmc_event *event, const struct pmc_token *token,
			  const struct pmc_event_row *row)
{
	char masks[256];

	if (!row || !row->num_unit_masks)
		return pmc_fail(EINVAL, "event '%s': unknown modifier ':%.*s'%s; there are %s",
				event->name, (int)token->len, token->text,
				pmc_modifier_advice(token), pmc_modifiers(event->layout));
	list_unit_masks(row, masks, sizeof(masks));
	return pmc_fail(EINVAL,
			"event '%s': unknown unit mask or modifier ':%.*s'%s; there are %s, and %s",
			event->name, (int)token->len, token->text, pmc_modifier_advice(token),
			masks, pmc_modifiers(event->layout));
}

static int fail_not_alone(const struct pmc_event *event, const struct pmc_unit_mask *mask)
{
	return pmc_fail(EINVAL, "event '%s': the unit mask :%s goes with no other", event->name,
			mask->name);
}

static int preset_masks(struct pmc_event *event, const struct pmc_event_row *row)
{
	char masks[256];
	size_t i;

	if (!row->num_unit_masks)
		return 0;
	for (i = 0; i < row->num_unit_masks; i++)
		if (row->unit_masks[i].preset) {
			event->select |= row->unit_masks[i].bits;
			return 0;
		}
	list_unit_masks(row, masks, sizeof(masks));
	return pmc_fail(EINVAL, "event '%s': %s needs a unit mask, one or more of %s",
			event->name, row->name, masks);
}

static int set_masks(struct pmc_event *event, const struct pmc_event_row *row,
		     const struct pmc_token *unit_masks, size_t num_unit_masks)
{
	const struct pmc_unit_mask *mask;
	size_t i;

	if (!num_unit_masks)
		return preset_masks(event, row);
	for (i = 0; i < num_unit_masks; i++) {
		mask = find_mask(row, &unit_masks[i]);
		if (!mask)
			return fail_unit_mask(event, &unit_masks[i], row);
		if (num_unit_masks > 1 && !mask->combines)
			return fail_not_alone(event, mask);
		event->select |= mask->bits;
	}
	return 0;
}

/* ---- names ---- */

/* rCODE: the event select in hexadecimal digits */
static bool is_code(const struct pmc_token *name, uint64_t *select)
{
	size_t i;

	if (name->len < 2 || name->len > 17 || name->text[0] != 'r')
		return false;
	for (i = 1; i < name->len; i++)
		if (!isxdigit((unsigned char)name->text[i]))
			return false;
	*select = strtoull(name->text + 1, NULL, 16);
	return true;
}

static const struct pmc_arch_event *find_arch_event(const struct pmc_token *name)
{
	size_t i;

	for (i = 0; i < pmc_num_arch_events; i++)
		if (pmc_token_equals_name(name, pmc_arch_events[i].name) ||
		    pmc_token_equals_name(name, pmc_arch_events[i].alias) ||
		    (pmc_perf_event_name(&pmc_arch_events[i]) &&
		     pmc_token_equals_name(name, pmc_perf_event_name(&pmc_arch_events[i]))))
			return &pmc_arch_events[i];
	return NULL;
}

bool pmc_resolve_is_builtin(const struct pmc_processor *processor, const char *name)
{
	const struct pmc_token token = { name, strlen(name) };
	struct pmc_event_row row;

	return find_arch_event(&token) || pmc_event_table_find(processor, &token, &row);
}

/* The event of a processor without architectural events for an architectural name */
static const struct generic *find_generic(const struct pmc_processor *processor,
					  const struct pmc_arch_event *arch)
{
	uint64_t number;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(generics); i++) {
		if (generics[i].layout != processor->layout ||
		    processor->family < generics[i].first ||
		    processor->family > generics[i].last || strcmp(generics[i].name, arch->name))
			continue;
		/* Every processor of these layouts has the event. */
		if (processor->layout == PMC_LAYOUT_NETBURST ||
		    processor->layout == PMC_LAYOUT_AMD)
			return &generics[i];
		number = pmc_event_select_number(processor->layout, generics[i].select);
		return pmc_event_table_counters(processor, number) ? &generics[i] : NULL;
	}
	return NULL;
}

/* Whether the parser accepts the processor's own name: not every libpfm4 has it. */
static bool has_native_name(const struct pmc_processor *processor, const struct generic *generic)
{
	struct pmc_token name = { generic->event, strcspn(generic->event, ":") };
	struct pmc_token masks[GENERIC_MASKS_MAX], *mask;
	const char *behind = name.text + name.len;
	struct pmc_event_row row;
	struct pmc_name_failure failure;
	struct pmc_pfm_code code;

	if (pmc_event_table_find(processor, &name, &row))
		return true;
	for (mask = masks; *behind; behind = mask->text + mask->len, mask++)
		*mask = (struct pmc_token){ behind + 1, strcspn(behind + 1, ":") };
	return !pmc_pfm_encode(processor, generic->event, &name, masks, mask - masks, &code,
			       &failure) &&
	       code.select == generic->select;
}

const char *pmc_generic_text(const struct pmc_processor *processor,
			     const struct pmc_arch_event *arch)
{
	const struct generic *generic = find_generic(processor, arch);

	return generic && has_native_name(processor, generic) ? generic->text : arch->text;
}

/* A reference to the list of events. @text: room for it */
static const char *list_hint(char *text, size_t size)
{
	const struct pmc_hint events = { .topic = PMC_HINT_EVENTS, .cpu = PMC_CPU_ANY };

	pmc_hint_text(&events, text, size);
	return text;
}

static int fail_no_event(const struct pmc_event *event, const struct pmc_processor *processor)
{
	char hint[128];

	return pmc_fail(EOPNOTSUPP, "event '%s': %s has no such event; see %s", event->name,
			pmc_processor_text(processor), list_hint(hint, sizeof(hint)));
}

static int set_arch(struct pmc_event *event, const struct pmc_processor *processor,
		    const struct pmc_arch_event *arch)
{
	const struct generic *generic;

	if (processor->layout == PMC_LAYOUT_CORE) {
		event->arch = arch;
		event->select = arch->select;
		return 0;
	}
	generic = find_generic(processor, arch);
	if (!generic)
		return fail_no_event(event, processor);
	event->select = generic->select;
	event->counters = generic->counters ? generic->counters :
					      pmc_constraint(processor, generic->select);
	return 0;
}

/* The performance metrics are a register that counts nothing else. */
static bool is_perf_metrics(const struct pmc_processor *processor, const struct pmc_token *name)
{
	return processor->layout == PMC_LAYOUT_CORE && pmc_token_equals_name(name, "metrics");
}

static int fail_perf_metrics(const struct pmc_event *event)
{
	const struct pmc_hint metrics = {
		.topic = PMC_HINT_PERF_METRICS, .cpu = PMC_CPU_ANY, .text = ":u",
	};
	char hint[128];

	pmc_hint_text(&metrics, hint, sizeof(hint));
	return pmc_fail(EINVAL,
			"event '%s': the performance metrics have no modifiers but :u and :k, as in %s",
			event->name, hint);
}

static int set_perf_metrics(struct pmc_event *event)
{
	if (event->placement != PLACEMENT_ANY || event->extra)
		return fail_perf_metrics(event);
	event->placement = PLACEMENT_COUNTER;
	event->counter = PMC_COUNTER_METRICS;
	return 0;
}

/* ---- libpfm4 ---- */

/*
 * In libpfm4 event number 0 means a fixed counter; the unit mask is the counter's number plus
 * one. Some tables have number 0 by mistake (4.13: Ice Lake's TOPDOWN:BACKEND_BOUND_SLOTS,
 * Goldmont's CPU_CLK_UNHALTED:REF), so only these unit masks are accepted.
 */
static const struct {
	const char *mask;
	int fixed;
} fixed_masks[] = {
	{ "ANY", 0 }, { "PREC_DIST", 0 }, { "CORE", 1 }, { "THREAD", 1 }, { "REF_TSC", 2 },
	{ "SLOTS", 3 },
};

static bool is_fixed_modifier(const struct pmc_token *mask, int fixed)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fixed_masks); i++)
		if (fixed_masks[i].fixed == fixed &&
		    pmc_token_equals_name(mask, fixed_masks[i].mask))
			return true;
	return false;
}

static int set_fixed_only(struct pmc_event *event, const struct pmc_token *masks,
			  size_t num_masks)
{
	int fixed = (int)(event->select >> 8 & 0xff) - 1;
	size_t i;

	for (i = 0; i < pmc_num_arch_events; i++) {
		if (num_masks != 1 || !is_fixed_modifier(&masks[0], fixed) ||
		    pmc_arch_events[i].fixed != fixed)
			continue;
		event->arch = &pmc_arch_events[i];
		event->select = event->arch->select;
		event->placement = PLACEMENT_FIXED;
		return 0;
	}
	return pmc_fail(EOPNOTSUPP,
			"event '%s': libpfm4 has no event number for it; give it as a raw code, from the processor's manual",
			event->name);
}

static int fail_amd(const struct pmc_event *event, const char *reason)
{
	return pmc_fail(EOPNOTSUPP, "event '%s': no counter of a core can count it: %s",
			event->name, reason);
}

/* Refuse an event that no counter can count according to the tables. */
static int check_amd(const struct pmc_event *event, const struct pmc_processor *processor)
{
	if (pmc_constraint(processor, event->select))
		return 0;
	return fail_amd(event, pmc_constraint_reason(processor, event->select));
}

/* Return: as pmc_pfm_encode(). */
static int set_pfm(struct pmc_event *event, const struct pmc_processor *processor,
		   const struct pmc_token *name, const struct pmc_token *masks, size_t num_masks,
		   struct pmc_name_failure *failure)
{
	struct pmc_pfm_code code;
	int result = pmc_pfm_encode(processor, event->name, name, masks, num_masks, &code,
				    failure);

	if (result)
		return result;
	event->select = code.select;
	event->core_type = code.core_type;
	if (event->layout == PMC_LAYOUT_CORE && !(event->select & 0xff))
		return set_fixed_only(event, masks, num_masks);
	if (event->layout == PMC_LAYOUT_AMD)
		return check_amd(event, processor);
	if (event->layout != PMC_LAYOUT_NETBURST)
		return 0;
	event->counters = pmc_netburst_counters(name);
	if (event->counters)
		return 0;
	return pmc_fail(EOPNOTSUPP,
			"event '%s': in the manual its ESCR select is that of other events; no counter is known for it",
			event->name);
}

const char *pmc_names_incomplete_reason(const struct pmc_processor *processor)
{
	if (processor->layout == PMC_LAYOUT_P5 || processor->layout == PMC_LAYOUT_P6)
		return NULL;
	return pmc_pfm_unavailable_reason(processor);
}

/* ---- all sources of names ---- */

/* Return: 0; 1 if the built-in tables do not have the name; or -1. */
static int set_builtin(struct pmc_event *event, const struct pmc_processor *processor,
		       const struct pmc_token *name, const struct pmc_token *masks,
		       size_t num_masks)
{
	const struct pmc_arch_event *arch;
	struct pmc_event_row row;
	bool code = is_code(name, &event->select);

	if (!code && pmc_event_table_find(processor, name, &row)) {
		event->select = row.select;
		event->counters = row.counters;
		return set_masks(event, &row, masks, num_masks);
	}
	arch = code ? NULL : find_arch_event(name);
	if (!code && !arch && !is_perf_metrics(processor, name))
		return 1;
	if (num_masks)
		return fail_unit_mask(event, &masks[0], NULL);
	if (is_perf_metrics(processor, name))
		return set_perf_metrics(event);
	return arch ? set_arch(event, processor, arch) : 0;
}

static int fail_core_type_prefix(const struct pmc_event *event, uint32_t core_type)
{
	const struct pmc_hint hint = {
		.topic = PMC_HINT_CORE_TYPE, .cpu = PMC_CPU_ANY, .core_type = core_type,
	};
	char text[128];

	pmc_hint_text(&hint, text, sizeof(text));
	return pmc_fail(EINVAL,
			"event '%s': write the name alone and count on the core type %s, as %s does",
			event->name, pmc_core_type_name(core_type), text);
}

/*
 * A prefix of the name: perf writes cpu_atom/NAME/, libpfm4 TABLE::NAME.
 * Return: 1 if there is none, or -1 after pmc_fail().
 */
static int fail_prefix(const struct pmc_event *event, const struct pmc_token *name,
		       const struct pmc_token *masks, size_t num_masks)
{
	const char *slash = memchr(name->text, '/', name->len);
	struct pmc_token before = { name->text, slash ? (size_t)(slash - name->text) : 0 };
	uint32_t core_type;

	if (slash && pmc_core_type_find(&before, &core_type))
		return fail_core_type_prefix(event, core_type);
	if (num_masks > 1 && !masks[0].len)
		return pmc_fail(EINVAL,
				"event '%s': write '%s' without its table; on a hybrid processor, choose the core type",
				event->name, masks[1].text);
	return 1;
}

static int fail_empty(void)
{
	char hint[128];

	return pmc_fail(EINVAL, "an event without a name; see %s for the names",
			list_hint(hint, sizeof(hint)));
}

int pmc_resolve(struct pmc_event *event, const struct pmc_processor *processor,
		const struct pmc_token *name, const struct pmc_token *masks, size_t num_masks,
		struct pmc_name_failure *failure)
{
	const char *uncore;
	int result;

	if (!name->len)
		return fail_empty();
	result = set_builtin(event, processor, name, masks, num_masks);
	if (result > 0)
		result = set_pfm(event, processor, name, masks, num_masks, failure);
	uncore = result > 0 ? pmc_constraint_uncore_reason(processor, name) : NULL;
	if (uncore)
		return fail_amd(event, uncore);
	if (result > 0)
		result = fail_prefix(event, name, masks, num_masks);
	if (result <= 0)
		return result;
	failure->name = *name;
	return pmc_fail_name(failure, processor, NAME_UNKNOWN);
}
