// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pentium and Pentium with MMX technology: structures and tables of events
 *
 * Events: Intel's SDM Vol. 3B, "Pentium Processor Performance-Monitoring Events"; the counter
 * for each: "MMX Technology", table 6-1. Caches and TLBs: Vol. 3A, table "Characteristics of
 * the Caches, TLBs, Store Buffer, and Write Combining Buffer". BTB: 256 entries, four-way, with
 * two bits of direction on the Pentium; with MMX technology four bits of history and a return
 * stack of four (Intel's optimization manual; Fog, "The Microarchitecture of Intel, AMD and
 * VIA CPUs").
 */
#include "pmu_int.h"

#define BOTH	0
#define CTR0	1u
#define CTR1	2u

#define COUNT(event, ctrs, what, ...) \
	{ (event), .counters = (ctrs), .name = (what), .prims = { __VA_ARGS__ } }
#define TIME(event, ctrs, what, ...) \
	{ (event), .counters = (ctrs), .duration = true, .name = (what), \
	  .prims = { __VA_ARGS__ } }
#define STALL(event, ctrs, what, ...) \
	{ (event), .counters = (ctrs), .duration = true, .stall = true, .name = (what), \
	  .prims = { __VA_ARGS__ } }
#define NONE(event, ctrs, what, reason) \
	{ (event), .counters = (ctrs), .name = (what), .why = (reason) }
#define NO_TIME(event, ctrs, what, reason) \
	{ (event), .counters = (ctrs), .duration = true, .name = (what), \
	  .why = (reason) }

#define NO_STALLS	"memory takes no time"
#define NO_LATENCY	"x87 instructions are never waited for"
#define NO_STARVATION	"the decoder always has instructions"
#define NO_BUS_TIME	"the bus takes no time"

/*
 * Table "Events That Can Be Counted with Pentium Processor
 * Performance-Monitoring Counters": the events of both parts.
 */
#define PENTIUM_EVENTS							\
	COUNT(0x00, BOTH, "DATA_READ", PMU_DATA_READ),			\
	COUNT(0x01, BOTH, "DATA_WRITE", PMU_DATA_WRITE),			\
	COUNT(0x02, BOTH, "DATA_TLB_MISS", PMU_DTLB_MISS),		\
	COUNT(0x03, BOTH, "DATA_READ_MISS", PMU_L1D_READ_MISS, PMU_UC_READ), \
	COUNT(0x04, BOTH, "DATA_WRITE_MISS", PMU_L1D_WRITE_MISS, PMU_UC_WRITE), \
	COUNT(0x05, BOTH, "WRITE_HIT_TO_M_OR_E_STATE_LINES", PMU_L1D_WRITE_ME), \
	COUNT(0x06, BOTH, "DATA_CACHE_LINES_WRITTEN_BACK", PMU_L1D_M_OUT), \
	COUNT(0x07, BOTH, "EXTERNAL_SNOOPS", PMU_SNOOP),		\
	COUNT(0x08, BOTH, "EXTERNAL_DATA_CACHE_SNOOP_HITS", PMU_SNOOP_HIT), \
	COUNT(0x09, BOTH, "MEMORY_ACCESSES_IN_BOTH_PIPES", PMU_BOTH_PIPES), \
	COUNT(0x0a, BOTH, "BANK_CONFLICTS", PMU_BANK_CONFLICT),		\
	COUNT(0x0b, BOTH, "MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES",	\
	      PMU_MISALIGNED, PMU_IO_MISALIGNED),			\
	COUNT(0x0c, BOTH, "CODE_READ", PMU_FETCH),			\
	COUNT(0x0d, BOTH, "CODE_TLB_MISS", PMU_ITLB_MISS),		\
	COUNT(0x0e, BOTH, "CODE_CACHE_MISS", PMU_L1I_MISS, PMU_UC_FETCH), \
	COUNT(0x0f, BOTH, "ANY_SEGMENT_REGISTER_LOADED", PMU_SEGMENT,	\
	      PMU_SYSTEM_SEGMENT),					\
	COUNT(0x12, BOTH, "BRANCHES", PMU_BRANCHES, PMU_SERIAL, PMU_HANDLER), \
	COUNT(0x13, BOTH, "BTB_HITS", PMU_BTB_HIT),			\
	COUNT(0x14, BOTH, "TAKEN_BRANCH_OR_BTB_HIT", PMU_BTB_HIT_OR_TAKEN, \
	      PMU_BR_FAR, PMU_BR_INT, PMU_SERIAL, PMU_HANDLER),		\
	COUNT(0x15, BOTH, "PIPELINE_FLUSHES", PMU_MISPREDICTED,		\
	      PMU_BR_FAR, PMU_HANDLER),					\
	COUNT(0x16, BOTH, "INSTRUCTIONS_EXECUTED", PMU_INSN, PMU_HANDLER), \
	COUNT(0x17, BOTH, "INSTRUCTIONS_EXECUTED_V_PIPE", PMU_V_PIPE),	\
	NO_TIME(0x18, BOTH, "BUS_CYCLE_DURATION", NO_BUS_TIME),		\
	NO_TIME(0x19, BOTH, "WRITE_BUFFER_FULL_STALL_DURATION", NO_STALLS), \
	NO_TIME(0x1a, BOTH, "WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION", \
		NO_STALLS),						\
	NO_TIME(0x1b, BOTH, "STALL_ON_WRITE_TO_AN_E_OR_M_STATE_LINE",	\
		NO_STALLS),						\
	COUNT(0x1c, BOTH, "LOCKED_BUS_CYCLE", PMU_LOCKED),		\
	COUNT(0x1d, BOTH, "IO_READ_OR_WRITE_CYCLE", PMU_IO_READ, PMU_IO_WRITE), \
	COUNT(0x1e, BOTH, "NONCACHEABLE_MEMORY_READS", PMU_UC_READ,	\
	      PMU_UC_FETCH),						\
	STALL(0x1f, BOTH, "PIPELINE_AGI_STALLS", PMU_AGI_STALL),	\
	COUNT(0x22, BOTH, "FLOPS", PMU_FP_ADD, PMU_FP_MUL, PMU_FP_DIV,	\
	      PMU_FP_OTHER, PMU_INT_MUL),				\
	COUNT(0x23, BOTH, "BREAKPOINT_MATCH_ON_DR0_REGISTER", PMU_BREAK0), \
	COUNT(0x24, BOTH, "BREAKPOINT_MATCH_ON_DR1_REGISTER", PMU_BREAK1), \
	COUNT(0x25, BOTH, "BREAKPOINT_MATCH_ON_DR2_REGISTER", PMU_BREAK2), \
	COUNT(0x26, BOTH, "BREAKPOINT_MATCH_ON_DR3_REGISTER", PMU_BREAK3), \
	COUNT(0x27, BOTH, "HARDWARE_INTERRUPTS", PMU_HWINT),		\
	COUNT(0x28, BOTH, "DATA_READ_OR_WRITE", PMU_DATA_READ, PMU_DATA_WRITE),	\
	COUNT(0x29, BOTH, "DATA_READ_MISS_OR_WRITE_MISS", PMU_L1D_READ_MISS, \
	      PMU_L1D_WRITE_MISS, PMU_UC_READ, PMU_UC_WRITE)

static const struct pmu_event pentium[] = { PENTIUM_EVENTS };

static const struct pmu_event pentium_mmx[] = {
	PENTIUM_EVENTS,
	NO_TIME(0x2a, CTR0, "BUS_OWNERSHIP_LATENCY", NO_BUS_TIME),
	NONE(0x2a, CTR1, "BUS_OWNERSHIP_TRANSFERS", NO_BUS_TIME),
	COUNT(0x2b, CTR0, "MMX_INSTRUCTIONS_EXECUTED_U_PIPE", PMU_MMX_U_PIPE),
	COUNT(0x2b, CTR1, "MMX_INSTRUCTIONS_EXECUTED_V_PIPE", PMU_MMX_V_PIPE),
	NONE(0x2c, CTR0, "CACHE_M_STATE_LINE_SHARING", "no second processor in its package"),
	NONE(0x2c, CTR1, "CACHE_LINE_SHARING", "no second processor in its package"),
	COUNT(0x2d, CTR0, "EMMS_INSTRUCTIONS_EXECUTED", PMU_EMMS),
	COUNT(0x2d, CTR1, "TRANSITIONS_BETWEEN_MMX_AND_FP_INSTRUCTIONS",
	      PMU_MMX_TO_FP, PMU_FP_TO_MMX),
	NO_TIME(0x2e, CTR0, "BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY",
		NO_BUS_TIME),
	COUNT(0x2e, CTR1, "WRITES_TO_NONCACHEABLE_MEMORY", PMU_UC_WRITE,
	      PMU_IO_WRITE),
	COUNT(0x2f, CTR0, "SATURATING_MMX_INSTRUCTIONS_EXECUTED",
	      PMU_MMX_SATURATING),
	COUNT(0x2f, CTR1, "SATURATIONS_PERFORMED", PMU_MMX_SATURATED),
	TIME(0x30, CTR0, "NUMBER_OF_CYCLES_NOT_IN_HALT_STATE", PMU_STEP),
	NO_TIME(0x30, CTR1, "DATA_CACHE_TLB_MISS_STALL_DURATION", NO_STALLS),
	COUNT(0x31, CTR0, "MMX_INSTRUCTION_DATA_READS", PMU_MMX_READ),
	COUNT(0x31, CTR1, "MMX_INSTRUCTION_DATA_READ_MISSES", PMU_MMX_READ_MISS),
	NO_TIME(0x32, CTR0, "FLOATING_POINT_STALLS_DURATION", NO_LATENCY),
	COUNT(0x32, CTR1, "TAKEN_BRANCHES", PMU_BR_COND_TAKEN, PMU_BR_JMP,
	      PMU_BR_JMP_IND, PMU_BR_CALL, PMU_BR_CALL_IND, PMU_BR_RET,
	      PMU_BR_FAR, PMU_BR_INT, PMU_SERIAL, PMU_HANDLER),
	NONE(0x33, CTR0, "D1_STARVATION_AND_FIFO_IS_EMPTY", NO_STARVATION),
	NONE(0x33, CTR1, "D1_STARVATION_AND_ONLY_ONE_INSTRUCTION_IN_FIFO", NO_STARVATION),
	COUNT(0x34, CTR0, "MMX_INSTRUCTION_DATA_WRITES", PMU_MMX_WRITE),
	COUNT(0x34, CTR1, "MMX_INSTRUCTION_DATA_WRITE_MISSES",
	      PMU_MMX_WRITE_MISS),
	COUNT(0x35, CTR0, "PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS",
	      PMU_MISPREDICTED),
	COUNT(0x35, CTR1, "PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS_RESOLVED_IN_WB_STAGE",
	      PMU_MISP_V_PIPE),
	COUNT(0x36, CTR0, "MISALIGNED_DATA_MEMORY_REFERENCE_ON_MMX_INSTRUCTIONS",
	      PMU_MMX_MISALIGNED),
	NO_TIME(0x36, CTR1, "PIPELINE_STALL_FOR_MMX_INSTRUCTION_DATA_MEMORY_READS",
		NO_STALLS),
	COUNT(0x37, CTR0, "MISPREDICTED_OR_UNPREDICTED_RETURNS", PMU_MISP_RET),
	COUNT(0x37, CTR1, "PREDICTED_RETURNS", PMU_RET_PREDICTED),
	STALL(0x38, CTR0, "MMX_MULTIPLY_UNIT_INTERLOCK", PMU_MMX_MULTIPLY_STALL),
	STALL(0x38, CTR1, "MOVD_MOVQ_STORE_STALL_DUE_TO_PREVIOUS_MMX_OPERATION",
	      PMU_MMX_STORE_STALL),
	COUNT(0x39, CTR0, "RETURNS", PMU_BR_RET),
	COUNT(0x39, CTR1, "RSB_OVERFLOWS", PMU_RSB_OVERFLOW),
	NONE(0x3a, CTR0, "BTB_FALSE_ENTRIES", "the BTB holds nothing but branches"),
	COUNT(0x3a, CTR1, "BTB_MISS_PREDICTION_ON_NOT_TAKEN_BRANCH",
	      PMU_MISP_NTAKEN),
	NO_TIME(0x3b, CTR0, "FULL_WRITE_BUFFER_STALL_DURATION_WHILE_EXECUTING_MMX_INSTRUCTIONS",
		NO_STALLS),
	NO_TIME(0x3b, CTR1, "STALL_ON_MMX_INSTRUCTION_WRITE_TO_E_OR_M_STATE_LINE",
		NO_STALLS),
};

/* Caches of 8 KB each, two-way; returns use the BTB. */
static const struct pmu_structures pentium_structures = {
	.line = 32,
	.code = { 128, 2 },
	.data = { 128, 2 },
	.code_tlb = { 8, 4 },
	.data_tlb = { 16, 4 },
	.data_tlb_large = { 2, 4 },
	.btb = { 64, 4 },
};

/* Caches of 16 KB each, four-way; fully associative TLBs. */
static const struct pmu_structures pentium_mmx_structures = {
	.line = 32,
	.code = { 128, 4 },
	.data = { 128, 4 },
	.code_tlb = { 1, 32 },
	.data_tlb = { 1, 64 },
	.btb = { 64, 4 },
	.history = 4,
	.ras = 4,
};

static const struct pmu_part parts[] = {
	{ 0x05, 0x02, "Pentium", .split = true,
	  .structures = &pentium_structures, PMU_EVENTS(pentium) },
	{ 0x05, 0x04, "Pentium with MMX technology", .rdpmc = true, .mmx = true, .split = true,
	  .structures = &pentium_mmx_structures, PMU_EVENTS(pentium_mmx) },
};

const struct pmu_part_list pmu_p5_parts = { parts, ARRAY_LEN(parts) };
