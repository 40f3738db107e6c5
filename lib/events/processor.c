// SPDX-License-Identifier: LGPL-2.1-or-later
/* Detect the processor */
#include <string.h>

#include "common.h"
#include "libpmcevents.h"
#include "processor.h"

/*
 * Models of the P6 family before architectural performance monitoring: Pentium
 * Pro 1; Pentium II 3, 5, 6; Pentium III 7, 8, 10, 11; Pentium M 9, 13.
 */
static bool is_p6(unsigned int model)
{
	return model <= 13 && (1U << model & 0x2fea);
}

static unsigned int p6_model(unsigned int model)
{
	if (model == 3 || model == 5 || model == 6)
		return PMC_P6_MODELS_P2;
	if (model == 7 || model == 8 || model == 10 || model == 11)
		return PMC_P6_MODELS_P3;
	return 0;
}

static void classify_intel(struct pmc_processor *processor, const struct pmc_query *query)
{
	if (processor->family == 5) {
		processor->layout = PMC_LAYOUT_P5;
		/* RDPMC came with MMX; some hypervisors lack it */
		processor->mmx = query->features & PMC_FEATURE(RDPMC) ||
				 query->quirks & PMC_QUIRK(NO_RDPMC);
	} else if (processor->family == 6 && is_p6(processor->model)) {
		processor->layout = PMC_LAYOUT_P6;
		processor->p6_model = p6_model(processor->model);
	} else if (processor->family == 15) {
		processor->layout = PMC_LAYOUT_NETBURST;
	}
}

static const char *const vendors[] = { "GenuineIntel", "AuthenticAMD", "HygonGenuine" };

static bool has_vendor(const struct pmc_query *query, const char *vendor)
{
	return !strncmp(query->vendor, vendor, sizeof(query->vendor));
}

struct pmc_processor pmc_processor_from_query(const struct pmc_query *query)
{
	struct pmc_processor processor = {
		.vendor = "",
		.layout = PMC_LAYOUT_CORE,
		.family = query->cpu_family,
		.model = query->cpu_model,
		.stepping = query->cpu_stepping,
		.is_hybrid = query->core_type,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vendors); i++)
		if (has_vendor(query, vendors[i]))
			processor.vendor = vendors[i];
	if (processor.vendor == vendors[0])
		classify_intel(&processor, query);
	else if (processor.vendor[0])
		processor.layout = PMC_LAYOUT_AMD;
	return processor;
}

struct pmc_processor pmc_processor_current(uint32_t core_type)
{
	struct pmc_processor processor;
	struct pmc_query query;

	pmc_processor_read_cpuid(&query);
	processor = pmc_processor_from_query(&query);
	if (processor.is_hybrid)
		processor.core_type = core_type & ~PMC_CORE_TYPE_MODEL;
	return processor;
}

PMC_API void pmc_event_processor(struct pmc_query *query)
{
	memset(query, 0, sizeof(*query));
	pmc_processor_read_cpuid(query);
}

const char *pmc_processor_text(const struct pmc_processor *processor)
{
	switch (processor->layout) {
	case PMC_LAYOUT_P5:
		return processor->mmx ? "a Pentium with MMX technology" : "a Pentium";
	case PMC_LAYOUT_P6:
		return "a processor of the P6 family";
	case PMC_LAYOUT_NETBURST:
		return "a NetBurst processor";
	case PMC_LAYOUT_AMD:
		return "an AMD processor";
	case PMC_LAYOUT_CORE:
		break;
	}
	return "a processor with architectural performance monitoring";
}
