// SPDX-License-Identifier: LGPL-2.1-or-later
/* The vendors' event files as a source of event names */
#include <errno.h>
#include <string.h>

#include "constraint.h"
#include "core_type.h"
#include "error.h"
#include "event_files.h"
#include "extra_register.h"
#include "name_source.h"
#include "resolve.h"

/* ---- core types ---- */

/* Whether an event is one of the cores that names are looked up for */
static bool is_usable(const struct pmc_processor *processor, const struct pmc_json_event *event)
{
	if (!processor->is_hybrid)
		return event->core_type != PMC_CORE_TYPE_ATOM;
	return event->core_type &&
	       (!processor->core_type || event->core_type == processor->core_type);
}

/* Whether the events of a name are one and the same on both core types */
static bool is_shared(const struct pmc_json_event *event, size_t num)
{
	return num == 2 && event[0].core_type && pmc_json_event_equal(&event[0], &event[1]);
}

/* ---- look-up ---- */

/* NAME or NAME:MASK as the files write it. Return: whether it fits into @text. */
static bool join(const struct pmc_token *name, const struct pmc_token *masks, size_t num_masks,
		 char *text, size_t size)
{
	size_t used = name->len, i;

	if (used >= size)
		return false;
	memcpy(text, name->text, name->len);
	for (i = 0; i < num_masks; i++) {
		if (used + masks[i].len + 1 >= size)
			return false;
		text[used++] = '.';
		memcpy(text + used, masks[i].text, masks[i].len);
		used += masks[i].len;
	}
	text[used] = '\0';
	return true;
}

/* The architectural event of a fixed counter, or NULL */
static const struct pmc_arch_event *arch_event(int fixed)
{
	size_t i;

	for (i = 0; i < pmc_num_arch_events && fixed != JSON_NO_FIXED; i++)
		if (pmc_arch_events[i].fixed == fixed)
			return &pmc_arch_events[i];
	return NULL;
}

/* Why the event cannot be counted, or NULL */
static const char *refusal(const struct pmc_processor *processor,
			   const struct pmc_json_event *event)
{
	enum pmc_register number = pmc_register_of_msr(event->msr);

	if (event->refused || !number ||
	    number == pmc_register_of(processor, event->core_type, event->select))
		return event->refused;
	return pmc_register_reason(0);
}

/* Set @event to an event of the files. Return: 0, or -1 after pmc_fail(). */
static int set_event(struct pmc_event *event, const struct pmc_processor *processor,
		     const struct pmc_json_event *found)
{
	const char *refused = refusal(processor, found);

	if (refused)
		return pmc_fail(EOPNOTSUPP, "event '%s': %s", event->name, refused);
	if (pmc_register_set(event, found->event_extra))
		return -1;
	event->either = found->either;
	event->warning = found->warning;
	event->default_period = found->period;
	if (found->fixed != JSON_NO_FIXED) {
		event->arch = arch_event(found->fixed);
		event->select = event->arch->select;
		event->extra |= found->select;
		if (found->fixed_only)
			event->placement = PLACEMENT_FIXED;
		return 0;
	}
	event->select = found->select;
	event->counters = found->counters;
	if (event->layout == PMC_LAYOUT_AMD && !pmc_constraint(processor, event->select))
		return pmc_event_fail_no_counter(event, pmc_constraint_reason(processor,
									      event->select));
	return 0;
}

/*
 * Choose among the events of a name: one that both core types have the same, or that of the
 * only core type. Return: 0; 1 if none is of the processor; or -1 after pmc_fail().
 */
static int choose(const struct pmc_processor *processor, const char *whole,
		  const struct pmc_json_event *event, size_t num,
		  const struct pmc_json_event **chosen, uint32_t *core_type)
{
	const struct pmc_json_event *one;
	uint32_t other = 0;

	*chosen = NULL;
	for (one = event; one < event + num; one++) {
		if (!is_usable(processor, one)) {
			other |= one->core_type;
			continue;
		}
		if (*chosen && !pmc_json_event_equal(*chosen, one))
			return pmc_core_type_fail_ambiguous(whole);
		*chosen = one;
	}
	if (!*chosen) {
		if (!other || !processor->is_hybrid)
			return 1;
		pmc_core_type_fail_other(processor, whole, other);
		return -1;
	}
	*core_type = processor->is_hybrid && !is_shared(event, num) ? (*chosen)->core_type : 0;
	return 0;
}

static int find(struct pmc_event *event, const struct pmc_processor *processor,
		const struct pmc_token *name, const struct pmc_token *masks, size_t num_masks,
		struct pmc_name_failure *failure)
{
	const struct pmc_json_event *first, *chosen;
	const struct pmc_json_table *table;
	char text[PMC_EVENT_NAME_MAX + 1];
	int result;
	size_t num;

	(void)failure;
	if (pmc_event_files_table(processor, &table))
		return -1;
	if (!table || !join(name, masks, num_masks, text, sizeof(text)))
		return 1;
	num = pmc_json_table_find(table, text, &first);
	if (!num)
		return 1;
	result = choose(processor, event->name, first, num, &chosen, &event->core_type);
	return result ? result : set_event(event, processor, chosen);
}

/* ---- list ---- */

static struct pmc_event_row make_row(const struct pmc_processor *processor,
				     const struct pmc_json_event *event, bool shared)
{
	const struct pmc_arch_event *arch = arch_event(event->fixed);
	const char *refused = refusal(processor, event);
	struct pmc_event_row row = {
		.name = event->name,
		.text = event->text,
		.note = refused ? refused : event->warning,
		.source = event->source,
		.select = event->select,
		.counters = event->counters ? event->counters : PMC_ANY_COUNTER,
		.fixed = PMC_NO_FIXED,
		.core_type = shared || !processor->is_hybrid ? 0 : event->core_type,
	};

	if (refused) {
		row.counters = 0;
	} else if (arch) {
		row.select |= arch->select;
		row.counters = event->fixed_only ? 0 : PMC_ANY_COUNTER;
		row.fixed = arch->fixed;
	}
	return row;
}

static int next(const struct pmc_processor *processor, bool annotated, size_t *cursor,
		struct pmc_event_row *row)
{
	const struct pmc_json_event *event, *first;
	const struct pmc_json_table *table;
	size_t num;

	(void)annotated;
	if (pmc_event_files_table(processor, &table))
		return -1;
	while (table && *cursor < table->num) {
		event = &table->event[(*cursor)++];
		if (!is_usable(processor, event))
			continue;
		num = processor->is_hybrid ? pmc_json_table_find(table, event->name, &first) : 0;
		/* The row of the first core type is for both. */
		if (num && is_shared(first, num) && event != first && !processor->core_type)
			continue;
		*row = make_row(processor, event, num && is_shared(first, num));
		return 1;
	}
	return 0;
}

static bool is_refused(const struct pmc_processor *processor, const struct pmc_event_row *row,
		       size_t mask)
{
	(void)processor;
	(void)mask;
	return !row->counters && row->fixed == PMC_NO_FIXED;
}

/* Events have no unit masks: a failure names no event. */
static const struct pmc_event_row *annotated(const struct pmc_processor *processor, void *event)
{
	(void)processor;
	(void)event;
	return NULL;
}

static const char *unavailable(const struct pmc_processor *processor)
{
	const struct pmc_json_table *table;

	if (pmc_event_files_table(processor, &table))
		return "the event files cannot be read";
	return table ? NULL : "there are no event files for this processor";
}

const struct pmc_name_source pmc_json_source = {
	.find = find,
	.next = next,
	.is_refused = is_refused,
	.annotated = annotated,
	.unavailable = unavailable,
};
