// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists of the events of a processor */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "constraint.h"
#include "core_type.h"
#include "device.h"
#include "error.h"
#include "event_table.h"
#include "name_processor.h"
#include "name_source.h"
#include "netburst.h"
#include "parse.h"
#include "perf_names.h"
#include "pfm_annotate.h"
#include "topdown.h"

/*
 * @row: first member
 * @source: NULL for the library's own tables
 */
struct entry {
	struct pmc_event_row row;
	const struct pmc_name_source *source;
};

/*
 * @processor: with the requested core type
 * @incomplete_reason: see pmc_event_list_incomplete()
 */
struct pmc_event_list {
	struct pmc_processor processor;
	size_t num;
	struct entry *entry;
	const char *incomplete_reason;
};

static int append_from(struct pmc_event_list *list, const struct pmc_name_source *source,
		       const struct pmc_event_row *row)
{
	struct entry *entries;

	entries = realloc(list->entry, (list->num + 1) * sizeof(*entries));
	if (!entries)
		return -1;
	list->entry = entries;
	list->entry[list->num++] = (struct entry){ .row = *row, .source = source };
	return 0;
}

static int append(struct pmc_event_list *list, const struct pmc_event_row *row)
{
	return append_from(list, NULL, row);
}

/* An architectural name. @counters: the general ones that can count it */
static struct pmc_event_row name_row(const struct pmc_arch_event *arch, uint64_t select,
				     uint64_t counters, int fixed)
{
	return (struct pmc_event_row){
		.name = arch->name,
		.alias = arch->alias,
		.perf = pmc_perf_event_name(arch),
		.text = arch->text,
		.source = "architectural",
		.select = select,
		.counters = counters,
		.fixed = fixed,
	};
}

/* CPUID reports no architectural events in a virtual machine without a PMU: allow all. */
static bool is_possible(const struct pmc_query *query, const struct pmc_arch_event *arch)
{
	return !query->perfmon_version || pmc_query_has_event(query, arch);
}

/*
 * The architectural events that this processor has.
 * @unavailable: those that it does not have instead
 */
static int append_arch(struct pmc_event_list *list, bool unavailable)
{
	const struct pmc_arch_event *arch = pmc_arch_events;
	struct pmc_event_row row;
	struct pmc_query query;
	bool general, fixed;
	size_t i;

	pmc_processor_read_cpuid(&query);
	for (i = 0; i < pmc_num_arch_events; i++, arch++) {
		general = arch->general && is_possible(&query, arch);
		fixed = arch->fixed != NO_FIXED &&
			(!query.perfmon_version || query.fixed_counters >> arch->fixed & 1);
		row = name_row(arch, arch->select, general ? PMC_ANY_COUNTER : 0,
			       fixed ? arch->fixed : NO_FIXED);
		if (unavailable == !(general || fixed) && append(list, &row))
			return -1;
	}
	return 0;
}

/* An architectural name for an event of the processor's own table */
static int append_generic(struct pmc_event_list *list, const struct pmc_processor *processor,
			  const struct pmc_arch_event *arch)
{
	struct pmc_name_failure failure;
	struct pmc_event *event;
	struct pmc_event_row row;
	int result = 0;

	if (!pmc_resolve_is_arch(processor, arch->name))
		return 0;
	event = pmc_parse(arch->name, strlen(arch->name), 0, &failure);
	if (!event && errno == ENOMEM)
		return -1;
	if (event) {
		row = name_row(arch, event->select, event->counters, PMC_NO_FIXED);
		row.type = pmc_event_table_type(processor, event->select, event->counters);
		row.text = pmc_generic_text(processor, arch);
		result = append(list, &row);
	}
	pmc_event_free(event);
	return result;
}

/*
 * Ask the driver which CPUs of the requested core type, or of all, have the performance
 * metrics. Return: their row, or one without a name if no CPU has them.
 */
static struct pmc_event_row perf_metrics_row(const struct pmc_processor *processor, int fd)
{
	struct pmc_event_row row = {
		.text = "fractions of the slots by use; count slots beside it, for one thread or one CPU",
		.source = "performance metrics",
		.fixed = PMC_FIXED_PERF_METRICS,
	};
	struct pmc_query query;
	bool unavailable = false;
	uint32_t core_type;
	int cpu;

	for (cpu = 0; !pmc_query_cpu(fd, cpu, &query); cpu++) {
		core_type = query.core_type & ~PMC_CORE_TYPE_MODEL;
		if (query.status == PMC_STATUS_OFFLINE ||
		    (processor->core_type && core_type != processor->core_type))
			continue;
		if (!(query.features & PMC_FEATURE(METRICS))) {
			unavailable = true;
			continue;
		}
		row.name = "metrics";
		row.core_type = core_type;
	}
	if (!unavailable)
		row.core_type = 0;
	return row;
}

/* The number of fields of the register on a core type */
static unsigned int num_perf_metrics_fields(int fd, uint32_t core_type)
{
	struct pmc_info *info = pmc_info_get_common(fd, core_type);
	unsigned int num = 0;
	size_t i;

	for (i = 0; info && i < info->num_counters; i++)
		if (info->counter[i].counter == PMC_COUNTER_METRICS)
			num = info->counter[i].width / 8;
	pmc_info_free(info);
	return num;
}

/* The register, and then its fields, which are other names of it */
static int append_fields(struct pmc_event_list *list, struct pmc_event_row *row, unsigned int num)
{
	unsigned int i;

	if (append(list, row))
		return -1;
	row->source = "performance metrics, perf";
	for (i = 0; i < num; i++) {
		row->name = pmc_perf_metrics_name(i);
		row->text = pmc_perf_metrics_text(i);
		if (append(list, row))
			return -1;
	}
	return 0;
}

static int append_perf_metrics(struct pmc_event_list *list, const struct pmc_processor *processor)
{
	int fd = pmc_device_open_fd(PMC_DEVICE), result = 0;
	struct pmc_event_row row;

	if (fd < 0)
		return 0;
	row = perf_metrics_row(processor, fd);
	if (row.name)
		result = append_fields(list, &row, num_perf_metrics_fields(fd, row.core_type));
	close(fd);
	return result;
}

static int append_topdown(struct pmc_event_list *list, const struct pmc_processor *processor)
{
	const struct pmc_topdown *event;
	struct pmc_event_row row;
	size_t cursor = 0;

	while ((event = pmc_topdown_next(processor, &cursor))) {
		row = (struct pmc_event_row){
			.name = event->name, .text = event->text, .note = event->warning,
			.source = "perf", .select = event->select,
			.counters = pmc_constraint(processor, event->select),
			.fixed = PMC_NO_FIXED, .core_type = processor->core_type,
		};
		if (append(list, &row))
			return -1;
	}
	return 0;
}

/* Perf's names, without those that are names of architectural events here */
static int append_perf_names(struct pmc_event_list *list, const struct pmc_processor *processor)
{
	struct pmc_event_row row;
	size_t cursor = 0;

	while (pmc_perf_name_next(processor, &cursor, &row))
		if (!pmc_resolve_is_arch(processor, row.name) && append(list, &row))
			return -1;
	return 0;
}

static int append_table(struct pmc_event_list *list, const struct pmc_processor *processor)
{
	struct pmc_event_row row;
	size_t cursor = 0, i;

	if (processor->layout == PMC_LAYOUT_CORE)
		return append_arch(list, false) || append_perf_metrics(list, processor) ||
		       append_topdown(list, processor) ? -1 : 0;
	for (i = 0; i < pmc_num_arch_events; i++)
		if (append_generic(list, processor, &pmc_arch_events[i]))
			return -1;
	while (pmc_event_table_next(processor, &cursor, &row)) {
		row.select = pmc_event_table_select(processor, &row);
		if (append(list, &row))
			return -1;
	}
	return 0;
}

/* Counters that can count the event with one of its unit masks */
static uint64_t any_counters(const struct pmc_processor *processor,
			     const struct pmc_event_row *row)
{
	const struct pmc_token name = { row->name, strlen(row->name) };
	struct pmc_processor cores = *processor;
	const struct pmc_unit_mask *mask;
	uint64_t counters = 0;
	size_t i;

	if (!row->counters)
		return 0;
	if (processor->layout == PMC_LAYOUT_NETBURST)
		return pmc_netburst_counters(&name);
	if (row->core_type)
		cores.core_type = row->core_type;
	if (!row->num_unit_masks)
		return pmc_constraint(&cores, row->select);
	for (i = 0; i < row->num_unit_masks; i++) {
		mask = &row->unit_masks[i];
		if (!mask->refused)
			counters |= pmc_constraint(&cores, row->select | mask->bits);
	}
	return counters;
}

/* The text of a row of a source, which can be another name of an architectural event */
static const char *arch_alias_text(const struct pmc_processor *processor,
				   const struct pmc_query *query,
				   const struct pmc_event_row *row)
{
	static const char *const texts[] = {
#define PMC_ARCH_EVENT(name, ...) "another name of " name,
#include "tables/architectural.def"
#undef PMC_ARCH_EVENT
	};
	const struct pmc_arch_event *arch = pmc_arch_events;
	size_t i;

	if (processor->layout != PMC_LAYOUT_CORE || row->num_unit_masks)
		return row->text;
	for (i = 0; i < pmc_num_arch_events; i++, arch++)
		if (arch->general && arch->select == row->select && is_possible(query, arch))
			return texts[i];
	return row->text;
}

static int append_source(struct pmc_event_list *list, const struct pmc_processor *processor,
			 const struct pmc_name_source *source, bool annotated)
{
	struct pmc_event_row row;
	struct pmc_query query;
	size_t cursor = 0;
	int result;

	pmc_processor_read_cpuid(&query);
	while ((result = source->next(processor, annotated, &cursor, &row)) > 0) {
		if (pmc_resolve_is_builtin(processor, row.name))
			continue;
		if (annotated) {
			if (row.counters == PMC_ANY_COUNTER)
				row.counters = any_counters(processor, &row);
			row.text = arch_alias_text(processor, &query, &row);
		}
		if (append_from(list, source, &row))
			return -1;
	}
	return result;
}

/* The events of the first source that has any: the others have the same under other names. */
static int append_sources(struct pmc_event_list *list, const struct pmc_processor *processor,
			  bool annotated)
{
	const struct pmc_name_source *const *source;
	size_t before = list->num;

	for (source = pmc_name_sources; *source && list->num == before; source++)
		if ((*source)->next && append_source(list, processor, *source, annotated))
			return -1;
	return 0;
}

static struct pmc_event_list *get_list(uint32_t core_type, bool annotated)
{
	struct pmc_event_list *list = calloc(1, sizeof(*list));
	const struct pmc_processor *processor;
	int error;

	if (!list)
		goto failed;
	list->processor = pmc_name_processor(core_type);
	processor = &list->processor;
	if (core_type && !processor->is_hybrid) {
		pmc_event_list_free(list);
		pmc_fail(ENODEV, "this processor has one core type");
		return NULL;
	}
	list->incomplete_reason = pmc_names_incomplete_reason(processor);
	if (append_table(list, processor) || append_sources(list, processor, annotated) ||
	    append_perf_names(list, processor))
		goto failed;
	if (processor->layout == PMC_LAYOUT_CORE && append_arch(list, true))
		goto failed;
	return list;

failed:
	error = errno;
	pmc_event_list_free(list);
	errno = error;
	/* a mistake in an event file has its message */
	if (errno == EBADMSG)
		return NULL;
	errno = ENOMEM;
	pmc_fail_errno("listing the events");
	return NULL;
}

PMC_API struct pmc_event_list *pmc_event_list_get(void)
{
	return get_list(0, true);
}

PMC_API struct pmc_event_list *pmc_event_list_get_core_type(uint32_t core_type)
{
	return get_list(core_type, true);
}

PMC_API struct pmc_event_list *pmc_event_list_get_names(uint32_t core_type)
{
	return get_list(core_type, false);
}

PMC_API bool pmc_event_list_is_refused(const struct pmc_event_list *list,
				       const struct pmc_event_row *row, size_t mask)
{
	const struct pmc_name_source *source = ((const struct entry *)row)->source;

	if (!row->counters && row->fixed == NO_FIXED)
		return true;
	return source && source->is_refused(&list->processor, row, mask);
}

PMC_API void pmc_event_list_free(struct pmc_event_list *list)
{
	if (!list)
		return;
	free(list->entry);
	free(list);
}

PMC_API size_t pmc_event_list_num(const struct pmc_event_list *list)
{
	return list->num;
}

PMC_API const struct pmc_event_row *pmc_event_list_row(const struct pmc_event_list *list,
						       size_t index)
{
	return index < list->num ? &list->entry[index].row : NULL;
}

PMC_API const char *pmc_event_list_incomplete(const struct pmc_event_list *list)
{
	return list->incomplete_reason;
}
