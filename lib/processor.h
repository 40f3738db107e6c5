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
#define PMC_P6_PART_P2		0x1
#define PMC_P6_PART_P3		0x2
#define PMC_P6_PART_P2_P3	(PMC_P6_PART_P2 | PMC_P6_PART_P3)
#define PMC_P6_PART_ALL		0xff

/*
 * @layout: also for processors that nobody knows: then PMC_LAYOUT_CORE
 * @mmx: a Pentium with MMX technology
 * @part: on P6, which one; else 0
 * @several_kinds: of core
 * @kind: of them the one that names are asked for, 0 for all
 */
struct pmc_processor {
	enum pmc_layout layout;
	bool mmx;
	unsigned int part;
	unsigned int family;
	unsigned int model;
	bool several_kinds;
	uint32_t kind;
};

/* The processor that the driver describes */
struct pmc_processor pmc_processor_of(const struct pmc_query *query);

/* The processor that this thread runs on; @kind: of core, 0 for all */
struct pmc_processor pmc_processor_own(uint32_t kind);

/*
 * Fill vendor, family, model, the RDPMC feature, the version of architectural
 * performance monitoring, its events and fixed counters, and the kind of core from CPUID.
 */
void pmc_processor_ask(struct pmc_query *query);

/* Its name in messages, such as "a Pentium" */
const char *pmc_processor_text(const struct pmc_processor *processor);

#endif /* PMC_PROCESSOR_H */
