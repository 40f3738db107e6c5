// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: the parser of formulas and groups, and their evaluation */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/formula.h"

static void must(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* Zeros, whole numbers and fractions; some names have no value. */
static bool look_up(void *data, const char *name, double *value)
{
	must(name[0] && data, "a name that is empty");
	*value = strlen(name) % 4 / 2.0;
	return name[0] != 'z';
}

static bool is_event(const char *name)
{
	return name[0] != 's';
}

static void compute(const struct formula_set *set)
{
	const struct formula *formula;
	double result;
	int data = 0;

	for (formula = set->formula; formula < set->formula + set->num_formulas; formula++) {
		must(formula->name[0] && formula->num_steps, "an empty formula");
		formula_first_event(set, formula, is_event);
		result = NAN;
		if (formula_compute(set, formula, look_up, &data, &result))
			must(isfinite(result), "a result that is no number");
	}
}

static void find_groups(const struct formula_set *set)
{
	size_t i;

	for (i = 0; i < set->num_groups; i++)
		must(formula_find_group(set, set->group[i].name) == &set->group[i],
		     "a group that is not found, or there twice");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char good[] = "group a = b\nc = d / e\n";
	struct formula_set set = { 0 };
	char message[256] = "";
	char *text = strndup((const char *)data, size);

	must(!formula_parse(&set, good, "good", message, sizeof(message)), "good text refused");
	if (formula_parse(&set, text, "fuzz", message, sizeof(message)))
		must(!strncmp(message, "fuzz:", 5), "a failure without its place");
	else
		must(!message[0], "a message without a failure");
	compute(&set);
	find_groups(&set);
	formula_free(&set);
	free(text);
	return 0;
}
