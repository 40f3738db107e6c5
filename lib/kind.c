// SPDX-License-Identifier: LGPL-2.1-or-later
/* Kinds of core: their names, and what they have in common */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "kind.h"
#include "words.h"

/* More kinds of core than any processor has */
#define KINDS_MAX	4

/* Our names, and what Linux's perf calls its PMUs */
static const struct {
	uint32_t kind;
	const char *name;
	const char *perf;
} kinds[] = {
	{ PMC_KIND_ATOM, "atom", "cpu_atom" },
	{ PMC_KIND_CORE, "core", "cpu_core" },
};

PMC_API const char *pmc_kind_name(uint32_t kind)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == (kind & ~PMC_CORE_TYPE_MODEL))
			return kinds[i].name;
	return NULL;
}

bool pmc_kind_find(const struct pmc_word *word, uint32_t *kind)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (pmc_word_names(word, kinds[i].name) || pmc_word_names(word, kinds[i].perf)) {
			*kind = kinds[i].kind;
			return true;
		}
	return false;
}

/*
 * The kinds that there are here, one after the other, as the driver tells. Return: how many
 * have been found, at most KINDS_MAX; -1 without the driver.
 */
static int find_kinds(uint32_t found[KINDS_MAX])
{
	int fd = pmc_open_node(PMC_DEVICE), num = 0, cpu, i;
	struct pmc_query query;

	if (fd < 0)
		return -1;
	for (cpu = 0; num < KINDS_MAX && !pmc_query_cpu(fd, cpu, &query); cpu++) {
		for (i = 0; i < num && found[i] != query.core_type; i++)
			;
		if (i == num && query.core_type)
			found[num++] = query.core_type;
	}
	close(fd);
	return num;
}

static int fail_kind(const char *text)
{
	uint32_t found[KINDS_MAX];
	int num = find_kinds(found), i;
	char list[KINDS_MAX * 32] = "";
	size_t used = 0;

	if (num < 0)
		return pmc_fail(EINVAL, "'%s' is no kind of core; there are %s and %s", text,
				kinds[1].name, kinds[0].name);
	if (!num)
		return pmc_fail(EINVAL, "'%s' is no kind of core; this processor has one kind",
				text);
	for (i = 0; i < num && used < sizeof(list); i++)
		used += snprintf(list + used, sizeof(list) - used, "%s%s%s0x%08x%s",
				 !i ? "" : i + 1 < num ? ", " : " and ",
				 pmc_kind_name(found[i]) ? pmc_kind_name(found[i]) : "",
				 pmc_kind_name(found[i]) ? " (" : "", found[i],
				 pmc_kind_name(found[i]) ? ")" : "");
	return pmc_fail(EINVAL, "'%s' is no kind of core; there are %s", text, list);
}

PMC_API int pmc_kind_parse(const char *text, uint32_t *kind)
{
	const struct pmc_word word = { text, strlen(text) };
	uint64_t number;

	if (pmc_kind_find(&word, kind))
		return 0;
	if (!pmc_word_number(&word, UINT32_MAX, &number) || !(number & ~PMC_CORE_TYPE_MODEL))
		return fail_kind(text);
	*kind = number;
	return 0;
}

static bool is_of_kind(const struct pmc_query *query, uint32_t kind)
{
	uint32_t own = kind & PMC_CORE_TYPE_MODEL ? query->core_type :
					       query->core_type & ~PMC_CORE_TYPE_MODEL;

	return !kind || own == kind;
}

PMC_API bool pmc_info_is_of_kind(const struct pmc_info *info, uint32_t kind)
{
	return is_of_kind(&info->query, kind);
}

static uint32_t least(uint32_t a, uint32_t b)
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
		counter.width = least(counter.width, its->width);
		counter.write_width = least(counter.write_width, its->write_width);
		counter.event_select_mask &= its->event_select_mask;
		if (its->period_max < counter.period_max)
			counter.period_max = its->period_max;
		if (counter.holder.kind == PMC_HOLDER_NONE)
			counter.holder = its->holder;
		info->counter[num++] = counter;
	}
	info->num_counters = num;
}

/* What both have */
static void intersect(struct pmc_info *info, const struct pmc_info *other)
{
	struct pmc_query *query = &info->query;

	if ((query->features ^ other->query.features) & PMC_FEATURE(METRICS))
		info->metrics_kind = query->features & PMC_FEATURE(METRICS) ?
				     query->core_type : other->query.core_type;
	intersect_counters(info, other);
	query->general_counters &= other->query.general_counters;
	query->fixed_counters &= other->query.fixed_counters;
	query->general_width = least(query->general_width, other->query.general_width);
	query->fixed_width = least(query->fixed_width, other->query.fixed_width);
	query->event_select_mask &= other->query.event_select_mask;
	query->features &= other->query.features;
	query->events_described = least(query->events_described, other->query.events_described);
	query->events_unavailable |= other->query.events_unavailable;
	info->several_kinds = true;
}

/*
 * The next CPU from *@cpu on that is of @kind, or NULL with errno 0 behind the last: Linux
 * numbers a computer's CPUs without holes.
 */
static struct pmc_info *next_of_kind(int fd, uint32_t kind, int *cpu)
{
	struct pmc_query query;

	for (; !pmc_query_cpu(fd, *cpu, &query); ++*cpu)
		if (query.status != PMC_STATUS_OFFLINE && is_of_kind(&query, kind))
			return pmc_info_get(fd, (*cpu)++);
	if (errno != EINVAL)
		pmc_fail_errno("asking about CPU %d", *cpu);
	else
		errno = 0;
	return NULL;
}

struct pmc_info *pmc_info_get_common(int fd, uint32_t kind)
{
	struct pmc_info *info = pmc_info_get(fd, PMC_CPU_ANY), *other;
	int cpu = 0;

	if (!info || (!kind && !info->query.core_type))
		return info;
	pmc_info_free(info);
	info = next_of_kind(fd, kind, &cpu);
	if (!info) {
		if (!errno)
			pmc_fail(ENODEV, "no CPU here has cores of the kind %s (0x%08x); see 'pmcctl info'",
				 pmc_kind_name(kind) ? pmc_kind_name(kind) : "asked for", kind);
		return NULL;
	}
	while ((other = next_of_kind(fd, kind, &cpu))) {
		if (other->query.core_type != info->query.core_type)
			intersect(info, other);
		pmc_info_free(other);
	}
	if (!errno)
		return info;
	pmc_info_free(info);
	return NULL;
}
