// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of perf_metrics.c: which entries a context with performance metrics may have, and to which
 * values its counts may be set
 *
 * The rules are those of the interface, uapi/pmcdrv.h: PMC_COUNTER_METRICS.
 */
#include "unit.h"

#include <linux/kernel.h>
#include <linux/slab.h>

#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "pmu/user_page.h"

#define BOTH	(PMC_COUNT_USER | PMC_COUNT_KERNEL)
#define MAX	5

#define METRICS(...)	{ .counter = PMC_COUNTER_METRICS, .flags = BOTH, ##__VA_ARGS__ }
#define SLOTS(...)	{ .counter = PMC_COUNTER_SLOTS, .flags = BOTH, ##__VA_ARGS__ }
#define GENERAL(...)	{ .counter = 1, .flags = BOTH, .event_select = 0xc4, ##__VA_ARGS__ }

/* Entries beyond the number are not the context's. */
static const struct {
	u32 scope, nr;
	struct pmc_counter_config counters[MAX];
	int result;
	u32 failed;
	u64 refused;
} known[] = {
	/* without metrics everything is allowed */
	{ PMC_SCOPE_PROCESS, 1, { GENERAL(.period = 1), METRICS() }, 0, 77, 0x55 },
	{ PMC_SCOPE_THREAD, 1, { SLOTS(.period = 1), METRICS(.event_select = 1) }, 0, 77, 0x55 },
	{ PMC_SCOPE_THREAD, 2, { SLOTS(), METRICS(), GENERAL(.period = 1) }, 0, PMC_ENTRY_NONE, 0 },
	{ PMC_SCOPE_CPU, 2, { METRICS(), SLOTS(), GENERAL(.period = 1) }, 0, PMC_ENTRY_NONE, 0 },
	{ PMC_SCOPE_THREAD, 4, { GENERAL(.initial = 5), SLOTS(), GENERAL(), METRICS() }, 0,
	  PMC_ENTRY_NONE, 0 },
	/* fractions of several threads or CPUs cannot be added */
	{ PMC_SCOPE_PROCESS, 2, { SLOTS(), METRICS() }, -EOPNOTSUPP, 1, 0x55 },
	{ PMC_SCOPE_TREE, 2, { METRICS(), SLOTS() }, -EOPNOTSUPP, 0, 0x55 },
	{ PMC_SCOPE_ALL_CPUS, 2, { METRICS(), SLOTS() }, -EOPNOTSUPP, 0, 0x55 },
	/* without slots, or with other flags */
	{ PMC_SCOPE_THREAD, 2, { GENERAL(), METRICS(), SLOTS() }, -EINVAL, 1, 0x55 },
	{ PMC_SCOPE_THREAD, 2, { { .counter = PMC_COUNTER_SLOTS, .flags = PMC_COUNT_USER },
				   METRICS() }, -EINVAL, 1, 0x55 },
	/* an event or an initial value of one of the two */
	{ PMC_SCOPE_THREAD, 2, { SLOTS(), METRICS(.event_select = 0x11) }, -EINVAL, 1, 0x11 },
	{ PMC_SCOPE_THREAD, 2, { SLOTS(), METRICS(.initial = 1) }, -EINVAL, 1, 0 },
	{ PMC_SCOPE_THREAD, 3, { METRICS(), GENERAL(), SLOTS(.event_select = 0x22) }, -EINVAL, 2,
	  0x22 },
	{ PMC_SCOPE_THREAD, 3, { METRICS(), GENERAL(), SLOTS(.initial = 1) }, -EINVAL, 2, 0 },
	/* a period of any counter */
	{ PMC_SCOPE_THREAD, 3, { METRICS(), SLOTS(), GENERAL(.period = 1) }, -EOPNOTSUPP, 2, 0 },
	{ PMC_SCOPE_CPU, 3, { GENERAL(.period = 1), METRICS(), SLOTS() }, -EOPNOTSUPP, 0, 0 },
	{ PMC_SCOPE_CPU, 3, { GENERAL(), SLOTS(.period = 1), METRICS() }, -EOPNOTSUPP, 1, 0 },
};

static void entries(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_config config = { .scope = known[i].scope, .nr_counters = known[i].nr,
					     .failed_entry = 77, .refused_bits = 0x55 };

		if (known[i].result != pmc_perf_metrics_check(&config, known[i].counters) ||
		    known[i].failed != config.failed_entry ||
		    known[i].refused != config.refused_bits)
			fail_msg("row %zu: entry %u, refused %#llx", i, config.failed_entry,
				 (unsigned long long)config.refused_bits);
	}
}

/* Both counts can only be set to 0. */
static void values(void **state)
{
	static const struct {
		u64 values[4];
		bool valid;
	} sets[] = {
		{ { 7, 0, 8, 0 }, true }, { { 7, 1, 8, 0 }, false }, { { 7, 0, 8, 1 }, false },
		{ { 0, 1, 0, 2 }, false }, { { 0, 0, 0, 0 }, true },
	};
	struct pmc_program program = { .metrics = true, .slots_at = 1, .metrics_at = 3 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		program.metrics = true;
		assert_int_equal(sets[i].valid,
				 pmc_perf_metrics_values_valid(&program, sets[i].values));
		program.metrics = false;
		assert_true(pmc_perf_metrics_values_valid(&program, sets[i].values));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries),
		cmocka_unit_test(values),
	};

	return cmocka_run_group_tests_name("perf_metrics_check", tests, NULL, NULL);
}
