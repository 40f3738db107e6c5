// SPDX-License-Identifier: GPL-2.0-only
/*
 * The built-in figures: each one of each processor has a row in the file "figures", and the
 * value of that row
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/formula.h"

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

static const char builtin[] =
#include "formulas.h"
	;

/* A processor of each name, and one of each that has a part of the figures of a name */
static const struct {
	const char *name;
	struct formula_cpu cpu;
} processors[] = {
	{ "none", { .vendor = "" } },
	{ "p5", { "GenuineIntel", 5, 4, "core" } },
	{ "p6", { "GenuineIntel", 6, 3, "core" } },
	{ "core2", { "GenuineIntel", 6, 23, "core" } },
	{ "nehalem", { "GenuineIntel", 6, 30, "core" } },
	{ "westmere", { "GenuineIntel", 6, 37, "core" } },
	{ "sandy-bridge", { "GenuineIntel", 6, 42, "core" } },
	{ "ivy-bridge", { "GenuineIntel", 6, 58, "core" } },
	{ "haswell", { "GenuineIntel", 6, 60, "core" } },
	{ "broadwell", { "GenuineIntel", 6, 61, "core" } },
	{ "skylake skylake-x", { "GenuineIntel", 6, 85, "core" } },
	{ "skylake skylake-client", { "GenuineIntel", 6, 94, "core" } },
	{ "ice-lake", { "GenuineIntel", 6, 126, "core" } },
	{ "sapphire-rapids", { "GenuineIntel", 6, 143, "core" } },
	{ "golden-cove", { "GenuineIntel", 6, 151, "core" } },
	{ "gracemont", { "GenuineIntel", 6, 151, "atom" } },
	{ "alder-lake-n", { "GenuineIntel", 6, 190, "core" } },
	{ "crestmont", { "GenuineIntel", 6, 170, "atom" } },
	{ "sierra-forest", { "GenuineIntel", 6, 175, "core" } },
	{ "lion-cove", { "GenuineIntel", 6, 198, "core" } },
	{ "skymont arrow-lake-skymont", { "GenuineIntel", 6, 198, "atom" } },
	{ "skymont lunar-lake-skymont", { "GenuineIntel", 6, 189, "atom" } },
	{ "k8", { "AuthenticAMD", 15, 65, "core" } },
	{ "k10", { "AuthenticAMD", 16, 2, "core" } },
	{ "bulldozer", { "AuthenticAMD", 21, 1, "core" } },
	{ "zen1", { "AuthenticAMD", 23, 1, "core" } },
	{ "zen2", { "AuthenticAMD", 23, 49, "core" } },
	{ "zen3", { "AuthenticAMD", 25, 33, "core" } },
	{ "zen4", { "AuthenticAMD", 25, 17, "core" } },
	{ "zen5", { "AuthenticAMD", 26, 68, "core" } },
};

/* A row; @counts is "EVENT=COUNT EVENT=COUNT..." */
struct row {
	char *processors;
	char *figure;
	char *source;
	char *counts;
	char *value;
};

static struct row rows[1000];
static size_t num_rows;

static char *next_field(char **rest)
{
	char *field = strsep(rest, "|\n");

	if (!field || !field[0])
		fail_msg("row %zu: a field is missing", num_rows + 1);
	return field;
}

static int read_rows(void **state)
{
	FILE *file = fopen("figures", "re");
	char line[2000], *rest;
	struct row *row;

	(void)state;
	if (!file)
		fail_msg("no file 'figures' in this folder");
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#')
			continue;
		assert_true(num_rows < ARRAY_LEN(rows) && strchr(line, '\n'));
		rest = strdup(line);
		row = &rows[num_rows];
		row->processors = next_field(&rest);
		row->figure = next_field(&rest);
		row->source = next_field(&rest);
		row->counts = next_field(&rest);
		row->value = next_field(&rest);
		num_rows++;
	}
	fclose(file);
	return 0;
}

/* Is one of the words of @names in the list? */
static bool is_for(const char *list, const char *names)
{
	char *copy = strdup(list), *rest = copy, *word;
	bool found = false;

	while ((word = strsep(&rest, ",")))
		found |= !strcmp(word, "all") || (strstr(names, word) &&
			 strchr(" ", strstr(names, word)[strlen(word)]));
	free(copy);
	return found;
}

/* Find the count of an event in the row. */
static bool look_up(void *data, const char *name, double *value)
{
	const char *at = data;
	size_t len = strlen(name);

	for (; at && *at; at = strchr(at, ' '), at = at ? at + 1 : NULL)
		if (!strncmp(at, name, len) && at[len] == '=' &&
		    strspn(at + len + 1, "0123456789") == strcspn(at + len + 1, " ")) {
			*value = strtod(at + len + 1, NULL);
			return true;
		}
	return false;
}

static void check(const struct formula_set *set, const struct formula *formula,
		  const struct row *row, const char *processor)
{
	char text[64] = "no value";
	double value;

	if (formula_compute(set, formula, look_up, row->counts, &value))
		snprintf(text, sizeof(text), "%.3f", value);
	if (strcmp(text, row->value))
		fail_msg("%s: '%s' of %s is %s, and should be %s", processor, formula->name,
			 row->counts, text, row->value);
}

static void figures_of(const char *name, const struct formula_cpu *cpu)
{
	struct formula_set set = { .cpu = *cpu };
	const struct formula *formula;
	char message[256];
	size_t i, found;

	if (formula_parse(&set, builtin, "built-in formulas", message, sizeof(message)))
		fail_msg("%s", message);
	for (formula = set.formula; formula < set.formula + set.num_formulas; formula++) {
		for (i = 0, found = num_rows; i < num_rows; i++)
			if (!strcmp(rows[i].figure, formula->name) &&
			    is_for(rows[i].processors, name))
				/* the last one, as in the groups */
				found = i;
		if (found == num_rows)
			fail_msg("%s: no row for '%s'", name, formula->name);
		check(&set, formula, &rows[found], name);
	}
	formula_free(&set);
}

/* Find an event in the list of a group. */
static bool is_in_group(void *data, const char *name, double *value)
{
	const char *list = data, *at;
	size_t len = strlen(name);

	*value = 1000 + len * len + name[len - 1];
	if (!strcmp(name, "seconds") || !strcmp(name, "ticks"))
		return true;
	for (at = strstr(list, name); at; at = strstr(at + 1, name))
		if ((at == list || at[-1] == ',') && strchr(",", at[len]))
			return true;
	return false;
}

/* Can the names of the formula all be found in one group? */
static bool has_group(const struct formula_set *set, const struct formula *formula)
{
	double value;
	size_t i;

	for (i = 0; i < set->num_groups; i++)
		if (formula_compute(set, formula, is_in_group, set->group[i].events, &value))
			return true;
	return false;
}

/* Those of the performance metrics are of one register, and AMD has no last-level cache events. */
static bool needs_group(const struct formula_cpu *cpu, const struct formula *formula)
{
	return strncmp(formula->name, "metrics: ", 9) &&
	       (strcmp(cpu->vendor, "AuthenticAMD") || strncmp(formula->name, "last-level", 10));
}

static void groups_of(const char *name, const struct formula_cpu *cpu)
{
	struct formula_set set = { .cpu = *cpu };
	const struct formula *formula;
	char message[256];

	if (formula_parse(&set, builtin, "built-in formulas", message, sizeof(message)))
		fail_msg("%s", message);
	for (formula = set.formula; formula < set.formula + set.num_formulas; formula++)
		if (needs_group(cpu, formula) && !has_group(&set, formula))
			fail_msg("%s: no group has the events of '%s'", name, formula->name);
	formula_free(&set);
}

/* A figure of each processor can be had from one of its groups. */
static void groups(void **state)
{
	size_t i;

	(void)state;
	for (i = 1; i < ARRAY_LEN(processors); i++)
		groups_of(processors[i].name, &processors[i].cpu);
}

static void figures(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(processors); i++)
		figures_of(processors[i].name, &processors[i].cpu);
}

/* Each processor that the groups define is one of those above. */
static void all_processors(void **state)
{
	struct formula_set set = { .num_groups = 0 };
	char message[256];
	size_t i, j;
	bool here;

	(void)state;
	for (i = 0; i < ARRAY_LEN(processors); i++) {
		formula_free(&set);
		set.cpu = processors[i].cpu;
		assert_int_equal(formula_parse(&set, builtin, "", message, sizeof(message)), 0);
		for (j = 0; j < set.num_processors; j++) {
			here = is_for(set.processor[j].name, processors[i].name);
			if (here != set.processor[j].here)
				fail_msg("%s is %sa %s", processors[i].name,
					 set.processor[j].here ? "" : "not ",
					 set.processor[j].name);
		}
	}
	for (j = 0; j < set.num_processors; j++) {
		for (i = 0, here = false; i < ARRAY_LEN(processors); i++)
			here |= is_for(set.processor[j].name, processors[i].name);
		if (!here)
			fail_msg("no processor of the name %s is tested", set.processor[j].name);
	}
	formula_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures),
		cmocka_unit_test(groups),
		cmocka_unit_test(all_processors),
	};

	return cmocka_run_group_tests(tests, read_rows, NULL);
}
