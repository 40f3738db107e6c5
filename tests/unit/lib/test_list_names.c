// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests every listed name on each processor with a table: the parser accepts it, and the result
 * matches the list
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perfmon/pfmlib.h>

#include "check.h"

#define OWN_NAME	"on this processor: "

static size_t names, wrong;

static struct pmc_event *parse(const char *text, uint32_t kind)
{
	struct pmc_event *event = pmc_event_parse_core_type(text, kind);

	names++;
	if (!event) {
		wrong++;
		print_message("# '%s': %s\n", text, pmc_error());
	}
	return event;
}

static void same(const struct pmc_event_row *row, const char *text)
{
	struct pmc_event *event = parse(row->name, row->core_type);
	struct pmc_event *other = parse(text, row->core_type);

	if (event && other && pmc_event_select(event) != pmc_event_select(other)) {
		wrong++;
		print_message("# %s is not %s\n", row->name, text);
	}
	pmc_event_free(event);
	pmc_event_free(other);
}

/* Checks the name that follows @words in the row's text. */
static void named(const struct pmc_event_row *row, const char *words)
{
	if (!strncmp(row->text, words, strlen(words)))
		same(row, row->text + strlen(words));
}

/* Checks the name alone, unless the list shows that it needs a unit mask. */
static void whole_name(const struct pmc_event_row *row)
{
	struct pmc_event *event = pmc_event_parse_core_type(row->name, row->core_type);

	if (event || !row->num_unit_masks || !strstr(pmc_error(), "needs a unit mask"))
		pmc_event_free(parse(row->name, row->core_type));
	pmc_event_free(event);
}

/* On a processor without architectural events, the text has the processor's name of the event. */
static void own_name(const struct pmc_event_row *row)
{
	if (fake.query.perfmon_version || strcmp(row->source, "architectural") ||
	    !strncmp(row->text, OWN_NAME, strlen(OWN_NAME)))
		return;
	wrong++;
	print_message("# %s: %s\n", row->name, row->text);
}

static void check_row(const struct pmc_event_row *row)
{
	char text[512];
	size_t i;

	if (!row->counters && row->fixed == PMC_NO_FIXED)
		return;
	whole_name(row);
	if (row->alias)
		same(row, row->alias);
	if (row->perf)
		same(row, row->perf);
	named(row, OWN_NAME);
	named(row, "another name of ");
	for (i = 0; i < row->num_unit_masks; i++) {
		if (row->unit_masks[i].refused)
			continue;
		snprintf(text, sizeof(text), "%s:%s", row->name, row->unit_masks[i].name);
		pmc_event_free(parse(text, row->core_type));
	}
}

static void check_list(void)
{
	struct pmc_event_list *list = pmc_event_list_get();
	size_t i;

	assert_non_null(list);
	for (i = 0; i < pmc_event_list_num(list); i++) {
		check_row(pmc_event_list_row(list, i));
		if (!pmc_event_list_incomplete(list))
			own_name(pmc_event_list_row(list, i));
	}
	pmc_event_list_free(list);
}

static void pentiums(void **state)
{
	names = 0;
	wrong = 0;
	fake_pentium(false);
	check_list();
	fake_pentium(true);
	check_list();
	assert_int_equal(wrong, 0);
	assert_in_range(names, 100, 1000);
}

/* ---- the tables of libpfm4 ---- */

/* Selects a processor with this table. */
static void choose_processor(const char *table)
{
	unsigned int family;

	if (sscanf(table, "amd64_fam%xh", &family) == 1)
		fake_amd(family);
	else if (!strcmp(table, "amd64_k7"))
		fake_amd(0x06);
	else if (!strncmp(table, "amd64_k8", strlen("amd64_k8")))
		fake_amd(0x0f);
	else if (!strncmp(table, "netburst", strlen("netburst")))
		fake_netburst(4);
	else if (!strcmp(table, "ppro"))
		fake_p6(1);
	else if (!strcmp(table, "pii"))
		fake_p6(3);
	else if (!strcmp(table, "p6"))
		fake_p6(8);
	else if (!strcmp(table, "pm"))
		fake_p6(13);
}

/* Runs in a process of its own, because libpfm4 supports one processor in a process. */
static int check_table(const char *table)
{
	fake_reset();
	choose_processor(table);
	check_list();
	if (names < 30)
		print_message("# %s: %zu names only\n", table, names);
	return wrong || names < 30;
}

static int run_with(const char *table)
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		setenv("LIBPFM_FORCE_PMU", table, 1);
		execl("/proc/self/exe", "test_list_names", table, NULL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	if (status)
		print_message("# %s: status 0x%x\n", table, status);
	return status;
}

static void tables(void **state)
{
	pfm_pmu_info_t info;
	size_t num = 0;
	int pmu;

	wrong = 0;
	unsetenv("LIBPFM_FORCE_PMU");
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	for (pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS ||
		    info.type != PFM_PMU_TYPE_CORE || info.pmu == PFM_PMU_INTEL_X86_ARCH)
			continue;
		wrong += !!run_with(info.name);
		num++;
	}
	assert_int_equal(wrong, 0);
	assert_in_range(num, 30, 200);
}

/* libpfm4 does not know the processor: no name of libpfm4 is listed. */
static void unknown(void **state)
{
	struct pmc_event_list *list;

	fake_amd(0x1a);
	list = pmc_event_list_get();
	assert_non_null(list);
	assert_non_null(pmc_event_list_incomplete(list));
	assert_string_equal(pmc_event_list_row(list, 0)->name, "cycles");
	assert_string_equal(pmc_event_list_row(list, 0)->text,
			    "clock cycles of the core while it is not halted");
	pmc_event_list_free(list);
	wrong = 0;
	check_list();
	assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		fake_test(pentiums),
		fake_test(unknown),
		fake_test(tables),
	};

	if (argc > 1)
		return check_table(argv[1]);
	return cmocka_run_group_tests_name("list_names", tests, NULL, NULL);
}
