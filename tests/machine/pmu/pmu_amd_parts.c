// SPDX-License-Identifier: GPL-2.0-only
/*
 * AMD's families: structures and tables of events
 *
 * Events: the appendix of "AMD Athlon Processor x86 Code Optimization" for K7, the lists of
 * libpfm4 for K8 to 17H. Without a source (from memory): sizes of caches, TLBs and predictors,
 * and that the following rule for exceptions and interrupts holds from K8 to 15H too.
 *
 * Retired instructions include exceptions and interrupts up to family 15H; branches, taken
 * branches, far transfers and mispredictions include them in all families.
 */
#include "pmu_amd.h"

#define ALL	0
#define PMC20	0x07u	/* counters 2 to 0: family 15H */

/* An event without unit masks: the field is ignored. */
#define COUNT(event, ctrs, what, ...) \
	{ AMD_CODE(event, 0), .counters = (ctrs), .any_mask = true, .name = (what), \
	  .prims = { __VA_ARGS__ } }
#define NONE(event, ctrs, what, reason) \
	{ AMD_CODE(event, 0), .counters = (ctrs), .any_mask = true, .name = (what), \
	  .why = (reason) }
/* An event with unit masks; the bits in @zero stand for what the emulator never does. */
#define MASK(event, umask, zero, ctrs, what, ...) \
	{ AMD_CODE(event, umask), .counters = (ctrs), .never = (zero), .name = (what), \
	  .prims = { __VA_ARGS__ } }

#define NO_UOPS		"there are no micro-ops"
#define NO_RESYNC	"nothing is executed ahead"

#define L2_IFETCH	PMU_L2_IFETCH_I, PMU_L2_IFETCH_S, PMU_L2_IFETCH_E, PMU_L2_IFETCH_M
#define L2_LD		PMU_L2_LD_I, PMU_L2_LD_S, PMU_L2_LD_E, PMU_L2_LD_M
#define L2_ST		PMU_L2_ST_I, PMU_L2_ST_S, PMU_L2_ST_E, PMU_L2_ST_M
#define L1D_MISS	PMU_L1D_READ_MISS, PMU_L1D_WRITE_MISS
#define FAR		PMU_BR_FAR, PMU_BR_INT, PMU_HANDLER
#define NEAR_TAKEN	PMU_BR_COND_TAKEN, PMU_BR_JMP, PMU_BR_JMP_IND, PMU_BR_CALL, \
			PMU_BR_CALL_IND, PMU_BR_RET

/* Events of all families. */
#define RETIRED								\
	COUNT(0x0c2, ALL, "RETIRED_BRANCH_INSTRUCTIONS", PMU_BRANCHES, PMU_HANDLER), \
	COUNT(0x0c3, ALL, "RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS",	\
	      PMU_MISPREDICTED, FAR),					\
	COUNT(0x0c4, ALL, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS", NEAR_TAKEN, FAR), \
	COUNT(0x0c5, ALL, "RETIRED_TAKEN_BRANCH_INSTRUCTIONS_MISPREDICTED", \
	      PMU_MISP_TAKEN),						\
	COUNT(0x0c6, ALL, "RETIRED_FAR_CONTROL_TRANSFERS", FAR),	\
	NONE(0x0c7, ALL, "RETIRED_BRANCH_RESYNCS", NO_RESYNC),		\
	COUNT(0x076, ALL, "CPU_CLK_UNHALTED", PMU_STEP),		\
	COUNT(0x040, ALL, "DATA_CACHE_ACCESSES", PMU_DATA_READ, PMU_DATA_WRITE)

#define UP_TO_15H							\
	COUNT(0x0c0, ALL, "RETIRED_INSTRUCTIONS", PMU_INSN, PMU_HANDLER), \
	NONE(0x0c1, ALL, "RETIRED_UOPS", NO_UOPS),			\
	COUNT(0x0cd, ALL, "INTERRUPTS_MASKED_CYCLES", PMU_MASKED),	\
	COUNT(0x0ce, ALL, "INTERRUPTS_MASKED_CYCLES_WITH_INTERRUPT_PENDING", \
	      PMU_MASKED_PENDING),					\
	COUNT(0x0cf, ALL, "INTERRUPTS_TAKEN", PMU_HWINT),		\
	COUNT(0x047, ALL, "MISALIGNED_ACCESSES", PMU_MISALIGNED)

#define UP_TO_10H							\
	COUNT(0x041, ALL, "DATA_CACHE_MISSES", L1D_MISS),		\
	COUNT(0x081, ALL, "INSTRUCTION_CACHE_MISSES", PMU_L1I_MISS, PMU_UC_FETCH)

/* Events from K8 on. The unit mask of requests to L2: bit 0 code, bit 1 data. */
#define SINCE_K8(l2, requests, misses)					\
	COUNT(0x0c8, ALL, "RETIRED_NEAR_RETURNS", PMU_BR_RET),		\
	COUNT(0x0c9, ALL, "RETIRED_NEAR_RETURNS_MISPREDICTED", PMU_MISP_RET), \
	COUNT(0x0ca, ALL, "RETIRED_INDIRECT_BRANCHES_MISPREDICTED", PMU_MISP_IND), \
	COUNT(0x0dc, ALL, "DR0_BREAKPOINT_MATCHES", PMU_BREAK0),	\
	COUNT(0x0dd, ALL, "DR1_BREAKPOINT_MATCHES", PMU_BREAK1),	\
	COUNT(0x0de, ALL, "DR2_BREAKPOINT_MATCHES", PMU_BREAK2),	\
	COUNT(0x0df, ALL, "DR3_BREAKPOINT_MATCHES", PMU_BREAK3),	\
	MASK(0x07d, 0x01, requests, l2, "REQUESTS_TO_L2:INSTRUCTIONS", L2_IFETCH), \
	MASK(0x07d, 0x02, requests, l2, "REQUESTS_TO_L2:DATA", L2_LD, L2_ST), \
	MASK(0x07d, 0x03, requests, l2, "REQUESTS_TO_L2:INSTRUCTIONS:DATA", \
	     L2_IFETCH, L2_LD, L2_ST),					\
	MASK(0x07e, 0x01, misses, l2, "L2_CACHE_MISS:INSTRUCTIONS", PMU_L2_IFETCH_I), \
	MASK(0x07e, 0x02, misses, l2, "L2_CACHE_MISS:DATA", PMU_L2_LD_I, PMU_L2_ST_I), \
	MASK(0x07e, 0x03, misses, l2, "L2_CACHE_MISS:INSTRUCTIONS:DATA",	\
	     PMU_L2_IFETCH_I, PMU_L2_LD_I, PMU_L2_ST_I)

static const struct pmu_event k7[] = { RETIRED, UP_TO_15H, UP_TO_10H };

static const struct pmu_event k8[] = {
	RETIRED, UP_TO_15H, UP_TO_10H, SINCE_K8(ALL, 0x1c, 0x04),
	COUNT(0x046, ALL, "L1_DTLB_AND_L2_DTLB_MISS", PMU_DTLB_MISS),
	COUNT(0x085, ALL, "L1_ITLB_MISS_AND_L2_ITLB_MISS", PMU_ITLB_MISS),
};

static const struct pmu_event family_10h[] = {
	RETIRED, UP_TO_15H, UP_TO_10H, SINCE_K8(ALL, 0x3c, 0x0c),
};

static const struct pmu_event family_15h[] = {
	RETIRED, UP_TO_15H, SINCE_K8(PMC20, 0x5c, 0x14),
	MASK(0x041, 0x01, 0x02, ALL, "DATA_CACHE_MISSES:DC_MISS_STREAMING_STORE",
	     L1D_MISS),
	COUNT(0x081, PMC20, "INSTRUCTION_CACHE_MISSES", PMU_L1I_MISS, PMU_UC_FETCH),
};

static const struct pmu_event family_17h[] = {
	RETIRED,
	COUNT(0x0c0, ALL, "RETIRED_INSTRUCTIONS", PMU_INSN),
	NONE(0x0c1, ALL, "RETIRED_UOPS", NO_UOPS),
	COUNT(0x0c8, ALL, "RETIRED_NEAR_RETURNS", PMU_BR_RET),
	COUNT(0x0c9, ALL, "RETIRED_NEAR_RETURNS_MISPREDICTED", PMU_MISP_RET),
	COUNT(0x0ca, ALL, "RETIRED_INDIRECT_BRANCH_INSTRUCTIONS_MISPREDICTED",
	      PMU_MISP_IND),
	COUNT(0x0d1, ALL, "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS",
	      PMU_BR_COND_TAKEN, PMU_BR_COND_NTAKEN),
	COUNT(0x0d2, ALL, "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS_MISPREDICTED",
	      PMU_MISP_COND),
	MASK(0x060, 0x10, 0x07, ALL, "REQUESTS_TO_L2_GROUP1:CACHEABLE_IC_READ", L2_IFETCH),
	MASK(0x060, 0xe8, 0x07, ALL, "REQUESTS_TO_L2_GROUP1 of data", L2_LD, L2_ST),
	MASK(0x060, 0xf8, 0x07, ALL, "REQUESTS_TO_L2_GROUP1 of both", L2_IFETCH, L2_LD, L2_ST),
	MASK(0x064, 0x01, 0, ALL,
	     "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:IC_FILL_MISS", PMU_L2_IFETCH_I),
	MASK(0x064, 0x08, 0, ALL,
	     "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C",
	     PMU_L2_LD_I, PMU_L2_ST_I),
	MASK(0x064, 0x09, 0, ALL,
	     "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:IC_FILL_MISS:LS_RD_BLK_C",
	     PMU_L2_IFETCH_I, PMU_L2_LD_I, PMU_L2_ST_I),
};

/* L1 64 KB two-way, L2 512 KB. The TLBs are those of the second level. */
#define K7_CACHES							\
	.line = 64, .code = { 512, 2 }, .data = { 512, 2 },		\
	.level2 = { 512, 16 }, .allocate = true, .btb = { 512, 4 }, .history = 4

static const struct pmu_structures k7_structures = {
	K7_CACHES, .ras = 12,
	.code_tlb = { 64, 4 }, .code_tlb_large = { 1, 8 },
	.data_tlb = { 64, 4 }, .data_tlb_large = { 1, 8 },
};

static const struct pmu_structures k8_structures = {
	K7_CACHES, .ras = 12,
	.code_tlb = { 128, 4 }, .code_tlb_large = { 1, 8 },
	.data_tlb = { 128, 4 }, .data_tlb_large = { 1, 8 },
};

static const struct pmu_structures family_10h_structures = {
	K7_CACHES, .ras = 24,
	.code_tlb = { 128, 4 }, .code_tlb_large = { 1, 16 },
	.data_tlb = { 128, 4 }, .data_tlb_large = { 64, 2 },
};

/* L1 code 64 KB two-way, data 16 KB four-way; L2 2 MB. */
static const struct pmu_structures family_15h_structures = {
	.line = 64, .code = { 512, 2 }, .data = { 64, 4 },
	.level2 = { 2048, 16 }, .allocate = true,
	.code_tlb = { 128, 4 }, .code_tlb_large = { 1, 24 },
	.data_tlb = { 128, 8 }, .data_tlb_large = { 128, 8 },
	.btb = { 1280, 4 }, .history = 4, .ras = 24,
};

/* L1 code 64 KB four-way, data 32 KB eight-way; L2 512 KB. */
static const struct pmu_structures family_17h_structures = {
	.line = 64, .code = { 256, 4 }, .data = { 64, 8 },
	.level2 = { 1024, 8 }, .allocate = true,
	.code_tlb = { 64, 8 }, .code_tlb_large = { 64, 8 },
	.data_tlb = { 128, 12 }, .data_tlb_large = { 128, 12 },
	.btb = { 1024, 4 }, .history = 4, .ras = 32,
};

/* One part for all models of a family; the last one also for later families. */
static const struct pmu_part parts[] = {
	{ 0x06, .name = "Athlon XP (K7)", .amd = true, .structures = &k7_structures,
	  PMU_EVENTS(k7) },
	{ 0x0f, .name = "Athlon 64, Turion 64 (K8)", .amd = true,
	  .structures = &k8_structures, PMU_EVENTS(k8) },
	{ 0x10, .name = "Phenom (10H)", .amd = true,
	  .structures = &family_10h_structures, PMU_EVENTS(family_10h) },
	{ 0x15, .name = "FX, A series (15H)", .amd = true,
	  .structures = &family_15h_structures, PMU_EVENTS(family_15h) },
	{ 0x17, .name = "Ryzen (17H)", .amd = true,
	  .structures = &family_17h_structures, PMU_EVENTS(family_17h) },
};

const struct pmu_part_list pmu_amd_parts = { parts, ARRAY_LEN(parts) };
