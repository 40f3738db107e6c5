/* SPDX-License-Identifier: GPL-2.0-only */
/* Decoder of the Pentium's instructions: the properties that decide pairs and stalls */
#ifndef PMU_DECODE_H
#define PMU_DECODE_H

#include "pmu_int.h"

/* Integer registers, a bit each, by their numbers in an instruction. */
#define REG_EAX		0x01
#define REG_ECX		0x02
#define REG_EDX		0x04
#define REG_EBX		0x08
#define REG_ESP		0x10
#define REG_EBP		0x20
#define REG_ESI		0x40
#define REG_EDI		0x80

/** enum pmu_pairing - pipes in which an instruction can be one of a pair
 * @PAIR_NP: none: it executes alone in U
 * @PAIR_UV: both
 * @PAIR_PU: U
 * @PAIR_PV: V
 * @PAIR_FX: U, with FXCH in V
 * @PAIR_FXCH: V, with an instruction of PAIR_FX in U
 */
enum pmu_pairing { PAIR_NP, PAIR_UV, PAIR_PU, PAIR_PV, PAIR_FX, PAIR_FXCH };

/** enum pmu_stack - implicit use of ESP
 * @STACK_NONE: none
 * @STACK_PUSH: PUSH of a register or an immediate
 * @STACK_POP: POP of a register
 * @STACK_CALL: direct near CALL
 * @STACK_OTHER: others; none of them pairs
 */
enum pmu_stack { STACK_NONE, STACK_PUSH, STACK_POP, STACK_CALL, STACK_OTHER };

/** struct pmu_decoded - an instruction
 * @pair: the pipes in which it pairs
 * @stack: implicit use of ESP, which is not in the masks
 * @reads, @writes: integer registers, partial ones as whole ones
 * @address: integer registers that its address is made of; part of @reads
 * @mmx_reads, @mmx_writes: MMX registers
 * @clocks: clocks that it takes if it does not pair
 * @prefixes: clocks that its prefixes and 0FH take in the decoder
 * @fp: an x87 instruction
 * @mmx: an MMX instruction
 * @mmx_shifter, @mmx_multiplier: the unit that the MMX instruction uses
 * @mmx_bus: an MMX instruction that accesses memory or an integer register
 * @mmx_store: an MMX instruction that writes an MMX register to memory
 */
struct pmu_decoded {
	enum pmu_pairing pair;
	enum pmu_stack stack;
	uint8_t reads, writes, address;
	uint8_t mmx_reads, mmx_writes;
	unsigned int clocks;
	unsigned int prefixes;
	bool fp, mmx;
	bool mmx_shifter, mmx_multiplier, mmx_bus, mmx_store;
};

/**
 * pmu_decode() - decode an instruction
 * @d: the result
 * @code: its bytes
 * @size: their number
 * @wide: the code segment has 32-bit operands and addresses
 * @mmx: the part has MMX technology
 */
void pmu_decode(struct pmu_decoded *d, const uint8_t *code, unsigned int size, bool wide,
		bool mmx);

#endif /* PMU_DECODE_H */
