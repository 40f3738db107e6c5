// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse formulas and groups of events, and compute formulas. A line is
 *
 *   group NAME = EVENT, EVENT...
 *   NAME [UNIT] = EXPRESSION
 *   processor NAME = VENDOR FAMILY [MODEL...] [CORE-TYPE]
 *   on NAME...
 *
 * and an expression has numbers, names, + - * / and parentheses.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/formula.h"

#define __printf(a, b)	__attribute__((format(printf, a, b)))

/* Maximum length of a line */
#define LINE_MAX_BYTES	1000

#define GRAMMAR_FORMULA		"NAME [UNIT] = EXPRESSION"
#define GRAMMAR_EXPRESSION	"numbers, names, + - * / and ( )"
#define GRAMMAR_GROUP		"group NAME = EVENT, EVENT..."
#define GRAMMAR_PROCESSOR	"processor NAME = intel|amd FAMILY [MODEL|FIRST-LAST]... [core|atom]"
#define GRAMMAR_ON		"on NAME... with names of 'processor' lines, or 'on all'"

/*
 * @begin, @end: of the line; @at: position of the parser
 * @grammar: of the line
 * @here: the lines are for this processor; others are checked and dropped
 */
struct parser {
	const char *source;
	unsigned int line;
	const char *grammar;
	bool here;
	const char *begin;
	const char *at;
	const char *end;
	unsigned int depth;
	struct formula formula;
	char *message;
	size_t size;
};

static int __printf(2, 3) fail(struct parser *parser, const char *format, ...)
{
	va_list args;
	int used;

	used = snprintf(parser->message, parser->size, "%s:%u:%u: ", parser->source, parser->line,
			(unsigned int)(parser->at - parser->begin) + 1);
	va_start(args, format);
	if (used >= 0 && (size_t)used < parser->size)
		used += vsnprintf(parser->message + used, parser->size - used, format, args);
	va_end(args);
	if (used >= 0 && (size_t)used < parser->size)
		snprintf(parser->message + used, parser->size - used, "; expected: %s",
			 parser->grammar);
	return -1;
}

static int fail_memory(struct parser *parser)
{
	return fail(parser, "out of memory");
}

/* ---- names ---- */

static void skip_space(struct parser *parser)
{
	while (parser->at < parser->end && isspace((unsigned char)*parser->at))
		parser->at++;
}

static bool at_letter(const struct parser *parser)
{
	return parser->at < parser->end &&
	       (isalpha((unsigned char)*parser->at) || *parser->at == '_');
}

/*
 * Length in bytes of a name at @text. A name has letters, digits, "_", ":" and ".", and
 * directly between two of them "-" and "=". So "a - b" is two names; "a-b" and "cycles:c=1"
 * are one name each.
 */
static size_t name_len(const char *text, const char *end)
{
	const char *at = text;

	while (at < end && (isalnum((unsigned char)*at) || strchr("_:.", *at) ||
			    (strchr("-=", *at) && at > text && at + 1 < end &&
			     isalnum((unsigned char)at[1]))))
		at++;
	return at - text;
}

/* A copy without leading and trailing spaces, or NULL without memory */
static char *copy_trimmed(const char *text, const char *end)
{
	while (text < end && isspace((unsigned char)*text))
		text++;
	while (text < end && isspace((unsigned char)end[-1]))
		end--;
	return strndup(text, end - text);
}

/* ---- expressions ---- */

static int add_step(struct parser *parser, const struct formula_step *step)
{
	struct formula *formula = &parser->formula;
	struct formula_step *steps;

	steps = realloc(formula->step, (formula->num_steps + 1) * sizeof(*steps));
	if (!steps) {
		free(step->name);
		return fail_memory(parser);
	}
	formula->step = steps;
	formula->step[formula->num_steps++] = *step;
	return 0;
}

static int add_operation(struct parser *parser, int op)
{
	return add_step(parser, &(struct formula_step){ .op = op });
}

static int parse_sum(struct parser *parser);
static int parse_nested(struct parser *parser);

static int parse_literal(struct parser *parser)
{
	struct formula_step step = { .op = STEP_NUMBER };
	char digits[64];
	size_t len = 0;
	char *end;

	while (parser->at + len < parser->end &&
	       (isdigit((unsigned char)parser->at[len]) || parser->at[len] == '.'))
		len++;
	if (len >= sizeof(digits))
		return fail(parser, "a number of more than %zu digits", sizeof(digits) - 1);
	memcpy(digits, parser->at, len);
	digits[len] = '\0';
	step.number = strtod(digits, &end);
	if (*end || end == digits)
		return fail(parser, "'%s' is no number", digits);
	parser->at += len;
	return add_step(parser, &step);
}

static int add_name(struct parser *parser, const char *text, size_t len)
{
	struct formula_step step = { .op = STEP_NAME, .name = strndup(text, len) };

	if (!step.name)
		return fail_memory(parser);
	return add_step(parser, &step);
}

static int parse_quoted(struct parser *parser)
{
	const char *first = parser->at + 1;
	const char *quote = memchr(first, '\'', parser->end - first);

	if (!quote || quote == first)
		return fail(parser, quote ? "an empty name" : "the second ' is missing");
	parser->at = quote + 1;
	return add_name(parser, first, quote - first);
}

static int parse_parentheses(struct parser *parser)
{
	parser->at++;
	if (parse_sum(parser))
		return -1;
	if (parser->at == parser->end || *parser->at != ')')
		return fail(parser, "')' is missing");
	parser->at++;
	return 0;
}

/* Parse a number, a name, a sign or an expression in parentheses. */
static int parse_value(struct parser *parser)
{
	size_t len;

	skip_space(parser);
	if (parser->at == parser->end)
		return fail(parser, "a number or a name is missing");
	if (isdigit((unsigned char)*parser->at) || *parser->at == '.')
		return parse_literal(parser);
	if (at_letter(parser)) {
		len = name_len(parser->at, parser->end);
		parser->at += len;
		return add_name(parser, parser->at - len, len);
	}
	if (*parser->at == '\'')
		return parse_quoted(parser);
	if (*parser->at == '(')
		return parse_parentheses(parser);
	if (*parser->at != '-')
		return fail(parser, "'%c' where a number or a name should be", *parser->at);
	parser->at++;
	return parse_nested(parser) || add_operation(parser, STEP_NEGATE) ? -1 : 0;
}

/* parse_value() with a limit on nesting, so that no text overflows the stack */
static int parse_nested(struct parser *parser)
{
	int result;

	if (parser->depth == FORMULA_DEPTH_MAX)
		return fail(parser, "nested more than %d deep", FORMULA_DEPTH_MAX);
	parser->depth++;
	result = parse_value(parser);
	parser->depth--;
	if (!result)
		skip_space(parser);
	return result;
}

/* Parse values with one of two operators between them, from left to right. */
static int parse_chain(struct parser *parser, int (*operand)(struct parser *parser),
		       const char *operators, int first_kind)
{
	const char *operator;

	if (operand(parser))
		return -1;
	while (parser->at < parser->end && *parser->at &&
	       (operator = strchr(operators, *parser->at))) {
		parser->at++;
		if (operand(parser) || add_operation(parser, first_kind + (operator - operators)))
			return -1;
	}
	return 0;
}

static int parse_product(struct parser *parser)
{
	return parse_chain(parser, parse_nested, "*/", STEP_MULTIPLY);
}

static int parse_sum(struct parser *parser)
{
	return parse_chain(parser, parse_product, "+-", STEP_ADD);
}

/* ---- lines ---- */

static void drop_formula(struct formula *formula)
{
	size_t i;

	for (i = 0; i < formula->num_steps; i++)
		free(formula->step[i].name);
	free(formula->step);
	free(formula->name);
	free(formula->unit);
	*formula = (struct formula){ .num_steps = 0 };
}

/* Move it into the set; it replaces one of the same name. */
static int put_formula(struct parser *parser, struct formula_set *set)
{
	struct formula *formulas;
	size_t i;

	if (!parser->here) {
		drop_formula(&parser->formula);
		return 0;
	}
	for (i = 0; i < set->num_formulas; i++)
		if (!strcmp(set->formula[i].name, parser->formula.name))
			break;
	if (i == set->num_formulas) {
		formulas = realloc(set->formula, (i + 1) * sizeof(*formulas));
		if (!formulas)
			return fail_memory(parser);
		set->formula = formulas;
		set->num_formulas++;
	} else {
		drop_formula(&set->formula[i]);
	}
	set->formula[i] = parser->formula;
	parser->formula = (struct formula){ .num_steps = 0 };
	return 0;
}

/* Parse "NAME [UNIT]" before the '=' at @equals. */
static int parse_title(struct parser *parser, const char *equals)
{
	const char *bracket = memchr(parser->at, '[', equals - parser->at);
	const char *end = bracket ? bracket : equals, *close;

	parser->formula.name = copy_trimmed(parser->at, end);
	if (!parser->formula.name)
		return fail_memory(parser);
	if (!parser->formula.name[0])
		return fail(parser, "a formula without a name");
	if (!bracket) {
		parser->formula.unit = strdup("");
		return parser->formula.unit ? 0 : fail_memory(parser);
	}
	parser->at = bracket;
	close = memchr(bracket, ']', equals - bracket);
	if (!close)
		return fail(parser, "']' is missing before '='");
	parser->formula.unit = copy_trimmed(bracket + 1, close);
	if (!parser->formula.unit)
		return fail_memory(parser);
	parser->at = close + 1;
	skip_space(parser);
	return parser->at == equals ? 0 : fail(parser, "'=' should stand here");
}

static int parse_formula(struct parser *parser, struct formula_set *set, const char *equals)
{
	if (parse_title(parser, equals))
		return -1;
	parser->at = equals + 1;
	parser->grammar = GRAMMAR_EXPRESSION;
	if (parse_sum(parser))
		return -1;
	if (parser->at < parser->end)
		return fail(parser, "'%c' where an operator or the line's end should be",
			    *parser->at);
	return put_formula(parser, set);
}

/* Copy a list without its spaces, in the form of -e. */
static char *copy_list(const char *text, const char *end)
{
	char *list = malloc(end - text + 1), *out = list;

	for (; list && text < end; text++)
		if (!isspace((unsigned char)*text))
			*out++ = *text;
	if (list)
		*out = '\0';
	return list;
}

static void drop_group(struct formula_group *group)
{
	free(group->name);
	free(group->events);
	free(group->source);
	*group = (struct formula_group){ .line = 0 };
}

/* Move it into the set; it replaces one of the same name. */
static int put_group(struct parser *parser, struct formula_set *set,
		     const struct formula_group *group)
{
	struct formula_group *groups;
	size_t i;

	for (i = 0; i < set->num_groups; i++)
		if (!strcmp(set->group[i].name, group->name))
			break;
	if (i == set->num_groups) {
		groups = realloc(set->group, (i + 1) * sizeof(*groups));
		if (!groups)
			return fail_memory(parser);
		set->group = groups;
		set->num_groups++;
	} else {
		drop_group(&set->group[i]);
	}
	set->group[i] = *group;
	return 0;
}

/* Parse the name after "group". */
static int parse_group_line(struct parser *parser, struct formula_set *set, const char *equals)
{
	size_t len = name_len(parser->at, equals);
	const char *first = parser->at;
	struct formula_group group;
	int result = -1;

	parser->at += len;
	skip_space(parser);
	if (!len || parser->at != equals)
		return fail(parser, "a group's name is letters, digits, '_', '-' and '.'");
	group = (struct formula_group){
		.name = strndup(first, len), .events = copy_list(equals + 1, parser->end),
		.source = strdup(parser->source), .line = parser->line,
	};
	parser->at = equals + 1;
	if (!group.name || !group.events || !group.source)
		fail_memory(parser);
	else if (!group.events[0])
		fail(parser, "a group without events");
	else if (!parser->here)
		result = 0;
	else if (!put_group(parser, set, &group))
		return 0;
	drop_group(&group);
	return result;
}

/* ---- processors ---- */

/* Get the next word. Return: its length, 0 at the end of the line. */
static size_t next_word(struct parser *parser)
{
	size_t len = 0;

	skip_space(parser);
	while (parser->at + len < parser->end && !isspace((unsigned char)parser->at[len]))
		len++;
	return len;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(text, word, len);
}

/* Parse a number of CPUID, or FIRST-LAST. Return: 0 or -1. */
static int parse_range(struct parser *parser, unsigned long *first, unsigned long *last)
{
	size_t len = next_word(parser);
	char text[32], *end;

	if (!len || len >= sizeof(text) || !isdigit((unsigned char)*parser->at))
		return fail(parser, len ? "'%.*s' is no number" : "a number is missing", (int)len,
			    parser->at);
	memcpy(text, parser->at, len);
	text[len] = '\0';
	*first = strtoul(text, &end, strncmp(text, "0x", 2) ? 10 : 16);
	*last = *first;
	if (*end == '-' && isdigit((unsigned char)end[1]))
		*last = strtoul(end + 1, &end, strncmp(end + 1, "0x", 2) ? 10 : 16);
	if (*end || *first > *last || *last > UINT16_MAX)
		return fail(parser, "'%s' is no number and no range of numbers up to 65535", text);
	parser->at += len;
	return 0;
}

/* Parse "core" or "atom" as the last word. @here: cleared if @cpu has another core type */
static int parse_core_type(struct parser *parser, const struct formula_cpu *cpu, bool *here)
{
	size_t len = next_word(parser);

	if (!len)
		return 0;
	if (!is_word(parser->at, len, "core") && !is_word(parser->at, len, "atom"))
		return fail(parser, "'%.*s' is no number and no core type", (int)len, parser->at);
	*here &= cpu->core && is_word(parser->at, len, cpu->core);
	parser->at += len;
	if (next_word(parser))
		return fail(parser, "the core type is the last word");
	return 0;
}

/* Parse "VENDOR FAMILY [MODEL...] [CORE-TYPE]". @here: set if @cpu is one of these */
static int parse_cpus(struct parser *parser, const struct formula_cpu *cpu, bool *here)
{
	size_t len = next_word(parser);
	bool intel = is_word(parser->at, len, "intel"), any = true, model = false;
	unsigned long first, last;

	if (!intel && !is_word(parser->at, len, "amd"))
		return fail(parser, "the vendor is intel or amd");
	*here = !strcmp(cpu->vendor, intel ? "GenuineIntel" : "AuthenticAMD");
	parser->at += len;
	if (parse_range(parser, &first, &last))
		return -1;
	*here &= cpu->family >= first && cpu->family <= last;
	for (; next_word(parser) && isdigit((unsigned char)*parser->at); any = false) {
		if (parse_range(parser, &first, &last))
			return -1;
		model |= cpu->model >= first && cpu->model <= last;
	}
	*here &= any || model;
	return parse_core_type(parser, cpu, here);
}

static struct formula_processor *find_processor(const struct formula_set *set, const char *name,
						size_t len)
{
	size_t i;

	for (i = 0; i < set->num_processors; i++)
		if (is_word(name, len, set->processor[i].name))
			return &set->processor[i];
	return NULL;
}

static int put_processor(struct parser *parser, struct formula_set *set, const char *name,
			 size_t len, bool here)
{
	struct formula_processor *processor = find_processor(set, name, len);

	if (!processor) {
		processor = realloc(set->processor,
				    (set->num_processors + 1) * sizeof(*processor));
		if (!processor)
			return fail_memory(parser);
		set->processor = processor;
		processor += set->num_processors;
		processor->name = strndup(name, len);
		if (!processor->name)
			return fail_memory(parser);
		set->num_processors++;
	}
	processor->here = here;
	return 0;
}

/* Parse the name after "processor". */
static int parse_processor(struct parser *parser, struct formula_set *set, const char *equals)
{
	size_t len = name_len(parser->at, equals);
	const char *name = parser->at;
	bool here = false;

	parser->at += len;
	skip_space(parser);
	if (!len || parser->at != equals || is_word(name, len, "all"))
		return fail(parser, "a processor's name is letters, digits, '_', '-' and '.', and not 'all'");
	parser->at = equals + 1;
	if (parse_cpus(parser, &set->cpu, &here))
		return -1;
	return put_processor(parser, set, name, len, here);
}

/* Parse the names after "on": the following lines are for these processors. */
static int parse_on(struct parser *parser, const struct formula_set *set)
{
	const struct formula_processor *processor;
	bool here = false;
	size_t len;

	if (!next_word(parser))
		return fail(parser, "the name of a processor is missing");
	while ((len = next_word(parser))) {
		processor = find_processor(set, parser->at, len);
		if (!processor && !is_word(parser->at, len, "all"))
			return fail(parser, "no processor '%.*s' is defined", (int)len, parser->at);
		here |= !processor || processor->here;
		parser->at += len;
	}
	parser->here = here;
	return 0;
}

/* ---- lines ---- */

/* Does the line begin with this word? Then go to the word after it. */
static bool skip_keyword(struct parser *parser, const char *word)
{
	size_t len = name_len(parser->at, parser->end);

	if (!is_word(parser->at, len, word) ||
	    (parser->at + len < parser->end && !isspace((unsigned char)parser->at[len])))
		return false;
	parser->at += len;
	skip_space(parser);
	return true;
}

static int parse_group(struct parser *parser, struct formula_set *set, const char *equals)
{
	if (parser->at == equals)
		return fail(parser, "a group without a name");
	return parse_group_line(parser, set, equals);
}

/* "group = 1" is a group without a name; "on = 1" and "processor = 1" are formulas. */
static int parse_statement(struct parser *parser, struct formula_set *set)
{
	const char *begin = parser->at;
	const char *equals = memchr(begin, '=', parser->end - begin);

	parser->grammar = GRAMMAR_ON;
	if (!equals && skip_keyword(parser, "on"))
		return parse_on(parser, set);
	parser->grammar = GRAMMAR_GROUP;
	if (skip_keyword(parser, "group"))
		return equals ? parse_group(parser, set, equals) : fail(parser, "'=' is missing");
	parser->grammar = GRAMMAR_PROCESSOR;
	if (skip_keyword(parser, "processor") && parser->at != equals)
		return equals ? parse_processor(parser, set, equals) :
				fail(parser, "'=' is missing");
	parser->at = begin;
	parser->grammar = GRAMMAR_FORMULA;
	return equals ? parse_formula(parser, set, equals) : fail(parser, "'=' is missing");
}

static int parse_line(struct parser *parser, struct formula_set *set)
{
	skip_space(parser);
	if (parser->at == parser->end || *parser->at == '#')
		return 0;
	parser->grammar = GRAMMAR_FORMULA;
	if (parser->end - parser->begin > LINE_MAX_BYTES)
		return fail(parser, "a line of more than %d bytes", LINE_MAX_BYTES);
	return parse_statement(parser, set);
}

int formula_parse(struct formula_set *set, const char *text, const char *source,
		  char *message, size_t size)
{
	struct parser parser = {
		.source = source, .here = true, .message = message, .size = size,
	};
	int result = 0;

	while (*text && !result) {
		parser.line++;
		parser.begin = text;
		parser.at = text;
		parser.end = text + strcspn(text, "\n");
		result = parse_line(&parser, set);
		text = *parser.end ? parser.end + 1 : parser.end;
	}
	drop_formula(&parser.formula);
	return result;
}

void formula_free(struct formula_set *set)
{
	while (set->num_formulas)
		drop_formula(&set->formula[--set->num_formulas]);
	while (set->num_groups)
		drop_group(&set->group[--set->num_groups]);
	while (set->num_processors)
		free(set->processor[--set->num_processors].name);
	free(set->formula);
	free(set->group);
	free(set->processor);
	*set = (struct formula_set){ .cpu = set->cpu };
}

const struct formula_group *formula_find_group(const struct formula_set *set, const char *name)
{
	size_t i;

	for (i = 0; i < set->num_groups; i++)
		if (!strcmp(set->group[i].name, name))
			return &set->group[i];
	return NULL;
}

/* ---- computing ---- */

static double apply(int op, double a, double b)
{
	switch (op) {
	case STEP_ADD:
		return a + b;
	case STEP_SUBTRACT:
		return a - b;
	case STEP_MULTIPLY:
		return a * b;
	default:
		return b ? a / b : NAN;
	}
}

/* @left: formulas that may still be computed for the first one */
struct computation {
	const struct formula_set *set;
	formula_lookup lookup;
	void *data;
	unsigned int depth;
	unsigned int left;
};

static const struct formula *find_formula(const struct formula_set *set, const char *name)
{
	size_t i;

	for (i = 0; i < set->num_formulas; i++)
		if (!strcmp(set->formula[i].name, name))
			return &set->formula[i];
	return NULL;
}

static bool compute(struct computation *computation, const struct formula *formula,
		    double *result);

/* Get the value of a count or of another formula. */
static bool find_value(struct computation *computation, const char *name, double *value)
{
	const struct formula *formula;
	bool found;

	if (computation->lookup(computation->data, name, value))
		return true;
	formula = find_formula(computation->set, name);
	if (!formula || !computation->left ||
	    computation->depth == FORMULA_FORMULAS_DEPTH_MAX)
		return false;
	computation->left--;
	computation->depth++;
	found = compute(computation, formula, value);
	computation->depth--;
	return found;
}

static bool compute(struct computation *computation, const struct formula *formula,
		    double *result)
{
	double *stack = calloc(formula->num_steps, sizeof(*stack));
	size_t used = 0, i;
	bool known = stack;

	for (i = 0; i < formula->num_steps && known; i++) {
		const struct formula_step *step = &formula->step[i];

		if (step->op == STEP_NUMBER) {
			stack[used++] = step->number;
		} else if (step->op == STEP_NAME) {
			known = find_value(computation, step->name, &stack[used++]);
		} else if (step->op == STEP_NEGATE) {
			stack[used - 1] = -stack[used - 1];
		} else {
			stack[used - 2] = apply(step->op, stack[used - 2], stack[used - 1]);
			used--;
		}
	}
	if (known)
		*result = stack[0];
	free(stack);
	return known && isfinite(*result);
}

bool formula_compute(const struct formula_set *set, const struct formula *formula,
		     formula_lookup lookup, void *data, double *result)
{
	struct computation computation = {
		.set = set, .lookup = lookup, .data = data, .left = FORMULA_FORMULAS_MAX,
	};

	return compute(&computation, formula, result);
}

const char *formula_first_event(const struct formula_set *set, const struct formula *formula,
				bool (*is_event)(const char *name))
{
	const struct formula *other;
	unsigned int depth = 0;
	size_t i = 0;

	while (i < formula->num_steps && depth <= FORMULA_FORMULAS_DEPTH_MAX) {
		if (formula->step[i].op != STEP_NAME || !is_event(formula->step[i].name)) {
			i++;
			continue;
		}
		other = find_formula(set, formula->step[i].name);
		if (!other)
			return formula->step[i].name;
		formula = other;
		depth++;
		i = 0;
	}
	return NULL;
}
