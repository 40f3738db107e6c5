/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sampled run, and what sampler.c calls: each call is logged
 */
#ifndef TEST_SAMPLER_H
#define TEST_SAMPLER_H

#include "allocations.h"
#include "sampling.h"

#include <linux/irq_work.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>

#include "pmu/fold.h"
#include "sampling/nmi.h"
#include "sampling/ring.h"
#include "sampling/sample.h"
#include "sampling/sample_config.h"
#include "sampling/sampler.h"
#include "sampling/throttle.h"

#define NR		3
#define MASK		0xffffULL
#define WRITE_MASK	0x7fffULL
#define STATUS		5
#define ACKNOWLEDGE	6
#define ZERO_QUIRK	PMC_QUIRK(ZERO)

static struct task_struct task;
struct task_struct *current = &task;
struct pid_namespace init_pid_ns;

/* The context that is sampled: counter i has RDPMC's operand i, and is loaded by register 1 + i */
static struct pmc_family family;
static struct pmc_program *program;
static struct pmc_run *run;
static struct pmc_sampler *sampler;
static struct pmc_sample_config sampling;
static struct pmc_rings *rings;
static struct pmc_cpu_ring ring;
static struct pmc_pmu *const pmu = &pmc_pmus;

static bool due_for_throttling;
static unsigned int waits, asked;

static unsigned int number(const struct pmc_counter_setup *setup)
{
	return setup - program->setup;
}

static bool listed(void)
{
	return pmu->pmi.samplers.next == &sampler->node;
}

void pmc_sample_write(struct pmc_sampler *of, const struct pmc_counter_setup *setup, u64 overflows,
		      struct pt_regs *regs, u64 now)
{
	assert_ptr_equal(sampler, of);
	call("sample %u %llu%s %llu%s", number(setup), overflows, regs ? " nmi" : "", now,
	     sampler->due[number(setup)].skid ? " skid" : "");
}

void pmc_sample_throttle(struct pmc_sampler *of, u32 type, u32 counter, u64 now)
{
	assert_ptr_equal(sampler, of);
	call("%s %u %llu %llu", type == PMC_RECORD_THROTTLE ? "throttle" :
	     type == PMC_RECORD_UNTHROTTLE ? "unthrottle" : "?", counter,
	     sampler->due[counter].skipped, now);
}

void pmc_ring_throttle(struct pmc_cpu_ring *of, u64 overflows)
{
	assert_ptr_equal(&ring, of);
	call("skip %llu", overflows);
}

void pmc_nmi_expect(struct pmc_nmi *nmi, u32 overflows)
{
	assert_ptr_equal(&pmu->pmi.nmi, nmi);
	call("expect %u", overflows);
}

void pmc_nmi_update_follow_up(struct pmc_pmi *pmi)
{
	assert_ptr_equal(&pmu->pmi, pmi);
	call("follow up %u%s", pmi->kernel, listed() ? " listed" : "");
}

bool pmc_nmi_overflow_waits(const struct pmc_sampler *of)
{
	assert_ptr_equal(sampler, of);
	asked++;
	return asked <= waits;
}

bool pmc_throttle_is_due(struct pmc_throttling *throttling, unsigned long limit, u64 now)
{
	assert_ptr_equal(&pmu->pmi.throttling, throttling);
	assert_int_equal(77, limit);
	call("due at %llu", now);
	return due_for_throttling;
}

bool irq_work_queue(struct irq_work *work)
{
	assert_ptr_equal(&pmu->pmi.work, work);
	call("work");
	return true;
}

static void enable_program(struct pmc_pmu *of, const struct pmc_program *enabled)
{
	assert_ptr_equal(pmu, of);
	assert_ptr_equal(program, enabled);
	call("enable%s", sampler->locked ? " locked" : "");
}

static void disable_program(struct pmc_pmu *of, const struct pmc_program *disabled)
{
	assert_ptr_equal(pmu, of);
	assert_ptr_equal(program, disabled);
	call("disable%s", sampler->locked ? " locked" : "");
}

static void write_counter(struct pmc_pmu *of, const struct pmc_counter_setup *setup, u64 raw)
{
	assert_ptr_equal(pmu, of);
	call("write %u %llx", number(setup), raw);
}

/* Counters 0 and 2 have periods of 100 and 1000; no counter has counted anything. */
static int begin(void **state)
{
	u32 i;

	reset_cpu();
	program = calloc(1, sizeof(*program) + NR * sizeof(*program->setup));
	run = calloc(1, sizeof(*run) + NR * sizeof(*run->count));
	rings = calloc(1, sizeof(*rings) + sizeof(*rings->ring));
	assert_true(program && run && rings);
	ring = (struct pmc_cpu_ring){};
	rings->ring[0] = &ring;
	rings->ns = &init_pid_ns;
	sampling = (struct pmc_sample_config){ .rings = rings, .spent_max = 77 };
	family = (struct pmc_family){
		.enable = enable_program,
		.disable = disable_program,
		.write = write_counter,
	};
	program->family = &family;
	program->sampling = &sampling;
	program->nr = NR;
	program->only = 1;
	program->interrupts = 5;
	program->setup[0].period = 100;
	program->setup[2].period = 1000;
	for (i = 0; i < NR; i++) {
		program->setup[i].number = i;
		program->setup[i].user = true;
		program->setup[i].mask = MASK;
		program->setup[i].write_msr = 1 + i;
		program->setup[i].write_mask = WRITE_MASK;
		run->count[i].mask = MASK;
		run->count[i].rdpmc = i;
	}
	run->program = program;
	pmu->description.family = &family;
	pmu->status_msr = STATUS;
	pmu->acknowledge_msr = ACKNOWLEDGE;
	sampler = pmc_sampler_alloc(run, GFP_KERNEL_ACCOUNT);
	assert_non_null(sampler);
	run->sampler = sampler;
	sampler->ring = &ring;
	sampler->spent_max = 77;
	due_for_throttling = false;
	waits = 0;
	asked = 0;
	memset(cpu_has_feature, 0, sizeof(cpu_has_feature));
	return 0;
}

static int end(void **state)
{
	free(sampler);
	free(program);
	free(run);
	free(rings);
	return 0;
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, end)

#endif /* TEST_SAMPLER_H */
