// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the events of the kernel's event files, as libpmcevents encodes them, with those that
 * perf prints for the same processor.
 *
 *   compare FOLDER ID PMU DIFFERENCES <OUTPUT
 *
 * FOLDER	has mapfile.csv
 * ID		of the processor, as in mapfile.csv, with stepping
 * PMU		of perf: cpu, cpu_core or cpu_atom
 * DIFFERENCES	a file with lines "PATTERN NAME OURS PERF": events that differ, and how. The
 *		pattern is one of the shell, for ID
 * OUTPUT	of perf list --details
 *
 * Prints one line; lines with '#' before it have details.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "core_type.h"
#include "event.h"
#include "event_files.h"
#include "extra_register.h"
#include "libpmcevents.h"

/* The terms of an event, in the same order for the library and perf */
struct code {
	uint64_t event;
	uint64_t umask;
	uint64_t cmask;
	uint64_t edge;
	uint64_t inv;
	uint64_t any;
	uint64_t period;
	uint64_t msr;
};

static struct pmc_query processor;
static const char *id, *pmu, *differences;
static char *known;
static bool *matched;
static size_t num_known;
static bool *compared;
static int num_equal, num_different, num_explained, num_refused;

void __wrap_pmc_processor_read_cpuid(struct pmc_query *query)
{
	*query = processor;
}

static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	exit(1);
}

static void set_processor(void)
{
	unsigned int family, model, stepping;
	char vendor[16] = "";

	if (sscanf(id, "%15[^-]-%u-%x-%x", vendor, &family, &model, &stepping) != 4)
		die("'%s' is not a processor", id);
	memcpy(processor.vendor, vendor, sizeof(vendor));
	processor.cpu_family = family;
	processor.cpu_model = model;
	processor.cpu_stepping = stepping;
	processor.features = PMC_FEATURE(RDPMC);
	if (!strcmp(pmu, "cpu_core"))
		processor.core_type = PMC_CORE_TYPE_CORE;
	if (!strcmp(pmu, "cpu_atom"))
		processor.core_type = PMC_CORE_TYPE_ATOM;
}

/* ---- perf's side ---- */

/* cpu/event=0x51,period=0x1e8483,umask=0x1/ */
static struct code perf_code(const char *text)
{
	static const struct {
		const char *term;
		size_t place;
	} terms[] = {
#define TERM(name) { #name "=", offsetof(struct code, name) / sizeof(uint64_t) }
		TERM(event), TERM(umask), TERM(cmask), TERM(edge), TERM(inv), TERM(any),
		TERM(period),
		{ "offcore_rsp=", offsetof(struct code, msr) / sizeof(uint64_t) },
		{ "ldlat=", offsetof(struct code, msr) / sizeof(uint64_t) },
		{ "frontend=", offsetof(struct code, msr) / sizeof(uint64_t) },
	};
	struct code code = { 0 };
	const char *term;
	size_t i;

	for (term = strchr(text, '/') + 1; *term && *term != '/'; term += strcspn(term, ",/")) {
		term += *term == ',';
		for (i = 0; i < ARRAY_SIZE(terms); i++)
			if (!strncmp(term, terms[i].term, strlen(terms[i].term)))
				break;
		if (i == ARRAY_SIZE(terms))
			die("unknown term in perf's '%s'", text);
		((uint64_t *)&code)[terms[i].place] =
			strtoull(term + strlen(terms[i].term), NULL, 0);
	}
	return code;
}

/* ---- this library's side ---- */

/* An event of offcore response or of the front end is refused on cores of type Atom only. */
static void check_register(const struct pmc_json_event *json, bool refused)
{
	bool is_atom = processor.core_type == PMC_CORE_TYPE_ATOM;

	if (pmc_register_of_msr(json->msr) && refused != is_atom)
		die("%s: %s, and needs an extra register", json->name,
		    refused ? "refused" : "not refused");
}

/*
 * The terms of an event. For one that only a fixed counter counts: event 0 and perf's unit mask
 */
static struct code our_code(const struct pmc_json_event *json)
{
	struct pmc_event *event = pmc_event_parse_core_type(json->name, processor.core_type);
	uint64_t select = event ? pmc_event_select(event) : json->select;
	struct code code = {
		.event = (select & 0xff) | (select >> 24 & 0xf00),
		.umask = (select >> 8 & 0xff) | (select >> 32 & 0xff00),
		.edge = select >> 18 & 1,
		.any = select >> 21 & 1,
		.inv = select >> 23 & 1,
		.cmask = select >> 24 & 0xff,
		.period = event ? pmc_event_default_period(event) : json->period,
		.msr = event ? pmc_event_extra(event) : json->event_extra,
	};

	if (event ? !!json->refused : errno != EOPNOTSUPP)
		die("%s: %s", json->name, event ? "not refused" : pmc_error());
	check_register(json, !event);
	num_refused += !event;
	if (json->fixed_only) {
		code.event = 0;
		code.umask = json->fixed + 1;
	}
	pmc_event_free(event);
	return code;
}

/* ---- comparison ---- */

static void code_text(const struct code *code, char *text, size_t size)
{
	snprintf(text, size,
		 "event=%#" PRIx64 ",umask=%#" PRIx64 ",cmask=%" PRIu64 ",edge=%" PRIu64 ",inv=%"
		 PRIu64 ",any=%" PRIu64 ",period=%" PRIu64 ",msr=%#" PRIx64,
		 code->event, code->umask, code->cmask, code->edge, code->inv, code->any,
		 code->period, code->msr);
}

static void load_differences(void)
{
	FILE *file = fopen(differences, "r");
	char line[1024], *more;
	size_t len = 0;

	if (!file)
		die("%s cannot be read", differences);
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		more = realloc(known, len + sizeof(line));
		if (!more)
			die("no memory");
		known = more;
		memcpy(known + len, line, sizeof(line));
		len += sizeof(line);
		num_known++;
	}
	fclose(file);
	matched = calloc(num_known + 1, sizeof(*matched));
}

/* Whether a line of the file has this difference */
static bool is_explained(const char *name, const char *ours, const char *perf)
{
	char line[1024], *field[4], *rest;
	size_t i, j;

	for (i = 0; i < num_known; i++) {
		memcpy(line, known + i * sizeof(line), sizeof(line));
		rest = line;
		for (j = 0; j < 4; j++)
			field[j] = strtok_r(rest, " \t\n", &rest);
		if (!field[3])
			die("%s: a line has fewer than four columns", differences);
		if (!fnmatch(field[0], id, 0) && !strcasecmp(field[1], name) &&
		    !fnmatch(field[2], ours, 0) && !fnmatch(field[3], perf, 0)) {
			matched[i] = true;
			return true;
		}
	}
	return false;
}

static void report(const char *name, const char *ours, const char *perf)
{
	if (is_explained(name, ours, perf)) {
		num_explained++;
		return;
	}
	num_different++;
	printf("# %s %s\n#   ours %s\n#   perf %s\n", id, name, ours, perf);
}

static void compare(const struct pmc_json_table *table, const char *name, const char *text)
{
	const struct pmc_json_event *event;
	struct code ours, perf = perf_code(text);
	char our_text[256], perf_text[256];
	size_t num = pmc_json_table_find(table, name, &event);

	code_text(&perf, perf_text, sizeof(perf_text));
	while (num && processor.core_type && event->core_type != processor.core_type) {
		event++;
		num--;
	}
	if (!num) {
		report(name, "none", perf_text);
		return;
	}
	compared[event - table->event] = true;
	ours = our_code(event);
	code_text(&ours, our_text, sizeof(our_text));
	if (memcmp(&ours, &perf, sizeof(ours)))
		report(name, our_text, perf_text);
	else
		num_equal++;
}

/* Whether the line begins an encoding; lines with '..' are about ranges of terms. */
static bool is_encoding(const char *start)
{
	size_t len = strlen(pmu);

	return !strncmp(start, pmu, len) && start[len] == '/' && !strstr(start, "..");
}

/* Append the lines that follow until the closing slash: perf wraps long lines. */
static void complete(char *line, size_t size)
{
	size_t len = strcspn(line, "\n");
	char next[256];

	while (line[len - 1] != '/' && line[len - 2] != '/' &&
	       fgets(next, sizeof(next), stdin)) {
		snprintf(line + len, size - len, "%s", next + strspn(next, " "));
		len = strcspn(line, "\n");
	}
}

/* perf prints the name, the description, and the encoding in a line of its own. */
static void compare_all(const struct pmc_json_table *table)
{
	char line[4096], name[256] = "", *start;

	while (fgets(line, sizeof(line), stdin)) {
		start = line + strspn(line, " ");
		if (start - line == 2) {
			snprintf(name, sizeof(name), "%.*s", (int)strcspn(start, "\n "), start);
		} else if (name[0] && is_encoding(start)) {
			complete(line, sizeof(line));
			compare(table, name, start);
		}
	}
}

/* Report events that perf did not print. Return: the number of events of this core type */
static int report_others(const struct pmc_json_table *table)
{
	int num = 0;
	size_t i;

	for (i = 0; i < table->num; i++) {
		if (processor.core_type && table->event[i].core_type != processor.core_type)
			continue;
		if (!compared[i])
			report(table->event[i].name, "some", "none");
		num++;
	}
	return num;
}

int main(int argc, char **argv)
{
	const struct pmc_json_table *table;
	struct pmc_processor parsed;
	int num;
	size_t i;

	if (argc != 5)
		die("usage: compare FOLDER ID PMU DIFFERENCES");
	id = argv[2];
	pmu = argv[3];
	differences = argv[4];
	set_processor();
	parsed = pmc_processor_from_query(&processor);
	load_differences();
	if (pmc_event_files_set(argv[1]) || pmc_event_files_table(&parsed, &table))
		die("%s", pmc_error());
	if (!table)
		die("no event files for %s", id);
	compared = calloc(table->num + 1, sizeof(*compared));
	compare_all(table);
	num = report_others(table);
	printf("%s %s: %d events, %d of them refused, %d equal, %d differ as listed, %d differ\n",
	       id, pmu, num, num_refused, num_equal, num_explained, num_different);
	for (i = 0; i < num_known; i++)
		if (matched[i])
			fprintf(stderr, "%.1023s", known + i * 1024);
	return num_different || !num_equal;
}
