/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overflow: counters with a period, their interrupt and their samples
 */
#ifndef PMC_OVERFLOW_H
#define PMC_OVERFLOW_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <asm/local.h>
#include <asm/local64.h>
#include <asm/processor-flags.h>

#include "uapi/pmcdrv.h"
#include "sampling/nmi_overhead.h"
#include "sampling/ring.h"

struct mm_struct;
struct pmc_pmu;
struct pmc_program;
struct pmc_counter_setup;
struct pmc_query;
struct task_struct;
struct pmc_run;
struct pt_regs;

/* Passes over counters in one go: each makes progress or is the last. */
#define PMC_PASSES_MAX		16

/**
 * struct pmc_sample_config - how a context is sampled
 * @flags:	PMC_SAMPLE_*
 * @frames:	longest call chain
 * @record_min:	bytes of a sample without call chains
 * @record_max:	the most bytes that one sample can have
 * @rings:	where the records go
 *
 * Constant while the context is configured.
 */
struct pmc_sample_config {
	u32 flags;
	u32 frames;
	u32 record_min;
	u32 record_max;
	struct pmc_rings *rings;
};

/**
 * struct pmc_sampler - the overflows of one run
 * @node:	in the CPU's list while the run counts; changed so that an NMI sees
 *		a whole list at any moment
 * @run:	whose counters these are; constant
 * @sampling:	constant
 * @task:	the thread that is counted, NULL if a CPU is; constant
 * @mm:		its address space when the run last started, or the one it has exec'ed
 *		since; only to be compared
 * @ring:	of the CPU where the run counts
 * @only:	&struct pmc_program.only
 * @locked:	the run is being changed: the NMI is to leave it alone
 * @map_mm:	address space of @maps, only to be compared
 * @map_exec:	how often its process had exec'ed
 * @map_tgid:	its process
 * @maps_wanted: number of @map_wanted
 * @map_wanted:	addresses of user mode whose mappings are to be told
 * @maps:	mappings that were told of
 * @map_next:	which of them to forget next
 * @due:	for each counter with a period: the count at which it overflows
 *		next, the overflows skipped since it was throttled, whether it is, and
 *		whether its interrupt comes one event late
 *
 * Touched only on the CPU where the run counts: in NMI context while it is not
 * locked, otherwise with it locked and interrupts off.
 */
struct pmc_sampler {
	struct list_head node;
	struct pmc_run *run;
	const struct pmc_sample_config *sampling;
	struct task_struct *task;
	const struct mm_struct *mm;
	struct pmc_cpu_ring *ring;
	s32 only;
	bool locked;
	const struct mm_struct *map_mm;
	u64 map_exec;
	pid_t map_tgid;
	u32 maps_wanted;
	unsigned long map_wanted[PMC_SAMPLER_MAPS];
	struct {
		unsigned long start;
		unsigned long end;
	} maps[PMC_SAMPLER_MAPS];
	u32 map_next;
	struct pmc_due {
		u64 next;
		u64 skipped;
		bool throttled;
		bool skid;
	} due[];
};

/**
 * struct pmc_overflow - one CPU's overflow interrupt
 * @samplers:	of the runs that count here
 * @kernel:	how many of them count what happens in the kernel
 * @armed:	the interrupt is ours
 * @lvtpc:	LVTPC as it was found
 * @early:	overflows that have been handled and whose interrupts may come: not more
 *		than 2, one that waits for the end of another and one that is on its way;
 *		0 with @unmasked
 * @unmasked:	&struct pmc_family.unmasked
 * @late_end:	with that, until when every NMI is taken for one of them, in intervals of the
 *		time-stamp counter
 * @late_max:	so much from an overflow's handling to that
 * @window:	time-stamp counter when the time spent was last set to 0
 * @spent:	ticks spent on overflows since then, which an NMI adds to as well
 * @spent_max:	and how many may be
 * @overhead:	and what is taken for the entry and exit of an interrupt
 * @spurious:	interrupts of ours that told of nothing
 * @throttled:	some counter is
 * @work:	what an NMI can't do
 * @timer:	ends the throttling
 * @latched:	in an NMI: an interrupt has been delivered since the local APIC was armed,
 *		and perf may hide that it was, pmc_intel_pt_present()
 */
struct pmc_overflow {
	struct list_head samplers;
	u32 kernel;
	bool armed;
	u32 lvtpc;
	local_t early;
	bool unmasked;
	unsigned long late_end;
	unsigned long late_max;
	u64 window;
	local_t spent;
	unsigned long spent_max;
	struct pmc_nmi_overhead overhead;
	local64_t spurious;
	bool throttled;
	struct irq_work work;
	struct hrtimer timer;
	bool latched;
};

/**
 * struct pmc_user_regs - where something was executed
 * @ip:		instruction pointer, 0 if it is not known
 * @flags:	flags register
 * @bp:		frame pointer
 * @cs:		code segment selector
 */
struct pmc_user_regs {
	unsigned long ip;
	unsigned long flags;
	unsigned long bp;
	u16 cs;
};

/*
 * In user mode? In virtual-8086 mode, of 32-bit kernels, a code segment says nothing of
 * privilege.
 */
static inline bool pmc_user_regs_valid(const struct pmc_user_regs *user)
{
	return user->flags & X86_VM_MASK || user->cs & 3;
}

s32 pmc_program_find_only(const struct pmc_program *program);
struct pmc_sampler *pmc_sampler_alloc(struct pmc_run *run, gfp_t gfp);
void pmc_sampler_start(struct pmc_pmu *pmu, struct pmc_sampler *sampler);
void pmc_sampler_stop(struct pmc_pmu *pmu, struct pmc_sampler *sampler);
void pmc_sampler_settle_late(struct pmc_pmu *pmu, struct pmc_sampler *sampler);
void pmc_sampler_clear(struct pmc_sampler *sampler);
void pmc_sampler_exec(struct pmc_pmu *pmu, struct pmc_sampler *sampler);
bool pmc_sampler_overflowed(const struct pmc_sampler *sampler);

/* The NMI is to leave the run alone, or may have it again. Interrupts are off. */
static inline void pmc_sampler_lock(struct pmc_sampler *sampler)
{
	WRITE_ONCE(sampler->locked, true);
	barrier(); /* an NMI on this CPU sees all in order */
}

static inline void pmc_sampler_unlock(struct pmc_sampler *sampler)
{
	barrier(); /* likewise */
	WRITE_ONCE(sampler->locked, false);
}

void pmc_overflow_init(struct pmc_overflow *overflow);
void pmc_overflow_exit(void);
int pmc_overflow_get(void);
void pmc_overflow_put(void);
void pmc_overflow_arm(struct pmc_pmu *pmu);
void pmc_overflow_disarm(struct pmc_pmu *pmu);
void pmc_overflow_charge_local(u64 since);
bool pmc_overflow_is_of(const struct pmc_overflow *overflow, u64 status);
u64 pmc_overflow_spurious(void);
bool pmc_overflow_exists(void);

/* sample_config.c */
int pmc_sample_config_check(const struct pmc_config *config,
		       const struct pmc_counter_config *counters);
struct pmc_sample_config *pmc_sample_config_create(const struct pmc_config *config,
					 wait_queue_head_t *wait);
void pmc_sample_config_release(struct pmc_sample_config *sampling);

/* sample.c */
void pmc_sample_write(struct pmc_sampler *sampler, const struct pmc_counter_setup *setup,
		      u64 overflows, struct pt_regs *regs, u64 now);
void pmc_sample_throttle(struct pmc_sampler *sampler, u32 type, u32 counter, u64 now);

/* callchain.c */
u32 pmc_callchain_kernel(struct pt_regs *regs, u64 *frames, u32 max);
u32 pmc_callchain_user(const struct pmc_user_regs *user, u64 *frames, u32 max);

/* user.c */
void pmc_user_regs_find(struct pmc_user_regs *user, struct task_struct *task,
		    const struct pt_regs *regs);

/* mmap.c */
void pmc_mmap_request_all(struct pmc_sampler *sampler, unsigned long ip, const u64 *frames, u32 nr);
void pmc_mmap_queue_work(struct pmc_sampler *sampler);

#endif /* PMC_OVERFLOW_H */
