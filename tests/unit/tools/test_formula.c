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
static char message[256];

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

/* a is 6, b is 3, zero is 0, "a-b" is 100, "x y" is 7, L2:MISS is 5 */
static bool look_up(void *data, const char *name, double *value)
{
	static const struct {
		const char *name;
		double value;
	} known[] = {
		{ "a", 6 }, { "b", 3 }, { "zero", 0 }, { "a-b", 100 }, { "x y", 7 },
		{ "L2:MISS", 5 }, { "c:c=1", 8 }, { "a.b_c9", 11 },
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
	if (!formula_compute(&set.formula[0], look_up, NULL, &value))
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
	assert_false(formula_compute(&set.formula[0], look_up, NULL, &value));
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
	check("  ( a )  ", 6);
	check("'x y' * 2", 14);
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
	has_no_value("1 / (a - 2 * b)");
}

static void files(void **state)
{
	(void)state;
	must_parse("# a comment\n\n  \t\n"
		   "  one two [ % ] = a\n"
		   "three=b\n"
		   "   # another\n"
		   "group g = x, y:u ,cpu/event=1,umask=2/\r\n"
		   "group  other-1  =  z");
	assert_int_equal(set.num_formulas, 2);
	assert_string_equal(set.formula[0].name, "one two");
	assert_string_equal(set.formula[0].unit, "%");
	assert_string_equal(set.formula[1].name, "three");
	assert_string_equal(set.formula[1].unit, "");
	assert_int_equal(set.num_groups, 2);
	assert_string_equal(formula_find_group(&set, "g")->events, "x,y:u,cpu/event=1,umask=2/");
	assert_string_equal(formula_find_group(&set, "other-1")->events, "z");
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
	assert_true(formula_compute(&set.formula[0], look_up, NULL, &value));
	assert_true(value == 3);
	assert_int_equal(set.num_groups, 1);
	assert_string_equal(set.group[0].events, "b");
}

/* A column is that of the place that is wrong. */
static void mistakes(void **state)
{
	(void)state;
	refused("x", "test:1:1: '=' is missing: NAME [UNIT] = EXPRESSION");
	refused("\n\nx y", "test:3:1: '=' is missing: NAME [UNIT] = EXPRESSION");
	refused("= 1", "test:1:1: a formula without a name");
	refused("[%] = 1", "test:1:1: a formula without a name");
	refused("x [% = 1", "test:1:3: ']' is missing before '='");
	refused("x [%] y = 1", "test:1:7: '=' should stand here");
	refused("x =", "test:1:4: a number or a name is missing");
	refused("x = 1 +", "test:1:8: a number or a name is missing");
	refused("x = * 1", "test:1:5: '*' where a number or a name should be");
	refused("x = 1 2", "test:1:7: '2' where an operator or the line's end should be");
	refused("x = a b", "test:1:7: 'b' where an operator or the line's end should be");
	refused("x = (1", "test:1:7: ')' is missing");
	refused("x = (1 2)", "test:1:8: ')' is missing");
	refused("x = 1)", "test:1:6: ')' where an operator or the line's end should be");
	refused("x = 1.2.3", "test:1:5: '1.2.3' is no number");
	refused("x = .", "test:1:5: '.' is no number");
	refused("x = 'a", "test:1:5: the second ' is missing");
	refused("x = ''", "test:1:5: an empty name");
	refused("x = 1 % 2", "test:1:7: '%' where an operator or the line's end should be");
	refused("x = \xff", "test:1:5: '\xff' where a number or a name should be");
	refused("group = a", "test:1:7: a group without a name");
	refused("group g", "test:1:1: '=' is missing: NAME [UNIT] = EXPRESSION");
	refused("group g = ", "test:1:10: a group without events");
	refused("group g h = a", "test:1:9: a group's name is letters, digits, '_', '-' and '.'");
	refused("x = 1111111111111111111111111111111111111111111111111111111111111111",
		"test:1:5: a number of more than 63 digits");
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

static void limits(void **state)
{
	(void)state;
	refused(repeated("f = ", '(', FORMULA_DEPTH_MAX + 1, "1"),
		"test:1:69: nested more than 64 deep");
	refused(repeated("f = ", '-', FORMULA_DEPTH_MAX + 1, "1"),
		"test:1:69: nested more than 64 deep");
	must_parse(repeated("f = ", '-', FORMULA_DEPTH_MAX - 1, "1"));
	refused(repeated("", 'x', 1001, " = 1"), "test:1:1: a line of more than 1000 bytes");
	must_parse(repeated("", 'x', 996, " = 1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(expressions, setup, teardown),
		cmocka_unit_test_setup_teardown(no_values, setup, teardown),
		cmocka_unit_test_setup_teardown(files, setup, teardown),
		cmocka_unit_test_setup_teardown(replacing, setup, teardown),
		cmocka_unit_test_setup_teardown(mistakes, setup, teardown),
		cmocka_unit_test_setup_teardown(limits, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
