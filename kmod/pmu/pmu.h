/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmc_pmu: the counter registers of one CPU
 */
#ifndef PMC_PMU_H
#define PMC_PMU_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/percpu.h>

#include "compat/compat.h"
#include "pmu/family.h"
#include "sampling/pmi_types.h"

struct pmc_run;

/* Counter registers of one CPU, as they were found */
struct pmc_registers {
	u64 select[PMC_GENERAL_MAX];
	u64 general[PMC_GENERAL_MAX];
	u64 fixed[PMC_FIXED_MAX];
	u64 config_b[PMC_GENERAL_MAX + PMC_FIXED_MAX];
	u64 config_c[PMC_GENERAL_MAX + PMC_FIXED_MAX];
	u64 extra[PMC_EXTRA_MAX];
	u64 fixed_ctrl;
	u64 global_ctrl;
	u64 global_status;
	u64 freeze;
	u64 metrics;
};

/**
 * struct pmc_pmu - the counter registers of one CPU
 * @description: what this CPU has; written at load and when the CPU comes online, constant
 *		under cpus_read_lock()
 * @acquired:	the registers are saved and the driver's; read in NMI context (intel_pt.c)
 * @writes_ignored: a counter did not have the value that was written to it, or an access faults:
 *		a hypervisor lacks a part of the counters
 * @dirty:	perf may still zero the counters, when this CPU next switches to a task that may
 *		execute RDPMC. Set by this CPU when it is acquired for a thread, by any when
 *		perf's file is written; cleared by any
 * @perf_never:	perf's file rdpmc contained 0 when perf was to zero its dirty counters. After a
 *		write to the file the counters are @dirty. Set by this CPU, cleared by any
 * @leaks:	a sibling thread's events also count in this CPU's counters; pmc_claims_lock, read
 *		without
 * @found_running: counters that ran when they were acquired, bit n for general counter n, bit
 *		32 + n for fixed counter n: another user has them without a reservation
 * @cpu_runs:	runs of CPU contexts that count here now
 * @thread_runs: runs of thread contexts that count here now
 * @pmi:	the overflow interrupt; pmi.c's
 * @fold_timer:	folds all counters before any can wrap twice; cpu_counters.c's
 * @settle_runs: bring every run that counts here up to date, and keep the NMI handler off it. For
 *		a caller that is about to write the counters of other runs; they are stopped
 * @verify_runs: stop the runs that count here with registers that other software has written
 * @lose:	the counters of a program that counts here had other values: its runs report that
 * @join:	acquire the counters for a thread that has arrived here; false if they do not count
 * @spoil:	perf may zero counters from now on, or may have done so. The runs of CPUs end, and
 *		threads are counted on with counters that are loaded anew. What was counted since
 *		the last fold is discarded if it can be wrong; the contexts report that
 * @resync_runs: undo @settle_runs: the runs continue from the values that the counters have now
 * @status_msr:	register with the overflow bits of the counters, 0 if there is none
 * @acknowledge_msr: register in which setting a bit acknowledges an overflow
 * @frozen:	bits of it to be set with any overflow
 * @loaded:	&struct pmc_program.number of the program loaded last, 0 for none
 * @last:	the run started last on this CPU. Its counters are as it left them only if that
 *		run's @last is this CPU, too; otherwise the run may have been freed
 * @control_msr: global control, which starts and stops counters at the same time; 0 where there
 *		is none, or where each write first reads the register, so that a bit that another
 *		program lost stays 0 (core_guest.c). Set by the family's save operation
 * @restore_msr: global control, which perf's NMI handler clears beside Intel PT; 0 where there
 *		is none, or the family never has both
 * @select:	copy of the event selects in the hardware
 * @fixed_ctrl:	copy of the control of the fixed counters
 * @global_ctrl: copy of the global control
 * @paused_ctrl: @global_ctrl when the NMI handler paused counters; on AMD in a virtual machine,
 *		mask of the counters that it paused
 * @touched_general: general counters with registers that were written
 * @touched_fixed: fixed counters, likewise
 * @touched_extra: family core: extra registers of events, likewise
 * @saved:	the registers as they were found
 * @resume:	lets the threads that @spoil has stopped continue
 *
 * All but @description, @dirty, @perf_never and @leaks is touched only on its own CPU with
 * interrupts off, or on any CPU under cpus_read_lock() by the holder of the claims' lock while
 * nothing is acquired.
 */
struct pmc_pmu {
	struct pmc_description description;
	bool acquired;
	bool writes_ignored;
	bool dirty;
	bool perf_never;
	bool leaks;
	u64 found_running;
	struct hlist_head cpu_runs;
	struct hlist_head thread_runs;
	struct pmc_pmi pmi;
	struct hrtimer fold_timer;
	void (*settle_runs)(struct pmc_pmu *pmu);
	void (*resync_runs)(struct pmc_pmu *pmu);
	void (*verify_runs)(struct pmc_pmu *pmu);
	void (*lose)(struct pmc_pmu *pmu, const struct pmc_program *program);
	bool (*join)(struct pmc_pmu *pmu);
	void (*spoil)(struct pmc_pmu *pmu);

	u32 status_msr;
	u32 acknowledge_msr;
	u64 frozen;
	u64 loaded;
	const struct pmc_run *last;
	u32 control_msr;
	u32 restore_msr;
	u64 select[PMC_GENERAL_MAX];
	u64 fixed_ctrl;
	u64 global_ctrl;
	u64 paused_ctrl;
	u64 touched_general;
	u64 touched_fixed;
	u64 touched_extra;
	struct pmc_registers saved;
	struct irq_work resume;
};

DECLARE_PER_CPU(struct pmc_pmu, pmc_pmus);

/* Start the counters of a program, at the same time where the hardware can. */
static __always_inline void pmc_pmu_enable(struct pmc_pmu *pmu,
					   const struct pmc_program *program)
{
	if (unlikely(!pmu->control_msr)) {
		program->family->enable(pmu, program);
		return;
	}
	pmu->global_ctrl |= program->enable;
	pmc_wrmsr_native(pmu->control_msr, pmu->global_ctrl);
}

/* Stop the counters of a program, likewise. */
static __always_inline void pmc_pmu_disable(struct pmc_pmu *pmu,
					    const struct pmc_program *program)
{
	if (unlikely(!pmu->control_msr)) {
		program->family->disable(pmu, program);
		return;
	}
	pmu->global_ctrl &= ~program->enable;
	pmc_wrmsr_native(pmu->control_msr, pmu->global_ctrl);
}

/* RDPMC is the same on every processor that has it; the operand is the family's. */
static __always_inline u64 pmc_rdpmc(u32 counter)
{
	unsigned long low, high;

	asm volatile("1: rdpmc\n2:\n" PMC_EXTABLE_RDPMC(1b, 2b)
		     : "=a" (low), "=d" (high) : "c" (counter));
	return low | (u64)high << 32;
}

/* Does RDPMC fault with this operand? */
static inline bool pmc_rdpmc_faults(u32 counter)
{
	u32 fault = 1, low, high;

	asm volatile("1: rdpmc\n\txorl %[fault], %[fault]\n2:\n" _ASM_EXTABLE(1b, 2b)
		     : [fault] "+S" (fault), "=a" (low), "=d" (high) : "c" (counter) : "cc");
	return fault;
}

/* Are the counters acquired, and of a type for which the context has a program to be counted? */
static inline bool pmc_pmu_has(const struct pmc_pmu *pmu, const struct pmc_program *program)
{
	return pmu->acquired && program->pmu_types & BIT(pmu->description.pmu_type) &&
	       READ_ONCE(program->number) != PMC_PROGRAM_ENDED &&
	       !((program->general | program->fixed << 32) & pmu->found_running);
}

/* The same, and perf will not zero them */
static inline bool pmc_pmu_fits(const struct pmc_pmu *pmu,
				const struct pmc_program *program)
{
	/* a loaded program was found to fit when it was loaded */
	if (likely(pmu->loaded == READ_ONCE(program->number)))
		return true;
	return pmc_pmu_has(pmu, program) && !READ_ONCE(pmu->dirty);
}

/* Set a bit of a state that any CPU writes and reads, without a lock. */
static inline void pmc_state_set(u32 *state, u32 bit)
{
	u32 old = READ_ONCE(*state);

	while (!(old & bit) && !try_cmpxchg(state, &old, old | bit))
		;
}

void pmc_pmu_init(struct pmc_pmu *pmu);
extern bool pmc_pmus_disabled;
bool pmc_pmu_acquire(struct pmc_pmu *pmu);
void pmc_pmu_release(struct pmc_pmu *pmu);

void pmc_call_on_cpu(int cpu, void (*function)(void *), void *data);

#endif /* PMC_PMU_H */
