// SPDX-License-Identifier: GPL-2.0-only
//
// Bochs' instrumentation hooks for the PMU model. The checks for each instruction are inlined
// here into Bochs' main loop: an instruction that is not counted costs two table lookups.
//
// The model's headers are not included, because all of Bochs depends on this file.

#if BX_INSTRUMENTATION

class bxInstruction_c;

// Kinds of an opcode (glue_kind), and kinds that a processor must report now (glue_report).
#define GLUE_PLAIN	0x01 // it only retires
#define GLUE_ALWAYS	0x02 // RDMSR, WRMSR, RDPMC, CPUID
#define GLUE_SPECIAL	0x04 // may change the privilege, or repeats
#define GLUE_DETAIL	0x08 // set for all opcodes: each instruction is reported
#define GLUE_CLASSED	0x10 // of a class that some event counts

#define GLUE_MAX_CPUS	256

extern unsigned char glue_kind[];
extern unsigned char glue_report[GLUE_MAX_CPUS];
extern unsigned char glue_branches[GLUE_MAX_CPUS];
extern unsigned char glue_accesses[GLUE_MAX_CPUS];
extern unsigned char glue_tables[GLUE_MAX_CPUS];
extern int glue_io; // processor that accesses I/O space, or -1
extern unsigned char glue_priv[4]; // PMU_KERNEL or PMU_USER, by CPL
extern Bit64s *glue_left[GLUE_MAX_CPUS]; // pmu_cpu.left
extern bool glue_covers; // PMCDRV_COVERAGE: the decoded instructions of modules are recorded

void glue_due(unsigned cpu);
void glue_rep_round(unsigned cpu);

void bx_instr_init_env(void);
void bx_instr_exit_env(void);
void bx_instr_initialize(unsigned cpu);
void bx_instr_reset(unsigned cpu, unsigned type);
void bx_instr_before_execution(unsigned cpu, bxInstruction_c *i);
void bx_instr_after_execution(unsigned cpu, bxInstruction_c *i);
void bx_instr_cnear_branch(unsigned cpu, bool taken, bx_address from, bx_address to);
void bx_instr_not_taken(unsigned cpu, bxInstruction_c *i, bx_address from);
void bx_instr_ucnear_branch(unsigned cpu, unsigned what, bx_address from, bx_address to);
void bx_instr_far_branch(unsigned cpu, unsigned what, bx_address from, bx_address to);
void bx_instr_exception(unsigned cpu);
void bx_instr_hwinterrupt(unsigned cpu);
void bx_instr_cache_cntrl(unsigned cpu, unsigned what);
void bx_instr_tlb_cntrl(unsigned cpu, unsigned what, bx_address value);
void bx_instr_clflush(unsigned cpu, bx_phy_address addr);
void bx_instr_lin_access(unsigned cpu, bx_address lin, bx_phy_address phy, unsigned len, unsigned memtype, unsigned rw);
void bx_instr_table_update(unsigned cpu);
void bx_instr_io(unsigned port, unsigned len, bool write);
void bx_instr_wrmsr(unsigned cpu, unsigned msr, Bit64u value);
void bx_instr_decoded(unsigned cpu, const Bit8u *code);

#define BX_INSTR_INIT_ENV() bx_instr_init_env()
#define BX_INSTR_EXIT_ENV() bx_instr_exit_env()

#define BX_INSTR_INITIALIZE(cpu_id)      bx_instr_initialize(cpu_id)
#define BX_INSTR_EXIT(cpu_id)
#define BX_INSTR_RESET(cpu_id, type)     bx_instr_reset(cpu_id, type)
#define BX_INSTR_HLT(cpu_id)
#define BX_INSTR_MWAIT(cpu_id, addr, len, flags)

#define BX_INSTR_DEBUG_PROMPT()
#define BX_INSTR_DEBUG_CMD(cmd)

#define BX_INSTR_CNEAR_BRANCH_TAKEN(cpu_id, from, to) { \
  if (glue_branches[cpu_id]) bx_instr_cnear_branch(cpu_id, true, from, to); }
#define BX_INSTR_CNEAR_BRANCH_NOT_TAKEN(cpu_id, from) { \
  if (glue_branches[cpu_id]) bx_instr_not_taken(cpu_id, i, from); }
#define BX_INSTR_UCNEAR_BRANCH(cpu_id, what, from, to) { \
  if (glue_branches[cpu_id]) bx_instr_ucnear_branch(cpu_id, what, from, to); }
#define BX_INSTR_FAR_BRANCH(cpu_id, what, prev_cs, from, new_cs, to) { \
  if (glue_branches[cpu_id]) bx_instr_far_branch(cpu_id, what, from, to); }

// Once for each instruction that Bochs decodes, not for each that is executed
#define BX_INSTR_OPCODE(cpu_id, i, opcode, len, is32, is64) { \
  if (glue_covers) bx_instr_decoded(cpu_id, opcode); }

#define BX_INSTR_EXCEPTION(cpu_id, vector, error_code) bx_instr_exception(cpu_id)
#define BX_INSTR_INTERRUPT(cpu_id, vector)
#define BX_INSTR_HWINTERRUPT(cpu_id, vector, cs, eip) bx_instr_hwinterrupt(cpu_id)

#define BX_INSTR_CLFLUSH(cpu_id, laddr, paddr)    bx_instr_clflush(cpu_id, paddr)
#define BX_INSTR_CACHE_CNTRL(cpu_id, what)        bx_instr_cache_cntrl(cpu_id, what)
#define BX_INSTR_TLB_CNTRL(cpu_id, what, value)   bx_instr_tlb_cntrl(cpu_id, what, value)
#define BX_INSTR_PREFETCH_HINT(cpu_id, what, seg, offset)

// A plain instruction has the same privilege at its start and end: the hook at its end is
// enough.
#define BX_INSTR_BEFORE_EXECUTION(cpu_id, i) { \
  if (glue_kind[(i)->getIaOpcode()] & glue_report[cpu_id] & ~GLUE_PLAIN) \
    bx_instr_before_execution(cpu_id, i); }

#define BX_INSTR_AFTER_EXECUTION(cpu_id, i) { \
  unsigned glue_heard = glue_kind[(i)->getIaOpcode()] & glue_report[cpu_id]; \
  if (glue_heard) { \
    if (glue_heard == GLUE_PLAIN) { \
      if (--glue_left[cpu_id][glue_priv[CPL]] <= 0) glue_due(cpu_id); \
    } else { \
      bx_instr_after_execution(cpu_id, i); \
    } \
  } }

#define BX_INSTR_REPEAT_ITERATION(cpu_id, i) { \
  if (glue_report[cpu_id] & GLUE_SPECIAL) glue_rep_round(cpu_id); }

#define BX_INSTR_LIN_ACCESS(cpu_id, lin, phy, len, memtype, rw) { \
  if (glue_accesses[cpu_id]) bx_instr_lin_access(cpu_id, lin, phy, len, memtype, rw); }
#define BX_INSTR_PHY_ACCESS(cpu_id, phy, len, memtype, rw) { \
  if (glue_tables[cpu_id] && (rw) == BX_WRITE) bx_instr_table_update(cpu_id); }

#define BX_INSTR_INP(addr, len) { if (glue_io >= 0) bx_instr_io(addr, len, false); }
#define BX_INSTR_INP2(addr, len, val)
#define BX_INSTR_OUTP(addr, len, val) { if (glue_io >= 0) bx_instr_io(addr, len, true); }

#define BX_INSTR_WRMSR(cpu_id, addr, value) bx_instr_wrmsr(cpu_id, addr, value)

#define BX_INSTR_VMEXIT(cpu_id, reason, qualification)

#else

#define BX_INSTR_INIT_ENV()
#define BX_INSTR_EXIT_ENV()
#define BX_INSTR_INITIALIZE(cpu_id)
#define BX_INSTR_EXIT(cpu_id)
#define BX_INSTR_RESET(cpu_id, type)
#define BX_INSTR_HLT(cpu_id)
#define BX_INSTR_MWAIT(cpu_id, addr, len, flags)
#define BX_INSTR_DEBUG_PROMPT()
#define BX_INSTR_DEBUG_CMD(cmd)
#define BX_INSTR_CNEAR_BRANCH_TAKEN(cpu_id, branch_eip, new_eip)
#define BX_INSTR_CNEAR_BRANCH_NOT_TAKEN(cpu_id, branch_eip)
#define BX_INSTR_UCNEAR_BRANCH(cpu_id, what, branch_eip, new_eip)
#define BX_INSTR_FAR_BRANCH(cpu_id, what, prev_cs, prev_eip, new_cs, new_eip)
#define BX_INSTR_OPCODE(cpu_id, i, opcode, len, is32, is64)
#define BX_INSTR_EXCEPTION(cpu_id, vector, error_code)
#define BX_INSTR_INTERRUPT(cpu_id, vector)
#define BX_INSTR_HWINTERRUPT(cpu_id, vector, cs, eip)
#define BX_INSTR_CLFLUSH(cpu_id, laddr, paddr)
#define BX_INSTR_CACHE_CNTRL(cpu_id, what)
#define BX_INSTR_TLB_CNTRL(cpu_id, what, new_cr3)
#define BX_INSTR_PREFETCH_HINT(cpu_id, what, seg, offset)
#define BX_INSTR_BEFORE_EXECUTION(cpu_id, i)
#define BX_INSTR_AFTER_EXECUTION(cpu_id, i)
#define BX_INSTR_REPEAT_ITERATION(cpu_id, i)
#define BX_INSTR_LIN_ACCESS(cpu_id, lin, phy, len, memtype, rw)
#define BX_INSTR_PHY_ACCESS(cpu_id, phy, len, memtype, rw)
#define BX_INSTR_INP(addr, len)
#define BX_INSTR_INP2(addr, len, val)
#define BX_INSTR_OUTP(addr, len, val)
#define BX_INSTR_WRMSR(cpu_id, addr, value)
#define BX_INSTR_VMEXIT(cpu_id, reason, qualification)

#endif
