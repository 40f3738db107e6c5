/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of a family use of a CPU's counters, in unit tests */
#ifndef TEST_PMU_PMU_H
#define TEST_PMU_PMU_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/percpu.h>

#include "compat/compat.h"
#include "pmu/family.h"
#include "sampling/pmi_types.h"

struct pmc_run;

struct pmc_pmu {
	struct pmc_description description;
	bool acquired;
	bool writes_ignored;
	bool dirty;
	bool perf_never;
	u64 loaded;
	struct hlist_head cpu_runs;
	struct hlist_head thread_runs;
	struct pmc_pmi pmi;
	void (*lose)(struct pmc_pmu *pmu, const struct pmc_program *program);
	const struct pmc_run *last;
	u32 status_msr;
	u32 acknowledge_msr;
	u32 control_msr;
	u64 frozen;
	u64 select[PMC_GENERAL_MAX];
	u64 fixed_ctrl;
	u64 global_ctrl;
	u64 touched_general;
	u64 touched_extra;
	u64 found_running;
	u64 touched_fixed;
	u64 paused_ctrl;
	u32 restore_msr;
	void (*settle_runs)(struct pmc_pmu *pmu);
	void (*resync_runs)(struct pmc_pmu *pmu);
	void (*verify_runs)(struct pmc_pmu *pmu);
	void (*spoil)(struct pmc_pmu *pmu);
	struct {
		u64 select[PMC_GENERAL_MAX];
		u64 general[PMC_GENERAL_MAX];
		u64 extra[PMC_EXTRA_MAX];
		u64 global_ctrl;
		u64 global_status;
		u64 freeze;
		u64 fixed[PMC_FIXED_MAX];
		u64 fixed_ctrl;
		u64 metrics;
		u64 config_b[PMC_GENERAL_MAX + PMC_FIXED_MAX];
		u64 config_c[PMC_GENERAL_MAX + PMC_FIXED_MAX];
	} saved;
};

static inline void pmc_pmu_enable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	program->family->enable(pmu, program);
}

static inline void pmc_pmu_disable(struct pmc_pmu *pmu, const struct pmc_program *program)
{
	program->family->disable(pmu, program);
}

static inline void pmc_state_set(u32 *state, u32 bit)
{
	*state |= bit;
}

/* Each test of a file that uses one defines it. */
bool pmc_pmu_fits(const struct pmc_pmu *pmu, const struct pmc_program *program);
void pmc_pmu_init(struct pmc_pmu *pmu);
bool pmc_pmu_acquire(struct pmc_pmu *pmu);
void pmc_pmu_release(struct pmc_pmu *pmu);
void pmc_call_on_cpu(int cpu, void (*function)(void *), void *data);
u64 pmc_rdpmc(u32 counter);
bool pmc_rdpmc_faults(u32 counter);

DECLARE_PER_CPU(struct pmc_pmu, pmc_pmus);
extern bool pmc_pmus_disabled;

#endif /* TEST_PMU_PMU_H */
