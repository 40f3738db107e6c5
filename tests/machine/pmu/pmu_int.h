/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the PMU model share among themselves. */
#ifndef PMU_INT_H
#define PMU_INT_H

#include <stdio.h>

#include "pmu.h"

#define BIT64(n)	(1ull << (n))
#define MASK64(n)	((n) >= 64 ? ~0ull : BIT64(n) - 1)
#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

#define PMU_EVENT_PRIMS	16
#define PMU_CODE(event, umask)	((umask) << 8 | (event))
#define PMU_CODE2(event, umask, umask2) ((umask2) << 16 | PMU_CODE(event, umask))

/** enum pmu_unit - what an event is counted in
 * @PMU_OCCURRENCES: each occurrence is one
 * @PMU_SLOTS: each occurrence is as many as the part has slots to a cycle
 * @PMU_SLOTS_RETIRING: likewise, less one for each taken branch
 */
enum pmu_unit { PMU_OCCURRENCES, PMU_SLOTS, PMU_SLOTS_RETIRING };

/** struct pmu_event - one line of an event table
 * @code: event select in bits 7:0, unit mask in bits 15:8, unit mask 2 in bits 23:16;
 *	NETBURST_CODE(), AMD_CODE()
 * @counters: a bit for each counter that can count it, 0 if all can
 * @duration: it is a duration: its own unit is the cycle
 * @agents: unit mask bit 5 counts it for all processors
 * @masks: so many bits of the unit mask choose among @prims: bit i those at i,
 *	i + @masks, i + 2 * @masks and so on. 0: the unit mask is part of the code
 * @any_mask: whatever the unit mask is
 * @never: bits of the unit mask for what does not occur here
 * @unit: what it is counted in
 * @name: the manual's
 * @why: a remark for the documentation
 * @prims: enum pmu_prim, what it counts; PMU_NO_PRIM ends the list
 */
struct pmu_event {
	uint32_t code;
	uint8_t counters;
	bool duration;
	bool agents;
	uint8_t masks;
	bool any_mask;
	uint8_t never;
	enum pmu_unit unit;
	const char *name;
	const char *why;
	uint8_t prims[PMU_EVENT_PRIMS];	/* the last one is PMU_NO_PRIM */
};

#define PMU_AGENTS	0x20	/* of a unit mask, if pmu_event.agents */

/** enum pmu_when - how many of a group of processors have to run
 * @PMU_WHEN_ANY: one or more: always, as nothing occurs otherwise
 * @PMU_WHEN_SINGLE: one
 * @PMU_WHEN_ALL: all
 * @PMU_WHEN_NONE: none: never
 */
enum pmu_when { PMU_WHEN_ANY, PMU_WHEN_SINGLE, PMU_WHEN_ALL, PMU_WHEN_NONE };

/** struct pmu_counter - one counter, whatever its registers look like
 * @value: within its width
 * @mask: ones in its width
 * @prims: what it counts, as in struct pmu_event; NULL for nothing
 * @own: room for a @prims of its own
 * @factor: how often it counts each
 * @less: what is taken off that, once each, as in struct pmu_event; NULL for nothing. No more
 *	than @factor of it occur with what is counted
 * @privs: privileges in which it counts its own processor, a bit for each
 * @others: and the others of its group
 * @intr: its overflow interrupts
 * @force: every increment overflows, whatever the value
 * @alarm: its next increment interrupts these processors of the group, a bit each
 * @late: its wrap may be noticed late
 * @when: while which processors of the group run it counts
 * @wrapped: it did, and its family does not know yet
 * @threshold: it counts steps by a condition (CMASK, E), not occurrences
 * @cmask: CMASK
 * @inv: INV
 * @equal: EQ
 * @edge: E
 * @active: it counts
 * @asserted: the condition held on the last step
 */
struct pmu_counter {
	uint64_t value;
	uint64_t mask;
	const uint8_t *prims;
	uint8_t own_prims[PMU_EVENT_PRIMS + 1];
	unsigned int factor;
	const uint8_t *less;
	unsigned int privs;
	unsigned int others;
	bool intr;
	bool force;
	unsigned int alarm;
	bool late;
	enum pmu_when when;
	bool wrapped;
	bool threshold;
	unsigned int cmask;
	bool inv;
	bool equal;
	bool edge;
	bool active;
	bool asserted;
};

/** struct pmu_cache_shape - a cache or a TLB
 * @sets: of lines or pages
 * @ways: lines or pages of each
 */
struct pmu_cache_shape {
	unsigned int sets;
	unsigned int ways;
};

/** struct pmu_structures - caches, TLBs and branch predictor of a part
 * @line: bytes of a line
 * @code: first-level cache
 * @data: first-level cache
 * @level2: no ways if there is none
 * @allocate: a write that misses @data brings the line in
 * @code_tlb: 4 KB pages
 * @code_tlb_large: no ways if large pages go into @code_tlb, by 4 KB
 * @data_tlb: 4 KB pages
 * @data_tlb_large: likewise
 * @btb: branch target buffer
 * @history: last directions of a branch that its prediction depends on
 * @static_prediction: the decoder predicts what is not in the BTB
 * @ras: entries of the return stack, 0 if returns are in the BTB
 */
struct pmu_structures {
	unsigned int line;
	struct pmu_cache_shape code, data, level2;
	bool allocate;
	struct pmu_cache_shape code_tlb, code_tlb_large;
	struct pmu_cache_shape data_tlb, data_tlb_large;
	struct pmu_cache_shape btb;
	unsigned int history;
	bool static_prediction;
	unsigned int ras;
};

/** struct pmu_part - what CPUID does not tell of a processor
 * @family: display family
 * @model: display model
 * @name: for a log
 * @amd: AMD's: of all models of @family; of later families too, if it is the last one
 * @l3: the one of this model that has an L3 cache
 * @full_width: IA32_PERF_CAPABILITIES.FW_WRITE
 * @fast_rdpmc: RDPMC has the 32-bit form
 * @rdpmc: RDPMC is there, in a family where it need not
 * @pin_control: bit 19 of an event select can be written
 * @kind: CPUID.1AH:EAX of the one of two kinds of core of this model, 0 if it has one
 * @general: of version 6: general counters as CPUID leaf 23H tells, a bit each; 0 if leaf
 *	0AH is all that is known
 * @fixed: fixed counters, likewise; before version 6 those there are beside leaf 0AH's
 * @architectural: of version 6: architectural events, likewise
 * @slots: pipeline slots to a cycle
 * @metrics: fields of PERF_METRICS, 0 if it has none
 * @ras: entries of the return stack
 * @split: accesses of up to four bytes are split at multiples of four, not eight
 * @structures: NULL for textbook ones of CPUID's sizes
 * @events: its own events, beside the architectural ones
 * @nevents: how many
 */
struct pmu_part {
	unsigned int family;
	unsigned int model;
	const char *name;
	bool amd;
	bool l3;
	bool full_width;
	bool fast_rdpmc;
	bool rdpmc;
	bool pin_control;
	uint32_t core_type;
	uint32_t general, fixed, architectural;
	unsigned int slots;
	unsigned int metrics;
	unsigned int ras;
	bool split;
	const struct pmu_structures *structures;
	const struct pmu_event *events;
	size_t nevents;
};

#define PMU_EVENTS(t)	.events = (t), .nevents = ARRAY_LEN(t)

/** struct pmu_part_list - the parts of a family
 * @parts: the parts
 * @n: how many
 */
struct pmu_part_list {
	const struct pmu_part *parts;
	size_t n;
};

extern const struct pmu_part_list pmu_p5_parts, pmu_p6_parts, pmu_netburst_parts,
	pmu_amd_parts;

/** struct pmu_options - PMCDRV_PMU, taken apart
 * @none: no PMU
 * @xeon_l3: a 64-bit Xeon MP with its L3 cache instead of what has none
 * @perfmon_v2: AMD's PerfMonV2 on a processor that has six counters
 * @width: of the general counters, 0 = the part's
 * @fixed_width: of the fixed counters, 0 = the part's
 * @version: of architectural performance monitoring, 0 = the part's
 * @late: instructions from an overflow to its interrupt, as on hardware
 * @holes: general counters of version 6 that are missing, a bit each
 * @hybrid: every second core is of the other kind
 * @other_width: how many bits that kind's counters have, 0 for as many as the first's
 * @faulting: counters that CPUID tells of and whose registers fault, as bits of the global
 *	MSRs; bit 63: the MSRs that control all of them
 * @deaf: what is written to a register has no effect
 * @acr: version 6 has auto counter reload
 * @acr_causes: these counters can cause a reload, as bits of the global MSRs; 0 = those
 *	that can be reloaded
 * @new_addresses: the registers of version 6 that have new addresses have no older ones
 * @dump: file for the registers at the end
 * @trace: file for the accesses
 */
struct pmu_options {
	bool none;
	bool xeon_l3;
	bool perfmon_v2;
	unsigned int width;
	unsigned int fixed_width;
	unsigned int version;
	unsigned int late;
	uint64_t holes;
	bool hybrid;
	unsigned int other_width;
	uint64_t faulting;
	bool writes_ignored;
	bool acr;
	uint64_t acr_causes;
	bool new_addresses;
	char *dump;
	char *trace;
};

/** struct pmu_family - a kind of counter hardware
 * @name: for a log
 * @user_cpl: the lowest CPL that is PMU_USER
 * @lvtpc_stays: an interrupt does not mask the LVT performance entry
 * @recognise: is it this processor's?
 * @create: read CPUID, make the state of each processor
 * @destroy: free it
 * @reset: power-up and RESET
 * @cpuid: as pmu_cpuid()
 * @owns: is this MSR the PMU's?
 * @check_rdmsr: PMU_OK or PMU_GP for an owned one
 * @rdmsr: its value, counters being up to date
 * @check_wrmsr: PMU_OK or PMU_GP for an owned one
 * @wrmsr: write it, counters being up to date
 * @check_rdpmc: does the index name a counter?
 * @rdpmc: its value, counters being up to date
 * @wrapped: this counter wrapped; may be NULL
 * @interrupt: one or more wrapped that interrupt; may be NULL
 * @dump: all registers as text
 */
struct pmu_family {
	const char *name;
	unsigned int user_cpl;
	bool lvtpc_stays;
	bool (*recognise)(const struct pmu *pmu);
	int (*create)(struct pmu *pmu, char *error, size_t size);
	void (*destroy)(struct pmu *pmu);
	void (*reset)(struct pmu_cpu *c);
	void (*cpuid)(const struct pmu_cpu *c, uint32_t leaf, uint32_t subleaf,
		      uint32_t regs[4]);
	bool (*owns)(const struct pmu *pmu, uint32_t msr);
	enum pmu_result (*check_rdmsr)(struct pmu_cpu *c, uint32_t msr);
	uint64_t (*rdmsr)(struct pmu_cpu *c, uint32_t msr, uint64_t value);
	enum pmu_result (*check_wrmsr)(struct pmu_cpu *c, uint32_t msr,
				       uint64_t value);
	void (*wrmsr)(struct pmu_cpu *c, uint32_t msr, uint64_t value);
	enum pmu_result (*check_rdpmc)(struct pmu_cpu *c, uint32_t index);
	uint64_t (*rdpmc)(struct pmu_cpu *c, uint32_t index);
	void (*wrapped)(struct pmu_cpu *c, struct pmu_counter *n);
	void (*interrupt)(struct pmu_cpu *c);
	void (*dump)(struct pmu_cpu *c, FILE *file);
};

/* Every branch there is. */
#define PMU_BRANCHES	PMU_BR_COND_TAKEN, PMU_BR_COND_NTAKEN, PMU_BR_JMP, PMU_BR_JMP_IND, \
			PMU_BR_CALL, PMU_BR_CALL_IND, PMU_BR_RET, PMU_BR_FAR, PMU_BR_INT
#define PMU_MISPREDICTED	PMU_MISP_COND, PMU_MISP_IND, PMU_MISP_RET

/* Those of them that go elsewhere; behind each a slot is lost. */
#define PMU_NEAR_TAKEN	PMU_BR_COND_TAKEN, PMU_BR_JMP, PMU_BR_JMP_IND, \
			PMU_BR_CALL, PMU_BR_CALL_IND, PMU_BR_RET
#define PMU_FAR		PMU_BR_FAR, PMU_BR_INT
#define PMU_TAKEN	PMU_NEAR_TAKEN, PMU_FAR

struct pmu_caches;
struct pmu_mesi;
struct pmu_predictor;
struct pmu_btb;
struct pmu_tlbs;

struct pmu {
	struct pmu_machine machine;
	struct {
		bool intel;
		bool amd;
		unsigned int family, model;	/* displayed ones */
		bool l3;			/* NetBurst's: with a cache of level 3 */
	} cpu_is;
	struct pmu_options options;
	const struct pmu_family *family;
	const struct pmu_part *part;
	void *state;			/* the family's */
	unsigned int group;		/* processors that see one another's events */
	struct pmu_cpu *cpu;
	struct pmu_caches *caches;	/* made when first wanted */
	struct pmu_mesi *mesi;		/* or this */
	struct pmu_predictor **predictor; /* one a processor, likewise */
	struct pmu_btb **btb;		/* or this */
	struct pmu_tlbs **tlbs;		/* one a processor, likewise */
	FILE *trace;
	char name[64];
};

extern const struct pmu_family pmu_arch, pmu_p5, pmu_p6, pmu_netburst, pmu_amd,
	pmu_absent;

/* pmu.c */
void pmu_request(struct pmu_cpu *c);
void pmu_set_want(struct pmu_cpu *c, unsigned int want);
void pmu_cpuid_raw(const struct pmu *pmu, uint32_t leaf, uint32_t subleaf,
		   uint32_t regs[4]);
bool pmu_is_intel(const struct pmu *pmu, unsigned int family);
__attribute__((format(printf, 2, 3)))
void pmu_trace(const struct pmu *pmu, const char *format, ...);

/* pmu_count.c */
unsigned int pmu_privs(bool os, bool usr);
void pmu_counters_stop(struct pmu_cpu *c);
void pmu_counter_set(struct pmu_cpu *c, struct pmu_counter *n, bool on);
void pmu_counters_update(struct pmu_cpu *c);
void pmu_counters_sync(struct pmu_cpu *c);
void pmu_counters_halt(struct pmu_cpu *c);
void pmu_group_sync(struct pmu_cpu *c);

/** struct pmu_prim_info - what there is to know of a primitive
 * @want: what the machine is to tell
 * @bounded: it occurs at most once on a step
 * @modelled: it depends on a cache, a TLB or a predictor
 * @what: in words
 */
struct pmu_prim_info {
	unsigned int want;
	bool bounded;
	bool modelled;
	const char *what;
};

extern const struct pmu_prim_info pmu_prims[PMU_NPRIM];

/* pmu_machine.c */
void pmu_rare(struct pmu_cpu *c, unsigned int priv, enum pmu_prim prim,
	      unsigned int n);

/* pmu_options.c */
int pmu_options_parse(struct pmu_options *o, const char *text, char *error,
		      size_t size);
void pmu_options_free(struct pmu_options *o);

/* pmu_netburst_l3.c */
bool pmu_netburst_has_l3(const struct pmu *pmu);

/* pmu_amd.c */
bool pmu_amd_has_core_extension(const struct pmu *pmu);

/* pmu_part.c */
const struct pmu_part *pmu_part_number(size_t number);
const struct pmu_part *pmu_part_find(const struct pmu *pmu);
const struct pmu_part *pmu_part_other_core_type(const struct pmu *pmu);
const struct pmu_event *pmu_part_event(const struct pmu_part *part,
				       uint32_t code, unsigned int counter);
void pmu_counter_event(struct pmu_counter *n, const struct pmu_event *event,
		       uint32_t code);
extern const uint8_t pmu_taken[];
void pmu_counter_unit(struct pmu_counter *n, const struct pmu_event *event,
		      const struct pmu_part *part);

/* pmu_cache.c */
struct pmu_caches *pmu_caches_create(const struct pmu *pmu);
void pmu_caches_destroy(struct pmu_caches *h);
bool pmu_caches_lookup(struct pmu_caches *h, unsigned int cpu, bool fetch,
		       uint64_t line, bool *missed);
void pmu_caches_flush(struct pmu_caches *h);
void pmu_caches_flush_line(struct pmu_caches *h, uint64_t line);
unsigned int pmu_caches_line_size(const struct pmu_caches *h);

/* pmu_mesi.c */
void pmu_mesi_destroy(struct pmu_mesi *m);
void pmu_mesi_data(struct pmu_cpu *c, unsigned int priv, uint64_t addr,
		   bool write, bool write_through);
void pmu_mesi_fetch(struct pmu_cpu *c, unsigned int priv, uint64_t addr);
void pmu_mesi_flush(struct pmu_cpu *c, bool write_back);

/* pmu_tlb.c */
void pmu_tlbs_destroy(struct pmu_tlbs *t);
bool pmu_tlb_missed(struct pmu_cpu *c, bool code, uint64_t linear,
		    const struct pmu_page *page);
void pmu_tlbs_flush(struct pmu_tlbs *t, enum pmu_flush what, uint64_t linear);

/* pmu_btb.c */
void pmu_btb_destroy(struct pmu_btb *b);
void pmu_btb_branch(struct pmu_cpu *c, unsigned int priv, enum pmu_prim kind,
		    uint64_t from, uint64_t to);

/* pmu_predictor.c */
struct pmu_predictor *pmu_predictor_create(const struct pmu_part *part);
void pmu_predictor_destroy(struct pmu_predictor *p);
bool pmu_predict(struct pmu_predictor *p, enum pmu_prim kind, uint64_t from,
		 uint64_t to);

#endif /* PMU_INT_H */
