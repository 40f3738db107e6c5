// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find the event select of the name of an event */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "constraint.h"
#include "error.h"
#include "modifier.h"
#include "name_source.h"
#include "perf_names.h"
#include "pfm.h"
#include "resolve.h"
#include "event_table.h"
#include "event_select.h"
#include "topdown.h"

/* Maximum number of unit masks after a name of generic.def */
#define GENERIC_MASKS_MAX	8

/* A name and more unit masks than any event has */
#define NAME_TOKENS_MAX		16

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

	if (token->text[-1] == '.' && pmc_modifier_is_known(token))
		return pmc_fail(EINVAL,
				"event '%s': '.' precedes a unit mask, ':' a modifier: write :%.*s",
				event->name, (int)token->len, token->text);
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
	return pmc_fail(EINVAL, "event '%s': the unit mask :%s cannot be combined with another",
			event->name, mask->name);
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

/* rCODE or r0xCODE: the event select in hexadecimal digits */
static bool is_code(const struct pmc_token *name, uint64_t *select)
{
	size_t first = name->len > 3 && !memcmp(name->text, "r0x", 3) ? 3 : 1, i;

	if (name->len <= first || name->len > first + 16 || name->text[0] != 'r')
		return false;
	for (i = first; i < name->len; i++)
		if (!isxdigit((unsigned char)name->text[i]))
			return false;
	*select = strtoull(name->text + first, NULL, 16);
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

bool pmc_resolve_is_arch(const struct pmc_processor *processor, const char *name)
{
	const struct pmc_token token = { name, strlen(name) };
	const struct pmc_arch_event *arch = find_arch_event(&token);

	return arch && (processor->layout == PMC_LAYOUT_CORE || find_generic(processor, arch));
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

/* Return: 0; or 1 if this processor does not have the event. */
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
		return 1;
	event->select = generic->select;
	if (event->occurrences)
		event->select &= ~SELECT_P5_CLOCKS;
	event->counters = generic->counters ? generic->counters :
					      pmc_constraint(processor, generic->select);
	return 0;
}

/* The performance metrics are a register that counts nothing else; also by one of its fields. */
static bool is_perf_metrics(const struct pmc_processor *processor, const struct pmc_token *name)
{
	if (processor->layout != PMC_LAYOUT_CORE)
		return false;
	return pmc_token_equals_name(name, "metrics") || pmc_topdown_field(processor, name) >= 0;
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

static int set_topdown(struct pmc_event *event, const struct pmc_processor *processor,
		       const struct pmc_topdown *topdown)
{
	event->select = topdown->select;
	event->core_type = processor->core_type;
	event->warning = topdown->warning;
	return 0;
}

const char *pmc_names_incomplete_reason(const struct pmc_processor *processor)
{
	const struct pmc_name_source *const *source;
	const char *reason = NULL;

	if (processor->layout == PMC_LAYOUT_P5 || processor->layout == PMC_LAYOUT_P6)
		return NULL;
	for (source = pmc_name_sources; *source; source++) {
		if (!(*source)->unavailable)
			continue;
		reason = (*source)->unavailable(processor);
		if (!reason)
			return NULL;
	}
	return reason;
}

/* ---- all sources of names ---- */

/*
 * The names of architectural events and of perf. DTLB_LOAD_MISSES is an event of Intel's with
 * unit masks, so names of perf with '_' and with unit masks are looked up last.
 * Return: as set_builtin().
 */
static int set_generic(struct pmc_event *event, const struct pmc_processor *processor,
		       const struct pmc_token *name, size_t num_masks)
{
	const struct pmc_arch_event *arch = find_arch_event(name);
	int result = arch ? set_arch(event, processor, arch) : 1;

	if (result > 0 && !num_masks && (arch || !memchr(name->text, '_', name->len)))
		result = pmc_perf_name_find(event, processor, name);
	return result > 0 && arch ? fail_no_event(event, processor) : result;
}

/* Return: 0; 1 if the built-in tables do not have the name; or -1. */
static int set_builtin(struct pmc_event *event, const struct pmc_processor *processor,
		       const struct pmc_token *name, const struct pmc_token *masks,
		       size_t num_masks)
{
	const struct pmc_topdown *topdown = pmc_topdown_find(processor, name);
	struct pmc_event_row row;
	bool code = is_code(name, &event->select);
	int result;

	if (!code && pmc_event_table_find(processor, name, &row)) {
		event->select = pmc_event_table_select(processor, &row);
		if (event->occurrences)
			event->select &= ~SELECT_P5_CLOCKS;
		event->counters = row.counters;
		return set_masks(event, &row, masks, num_masks);
	}
	if (code)
		result = 0;
	else if (topdown && !num_masks)
		result = set_topdown(event, processor, topdown);
	else if (is_perf_metrics(processor, name))
		result = set_perf_metrics(event);
	else
		result = set_generic(event, processor, name, num_masks);
	return !result && num_masks ? fail_unit_mask(event, &masks[0], NULL) : result;
}

/*
 * Of several sources that have the name, the first that can encode the event is used, else
 * the message is that of the last: a unit mask that one does not know (EINVAL) can be in the
 * next. Other failures end the search. Return: 0; 1 if no source has the name; or -1.
 */
static int find_in_sources(struct pmc_event *event, const struct pmc_processor *processor,
			   const struct pmc_token *name, const struct pmc_token *masks,
			   size_t num_masks, struct pmc_name_failure *failure)
{
	const struct pmc_name_source *const *source;
	int result = 1, one;

	for (source = pmc_name_sources; *source; source++) {
		one = (*source)->find(event, processor, name, masks, num_masks, failure);
		if (!one || (one < 0 && errno != EINVAL))
			return one;
		if (one > 0)
			continue;
		failure->source = *source;
		result = one;
	}
	return result;
}

/*
 * A prefix of the name: perf's PMU/.../ of another unit, libpfm4's TABLE::NAME.
 * Return: 1 if there is none, or -1 after pmc_fail().
 */
static int fail_prefix(const struct pmc_event *event, const struct pmc_token *name,
		       const struct pmc_token *masks, size_t num_masks)
{
	const char *slash = memchr(name->text, '/', name->len);

	if (slash)
		return pmc_fail(EINVAL,
				"event '%s': the driver does not count perf's unit '%.*s'; events of the cores are cpu/.../",
				event->name, (int)(slash - name->text), name->text);
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

/* Return: 0; 1 if there is no such name; or -1 with a message or @failure. */
static int find_name(struct pmc_event *event, const struct pmc_processor *processor,
		     const struct pmc_token *name, const struct pmc_token *masks,
		     size_t num_masks, struct pmc_name_failure *failure)
{
	int result = set_builtin(event, processor, name, masks, num_masks);

	if (result > 0)
		result = find_in_sources(event, processor, name, masks, num_masks, failure);
	if (result <= 0)
		return result;
	result = pmc_perf_name_find(event, processor, name);
	return !result && num_masks ? fail_unit_mask(event, &masks[0], NULL) : result;
}

/* Cut Intel's suffix of the precise form of an event. Return: whether it has one. */
static bool cut_precise(struct pmc_token *token)
{
	if (token->len < 4 || strncasecmp(token->text + token->len - 3, "_PS", 3))
		return false;
	token->len -= 3;
	return true;
}

/*
 * In Intel's tables NAME_PS is the event NAME, to be sampled by the processor itself (PEBS): it
 * has the same event select. Tables with the name itself come first.
 */
static int find_precise(struct pmc_event *event, const struct pmc_processor *processor,
			const struct pmc_token *name, const struct pmc_token *masks,
			size_t num_masks)
{
	struct pmc_name_failure failure = { .reason = NAME_COMPLETE };
	struct pmc_token tokens[NAME_TOKENS_MAX];
	int result;

	if (num_masks >= NAME_TOKENS_MAX)
		return 1;
	tokens[0] = *name;
	memcpy(tokens + 1, masks, num_masks * sizeof(*masks));
	if (!cut_precise(&tokens[num_masks]))
		return 1;
	result = find_name(event, processor, &tokens[0], tokens + 1, num_masks, &failure);
	if (result < 0 && failure.reason != NAME_COMPLETE)
		return 1;
	event->precise = !result;
	return result;
}

int pmc_resolve(struct pmc_event *event, const struct pmc_processor *processor,
		const struct pmc_token *name, const struct pmc_token *masks, size_t num_masks,
		struct pmc_name_failure *failure)
{
	const char *uncore, *needs;
	int result, precise;

	if (!name->len)
		return fail_empty();
	result = find_name(event, processor, name, masks, num_masks, failure);
	if (result > 0 || (result < 0 && failure->reason != NAME_COMPLETE)) {
		precise = find_precise(event, processor, name, masks, num_masks);
		if (precise <= 0) {
			failure->reason = NAME_COMPLETE;
			return precise;
		}
	}
	uncore = result > 0 ? pmc_constraint_uncore_reason(processor, name) : NULL;
	if (uncore)
		return pmc_event_fail_no_counter(event, uncore);
	if (result > 0)
		result = fail_prefix(event, name, masks, num_masks);
	if (result <= 0)
		return result;
	failure->name = *name;
	return pmc_fail_name(failure, processor, pmc_perf_name_lacking(processor, name, &needs) ?
			     NAME_LACKING : NAME_UNKNOWN);
}
