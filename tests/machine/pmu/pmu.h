/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PMU model's interface: an emulator reports what its processors execute, and the model
 * provides their performance-monitoring registers and overflow interrupts
 *
 * README.md defines step, retire and privilege.
 */
#ifndef PMU_H
#define PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmu;

/** enum pmu_result - outcome of a register access
 * @PMU_NONE: not a PMU register; the emulator handles the access as if there were no PMU
 * @PMU_OK: the access was done
 * @PMU_GP: the processor raises #GP(0); nothing was changed
 * @PMU_UD: the processor raises #UD: it does not have the instruction
 */
enum pmu_result { PMU_NONE, PMU_OK, PMU_GP, PMU_UD };

/** enum pmu_priv - privilege in which an instruction started
 * @PMU_KERNEL: counted with the OS bit
 * @PMU_USER: counted with the USR bit: CPL pmu_user_cpl() and above
 */
enum pmu_priv { PMU_KERNEL, PMU_USER, PMU_NPRIV };

/*
 * Primitives, of which events are sums: X(name, wants, bounded, modelled, what)
 * - wants: the report that the emulator must make for it, PMU_WANT_* without the prefix
 * - bounded: it occurs at most once on a step
 * - modelled: it depends on a cache, a TLB, a predictor or the pipes, not on the program alone
 * - what: its description in the printed table of events
 */
#define PMU_PRIMITIVES(X)						\
	X(STEP, STEPS, 1, 0, "steps of the machine's clock")		\
	X(INSN, STEPS, 1, 0, "instructions retired")			\
	X(BR_COND_TAKEN, BRANCHES, 1, 0, "conditional branches taken")	\
	X(BR_COND_NTAKEN, BRANCHES, 1, 0, "conditional branches not taken")	\
	X(BR_JMP, BRANCHES, 1, 0, "direct near jumps")			\
	X(BR_JMP_IND, BRANCHES, 1, 0, "indirect near jumps")		\
	X(BR_CALL, BRANCHES, 1, 0, "direct near calls")			\
	X(BR_CALL_IND, BRANCHES, 1, 0, "indirect near calls")		\
	X(BR_RET, BRANCHES, 1, 0, "near returns")			\
	X(BR_FAR, BRANCHES, 1, 0, "far JMP, CALL, RET; IRET; SYSCALL, SYSENTER and back")	\
	X(BR_INT, BRANCHES, 1, 0, "INT n, INT3, INT1, INTO that interrupts")	\
	X(BR_COND_FORWARD, PREDICT, 1, 0, "conditional branches taken, forward")	\
	X(BR_COND_BACKWARD, PREDICT, 1, 0, "conditional branches taken, backward")	\
	X(MISP_COND, PREDICT, 0, 1, "conditional branches mispredicted")	\
	X(MISP_IND, PREDICT, 0, 1, "indirect jumps and calls mispredicted")	\
	X(MISP_RET, PREDICT, 0, 1, "near returns mispredicted")		\
	X(MISP_TAKEN, PREDICT, 0, 1, "mispredicted branches that were taken")	\
	X(MISP_NTAKEN, PREDICT, 0, 1, "mispredicted branches that were not taken")	\
	X(TAKEN_PREDICTED, PREDICT, 0, 1, "taken branches predicted correctly")	\
	X(NTAKEN_PREDICTED, PREDICT, 0, 1, "branches not taken predicted correctly")	\
	X(BTB_HIT, PREDICT, 0, 1, "near branches found in the BTB")	\
	X(BTB_MISS, PREDICT, 0, 1, "near branches that the BTB did not predict")	\
	X(BTB_HIT_OR_TAKEN, PREDICT, 0, 1, "near branches found in the BTB, or taken")	\
	X(BTB_CLEAR, PREDICT, 0, 1, "branches that the decoder predicted, not the BTB")	\
	X(RET_PREDICTED, PREDICT, 0, 1, "returns with a prediction")	\
	X(RSB_OVERFLOW, PREDICT, 0, 1, "calls that found the return stack full")	\
	X(V_PIPE, PIPES, 1, 1, "instructions in the V pipe")		\
	X(MMX_U_PIPE, PIPES, 1, 1, "MMX instructions in the U pipe")	\
	X(MMX_V_PIPE, PIPES, 1, 1, "MMX instructions in the V pipe")	\
	X(BOTH_PIPES, PIPES, 1, 1, "pairs that access data in both pipes")	\
	X(BANK_CONFLICT, PIPES, 1, 1, "pairs that access the same bank of the data cache")	\
	X(AGI_STALL, PIPES, 1, 1, "AGI stalls, of a clock each")	\
	X(MMX_MULTIPLY_STALL, PIPES, 0, 1, "clocks of waiting for an MMX multiplication")	\
	X(MMX_STORE_STALL, PIPES, 0, 1, "clocks of MMX stores that wait for their register")	\
	X(MISP_V_PIPE, PREDICT_PIPES, 0, 1, "conditional branches in the V pipe mispredicted")	\
	X(LOAD, ACCESS, 1, 0, "instructions retired that read data")	\
	X(STORE, ACCESS, 1, 0, "instructions retired that wrote data")	\
	X(DATA_READ, ACCESS, 0, 0, "data reads, a split one twice")	\
	X(DATA_WRITE, ACCESS, 0, 0, "data writes, a split one twice")	\
	X(MISALIGNED, ACCESS, 0, 0, "data accesses that are split")	\
	X(MMX_READ, ACCESS, 0, 0, "data reads by MMX instructions")	\
	X(MMX_WRITE, ACCESS, 0, 0, "data writes by MMX instructions")	\
	X(MMX_MISALIGNED, ACCESS, 0, 0, "split accesses by MMX instructions")	\
	X(LOCKED, LOCKED, 0, 0, "locked reads, split ones twice")	\
	X(UC_READ, ACCESS, 0, 0, "data reads of uncached memory")	\
	X(UC_WRITE, ACCESS, 0, 0, "data writes of uncached memory")	\
	X(IO_READ, IO, 0, 0, "reads of I/O space, split ones twice")	\
	X(IO_WRITE, IO, 0, 0, "writes to I/O space, split ones twice")	\
	X(IO_MISALIGNED, IO, 0, 0, "I/O accesses that are split")	\
	X(DTLB_MISS, ACCESS, 0, 1, "data pages not found in the TLB")	\
	X(ITLB_MISS, FETCH, 0, 1, "code pages not found in the TLB")	\
	X(FETCH, FETCH, 0, 1, "lines of code fetched")			\
	X(UC_FETCH, FETCH, 0, 1, "8-byte fetches of uncached code")	\
	X(L1I_MISS, FETCH, 0, 1, "lines of code not found in L1")	\
	X(L1D_READ_MISS, CACHE, 0, 1, "data reads that miss L1")	\
	X(L1D_WRITE_MISS, CACHE, 0, 1, "data writes that miss L1")	\
	X(MMX_READ_MISS, CACHE, 0, 1, "data reads by MMX instructions that miss L1")	\
	X(MMX_WRITE_MISS, CACHE, 0, 1, "data writes by MMX instructions that miss L1")	\
	X(L1D_WRITE_ME, CACHE, 0, 1, "data writes that hit a line in state M or E")	\
	X(MMX_WRITE_ME, CACHE, 0, 1, "such writes by MMX instructions")	\
	X(L1D_IN, CACHE, 0, 1, "lines allocated in L1")			\
	X(L1D_M_IN, CACHE, 0, 1, "lines allocated in L1 in state M")	\
	X(L1D_M_OUT, CACHE, 0, 1, "lines in state M that left L1")	\
	X(SNOOP, CACHE, 0, 1, "snoops by other processors")		\
	X(SNOOP_HIT, CACHE, 0, 1, "snoops by other processors that hit L1")	\
	X(L2_IFETCH_I, CACHE, 0, 1, "code fetches from L2: line not there")	\
	X(L2_IFETCH_S, CACHE, 0, 1, "code fetches from L2: line in state S")	\
	X(L2_IFETCH_E, CACHE, 0, 1, "code fetches from L2: line in state E")	\
	X(L2_IFETCH_M, CACHE, 0, 1, "code fetches from L2: line in state M")	\
	X(L2_LD_I, CACHE, 0, 1, "data loads from L2: line not there")	\
	X(L2_LD_S, CACHE, 0, 1, "data loads from L2: line in state S")	\
	X(L2_LD_E, CACHE, 0, 1, "data loads from L2: line in state E")	\
	X(L2_LD_M, CACHE, 0, 1, "data loads from L2: line in state M")	\
	X(L2_ST_I, CACHE, 0, 1, "requests to L2 for ownership: line not there")	\
	X(L2_ST_S, CACHE, 0, 1, "requests to L2 for ownership: line in state S")	\
	X(L2_ST_E, CACHE, 0, 1, "requests to L2 for ownership: line in state E")	\
	X(L2_ST_M, CACHE, 0, 1, "requests to L2 for ownership: line in state M")	\
	X(L2_IN, CACHE, 0, 1, "lines allocated in L2")			\
	X(L2_M_IN, CACHE, 0, 1, "lines that became M in L2")		\
	X(L2_OUT, CACHE, 0, 1, "lines that left L2")			\
	X(L2_M_OUT, CACHE, 0, 1, "lines in state M that left L2")	\
	X(LLC_REF, CACHE, 0, 1, "lines looked up in the last-level cache")	\
	X(LLC_MISS, CACHE, 0, 1, "lines not found in the last-level cache")	\
	X(BUS_READ, CACHE, 0, 1, "bus: lines read for data")		\
	X(BUS_RFO, CACHE, 0, 1, "bus: lines read for ownership")		\
	X(BUS_IFETCH, CACHE, 0, 1, "bus: lines read for code")		\
	X(BUS_INVALIDATE, CACHE, 0, 1, "bus: lines invalidated for ownership")	\
	X(BUS_WRITEBACK, CACHE, 0, 1, "bus: lines written back")	\
	X(BUS_WRITE_THROUGH, CACHE, 0, 1, "bus: writes to write-through memory")	\
	X(BUS_DRIVEN, BUS, 0, 1, "bus clocks of data that the processor drives")	\
	X(BUS_RECEIVED, BUS, 0, 1, "bus clocks of data that the processor receives")	\
	X(BUS_DATA, BUS, 0, 1, "bus clocks of data, by any agent")	\
	X(BUS_LOCK, LOCKED, 0, 0, "bus transactions of locked accesses that no cache can lock")	\
	X(HIT, CACHE, 0, 1, "snoops that hit a line and leave it shared")	\
	X(HITM, CACHE, 0, 1, "snoops that hit a modified line")	\
	X(L2_READ, CACHE, 0, 1, "clocks of data from L2")		\
	X(L2_WRITE, CACHE, 0, 1, "clocks of data to L2")		\
	X(OFFCORE_DATA_HIT, CACHE, 0, 1, "data reads that hit the last-level cache")	\
	X(OFFCORE_DATA_MISS, CACHE, 0, 1, "data reads that miss the last-level cache")	\
	X(OFFCORE_RFO_HIT, CACHE, 0, 1, "writes that hit the last-level cache")	\
	X(OFFCORE_RFO_MISS, CACHE, 0, 1, "writes that miss the last-level cache")	\
	X(OFFCORE_CODE_HIT, CACHE, 0, 1, "code fetches that hit the last-level cache")	\
	X(OFFCORE_CODE_MISS, CACHE, 0, 1, "code fetches that miss the last-level cache")	\
	X(LOAD_L1, CACHE, 1, 1, "instructions retired that read data, all from L1")	\
	X(LOAD_L2, CACHE, 1, 1, "those that read data from L2")		\
	X(LOAD_L3, CACHE, 1, 1, "those that read data from L3")		\
	X(LOAD_MEMORY, CACHE, 1, 1, "those that read data from memory")	\
	X(CODE_L1_MISS, CACHE, 1, 1, "instructions retired after a fetch that missed L1")	\
	X(CODE_L2_MISS, CACHE, 1, 1, "instructions retired after a fetch that missed L2")	\
	X(HWINT, HWINT, 0, 0, "hardware interrupts, NMIs too, taken")	\
	X(HANDLER, HWINT, 0, 0, "interrupts and exceptions delivered, other than by software")	\
	X(SEGMENT, SEGMENT, 0, 0, "segment registers loaded")		\
	X(SYSTEM_SEGMENT, CLASS, 0, 0, "LDTR, GDTR, IDTR, TR loaded")	\
	X(SERIAL, CLASS, 1, 0, "serialising instructions; VERR, VERW")	\
	X(FP_ADD, CLASS, 1, 0, "x87 additions, subtractions")		\
	X(FP_COMPARE, CLASS, 1, 0, "x87 comparisons")			\
	X(FP_MUL, CLASS, 1, 0, "x87 multiplications")			\
	X(FP_DIV, CLASS, 1, 0, "x87 divisions, remainders, square roots")	\
	X(FP_OTHER, CLASS, 1, 0, "x87 transcendental instructions")	\
	X(FP_VOID_MUL, CLASS, 1, 0, "x87 multiplications that raise an exception")	\
	X(FP_VOID_DIV, CLASS, 1, 0, "x87 divisions that raise an exception")	\
	X(FP_VOID, CLASS, 1, 0, "other x87 operations that raise an exception")	\
	X(FP_ASSIST, CLASS, 1, 0, "x87 operations that raise any exception but inexact")	\
	X(INT_MUL, CLASS, 1, 0, "integer multiplications")		\
	X(INT_DIV, CLASS, 1, 0, "integer divisions")			\
	X(MMX, CLASS, 1, 0, "MMX instructions, EMMS too")		\
	X(MMX_MUL, CLASS, 1, 0, "MMX multiplications")			\
	X(MMX_SHIFT, CLASS, 1, 0, "MMX shifts")				\
	X(MMX_PACK, CLASS, 1, 0, "MMX packs")				\
	X(MMX_UNPACK, CLASS, 1, 0, "MMX unpacks")			\
	X(MMX_LOGICAL, CLASS, 1, 0, "MMX logical instructions")		\
	X(MMX_ARITHMETIC, CLASS, 1, 0, "MMX arithmetic but multiplications")	\
	X(MMX_SATURATING, CLASS, 1, 0, "MMX instructions that can saturate")	\
	X(MMX_SATURATED, SATURATE, 1, 0, "MMX instructions that saturated")	\
	X(EMMS, CLASS, 1, 0, "EMMS")					\
	X(MMX_TO_FP, CLASS, 1, 0, "first x87 instructions after MMX ones")	\
	X(FP_TO_MMX, CLASS, 1, 0, "first MMX instructions after x87 ones")	\
	X(SSE, CLASS, 1, 0, "SSE instructions, packed")			\
	X(SSE_SCALAR, CLASS, 1, 0, "SSE instructions, scalar")		\
	X(SSE_COMPUTE, CLASS, 1, 0, "SSE instructions, packed, that compute")	\
	X(SSE_SCALAR_COMPUTE, CLASS, 1, 0, "SSE instructions, scalar, that compute")	\
	X(UOP, UOPS, 0, 0, "micro-ops of the instructions retired")	\
	X(MMX_UOP, UOPS, 0, 0, "micro-ops of MMX instructions")		\
	X(DIVIDER, UOPS, 0, 0, "clocks of the divider")			\
	X(MASKED, MASKED, 0, 0, "steps with interrupts disabled")	\
	X(MASKED_PENDING, MASKED, 0, 0, "steps with interrupts disabled and one pending")	\
	X(BREAK0, BREAK, 0, 0, "matches of the breakpoint in DR0")	\
	X(BREAK1, BREAK, 0, 0, "matches of the breakpoint in DR1")	\
	X(BREAK2, BREAK, 0, 0, "matches of the breakpoint in DR2")	\
	X(BREAK3, BREAK, 0, 0, "matches of the breakpoint in DR3")

#define PMU_X_ENUM(name, wants, bounded, modelled, what) PMU_##name,

/* PMU_NO_PRIM ends a list of primitives. */
enum pmu_prim {
	PMU_NO_PRIM,
	PMU_PRIMITIVES(PMU_X_ENUM)
	PMU_NPRIM
};

/* Reports that the active counters of a processor need: pmu_cpu.want. */
#define PMU_WANT_STEPS		0x0001u	/* pmu_retire and the rep calls */
#define PMU_WANT_BRANCHES	0x0002u	/* pmu_branch */
#define PMU_WANT_PREDICT	0x0004u	/* pmu_branch with true addresses */
#define PMU_WANT_HWINT		0x0008u	/* pmu_hwint, pmu_exception */
#define PMU_WANT_CLASS		0x0010u	/* pmu_insn for instructions with a class */
#define PMU_WANT_SATURATE	0x0020u	/* PMU_CLASS_SATURATED in pmu_retire_insn */
#define PMU_WANT_IO		0x0040u	/* pmu_io */
#define PMU_WANT_UOPS		0x0080u	/* pmu_insn for every instruction, and .uops */
/* pmu_insn for every instruction, and: */
#define PMU_WANT_ACCESS		0x0100u	/* pmu_data */
#define PMU_WANT_CACHE		0x0200u	/* pmu_data, pmu_insn.physical and .page */
#define PMU_WANT_FETCH		0x0400u	/* pmu_insn.physical and .page */
#define PMU_WANT_LOCKED		0x0800u	/* pmu_data, pmu_table_update */
#define PMU_WANT_SEGMENT	0x1000u	/* pmu_segments */
#define PMU_WANT_MASKED		0x2000u	/* pmu_insn.masked, .pending */
#define PMU_WANT_BREAK		0x4000u	/* pmu_data, pmu_io, addresses */
#define PMU_WANT_PIPES		0x8000u	/* pmu_insn.code and .wide, pmu_data */
#define PMU_WANT_INSN		0xff00u	/* any of these */

/*
 * Classes of an instruction: pmu_insn.classes. FP classes are x87 instructions; FP_DIV includes
 * remainders and square roots, FP_OTHER is transcendental. An SSE instruction has SSE or
 * SSE_SCALAR, and SSE_COMPUTE if it computes.
 */
#define PMU_CLASS_FP		0x00000001u
#define PMU_CLASS_FP_ADD	0x00000002u
#define PMU_CLASS_FP_COMPARE	0x00000004u
#define PMU_CLASS_FP_MUL	0x00000008u
#define PMU_CLASS_FP_DIV	0x00000010u
#define PMU_CLASS_FP_OTHER	0x00000020u
#define PMU_CLASS_INT_MUL	0x00000040u
#define PMU_CLASS_INT_DIV	0x00000080u
#define PMU_CLASS_MMX		0x00000100u
#define PMU_CLASS_MMX_MUL	0x00000200u
#define PMU_CLASS_MMX_SHIFT	0x00000400u
#define PMU_CLASS_MMX_PACK	0x00000800u
#define PMU_CLASS_MMX_UNPACK	0x00001000u
#define PMU_CLASS_MMX_LOGICAL	0x00002000u
#define PMU_CLASS_MMX_ARITHMETIC 0x00004000u
#define PMU_CLASS_MMX_SATURATING 0x00008000u
#define PMU_CLASS_EMMS		0x00010000u
#define PMU_CLASS_SEGMENT	0x00020000u	/* loads a segment register */
#define PMU_CLASS_SYSTEM_SEGMENT 0x00040000u	/* LLDT, LGDT, LIDT, LTR */
#define PMU_CLASS_SERIAL	0x00080000u	/* serialises; VERR, VERW */
#define PMU_CLASS_LOCKED	0x00100000u	/* LOCK; XCHG with memory */
#define PMU_CLASS_HALT		0x00200000u
#define PMU_CLASS_SSE		0x00400000u
#define PMU_CLASS_SSE_SCALAR	0x00800000u
#define PMU_CLASS_SSE_COMPUTE	0x01000000u
/* Known only when the instruction ends: pmu_retire_insn. */
#define PMU_CLASS_FP_VOID	0x02000000u	/* x87: invalid, or division by 0 */
#define PMU_CLASS_SATURATED	0x04000000u
#define PMU_CLASS_FP_ASSIST	0x08000000u	/* x87: any exception but inexact */

#define PMU_READ	1u
#define PMU_WRITE	2u

/** struct pmu_page - the page of an access
 * @bits: log2 of the page size, 0 without paging
 * @global: a global page: it stays in the TLB when CR3 is written
 * @cached: cacheable
 * @write_through: cacheable, and writes go to memory too
 */
struct pmu_page {
	unsigned int bits;
	bool global;
	bool cached;
	bool write_through;
};

/** struct pmu_uops - what an instruction costs on the P6 family
 * @uops: micro-ops without those of rounds
 * @round: micro-ops of a round of a string instruction with a repeat prefix
 * @divider: clocks in which the divider is busy
 */
struct pmu_uops {
	uint8_t uops, round, divider;
};

/** struct pmu_insn - an instruction that starts
 * @priv: its privilege
 * @classes: PMU_CLASS_*
 * @linear: linear address of its first byte
 * @physical: physical address of its first byte
 * @size: in bytes
 * @page: the page of its first byte
 * @code: its bytes
 * @wide: its code segment has 32-bit operands and addresses
 * @masked: interrupts are disabled
 * @pending: an interrupt is pending
 * @uops: its micro-ops, as pmu_p6_uops() returns them
 */
struct pmu_insn {
	unsigned int priv;
	unsigned int classes;
	uint64_t linear;
	uint64_t physical;
	unsigned int size;
	struct pmu_page page;
	const uint8_t *code;
	bool wide;
	bool masked;
	bool pending;
	struct pmu_uops uops;
};

/** struct pmu_access - data that the current instruction accesses
 * @linear: linear address
 * @physical: physical address
 * @size: in bytes, all on one page
 * @access: PMU_READ, PMU_WRITE or both
 * @whole: size in bytes of an access that continues on the next page; set in its first part
 * @rest: this is the second part of such an access
 * @page: the page
 */
struct pmu_access {
	uint64_t linear;
	uint64_t physical;
	unsigned int size;
	unsigned int access;
	unsigned int whole;
	bool rest;
	struct pmu_page page;
};

/** struct pmu_debug - debug registers
 * @dr: DR0 to DR3
 * @dr7: DR7
 * @de: CR4.DE
 */
struct pmu_debug {
	uint64_t dr[4];
	uint32_t dr7;
	bool de;
};

#define PMU_NO_LEVEL	(-1)
#define PMU_MAX_ACTIVE	32	/* counters of one processor that can be active */

struct pmu_counter;

/** enum pmu_due - what happens after a number of steps, whatever they are
 * @PMU_DUE_STORM: one of the interrupts of the option storm
 * @PMU_DUE_REWRITE: the registers are cleared, with the option mediated
 * @PMU_DUE_MIGRATE: counters stop to exist, with the option migrate
 * @PMU_DUE_SMI: a system management interrupt, with the option smi
 * @PMU_DUE_ZERO: counters that are still 0 interrupt again, with the option zero
 */
enum pmu_due {
	PMU_DUE_STORM, PMU_DUE_REWRITE, PMU_DUE_MIGRATE, PMU_DUE_SMI, PMU_DUE_ZERO, PMU_NDUE
};

/** struct pmu_cpu - the counters of one logical processor
 * @left: steps of each privilege until the counters must be synchronised
 * @budget: what @left was set to at the last synchronisation
 * @extra: steps since then on which no instruction retired
 * @pend: occurrences since then, other than steps
 * @want: PMU_WANT_*; the emulator need not make other reports
 * @access: PMU_READ and PMU_WRITE of the current instruction
 * @classes: PMU_CLASS_* of the current instruction
 * @masked: bit 0: interrupts are disabled; bit 1: one is pending
 * @uops: micro-ops of the current instruction
 * @unit: PMU_CLASS_FP or PMU_CLASS_MMX, the one executed last
 * @data_level: levels of cache that a data read of the current instruction missed, the most;
 *	PMU_NO_LEVEL: it read none
 * @code_level: the same of its fetch
 * @line: line of code fetched last, plus 1
 * @code_page: page of the last instruction, plus 1
 * @now: privilege of the last report
 * @eager: the counters must be synchronised on each occurrence
 * @rep_open: a round of a string instruction is done and its step is not counted yet
 * @rep_priv: privilege of that round
 * @due: steps until each enum pmu_due happens, 0 if it does not
 * @storm: interrupts that the option storm has yet to request
 * @active: the active counters
 * @nactive: their number
 * @id: number of the processor
 * @pmu: the PMU
 * @state: the family's registers
 *
 * The emulator reads @want only; the inline functions below and the model use the others.
 */
struct pmu_cpu {
	int64_t left[PMU_NPRIV];
	int64_t budget[PMU_NPRIV];
	uint64_t extra[PMU_NPRIV];
	uint64_t pend[PMU_NPRIV][PMU_NPRIM];
	unsigned int want;
	unsigned int access;
	unsigned int classes;
	unsigned int masked;
	struct pmu_uops uops;
	unsigned int unit;
	int data_level;
	int code_level;
	uint64_t line;
	uint64_t code_page;
	unsigned int now;
	bool eager;
	bool rep_open;
	unsigned int rep_priv;
	int64_t due[PMU_NDUE];
	unsigned int storm;
	struct pmu_counter *active[PMU_MAX_ACTIVE];
	unsigned int nactive;
	unsigned int id;
	struct pmu *pmu;
	void *state;
};

/** struct pmu_machine - what the emulator provides
 * @cpus: number of logical processors
 * @threads: logical processors of a core; their numbers are adjacent
 * @options: the text of PMCDRV_PMU, or NULL
 * @context: passed to each callback
 * @cpuid: reads the emulator's CPUID leaf into regs (EAX, EBX, ECX, EDX)
 * @pmi: a counter with interrupt enabled overflowed: the local APIC of this processor must
 *	deliver its LVT performance entry after about this number of further instructions
 * @debug: reads the debug registers of this processor; may be NULL
 * @want: pmu_cpu.want of this processor has changed; may be NULL
 * @active: returns whether this processor runs: it is neither halted nor waiting to be
 *	started. May be NULL if a core has one logical processor
 * @masked: returns whether the LVT performance entry of this processor is masked. May be NULL
 *	without the option late_ack
 */
struct pmu_machine {
	unsigned int cpus;
	unsigned int threads;
	const char *options;
	void *context;
	void (*cpuid)(void *context, uint32_t leaf, uint32_t subleaf,
		      uint32_t regs[4]);
	void (*pmi)(void *context, unsigned int cpu, unsigned int late);
	void (*debug)(void *context, unsigned int cpu, struct pmu_debug *d);
	void (*want)(void *context, unsigned int cpu, unsigned int want);
	bool (*active)(void *context, unsigned int cpu);
	bool (*masked)(void *context, unsigned int cpu);
};

/**
 * pmu_create() - create the PMU of a machine
 * @machine: copied
 * @error: buffer for the error message
 * @size: size of @error in bytes
 *
 * CPUID selects the family, the part and its counters.
 *
 * Return: the PMU in its power-up state, or NULL with a message in @error.
 */
struct pmu *pmu_create(const struct pmu_machine *machine, char *error,
		       size_t size);

/**
 * pmu_destroy() - write the dump, if the option dump= is given, and free the PMU
 * @pmu: may be NULL
 */
void pmu_destroy(struct pmu *pmu);

/**
 * pmu_name() - name of the family and the part, for a log
 * @pmu: the PMU
 */
const char *pmu_name(const struct pmu *pmu);

/**
 * pmu_user_cpl() - lowest CPL that is PMU_USER
 * @pmu: the PMU
 *
 * Return: 1, or 3 on families that count rings 0 to 2 together.
 */
unsigned int pmu_user_cpl(const struct pmu *pmu);

/**
 * pmu_masks_lvtpc() - whether an overflow interrupt masks the LVT performance entry
 * @pmu: the PMU
 *
 * Return: true for Intel processors: their local APIC sets the mask bit on delivery. False for
 * AMD's. The options mask and nomask change it.
 */
bool pmu_masks_lvtpc(const struct pmu *pmu);

/**
 * pmu_iret_priv() - the privilege in which an IRET counts, with its branch
 * @pmu: the PMU
 * @from: privilege in which it started
 * @to: privilege that it returns to
 *
 * Return: @from, or @to with the option iret.
 */
unsigned int pmu_iret_priv(const struct pmu *pmu, unsigned int from, unsigned int to);

/**
 * pmu_get_cpu() - the counters of one logical processor
 * @pmu: the PMU
 * @cpu: number of the processor
 */
struct pmu_cpu *pmu_get_cpu(struct pmu *pmu, unsigned int cpu);

/**
 * pmu_reset() - RESET or INIT of a processor
 * @c: the processor
 * @init: true for INIT, which leaves the PMU unchanged
 */
void pmu_reset(struct pmu_cpu *c, bool init);

/**
 * pmu_cpuid() - adapt a CPUID leaf to this PMU
 * @c: the processor
 * @leaf: EAX before CPUID
 * @subleaf: ECX before CPUID
 * @regs: the emulator's EAX, EBX, ECX, EDX, changed in place
 */
void pmu_cpuid(const struct pmu_cpu *c, uint32_t leaf, uint32_t subleaf,
	       uint32_t regs[4]);

/**
 * pmu_check_rdmsr() - whether RDMSR of this register would fault
 * @c: the processor
 * @msr: ECX
 *
 * Return: the result of pmu_rdmsr(), without reading or tracing.
 */
enum pmu_result pmu_check_rdmsr(struct pmu_cpu *c, uint32_t msr);

/**
 * pmu_rdmsr() - RDMSR
 * @c: the processor
 * @msr: ECX
 * @value: the emulator's result, changed in place
 *
 * A counter includes all instructions before this one. The caller then reports the RDMSR with
 * pmu_retire() like every instruction.
 *
 * Return: PMU_NONE, PMU_OK or PMU_GP.
 */
enum pmu_result pmu_rdmsr(struct pmu_cpu *c, uint32_t msr, uint64_t *value);

/**
 * pmu_wrmsr() - WRMSR
 * @c: the processor
 * @msr: ECX
 * @value: EDX:EAX
 *
 * Return: PMU_NONE, PMU_GP or PMU_OK. With PMU_OK the WRMSR has retired under the settings
 * before it and the new settings apply from the next instruction: the caller does not report it.
 */
enum pmu_result pmu_wrmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value);

/**
 * pmu_check_rdpmc() - whether RDPMC would fault
 * @c: the processor
 * @index: ECX
 * @cpl: current privilege level
 * @pce: CR4.PCE
 * @pe: CR0.PE
 *
 * Return: PMU_NONE, PMU_OK, PMU_GP or PMU_UD.
 */
enum pmu_result pmu_check_rdpmc(struct pmu_cpu *c, uint32_t index,
				unsigned int cpl, bool pce, bool pe);

/**
 * pmu_rdpmc() - RDPMC, after pmu_check_rdpmc() returned PMU_OK
 * @c: the processor
 * @index: ECX
 * @value: EDX:EAX; in 64-bit mode the upper halves of both are cleared
 */
enum pmu_result pmu_rdpmc(struct pmu_cpu *c, uint32_t index, uint64_t *value);

/**
 * pmu_sync() - add pending occurrences to the counters
 * @c: the processor
 */
void pmu_sync(struct pmu_cpu *c);

/**
 * pmu_retire() - report that an instruction has retired
 * @c: the processor
 * @priv: privilege in which it started
 */
static inline void pmu_retire(struct pmu_cpu *c, unsigned int priv)
{
	if (--c->left[priv] <= 0)
		pmu_sync(c);
}

/**
 * pmu_p6_uops() - micro-ops of an instruction on the P6 family
 * @u: the result; a default if the instruction is not in the table
 * @name: mnemonic in small letters, after "rep " if a repeat prefix applies
 * @operands: codes of the SDM's opcode map (Vol. 2, appendix A), the destination first: "Ed,Gd"
 * @memory: an operand that can be in memory is there
 *
 * Return: whether the instruction is in the table.
 */
bool pmu_p6_uops(struct pmu_uops *u, const char *name, const char *operands, bool memory);

/**
 * pmu_insn() - report that an instruction starts
 * @c: the processor
 * @i: its properties; only those in pmu_cpu.want need be set
 *
 * Call it again when the instruction is restarted after a fault.
 */
void pmu_insn(struct pmu_cpu *c, const struct pmu_insn *i);

/**
 * pmu_retire_insn() - pmu_retire() for an instruction that pmu_insn() reported
 * @c: the processor
 * @priv: privilege in which it started
 * @classes: PMU_CLASS_* that are known only at its end
 */
void pmu_retire_insn(struct pmu_cpu *c, unsigned int priv,
		     unsigned int classes);

/**
 * pmu_rep_round() - report that a string instruction has done one round
 * @c: the processor
 * @priv: privilege in which it started
 */
void pmu_rep_round(struct pmu_cpu *c, unsigned int priv);

/**
 * pmu_rep_done() - report that a string instruction with a repeat prefix has retired
 * @c: the processor
 * @priv: privilege in which it started
 *
 * Call it instead of pmu_retire(), with or without rounds before it.
 */
void pmu_rep_done(struct pmu_cpu *c, unsigned int priv);

/**
 * pmu_abort() - report that the current instruction does not retire
 * @c: the processor
 *
 * Call it for a fault, and for a string instruction that an interrupt stops between two
 * rounds. At any other time it has no effect.
 */
void pmu_abort(struct pmu_cpu *c);

/**
 * pmu_branch() - report that the current instruction is a branch
 * @c: the processor
 * @priv: privilege in which it started
 * @kind: PMU_BR_*
 * @from: its address
 * @to: its target, taken or not
 */
void pmu_branch(struct pmu_cpu *c, unsigned int priv, enum pmu_prim kind,
		uint64_t from, uint64_t to);

/**
 * pmu_data() - report a data access of the current instruction, or of a delivery
 * @c: the processor
 * @priv: privilege in which the instruction started, or the handler's
 * @a: the access
 */
void pmu_data(struct pmu_cpu *c, unsigned int priv, const struct pmu_access *a);

/**
 * pmu_io() - report an access of the current instruction to I/O space
 * @c: the processor
 * @priv: current privilege
 * @port: address
 * @size: in bytes
 * @write: true for a write
 */
void pmu_io(struct pmu_cpu *c, unsigned int priv, unsigned int port,
	    unsigned int size, bool write);

/**
 * pmu_table_update() - report that the processor sets a bit in a page or descriptor table
 * @c: the processor
 * @priv: current privilege
 */
void pmu_table_update(struct pmu_cpu *c, unsigned int priv);

/**
 * pmu_segments() - report segment registers loaded by a far transfer, interrupt or exception
 * @c: the processor
 * @priv: privilege of the instruction, or of the handler
 * @n: number of segment registers
 */
void pmu_segments(struct pmu_cpu *c, unsigned int priv, unsigned int n);

/**
 * pmu_hwint() - report that a hardware interrupt is taken
 * @c: the processor
 * @priv: privilege that it interrupts
 */
void pmu_hwint(struct pmu_cpu *c, unsigned int priv);

/**
 * pmu_exception() - report an exception other than by INT n, INT3 and INTO
 * @c: the processor
 *
 * For a fault, call pmu_abort() too.
 */
void pmu_exception(struct pmu_cpu *c);

/** enum pmu_flush - which TLB entries are invalidated
 * @PMU_FLUSH_ALL: all
 * @PMU_FLUSH_LOCAL: all but global pages
 * @PMU_FLUSH_PAGE: one page
 */
enum pmu_flush { PMU_FLUSH_ALL, PMU_FLUSH_LOCAL, PMU_FLUSH_PAGE };

/**
 * pmu_tlb_flush() - report that TLB entries are invalidated
 * @c: the processor
 * @what: which entries
 * @linear: address of the page, for PMU_FLUSH_PAGE
 */
void pmu_tlb_flush(struct pmu_cpu *c, enum pmu_flush what, uint64_t linear);

/**
 * pmu_cache_flush() - report INVD or WBINVD
 * @c: the processor that executed it
 * @write_back: true for WBINVD
 */
void pmu_cache_flush(struct pmu_cpu *c, bool write_back);

/**
 * pmu_cache_flush_line() - report CLFLUSH
 * @c: the processor
 * @addr: physical address
 */
void pmu_cache_flush_line(struct pmu_cpu *c, uint64_t addr);

#ifdef __cplusplus
}
#endif

#endif /* PMU_H */
