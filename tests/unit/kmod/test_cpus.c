// SPDX-License-Identifier: GPL-2.0-only
/* Tests of cpus.c: on which CPUs a context of a CPU scope counts, and what its counts sum up to */
#include "unit.h"

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "base/notify.h"
#include "calls.h"
#include "clock.h"
#include "pmu/leftovers.h"
#include "pmu/perf_rdpmc.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "target/context.h"
#include "target/cpus.h"
#include "target/run.h"
#include "target/scope_types.h"
#include "target/snapshot.h"

#define P_CORE	0x40000001
#define E_CORE	0x20000001

DEFINE_PER_CPU(struct pmc_pmu, pmc_pmus);

static bool fits[TEST_CPUS];
static int allocations, failing; /* failing: the number of the allocation that fails */
static struct pmc_program program;
static const struct pmc_scope_ops ops;
static struct pmc_sample_config sampling;
static struct pmc_context *context;
static struct pmc_snapshot snapshot;

static void call_here(const char *name)
{
	call("%s-%d", name, this_cpu);
}

static void *allocate(size_t size)
{
	if (!failing--)
		return NULL;
	allocations++;
	return calloc(1, size);
}

void *kcalloc(size_t n, size_t size, gfp_t gfp)
{
	assert_int_equal(GFP_KERNEL_ACCOUNT, gfp);
	return allocate(n * size);
}

/* A snapshot: no longer than its counters need */
void *kmalloc_node(size_t size, gfp_t gfp, int node)
{
	assert_int_equal(GFP_KERNEL_ACCOUNT, gfp);
	assert_int_equal(offsetof(struct pmc_snapshot, value[2]), size);
	call(node == 12 ? "node-2" : "node");
	return allocate(size);
}

void kfree(const void *memory)
{
	allocations -= !!memory;
	free((void *)memory);
}

struct pmc_run *pmc_run_alloc(const struct pmc_program *compiled, int node)
{
	assert_ptr_equal(&program, compiled);
	call(node == 12 ? "node-2" : "node");
	return allocate(sizeof(struct pmc_run));
}

void pmc_run_free(struct pmc_run *run)
{
	kfree(run);
}

bool pmc_pmu_fits(const struct pmc_pmu *pmu, const struct pmc_program *compiled)
{
	assert_ptr_equal(&pmc_pmus[this_cpu], pmu);
	assert_ptr_equal(&program, compiled);
	return fits[this_cpu];
}

void pmc_run_start(struct pmc_pmu *pmu, struct pmc_run *run, struct hlist_head *list)
{
	assert_ptr_equal(&pmc_pmus[this_cpu], pmu);
	assert_ptr_equal(context->runs[this_cpu], run);
	assert_ptr_equal(&pmu->cpu_runs, list);
	hlist_add_head(&run->node, list);
	call_here("start");
}

void pmc_run_stop(struct pmc_pmu *pmu, struct pmc_run *run)
{
	assert_ptr_equal(&pmc_pmus[this_cpu], pmu);
	assert_ptr_equal(context->runs[this_cpu], run);
	__hlist_del(&run->node);
	INIT_HLIST_NODE(&run->node);
	call_here("stop");
}

void pmc_leftovers_clear_watched(struct pmc_pmu *pmu)
{
	assert_ptr_equal(&pmc_pmus[this_cpu], pmu);
	call_here("clear");
}

static void spoil(struct pmc_pmu *pmu)
{
	assert_ptr_equal(&pmc_pmus[this_cpu], pmu);
	call_here("spoil");
}

void pmc_perf_rdpmc_settle(void)
{
	assert_int_equal(0, cpus_locked);
	call("settle");
}

void pmc_rings_set_idle(struct pmc_rings *rings, bool idle, bool ended)
{
	assert_ptr_equal(&sampling, rings);
	assert_false(ended);
	call(idle ? "idle" : "busy");
}

void pmc_notify_context(const struct pmc_identity *identity, enum pmc_netlink_command event)
{
	assert_ptr_equal(&context->identity, identity);
	assert_int_equal(1, cpus_locked);
	call(event == PMC_NETLINK_STARTED ? "started" :
	     event == PMC_NETLINK_STOPPED ? "stopped" : "wrong");
}

void on_each_cpu(void (*function)(void *data), void *data, int wait)
{
	int cpu;

	assert_int_equal(1, wait);
	assert_int_equal(1, cpus_locked);
	for_each_online_cpu(cpu) {
		this_cpu = cpu;
		function(data);
	}
	this_cpu = 0;
}

void pmc_call_on_cpu(int cpu, void (*function)(void *), void *data)
{
	assert_true(cpu_online(cpu));
	assert_int_equal(1, cpus_locked);
	this_cpu = cpu;
	function(data);
	this_cpu = 0;
}

/* CPU n has counted 10 * (n + 1) and n + 1, in 100 * (n + 1) ticks. */
void pmc_snapshot_add_run(struct pmc_snapshot *added_to, struct pmc_run *run)
{
	int cpu;

	for (cpu = 0; context->runs[cpu] != run; cpu++)
		;
	if (cpu_online(cpu)) {
		assert_int_equal(this_cpu, cpu);
		assert_ptr_equal(context->snapshots[cpu], added_to);
		assert_int_equal(cpu, added_to->cpu);
	} else {
		assert_ptr_equal(&snapshot, added_to);
	}
	assert_int_equal(snapshot.clear_values, added_to->clear_values);
	assert_int_equal(snapshot.clear_times, added_to->clear_times);
	added_to->value[0] += 10 * (cpu + 1);
	added_to->value[1] += cpu + 1;
	added_to->counted += 100 * (cpu + 1);
	this_cpu = cpu;
	call_here("add");
}

/* CPUs 0 and 1 are online, 2 is offline, 3 is not possible. */
static int set_up(void **state)
{
	int cpu;

	calls[0] = '\0';
	now = 1000;
	allocations = 0;
	failing = 100;
	cpus_possible.bits = 7;
	cpus_online.bits = 3;
	memset(pmc_pmus, 0, sizeof(pmc_pmus));
	for (cpu = 0; cpu < TEST_CPUS; cpu++) {
		fits[cpu] = true;
		pmc_pmus[cpu].spoil = spoil;
		pmc_pmus[cpu].description.query.core_type = cpu ? E_CORE : P_CORE;
	}
	program.nr = 2;
	sampling.rings = (void *)&sampling;
	context = calloc(1, sizeof(*context));
	assert_non_null(context);
	context->program = &program;
	context->ops = &ops;
	context->cpu = PMC_CPU_ANY;
	assert_int_equal(0, pmc_cpus_prepare(context, 0));
	calls[0] = '\0';
	return 0;
}

static int tear_down(void **state)
{
	pmc_cpus_free(context);
	free(context);
	assert_int_equal(0, allocations);
	assert_int_equal(0, cpus_locked);
	return 0;
}

static void counts_on(int cpu)
{
	context->cpu = cpu;
}

static void check_one(void **state)
{
	struct pmc_config config = { .cpu = 0 };

	safe_indices = 0;
	assert_int_equal(0, pmc_cpus_check_one(&config));
	assert_int_equal(1, safe_indices);
	assert_int_equal(0, config.cpu);
	config.cpu = 2;
	assert_int_equal(0, pmc_cpus_check_one(&config));
	assert_int_equal(2, config.cpu);
	config.cpu = 3;
	assert_int_equal(-EINVAL, pmc_cpus_check_one(&config));
	config.cpu = PMC_CPU_ANY;
	assert_int_equal(-EINVAL, pmc_cpus_check_one(&config));
	/* a number between those of possible CPUs */
	cpus_possible.bits = 5;
	config.cpu = 1;
	assert_int_equal(-EINVAL, pmc_cpus_check_one(&config));
	config.cpu = 0;
	config.tid = 1;
	assert_int_equal(-EINVAL, pmc_cpus_check_one(&config));
	cpus_possible.bits = 7;
}

static void check_all(void **state)
{
	struct pmc_config config = { .cpu = PMC_CPU_ANY };

	assert_int_equal(0, pmc_cpus_check_all(&config));
	config.tid = 1;
	assert_int_equal(-EINVAL, pmc_cpus_check_all(&config));
	config.tid = 0;
	config.cpu = 0;
	assert_int_equal(-EINVAL, pmc_cpus_check_all(&config));
}

/* Each failure of memory: pmc_cpus_free() frees what there is. */
static void prepared(void **state)
{
	static const int allocated[] = { 1, 1, 2, 3, 4 };
	int cpu, i;

	assert_int_equal(2 + 2 * 3, allocations);
	for (cpu = 0; cpu < 3; cpu++)
		assert_ptr_equal(&context->uncounted, context->runs[cpu]->state);
	for (i = 0; i <= 4; i++) {
		pmc_cpus_free(context);
		assert_int_equal(0, allocations);
		memset(context, 0, sizeof(*context));
		context->program = &program;
		counts_on(2);
		failing = i;
		calls[0] = '\0';
		assert_int_equal(i < 4 ? -ENOMEM : 0, pmc_cpus_prepare(context, 0));
		assert_int_equal(allocated[i], allocations);
	}
	expect_calls("node-2;node-2;");
	assert_null(context->runs[0]);
	assert_null(context->snapshots[1]);
	assert_non_null(context->runs[2]);
	assert_non_null(context->snapshots[2]);
}

static void all_started_and_stopped(void **state)
{
	assert_int_equal(0, pmc_cpus_start(context));
	expect_calls("settle;start-0;start-1;started;");
	assert_int_equal(PMC_STATE_RUNNING, pmc_cpus_state(context));
	assert_int_equal(1000, context->since);
	now = 1500;
	assert_int_equal(0, pmc_cpus_start(context));
	expect_calls("settle;");
	assert_int_equal(1000, context->since);
	pmc_cpus_stop(context);
	expect_calls("stop-0;clear-0;stop-1;clear-1;stopped;");
	assert_int_equal(500, context->enabled);
	assert_int_equal(0, pmc_cpus_state(context));
	now = 1600;
	pmc_cpus_stop(context);
	expect_calls("");
	assert_int_equal(500, context->enabled);
}

static void one_started_and_stopped(void **state)
{
	counts_on(1);
	context->sampling = &sampling;
	assert_int_equal(0, pmc_cpus_start(context));
	expect_calls("settle;busy;start-1;started;");
	pmc_cpus_stop(context);
	expect_calls("stop-1;clear-1;idle;stopped;");
}

static void one_is_offline(void **state)
{
	counts_on(2);
	assert_int_equal(PMC_STATE_OFFLINE, pmc_cpus_state(context));
	assert_int_equal(-ENODEV, pmc_cpus_start(context));
	expect_calls("settle;");
	assert_false(context->started);
	/* it went offline while the context counted */
	context->started = true;
	assert_int_equal(PMC_STATE_OFFLINE | PMC_STATE_RUNNING, pmc_cpus_state(context));
	assert_int_equal(-ENODEV, pmc_cpus_start(context));
	calls[0] = '\0';
	pmc_cpus_stop(context);
	expect_calls("stopped;");
	assert_false(context->started);
}

/* A CPU that the context cannot count; of another core type, it is not meant to be counted. */
static void cpu_does_not_fit(void **state)
{
	fits[1] = false;
	context->core_type = P_CORE;
	assert_int_equal(0, pmc_cpus_start(context));
	expect_calls("settle;start-0;started;");
	assert_int_equal(PMC_STATE_RUNNING, pmc_cpus_state(context));
	pmc_cpus_stop(context);
	expect_calls("stop-0;clear-0;stopped;");
	context->core_type = E_CORE;
	assert_int_equal(0, pmc_cpus_start(context));
	assert_int_equal(PMC_STATE_RUNNING | PMC_STATE_UNCOUNTED, pmc_cpus_state(context));
	assert_int_equal(PMC_STATE_UNCOUNTED, context->uncounted);
}

static void snapshot_of_all(void **state)
{
	pmc_snapshot_begin(&snapshot, -1, 2);
	pmc_cpus_snapshot(context, &snapshot);
	expect_calls("add-0;add-1;add-2;");
	assert_int_equal(60, snapshot.value[0]);
	assert_int_equal(6, snapshot.value[1]);
	assert_int_equal(600, snapshot.counted);
	assert_int_equal(-1, snapshot.cpu);
	assert_int_equal(0, snapshot.state);
	assert_int_equal(1000, snapshot.tsc);
	assert_int_equal(0, snapshot.enabled);
}

/* Perhaps perf has zeroed its counters: only runs that count there are spoiled. */
static void snapshot_of_dirty_cpu(void **state)
{
	struct pmc_run other = {};

	pmc_pmus[1].dirty = true;
	hlist_add_head(&other.node, &pmc_pmus[1].cpu_runs);
	pmc_snapshot_begin(&snapshot, 1, 2);
	pmc_cpus_snapshot(context, &snapshot);
	expect_calls("spoil-1;add-1;");
	pmc_cpus_stop(context);
	context->started = true;
	pmc_cpus_stop(context);
	expect_calls("spoil-1;stopped;");
}

static void snapshot_of_one(void **state)
{
	pmc_snapshot_begin(&snapshot, 1, 2);
	snapshot.clear_values = true;
	pmc_cpus_snapshot(context, &snapshot);
	expect_calls("add-1;");
	assert_int_equal(20, snapshot.value[0]);
	assert_int_equal(2, snapshot.value[1]);
	assert_int_equal(200, snapshot.counted);
	assert_int_equal(1, snapshot.cpu);
	assert_int_equal(0, snapshot.state);
	pmc_snapshot_begin(&snapshot, 0, 2);
	pmc_cpus_snapshot(context, &snapshot);
	expect_calls("add-0;");
	pmc_snapshot_begin(&snapshot, 2, 2);
	pmc_cpus_snapshot(context, &snapshot);
	expect_calls("add-2;");
	assert_int_equal(30, snapshot.value[0]);
	assert_int_equal(2, snapshot.cpu);
	assert_int_equal(PMC_STATE_OFFLINE, snapshot.state);
	/* the context's CPU, whatever is asked for */
	counts_on(1);
	pmc_snapshot_begin(&snapshot, -1, 2);
	pmc_cpus_snapshot(context, &snapshot);
	expect_calls("add-1;");
	assert_int_equal(1, snapshot.cpu);
}

static void times(void **state)
{
	pmc_cpus_start(context);
	now = 1300;
	pmc_snapshot_begin(&snapshot, -1, 2);
	pmc_cpus_snapshot(context, &snapshot);
	assert_int_equal(PMC_STATE_RUNNING, snapshot.state);
	assert_int_equal(300, snapshot.enabled);
	assert_int_equal(1300, snapshot.tsc);
	/* the ticks that a suspend has lost were not enabled */
	pmc_cpus_set_clock_back(context, 1000);
	assert_int_equal(300, context->since);
	now = 400;
	context->uncounted = PMC_STATE_REWRITTEN;
	pmc_snapshot_begin(&snapshot, -1, 2);
	snapshot.clear_times = true;
	pmc_cpus_snapshot(context, &snapshot);
	assert_int_equal(400, snapshot.enabled);
	assert_int_equal(0, context->enabled);
	assert_int_equal(PMC_STATE_RUNNING | PMC_STATE_REWRITTEN, snapshot.state);
	now = 450;
	pmc_cpus_stop(context);
	assert_int_equal(50, context->enabled);
}

static void hotplug(void **state)
{
	this_cpu = 1;
	pmc_cpus_online(context);
	expect_calls("");
	context->started = true;
	pmc_cpus_online(context);
	expect_calls("start-1;");
	/* it counts already */
	pmc_cpus_online(context);
	expect_calls("");
	pmc_cpus_offline(context);
	expect_calls("stop-1;clear-1;");
	pmc_cpus_offline(context);
	expect_calls("");
	counts_on(0);
	pmc_cpus_online(context);
	expect_calls("");
	counts_on(1);
	pmc_cpus_online(context);
	expect_calls("start-1;");
	counts_on(0);
	pmc_cpus_offline(context);
	expect_calls("");
	this_cpu = 0;
}

static void uncounted(void **state)
{
	this_cpu = 1;
	pmc_cpus_set_uncounted(context, context->runs[0]);
	assert_int_equal(0, context->uncounted);
	pmc_cpus_set_uncounted(context, context->runs[1]);
	assert_int_equal(PMC_STATE_UNCOUNTED, context->uncounted);
	this_cpu = 0;
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(check_one), TEST(check_all), TEST(prepared), TEST(all_started_and_stopped),
		TEST(one_started_and_stopped), TEST(one_is_offline), TEST(cpu_does_not_fit),
		TEST(snapshot_of_all), TEST(snapshot_of_dirty_cpu), TEST(snapshot_of_one),
		TEST(times), TEST(hotplug), TEST(uncounted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
