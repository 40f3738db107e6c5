/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations that the files of the PMU model share */
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

/** enum pmu_unit - the unit that an event counts in
 * @PMU_OCCURRENCES: each occurrence counts 1
 * @PMU_SLOTS: each occurrence counts the part's slots per cycle
 * @PMU_SLOTS_RETIRING: the same, less 1 for each taken branch
 */
enum pmu_unit { PMU_OCCURRENCES, PMU_SLOTS, PMU_SLOTS_RETIRING };

/** enum pmu_extra_register - a register that selects what an event counts
 * @PMU_NO_EXTRA_REGISTER: the event needs none
 * @PMU_OFFCORE_0: MSR_OFFCORE_RSP_0
 * @PMU_OFFCORE_1: MSR_OFFCORE_RSP_1
 * @PMU_LATENCY: MSR_PEBS_LD_LAT
 * @PMU_FRONTEND: MSR_PEBS_FRONTEND
 */
enum pmu_extra_register {
	PMU_NO_EXTRA_REGISTER, PMU_OFFCORE_0, PMU_OFFCORE_1, PMU_LATENCY, PMU_FRONTEND,
	PMU_NEXTRA_REGISTERS
};

/** struct pmu_extra_registers - the extra registers of a part
 * @writable: writable bits of each, by enum pmu_extra_register; 0 if the part does not have it
 * @shared: the logical processors of a core share MSR_OFFCORE_RSP_0 and 1
 * @any: the bit of these that selects any response
 * @hit: bits that select hits in the last-level cache
 * @miss: bits that select what comes from memory
 * @snoop: bits of which one must be set beside @hit or @miss; 0: none need be
 */
struct pmu_extra_registers {
	uint64_t writable[PMU_NEXTRA_REGISTERS];
	bool shared;
	uint64_t any, hit, miss, snoop;
};

/** struct pmu_event - one line of an event table
 * @code: event select in bits 7:0, unit mask in bits 15:8, unit mask 2 in bits 23:16;
 *	or NETBURST_CODE(), AMD_CODE()
 * @counters: a bit for each counter that can count it, 0 if all can
 * @duration: the event is a duration, in cycles
 * @stall: a duration for which @prims count cycles; it ends before the next step
 * @agents: unit mask bit 5 counts it for all processors
 * @masks: this number of unit mask bits select among @prims: bit i those at i,
 *	i + @masks, i + 2 * @masks and so on. 0: the unit mask is part of @code
 * @any_mask: the unit mask is ignored
 * @never: unit mask bits for what the emulator never does
 * @unit: what it is counted in
 * @extra_register: the register that selects among @prims
 * @name: name in the manual
 * @why: a remark for the printed table
 * @prims: enum pmu_prim, what it counts; PMU_NO_PRIM ends the list
 */
struct pmu_event {
	uint32_t code;
	uint16_t counters;
	bool duration;
	bool stall;
	bool agents;
	uint8_t masks;
	bool any_mask;
	uint8_t never;
	enum pmu_unit unit;
	enum pmu_extra_register extra_register;
	const char *name;
	const char *why;
	uint8_t prims[PMU_EVENT_PRIMS];	/* the last one is PMU_NO_PRIM */
};

#define PMU_AGENTS	0x20	/* unit mask bit, for an event with pmu_event.agents */

/** enum pmu_when - while how many processors of a group run a counter counts
 * @PMU_WHEN_ANY: one or more: always, because nothing occurs otherwise
 * @PMU_WHEN_SINGLE: exactly one
 * @PMU_WHEN_ALL: all
 * @PMU_WHEN_NONE: none: never
 */
enum pmu_when { PMU_WHEN_ANY, PMU_WHEN_SINGLE, PMU_WHEN_ALL, PMU_WHEN_NONE };

/** struct pmu_counter - one counter, independent of the family's registers
 * @value: within its width
 * @mask: one bits in its width
 * @prims: what it counts, as in struct pmu_event; NULL for nothing
 * @own_prims: storage for a list that @prims may point to
 * @factor: what each occurrence of @prims adds
 * @less: primitives that subtract 1 each, as in struct pmu_event; NULL for none. They never
 *	subtract more than @prims add
 * @privs: privileges in which it counts its own processor, a bit for each
 * @others: privileges in which it counts the other processors of its group
 * @intr: its overflow interrupts
 * @leak: what it counts goes to this counter instead, which is of the same group; NULL: to
 *	itself. Both are synchronised on each step or occurrence
 * @leaked: the counter with this one as its @leak, NULL if there is none
 * @force: every increment overflows, whatever the value
 * @close: it was written so close to its overflow that one with @intr is lost
 * @alarm: its next increment interrupts these processors of the group, a bit each
 * @late: its overflow may be detected late
 * @when: while which processors of the group run it counts
 * @wrapped: it wrapped, and the family has not been notified yet
 * @threshold: it counts steps on which a condition holds (CMASK, E), not occurrences
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
	struct pmu_counter *leak;
	const struct pmu_counter *leaked;
	bool force;
	bool close;
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

/** struct pmu_cache_shape - geometry of a cache or a TLB
 * @sets: number of sets
 * @ways: lines or pages of a set
 */
struct pmu_cache_shape {
	unsigned int sets;
	unsigned int ways;
};

/** struct pmu_structures - caches, TLBs and branch predictor of a part
 * @line: bytes of a cache line
 * @code: first-level code cache
 * @data: first-level data cache
 * @level2: no ways if there is none
 * @allocate: a write that misses @data allocates the line
 * @code_tlb: 4 KB pages
 * @code_tlb_large: large pages; no ways if they go into @code_tlb as 4 KB pages
 * @data_tlb: 4 KB pages
 * @data_tlb_large: large pages; no ways if they go into @data_tlb as 4 KB pages
 * @btb: branch target buffer
 * @history: number of last directions of a branch that its prediction depends on
 * @static_prediction: the decoder predicts branches that are not in the BTB
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

/** struct pmu_part - properties of a processor model that CPUID does not report
 * @family: display family
 * @model: display model
 * @name: for a log
 * @amd: AMD: matches all models of @family, and later families if it is the last one
 * @l3: matches the variant of this model that has an L3 cache
 * @full_width: IA32_PERF_CAPABILITIES.FW_WRITE
 * @fast_rdpmc: RDPMC has the 32-bit form
 * @rdpmc: RDPMC exists, in a family where only some models have it
 * @pin_control: bit 19 of an event select can be written
 * @core_type: CPUID.1AH:EAX of this core type, 0 if the model has a single core type
 * @general: version 6: a bit for each general counter in CPUID leaf 23H; 0: leaf 0AH is the
 *	only source
 * @fixed: version 6: a bit for each fixed counter in leaf 23H; before version 6: fixed
 *	counters in addition to those of leaf 0AH
 * @architectural: version 6: a bit for each architectural event in leaf 23H
 * @slots: pipeline slots per cycle
 * @metrics: fields of PERF_METRICS, 0 if it has none
 * @ras: entries of the return stack
 * @mmx: the Pentium with MMX technology: the rules of its pipes
 * @split: accesses of up to four bytes are split at multiples of four, not eight
 * @extra_registers: registers that some of its events need, NULL if there are none
 * @structures: NULL for textbook structures with CPUID's sizes
 * @events: its events other than the architectural ones
 * @nevents: number of @events
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
	bool mmx;
	bool split;
	const struct pmu_extra_registers *extra_registers;
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

/** struct pmu_quirks - errata and habits of real processors that the model reproduces
 * @tfa: TSX_FORCE_ABORT exists, and microcode uses general counter 3 until it is set
 * @aak100: a new event on a general counter miscounts unless the counters have been cleared
 * @hsd29: with two logical processors to a core, events D0H to D3H of general counters 0 to 3
 *	count in the other one's counter of the same number while it is enabled
 * @nomask: the local APIC does not mask LVTPC when it delivers an overflow interrupt
 * @mask: it does
 * @bdw47: general counters 4 to 7 count nothing without the OS bit
 * @storm: each overflow interrupt is followed by this number of others
 * @fix0: enabling fixed counter 0 in 38DH before 38FH adds to it
 * @status: each overflow interrupt sets status bits that are not the counters'
 * @late_ack: unmasking LVTPC before the overflow is acknowledged interrupts again
 * @iret: an IRET belongs to the privilege that it returns to
 * @mediated: the registers are cleared each time this number of steps has passed
 * @nordpmc: RDPMC faults, whatever its index
 * @any0: the registers read 0 and ignore writes; RDPMC faults
 * @migrate: steps from the first use of one of @migrate_counters until they fault; 0: never
 * @smi: instructions of an SMI handler, which comes each PMU_SMI_STEPS steps; 0: none comes
 * @zen1: with two or more counters enabled, every second overflow does not interrupt
 * @zero: a counter that is exactly 0 after its overflow was acknowledged interrupts again
 * @n15: a write of a NetBurst counter stores a wrong value unless it repeats the write before it
 * @migrate_counters: counters, as bits of the global MSRs
 * @minleft: an overflow that interrupts is lost if the counter was written with fewer events
 *	left than this; 0: none is
 */
struct pmu_quirks {
	bool tfa;
	bool aak100;
	bool hsd29;
	bool nomask;
	bool mask;
	bool bdw47;
	unsigned int storm;
	bool fix0;
	bool status;
	bool late_ack;
	bool iret;
	unsigned int mediated;
	unsigned int minleft;
	bool nordpmc;
	bool any0;
	unsigned int migrate;
	uint64_t migrate_counters;
	unsigned int smi;
	bool zen1;
	bool zero;
	bool n15;
};

/** struct pmu_options - PMCDRV_PMU, parsed
 * @none: no PMU
 * @xeon_l3: a 64-bit Xeon MP with L3 cache instead of the same model without
 * @perfmon_v2: AMD's PerfMonV2 on a processor with six counters
 * @width: bits of the general counters, 0 = the part's
 * @fixed_width: bits of the fixed counters, 0 = the part's
 * @version: of architectural performance monitoring, 0 = the part's
 * @late: instructions from an overflow to its interrupt (skid), 0 = none
 * @holes: a bit for each missing general counter of version 6
 * @hybrid: every second core is of the second core type
 * @other_width: bits of the second core type's counters, 0 = those of the first
 * @faulting: counters that CPUID enumerates although their registers fault, as bits of the
 *	global MSRs, or of those of PerfMonV2; bit 63: the MSRs that control all counters
 * @writes_ignored: writes to the PMU's registers have no effect (the option "deaf")
 * @acr: version 6 has auto counter reload
 * @acr_causes: counters that can cause a reload, as bits of the global MSRs; 0 = those
 *	that can be reloaded
 * @new_addresses: registers of version 6 that have a new address have only that one
 * @quirks: see struct pmu_quirks
 * @silicon: with the quirks of the processor
 * @dump: file for the final register contents
 * @trace: file for the register accesses
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
	struct pmu_quirks quirks;
	bool silicon;
	char *dump;
	char *trace;
};

/** struct pmu_family - operations of a family of counter hardware
 * @name: for a log
 * @user_cpl: lowest CPL that is PMU_USER
 * @lvtpc_stays: an interrupt does not mask the LVT performance entry
 * @recognise: whether the processor belongs to this family
 * @create: read CPUID and allocate each processor's state
 * @destroy: free the state
 * @reset: power-up and RESET
 * @cpuid: see pmu_cpuid()
 * @owns: whether this MSR belongs to the PMU
 * @check_rdmsr: PMU_OK or PMU_GP, for an MSR of the PMU
 * @rdmsr: its value; the counters are synchronised
 * @check_wrmsr: PMU_OK or PMU_GP, for an MSR of the PMU
 * @wrmsr: write it; the counters are synchronised
 * @check_rdpmc: whether the index selects a counter
 * @rdpmc: its value; the counters are synchronised
 * @wrapped: this counter wrapped; may be NULL
 * @interrupt: one or more counters with interrupt enabled wrapped; may be NULL
 * @clear: clear the registers, as another user of them does; may be NULL. The counters are
 *	synchronised
 * @migrate: the counters of the option migrate stop to exist; may be NULL. All counters are
 *	synchronised
 * @freezes_smm: whether the counters stand still in system management mode; NULL: they do not
 * @interrupt_again: the option zero: request the interrupt of counters that are still 0;
 *	may be NULL. The counters are synchronised
 * @dump: write all registers as text
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
	void (*clear)(struct pmu_cpu *c);
	void (*migrate)(struct pmu *pmu);
	bool (*freezes_smm)(const struct pmu_cpu *c);
	void (*interrupt_again)(struct pmu_cpu *c);
	void (*dump)(struct pmu_cpu *c, FILE *file);
};

/* All branches. */
#define PMU_BRANCHES	PMU_BR_COND_TAKEN, PMU_BR_COND_NTAKEN, PMU_BR_JMP, PMU_BR_JMP_IND, \
			PMU_BR_CALL, PMU_BR_CALL_IND, PMU_BR_RET, PMU_BR_FAR, PMU_BR_INT
#define PMU_MISPREDICTED	PMU_MISP_COND, PMU_MISP_IND, PMU_MISP_RET

/* Branches that jump; each loses one slot. */
#define PMU_NEAR_TAKEN	PMU_BR_COND_TAKEN, PMU_BR_JMP, PMU_BR_JMP_IND, \
			PMU_BR_CALL, PMU_BR_CALL_IND, PMU_BR_RET
#define PMU_FAR		PMU_BR_FAR, PMU_BR_INT
#define PMU_TAKEN	PMU_NEAR_TAKEN, PMU_FAR

struct pmu_caches;
struct pmu_mesi;
struct pmu_predictor;
struct pmu_btb;
struct pmu_tlbs;
struct pmu_pipes;

struct pmu {
	struct pmu_machine machine;
	struct {
		bool intel;
		bool amd;
		unsigned int family, model;	/* display family and model */
		bool l3;			/* NetBurst with a third-level cache */
	} cpu_is;
	struct pmu_options options;
	const struct pmu_family *family;
	const struct pmu_part *part;
	void *state;			/* the family's state */
	unsigned int group;		/* number of processors that share events */
	struct pmu_cpu *cpu;
	struct pmu_caches *caches;	/* created on first use */
	struct pmu_mesi *mesi;		/* created on first use, instead of caches */
	struct pmu_predictor **predictor; /* one for each processor, created on first use */
	struct pmu_btb **btb;		/* the same, instead of predictor */
	struct pmu_tlbs **tlbs;		/* one for each processor, created on first use */
	struct pmu_pipes **pipes;	/* the same */
	FILE *trace;
	char name[64];
};

extern const struct pmu_family pmu_arch, pmu_p5, pmu_p6, pmu_netburst, pmu_amd,
	pmu_absent;

/* pmu.c */
void pmu_interrupt(struct pmu_cpu *c);
void pmu_request(struct pmu_cpu *c);
void pmu_set_want(struct pmu_cpu *c, unsigned int want);
void pmu_cpuid_raw(const struct pmu *pmu, uint32_t leaf, uint32_t subleaf,
		   uint32_t regs[4]);
bool pmu_is_intel(const struct pmu *pmu, unsigned int family);
__attribute__((format(printf, 2, 3)))
void pmu_trace(const struct pmu *pmu, const char *format, ...);

/* pmu_count.c */
struct pmu_cpu *pmu_sibling(const struct pmu_cpu *c);
unsigned int pmu_privs(bool os, bool usr);
void pmu_counters_stop(struct pmu_cpu *c);
void pmu_counter_set(struct pmu_cpu *c, struct pmu_counter *n, bool on);
void pmu_counters_update(struct pmu_cpu *c);
void pmu_counters_sync(struct pmu_cpu *c);
void pmu_counters_halt(struct pmu_cpu *c);
void pmu_group_sync(struct pmu_cpu *c);

/** struct pmu_prim_info - properties of a primitive; see PMU_PRIMITIVES()
 * @want: PMU_WANT_* reports that it needs
 * @bounded: it occurs at most once on a step
 * @modelled: it depends on a cache, a TLB, a predictor or the pipes
 * @what: description
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

#define PMU_STORM_STEPS	64	/* between the interrupts of the option storm */
#define PMU_SMI_STEPS	100000	/* between the ends and beginnings of the option smi's handlers */
#define PMU_ZERO_STEPS	64	/* from an acknowledgment to the interrupt of the option zero */

/* pmu_quirks.c */
void pmu_quirks_list(char *text, size_t size);
bool pmu_quirks_option(struct pmu_quirks *q, const char *key, const char *value, int *result);
void pmu_quirks_silicon(struct pmu *pmu);
void pmu_quirks_reset(struct pmu_cpu *c);
unsigned int pmu_quirks_pass(struct pmu_cpu *c, uint64_t steps);
void pmu_quirks_migration(struct pmu_cpu *c);
void pmu_quirks_happen(struct pmu_cpu *c, unsigned int due);
int pmu_quirks_check(const struct pmu *pmu, char *error, size_t size);

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
unsigned int pmu_caches_lookup(struct pmu_caches *h, unsigned int cpu, bool fetch, uint64_t line);
unsigned int pmu_caches_levels(const struct pmu_caches *h);
void pmu_caches_flush(struct pmu_caches *h);
void pmu_caches_flush_line(struct pmu_caches *h, uint64_t line);
unsigned int pmu_caches_line_size(const struct pmu_caches *h);

/* pmu_mesi.c */
void pmu_mesi_destroy(struct pmu_mesi *m);
void pmu_mesi_data(struct pmu_cpu *c, unsigned int priv, uint64_t addr,
		   bool write, bool write_through);
void pmu_mesi_fetch(struct pmu_cpu *c, unsigned int priv, uint64_t addr);
void pmu_bus_data(struct pmu_cpu *c, unsigned int priv, bool driven, unsigned int clocks);
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

/* pmu_pipes.c */
void pmu_pipes_destroy(struct pmu_pipes *p);
void pmu_pipes_reset(struct pmu_cpu *c);
void pmu_pipes_start(struct pmu_cpu *c, const struct pmu_insn *i);
void pmu_pipes_retire(struct pmu_cpu *c, unsigned int priv);
void pmu_pipes_data(struct pmu_cpu *c, const struct pmu_access *a);
bool pmu_pipes_in_v(const struct pmu_cpu *c);

/* pmu_predictor.c */
struct pmu_predictor *pmu_predictor_create(const struct pmu_part *part);
void pmu_predictor_destroy(struct pmu_predictor *p);
bool pmu_predict(struct pmu_predictor *p, enum pmu_prim kind, uint64_t from,
		 uint64_t to);

#endif /* PMU_INT_H */
