/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures that are computed from counts, and groups of events; pmc-formulas(5) */
#ifndef PMCCTL_FORMULA_H
#define PMCCTL_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

/* Deepest nesting of parentheses and signs */
#define FORMULA_DEPTH_MAX	64

/* One step of an expression in postfix order */
struct formula_step {
	enum { STEP_NUMBER, STEP_NAME, STEP_ADD, STEP_SUBTRACT, STEP_MULTIPLY, STEP_DIVIDE,
	       STEP_NEGATE } op;
	double number;
	char *name;
};

/*
 * @unit: "" if it has none
 */
struct formula {
	char *name;
	char *unit;
	struct formula_step *step;
	size_t num_steps;
};

/*
 * @events: a list as -e takes it
 * @source, @line: where it stands
 */
struct formula_group {
	char *name;
	char *events;
	char *source;
	unsigned int line;
};

struct formula_set {
	struct formula *formula;
	size_t num_formulas;
	struct formula_group *group;
	size_t num_groups;
};

/*
 * Add the formulas and groups of a text; one of the same name is replaced.
 * @source: name of the text for messages
 * @message: room for "SOURCE:LINE:COLUMN: ..." on a failure
 * Return: 0 or -1.
 */
int formula_parse(struct formula_set *set, const char *text, const char *source,
		  char *message, size_t size);

void formula_free(struct formula_set *set);

const struct formula_group *formula_find_group(const struct formula_set *set, const char *name);

/*
 * The value of a name, and whether there is one.
 */
typedef bool (*formula_lookup)(void *data, const char *name, double *value);

/*
 * Compute a formula.
 * Return: false if a name has no value, or the result is no finite number.
 */
bool formula_compute(const struct formula *formula, formula_lookup lookup, void *data,
		     double *result);

/* ---- formula-files.c ---- */

/*
 * Load what is built in, then /etc/pmcdrv/formulas, the user's own, and @path
 * unless it is NULL. Return: 0 or EXIT_TROUBLE after a complaint.
 * @lenient: after a complaint about the user's own go on with what stands before it
 */
int formula_load_files(struct formula_set *set, const char *path, bool lenient);

#endif /* PMCCTL_FORMULA_H */
