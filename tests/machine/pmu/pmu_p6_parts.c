// SPDX-License-Identifier: GPL-2.0-only
/*
 * The P6 family: structures and table of events
 *
 * Events: Intel's SDM Vol. 3B, "P6 Family Processor Performance-Monitoring Events"; "MMX
 * Technology", table 6-2. Caches and TLBs: descriptors 01H, 02H, 03H, 04H, 08H, 0CH and 43H of
 * CPUID leaf 2, Vol. 2A. BTB: 512 entries, four-way, four bits of history; a return stack of
 * sixteen (Intel's optimization manual; Fog, "The Microarchitecture of Intel, AMD and VIA
 * CPUs").
 */
#include "pmu_int.h"

#define BOTH	0
#define CTR0	1u
#define CTR1	2u

#define COUNT(event, umask, ctrs, what, ...) \
	{ PMU_CODE(event, umask), .counters = (ctrs), .name = (what), \
	  .prims = { __VA_ARGS__ } }
/* Unit mask bits 3:0 select the states of the line. */
#define MESI(event, what, ...) \
	{ (event), .masks = 4, .name = (what), .prims = { __VA_ARGS__ } }
/* Unit mask bit 5 selects all processors. */
#define BUS(event, what, ...) \
	{ (event), .agents = true, .name = (what), .prims = { __VA_ARGS__ } }
#define NONE(event, umask, ctrs, what, reason) \
	{ PMU_CODE(event, umask), .counters = (ctrs), .name = (what), \
	  .why = (reason) }

#define NO_LATENCY	"caches and memory answer at once"
#define IN_ORDER	"nothing is executed out of order"

#define IFETCH	PMU_L2_IFETCH_I, PMU_L2_IFETCH_S, PMU_L2_IFETCH_E, PMU_L2_IFETCH_M
#define LD	PMU_L2_LD_I, PMU_L2_LD_S, PMU_L2_LD_E, PMU_L2_LD_M
#define ST	PMU_L2_ST_I, PMU_L2_ST_S, PMU_L2_ST_E, PMU_L2_ST_M

#define PARTIAL		PMU_UC_READ, PMU_UC_WRITE, PMU_UC_FETCH, PMU_BUS_WRITE_THROUGH
#define BURST		PMU_BUS_READ, PMU_BUS_RFO, PMU_BUS_IFETCH, PMU_BUS_WRITEBACK
#define NEAR_TAKEN	PMU_BR_COND_TAKEN, PMU_BR_JMP, PMU_BR_JMP_IND, PMU_BR_CALL, \
			PMU_BR_CALL_IND, PMU_BR_RET

/*
 * Table "Events That Can Be Counted with the P6 Family Performance-Monitoring
 * Counters". A misaligned reference counts for both halves.
 */
#define P6_EVENTS							\
	/* data cache unit */						\
	COUNT(0x43, 0, BOTH, "DATA_MEM_REFS", PMU_DATA_READ, PMU_DATA_WRITE),	\
	COUNT(0x45, 0, BOTH, "DCU_LINES_IN", PMU_L1D_IN),		\
	COUNT(0x46, 0, BOTH, "DCU_M_LINES_IN", PMU_L1D_M_IN),		\
	COUNT(0x47, 0, BOTH, "DCU_M_LINES_OUT", PMU_L1D_M_OUT),	\
	NONE(0x48, 0, BOTH, "DCU_MISS_OUTSTANDING", NO_LATENCY),	\
	/* instruction fetch unit */					\
	COUNT(0x80, 0, BOTH, "IFU_IFETCH", PMU_FETCH),			\
	COUNT(0x81, 0, BOTH, "IFU_IFETCH_MISS", PMU_L1I_MISS, PMU_UC_FETCH), \
	COUNT(0x85, 0, BOTH, "ITLB_MISS", PMU_ITLB_MISS),		\
	NONE(0x86, 0, BOTH, "IFU_MEM_STALL", NO_LATENCY),		\
	NONE(0x87, 0, BOTH, "ILD_STALL", "no document states the clocks of a prefix"), \
	/* L2 cache */							\
	MESI(0x28, "L2_IFETCH", IFETCH),				\
	MESI(0x29, "L2_LD", LD),					\
	MESI(0x2a, "L2_ST", ST),					\
	COUNT(0x24, 0, BOTH, "L2_LINES_IN", PMU_L2_IN),		\
	COUNT(0x26, 0, BOTH, "L2_LINES_OUT", PMU_L2_OUT),		\
	COUNT(0x25, 0, BOTH, "L2_M_LINES_INM", PMU_L2_M_IN),		\
	COUNT(0x27, 0, BOTH, "L2_M_LINES_OUTM", PMU_L2_M_OUT),		\
	MESI(0x2e, "L2_RQSTS", IFETCH, LD, ST),			\
	COUNT(0x21, 0, BOTH, "L2_ADS", IFETCH, LD, ST, PMU_L1D_M_OUT),	\
	COUNT(0x22, 0, BOTH, "L2_DBUS_BUSY", PMU_L2_READ, PMU_L2_WRITE), \
	COUNT(0x23, 0, BOTH, "L2_DBUS_BUSY_RD", PMU_L2_READ),		\
	/* external bus logic */					\
	COUNT(0x62, 0, BOTH, "BUS_DRDY_CLOCKS", PMU_BUS_DRIVEN),	\
	BUS(0x62, "BUS_DRDY_CLOCKS, any agent", PMU_BUS_DATA),		\
	BUS(0x63, "BUS_LOCK_CLOCKS", PMU_BUS_LOCK),			\
	NONE(0x60, 0, BOTH, "BUS_REQ_OUTSTANDING", NO_LATENCY),		\
	BUS(0x65, "BUS_TRAN_BRD", PMU_BUS_READ),			\
	BUS(0x66, "BUS_TRAN_RFO", PMU_BUS_RFO),			\
	BUS(0x67, "BUS_TRANS_WB", PMU_BUS_WRITEBACK),			\
	BUS(0x68, "BUS_TRAN_IFETCH", PMU_BUS_IFETCH, PMU_UC_FETCH),	\
	BUS(0x69, "BUS_TRAN_INVAL", PMU_BUS_INVALIDATE),		\
	BUS(0x6a, "BUS_TRAN_PWR", PMU_UC_WRITE, PMU_BUS_WRITE_THROUGH), \
	BUS(0x6b, "BUS_TRANS_P", PARTIAL),				\
	BUS(0x6c, "BUS_TRANS_IO", PMU_IO_READ, PMU_IO_WRITE),		\
	{ 0x6d, .agents = true, .name = "BUS_TRAN_DEF",		\
	  .why = "no agent defers its reply" },				\
	BUS(0x6e, "BUS_TRAN_BURST", BURST),				\
	BUS(0x70, "BUS_TRAN_ANY", BURST, PARTIAL, PMU_BUS_INVALIDATE,	\
	    PMU_IO_READ, PMU_IO_WRITE),				\
	BUS(0x6f, "BUS_TRAN_MEM", BURST, PARTIAL, PMU_BUS_INVALIDATE),	\
	COUNT(0x64, 0, BOTH, "BUS_DATA_RCV", PMU_BUS_RECEIVED),		\
	NONE(0x61, 0, BOTH, "BUS_BNR_DRV", "no agent delays a request"), \
	COUNT(0x7a, 0, BOTH, "BUS_HIT_DRV", PMU_HIT),			\
	COUNT(0x7b, 0, BOTH, "BUS_HITM_DRV", PMU_HITM),			\
	NONE(0x7e, 0, BOTH, "BUS_SNOOP_STALL", "no agent delays its snoop result"), \
	/* floating-point unit */					\
	COUNT(0xc1, 0, CTR0, "FLOPS", PMU_FP_ADD, PMU_FP_COMPARE,	\
	      PMU_FP_MUL, PMU_FP_DIV, PMU_FP_OTHER),			\
	COUNT(0x10, 0, CTR0, "FP_COMP_OPS_EXE", PMU_FP_ADD, PMU_FP_COMPARE, \
	      PMU_FP_MUL, PMU_FP_DIV, PMU_FP_OTHER, PMU_FP_VOID,	\
	      PMU_FP_VOID_MUL, PMU_FP_VOID_DIV, PMU_INT_MUL, PMU_INT_DIV), \
	COUNT(0x11, 0, CTR1, "FP_ASSIST", PMU_FP_ASSIST),		\
	COUNT(0x12, 0, CTR1, "MUL", PMU_FP_MUL, PMU_FP_VOID_MUL,	\
	      PMU_INT_MUL),						\
	COUNT(0x13, 0, CTR1, "DIV", PMU_FP_DIV, PMU_FP_VOID_DIV,	\
	      PMU_INT_DIV),						\
	COUNT(0x14, 0, CTR0, "CYCLES_DIV_BUSY", PMU_DIVIDER),		\
	/* memory ordering */						\
	NONE(0x03, 0, BOTH, "LD_BLOCKS", IN_ORDER),			\
	NONE(0x04, 0, BOTH, "SB_DRAINS", "stores take effect at once"), \
	COUNT(0x05, 0, BOTH, "MISALIGN_MEM_REF", PMU_MISALIGNED,	\
	      PMU_MISALIGNED),						\
	/* instruction decoding and retirement */			\
	COUNT(0xc0, 0, BOTH, "INST_RETIRED", PMU_INSN),		\
	COUNT(0xc2, 0, BOTH, "UOPS_RETIRED", PMU_UOP),			\
	COUNT(0xd0, 0, BOTH, "INST_DECODED", PMU_INSN),		\
	/* interrupts */						\
	COUNT(0xc8, 0, BOTH, "HW_INT_RX", PMU_HWINT),			\
	COUNT(0xc6, 0, BOTH, "CYCLES_INT_MASKED", PMU_MASKED),		\
	COUNT(0xc7, 0, BOTH, "CYCLES_INT_PENDING_AND_MASKED",		\
	      PMU_MASKED_PENDING),					\
	/* branches */							\
	COUNT(0xc4, 0, BOTH, "BR_INST_RETIRED", PMU_BRANCHES),		\
	COUNT(0xc5, 0, BOTH, "BR_MISS_PRED_RETIRED", PMU_MISPREDICTED), \
	COUNT(0xc9, 0, BOTH, "BR_TAKEN_RETIRED", NEAR_TAKEN, PMU_BR_FAR, \
	      PMU_BR_INT),						\
	COUNT(0xca, 0, BOTH, "BR_MISS_PRED_TAKEN_RET", PMU_MISP_TAKEN), \
	COUNT(0xe0, 0, BOTH, "BR_INST_DECODED", PMU_BRANCHES),		\
	COUNT(0xe2, 0, BOTH, "BTB_MISSES", PMU_BTB_MISS),		\
	NONE(0xe4, 0, BOTH, "BR_BOGUS", "the BTB holds nothing but branches"), \
	COUNT(0xe6, 0, BOTH, "BACLEARS", PMU_BTB_CLEAR),		\
	/* stalls */							\
	NONE(0xa2, 0, BOTH, "RESOURCE_STALLS", IN_ORDER),		\
	NONE(0xd2, 0, BOTH, "PARTIAL_RAT_STALLS", IN_ORDER),		\
	/* segment register loads, clocks */				\
	COUNT(0x06, 0, BOTH, "SEGMENT_REG_LOADS", PMU_SEGMENT),	\
	COUNT(0x79, 0, BOTH, "CPU_CLK_UNHALTED", PMU_STEP),		\
	/* MMX unit */							\
	COUNT(0xb1, 0, BOTH, "MMX_SAT_INSTR_EXEC", PMU_MMX_SATURATING), \
	COUNT(0xb2, 0x0f, BOTH, "MMX_UOPS_EXEC", PMU_MMX_UOP),		\
	{ 0xb3, .masks = 6, .name = "MMX_INSTR_TYPE_EXEC",		\
	  .prims = { PMU_MMX_MUL, PMU_MMX_SHIFT, PMU_MMX_PACK,		\
		     PMU_MMX_UNPACK, PMU_MMX_LOGICAL, PMU_MMX_ARITHMETIC } }, \
	COUNT(0xcc, 0, BOTH, "FP_MMX_TRANS, MMX to floating-point",	\
	      PMU_MMX_TO_FP),						\
	COUNT(0xcc, 1, BOTH, "FP_MMX_TRANS, floating-point to MMX",	\
	      PMU_FP_TO_MMX),						\
	COUNT(0xcd, 0, BOTH, "MMX_ASSIST", PMU_EMMS),			\
	/* segment register renaming */					\
	{ 0xd4, .masks = 4, .name = "SEG_RENAME_STALLS", .why = IN_ORDER }, \
	{ 0xd5, .masks = 4, .name = "SEG_REG_RENAMES", .why = IN_ORDER }, \
	NONE(0xd6, 0, BOTH, "RET_SEG_RENAMES", IN_ORDER)

static const struct pmu_event pentium_2[] = {
	P6_EVENTS,
	COUNT(0xb0, 0, BOTH, "MMX_INSTR_EXEC", PMU_MMX),
	COUNT(0xce, 0, BOTH, "MMX_INSTR_RET", PMU_MMX),
};

static const struct pmu_event pentium_3[] = {
	P6_EVENTS,
	COUNT(0xd8, 0, BOTH, "EMON_KNI_INST_RETIRED, packed and scalar",
	      PMU_SSE, PMU_SSE_SCALAR),
	COUNT(0xd8, 1, BOTH, "EMON_KNI_INST_RETIRED, scalar", PMU_SSE_SCALAR),
	COUNT(0xd9, 0, BOTH, "EMON_KNI_COMP_INST_RET, packed and scalar",
	      PMU_SSE_COMPUTE, PMU_SSE_SCALAR_COMPUTE),
	COUNT(0xd9, 1, BOTH, "EMON_KNI_COMP_INST_RET, scalar",
	      PMU_SSE_SCALAR_COMPUTE),
	{ PMU_CODE(0x07, 0), .masks = 2, .name = "EMON_KNI_PREF_DISPATCHED",
	  .why = "nothing is prefetched" },
	{ PMU_CODE(0x4b, 0), .masks = 2, .name = "EMON_KNI_PREF_MISS",
	  .why = "nothing is prefetched" },
};

/* L1 code 16 KB, L1 data 16 KB, L2 512 KB; all four-way. */
static const struct pmu_structures structures = {
	.line = 32,
	.code = { 128, 4 },
	.data = { 128, 4 },
	.level2 = { 4096, 4 },
	.allocate = true,
	.code_tlb = { 8, 4 },
	.code_tlb_large = { 1, 2 },
	.data_tlb = { 16, 4 },
	.data_tlb_large = { 2, 4 },
	.btb = { 128, 4 },
	.history = 4,
	.static_prediction = true,
	.ras = 16,
};

static const struct pmu_part parts[] = {
	{ 0x06, 0x03, "Pentium II", .structures = &structures,
	  PMU_EVENTS(pentium_2) },
	{ 0x06, 0x07, "Pentium III", .structures = &structures,
	  PMU_EVENTS(pentium_3) },
};

const struct pmu_part_list pmu_p6_parts = { parts, ARRAY_LEN(parts) };
