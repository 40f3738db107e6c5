/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Formulas, which compute figures from counts, groups of events, and the processors that they are
 * for; see pmc-formulas(5)
 */
#ifndef PMCCTL_FORMULA_H
#define PMCCTL_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum nesting of parentheses and signs */
#define FORMULA_DEPTH_MAX	64

/* Maximum depth of formulas that have names of formulas, and their number */
#define FORMULA_FORMULAS_DEPTH_MAX	8
#define FORMULA_FORMULAS_MAX		100

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

/*
 * A processor by CPUID
 * @vendor: "GenuineIntel"; "" if it is unknown
 * @core: name of the core type to count on; NULL for all of a hybrid processor. Processors with
 *	one core type have "core"
 */
struct formula_cpu {
	char vendor[16];
	unsigned int family;
	unsigned int model;
	const char *core;
};

/* A name for processors. @here: this computer has one of them */
struct formula_processor {
	char *name;
	bool here;
};

/* @cpu: of this computer: formulas and groups for other processors are not added */
struct formula_set {
	struct formula_cpu cpu;
	struct formula_processor *processor;
	size_t num_processors;
	struct formula *formula;
	size_t num_formulas;
	struct formula_group *group;
	size_t num_groups;
};

/*
 * Add the formulas and groups of a text. They replace those of the same name.
 * @source: name of the text in messages
 * @message: set to "SOURCE:LINE:COLUMN: ...; expected: GRAMMAR" on failure
 * Return: 0 or -1.
 */
int formula_parse(struct formula_set *set, const char *text, const char *source,
		  char *message, size_t size);

void formula_free(struct formula_set *set);

const struct formula_group *formula_find_group(const struct formula_set *set, const char *name);

/* Get the value of a name. Return: false if it has none. */
typedef bool (*formula_lookup)(void *data, const char *name, double *value);

/*
 * Compute a formula. A name that @lookup does not know can be that of another formula of @set.
 * Return: false if a name has no value, or the result is not finite.
 */
bool formula_compute(const struct formula_set *set, const struct formula *formula,
		     formula_lookup lookup, void *data, double *result);

/*
 * The first name in the formula for which @is_event is true; of the name of a formula the first
 * in that. Return: NULL if there is none.
 */
const char *formula_first_event(const struct formula_set *set, const struct formula *formula,
				bool (*is_event)(const char *name));

/* ---- formula-files.c ---- */

/* struct formula_group, @source of the built-in ones */
#define FORMULA_BUILTIN		"built-in formulas"

/* What to do if names of a built-in group are unknown */
#define FORMULA_NEEDS_EVENT_FILES						\
	"it needs the event files of the vendor: run 'pmcctl events import FOLDER', see pmcctl-events(1)"

/*
 * Load the built-in formulas for this computer.
 * @core_type: as for pmc_event_parse_core_type(), or 0 for all
 * Return: 0, or EXIT_TROUBLE after a message.
 */
int formula_load_builtin(struct formula_set *set, uint32_t core_type);

/*
 * Load the built-in formulas, then /etc/pmcdrv/formulas, the file of the user, and @path
 * unless it is NULL.
 * @lenient: after an error in the file of the system or of the user, keep the lines before it
 *	and go on
 * Return: 0, or EXIT_TROUBLE after a message.
 */
int formula_load_files(struct formula_set *set, uint32_t core_type, const char *path, bool lenient);

#endif /* PMCCTL_FORMULA_H */
