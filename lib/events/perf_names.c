// SPDX-License-Identifier: LGPL-2.1-or-later
/* The generic event names of Linux's perf */
#include <string.h>

#include "common.h"
#include "constraint.h"
#include "core_type.h"
#include "extra_register.h"
#include "netburst.h"
#include "perf_names.h"

/* ---- sets of processors ---- */

enum set {
#define PMC_PERF_SET(set) SET_##set,
#include "tables/perf-names.def"
};

/* For the expressions of the table */
enum {
#define PMC_PERF_SET(set) set = 1 << SET_##set,
#include "tables/perf-names.def"
};

/* Room for the longest list of models, which ends with 0 */
#define MODELS_MAX	12

static const struct models {
	uint32_t core;
	uint32_t atom;
	uint8_t model[MODELS_MAX];
} models[] = {
#define PMC_PERF_MODELS(sets, ...) { .core = (sets), .model = { __VA_ARGS__ } },
#define PMC_PERF_HYBRID(its_core, its_atom, ...) \
	{ .core = (its_core), .atom = (its_atom), .model = { __VA_ARGS__ } },
#include "tables/perf-names.def"
};

static const struct models *find_models(unsigned int model)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(models); i++)
		for (j = 0; j < MODELS_MAX && models[i].model[j]; j++)
			if (models[i].model[j] == model)
				return &models[i];
	return NULL;
}

/* A hybrid model without core types runs with its cores of type atom off. */
static uint32_t intel_sets(const struct pmc_processor *processor, uint32_t core_type)
{
	const struct models *found = processor->family == 6 ? find_models(processor->model) : NULL;

	if (!found)
		return 0;
	return found->atom && core_type == PMC_CORE_TYPE_ATOM ? found->atom : found->core;
}

/* Zen to Zen 5, as Linux 6.12 classifies them (arch/x86/kernel/cpu/amd.c, bsp_init_amd) */
static uint32_t zen_sets(const struct pmc_processor *processor)
{
	unsigned int model = processor->model;

	switch (processor->family) {
	case 0x17:
		return ZEN | (model < 0x30 || (model >= 0x50 && model < 0x60) ? ZEN1 : ZEN2);
	case 0x18:
		return ZEN | ZEN1;
	case 0x19:
		return ZEN | ((model >= 0x10 && model < 0x20) || model >= 0x60 ? ZEN4 : ZEN2);
	default:
		return ZEN | ZEN4;
	}
}

static uint32_t sets_of(const struct pmc_processor *processor, uint32_t core_type)
{
	switch (processor->layout) {
	case PMC_LAYOUT_CORE:
		return intel_sets(processor, core_type);
	case PMC_LAYOUT_P6:
		return P6;
	case PMC_LAYOUT_NETBURST:
		return NETBURST;
	case PMC_LAYOUT_AMD:
		return processor->family < 0x17 ? AMD : zen_sets(processor);
	case PMC_LAYOUT_P5:
		break;
	}
	return 0;
}

/* ---- names ---- */

static const char offcore[] =
	"an off-core response register for it here, which the driver does not set";
static const char module[] =
	"an off-core response register for it here, which the cores of a module may share";
static const char tagging[] =
	"registers that tag micro-operations for it here, which the driver does not set";

/*
 * @extra: value of the extra register, or 0
 * @needs: registers that perf sets, and why they are not set here; or NULL
 */
static const struct row {
	uint32_t sets;
	const char *name;
	const char *event;
	const char *text;
	uint64_t select;
	uint64_t extra;
	const char *needs;
} rows[] = {
#define PMC_PERF_EVENT(sets, name, select, event) \
	{ (sets), name, event, "as in perf: " event, select, 0, NULL },
#define PMC_PERF_OFFCORE(sets, name, select, value) \
	{ (sets), name, "", "as in perf: offcore_rsp=" #value, select, value, NULL },
#define PMC_PERF_MODULE(sets, name) { (sets), name, NULL, NULL, 0, 0, module },
#define PMC_PERF_TAGGED(sets, name) { (sets), name, NULL, NULL, 0, 0, tagging },
#include "tables/perf-names.def"
};

/* perf's second spelling of a name, as perf list prints it */
static const struct {
	const char *alias;
	const char *name;
} aliases[] = {
	{ "idle-cycles-frontend", "stalled-cycles-frontend" },
	{ "idle-cycles-backend", "stalled-cycles-backend" },
};

static bool is_alias(const struct pmc_token *text, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(aliases); i++)
		if (pmc_token_equals_name(text, aliases[i].alias))
			return !strcmp(aliases[i].name, name);
	return false;
}

static const struct row *find_row(uint32_t sets, const struct pmc_token *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].sets & sets && (pmc_token_equals_name(name, rows[i].name) ||
					    is_alias(name, rows[i].name)))
			return &rows[i];
	return NULL;
}

/* Registers that perf sets for the row, and why they are not set on these cores; or NULL */
static const char *row_needs(const struct pmc_processor *processor, uint32_t core_type,
			     const struct row *row)
{
	if (row->extra && !pmc_register_of(processor, core_type, row->select))
		return offcore;
	return row->needs;
}

/* As find_row(), but NULL if a register would have to be set that is not set on these cores */
static const struct row *find_usable(const struct pmc_processor *processor, uint32_t core_type,
				     const struct pmc_token *name)
{
	const struct row *row = find_row(sets_of(processor, core_type), name);

	return row && !row_needs(processor, core_type, row) ? row : NULL;
}

/* The general counters of the row; 0 if no counter of a core counts it */
static uint64_t row_counters(const struct pmc_processor *processor, uint32_t core_type,
			     const struct row *row)
{
	const struct pmc_token event = { row->event, strcspn(row->event, ":") };
	struct pmc_processor cores = *processor;

	if (processor->layout == PMC_LAYOUT_NETBURST)
		return pmc_netburst_counters(&event);
	cores.core_type = core_type;
	return pmc_constraint(&cores, row->select);
}

/*
 * The row for processor->core_type, with 0 on a hybrid processor for all core types.
 * @core_type: see struct pmc_event
 * Return: NULL if the processor lacks the name, or needs other registers for it. @ambiguous: if
 * its event select differs between core types
 */
static const struct row *row_of(const struct pmc_processor *processor,
				const struct pmc_token *name, uint32_t *core_type, bool *ambiguous)
{
	const struct row *core, *atom;

	*core_type = processor->is_hybrid ? processor->core_type : 0;
	*ambiguous = false;
	if (!processor->is_hybrid || *core_type)
		return find_usable(processor, *core_type, name);
	core = find_usable(processor, PMC_CORE_TYPE_CORE, name);
	atom = find_usable(processor, PMC_CORE_TYPE_ATOM, name);
	if (core && atom) {
		*ambiguous = core->select != atom->select || core->extra != atom->extra;
		return core;
	}
	*core_type = core ? PMC_CORE_TYPE_CORE : PMC_CORE_TYPE_ATOM;
	return core ? core : atom;
}

int pmc_perf_name_find(struct pmc_event *event, const struct pmc_processor *processor,
		       const struct pmc_token *name)
{
	uint32_t core_type;
	bool ambiguous;
	const struct row *row = row_of(processor, name, &core_type, &ambiguous);
	uint64_t second;

	if (!row)
		return 1;
	if (ambiguous)
		return pmc_core_type_fail_ambiguous(event->name);
	event->select = row->select;
	event->core_type = core_type;
	if (pmc_register_set(event, row->extra))
		return -1;
	second = pmc_register_offcore_select(row->select, PMC_REGISTER_OFFCORE_1);
	event->either = row->extra && pmc_register_of(processor, core_type, second);
	if (processor->layout == PMC_LAYOUT_CORE)
		return 0;
	event->counters = row_counters(processor, core_type, row);
	if (event->counters)
		return 0;
	return pmc_event_fail_no_counter(event, pmc_constraint_reason(processor, row->select));
}

bool pmc_perf_name_lacking(const struct pmc_processor *processor, const struct pmc_token *name,
			   const char **needs)
{
	uint32_t core_type = processor->core_type;
	uint32_t sets = sets_of(processor, core_type);
	const struct row *row;

	if (!sets || !find_row(~0U, name))
		return false;
	row = find_row(sets, name);
	if (!row && processor->is_hybrid && !core_type) {
		core_type = PMC_CORE_TYPE_ATOM;
		row = find_row(sets_of(processor, core_type), name);
	}
	*needs = row ? row_needs(processor, core_type, row) : NULL;
	return true;
}

/* ---- list ---- */

bool pmc_perf_name_next(const struct pmc_processor *processor, size_t *cursor,
			struct pmc_event_row *row)
{
	uint32_t core_type;
	bool ambiguous;

	for (; *cursor < ARRAY_SIZE(rows); ++*cursor) {
		const struct row *found = &rows[*cursor];
		const struct pmc_token name = { found->name, strlen(found->name) };

		if (row_of(processor, &name, &core_type, &ambiguous) != found || ambiguous ||
		    !row_counters(processor, core_type, found))
			continue;
		*row = (struct pmc_event_row){
			.name = found->name,
			.text = found->text,
			.source = "perf",
			.select = found->select,
			.counters = row_counters(processor, core_type, found),
			.fixed = NO_FIXED,
			.core_type = core_type,
		};
		++*cursor;
		return true;
	}
	return false;
}
