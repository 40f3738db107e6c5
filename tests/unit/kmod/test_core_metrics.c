// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of core_metrics.c: the register of the performance metrics
 *
 * MSR_PERF_METRICS is 329H; in IA32_PERF_GLOBAL_CTRL and the like it has bit 48, fixed counter 3
 * bit 35 (Intel's Volume 3B, "Performance Metrics").
 */
#include "core_registers.h"

#define HAS_METRICS	PMC_FEATURE(METRICS)
#define SLOTS		(1 << 3)
#define BIT_SLOTS	(1ULL << 35)
#define BIT_METRICS	(1ULL << 48)

static u64 metrics;

u64 pmc_rdpmc(u32 counter)
{
	assert_int_equal(PMC_COUNTER_METRICS, counter);
	return metrics;
}

static void found(void **state)
{
	static const struct {
		u64 features, fixed;
		bool missing;
		u64 left;
		u32 accesses;
	} known[] = {
		{ HAS_METRICS | 1, 0xf, false, HAS_METRICS | 1, 1 },
		{ HAS_METRICS | 1, 0xf, true, 1, 1 },
		{ HAS_METRICS | 1, 0x7, false, 1, 0 },
		{ 1, 0xf, true, 1, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_query query = { .features = known[i].features,
					   .fixed_counters = known[i].fixed };

		no_registers_yet();
		give_register(METRICS, 0);
		core_register(METRICS)->faults = known[i].missing;
		core_metrics_find(&query);
		assert_int_equal(known[i].left, query.features);
		assert_int_equal(known[i].accesses, nr_accessed);
	}
}

/* Four fields of 8 bits on Ice Lake, Tiger Lake and Rocket Lake, else eight */
static void described(void **state)
{
	static const u32 four_fields[] = { 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7 };
	u32 model;
	size_t i;

	for (model = 0; model < 512; model++) {
		struct pmc_query query = { .cpu_family = model < 256 ? 6 : 18,
					   .cpu_model = model & 0xff, .features = HAS_METRICS };
		struct pmc_counter answer = { .period_max = 0 };
		u32 width = 64;

		for (i = 0; i < ARRAY_SIZE(four_fields); i++)
			width = model == four_fields[i] ? 32 : width;
		assert_int_equal(0, core_metrics_describe(&query, &answer));
		assert_int_equal(width, answer.width);
		assert_int_equal(width, answer.write_width);
		assert_int_equal(PMC_COUNTER_METRICS, answer.rdpmc);
		assert_int_equal(METRICS, answer.counter_msr);
		query.features = ~HAS_METRICS;
		memset(&answer, 0, sizeof(answer));
		assert_int_equal(-ENXIO, core_metrics_describe(&query, &answer));
		assert_int_equal(0, answer.width | answer.rdpmc);
	}
}

static void compiled(void **state)
{
	static const struct {
		u32 model, flags;
		u64 mask;
	} known[] = {
		{ 0x6a, PMC_COUNT_USER, 0xffffffff }, { 0x8f, PMC_COUNT_KERNEL, ~0ULL },
		{ 0x8f, PMC_COUNT_USER | PMC_COUNT_KERNEL, ~0ULL }, { 0xa7, 0, 0xffffffff },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_query query = { .cpu_family = 6, .cpu_model = known[i].model };
		struct pmc_counter_config config = { .counter = PMC_COUNTER_METRICS,
						     .flags = known[i].flags };
		struct pmc_program *program = test_calloc(1, sizeof(*program) +
							     3 * sizeof(program->setup[0]));
		const struct pmc_counter_setup *setup = &program->setup[1];

		program->nr = 1;
		program->enable = BIT_SLOTS;
		core_metrics_compile(&query, &config, program);
		assert_int_equal(2, program->nr);
		assert_true(program->metrics);
		assert_int_equal(1, program->metrics_at);
		assert_int_equal(BIT_SLOTS | BIT_METRICS, program->enable);
		assert_int_equal(PMC_COUNTER_METRICS, setup->rdpmc);
		assert_int_equal(METRICS, setup->write_msr);
		assert_int_equal(METRICS, setup->counter_msr);
		assert_int_equal(known[i].mask, setup->write_mask);
		assert_int_equal(~0ULL, setup->mask);
		assert_int_equal(!!(known[i].flags & PMC_COUNT_USER), setup->user);
		assert_int_equal(!!(known[i].flags & PMC_COUNT_KERNEL), setup->kernel);
		test_free(program);
	}
}

/* They run together with fixed counter 3 only. */
static void running(void **state)
{
	struct pmc_pmu pmu = { .description.query.features = HAS_METRICS,
			       .saved.global_ctrl = BIT_METRICS | BIT_SLOTS | 0x1 };

	assert_int_equal(BIT_METRICS | BIT_SLOTS | 0x2,
			 core_metrics_running(&pmu, BIT_SLOTS | 0x2));
	assert_int_equal(0x2, core_metrics_running(&pmu, 0x2));
	pmu.saved.global_ctrl = BIT_SLOTS;
	assert_int_equal(BIT_SLOTS, core_metrics_running(&pmu, BIT_SLOTS));
	pmu.saved.global_ctrl = BIT_METRICS;
	pmu.description.query.features = 0;
	assert_int_equal(BIT_SLOTS, core_metrics_running(&pmu, BIT_SLOTS));
}

/* The register is saved where it exists, and restored where its counter was written. */
static void restored(void **state)
{
	struct pmc_pmu pmu = { .touched_fixed = SLOTS, .saved.metrics = 0x77 };

	no_registers_yet();
	give_register(METRICS, 0x1234);
	core_metrics_save(&pmu);
	core_metrics_restore(&pmu);
	assert_int_equal(0, core_metrics_touched(&pmu));
	assert_accessed();
	pmu.description.query.features = HAS_METRICS;
	core_metrics_save(&pmu);
	assert_accessed(METRICS);
	assert_int_equal(0x1234, pmu.saved.metrics);
	give_register(METRICS, 0);
	pmu.touched_fixed = 0x7;
	assert_int_equal(0, core_metrics_touched(&pmu));
	core_metrics_restore(&pmu);
	assert_accessed();
	pmu.touched_fixed = SLOTS;
	assert_int_equal(BIT_METRICS, core_metrics_touched(&pmu));
	core_metrics_restore(&pmu);
	assert_accessed(METRICS);
	assert_int_equal(0x1234, register_value(METRICS));
}

static void cleared(void **state)
{
	struct pmc_pmu pmu = { .description.query.features = HAS_METRICS, .touched_fixed = SLOTS };

	no_registers_yet();
	give_register(METRICS, 0x55);
	metrics = 0;
	assert_false(core_metrics_clear(&pmu, SLOTS));
	metrics = 0x55;
	assert_false(core_metrics_clear(&pmu, 0x7));
	pmu.touched_fixed = 0x7;
	assert_false(core_metrics_clear(&pmu, SLOTS));
	assert_accessed();
	pmu.touched_fixed = SLOTS;
	assert_true(core_metrics_clear(&pmu, SLOTS));
	assert_accessed(METRICS);
	assert_int_equal(0, register_value(METRICS));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(found),
		cmocka_unit_test(described),
		cmocka_unit_test(compiled),
		cmocka_unit_test(running),
		cmocka_unit_test(restored),
		cmocka_unit_test(cleared),
	};

	return cmocka_run_group_tests_name("core_metrics", tests, NULL, NULL);
}
