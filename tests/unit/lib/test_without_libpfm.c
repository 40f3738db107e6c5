// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the library built without libpfm4 */
#include <stdlib.h>

#include "check.h"

static void names(void **state)
{
	struct pmc_event *event;

	event = must_parse("instructions:u");
	pmc_event_free(event);
	assert_failed(!pmc_event_parse("L1D:REPLACEMENT"), EINVAL,
		      "(this library was built without libpfm4: install libpfm4-dev");
	fake_p6(3);
	event = must_parse("L2_RQSTS:I");
	assert_int_equal(pmc_event_select(event), 0x12e);
	pmc_event_free(event);
	assert_failed(!pmc_event_parse("L1D:REPLACEMENT"), EINVAL, "no event 'L1D'");
	assert_null(strstr(pmc_error(), "libpfm4"));
}

static void lists(void **state)
{
	struct pmc_event_list *list;

	list = pmc_event_list_get();
	/* architectural ones, perf's, and perf's of topdown on Skylake */
	assert_int_equal(pmc_event_list_num(list), 9 + 20 + 5);
	assert_non_null(strstr(pmc_event_list_incomplete(list), "without libpfm4"));
	pmc_event_list_free(list);
	fake_pentium(false);
	list = pmc_event_list_get();
	assert_int_equal(pmc_event_list_num(list), 2 + 38);
	assert_null(pmc_event_list_incomplete(list));
	pmc_event_list_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fake_test(names),
		fake_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
