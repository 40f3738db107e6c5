// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of topdown analysis by their names in perf */
#include "common.h"
#include "core_type.h"
#include "libpmcdrv.h"
#include "topdown.h"

#define FIXED_SLOTS	3

enum uarch {
	UARCH_NONE,
	UARCH_SANDY_BRIDGE,
	UARCH_SKYLAKE,
	UARCH_SILVERMONT,
	UARCH_GOLDMONT,
	UARCH_GOLDMONT_PLUS,
	UARCH_TREMONT,
	UARCH_CRESTMONT,
	UARCH_DARKMONT,
	/* cores of type atom of hybrid processors */
	UARCH_GRACEMONT_ATOM,
	UARCH_SKYMONT_ATOM,
};

static const struct {
	unsigned int model;
	enum uarch uarch;
} models[] = {
#define PMC_TOPDOWN_MODEL(model, uarch) { model, UARCH_##uarch },
#include "tables/topdown.def"
#undef PMC_TOPDOWN_MODEL
};

static const struct row {
	enum uarch uarch;
	struct pmc_topdown event;
} rows[] = {
#define PMC_TOPDOWN_EVENT(its_uarch, its_name, its_select, its_slots, its_text) {		\
	.uarch = UARCH_##its_uarch,								\
	.event = {										\
		.name = its_name, .select = its_select, .text = its_text,			\
		.warning = its_slots == 1 ? NULL :						\
			   "this is the number of cycles; perf multiplies it by " #its_slots	\
			   ", the slots of a cycle",						\
	},											\
},
#include "tables/topdown.def"
#undef PMC_TOPDOWN_EVENT
};

static enum uarch find_uarch(const struct pmc_processor *processor)
{
	enum uarch uarch = UARCH_NONE;
	bool atom;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(models) && processor->layout == PMC_LAYOUT_CORE; i++)
		if (processor->family == 6 && models[i].model == processor->model)
			uarch = models[i].uarch;
	atom = uarch >= UARCH_GRACEMONT_ATOM;
	if (processor->is_hybrid != atom)
		return UARCH_NONE;
	return !atom || processor->core_type == PMC_CORE_TYPE_ATOM ? uarch : UARCH_NONE;
}

const struct pmc_topdown *pmc_topdown_next(const struct pmc_processor *processor, size_t *cursor)
{
	enum uarch uarch = find_uarch(processor);
	const struct row *row;

	while (uarch && *cursor < ARRAY_SIZE(rows)) {
		row = &rows[(*cursor)++];
		if (row->uarch == uarch)
			return &row->event;
	}
	return NULL;
}

const struct pmc_topdown *pmc_topdown_find(const struct pmc_processor *processor,
					   const struct pmc_token *name)
{
	const struct pmc_topdown *event;
	size_t cursor = 0;

	while ((event = pmc_topdown_next(processor, &cursor)))
		if (pmc_token_equals_name(name, event->name))
			return event;
	return NULL;
}

/*
 * The fields are fractions of the slots, so processors without the fixed counter of slots have
 * none. On a hybrid processor the caller may run on a core of another type.
 */
static bool may_have_perf_metrics(const struct pmc_processor *processor)
{
	struct pmc_query query;

	if (processor->layout != PMC_LAYOUT_CORE)
		return false;
	if (processor->is_hybrid)
		return processor->core_type != PMC_CORE_TYPE_ATOM;
	pmc_processor_read_cpuid(&query);
	return query.fixed_counters >> FIXED_SLOTS & 1;
}

int pmc_topdown_find_field(const struct pmc_token *name)
{
	const char *field;
	int i;

	for (i = 0; (field = pmc_perf_metrics_name(i)); i++)
		if (pmc_token_equals_name(name, field))
			return i;
	return -1;
}

int pmc_topdown_field(const struct pmc_processor *processor, const struct pmc_token *name)
{
	int field = pmc_topdown_find_field(name);

	return field >= 0 && may_have_perf_metrics(processor) ? field : -1;
}
