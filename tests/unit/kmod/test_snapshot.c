// SPDX-License-Identifier: GPL-2.0-only
/* Tests of snapshot.c: what of a run is added, and what is cleared */
#include "run_fixture.h"
#include "target/snapshot.h"

static struct pmc_snapshot snapshot;

/* What a run that counts has counted when it is brought up to date */
void pmc_run_update(struct pmc_pmu *pmu, struct pmc_run *updated)
{
	assert_ptr_equal(&pmc_pmus, pmu);
	assert_ptr_equal(run, updated);
	call("update");
	run->count[0].value += 5;
	run->counted += 100;
}

void pmc_perf_metrics_clear(struct pmc_pmu *pmu, struct pmc_run *cleared)
{
	assert_ptr_equal(run, cleared);
	if (pmu)
		assert_ptr_equal(&pmc_pmus, pmu);
	call(pmu ? "metrics-clear-here" : "metrics-clear");
}

static void verify_runs(struct pmc_pmu *pmu)
{
	assert_ptr_equal(&pmc_pmus, pmu);
	call("verify");
}

static int set_up(void **state)
{
	int err = set_up_run(state);

	run->count[0].value = 20;
	run->count[1].value = 30;
	run->counted = 1000;
	pmc_pmus.verify_runs = verify_runs;
	pmc_snapshot_begin(&snapshot, 0, 2);
	snapshot.value[0] = 100;
	snapshot.value[1] = 200;
	snapshot.counted = 7;
	return err;
}

static void has(u64 first, u64 second, u64 counted)
{
	assert_int_equal(first, snapshot.value[0]);
	assert_int_equal(second, snapshot.value[1]);
	assert_int_equal(counted, snapshot.counted);
}

static void run_has(u64 first, u64 second, u64 counted)
{
	assert_int_equal(first, run->count[0].value);
	assert_int_equal(second, run->count[1].value);
	assert_int_equal(counted, run->counted);
}

static void stopped(void **state)
{
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("");
	has(120, 230, 1007);
	run_has(20, 30, 1000);
}

static void counting(void **state)
{
	hlist_add_head(&run->node, &pmc_pmus.cpu_runs);
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("update;");
	has(125, 230, 1107);
	run_has(25, 30, 1100);
}

static void cleared(void **state)
{
	snapshot.clear_values = true;
	pmc_snapshot_add_run(&snapshot, run);
	has(120, 230, 1007);
	run_has(0, 0, 1000);
	snapshot.clear_values = false;
	snapshot.clear_times = true;
	run->count[0].value = 4;
	pmc_snapshot_add_run(&snapshot, run);
	has(124, 230, 2007);
	run_has(4, 0, 0);
	expect_calls("");
}

static void sampled(void **state)
{
	run->sampler = &sampler;
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("");
	hlist_add_head(&run->node, &pmc_pmus.cpu_runs);
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("lock;unlock;");
	snapshot.clear_values = true;
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("lock;sampler-clear;unlock;");
	run_has(0, 0, 1000);
	/* without a sampler nothing is cleared there */
	run->sampler = NULL;
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("update;");
}

static void with_metrics(void **state)
{
	program->metrics = true;
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("metrics-settle;");
	snapshot.clear_values = true;
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("metrics-settle;metrics-clear;");
	hlist_add_head(&run->node, &pmc_pmus.cpu_runs);
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("update;metrics-settle;metrics-clear-here;");
	program->metrics = false;
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("update;");
}

/* Only a run that counts, of a family of which the registers can be lost */
static void verified(void **state)
{
	program->plain = false;
	family.verify_reads = true;
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("");
	hlist_add_head(&run->node, &pmc_pmus.cpu_runs);
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("verify;update;");
	family.verify_reads = false;
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("update;");
	family.verify_reads = true;
	program->plain = true;
	pmc_snapshot_add_run(&snapshot, run);
	expect_calls("update;");
}

static void values_alone(void **state)
{
	pmc_snapshot_add_values(snapshot.value, run);
	expect_calls("");
	has(120, 230, 7);
	run_has(20, 30, 1000);
	program->metrics = true;
	pmc_snapshot_add_values(snapshot.value, run);
	expect_calls("metrics-settle;");
	has(140, 260, 7);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down_run)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(stopped), TEST(counting), TEST(cleared), TEST(sampled), TEST(with_metrics),
		TEST(verified), TEST(values_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
