/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CPU with a sampled run, and what pmi.c calls: each call is logged
 */
#ifndef TEST_PMI_H
#define TEST_PMI_H

#include "nmi_handler.h"
#include "sampled_run.h"

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/ptrace.h>

#include "pmu/fold.h"
#include "sampling/mmap.h"
#include "sampling/nmi.h"
#include "sampling/nmi_overhead.h"
#include "sampling/pmi.h"
#include "sampling/sampler.h"
#include "sampling/storm.h"
#include "sampling/throttle.h"

#define NR		2
#define FOUND		0x10000U	/* LVTPC as it was found */
#define ARMED		0x400U
#define MASKED		0x10400U
#define STATUS		5
#define ACKNOWLEDGE	6
/* 1 MHz: a window of 4 ms has 4000 ticks, of which 2000 may be spent */
#define KHZ		1000
#define WINDOW		4000
#define SPENT_MAX	2000

unsigned int tsc_khz = KHZ;
static struct task_struct task = { .pid = 11, .tgid = 10 };
struct task_struct *current = &task;

static struct pmc_pmu *const pmu = &pmc_pmus;
static struct pmc_pmi *const pmi = &pmc_pmus.pmi;
static struct pmc_family family;
static struct pt_regs kernel_regs = { .ip = 0x5678, .cs = __KERNEL_CS };

static u32 lvtpc;
/* Counters found by the next calls of pmc_sampler_settle() */
static u32 finds[32];
static unsigned int settled;
/* Ticks that each pass takes; LVTPC becomes masked in the next pass */
static u64 takes;
static bool masked_by_pass;

static u32 read_apic(u32 reg)
{
	assert_int_equal(APIC_LVTPC, reg);
	return lvtpc;
}

static void write_apic(u32 reg, u32 value)
{
	assert_int_equal(APIC_LVTPC, reg);
	call("lvtpc %x", value);
	lvtpc = value;
}

static struct apic local = { .read = read_apic, .write = write_apic };
struct apic *apic = &local;

void pmc_nmi_overhead_measure(struct pmc_nmi_overhead *overhead, unsigned long spent_max)
{
	assert_ptr_equal(&pmi->nmi.overhead, overhead);
	assert_int_equal(SPENT_MAX, spent_max);
	call("measure%s", pmi->armed ? " armed" : "");
}

u32 pmc_sampler_settle(struct pmc_pmu *of, struct pmc_sampler *what, struct pt_regs *regs, u64 now)
{
	assert_ptr_equal(pmu, of);
	assert_ptr_equal(sampler, what);
	assert_non_null(regs);
	assert_in_range(settled, 0, 31);
	call("settle%s", now == tsc ? "" : " later");
	if (masked_by_pass)
		lvtpc |= APIC_LVT_MASKED;
	tsc += takes;
	return finds[settled++];
}

void pmc_sampler_reload_all(struct pmc_pmu *of, struct pmc_sampler *what)
{
	assert_ptr_equal(pmu, of);
	assert_ptr_equal(sampler, what);
	call("reload");
}

void pmc_sampler_acknowledge(struct pmc_pmu *of, const struct pmc_counter_setup *setup)
{
	assert_ptr_equal(pmu, of);
	call("acknowledge %ld", (long)(setup - program->setup));
}

void pmc_sampler_unthrottle_all(struct pmc_pmu *of, struct pmc_sampler *what)
{
	assert_ptr_equal(pmu, of);
	assert_ptr_equal(sampler, what);
	call("unthrottle%s", pmi->throttling.active ? " active" : "");
}

void pmc_mmap_queue_work(struct pmc_sampler *what)
{
	assert_ptr_equal(sampler, what);
	tsc += takes;
	call("mmaps");
}

static bool timer_active;

bool hrtimer_active(const struct hrtimer *timer)
{
	assert_ptr_equal(&pmi->timer, timer);
	return timer_active;
}

void hrtimer_start(struct hrtimer *timer, long long ns, enum hrtimer_mode mode)
{
	assert_ptr_equal(&pmi->timer, timer);
	assert_int_equal(HRTIMER_MODE_REL_PINNED_HARD, mode);
	call("timer %lld", ns);
}

int hrtimer_cancel(struct hrtimer *timer)
{
	assert_ptr_equal(&pmi->timer, timer);
	call("no timer");
	return 0;
}

void pmc_hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
		       enum hrtimer_mode mode)
{
	assert_int_equal(HRTIMER_MODE_REL_PINNED_HARD, mode);
	timer->function = function;
}

unsigned long interrupts_off(void)
{
	call("off");
	return 99;
}

void interrupts_restore(unsigned long flags)
{
	assert_int_equal(99, flags);
	call("on");
}

void irq_work_sync(struct irq_work *work)
{
	assert_ptr_equal(&pmi->work, work);
	call("sync");
}

void on_each_cpu_mask(const struct cpumask *cpus, void (*function)(void *), void *data, int wait)
{
	assert_int_equal(1, wait);
	assert_ptr_equal(&task, cpus);
	function(data);
}

void msleep(unsigned int ms)
{
	call("sleep");
	tsc += (u64)ms * tsc_khz;
}

static void acknowledge(struct pmc_pmu *of, const struct pmc_counter_setup *setup)
{
	fail();
}

static void pause_counters(struct pmc_pmu *of, const struct pmc_program *what)
{
	assert_ptr_equal(pmu, of);
	assert_ptr_equal(program, what);
	call("pause");
}

static void resume_counters(struct pmc_pmu *of, const struct pmc_program *what)
{
	assert_ptr_equal(pmu, of);
	assert_ptr_equal(program, what);
	call("resume");
}

/* LVTPC is armed, where it is known that delivery masks it. Counter 1 has a period of 100. */
static int begin(void **state)
{
	reset_cpu();
	alloc_sampled_run(NR);
	family = (struct pmc_family){ .pause = pause_counters, .resume = resume_counters };
	program->family = &family;
	program->interrupts = 2;
	program->setup[1].period = 100;
	program->setup[1].number = 1;
	program->setup[1].write_msr = 3;
	program->setup[1].write_mask = 0x7fff;
	run->count[0].mask = 0xffff;
	run->count[1].mask = 0xffff;
	run->count[1].rdpmc = 1;
	sampling = (struct pmc_sample_config){ .record_min = sizeof(struct pmc_sample) + 16,
		.spent_max = 500 };
	sampler->only = -1;
	sampler->spent_max = SPENT_MAX;
	sampler->due[1].next = 100;
	pmu->description.family = &family;
	pmu->status_msr = STATUS;
	pmu->acknowledge_msr = ACKNOWLEDGE;
	pmu->acquired = true;
	registers[STATUS] = 2;
	tsc = 1ULL << 40;
	lvtpc = FOUND;
	memset(finds, 0, sizeof(finds));
	settled = 0;
	takes = 0;
	masked_by_pass = false;
	timer_active = false;
	registering = 0;
	handler_flags = NMI_FLAG_FIRST;
	memset(cpu_has_feature, 0, sizeof(cpu_has_feature));
	pmi->samplers = (struct list_head){};
	pmc_pmi_init(pmi);
	list_add_rcu(&sampler->node, &pmi->samplers);
	assert_int_equal(0, pmc_pmi_get());
	pmi->nmi.mask = PMC_LVTPC_MASKED;
	pmc_pmi_arm(pmu);
	expect_calls("register pmcdrv;measure;lvtpc 400;");
	return 0;
}

static int end(void **state)
{
	pmi->nmi.has_late_periods = false;
	pmc_pmi_put();
	return free_sampled_run(state);
}

/* An NMI, where LVTPC shows a delivered PMI or not; returns whether it is claimed */
static bool nmi(bool delivered)
{
	int result;

	if (delivered)
		lvtpc |= APIC_LVT_MASKED;
	result = handler(NMI_LOCAL, &kernel_regs);
	assert_true(result == NMI_HANDLED || result == NMI_DONE);
	return result == NMI_HANDLED;
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, end)

#endif /* TEST_PMI_H */
