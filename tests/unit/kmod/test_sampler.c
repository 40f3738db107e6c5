// SPDX-License-Identifier: GPL-2.0-only
/* Tests of sampler.c: the life of a sampler, from its allocation on, and how its run is locked */
#include "sampler.h"

static struct task_struct thread;

static u64 read_one(const struct pmc_counter_setup *setup)
{
	return counters[number(setup)];
}

static void alloc(void **state)
{
	assert_int_equal(GFP_KERNEL_ACCOUNT, allocation_flags);
	assert_ptr_equal(run, sampler->run);
	assert_ptr_equal(&sampling, sampler->sampling);
	assert_int_equal(1, sampler->only);
	assert_int_equal(100, sampler->due[0].next);
	assert_int_equal(0, sampler->due[1].next);
	assert_int_equal(1000, sampler->due[2].next);
	assert_false(sampler->locked);
	allocations_left = 0;
	assert_null(pmc_sampler_alloc(run, 0));
	allocations_left = -1;
}

/* The shortest path of pmi.c records one counter of user mode, in the initial PID namespace. */
static void only(void **state)
{
	struct pid_namespace other;
	u32 i, j;

	program->setup[0].period = 0;
	program->setup[2].period = 0;
	assert_int_equal(-1, pmc_program_find_only(program));
	for (i = 0; i < NR; i++) {
		program->setup[i].period = 1;
		assert_int_equal(i, pmc_program_find_only(program));
		for (j = 0; j < NR; j++) {
			program->setup[j].period = 1;
			assert_int_equal(i == j ? (int)i : -1, pmc_program_find_only(program));
			program->setup[j].period = i == j;
		}
		program->setup[i].write_msr = 0;
		assert_int_equal(-1, pmc_program_find_only(program));
		program->setup[i].write_msr = 1;
		program->setup[i].user = false;
		assert_int_equal(-1, pmc_program_find_only(program));
		program->setup[i].user = true;
		program->setup[i].period = 0;
	}
	/* the other counters need neither user mode nor a write_msr */
	program->setup[1].period = 1;
	program->setup[0].user = false;
	program->setup[2].write_msr = 0;
	assert_int_equal(1, pmc_program_find_only(program));
	sampling.flags = PMC_SAMPLE_MMAPS;
	assert_int_equal(-1, pmc_program_find_only(program));
	sampling.flags = 0;
	rings->ns = &other;
	assert_int_equal(-1, pmc_program_find_only(program));
	rings->ns = &init_pid_ns;
	program->stop_to_read = true;
	assert_int_equal(-1, pmc_program_find_only(program));
	program->stop_to_read = false;
	family.read_one = read_one;
	assert_int_equal(-1, pmc_program_find_only(program));
}

static void start(void **state)
{
	static int mm, other;

	registers[STATUS] = 7;
	sampler->ring = NULL;
	sampler->spent_max = 0;
	sampler->mm = (void *)&other;
	pmc_sampler_start(pmu, sampler);
	assert_int_equal(5, registers[ACKNOWLEDGE]);
	assert_int_equal(0xff9c, run->count[0].raw);
	assert_int_equal(0x7f9c, registers[1]);
	assert_int_equal(0, registers[2]);
	assert_int_equal(0, run->count[1].raw);
	assert_int_equal(0x7c18, registers[3]);
	assert_ptr_equal(&ring, sampler->ring);
	assert_int_equal(77, sampler->spent_max);
	assert_null(sampler->mm);
	assert_int_equal(0, pmu->pmi.kernel);
	assert_true(listed());
	expect_calls("");
	INIT_LIST_HEAD(&pmu->pmi.samplers);
	thread.mm = &mm;
	sampler->task = &thread;
	program->stop_to_read = true;
	pmu->pmi.kernel = 4;
	pmc_sampler_start(pmu, sampler);
	assert_ptr_equal(&mm, sampler->mm);
	expect_calls("follow up 5;");
	assert_true(listed());
}

static void stop(void **state)
{
	pmc_sampler_start(pmu, sampler);
	sampler->due[0].throttled = true;
	sampler->due[0].skipped = 7;
	sampler->due[1].throttled = true;
	sampler->due[1].skipped = 9;
	sampler->due[2].skipped = 8;
	sampler->maps_wanted = 3;
	ring.throttled_now.value = 5;
	tsc = 4321;
	pmc_sampler_stop(pmu, sampler);
	expect_calls("unthrottle 0 7 4321;unthrottle 1 9 4321;");
	assert_false(sampler->due[1].throttled);
	assert_int_equal(0, sampler->due[1].skipped);
	assert_int_equal(8, sampler->due[2].skipped);
	assert_int_equal(3, ring.throttled_now.value);
	assert_int_equal(0, sampler->maps_wanted);
	assert_false(listed());
	assert_ptr_equal(&pmu->pmi.samplers, pmu->pmi.samplers.next);
	program->stop_to_read = true;
	pmc_sampler_start(pmu, sampler);
	expect_calls("follow up 1;");
	pmu->pmi.kernel = 7;
	pmc_sampler_stop(pmu, sampler);
	expect_calls("follow up 6;");
}

static void clear(void **state)
{
	sampler->due[1].next = 7;
	run->count[0].value = 30;
	run->count[1].value = 8;
	run->count[2].value = 999;
	pmc_sampler_clear(sampler);
	assert_int_equal(70, sampler->due[0].next);
	assert_int_equal(-1, sampler->due[1].next);
	assert_int_equal(1, sampler->due[2].next);
}

static void sampled_again(void **state)
{
	sampler->due[0].throttled = true;
	sampler->due[0].skipped = 6;
	ring.throttled_now.value = 1;
	program->stop_to_read = true;
	counters[0] = 30;
	tsc = 999;
	pmc_sampler_unthrottle_all(pmu, sampler);
	expect_calls("disable;unthrottle 0 6 999;enable;");
	assert_int_equal(30, run->count[0].value);
	assert_int_equal(0xffba, run->count[0].raw);
	assert_int_equal(0x7fba, registers[1]);
	assert_int_equal(0, registers[3]);
	assert_int_equal(0, ring.throttled_now.value);
	assert_int_equal(0, sampler->due[0].skipped);
	assert_false(sampler->due[0].throttled);
	assert_false(sampler->locked);
	assert_int_equal(999, run->counted);
}

static void exec(void **state)
{
	static int mm;

	task.mm = &mm;
	program->stop_to_read = true;
	counters[2] = 1000;
	pmc_sampler_exec(pmu, sampler);
	expect_calls("disable;expect 1;sample 2 1 0;enable;");
	assert_ptr_equal(&mm, sampler->mm);
	assert_false(sampler->locked);
}

static void lock(void **state)
{
	counters[0] = 100;
	tsc = 50;
	run->since = 20;
	pmc_run_lock(pmu, run);
	expect_calls("expect 1;sample 0 1 50;");
	assert_true(sampler->locked);
	assert_int_equal(30, run->counted);
	pmc_run_unlock(pmu, run);
	expect_calls("");
	assert_false(sampler->locked);
	program->stop_to_read = true;
	counters[0] = run->count[0].raw;
	pmc_run_lock(pmu, run);
	expect_calls("disable;");
	assert_true(sampler->locked);
	pmc_run_unlock(pmu, run);
	expect_calls("enable;");
	assert_false(sampler->locked);
	assert_int_equal(0, asked);
}

/* Beside Intel PT, what overflowed meanwhile is settled before the counters start. */
static void recheck(void **state)
{
	cpu_has_feature[X86_FEATURE_INTEL_PT] = true;
	waits = 1;
	pmc_run_unlock(pmu, run);
	assert_int_equal(0, asked);
	program->stop_to_read = true;
	counters[0] = 100;
	tsc = 7;
	pmc_run_unlock(pmu, run);
	expect_calls("expect 1;sample 0 1 7;enable;");
	assert_int_equal(2, asked);
	assert_false(sampler->locked);
	/* the number of passes is limited */
	counters[0] = run->count[0].raw;
	asked = 0;
	waits = 1000;
	pmc_run_recheck(pmu, run);
	assert_int_equal(PMC_PASSES_MAX, asked);
	assert_int_equal(7, run->counted);
	asked = 1000;
	tsc = 8;
	pmc_run_recheck(pmu, run);
	assert_int_equal(7, run->counted);
	expect_calls("");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(alloc), TEST(only), TEST(start), TEST(stop), TEST(clear),
		TEST(sampled_again), TEST(exec), TEST(lock), TEST(recheck),
	};

	return cmocka_run_group_tests_name("sampler", tests, NULL, NULL);
}
