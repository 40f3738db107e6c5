/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processor: which events it has, and the layout of its event selects */
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

/* struct pmc_processor.p6_model */
#define PMC_P6_MODELS_P2		0x1
#define PMC_P6_MODELS_P3		0x2
#define PMC_P6_MODELS_P2_P3	(PMC_P6_MODELS_P2 | PMC_P6_MODELS_P3)
#define PMC_P6_MODELS_ALL		0xff

/*
 * @vendor: of CPUID, if it has event files; else ""
 * @layout: PMC_LAYOUT_CORE for unknown processors
 * @mmx: a Pentium with MMX technology
 * @p6_model: PMC_P6_MODELS_*; 0 for others
 * @is_hybrid: has several core types
 * @core_type: the core type that names are looked up for; 0 for all
 */
struct pmc_processor {
	const char *vendor;
	enum pmc_layout layout;
	bool mmx;
	unsigned int p6_model;
	unsigned int family;
	unsigned int model;
	unsigned int stepping;
	bool is_hybrid;
	uint32_t core_type;
};

/* The processor that the driver describes */
struct pmc_processor pmc_processor_from_query(const struct pmc_query *query);

/* The processor that runs this thread. @core_type: 0 for all */
struct pmc_processor pmc_processor_current(uint32_t core_type);

/*
 * Fill vendor, family, model, the RDPMC feature, the version of architectural
 * performance monitoring, its events and fixed counters, and the core type, from CPUID.
 */
void pmc_processor_read_cpuid(struct pmc_query *query);

/* Its name in messages, such as "a Pentium" */
const char *pmc_processor_text(const struct pmc_processor *processor);

#endif /* PMC_PROCESSOR_H */
