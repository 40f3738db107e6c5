// SPDX-License-Identifier: LGPL-2.1-or-later
/* Core types: their names, and the counters that they have in common */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core_type.h"
#include "device.h"
#include "error.h"
#include "info.h"
#include "lex.h"
#include "libpmcevents.h"
#include "processor.h"

/* More core types than any processor has */
#define CORE_TYPES_MAX	4

/* Names, and those of perf's PMUs */
static const struct {
	uint32_t core_type;
	const char *name;
	const char *perf;
} core_types[] = {
	{ PMC_CORE_TYPE_ATOM, "atom", "cpu_atom" },
	{ PMC_CORE_TYPE_CORE, "core", "cpu_core" },
};

PMC_API const char *pmc_core_type_name(uint32_t core_type)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(core_types); i++)
		if (core_types[i].core_type == (core_type & ~PMC_CORE_TYPE_MODEL))
			return core_types[i].name;
	return NULL;
}

bool pmc_core_type_find(const struct pmc_token *token, uint32_t *core_type)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(core_types); i++)
		if (pmc_token_equals_name(token, core_types[i].name) ||
		    pmc_token_equals_name(token, core_types[i].perf)) {
			*core_type = core_types[i].core_type;
			return true;
		}
	return false;
}

/*
 * The core types of the present CPUs, from the driver. Return: their number, at most
 * CORE_TYPES_MAX; -1 without the driver.
 */
static int find_core_types(uint32_t found[CORE_TYPES_MAX])
{
	int fd = pmc_device_open_fd(PMC_DEVICE), num = 0, cpu, i;
	struct pmc_query query;

	if (fd < 0)
		return -1;
	for (cpu = 0; num < CORE_TYPES_MAX && !pmc_query_cpu(fd, cpu, &query); cpu++) {
		for (i = 0; i < num && found[i] != query.core_type; i++)
			;
		if (i == num && query.core_type)
			found[num++] = query.core_type;
	}
	close(fd);
	return num;
}

static int fail_core_type(const char *text)
{
	uint32_t found[CORE_TYPES_MAX];
	int num = find_core_types(found), i;
	char list[CORE_TYPES_MAX * 32] = "";
	size_t used = 0;

	if (num < 0)
		return pmc_fail(EINVAL, "'%s' is not a core type; there are %s and %s", text,
				core_types[1].name, core_types[0].name);
	if (!num)
		return pmc_fail(EINVAL, "'%s' is not a core type; this processor has one core type",
				text);
	for (i = 0; i < num && used < sizeof(list); i++)
		used += snprintf(list + used, sizeof(list) - used, "%s%s%s0x%08x%s",
				 !i ? "" : i + 1 < num ? ", " : " and ",
				 pmc_core_type_name(found[i]) ? pmc_core_type_name(found[i]) : "",
				 pmc_core_type_name(found[i]) ? " (" : "", found[i],
				 pmc_core_type_name(found[i]) ? ")" : "");
	return pmc_fail(EINVAL, "'%s' is not a core type; there are %s", text, list);
}

int pmc_core_type_fail_ambiguous(const char *event)
{
	const struct pmc_hint core_type = { .topic = PMC_HINT_CORE_TYPE, .cpu = PMC_CPU_ANY };
	char hint[128];

	pmc_hint_text(&core_type, hint, sizeof(hint));
	return pmc_fail(EOPNOTSUPP,
			"event '%s': its event select differs between core types: count on one core type (%s or %s), as %s does",
			event, pmc_core_type_name(PMC_CORE_TYPE_CORE),
			pmc_core_type_name(PMC_CORE_TYPE_ATOM), hint);
}

PMC_API int pmc_core_type_parse(const char *text, uint32_t *core_type)
{
	const struct pmc_token token = { text, strlen(text) };
	uint64_t number;

	if (pmc_core_type_find(&token, core_type))
		return 0;
	if (!pmc_token_parse_number(&token, UINT32_MAX, &number) ||
	    !(number & ~PMC_CORE_TYPE_MODEL))
		return fail_core_type(text);
	*core_type = number;
	return 0;
}

int pmc_core_type_fail_other(const struct pmc_processor *processor, const char *event,
			     uint32_t other)
{
	const char *core_type = pmc_core_type_name(processor->core_type);

	return pmc_fail(EOPNOTSUPP,
			"event '%s': the %s%s has no such event, the core type %s has",
			event, core_type ? "core type " : "requested core type",
			core_type ? core_type : "", pmc_core_type_name(other));
}

static bool is_core_type(const struct pmc_query *query, uint32_t core_type)
{
	uint32_t masked = core_type & PMC_CORE_TYPE_MODEL ? query->core_type :
					       query->core_type & ~PMC_CORE_TYPE_MODEL;

	return !core_type || masked == core_type;
}

PMC_API bool pmc_info_has_core_type(const struct pmc_info *info, uint32_t core_type)
{
	return is_core_type(&info->query, core_type);
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static const struct pmc_counter *find_counter(const struct pmc_info *info, uint32_t number)
{
	size_t i;

	for (i = 0; i < info->num_counters; i++)
		if (info->counter[i].counter == number)
			return &info->counter[i];
	return NULL;
}

static void intersect_counters(struct pmc_info *info, const struct pmc_info *other)
{
	size_t i, num = 0;

	for (i = 0; i < info->num_counters; i++) {
		struct pmc_counter counter = info->counter[i];
		const struct pmc_counter *its = find_counter(other, counter.counter);

		if (!its)
			continue;
		counter.width = min_u32(counter.width, its->width);
		counter.write_width = min_u32(counter.write_width, its->write_width);
		counter.event_select_mask &= its->event_select_mask;
		if (its->period_max < counter.period_max)
			counter.period_max = its->period_max;
		if (counter.holder.kind == PMC_HOLDER_NONE)
			counter.holder = its->holder;
		info->counter[num++] = counter;
	}
	info->num_counters = num;
}

/* The counters and features that both have */
static void intersect(struct pmc_info *info, const struct pmc_info *other)
{
	struct pmc_query *query = &info->query;

	if ((query->features ^ other->query.features) & PMC_FEATURE(METRICS))
		info->perf_metrics_core_type = query->features & PMC_FEATURE(METRICS) ?
				     query->core_type : other->query.core_type;
	intersect_counters(info, other);
	query->general_counters &= other->query.general_counters;
	query->fixed_counters &= other->query.fixed_counters;
	query->general_width = min_u32(query->general_width, other->query.general_width);
	query->fixed_width = min_u32(query->fixed_width, other->query.fixed_width);
	query->event_select_mask &= other->query.event_select_mask;
	query->features &= other->query.features;
	query->events_described = min_u32(query->events_described, other->query.events_described);
	query->events_unavailable |= other->query.events_unavailable;
	info->is_hybrid = true;
}

/*
 * The next CPU of @core_type from *@cpu on, or NULL with errno 0 after the last. Linux numbers
 * CPUs without gaps.
 */
static struct pmc_info *next_cpu_of_core_type(int fd, uint32_t core_type, int *cpu)
{
	struct pmc_query query;

	for (; !pmc_query_cpu(fd, *cpu, &query); ++*cpu)
		if (query.status != PMC_STATUS_OFFLINE && is_core_type(&query, core_type))
			return pmc_info_get(fd, (*cpu)++);
	if (errno != EINVAL)
		pmc_fail_errno("querying CPU %d", *cpu);
	else
		errno = 0;
	return NULL;
}

static int fail_no_cpu(uint32_t core_type)
{
	const struct pmc_hint cpu = { .topic = PMC_HINT_CPU, .cpu = PMC_CPU_ANY };
	const char *name = pmc_core_type_name(core_type);
	char hint[128];

	pmc_hint_text(&cpu, hint, sizeof(hint));
	return pmc_fail(ENODEV, "no CPU has the core type %s%s0x%08x%s; see %s", name ? name : "",
			name ? " (" : "", core_type, name ? ")" : "", hint);
}

struct pmc_info *pmc_info_get_common(int fd, uint32_t core_type)
{
	struct pmc_info *info = pmc_info_get(fd, PMC_CPU_ANY), *other;
	int cpu = 0;

	if (!info || (!core_type && !info->query.core_type))
		return info;
	pmc_info_free(info);
	info = next_cpu_of_core_type(fd, core_type, &cpu);
	if (!info) {
		if (!errno)
			fail_no_cpu(core_type);
		return NULL;
	}
	while ((other = next_cpu_of_core_type(fd, core_type, &cpu))) {
		if (other->query.core_type != info->query.core_type)
			intersect(info, other);
		pmc_info_free(other);
	}
	if (!errno)
		return info;
	pmc_info_free(info);
	return NULL;
}

PMC_API struct pmc_info *pmc_device_get_info_core_type(struct pmc_device *device,
						       uint32_t core_type)
{
	return pmc_info_get_common(device->fd, core_type);
}
