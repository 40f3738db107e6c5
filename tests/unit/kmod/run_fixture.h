/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A run of two counters, general counter 0 of 48 bits and fixed counter 0 of 40 bits, and what
 * the files of runs call: each call is logged
 */
#ifndef TEST_RUN_FIXTURE_H
#define TEST_RUN_FIXTURE_H

#include "unit.h"

#include <linux/slab.h>

#include "calls.h"
#include "clock.h"
#include "pmu/fold.h"
#include "pmu/leftovers.h"
#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"
#include "pmu/run_types.h"
#include "pmu/user_page.h"
#include "sampling/sampler.h"
#include "target/run.h"

#define MASK_48		0xffffffffffffULL
#define MASK_40		0xffffffffffULL
#define FIXED_0		(1U << 30)
/* The operands of RDPMC on CPUs of the other PMU type */
#define OTHER_0		2
#define OTHER_1		(1U << 30 | 2)

DEFINE_PER_CPU(struct pmc_pmu, pmc_pmus);

static u64 general[3], fixed[3];
static struct pmc_family family;
static struct pmc_program *program, *other;
static struct pmc_run *run;
static struct pmc_sampler sampler;
static struct pmc_user_page user_page;

u64 pmc_rdpmc(u32 counter)
{
	return counter & FIXED_0 ? fixed[counter & 3] : general[counter & 3];
}

void pmc_leftovers_clear_watched(struct pmc_pmu *pmu)
{
	assert_ptr_equal(&pmc_pmus, pmu);
	call("clear");
}

static void load_program(struct pmc_pmu *pmu, const struct pmc_program *loaded)
{
	assert_ptr_equal(&pmc_pmus, pmu);
	call(loaded == other ? "load-other" : "load");
}

static void enable_program(struct pmc_pmu *pmu, const struct pmc_program *enabled)
{
	assert_ptr_equal(&pmc_pmus, pmu);
	call(enabled == other ? "enable-other" : "enable");
}

static void disable_program(struct pmc_pmu *pmu, const struct pmc_program *disabled)
{
	assert_ptr_equal(&pmc_pmus, pmu);
	call(disabled == other ? "disable-other" : "disable");
}

static void write_counter(struct pmc_pmu *pmu, const struct pmc_counter_setup *entry, u64 raw)
{
	assert_ptr_equal(&pmc_pmus, pmu);
	call(entry == &run->program->setup[0] ? "write-0" : "write-1");
	*(entry->rdpmc & FIXED_0 ? &fixed[entry->rdpmc & 3] : &general[entry->rdpmc & 3]) = raw;
}

void pmc_run_show(struct pmc_run *shown)
{
	assert_ptr_equal(run, shown);
	call("show");
}

void pmc_run_hide(struct pmc_run *hidden)
{
	assert_ptr_equal(run, hidden);
	call("hide");
}

#define SAMPLER_CALL(name, text)							\
void name(struct pmc_pmu *pmu, struct pmc_sampler *called_for)				\
{											\
	assert_ptr_equal(&pmc_pmus, pmu);						\
	assert_ptr_equal(&sampler, called_for);						\
	call(sampler.locked ? text "-locked" : text);					\
}

SAMPLER_CALL(pmc_sampler_start, "start")
SAMPLER_CALL(pmc_sampler_stop, "stop")
SAMPLER_CALL(pmc_sampler_settle_late, "settle")
SAMPLER_CALL(pmc_sampler_reload_all, "reload")

void pmc_sampler_clear(struct pmc_sampler *cleared)
{
	assert_ptr_equal(&sampler, cleared);
	call("sampler-clear");
}

#define RUN_CALL(name, text)								\
void name(struct pmc_pmu *pmu, struct pmc_run *called_for)				\
{											\
	assert_ptr_equal(&pmc_pmus, pmu);						\
	assert_ptr_equal(run, called_for);						\
	call(text);									\
}

RUN_CALL(pmc_run_lock, "lock")
RUN_CALL(pmc_run_unlock, "unlock")
RUN_CALL(pmc_run_recheck, "recheck")
RUN_CALL(pmc_perf_metrics_load, "metrics-load")
RUN_CALL(pmc_perf_metrics_fold, "metrics-fold")

void pmc_perf_metrics_settle(struct pmc_run *settled)
{
	assert_ptr_equal(run, settled);
	call("metrics-settle");
}

static struct pmc_program *make_program(u32 pmu_type, u32 first, u32 second)
{
	struct pmc_program *made;

	made = calloc(1, sizeof(*made) + 2 * sizeof(made->setup[0]));
	assert_non_null(made);
	made->family = &family;
	made->number = 10 + pmu_type;
	made->pmu_type = pmu_type;
	made->nr = 2;
	made->plain = true;
	made->setup[0].rdpmc = first;
	made->setup[0].mask = pmu_type == 2 ? MASK_40 : MASK_48;
	made->setup[1].rdpmc = second;
	made->setup[1].mask = pmu_type == 2 ? MASK_48 : MASK_40;
	return made;
}

/* This CPU is of PMU type 1; programs for types 1, 3 and 2 are a ring. */
static int set_up_run(void **state)
{
	struct pmc_program *between;

	calls[0] = '\0';
	now = 1000;
	memset(&pmc_pmus, 0, sizeof(pmc_pmus));
	pmc_pmus.description.pmu_type = 1;
	family = (struct pmc_family){ .load = load_program, .enable = enable_program,
		.disable = disable_program, .write = write_counter };
	program = make_program(1, 0, FIXED_0);
	between = make_program(3, 1, 1);
	other = make_program(2, OTHER_0, OTHER_1);
	program->next = between;
	between->next = other;
	other->next = program;
	memset(general, 0, sizeof(general));
	memset(fixed, 0, sizeof(fixed));
	sampler = (struct pmc_sampler){};
	user_page = (struct pmc_user_page){ .high = 1ULL << 39 };
	run = calloc(1, sizeof(*run) + 2 * sizeof(run->count[0]));
	assert_non_null(run);
	run->program = program;
	run->count[0].mask = MASK_48;
	run->count[1].mask = MASK_40;
	run->count[1].rdpmc = FIXED_0;
	return 0;
}

static int tear_down_run(void **state)
{
	free(program->next);
	free(other);
	free(program);
	free(run);
	return 0;
}

#define RUN_TEST(name)	cmocka_unit_test_setup_teardown(name, set_up_run, tear_down_run)

#endif /* TEST_RUN_FIXTURE_H */
