// SPDX-License-Identifier: GPL-2.0-only
/* Tests of run.c and fold.c: what a run loads, and what it adds when it is stopped or updated */
#include "run_fixture.h"

static int metrics_error;
static bool no_memory, no_sampler;
static gfp_t asked_gfp;
static int allocations;
static u32 rewound_metrics; /* the entry that performance metrics rewind themselves, or 2 */

void *kzalloc_node(size_t size, gfp_t gfp, int node)
{
	assert_int_equal(GFP_KERNEL_ACCOUNT, gfp);
	assert_int_equal(3, node);
	assert_int_equal(sizeof(*run) + 2 * sizeof(run->count[0]), size);
	if (no_memory)
		return NULL;
	allocations++;
	return calloc(1, size);
}

void kfree(const void *memory)
{
	allocations -= !!memory;
	free((void *)memory);
}

struct pmc_sampler *pmc_sampler_alloc(struct pmc_run *sampled, gfp_t gfp)
{
	assert_int_equal(MASK_40, sampled->count[1].mask);
	asked_gfp = gfp;
	if (no_sampler)
		return NULL;
	allocations++;
	return calloc(1, sizeof(struct pmc_sampler));
}

int pmc_perf_metrics_init(struct pmc_run *measured, gfp_t gfp)
{
	assert_int_equal(MASK_40, measured->count[1].mask);
	asked_gfp = gfp;
	return metrics_error;
}

bool pmc_perf_metrics_rewind(struct pmc_pmu *pmu, struct pmc_run *rewound, u32 i)
{
	assert_ptr_equal(&pmc_pmus, pmu);
	assert_ptr_equal(run, rewound);
	return i == rewound_metrics;
}

static int set_up(void **state)
{
	metrics_error = 0;
	no_memory = false;
	no_sampler = false;
	asked_gfp = 0;
	allocations = 0;
	rewound_metrics = 2;
	cpu_has_feature[X86_FEATURE_INTEL_PT] = false;
	return set_up_run(state);
}

/* The counters of the run that the program describes */
static void is_like_program(const struct pmc_run *made)
{
	assert_ptr_equal(program, made->program);
	assert_int_equal(MASK_48, made->count[0].mask);
	assert_int_equal(MASK_40, made->count[1].mask);
	assert_int_equal(0, made->count[0].rdpmc);
	assert_int_equal(FIXED_0, made->count[1].rdpmc);
	assert_false(pmc_run_active(made));
}

static void initialised(void **state)
{
	static const struct pmc_sample_config *const sampling = (void *)1;

	memset(run, 0, sizeof(*run) + 2 * sizeof(run->count[0]));
	assert_int_equal(0, pmc_run_init(run, program, GFP_KERNEL));
	is_like_program(run);
	assert_null(run->sampler);
	assert_int_equal(0, asked_gfp);
	program->sampling = sampling;
	assert_int_equal(0, pmc_run_init(run, program, GFP_KERNEL));
	assert_non_null(run->sampler);
	assert_int_equal(GFP_KERNEL, asked_gfp);
	pmc_run_exit(run);
	assert_int_equal(0, allocations);
	no_sampler = true;
	assert_int_equal(-ENOMEM, pmc_run_init(run, program, GFP_KERNEL));
	/* performance metrics are never sampled */
	program->metrics = true;
	no_sampler = false;
	assert_int_equal(0, pmc_run_init(run, program, GFP_KERNEL));
	metrics_error = -ENOMEM;
	assert_int_equal(-ENOMEM, pmc_run_init(run, program, GFP_KERNEL));
	assert_int_equal(0, allocations);
}

static void allocated(void **state)
{
	struct pmc_run *made;

	program->sampling = (void *)1;
	made = pmc_run_alloc(program, 3);
	assert_non_null(made);
	is_like_program(made);
	assert_int_equal(GFP_KERNEL_ACCOUNT, asked_gfp);
	made->intervals = calloc(1, 1);
	allocations++;
	assert_int_equal(3, allocations);
	pmc_run_free(made);
	assert_int_equal(0, allocations);
	pmc_run_free(NULL);
	no_sampler = true;
	assert_null(pmc_run_alloc(program, 3));
	assert_int_equal(0, allocations);
	no_memory = true;
	no_sampler = false;
	assert_null(pmc_run_alloc(program, 3));
}

/* The values of the counters are where the run begins. */
static void loaded(void **state)
{
	general[0] = 111;
	fixed[0] = 222;
	pmc_run_load(&pmc_pmus, run);
	expect_calls("clear;load;");
	assert_int_equal(11, pmc_pmus.loaded);
	assert_ptr_equal(run, pmc_pmus.last);
	assert_ptr_equal(&pmc_pmus, run->last);
	assert_int_equal(111, run->count[0].raw);
	assert_int_equal(222, run->count[1].raw);
	assert_int_equal(0, run->count[0].value);
	/* the same program again, perhaps of another run */
	general[0] = 112;
	pmc_run_load(&pmc_pmus, run);
	expect_calls("clear;");
	assert_int_equal(112, run->count[0].raw);
	pmc_pmus.loaded = 13;
	pmc_run_load(&pmc_pmus, run);
	expect_calls("clear;load;");
	assert_int_equal(11, pmc_pmus.loaded);
}

/* Other software has written its registers: it is loaded each time. */
static void loaded_although_ended(void **state)
{
	program->number = PMC_PROGRAM_ENDED;
	pmc_run_load(&pmc_pmus, run);
	expect_calls("clear;load;");
	assert_int_equal(0, pmc_pmus.loaded);
	pmc_run_load(&pmc_pmus, run);
	expect_calls("clear;load;");
}

/* The program for the PMU type is the last of the ring. */
static void other_pmu_type(void **state)
{
	pmc_pmus.description.pmu_type = 2;
	general[2] = 5;
	fixed[2] = 6;
	pmc_run_load(&pmc_pmus, run);
	expect_calls("clear;load-other;");
	assert_int_equal(12, pmc_pmus.loaded);
	assert_ptr_equal(other, run->program);
	assert_int_equal(OTHER_0, run->count[0].rdpmc);
	assert_int_equal(OTHER_1, run->count[1].rdpmc);
	assert_int_equal(MASK_40, run->count[0].mask);
	assert_int_equal(MASK_48, run->count[1].mask);
	assert_int_equal(5, run->count[0].raw);
	assert_int_equal(6, run->count[1].raw);
}

static u32 operand_here(const struct pmc_counter_setup *entry)
{
	return entry->rdpmc + 1;
}

static void operand_of_cpu(void **state)
{
	family.rdpmc_on_cpu = operand_here;
	general[1] = 7;
	fixed[1] = 8;
	pmc_run_load(&pmc_pmus, run);
	assert_int_equal(1, run->count[0].rdpmc);
	assert_int_equal(FIXED_0 + 1, run->count[1].rdpmc);
	assert_int_equal(7, run->count[0].raw);
	assert_int_equal(8, run->count[1].raw);
}

/* perf zeroes the counters now or later: no run is found as it was left. */
static void zeroed_by_perf(void **state)
{
	int mark;

	for (mark = 0; mark < 2; mark++) {
		pmc_pmus.dirty = !mark;
		pmc_pmus.perf_never = mark;
		pmc_run_load(&pmc_pmus, run);
		expect_calls("clear;load;");
		assert_int_equal(0, pmc_pmus.loaded);
		assert_null(pmc_pmus.last);
		assert_ptr_equal(&pmc_pmus, run->last);
	}
}

static void loaded_with_metrics(void **state)
{
	program->metrics = true;
	general[0] = 9;
	pmc_run_load(&pmc_pmus, run);
	expect_calls("clear;load;metrics-load;");
	assert_int_equal(9, run->count[0].raw);
}

/* Counters that user space reads begin below the bit that must not be set. */
static void loaded_with_page(void **state)
{
	run->user_page = &user_page;
	general[0] = (1ULL << 39) - 1;
	fixed[0] = 1ULL << 39;
	pmc_run_load(&pmc_pmus, run);
	expect_calls("clear;load;write-1;");
	assert_int_equal((1ULL << 39) - 1, run->count[0].raw);
	assert_int_equal(0, run->count[1].raw);
	assert_int_equal(0, fixed[0]);
	assert_true(user_page.stale);
	/* no counter is written */
	user_page.stale = false;
	pmc_run_load(&pmc_pmus, run);
	expect_calls("clear;");
	assert_true(user_page.stale);
	/* the metrics' own counter */
	rewound_metrics = 0;
	general[0] = 1ULL << 39;
	fixed[0] = 3ULL << 39;
	pmc_run_load(&pmc_pmus, run);
	expect_calls("clear;write-1;");
	assert_int_equal(1ULL << 39, run->count[0].raw);
}

static void started_and_stopped(void **state)
{
	general[0] = MASK_48 - 1;
	pmc_run_start(&pmc_pmus, run, &pmc_pmus.thread_runs);
	expect_calls("clear;load;enable;");
	assert_true(pmc_run_active(run));
	assert_ptr_equal(&run->node, pmc_pmus.thread_runs.first);
	assert_int_equal(1000, run->since);
	/* across one wrap */
	general[0] = 3;
	fixed[0] = 20;
	now = 1500;
	pmc_run_stop(&pmc_pmus, run);
	expect_calls("disable;");
	assert_false(pmc_run_active(run));
	assert_null(pmc_pmus.thread_runs.first);
	assert_int_equal(5, run->count[0].value);
	assert_int_equal(20, run->count[1].value);
	assert_int_equal(500, run->counted);
	/* as it left them: not loaded, and what others counted is its own */
	general[0] = 4;
	pmc_run_start(&pmc_pmus, run, &pmc_pmus.cpu_runs);
	expect_calls("enable;");
	assert_ptr_equal(&run->node, pmc_pmus.cpu_runs.first);
}

static void sampler_stopped(void **state)
{
	run->sampler = &sampler;
	now = 1200;
	run->since = 1000;
	general[0] = 4;
	pmc_run_stop_sampler(&pmc_pmus, run);
	expect_calls("settle-locked;stop-locked;");
	assert_false(sampler.locked);
	assert_int_equal(4, run->count[0].value);
	assert_int_equal(200, run->counted);
}

/* Between the two, other values are written. */
static void settled_and_continued(void **state)
{
	general[0] = 10;
	pmc_run_settle(&pmc_pmus, run);
	expect_calls("");
	assert_int_equal(10, run->count[0].value);
	general[0] = 0;
	fixed[0] = 3;
	pmc_run_continue(&pmc_pmus, run);
	expect_calls("");
	assert_int_equal(10, run->count[0].value);
	assert_int_equal(0, run->count[0].raw);
	assert_int_equal(3, run->count[1].raw);
}

static void continued_with_sampler(void **state)
{
	run->sampler = &sampler;
	general[0] = 10;
	pmc_run_settle(&pmc_pmus, run);
	expect_calls("settle-locked;");
	assert_true(sampler.locked);
	assert_int_equal(10, run->count[0].value);
	general[0] = 2;
	pmc_run_continue(&pmc_pmus, run);
	expect_calls("reload-locked;");
	assert_false(sampler.locked);
	assert_int_equal(2, run->count[0].raw);
	/* perf's handler beside Intel PT acknowledges overflows: only if they can come meanwhile */
	cpu_has_feature[X86_FEATURE_INTEL_PT] = true;
	pmc_run_continue(&pmc_pmus, run);
	expect_calls("reload;");
	program->stop_to_read = true;
	pmc_run_continue(&pmc_pmus, run);
	expect_calls("reload;recheck;");
	cpu_has_feature[X86_FEATURE_INTEL_PT] = false;
	pmc_run_continue(&pmc_pmus, run);
	expect_calls("reload;");
}

/* An interval of the metrics begins where the slots are 0: entry 1 here. */
static void continued_with_metrics(void **state)
{
	program->slots_at = 1;
	general[0] = 6;
	pmc_run_continue(&pmc_pmus, run);
	expect_calls("");
	program->metrics = true;
	pmc_run_continue(&pmc_pmus, run);
	expect_calls("metrics-load;");
	fixed[0] = 1;
	general[0] = 0;
	pmc_run_continue(&pmc_pmus, run);
	expect_calls("");
	assert_int_equal(0, run->count[0].raw);
	assert_int_equal(1, run->count[1].raw);
}

static void continued_with_page(void **state)
{
	run->user_page = &user_page;
	pmc_run_continue(&pmc_pmus, run);
	expect_calls("show;");
	assert_true(user_page.stale);
}

static void updated(void **state)
{
	now = 1300;
	run->since = 1000;
	general[0] = 3;
	pmc_run_update(&pmc_pmus, run);
	expect_calls("");
	assert_int_equal(3, run->count[0].value);
	assert_int_equal(300, run->counted);
	assert_int_equal(1300, run->since);
	program->stop_to_read = true;
	program->metrics = true;
	pmc_run_update(&pmc_pmus, run);
	expect_calls("disable;metrics-fold;enable;");
	run->sampler = &sampler;
	pmc_run_update(&pmc_pmus, run);
	expect_calls("lock;unlock;");
}

/* The page is shown again only if a counter was written. */
static void updated_with_page(void **state)
{
	run->user_page = &user_page;
	general[0] = (1ULL << 39) - 1;
	pmc_run_update(&pmc_pmus, run);
	expect_calls("");
	general[0] = 1ULL << 39;
	pmc_run_update(&pmc_pmus, run);
	expect_calls("write-0;show;");
	assert_int_equal(1ULL << 39, run->count[0].value);
	assert_int_equal(0, run->count[0].raw);
}

/* Of the family P5 and of NetBurst: a function reads each counter. */
static u64 read_one(const struct pmc_counter_setup *entry)
{
	return entry == &program->setup[0] ? 0x10 : 0x300;
}

static void read_by_function(void **state)
{
	family.read_one = read_one;
	run->count[0].raw = 0x20;
	run->count[1].raw = 0x100;
	run->count[0].value = 1;
	assert_int_equal(0x310, pmc_run_add_called(run));
	assert_int_equal(MASK_48 - 0xf + 1, run->count[0].value);
	assert_int_equal(0x200, run->count[1].value);
	assert_int_equal(0x10, run->count[0].raw);
	assert_int_equal(0x300, run->count[1].raw);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down_run)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(initialised), TEST(allocated), TEST(loaded), TEST(loaded_although_ended),
		TEST(other_pmu_type), TEST(operand_of_cpu), TEST(zeroed_by_perf),
		TEST(loaded_with_metrics), TEST(loaded_with_page), TEST(started_and_stopped),
		TEST(sampler_stopped), TEST(settled_and_continued), TEST(continued_with_sampler),
		TEST(continued_with_metrics), TEST(continued_with_page), TEST(updated),
		TEST(updated_with_page), TEST(read_by_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
