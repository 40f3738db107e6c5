// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tables of libpfm4
 *
 * libpfm4 detects the processor itself (LIBPFM_FORCE_PMU in the environment overrides this). It
 * has one table for the processor; on a hybrid processor, one for each core type.
 */
#ifdef HAVE_LIBPFM
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "core_type.h"
#include "error.h"
#include "pfm_table.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct pmc_pfm_table tables[PFM_TABLES_MAX];
static size_t num_tables;

/* Protects the cache entries of all events */
static pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;

/* tables/architectural.def has the architectural events. */
static bool is_supported(const pfm_pmu_info_t *info)
{
	return info->is_present && info->type == PFM_PMU_TYPE_CORE &&
	       info->pmu != PFM_PMU_INTEL_X86_ARCH;
}

/* libpfm4 has the core type only in names: of cores, and Intel's of the two core types. */
static const struct {
	uint32_t core_type;
	const char *name;
	const char *description;
} kinds[] = {
	{ PMC_CORE_TYPE_CORE, "_glc", "(P-Core)" },
	{ PMC_CORE_TYPE_ATOM, "_grt", "(E-Core)" },
};

static uint32_t table_core_type(const pfm_pmu_info_t *info)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strstr(info->name, kinds[i].name) ||
		    (info->desc && strstr(info->desc, kinds[i].description)))
			return kinds[i].core_type;
	return 0;
}

static bool get_event(int index, pfm_event_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_event_info(index, PFM_OS_NONE, info) == PFM_SUCCESS;
}

static void load_events(struct pmc_pfm_table *table)
{
	int index;

	table->event = calloc(table->info.nevents, sizeof(*table->event));
	if (!table->event)
		return;
	for (index = table->info.first_event; index != -1; index = pfm_get_event_next(index))
		if (table->num < (size_t)table->info.nevents &&
		    get_event(index, &table->event[table->num].info))
			table->event[table->num++].table = table;
}

/* A second table must be for another core type than the first. */
static bool is_other_core_type(const pfm_pmu_info_t *info)
{
	return !num_tables ||
		(num_tables < PFM_TABLES_MAX && tables[0].core_type && table_core_type(info) &&
		 table_core_type(info) != tables[0].core_type);
}

static void choose_tables(void)
{
	pfm_pmu_info_t info;
	pfm_err_t error;
	pfm_pmu_t pmu;

	if (pfm_initialize() != PFM_SUCCESS)
		return;
	/* A newer library can have more PMUs than the header of this build. */
	for (pmu = PFM_PMU_NONE;; pmu++) {
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		error = pfm_get_pmu_info(pmu, &info);
		if (error == PFM_ERR_INVAL)
			return;
		if (error != PFM_SUCCESS || !is_supported(&info) || !is_other_core_type(&info))
			continue;
		tables[num_tables].info = info;
		tables[num_tables].core_type = table_core_type(&info);
		load_events(&tables[num_tables++]);
	}
}

enum pmc_layout pmc_pfm_layout(const struct pmc_pfm_table *table)
{
	switch (table->info.pmu) {
	case PFM_PMU_I386_P6:
	case PFM_PMU_INTEL_PPRO:
	case PFM_PMU_INTEL_PII:
	case PFM_PMU_I386_PM:
		return PMC_LAYOUT_P6;
	case PFM_PMU_INTEL_NETBURST:
	case PFM_PMU_INTEL_NETBURST_P:
		return PMC_LAYOUT_NETBURST;
	default:
		return strncmp(table->info.name, "amd64_", 6) ? PMC_LAYOUT_CORE :
								PMC_LAYOUT_AMD;
	}
}

/*
 * A processor with one core type uses the first table. A hybrid processor does not use a table
 * of unknown core type.
 */
static bool matches_processor(const struct pmc_pfm_table *table,
			      const struct pmc_processor *processor)
{
	if (pmc_pfm_layout(table) != processor->layout)
		return false;
	if (!processor->is_hybrid)
		return table == &tables[0];
	return table->core_type &&
		(!processor->core_type || table->core_type == processor->core_type);
}

struct pmc_pfm_table *pmc_pfm_table(const struct pmc_processor *processor, size_t n)
{
	size_t i;

	pthread_once(&once, choose_tables);
	for (i = 0; i < num_tables; i++)
		if (matches_processor(&tables[i], processor) && !n--)
			return &tables[i];
	return NULL;
}

const struct pmc_pfm_table *pmc_pfm_first_table(void)
{
	pthread_once(&once, choose_tables);
	return num_tables ? &tables[0] : NULL;
}

struct pmc_pfm_event *pmc_pfm_find(struct pmc_pfm_table *table, const struct pmc_token *name)
{
	size_t i;

	for (i = 0; i < table->num; i++)
		if (pmc_token_equals_name(name, table->event[i].info.name))
			return &table->event[i];
	return NULL;
}

/* ---- what is made when it is asked for ---- */

void *pmc_pfm_cache_get(void **slot)
{
	void *object;

	pthread_mutex_lock(&events_lock);
	object = *slot;
	pthread_mutex_unlock(&events_lock);
	return object;
}

bool pmc_pfm_cache_put(void **slot, void *object)
{
	bool first;

	pthread_mutex_lock(&events_lock);
	first = !*slot;
	if (first)
		*slot = object;
	pthread_mutex_unlock(&events_lock);
	return first;
}

/* Return: whether the attribute is a unit mask. */
static bool get_mask(int event, int index, pfm_event_attr_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_event_attr_info(event, index, PFM_OS_NONE, info) == PFM_SUCCESS &&
	       info->type == PFM_ATTR_UMASK;
}

const struct pmc_pfm_masks *pmc_pfm_masks(struct pmc_pfm_event *event)
{
	struct pmc_pfm_masks *masks = pmc_pfm_cache_get(&event->masks);
	int i;

	if (masks)
		return masks;
	masks = calloc(1, sizeof(*masks) + event->info.nattrs * sizeof(masks->mask[0]));
	if (!masks) {
		pmc_fail_errno("the unit masks of an event");
		return NULL;
	}
	for (i = 0; i < event->info.nattrs; i++)
		masks->num += get_mask(event->info.idx, i, &masks->mask[masks->num]);
	if (pmc_pfm_cache_put(&event->masks, masks))
		return masks;
	free(masks);
	return pmc_pfm_cache_get(&event->masks);
}

const pfm_event_attr_info_t *pmc_pfm_find_mask(const struct pmc_pfm_masks *masks,
					       const struct pmc_token *token)
{
	size_t i;

	for (i = 0; i < masks->num; i++)
		if (pmc_token_equals_name(token, masks->mask[i].name))
			return &masks->mask[i];
	return NULL;
}

int pmc_pfm_codes(const char *text, uint64_t *codes, int *num_codes)
{
	pfm_pmu_encode_arg_t argument = {
		.codes = codes,
		.size = sizeof(argument),
		.count = PFM_CODES_MAX,
	};
	int error = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &argument);

	*num_codes = argument.count;
	return error;
}

#endif /* HAVE_LIBPFM */
