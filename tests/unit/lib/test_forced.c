// SPDX-License-Identifier: GPL-2.0-only
/* Tests of LIBPFM_FORCE_PMU: names of another processor, here Haswell's on Zen */
#include <stdlib.h>

#include "check.h"

/* Priority 101: runs before the fake driver's constructor, which forces Skylake. */
static __attribute__((constructor(101))) void force_haswell(void)
{
	setenv("LIBPFM_FORCE_PMU", "hsw", 1);
}

static void zen(void)
{
	fake_amd(0x17);
	fake.forced_names = true;
}

static void check_select(const char *text, uint64_t select)
{
	struct pmc_event *event = must_parse(text);

	assert_int_equal(pmc_event_select(event), select);
	assert_int_equal(event->layout, PMC_LAYOUT_CORE);
	pmc_event_free(event);
}

static void names(void **state)
{
	zen();
	check_select("instructions", 0xc0);
	check_select("cycles:t", 0x20003c);
	check_select("MEM_LOAD_UOPS_RETIRED.L3_MISS", 0x20d1);
	check_select("iTLB-loads", 0x6085);
	fake.forced_names = false;
	assert_failed(!pmc_event_parse("MEM_LOAD_UOPS_RETIRED.L3_MISS"), EINVAL, "no event");
}

static const struct pmc_event_row *find(const struct pmc_event_list *list, const char *name)
{
	const struct pmc_event_row *row;
	size_t i;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		if (!strcmp(row->name, name))
			return row;
	fail_msg("%s is not listed", name);
	return NULL;
}

/* With Haswell's restrictions to some counters */
static void lists(void **state)
{
	struct pmc_event_list *list;

	zen();
	list = pmc_event_list_get();
	assert_non_null(list);
	assert_null(pmc_event_list_incomplete(list));
	assert_int_equal(find(list, "MEM_LOAD_UOPS_RETIRED")->counters, 0xf);
	assert_int_equal(find(list, "iTLB-loads")->select, 0x6085);
	pmc_event_list_free(list);
}

/* The counters are those of the processor. */
static void counting(void **state)
{
	struct pmc_device *device;
	struct pmc_context *context;
	struct pmc_event *event;

	zen();
	event = pmc_event_parse("instructions");
	device = pmc_device_open(NULL);
	context = pmc_context_open(device);
	assert_failed(pmc_context_add(context, event), EOPNOTSUPP, "an AMD processor");
	pmc_event_free(event);
	pmc_context_close(context);
	pmc_device_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fake_test(names),
		fake_test(lists),
		fake_test(counting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
