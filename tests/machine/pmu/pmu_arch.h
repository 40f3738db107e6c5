/* SPDX-License-Identifier: GPL-2.0-only */
/* State of architectural performance monitoring, versions 1 to 6 */
#ifndef PMU_ARCH_H
#define PMU_ARCH_H

#include "pmu_regs.h"

#define ARCH_FIXED_BIT		32u	/* fixed counter 0 in the global MSRs */
#define ARCH_CONTROL_BIT	63u	/* the control MSRs, in the option faulting= */
#define ARCH_BITS		(ARCH_FIXED_BIT + ARCH_MAX_FIXED)
#define ARCH_METRICS_BIT	48u	/* PERF_METRICS in the global MSRs */
#define ARCH_SLOTS		3u	/* the fixed counter of slots */
#define ARCH_NO_SLOTS		(~0ull)	/* no counter has this value */

/* The fields of PERF_METRICS: SDM Vol. 4, 329H. */
enum arch_category {
	ARCH_RETIRING, ARCH_BAD_SPECULATION, ARCH_FRONTEND_BOUND, ARCH_BACKEND_BOUND,
	ARCH_HEAVY_OPERATIONS, ARCH_BRANCH_MISPREDICTS, ARCH_FETCH_LATENCY,
	ARCH_MEMORY_BOUND, ARCH_CATEGORIES
};

/*
 * IA32_PERFEVTSELx: SDM Vol. 3B "Architectural Performance Monitoring Version 1
 * Facilities", figure of its layout; ANY: "... Version 3".
 */
#define SEL_CODE	0xffffu
#define SEL_USR		BIT64(16)
#define SEL_OS		BIT64(17)
#define SEL_EDGE	BIT64(18)
#define SEL_PC		BIT64(19)
#define SEL_INT		BIT64(20)
#define SEL_ANY		BIT64(21)
#define SEL_EN		BIT64(22)
#define SEL_INV		BIT64(23)
#define SEL_CMASK(v)	((v) >> 24 & 0xff)
#define SEL_EQUAL	BIT64(36)	/* version 6, as is UMASK2 */
#define SEL_UMASK2	0xff0000000000ull
#define SEL_ALL		0xffffffffull

/* IA32_FIXED_CTR_CTRL, four bits for each counter: same, "... Version 2" and 3. */
#define FIXED_OS	0x1u
#define FIXED_USR	0x2u
#define FIXED_ANY	0x4u
#define FIXED_PMI	0x8u

/* IA32_PERF_GLOBAL_STATUS: same, "... Version 4", and Vol. 4, table
 * "IA-32 Architectural MSRs", 38EH.
 */
#define STATUS_TOPA	BIT64(55)
#define STATUS_LBR_FRZ	BIT64(58)
#define STATUS_CTR_FRZ	BIT64(59)
#define STATUS_ASCI	BIT64(60)
#define STATUS_UNCORE	BIT64(61)
#define STATUS_DS	BIT64(62)
#define STATUS_COND	BIT64(63)

/* IA32_PMC_GPn_CFG_C and FXn; bits 63:32 belong to architectural PEBS. */
#define RELOAD_VALUE	0xffffffffull

/* IA32_TSX_FORCE_ABORT: Intel document 604224. */
#define TFA_RTM_FORCE_ABORT	BIT64(0)

/* IA32_DEBUGCTL: Vol. 4, same table, 1D9H. */
#define DEBUG_FREEZE_PERFMON	BIT64(12)
#define DEBUG_FREEZE_SMM	BIT64(14)

struct arch;

/** struct arch_clearing - progress of the workaround for AAK100
 * @event: event and unit mask that each general counter was programmed with last
 * @armed: the codes of the workaround have been enabled in all counters
 * @cleared: counters that may be programmed with a new event, a bit each
 * @stale: counters that were programmed without having been cleared, a bit each
 */
struct arch_clearing {
	uint32_t event[ARCH_MAX_GENERAL];
	bool armed;
	uint32_t cleared;
	uint32_t stale;
};

/** struct arch_cpu - the registers of one logical processor
 * @core_type: its core type
 * @general: IA32_PMCx
 * @fixed: IA32_FIXED_CTRx
 * @select: IA32_PERFEVTSELx
 * @fixed_ctrl: IA32_FIXED_CTR_CTRL
 * @global_ctrl: IA32_PERF_GLOBAL_CTRL
 * @status: IA32_PERF_GLOBAL_STATUS
 * @debugctl: IA32_DEBUGCTL
 * @force_abort: IA32_TSX_FORCE_ABORT, with the option tfa
 * @extra_register: the registers of enum pmu_extra_register
 * @unacknowledged: status bits of counters that interrupted, until they are cleared
 * @zero: counters that overflowed, interrupted and were acknowledged, with the option zero
 * @clearing: see struct arch_clearing; used with the option aak100
 * @causes: IA32_PMC_GPn_CFG_B and IA32_PMC_FXn_CFG_B, by the counter's bit in the global
 *	MSRs: a bit each for the counters that reload this one by their overflow
 * @reload: IA32_PMC_GPn_CFG_C and IA32_PMC_FXn_CFG_C, by the same bit: the reload value
 * @category: slots of each field of PERF_METRICS except retiring, by enum arch_category
 * @metrics: PERF_METRICS as written last
 * @metrics_slots: fixed counter 3 at that write; ARCH_NO_SLOTS once it has been written since
 */
struct arch_cpu {
	const struct arch *core_type;
	struct pmu_counter general[ARCH_MAX_GENERAL];
	struct pmu_counter fixed[ARCH_MAX_FIXED];
	uint64_t select[ARCH_MAX_GENERAL];
	uint64_t fixed_ctrl;
	uint64_t global_ctrl;
	uint64_t status;
	uint64_t debugctl;
	uint64_t force_abort;
	uint64_t extra_register[PMU_NEXTRA_REGISTERS];
	uint64_t unacknowledged;
	uint64_t zero;
	struct arch_clearing clearing;
	uint64_t causes[ARCH_BITS];
	uint64_t reload[ARCH_BITS];
	struct pmu_counter category[ARCH_CATEGORIES];
	uint64_t metrics;
	uint64_t metrics_slots;
};

/** struct arch - CPUID leaves 0AH and 23H of one core type
 * @part: properties that CPUID does not report
 * @version: of architectural performance monitoring
 * @enumerated: the counters in CPUID, as bits of the global MSRs; @general and @fixed are
 *	those that exist
 * @general: a bit for each general counter
 * @width: of the general counters
 * @fixed: a bit for each fixed counter
 * @fixed_width: of the fixed counters
 * @control: the MSRs that control all counters exist
 * @architectural: a bit for each architectural event
 * @any_thread: the ANY bits can be set
 * @capabilities: IA32_PERF_CAPABILITIES exists (CPUID.01H:ECX.PDCM)
 * @freezes_smm: IA32_DEBUGCTL has FREEZE_WHILE_SMM
 * @metrics: number of fields of PERF_METRICS, 0 if it does not exist
 * @leaf: 0AH: EAX, EBX, ECX, EDX
 * @debugctl: writable bits of IA32_DEBUGCTL
 * @status: writable bits of IA32_PERF_GLOBAL_STATUS
 * @reloadable: counters that can be reloaded, as bits of the global MSRs
 * @causes: counters that can cause a reload, as bits of the global MSRs
 */
struct arch {
	const struct pmu_part *part;
	unsigned int version;
	uint64_t enumerated;
	uint32_t general;
	unsigned int width;
	uint32_t fixed;
	unsigned int fixed_width;
	bool control;
	uint32_t architectural;
	bool any_thread;
	bool capabilities;
	bool freezes_smm;
	unsigned int metrics;
	uint32_t leaf[4];
	uint64_t debugctl;
	uint64_t status;
	uint64_t reloadable;
	uint64_t causes;
};

#define ARCH_MAX_CORE_TYPES	2u

/** struct arch_core_types - the core types of a machine, which alternate
 * @core_type: each core type
 * @n: their number
 */
struct arch_core_types {
	struct arch core_type[ARCH_MAX_CORE_TYPES];
	unsigned int n;
};

static inline struct arch_cpu *arch_cpu_of(const struct pmu_cpu *c)
{
	return (struct arch_cpu *)c->state;
}

static inline const struct arch *arch_of(const struct pmu_cpu *c)
{
	return arch_cpu_of(c)->core_type;
}

/* The counters that exist, as bits of the global MSRs. */
static inline uint64_t arch_counters(const struct arch *a)
{
	return a->general | (uint64_t)a->fixed << ARCH_FIXED_BIT;
}

/* The same and PERF_METRICS: the enable bits. */
static inline uint64_t arch_enables(const struct arch *a)
{
	return arch_counters(a) | (a->metrics ? BIT64(ARCH_METRICS_BIT) : 0);
}

/* Sign-extend 32 bits. */
static inline uint64_t arch_extend(uint64_t value)
{
	return (uint64_t)(int64_t)(int32_t)value;
}

/* pmu_arch_cpuid.c */
void arch_read_cpuid(const struct pmu *pmu, struct arch *a, const struct pmu_part *part);
void arch_remove(struct arch *a, uint64_t counters);
int arch_check_options(const struct pmu *pmu, char *error, size_t size);
void arch_cpuid(const struct pmu_cpu *c, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/* pmu_arch_extra.c */
bool arch_is_extra_register(const struct arch *a, uint32_t msr);
uint64_t *arch_extra_register_at(struct pmu_cpu *c, uint32_t msr);
uint64_t arch_extra_register_bits(const struct arch *a, uint32_t msr);
void arch_write_extra_register(struct pmu_cpu *c, uint32_t msr, uint64_t value);
void arch_extra_register_event(const struct arch_cpu *s, struct pmu_counter *n,
			       const struct pmu_event *event);

/* pmu_arch_metrics.c */
uint64_t arch_metrics_bits(const struct arch *a);
uint64_t arch_metrics(const struct arch_cpu *s);
void arch_write_metrics(struct arch_cpu *s, uint64_t value);

/* pmu_arch_quirks.c */
void arch_quirk_general(struct pmu_cpu *c, unsigned int i);
void arch_quirk_interrupt(struct pmu_cpu *c);
bool arch_quirk_freezes_smm(const struct pmu_cpu *c);
void arch_quirk_zero(struct pmu_cpu *c);
void arch_quirk_acknowledge(struct pmu_cpu *c, uint64_t bits);
void arch_quirk_leaks(struct pmu_cpu *c);
void arch_quirk_select(struct pmu_cpu *c, unsigned int i);
void arch_quirk_global_ctrl(struct pmu_cpu *c, uint64_t before);
void arch_quirk_migration(struct pmu_cpu *c);
void arch_disable_missing(struct arch_cpu *s);
void arch_quirk_cpuid(const struct pmu_cpu *c, uint32_t leaf, uint32_t subleaf, uint32_t regs[4]);

/* pmu_arch_count.c */
void arch_update(struct pmu_cpu *c);
void arch_wrapped(struct pmu_cpu *c, struct pmu_counter *n);
void arch_interrupt(struct pmu_cpu *c);

#endif /* PMU_ARCH_H */
