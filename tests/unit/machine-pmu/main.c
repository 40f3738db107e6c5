// SPDX-License-Identifier: GPL-2.0-only
/* Runs all unit tests of the PMU model as one TAP stream */
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static const struct {
	const struct CMUnitTest *tests;
	const size_t *n;
} groups[] = {
	{ register_tests, &register_ntests },
	{ count_tests, &count_ntests },
	{ overflow_tests, &overflow_ntests },
	{ option_tests, &option_ntests },
	{ structure_tests, &structure_ntests },
	{ p5_tests, &p5_ntests },
	{ p6_tests, &p6_ntests },
	{ p6_event_tests, &p6_event_ntests },
	{ event_tests, &event_ntests },
	{ memory_tests, &memory_ntests },
	{ list_tests, &list_ntests },
	{ netburst_tests, &netburst_ntests },
	{ netburst_thread_tests, &netburst_thread_ntests },
	{ xeon_l3_tests, &xeon_l3_ntests },
	{ amd_tests, &amd_ntests },
	{ version_6_tests, &version_6_ntests },
	{ hybrid_tests, &hybrid_ntests },
	{ reload_tests, &reload_ntests },
	{ metrics_tests, &metrics_ntests },
	{ pipe_tests, &pipe_ntests },
	{ quirk_tests, &quirk_ntests },
	{ quirk_interrupt_tests, &quirk_interrupt_ntests },
	{ quirk_guest_tests, &quirk_guest_ntests },
	{ extra_register_tests, &extra_register_ntests },
};

#define NGROUPS N(groups)

int main(void)
{
	struct CMUnitTest *all;
	size_t i, n = 0;
	int failed;

	for (i = 0; i < NGROUPS; i++)
		n += *groups[i].n;
	all = malloc(n * sizeof(*all));
	for (i = n = 0; i < NGROUPS; n += *groups[i++].n)
		memcpy(all + n, groups[i].tests, *groups[i].n * sizeof(*all));
	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = _cmocka_run_group_tests("pmu", all, n, NULL, NULL);
	free(all);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
