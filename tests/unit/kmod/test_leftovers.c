// SPDX-License-Identifier: GPL-2.0-only
/* Tests of leftovers.c: which counters are set to 0, on which CPUs, and when a stop does so */
#include "unit.h"

#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <asm/processor-flags.h>
#include <asm/special_insns.h>

#include "base/tracepoints.h"
#include "calls.h"
#include "pmu/leftovers.h"
#include "pmu/pmu.h"
#include "pmu/rdpmc_mm.h"
#include "pmu/run_types.h"
#include "pmu/user_page.h"

#define FIXED(n)	(1ULL << (32 + (n)))

DEFINE_PER_CPU(struct pmc_pmu, pmc_pmus);
bool pmc_user_pages_disabled;
struct task_struct *current;

static u64 cleared; /* the mask of the last call */
static bool had_counts; /* what the family's operation returns */
static bool no_memory;
static unsigned int forgotten; /* CPUs */
static int probes, probe_error;
static unsigned long cr4;
static int mm_allowed, mm_other;
static struct task_struct this_task;
static struct pmc_pmu *pmu;

unsigned long __read_cr4(void)
{
	return cr4;
}

bool pmc_rdpmc_mm_allowed(struct mm_struct *mm)
{
	return mm == (void *)&mm_allowed;
}

int pmc_tracepoints_get(unsigned long mask)
{
	assert_int_equal(1 << PMC_TRACEPOINT_RDPMC, mask);
	if (!probe_error)
		probes++;
	return probe_error;
}

void pmc_tracepoints_put(unsigned long mask)
{
	assert_int_equal(1 << PMC_TRACEPOINT_RDPMC, mask);
	probes--;
}

bool zalloc_cpumask_var(struct cpumask **mask, gfp_t gfp)
{
	assert_int_equal(GFP_KERNEL, gfp);
	*mask = no_memory ? NULL : calloc(1, sizeof(**mask));
	return *mask;
}

void free_cpumask_var(struct cpumask *mask)
{
	free(mask);
}

void pmc_rdpmc_forget_dirty_counters(const struct cpumask *cpus)
{
	assert_int_equal(1, cpus_locked);
	/* stops leave no counts from now on */
	forgotten = cpus->bits;
	call("forget");
}

void pmc_call_on_cpu(int cpu, void (*function)(void *), void *data)
{
	assert_int_equal(1, cpus_locked);
	this_cpu = cpu;
	function(data);
	this_cpu = 0;
}

static bool clear(struct pmc_pmu *on, u64 counters)
{
	assert_ptr_equal(&pmc_pmus[this_cpu], on);
	call(this_cpu == 1 ? "zero-1" : "zero");
	cleared = counters;
	return had_counts;
}

static void enable_program(struct pmc_pmu *on, const struct pmc_program *program)
{
	assert_ptr_equal(&pmc_pmus[this_cpu], on);
	call(program->number == 1 ? "enable-1" : "enable-2");
}

static void disable_program(struct pmc_pmu *on, const struct pmc_program *program)
{
	assert_ptr_equal(&pmc_pmus[this_cpu], on);
	call(program->number == 1 ? "disable-1" : "disable-2");
}

static void settle_runs(struct pmc_pmu *on)
{
	assert_ptr_equal(&pmc_pmus[this_cpu], on);
	call("settle");
}

static void resync_runs(struct pmc_pmu *on)
{
	assert_ptr_equal(&pmc_pmus[this_cpu], on);
	call("resync");
}

static void spoil(struct pmc_pmu *on)
{
	assert_ptr_equal(&pmc_pmus[this_cpu], on);
	call("spoil");
}

static const struct pmc_family family = { .clear = clear, .enable = enable_program,
	.disable = disable_program };
static struct pmc_program program_1 = { .family = &family, .number = 1, .general = 1 << 1,
	.fixed = 1 << 0 };
static struct pmc_program program_2 = { .family = &family, .number = 2, .general = 1 << 2,
	.fixed = 1 << 1 };
static struct pmc_run run_1, run_2;

/* The driver has written general counters 0 to 3 and fixed counters 0 to 2 of CPU 0. */
static int set_up(void **state)
{
	int cpu;

	calls[0] = '\0';
	cleared = 0;
	had_counts = true;
	no_memory = false;
	forgotten = 0;
	probe_error = 0;
	cr4 = 0;
	pmc_user_pages_disabled = false;
	cpus_possible.bits = 7;
	cpus_online.bits = 3;
	memset(pmc_pmus, 0, sizeof(pmc_pmus));
	for (cpu = 0; cpu < TEST_CPUS; cpu++) {
		pmc_pmus[cpu].acquired = true;
		pmc_pmus[cpu].description.family = &family;
		pmc_pmus[cpu].settle_runs = settle_runs;
		pmc_pmus[cpu].resync_runs = resync_runs;
		pmc_pmus[cpu].spoil = spoil;
	}
	pmu = &pmc_pmus[0];
	pmu->touched_general = 0xf;
	pmu->touched_fixed = 7;
	pmu->last = &run_1;
	run_1 = (struct pmc_run){ .program = &program_1 };
	run_2 = (struct pmc_run){ .program = &program_2 };
	current = &this_task;
	this_task = (struct task_struct){ .mm = &mm_allowed };
	return 0;
}

/* No test leaves a reason or a lock. */
static int tear_down(void **state)
{
	assert_int_equal(0, cpus_locked);
	assert_int_equal(0, probes);
	assert_false(pmc_leftovers_watched());
	return 0;
}

static void stopped_runs(void **state)
{
	pmc_leftovers_clear(pmu, NULL);
	expect_calls("zero;");
	assert_int_equal(0xf | 7ULL << 32, cleared);
	assert_null(pmu->last);
	/* another user's */
	pmu->found_running = 1 << 3 | FIXED(2);
	pmc_leftovers_clear(pmu, NULL);
	assert_int_equal(7 | 3ULL << 32, cleared);
	calls[0] = '\0';
	pmu->acquired = false;
	pmc_leftovers_clear(pmu, NULL);
	expect_calls("");
}

/* Counters of runs that count, of CPUs or threads, keep their values. */
static void counting_runs(void **state)
{
	hlist_add_head(&run_1.node, &pmu->cpu_runs);
	hlist_add_head(&run_2.node, &pmu->thread_runs);
	pmc_leftovers_clear(pmu, NULL);
	assert_int_equal(1 << 0 | 1 << 3 | FIXED(2), cleared);
	pmu->touched_general = 1 << 1 | 1 << 2;
	pmu->touched_fixed = 1 << 0 | 1 << 1;
	calls[0] = '\0';
	pmu->last = &run_1;
	pmc_leftovers_clear(pmu, NULL);
	expect_calls("");
	assert_ptr_equal(&run_1, pmu->last);
}

/* The next task's own counts; its run is found as it was left. */
static void own_run(void **state)
{
	pmc_leftovers_clear(pmu, &run_1);
	assert_int_equal(1 << 0 | 1 << 2 | 1 << 3 | FIXED(1) | FIXED(2), cleared);
	assert_ptr_equal(&run_1, pmu->last);
	/* no counter had another value */
	had_counts = false;
	pmc_leftovers_clear(pmu, NULL);
	assert_ptr_equal(&run_1, pmu->last);
}

static void watched(void **state)
{
	pmc_leftovers_clear_watched(pmu);
	expect_calls("");
	assert_false(pmc_leftovers_watched());
	pmc_leftovers_expect();
	assert_true(pmc_leftovers_watched());
	pmc_leftovers_clear_watched(pmu);
	expect_calls("zero;");
	assert_int_equal(0xf | 7ULL << 32, cleared);
	pmc_leftovers_expect();
	pmc_leftovers_expect();
	pmc_leftovers_unexpect(2);
	assert_true(pmc_leftovers_watched());
	pmc_leftovers_unexpect(1);
	assert_false(pmc_leftovers_watched());
	assert_int_equal(0, probes);
}

static void clear_here(void **state)
{
	hlist_add_head(&run_1.node, &pmu->cpu_runs);
	hlist_add_head(&run_2.node, &pmu->thread_runs);
	pmu->found_running = 1 << 3;
	pmc_leftovers_clear_here(pmu, false);
	expect_calls("disable-1;disable-2;settle;zero;resync;enable-1;enable-2;");
	assert_int_equal(1 << 0 | 1 << 1 | FIXED(0) | FIXED(2), cleared);
	assert_null(pmu->last);
	pmu->last = &run_1;
	had_counts = false;
	pmc_leftovers_clear_here(pmu, true);
	assert_int_equal(7 | 7ULL << 32, cleared);
	assert_ptr_equal(&run_1, pmu->last);
	calls[0] = '\0';
	pmu->acquired = false;
	pmc_leftovers_clear_here(pmu, true);
	expect_calls("");
}

/* perf may have zeroed counters of CPUs: their counts are discarded before. */
static void clear_here_dirty(void **state)
{
	pmu->dirty = true;
	pmc_leftovers_clear_here(pmu, true);
	expect_calls("settle;zero;resync;");
	hlist_add_head(&run_1.node, &pmu->cpu_runs);
	pmc_leftovers_clear_here(pmu, true);
	expect_calls("spoil;disable-1;settle;zero;resync;enable-1;");
	pmu->dirty = false;
	pmc_leftovers_clear_here(pmu, true);
	expect_calls("disable-1;settle;zero;resync;enable-1;");
}

/* It is set only until it is too late. */
static void deferred(void **state)
{
	assert_true(pmc_leftovers_defer(pmu));
	assert_true(pmu->dirty);
	pmc_leftovers_undefer(pmu);
	assert_false(pmu->dirty);
	pmc_leftovers_expect();
	assert_false(pmc_leftovers_defer(pmu));
	assert_false(pmu->dirty);
	pmc_leftovers_unexpect(1);
	pmc_user_pages_disabled = true;
	assert_false(pmc_leftovers_defer(pmu));
	assert_false(pmu->dirty);
	pmc_user_pages_disabled = false;
	/* CR4.PCE is bit 8 */
	cr4 = 1 << 8;
	assert_false(pmc_leftovers_defer(pmu));
	assert_false(pmu->dirty);
	cr4 = ~(1UL << 8);
	assert_true(pmc_leftovers_defer(pmu));
	assert_true(pmu->dirty);
}

/* While perf zeroes nothing, a write of its file sets the mark, and nothing here removes it. */
static void deferred_without_mark(void **state)
{
	pmu->perf_never = true;
	assert_true(pmc_leftovers_defer(pmu));
	assert_false(pmu->dirty);
	pmu->dirty = true;
	cr4 = X86_CR4_PCE;
	assert_false(pmc_leftovers_defer(pmu));
	assert_true(pmu->dirty);
	pmc_leftovers_undefer(pmu);
	assert_true(pmu->dirty);
}

static void forget(void **state)
{
	assert_int_equal(0, pmc_leftovers_forget());
	expect_calls("");
	pmc_pmus[1].dirty = true;
	pmc_pmus[2].dirty = true; /* offline */
	assert_int_equal(0, pmc_leftovers_forget());
	expect_calls("forget;");
	assert_int_equal(2, forgotten);
	no_memory = true;
	assert_int_equal(-ENOMEM, pmc_leftovers_forget());
	expect_calls("");
}

static bool readable(void *mm)
{
	struct task_struct task = { .mm = mm };

	return pmc_leftovers_readable(&task);
}

/* One address space: until the permission is in effect, it counts as permitted. */
static void watch_one(void **state)
{
	assert_false(readable(&mm_other));
	assert_true(readable(&mm_allowed));
	this_task.mm = &mm_other;
	hlist_add_head(&run_2.node, &pmu->thread_runs);
	pmc_pmus[1].touched_fixed = 1;
	pmc_pmus[1].dirty = true;
	pmc_pmus[2].touched_general = 1; /* offline */
	assert_int_equal(0, pmc_leftovers_watch((void *)&mm_other));
	/* perf zeroes first; current gets the permission: also its own run's counters */
	expect_calls("forget;disable-2;settle;zero;resync;enable-2;settle;zero-1;resync;");
	assert_true(pmc_leftovers_watched());
	assert_int_equal(1, probes);
	assert_true(readable(&mm_other));
	assert_false(readable(NULL));
	pmc_leftovers_granted();
	assert_false(readable(&mm_other));
	assert_true(pmc_leftovers_watched());
	pmc_leftovers_unwatch(false);
	assert_false(pmc_leftovers_watched());
	assert_int_equal(0, probes);
}

/* Another process gets it: the counters of current's run keep their values. */
static void watch_other(void **state)
{
	hlist_add_head(&run_2.node, &pmu->thread_runs);
	assert_int_equal(0, pmc_leftovers_watch((void *)&mm_other));
	assert_int_equal(0xb | FIXED(0) | FIXED(2), cleared);
	this_task.mm = &mm_other;
	assert_int_equal(0, pmc_leftovers_watch((void *)&mm_other));
	assert_int_equal(0xf | 7ULL << 32, cleared);
	pmc_leftovers_granted();
	pmc_leftovers_unwatch(false);
	pmc_leftovers_unwatch(false);
	/* only CPUs with registers that were written */
	calls[0] = '\0';
	pmu->touched_general = 0;
	assert_int_equal(0, pmc_leftovers_watch(NULL));
	expect_calls("disable-2;settle;zero;resync;enable-2;");
	pmu->touched_fixed = 0;
	assert_int_equal(0, pmc_leftovers_watch(NULL));
	expect_calls("");
	pmc_leftovers_unwatch(true);
	pmc_leftovers_unwatch(true);
}

static void watch_every(void **state)
{
	hlist_add_head(&run_2.node, &pmu->thread_runs);
	assert_int_equal(0, pmc_leftovers_watch(NULL));
	assert_int_equal(0xf | 7ULL << 32, cleared);
	assert_true(readable(&mm_other));
	assert_false(readable(NULL));
	assert_int_equal(0, pmc_leftovers_watch((void *)&mm_allowed));
	pmc_leftovers_granted();
	pmc_leftovers_unwatch(false);
	assert_true(readable(&mm_other));
	pmc_leftovers_unwatch(true);
	assert_false(readable(&mm_other));
}

/* Tasks that have the permission already: no other becomes readable. */
static void watch_permitted(void **state)
{
	assert_int_equal(0, pmc_leftovers_watch_permitted());
	assert_true(pmc_leftovers_watched());
	assert_int_equal(1, probes);
	assert_int_equal(0xf | 7ULL << 32, cleared);
	assert_false(readable(&mm_other));
	pmc_leftovers_unwatch(false);
	assert_false(pmc_leftovers_watched());
	probe_error = -EBUSY;
	assert_int_equal(-EBUSY, pmc_leftovers_watch_permitted());
	assert_false(readable(&mm_other));
	probe_error = 0;
	assert_int_equal(0, pmc_leftovers_watch(NULL));
	assert_true(readable(&mm_other));
	pmc_leftovers_unwatch(true);
}

/* A failure leaves all as it was. */
static void watch_fails(void **state)
{
	probe_error = -EEXIST;
	assert_int_equal(-EEXIST, pmc_leftovers_watch((void *)&mm_other));
	assert_false(pmc_leftovers_watched());
	assert_false(readable(&mm_other));
	probe_error = 0;
	no_memory = true;
	assert_int_equal(-ENOMEM, pmc_leftovers_watch((void *)&mm_other));
	expect_calls("");
	assert_false(pmc_leftovers_watched());
	assert_false(readable(&mm_other));
	assert_int_equal(0, probes);
	assert_int_equal(-ENOMEM, pmc_leftovers_watch(NULL));
	assert_false(pmc_leftovers_watched());
	assert_false(readable(&mm_other));
	assert_int_equal(0, probes);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(stopped_runs), TEST(counting_runs), TEST(own_run), TEST(watched),
		TEST(clear_here), TEST(clear_here_dirty), TEST(deferred),
		TEST(deferred_without_mark), TEST(forget), TEST(watch_one), TEST(watch_other),
		TEST(watch_every), TEST(watch_permitted), TEST(watch_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
