// SPDX-License-Identifier: GPL-2.0-only
/* Tests of libpfm4's names of events that only a fixed counter counts, on Ice Lake */
#include <stdlib.h>

#include "check.h"

/* Priority 101: runs before the fake driver's constructor, which forces Skylake. */
static __attribute__((constructor(101))) void force_ice_lake(void)
{
	setenv("LIBPFM_FORCE_PMU", "icl", 1);
}

static void check(const char *text, const char *arch, enum pmc_placement placement)
{
	struct pmc_event *event = must_parse(text);

	assert_non_null(event->arch);
	assert_string_equal(event->arch->name, arch);
	assert_int_equal(event->placement, placement);
	pmc_event_free(event);
}

static void names(void **state)
{
	fake_core(126, 0xff);
	check("INST_RETIRED:PREC_DIST", "instructions", PLACEMENT_FIXED);
	check("INST_RETIRED:PREC_DIST:f=0", "instructions", PLACEMENT_COUNTER);
	check("TOPDOWN:SLOTS:u", "slots", PLACEMENT_ANY);
	assert_failed(!pmc_event_parse("TOPDOWN:SLOTS:f=1"), EINVAL, "fixed counter 3 counts it");
	assert_failed(!pmc_event_parse("TOPDOWN:SLOTS:c=1:f"), EINVAL, "has no edge");
}

/* libpfm4's tables have event number 0 for events with a missing number. */
static void no_number(void **state)
{
	assert_failed(!pmc_event_parse("TOPDOWN:BACKEND_BOUND_SLOTS"), EOPNOTSUPP,
		      "libpfm4 has no event number for it");
	assert_failed(!pmc_event_parse("TOPDOWN:BR_MISPREDICT_SLOTS:u"), EOPNOTSUPP,
		      "libpfm4 has no event number for it");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fake_test(names),
		fake_test(no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
