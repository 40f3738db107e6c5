// SPDX-License-Identifier: GPL-2.0-only
/* Formulas: parsing and computing */
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

static struct formula_set set;
static char message[512];

static int setup(void **state)
{
	(void)state;
	message[0] = '\0';
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	formula_free(&set);
	return 0;
}

static void must_parse(const char *text)
{
	if (formula_parse(&set, text, "test", message, sizeof(message)))
		fail_msg("%s", message);
}

static void refused(const char *text, const char *expected)
{
	size_t formulas = set.num_formulas, groups = set.num_groups;

	assert_int_equal(formula_parse(&set, text, "test", message, sizeof(message)), -1);
	assert_string_equal(message, expected);
	assert_int_equal(set.num_formulas, formulas);
	assert_int_equal(set.num_groups, groups);
}

/* ---- allocations ---- */

/* How many succeed until one fails; SIZE_MAX: all */
static size_t allowed = SIZE_MAX;

#define WRAPPED(type, name, parameters, arguments)				\
	type __real_##name parameters;						\
	type __wrap_##name parameters;						\
	type __wrap_##name parameters						\
	{									\
		if (allowed != SIZE_MAX && !allowed--)				\
			return NULL;						\
		return __real_##name arguments;					\
	}

WRAPPED(void *, malloc, (size_t size), (size))
WRAPPED(void *, calloc, (size_t num, size_t size), (num, size))
WRAPPED(void *, realloc, (void *old, size_t size), (old, size))
WRAPPED(char *, strdup, (const char *text), (text))
WRAPPED(char *, strndup, (const char *text, size_t len), (text, len))

/* ---- tests ---- */

/* a is 6, b is 3, zero is 0, "a-b" is 100, "x y" is 7, L2:MISS is 5 */
static bool look_up(void *data, const char *name, double *value)
{
	static const struct {
		const char *name;
		double value;
	} known[] = {
		{ "a", 6 }, { "b", 3 }, { "zero", 0 }, { "a-b", 100 }, { "x y", 7 },
		{ "L2:MISS", 5 }, { "c:c=1", 8 }, { "a.b_c9", 11 },
		{ "_d", 12 },
	};
	size_t i;

	(void)data;
	for (i = 0; i < ARRAY_LEN(known); i++)
		if (!strcmp(known[i].name, name)) {
			*value = known[i].value;
			return true;
		}
	return false;
}

static void check(const char *expression, double expected)
{
	char text[2048];
	double value;

	snprintf(text, sizeof(text), "f = %s\n", expression);
	must_parse(text);
	assert_int_equal(set.num_formulas, 1);
	if (!formula_compute(&set, &set.formula[0], look_up, NULL, &value))
		fail_msg("'%s' has no value", expression);
	if (value != expected)
		fail_msg("'%s' is %g", expression, value);
}

static void has_no_value(const char *expression)
{
	char text[256];
	double value;

	snprintf(text, sizeof(text), "f = %s", expression);
	must_parse(text);
	assert_false(formula_compute(&set, &set.formula[0], look_up, NULL, &value));
}

static void expressions(void **state)
{
	(void)state;
	check("1", 1);
	check("1.5", 1.5);
	check(".5", 0.5);
	check("a", 6);
	check("a + b", 9);
	check("a+b", 9);
	check("a - b", 3);
	check("a -b", 3);
	check("a-b", 100);
	check("a * b", 18);
	check("a / b", 2);
	check("a / b / b", 2.0 / 3);
	check("a - b - b", 0);
	check("a + b * 2", 12);
	check("(a + b) * 2", 18);
	check("a / b * 2", 4);
	check("-a", -6);
	check("--a", 6);
	check("2 * -a", -12);
	check("a - -b", 9);
	check("a-(b)", 3);
	check("  ( a )  ", 6);
	check("'x y' * 2", 14);
	check("'x y'*2", 14);
	check("_d", 12);
	check("'a-b' - b", 97);
	check("L2:MISS * a", 30);
	check("c:c=1 + 1", 9);
	check("a.b_c9", 11);
	check("100 * b / a", 50);
}

static void no_values(void **state)
{
	(void)state;
	has_no_value("a / zero");
	has_no_value("0 / zero");
	has_no_value("unknown");
	has_no_value("a + unknown * 0");
	has_no_value("unknown + a");
	has_no_value("1 / (a - 2 * b)");
}

static void files(void **state)
{
	(void)state;
	must_parse("# a comment\n\n  \t\n"
		   "  one two [ % ] = a\n"
		   "three[u]=b\n"
		   "four [ ] = 4\n"
		   "   # another\n"
		   "group g = x, y:u ,cpu/event=1,umask=2/\r\n"
		   "group  other-1  =  z\n"
		   "group g2=z");
	assert_int_equal(set.num_formulas, 3);
	assert_string_equal(set.formula[0].name, "one two");
	assert_string_equal(set.formula[0].unit, "%");
	assert_string_equal(set.formula[1].name, "three");
	assert_string_equal(set.formula[1].unit, "u");
	assert_string_equal(set.formula[2].unit, "");
	assert_int_equal(set.num_groups, 3);
	assert_string_equal(formula_find_group(&set, "g")->events, "x,y:u,cpu/event=1,umask=2/");
	assert_string_equal(formula_find_group(&set, "other-1")->events, "z");
	assert_string_equal(formula_find_group(&set, "g2")->events, "z");
	assert_null(formula_find_group(&set, "other"));
}

static void replacing(void **state)
{
	double value;

	(void)state;
	must_parse("f [x] = 1\nh = 2\ngroup g = a\n");
	must_parse("f = 3\ngroup g = b\n");
	assert_int_equal(set.num_formulas, 2);
	assert_string_equal(set.formula[0].name, "f");
	assert_string_equal(set.formula[0].unit, "");
	assert_true(formula_compute(&set, &set.formula[0], look_up, NULL, &value));
	assert_true(value == 3);
	assert_int_equal(set.num_groups, 1);
	assert_string_equal(set.group[0].events, "b");
}

#define FORMULA		"; expected: NAME [UNIT] = EXPRESSION"
#define EXPRESSION	"; expected: numbers, names, + - * / and ( )"
#define GROUP		"; expected: group NAME = EVENT, EVENT..."
#define PROCESSOR	"; expected: processor NAME = intel|amd FAMILY [MODEL|FIRST-LAST]... [core|atom]"
#define NAME	"a processor's name is letters, digits, '_', '-' and '.', and not 'all'"
#define ON		"; expected: on NAME... with names of 'processor' lines, or 'on all'"

/* A column is that of the place that is wrong. */
static void mistakes(void **state)
{
	(void)state;
	refused("x", "test:1:1: '=' is missing" FORMULA);
	refused("\n\nx y", "test:3:1: '=' is missing" FORMULA);
	refused("x\nf = 1\n", "test:1:1: '=' is missing" FORMULA);
	refused("= 1", "test:1:1: a formula without a name" FORMULA);
	refused("[%] = 1", "test:1:1: a formula without a name" FORMULA);
	refused("x [% = 1", "test:1:3: ']' is missing before '='" FORMULA);
	refused("x [%] y = 1", "test:1:7: '=' should stand here" FORMULA);
	refused("x =", "test:1:4: a number or a name is missing" EXPRESSION);
	refused("x = 1 +", "test:1:8: a number or a name is missing" EXPRESSION);
	refused("x = * 1", "test:1:5: '*' where a number or a name should be" EXPRESSION);
	refused("x = 1 2",
		"test:1:7: '2' where an operator or the line's end should be" EXPRESSION);
	refused("x = a b",
		"test:1:7: 'b' where an operator or the line's end should be" EXPRESSION);
	refused("x = (1", "test:1:7: ')' is missing" EXPRESSION);
	refused("x = (1 2)", "test:1:8: ')' is missing" EXPRESSION);
	refused("x = 1)",
		"test:1:6: ')' where an operator or the line's end should be" EXPRESSION);
	refused("x = 1.2.3", "test:1:5: '1.2.3' is no number" EXPRESSION);
	refused("x = .", "test:1:5: '.' is no number" EXPRESSION);
	refused("x = 'a", "test:1:5: the second ' is missing" EXPRESSION);
	refused("x = ''", "test:1:5: an empty name" EXPRESSION);
	refused("x = 1 % 2",
		"test:1:7: '%' where an operator or the line's end should be" EXPRESSION);
	refused("x = \xff", "test:1:5: '\xff' where a number or a name should be" EXPRESSION);
	refused("group = a", "test:1:7: a group without a name" GROUP);
	refused("group g", "test:1:7: '=' is missing" GROUP);
	refused("group -g = a",
		"test:1:7: a group's name is letters, digits, '_', '-' and '.'" GROUP);
	refused("group g = ", "test:1:10: a group without events" GROUP);
	refused("group g h = a",
		"test:1:9: a group's name is letters, digits, '_', '-' and '.'" GROUP);
	refused("x = 1111111111111111111111111111111111111111111111111111111111111111",
		"test:1:5: a number of more than 63 digits" EXPRESSION);
}

static void mistaken_processors(void **state)
{
	(void)state;
	refused("processor x", "test:1:11: '=' is missing" PROCESSOR);
	refused("processor x y = intel 6",
		"test:1:13: " NAME PROCESSOR);
	refused("processor all = intel 6",
		"test:1:15: " NAME PROCESSOR);
	refused("processor x =", "test:1:14: the vendor is intel or amd" PROCESSOR);
	refused("processor x = via 6", "test:1:15: the vendor is intel or amd" PROCESSOR);
	refused("processor x = intel", "test:1:20: a number is missing" PROCESSOR);
	refused("processor x = intel 6 cores",
		"test:1:23: 'cores' is no number and no core type" PROCESSOR);
	refused("processor x = intel 6 85 core 86",
		"test:1:31: the core type is the last word" PROCESSOR);
	refused("processor x = intel six", "test:1:21: 'six' is no number" PROCESSOR);
	refused("processor x = intel 6 4x",
		"test:1:23: '4x' is no number and no range of numbers up to 65535" PROCESSOR);
	refused("processor x = intel 6 5x6",
		"test:1:23: '5x6' is no number and no range of numbers up to 65535" PROCESSOR);
	refused("processor x = intel 6 5-",
		"test:1:23: '5-' is no number and no range of numbers up to 65535" PROCESSOR);
	refused("processor x = intel 6 0-",
		"test:1:23: '0-' is no number and no range of numbers up to 65535" PROCESSOR);
	refused("processor x = intel 1111111111222222222233333333334",
		"test:1:21: '1111111111222222222233333333334' is no number and no range of numbers up to 65535"
		PROCESSOR);
	refused("processor x = intel 11111111112222222222333333333344",
		"test:1:21: '11111111112222222222333333333344' is no number" PROCESSOR);
	refused("processor x = intel 6 5-4",
		"test:1:23: '5-4' is no number and no range of numbers up to 65535" PROCESSOR);
	refused("processor x = intel 6 1-65536",
		"test:1:23: '1-65536' is no number and no range of numbers up to 65535" PROCESSOR);
	refused("on", "test:1:3: the name of a processor is missing" ON);
	refused("on nowhere", "test:1:4: no processor 'nowhere' is defined" ON);
}

static void must_have(const char *text, size_t formulas, size_t groups)
{
	formula_free(&set);
	must_parse(text);
	assert_int_equal(set.num_formulas, formulas);
	assert_int_equal(set.num_groups, groups);
}

/* Only formulas and groups for this processor are added; the lines of others are checked. */
static void processors(void **state)
{
	(void)state;
	set.cpu = (struct formula_cpu){ "GenuineIntel", 6, 85, "core" };
	must_have("processor x = intel 6\non x\nf = 1\ngroup g = a\n", 1, 1);
	must_have("processor x = intel 6 84 0x55\non x\nf = 1\n", 1, 0);
	must_have("processor x = intel 6 80-0x5f\non x\nf = 1\n", 1, 0);
	must_have("processor x = intel 5-7 85-85\non x\nf = 1\n", 1, 0);
	/* a zero in front makes no number octal or hexadecimal */
	must_have("processor x = intel 06 085\non x\nf = 1\n", 1, 0);
	must_have("processor x = intel 6 0133\non x\nf = 1\n", 0, 0);
	must_have("processor x = intel 6 80-085\non x\nf = 1\n", 1, 0);
	must_have("processor x = intel 6 80-084\non x\nf = 1\n", 0, 0);
	must_have("processor x = intel 6 85 84\non x\nf = 1\n", 1, 0);
	must_have("processor x = intel 6 84 86\non x\nf = 1\ngroup g = a\non all\nh = 2", 1, 0);
	must_have("processor x = intel 15\non x\nf = 1\n", 0, 0);
	must_have("processor x = intel 4-5\non x\nf = 1\n", 0, 0);
	must_have("processor x = amd 6 85\non x\nf = 1\n", 0, 0);
	must_have("processor x = amd 6\nprocessor y = intel 6\non x y\nf = 1\non y x\ng = 1\n", 2, 0);
	must_have("processor x = amd 6\nprocessor x = intel 6\non x\nf = 1\n", 1, 0);
	refused("processor no = amd 6\non no\nf = 1 +\n",
		"test:3:8: a number or a name is missing" EXPRESSION);
	must_have("on = 1\nprocessor = 2\non x = 3\nprocessors x = 4\ngroup[x] = 5", 5, 0);
	must_have("processor x = intel 6 85 core\non x\nf = 1\n", 1, 0);
	must_have("processor x = intel 6 core\non x\nf = 1\n", 1, 0);
	must_have("processor x = intel 6 86 core\non x\nf = 1\n", 0, 0);
	must_have("processor x = intel 6 85 atom\non x\nf = 1\n", 0, 0);
	/* all cores of a hybrid processor */
	set.cpu.core = NULL;
	must_have("processor x = intel 6 85 core\nprocessor y = intel 6 85 atom\n"
		  "on x y\nf = 1\n", 0, 0);
	must_have("processor x = intel 6 85\non x\nf = 1\n", 1, 0);
	set.cpu = (struct formula_cpu){ .vendor = "" };
	must_have("processor x = intel 0-65535\non x\nf = 1\n", 0, 0);
	set.cpu = (struct formula_cpu){ "AuthenticAMD", 25, 17, "core" };
	must_have("processor x = amd 25 16-31\non x\nf = 1\n", 1, 0);
}

/* Names that the lookup does not know are formulas; first_event is the first event in them. */
static bool is_event(const char *name)
{
	return strcmp(name, "seconds");
}

static void formulas_in_formulas(void **state)
{
	char text[512] = "";
	size_t used = 0, i;
	double value;

	(void)state;
	must_parse("f = 'the g' + a\nthe g = 2 * seconds2 + b\n"
		   "seconds2 = seconds - b\nseconds = zero + b\n");
	assert_true(formula_compute(&set, &set.formula[0], look_up, NULL, &value));
	assert_true(value == 9);
	assert_string_equal(formula_first_event(&set, &set.formula[0], is_event), "b");
	formula_free(&set);
	must_parse("f = 2 * g\ng = a / b\n");
	assert_string_equal(formula_first_event(&set, &set.formula[0], is_event), "a");
	formula_free(&set);
	must_parse("f = g\ng = f\nnone = 1\n");
	assert_false(formula_compute(&set, &set.formula[0], look_up, NULL, &value));
	assert_null(formula_first_event(&set, &set.formula[0], is_event));
	assert_null(formula_first_event(&set, &set.formula[2], is_event));
	formula_free(&set);
	for (i = 0; i < FORMULA_FORMULAS_DEPTH_MAX; i++)
		used += snprintf(text + used, sizeof(text) - used, "f%zu = f%zu\n", i, i + 1);
	snprintf(text + used, sizeof(text) - used, "f%zu = a\n", i);
	must_parse(text);
	assert_true(formula_compute(&set, &set.formula[0], look_up, NULL, &value));
	assert_true(value == 6);
	assert_string_equal(formula_first_event(&set, &set.formula[0], is_event), "a");
	must_parse("g = f0\n");
	assert_false(formula_compute(&set, &set.formula[i + 1], look_up, NULL, &value));
	assert_null(formula_first_event(&set, &set.formula[i + 1], is_event));
	formula_free(&set);
	/* 2 + 2 * 2 ... formulas: more than FORMULA_FORMULAS_MAX */
	must_parse("f = g + g\ng = h + h\nh = i + i\ni = j + j\n"
		   "j = k + k\nk = l + l\nl = a\n");
	assert_false(formula_compute(&set, &set.formula[0], look_up, NULL, &value));
	assert_true(formula_compute(&set, &set.formula[1], look_up, NULL, &value));
	assert_true(value == 32 * 6);
}

/* A name of one text is valid in the next; each text begins with lines for all. */
static void several_texts(void **state)
{
	(void)state;
	set.cpu = (struct formula_cpu){ "GenuineIntel", 6, 85, "core" };
	must_parse("processor no = amd 6\nprocessor yes = intel 6\non no\n");
	must_parse("f = 1\non no\ng = 1\non yes\nh = 1\n");
	assert_int_equal(set.num_formulas, 2);
	assert_string_equal(set.formula[1].name, "h");
	set.cpu = (struct formula_cpu){ .vendor = "" };
}

/* "BEGIN", @num times @letter, "END" */
static const char *repeated(const char *begin, char letter, size_t num, const char *end)
{
	static char text[2048];
	size_t len = strlen(begin);

	assert_true(len + num + strlen(end) < sizeof(text));
	memcpy(text, begin, len);
	memset(text + len, letter, num);
	memcpy(text + len + num, end, strlen(end) + 1);
	return text;
}

/* "f = VALUE + VALUE..." */
static const char *sum(const char *value, size_t num)
{
	static char text[2048];
	size_t used = snprintf(text, sizeof(text), "f = %s", value);

	while (--num)
		used += snprintf(text + used, sizeof(text) - used, " + %s", value);
	return text;
}

static void limits(void **state)
{
	double value;

	(void)state;
	refused(repeated("f = ", '(', FORMULA_DEPTH_MAX + 1, "1"),
		"test:1:69: nested more than 64 deep" EXPRESSION);
	refused(repeated("f = ", '-', FORMULA_DEPTH_MAX + 1, "1"),
		"test:1:69: nested more than 64 deep" EXPRESSION);
	must_parse(repeated("f = ", '-', FORMULA_DEPTH_MAX - 1, "1"));
	must_parse(sum("1", FORMULA_DEPTH_MAX + 1));
	refused(repeated("", 'x', 997, " = 1"),
		"test:1:1: a line of more than 1000 bytes" FORMULA);
	must_parse(repeated("", 'x', 996, " = 1"));
	must_parse("g = a\n");
	must_parse(sum("g", FORMULA_FORMULAS_MAX));
	assert_true(formula_compute(&set, &set.formula[0], look_up, NULL, &value));
	assert_true(value == FORMULA_FORMULAS_MAX * 6);
	must_parse(sum("g", FORMULA_FORMULAS_MAX + 1));
	assert_false(formula_compute(&set, &set.formula[0], look_up, NULL, &value));
}

/* Each allocation fails once. */
static void no_memory(void **state)
{
	static const char text[] = "processor x = intel 6\nf [u] = a + -'b'\ng = 1\n"
				   "group g = a\ngroup h = a, b\n";
	double value;
	size_t i;

	(void)state;
	for (i = 0;; i++) {
		allowed = i;
		message[0] = '\0';
		if (!formula_parse(&set, text, "test", message, sizeof(message)))
			break;
		assert_int_equal(allowed, SIZE_MAX);
		assert_non_null(strstr(message, ": out of memory; expected: "));
		formula_free(&set);
	}
	assert_int_not_equal(allowed, SIZE_MAX);
	allowed = 0;
	assert_false(formula_compute(&set, &set.formula[0], look_up, NULL, &value));
	assert_int_equal(allowed, SIZE_MAX);
}

/* A message has no more bytes than there is room for. */
static void short_messages(void **state)
{
	static const char whole[] = "test:1:1: '=' is missing" FORMULA;
	char *part;
	size_t size;

	(void)state;
	for (size = 1; size <= sizeof(whole); size++) {
		part = malloc(size);
		assert_int_equal(formula_parse(&set, "x", "test", part, size), -1);
		assert_int_equal(strlen(part), size - 1);
		assert_memory_equal(part, whole, size - 1);
		free(part);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(expressions, setup, teardown),
		cmocka_unit_test_setup_teardown(no_values, setup, teardown),
		cmocka_unit_test_setup_teardown(files, setup, teardown),
		cmocka_unit_test_setup_teardown(replacing, setup, teardown),
		cmocka_unit_test_setup_teardown(mistakes, setup, teardown),
		cmocka_unit_test_setup_teardown(mistaken_processors, setup, teardown),
		cmocka_unit_test_setup_teardown(processors, setup, teardown),
		cmocka_unit_test_setup_teardown(formulas_in_formulas, setup, teardown),
		cmocka_unit_test_setup_teardown(several_texts, setup, teardown),
		cmocka_unit_test_setup_teardown(limits, setup, teardown),
		cmocka_unit_test_setup_teardown(no_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(short_messages, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
