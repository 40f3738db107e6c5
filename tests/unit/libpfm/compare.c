// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the library's event tables with libpfm4's: the P6 tables have the same events, and an
 * event in both has the same event select. Only the 32-bit libpfm4 has tables of the P6 family, so
 * this is a 32-bit program. Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib.h>

#include "common.h"
#include "libpmcevents.h"
#include "event_table.h"

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

/* libpfm4 sets these bits too: privilege levels, interrupt and enable. */
#define OWN_BITS	(1ULL << 16 | 1ULL << 17 | 1ULL << 20 | 1ULL << 22)

static struct pmc_query processor = { .vendor = "GenuineIntel" };
static int tests, failed;

void __wrap_pmc_processor_read_cpuid(struct pmc_query *query)
{
	*query = processor;
}

static void report(bool good, const char *what)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++tests, what);
	failed |= !good;
}

/* Return: libpfm4's event select, or -1 if it has no such event. */
static int64_t libpfm_select(const char *table, const char *event, const char *mask)
{
	uint64_t codes[4] = { 0 };
	pfm_pmu_encode_arg_t argument = {
		.codes = codes, .size = sizeof(argument), .count = ARRAY_LEN(codes),
	};
	char text[128];

	snprintf(text, sizeof(text), "%s::%s%s%s", table, event, mask ? ":" : "",
		 mask ? mask : "");
	if (pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &argument))
		return -1;
	return codes[0] & ~OWN_BITS;
}

/* Return: the library's event select, or -1. */
static int64_t library_select(const char *event, const char *mask)
{
	char text[128];
	struct pmc_event *parsed;
	int64_t select = -1;

	snprintf(text, sizeof(text), "%s%s%s", event, mask ? ":" : "", mask ? mask : "");
	parsed = pmc_event_parse(text);
	if (parsed)
		select = pmc_event_select(parsed);
	pmc_event_free(parsed);
	return select;
}

static bool has_event(const char *table, const char *event)
{
	char text[128];

	snprintf(text, sizeof(text), "%s::%s", table, event);
	return pfm_find_event(text) >= 0;
}

/*
 * Known differences, in which the library agrees with the manual. SDM Volume 3B, "Events That
 * Can Be Counted with the P6 Family Performance-Monitoring Counters": unit mask
 * 0FH for MMX_UOPS_EXEC. "Architectural Performance Monitoring": the events of the
 * last-level cache and of branches have the same encoding on every processor;
 * libpfm4 4.13 has others for Sandy Bridge.
 */
static const struct {
	const char *table;
	const char *event;
	int64_t libpfm;
} differences[] = {
	{ "pii", "MMX_UOPS_EXEC", 0x00b2 },
	{ "p6", "MMX_UOPS_EXEC", 0x00b2 },
	{ "snb", "LAST_LEVEL_CACHE_REFERENCES", 0x022e },
	{ "snb", "LAST_LEVEL_CACHE_MISSES", 0x012e },
	{ "snb", "BRANCH_INSTRUCTIONS_RETIRED", 0x04c4 },
	{ "snb", "MISPREDICTED_BRANCH_RETIRED", 0x04c5 },
};

static bool is_known_difference(const char *table, const char *event, int64_t libpfm)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(differences); i++)
		if (!strcmp(differences[i].table, table) &&
		    !strcmp(differences[i].event, event) && differences[i].libpfm == libpfm)
			return true;
	return false;
}

/* Return: number of encodings compared, or -1 if one differs. */
static int compare(const char *table, const char *libpfm_name, const char *library_name,
		   const char *mask)
{
	int64_t libpfm = libpfm_select(table, libpfm_name, mask);
	int64_t library = library_select(library_name, mask);

	if (libpfm < 0 || library < 0 || is_known_difference(table, libpfm_name, libpfm))
		return 0;
	if (libpfm == library)
		return 1;
	printf("# %s::%s:%s is %#llx, the library's %#llx\n", table, libpfm_name, mask ? mask : "",
	       (unsigned long long)libpfm, (unsigned long long)library);
	return -1;
}

/* Compares an event with each of its unit masks and without. Return: as compare(). */
static int compare_row(const char *table, const struct pmc_event_row *row)
{
	const char *name = row->name;
	int result, compared = 0;
	size_t i;

	if (!has_event(table, name) && row->alias)
		name = row->alias;
	if (!has_event(table, name)) {
		printf("# %s lacks %s\n", table, name);
		return -1;
	}
	result = compare(table, name, row->name, NULL);
	for (i = 0; result >= 0 && i < row->num_unit_masks; i++) {
		compared += result;
		result = compare(table, name, row->name, row->unit_masks[i].name);
	}
	return result < 0 ? -1 : compared + result;
}

static int num_events(pfm_pmu_t pmu)
{
	pfm_pmu_info_t info = { .size = sizeof(info) };

	return pfm_get_pmu_info(pmu, &info) == PFM_SUCCESS ? info.nevents : -1;
}

/* @rows: number of events in both; @encodings: number of encodings compared */
static void check_p6(const char *table, pfm_pmu_t pmu, unsigned int model, int rows,
		     int encodings)
{
	struct pmc_processor own;
	struct pmc_event_row row;
	int result, num = 0, compared = 0;
	size_t cursor = 0;
	char what[128];

	processor.cpu_family = 6;
	processor.cpu_model = model;
	own = pmc_processor_from_query(&processor);
	while (pmc_event_table_next(&own, &cursor, &row)) {
		result = compare_row(table, &row);
		compared = result < 0 || compared < 0 ? -1 : compared + result;
		num++;
	}
	snprintf(what, sizeof(what), "%s: the same %d events, %d encodings equal", table, rows,
		 encodings);
	if (num != rows || num_events(pmu) != rows || compared != encodings)
		printf("# library %d events, libpfm4 %d, %d encodings\n", num, num_events(pmu),
		       compared);
	report(num == rows && num_events(pmu) == rows && compared == encodings, what);
}

/* libpfm4's names of the architectural events */
static const struct {
	const char *libpfm;
	const char *library;
} architectural[] = {
	{ "UNHALTED_CORE_CYCLES", "cycles" },
	{ "INSTRUCTION_RETIRED", "instructions" },
	{ "INSTRUCTIONS_RETIRED", "instructions" },
	{ "LLC_REFERENCES", "llc-references" },
	{ "LAST_LEVEL_CACHE_REFERENCES", "llc-references" },
	{ "LLC_MISSES", "llc-misses" },
	{ "LAST_LEVEL_CACHE_MISSES", "llc-misses" },
	{ "BRANCH_INSTRUCTIONS_RETIRED", "branches" },
	{ "MISPREDICTED_BRANCH_RETIRED", "branch-misses" },
};

static void check_core(const char *table, int encodings)
{
	int compared = 0, result;
	char what[128];
	size_t i;

	for (i = 0; i < ARRAY_LEN(architectural); i++) {
		if (!has_event(table, architectural[i].libpfm))
			continue;
		result = compare(table, architectural[i].libpfm, architectural[i].library, NULL);
		compared = result < 0 || compared < 0 ? -1 : compared + result;
	}
	snprintf(what, sizeof(what), "%s: %d architectural names equal", table, encodings);
	if (compared != encodings)
		printf("# %d\n", compared);
	report(compared == encodings, what);
}

int main(void)
{
	static const struct {
		const char *table;
		int encodings;
	} cores[] = {
		{ "core", 9 }, { "atom", 9 }, { "nhm", 8 }, { "wsm", 9 }, { "snb", 5 },
		{ "ivb", 9 }, { "hsw", 5 }, { "bdw", 5 }, { "skl", 5 }, { "skx", 5 },
		{ "clx", 5 }, { "icl", 3 }, { "icx", 3 }, { "spr", 3 }, { "slm", 9 },
		{ "glm", 5 }, { "tmt", 3 },
	};
	size_t i;

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (pfm_initialize() != PFM_SUCCESS)
		return 1;
	check_p6("ppro", PFM_PMU_INTEL_PPRO, 1, 68, 108);
	check_p6("pii", PFM_PMU_INTEL_PII, 3, 78, 129);
	check_p6("p6", PFM_PMU_I386_P6, 8, 80, 139);
	processor.cpu_model = 85;
	for (i = 0; i < ARRAY_LEN(cores); i++)
		check_core(cores[i].table, cores[i].encodings);
	printf("1..%d\n", tests);
	return failed;
}
