/* SPDX-License-Identifier: GPL-2.0-only */
/* Formulas, which compute figures from counts, and groups of events; see pmc-formulas(5) */
#ifndef PMCCTL_FORMULA_H
#define PMCCTL_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum nesting of parentheses and signs */
#define FORMULA_DEPTH_MAX	64

/* One step of an expression in postfix order */
struct formula_step {
	enum { STEP_NUMBER, STEP_NAME, STEP_ADD, STEP_SUBTRACT, STEP_MULTIPLY, STEP_DIVIDE,
	       STEP_NEGATE } op;
	double number;
	char *name;
};

/* @unit: "" without a unit */
struct formula {
	char *name;
	char *unit;
	struct formula_step *step;
	size_t num_steps;
};

/*
 * @events: a list in the form of -e
 * @source, @line: file and line of its definition
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
 * Add the formulas and groups of a text. They replace those of the same name.
 * @source: name of the text in messages
 * @message: set to "SOURCE:LINE:COLUMN: ..." on failure
 * Return: 0 or -1.
 */
int formula_parse(struct formula_set *set, const char *text, const char *source,
		  char *message, size_t size);

void formula_free(struct formula_set *set);

const struct formula_group *formula_find_group(const struct formula_set *set, const char *name);

/* Get the value of a name. Return: false if it has none. */
typedef bool (*formula_lookup)(void *data, const char *name, double *value);

/*
 * Compute a formula.
 * Return: false if a name has no value, or the result is not finite.
 */
bool formula_compute(const struct formula *formula, formula_lookup lookup, void *data,
		     double *result);

/* ---- formula-files.c ---- */

/*
 * Load the built-in formulas, then /etc/pmcdrv/formulas, the file of the user, and @path
 * unless it is NULL.
 * @lenient: after an error in the file of the user, keep the lines before it and go on
 * Return: 0, or EXIT_TROUBLE after a message.
 */
int formula_load_files(struct formula_set *set, const char *path, bool lenient);

#endif /* PMCCTL_FORMULA_H */
