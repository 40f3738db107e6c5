/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A performance-monitoring unit as a library: what an emulator tells of its
 * processors goes in, registers and overflow interrupts come out.
 *
 * The words used here (step, retire, privilege) are defined in README.md.
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

/** enum pmu_result - what became of a register access
 * @PMU_NONE: the register is not the PMU's: the machine goes on as without it
 * @PMU_OK: done
 * @PMU_GP: the processor raises #GP(0), nothing was changed
 * @PMU_UD: the processor raises #UD: it does not have the instruction
 */
enum pmu_result { PMU_NONE, PMU_OK, PMU_GP, PMU_UD };

/** enum pmu_priv - the privilege an instruction started in
 * @PMU_KERNEL: the OS bit's side
 * @PMU_USER: the USR bit's side: CPL pmu_user_cpl() and above
 */
enum pmu_priv { PMU_KERNEL, PMU_USER, PMU_NPRIV };

/** enum pmu_prim - the occurrences that events are made of
 * @PMU_NO_PRIM: ends a list of them
 * @PMU_STEP: steps of the machine's clock, on which an instruction retired or
 *	a string instruction finished one of its rounds
 * @PMU_INSN: instructions retired
 * @PMU_BR_COND_TAKEN: conditional near branches that were taken
 * @PMU_BR_COND_NTAKEN: conditional near branches that were not taken
 * @PMU_BR_JMP: direct near jumps
 * @PMU_BR_JMP_IND: indirect near jumps
 * @PMU_BR_CALL: direct near calls
 * @PMU_BR_CALL_IND: indirect near calls
 * @PMU_BR_RET: near returns
 * @PMU_BR_FAR: far branches: far JMP, CALL and RET, INT n, INT3, INTO taken,
 *	IRET, SYSCALL, SYSRET, SYSENTER, SYSEXIT
 * @PMU_MISP_COND: conditional near branches whose direction was mispredicted
 * @PMU_MISP_IND: indirect near jumps and calls with a mispredicted target
 * @PMU_MISP_RET: near returns with a mispredicted target
 * @PMU_LOAD: instructions retired that read data memory
 * @PMU_STORE: instructions retired that wrote data memory
 * @PMU_LLC_REF: lines looked for in the last-level cache
 * @PMU_LLC_MISS: lines that were not found there
 * @PMU_HWINT: hardware interrupts (NMIs too) that were taken
 */
enum pmu_prim {
	PMU_NO_PRIM,
	PMU_STEP,
	PMU_INSN,
	PMU_BR_COND_TAKEN,
	PMU_BR_COND_NTAKEN,
	PMU_BR_JMP,
	PMU_BR_JMP_IND,
	PMU_BR_CALL,
	PMU_BR_CALL_IND,
	PMU_BR_RET,
	PMU_BR_FAR,
	PMU_MISP_COND,
	PMU_MISP_IND,
	PMU_MISP_RET,
	PMU_LOAD,
	PMU_STORE,
	PMU_LLC_REF,
	PMU_LLC_MISS,
	PMU_HWINT,
	PMU_NPRIM
};

/* What a processor's counters need to be told now: pmu_cpu.want. */
#define PMU_WANT_STEPS		0x01u	/* pmu_retire and the rep calls */
#define PMU_WANT_BRANCHES	0x02u	/* pmu_branch */
#define PMU_WANT_ACCESS		0x04u	/* pmu_begin, pmu_data */
#define PMU_WANT_CACHE		0x08u	/* pmu_fetch, pmu_data */
#define PMU_WANT_PREDICT	0x10u	/* pmu_branch with true addresses */
#define PMU_WANT_HWINT		0x20u	/* pmu_hwint */

#define PMU_READ	1u
#define PMU_WRITE	2u

#define PMU_MAX_ACTIVE	32	/* counters of a processor that count at a time */

struct pmu_counter;

/** struct pmu_cpu - the counters of one logical processor
 * @left: steps of each privilege until the counters must be looked at
 * @budget: what @left was set to when they last were
 * @extra: steps since then on which no instruction retired
 * @pend: occurrences since then that are not steps
 * @want: PMU_WANT_*; the machine need not call what is not wanted
 * @access: PMU_READ and PMU_WRITE of the instruction under way
 * @rep_open: a round of a string instruction waits for its step
 * @rep_priv: and this is its privilege
 * @active: the counters that count
 * @nactive: how many
 * @id: the number of the processor
 * @pmu: the PMU it belongs to
 * @state: the family's own
 *
 * All but @want is here for the inline functions below and for the model.
 */
struct pmu_cpu {
	int64_t left[PMU_NPRIV];
	int64_t budget[PMU_NPRIV];
	uint64_t extra[PMU_NPRIV];
	uint64_t pend[PMU_NPRIV][PMU_NPRIM];
	unsigned int want;
	unsigned int access;
	bool rep_open;
	unsigned int rep_priv;
	struct pmu_counter *active[PMU_MAX_ACTIVE];
	unsigned int nactive;
	unsigned int id;
	struct pmu *pmu;
	void *state;
};

/** struct pmu_machine - what the machine provides
 * @cpus: the number of logical processors
 * @threads: logical processors to a core; those of a core are neighbours
 * @options: the text of PMCDRV_PMU, or NULL
 * @context: handed back in each call
 * @cpuid: the leaf as the machine has it, into regs (EAX, EBX, ECX, EDX)
 * @pmi: a counter overflowed that was set to interrupt: the local APIC of this
 *	processor is to deliver what its LVT performance entry says
 * @want: pmu_cpu.want of this processor has changed; may be NULL
 */
struct pmu_machine {
	unsigned int cpus;
	unsigned int threads;
	const char *options;
	void *context;
	void (*cpuid)(void *context, uint32_t leaf, uint32_t subleaf,
		      uint32_t regs[4]);
	void (*pmi)(void *context, unsigned int cpu);
	void (*want)(void *context, unsigned int cpu, unsigned int want);
};

/**
 * pmu_create() - make the PMU of a machine
 * @machine: copied
 * @error: text of what went wrong
 * @size: room for it
 *
 * The part and its counters are those that CPUID tells of.
 *
 * Return: the PMU after power-up, or NULL with @error filled in.
 */
struct pmu *pmu_create(const struct pmu_machine *machine, char *error,
		       size_t size);

/**
 * pmu_destroy() - write the dump, if one was asked for, and free everything
 * @pmu: may be NULL
 */
void pmu_destroy(struct pmu *pmu);

/**
 * pmu_name() - the family and the part, for a log
 * @pmu: the PMU
 */
const char *pmu_name(const struct pmu *pmu);

/**
 * pmu_user_cpl() - the lowest CPL that is PMU_USER
 * @pmu: the PMU
 *
 * Return: 1, or 3 where rings 0 to 2 are counted together.
 */
unsigned int pmu_user_cpl(const struct pmu *pmu);

/**
 * pmu_get_cpu() - the counters of one logical processor
 * @pmu: the PMU
 * @cpu: its number
 */
struct pmu_cpu *pmu_get_cpu(struct pmu *pmu, unsigned int cpu);

/**
 * pmu_reset() - RESET or INIT of a processor
 * @c: the processor
 * @init: an INIT, which leaves the PMU as it is
 */
void pmu_reset(struct pmu_cpu *c, bool init);

/**
 * pmu_cpuid() - mend a CPUID leaf to tell of this PMU
 * @pmu: the PMU
 * @leaf: EAX before
 * @subleaf: ECX before
 * @regs: the machine's EAX, EBX, ECX, EDX, changed in place
 */
void pmu_cpuid(const struct pmu *pmu, uint32_t leaf, uint32_t subleaf,
	       uint32_t regs[4]);

/**
 * pmu_check_rdmsr() - would RDMSR of this register fault?
 * @c: the processor
 * @msr: ECX
 *
 * Return: as pmu_rdmsr() would, but nothing is looked at or logged.
 */
enum pmu_result pmu_check_rdmsr(struct pmu_cpu *c, uint32_t msr);

/**
 * pmu_rdmsr() - RDMSR
 * @c: the processor
 * @msr: ECX
 * @value: the machine's own answer, changed in place
 *
 * Counters tell all instructions before this one. The caller reports the
 * RDMSR itself with pmu_retire() afterwards, as every instruction.
 */
enum pmu_result pmu_rdmsr(struct pmu_cpu *c, uint32_t msr, uint64_t *value);

/**
 * pmu_wrmsr() - WRMSR
 * @c: the processor
 * @msr: ECX
 * @value: EDX:EAX
 *
 * With PMU_OK the WRMSR has retired under the settings before it, and the new
 * ones hold from the next instruction on: the caller does not report it.
 */
enum pmu_result pmu_wrmsr(struct pmu_cpu *c, uint32_t msr, uint64_t value);

/**
 * pmu_check_rdpmc() - would RDPMC fault?
 * @c: the processor
 * @index: ECX
 * @cpl: the current privilege level
 * @pce: CR4.PCE
 * @pe: CR0.PE
 */
enum pmu_result pmu_check_rdpmc(struct pmu_cpu *c, uint32_t index,
				unsigned int cpl, bool pce, bool pe);

/**
 * pmu_rdpmc() - RDPMC that pmu_check_rdpmc() found well
 * @c: the processor
 * @index: ECX
 * @value: EDX:EAX; in 64-bit mode the upper halves of both are cleared
 */
enum pmu_result pmu_rdpmc(struct pmu_cpu *c, uint32_t index, uint64_t *value);

/**
 * pmu_sync() - bring the counters up to date
 * @c: the processor
 */
void pmu_sync(struct pmu_cpu *c);

/**
 * pmu_retire() - an instruction has retired
 * @c: the processor
 * @priv: the privilege it started in
 */
static inline void pmu_retire(struct pmu_cpu *c, unsigned int priv)
{
	if (--c->left[priv] <= 0)
		pmu_sync(c);
}

/**
 * pmu_begin() - an instruction starts
 * @c: the processor
 */
static inline void pmu_begin(struct pmu_cpu *c)
{
	c->access = 0;
	c->rep_open = false;
}

/**
 * pmu_retire_access() - pmu_retire() that counts the data accesses too
 * @c: the processor
 * @priv: the privilege it started in
 */
void pmu_retire_access(struct pmu_cpu *c, unsigned int priv);

/**
 * pmu_rep_round() - a string instruction has done one of its rounds
 * @c: the processor
 * @priv: the privilege it started in
 */
void pmu_rep_round(struct pmu_cpu *c, unsigned int priv);

/**
 * pmu_rep_done() - a string instruction with a repeat prefix has retired
 * @c: the processor
 * @priv: the privilege it started in
 *
 * Instead of pmu_retire(), with or without rounds before it.
 */
void pmu_rep_done(struct pmu_cpu *c, unsigned int priv);

/**
 * pmu_abort() - the instruction under way does not retire
 * @c: the processor
 *
 * Call it for a fault, and for a string instruction that stops between two
 * rounds for an interrupt. It is harmless at any other time.
 */
void pmu_abort(struct pmu_cpu *c);

/**
 * pmu_branch() - the instruction under way is a branch
 * @c: the processor
 * @priv: the privilege it started in
 * @kind: PMU_BR_*
 * @from: its linear address
 * @to: where it goes; not needed for a branch not taken
 */
void pmu_branch(struct pmu_cpu *c, unsigned int priv, enum pmu_prim kind,
		uint64_t from, uint64_t to);

/**
 * pmu_data() - the instruction under way accesses data in cacheable memory
 * @c: the processor
 * @priv: the current privilege
 * @addr: physical address
 * @size: bytes
 * @access: PMU_READ, PMU_WRITE or both
 * @cached: the memory is cacheable
 */
void pmu_data(struct pmu_cpu *c, unsigned int priv, uint64_t addr,
	      unsigned int size, unsigned int access, bool cached);

/**
 * pmu_fetch() - an instruction is fetched
 * @c: the processor
 * @priv: the current privilege
 * @addr: physical address of its first byte
 */
void pmu_fetch(struct pmu_cpu *c, unsigned int priv, uint64_t addr);

/**
 * pmu_hwint() - a hardware interrupt is taken
 * @c: the processor
 * @priv: the privilege that it interrupts
 */
void pmu_hwint(struct pmu_cpu *c, unsigned int priv);

/**
 * pmu_cache_flush() - the caches are emptied
 * @c: the processor that executed INVD or WBINVD
 */
void pmu_cache_flush(struct pmu_cpu *c);

/**
 * pmu_cache_flush_line() - CLFLUSH
 * @c: the processor
 * @addr: physical address
 */
void pmu_cache_flush_line(struct pmu_cpu *c, uint64_t addr);

#ifdef __cplusplus
}
#endif

#endif /* PMU_H */
