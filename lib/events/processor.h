/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which processor, and thus which events and which layout of an event select */
#ifndef PMC_PROCESSOR_H
#define PMC_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

struct pmc_query;

/* Layouts of an event select, each with events of its own */
enum pmc_layout {
	PMC_LAYOUT_CORE,
	PMC_LAYOUT_P5,
	PMC_LAYOUT_P6,
	PMC_LAYOUT_NETBURST,
	PMC_LAYOUT_AMD,
};

/* Bits of struct pmc_processor.part on P6 */
#define PMC_P6_MODELS_P2		0x1
#define PMC_P6_MODELS_P3		0x2
#define PMC_P6_MODELS_P2_P3	(PMC_P6_MODELS_P2 | PMC_P6_MODELS_P3)
#define PMC_P6_MODELS_ALL		0xff

/*
 * @layout: also for processors that nobody knows: then PMC_LAYOUT_CORE
 * @mmx: a Pentium with MMX technology
 * @p6_model: on P6, which one; else 0
 * @is_hybrid: of core
 * @core_type: of them the one that names are asked for, 0 for all
 */
struct pmc_processor {
	enum pmc_layout layout;
	bool mmx;
	unsigned int p6_model;
	unsigned int family;
	unsigned int model;
	bool is_hybrid;
	uint32_t core_type;
};

/* The processor that the driver describes */
struct pmc_processor pmc_processor_from_query(const struct pmc_query *query);

/* The processor that this thread runs on; @core_type: of core, 0 for all */
struct pmc_processor pmc_processor_current(uint32_t core_type);

/*
 * Fill vendor, family, model, the RDPMC feature, the version of architectural
 * performance monitoring, its events and fixed counters, and the kind of core from CPUID.
 */
void pmc_processor_read_cpuid(struct pmc_query *query);

/* Its name in messages, such as "a Pentium" */
const char *pmc_processor_text(const struct pmc_processor *processor);

#endif /* PMC_PROCESSOR_H */
