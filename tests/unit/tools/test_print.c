// SPDX-License-Identifier: GPL-2.0-only
/* Tests of pmcctl's arithmetic and output: means, tables, CSV, JSON text, a denied device */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "stat/stat.h"
#include "util/device.h"
#include "util/output.h"

/* The functions that report errors are not linked: no tested function may report one. */
int report_error(const char *format, ...)
{
	(void)format;
	abort();
}

int report_usage_error(const char *format, ...)
{
	(void)format;
	abort();
}

int check_option_repeat(uint64_t *seen, int option, const char *often, const struct option *options)
{
	(void)seen;
	(void)option;
	(void)often;
	(void)options;
	return 0;
}

int report_option_error(int refused, char *const *argv, const struct option *options)
{
	(void)refused;
	(void)argv;
	(void)options;
	abort();
}

bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	(void)text;
	(void)min;
	(void)max;
	(void)number;
	abort();
}

int read_number(const char *option, const char *text, uint64_t min, uint64_t max,
		uint64_t *number)
{
	(void)option;
	(void)text;
	(void)min;
	(void)max;
	(void)number;
	abort();
}

static void check_mean(const uint64_t *counts, size_t num, uint64_t min, uint64_t max,
		       const char *mean)
{
	struct stat_run runs[8] = { 0 };
	struct stat_job job = { .num_runs = num, .run = runs };
	struct stat_summary summary;
	char text[32];
	size_t i;

	for (i = 0; i < num; i++)
		runs[i].measured.snapshot.value[1] = counts[i];
	stat_summarise(&job, 1, &summary);
	stat_mean_text(&summary, text, sizeof(text));
	assert_true(summary.min == min);
	assert_true(summary.max == max);
	assert_string_equal(text, mean);
}

static void means(void **state)
{
	(void)state;
	check_mean((uint64_t[]){ 5 }, 1, 5, 5, "5.000");
	check_mean((uint64_t[]){ 1, 2 }, 2, 1, 2, "1.500");
	check_mean((uint64_t[]){ 1, 1, 2 }, 3, 1, 2, "1.333");
	check_mean((uint64_t[]){ 1, 2, 2 }, 3, 1, 2, "1.667");
	check_mean((uint64_t[]){ 0, 0 }, 2, 0, 0, "0.000");
	check_mean((uint64_t[]){ UINT64_MAX, UINT64_MAX }, 2, UINT64_MAX, UINT64_MAX,
		   "18446744073709551615.000");
	check_mean((uint64_t[]){ UINT64_MAX, UINT64_MAX - 1 }, 2, UINT64_MAX - 1, UINT64_MAX,
		   "18446744073709551614.500");
	check_mean((uint64_t[]){ (1ULL << 53) + 1, (1ULL << 53) + 3 }, 2, (1ULL << 53) + 1,
		   (1ULL << 53) + 3, "9007199254740994.000");
}

/* 1999 of 2000: rounds up to the next whole number */
static void mean_carries(void **state)
{
	struct stat_summary summary = { .floor = 9, .remainder = 1999, .divisor = 2000 };
	char text[32];

	(void)state;
	stat_mean_text(&summary, text, sizeof(text));
	assert_string_equal(text, "10.000");
	summary.remainder = 1998;
	stat_mean_text(&summary, text, sizeof(text));
	assert_string_equal(text, "9.999");
}

static void check_deviation(const uint64_t *counts, size_t num, double expected)
{
	struct stat_run runs[8] = { 0 };
	struct stat_job job = { .num_runs = num, .run = runs };
	size_t i;

	for (i = 0; i < num; i++)
		runs[i].measured.snapshot.value[1] = counts[i];
	if (stat_deviation(&job, 1) != expected)
		fail_msg("%.17g is not %.17g", stat_deviation(&job, 1), expected);
}

/* Compared with ==: the results are exact. */
static void deviations(void **state)
{
	(void)state;
	check_deviation((uint64_t[]){ 5 }, 1, 0);
	check_deviation((uint64_t[]){ 5, 5, 5 }, 3, 0);
	check_deviation((uint64_t[]){ 1, 2, 3 }, 3, 1);
	check_deviation((uint64_t[]){ 0, 4, 8, 12, 16, 8, 8, 8 }, 8, 4.780914437337574);
	check_deviation((uint64_t[]){ UINT64_MAX, UINT64_MAX - 2, UINT64_MAX - 4 }, 3, 2);
	check_deviation((uint64_t[]){ (1ULL << 53) + 1, (1ULL << 53) + 2, (1ULL << 53) + 3 }, 3, 1);
	check_deviation((uint64_t[]){ 0, UINT64_MAX }, 2, 13043817825332783104.0);
}

/* A last run that was cut off is not summarised, unless there is no other. */
static void whole_runs(void **state)
{
	struct stat_run runs[4] = { 0 };
	struct stat_job job = { .num_runs = 4, .run = runs };
	struct stat_summary summary;
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		runs[i].measured.snapshot.value[1] = (uint64_t[]){ 20, 22, 24, 5 }[i];
		runs[i].measured.snapshot.time_counted = 100 - i * i;
		runs[i].measured.elapsed_ns = (i + 1) * 1000000000ULL;
	}
	runs[3].interrupted = true;
	stat_summarise(&job, 1, &summary);
	assert_true(summary.min == 20 && summary.max == 24);
	assert_true(summary.floor == 22 && summary.remainder == 0 && summary.divisor == 3);
	assert_true(stat_deviation(&job, 1) == 2);
	assert_true(stat_ticks(&job, NULL) == 295.0 / 3);
	assert_true(stat_seconds(&job, NULL) == 2);
	job.num_runs = 1;
	runs[0].interrupted = true;
	stat_summarise(&job, 1, &summary);
	assert_true(summary.min == 20 && summary.max == 20);
	assert_true(summary.floor == 20 && summary.divisor == 1);
	assert_true(stat_num_complete(&job) == 0);
}

static void check_csv(const char *text, const char *expected)
{
	char *printed;
	size_t size;
	FILE *file = open_memstream(&printed, &size);

	csv_print(text, file);
	fclose(file);
	assert_string_equal(printed, expected);
	free(printed);
}

static void csv(void **state)
{
	(void)state;
	check_csv("", "");
	check_csv("a b", "a b");
	check_csv("a,b", "\"a,b\"");
	check_csv("a\"b", "\"a\"\"b\"");
	check_csv("a\nb", "\"a\nb\"");
}

static void tables(void **state)
{
	struct table table = { .columns = 3, .right = 0x2 };
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	table_add(&table, "a");
	table_add(&table, "%d", 12345);
	table_add(&table, "x");
	table_add(&table, "long");
	table_add(&table, "%d", 6);
	table_add(&table, "yy");
	table_add(&table, "b");
	table_add(&table, "-");
	table_add(&table, "%s", "");
	table_add(&table, "c");
	table_add(&table, "%s", "");
	table_add(&table, "%s", "");
	table_print(&table, 1, file);
	fclose(file);
	assert_string_equal(text, " a     12345  x\n long      6  yy\n b         -\n c\n");
	free(text);
}

static void check_utf8(const char *text, const char *expected)
{
	struct json_object *object = json_text(text);

	assert_string_equal(json_object_get_string(object), expected);
	json_object_put(object);
}

static void utf8(void **state)
{
	(void)state;
	check_utf8("", "");
	check_utf8("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z",
		   "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z");
	check_utf8("\xff.", "\xef\xbf\xbd.");
	check_utf8("\xc3", "\xef\xbf\xbd");
	check_utf8("\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd");
	check_utf8("\xe0\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check_utf8("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check_utf8("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check_utf8("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");
}

static void check_denied(mode_t mode, gid_t group, const char *expected)
{
	const struct stat node = { .st_mode = S_IFCHR | mode, .st_gid = group };
	char text[512] = "an older text";

	device_denied_text(&node, "ada", text, sizeof(text));
	assert_string_equal(text, expected);
}

/* No group has this number. */
#define UNKNOWN_GROUP	2147483001

static void denied(void **state)
{
	static const char by_group[] =
		"not allowed to open /dev/pmc (mode 0660, root:2147483001): members of the group "
		"2147483001 may; as root run 'usermod -aG 2147483001 ada', then log in again";
	static const char no_rule[] =
		"run pmcctl as root, or install the udev rule that admits the group pmc "
		"(make install-system)";
	char text[256];

	(void)state;
	check_denied(0660, UNKNOWN_GROUP, by_group);
	snprintf(text, sizeof(text), "not allowed to open /dev/pmc (mode 0600, root:root): %s",
		 no_rule);
	check_denied(0600, 0, text);
	/* root's group is not for users */
	snprintf(text, sizeof(text), "not allowed to open /dev/pmc (mode 0660, root:root): %s",
		 no_rule);
	check_denied(0660, 0, text);
	snprintf(text, sizeof(text), "not allowed to open /dev/pmc (mode 0640, root:2147483001): %s",
		 no_rule);
	check_denied(0640, UNKNOWN_GROUP, text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means),
		cmocka_unit_test(mean_carries),
		cmocka_unit_test(deviations),
		cmocka_unit_test(whole_runs),
		cmocka_unit_test(csv),
		cmocka_unit_test(tables),
		cmocka_unit_test(utf8),
		cmocka_unit_test(denied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
