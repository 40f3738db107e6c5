// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions of the Pentium: pairing, registers and clocks
 *
 * Pairing: "Pentium Processor User's Manual", Volume 1, "Data Book", section 3.1.2. Pairing and
 * clocks: Intel Architecture Optimization Manual (order number 242816), appendix "Integer Pairing
 * Tables" and "Floating-Point Pairing Tables". The two manuals disagree on PUSH of memory. The
 * model follows the table: PUSH of memory does not pair.
 */
#include "pmu_decode.h"

/* Operands of an opcode. G and E are the fields reg and r/m of the ModR/M byte. */
#define M	0x0001		/* it has a ModR/M byte */
#define B	0x0002		/* registers of a byte: AH to BH are 4 to 7 */
#define RG	0x0004		/* reads G */
#define WG	0x0008
#define RE	0x0010
#define WE	0x0020
#define RO	0x0040		/* reads the register in the opcode's low bits */
#define WO	0x0080
#define I	0x0100		/* it has an immediate, besides a ModR/M byte */
#define ALU	0x0200		/* an operand in memory costs additional clocks */
#define REPS	0x0800		/* a repeat prefix counts ECX */

/** struct op - an opcode
 * @flags: the operands
 * @pair: enum pmu_pairing
 * @clocks: with register operands; 0 is 1
 * @stack: enum pmu_stack
 * @reads, @writes, @address: additional registers
 */
struct op {
	uint16_t flags;
	uint8_t pair;
	uint8_t clocks;
	uint8_t stack;
	uint8_t reads, writes, address;
};

#define ARITHMETIC(first, p, w)						\
	[(first)] = { M | B | RG | RE | ((w) ? WE : 0) | ALU, p },		\
	[(first) + 1] = { M | RG | RE | ((w) ? WE : 0) | ALU, p },		\
	[(first) + 2] = { M | B | RE | RG | ((w) ? WG : 0) | ALU, p },	\
	[(first) + 3] = { M | RE | RG | ((w) ? WG : 0) | ALU, p },		\
	[(first) + 4 ... (first) + 5] = { .pair = p, .reads = REG_EAX,	\
					  .writes = (w) ? REG_EAX : 0 }

#define STRING	(REG_ESI | REG_EDI)

static const struct op one_byte[256] = {
	ARITHMETIC(0x00, PAIR_UV, 1),			/* ADD */
	ARITHMETIC(0x08, PAIR_UV, 1),			/* OR */
	ARITHMETIC(0x10, PAIR_PU, 1),			/* ADC */
	ARITHMETIC(0x18, PAIR_PU, 1),			/* SBB */
	ARITHMETIC(0x20, PAIR_UV, 1),			/* AND */
	ARITHMETIC(0x28, PAIR_UV, 1),			/* SUB */
	ARITHMETIC(0x30, PAIR_UV, 1),			/* XOR */
	ARITHMETIC(0x38, PAIR_UV, 0),			/* CMP */
	[0x06 ... 0x07] = { .clocks = 3, .stack = STACK_OTHER },	/* segment registers */
	[0x0e] = { .clocks = 3, .stack = STACK_OTHER },
	[0x16 ... 0x17] = { .clocks = 3, .stack = STACK_OTHER },
	[0x1e ... 0x1f] = { .clocks = 3, .stack = STACK_OTHER },
	[0x27] = { .clocks = 3, .reads = REG_EAX, .writes = REG_EAX },	/* DAA, ... */
	[0x2f] = { .clocks = 3, .reads = REG_EAX, .writes = REG_EAX },
	[0x37] = { .clocks = 3, .reads = REG_EAX, .writes = REG_EAX },
	[0x3f] = { .clocks = 3, .reads = REG_EAX, .writes = REG_EAX },
	[0x40 ... 0x4f] = { RO | WO, PAIR_UV },		/* INC, DEC */
	[0x50 ... 0x57] = { RO, PAIR_UV, .stack = STACK_PUSH },
	[0x58 ... 0x5f] = { WO, PAIR_UV, .stack = STACK_POP },
	[0x60] = { .clocks = 5, .stack = STACK_OTHER, .reads = 0xff },
	[0x61] = { .clocks = 5, .stack = STACK_OTHER, .writes = (uint8_t)~REG_ESP },
	[0x62] = { M | RG, .clocks = 8 },
	[0x63] = { M | RG | RE | WE, .clocks = 7 },
	[0x68] = { .pair = PAIR_UV, .stack = STACK_PUSH },
	[0x69] = { M | RE | WG | I, .clocks = 10 },
	[0x6a] = { .pair = PAIR_UV, .stack = STACK_PUSH },
	[0x6b] = { M | RE | WG | I, .clocks = 10 },
	[0x6c ... 0x6d] = { REPS, .clocks = 9, .reads = REG_EDX, .writes = REG_EDI,
			    .address = REG_EDI },
	[0x6e ... 0x6f] = { REPS, .clocks = 13, .reads = REG_EDX, .writes = REG_ESI,
			    .address = REG_ESI },
	[0x70 ... 0x7f] = { .pair = PAIR_PV },		/* Jcc */
	[0x80] = { M | B | RE | WE | I | ALU, PAIR_UV },
	[0x81] = { M | RE | WE | I | ALU, PAIR_UV },
	[0x82] = { M | B | RE | WE | I | ALU, PAIR_UV },
	[0x83] = { M | RE | WE | I | ALU, PAIR_UV },
	[0x84] = { M | B | RG | RE | ALU, PAIR_UV },	/* TEST */
	[0x85] = { M | RG | RE | ALU, PAIR_UV },
	[0x86] = { M | B | RG | WG | RE | WE, .clocks = 3 },	/* XCHG */
	[0x87] = { M | RG | WG | RE | WE, .clocks = 3 },
	[0x88] = { M | B | RG | WE, PAIR_UV },		/* MOV */
	[0x89] = { M | RG | WE, PAIR_UV },
	[0x8a] = { M | B | RE | WG, PAIR_UV },
	[0x8b] = { M | RE | WG, PAIR_UV },
	[0x8c] = { M | WE },
	[0x8d] = { M | WG, PAIR_UV },		/* LEA */
	[0x8e] = { M | RE, .clocks = 3 },
	[0x8f] = { M | WE, .clocks = 3, .stack = STACK_OTHER },
	[0x90] = { .pair = PAIR_UV },			/* NOP */
	[0x91 ... 0x97] = { RO | WO, .clocks = 2, .reads = REG_EAX, .writes = REG_EAX },
	[0x98] = { .clocks = 3, .reads = REG_EAX, .writes = REG_EAX },
	[0x99] = { .clocks = 2, .reads = REG_EAX, .writes = REG_EDX },
	[0x9a] = { .clocks = 4, .stack = STACK_OTHER },
	[0x9c ... 0x9d] = { .clocks = 4, .stack = STACK_OTHER },
	[0x9e] = { .clocks = 2, .reads = REG_EAX },
	[0x9f] = { .clocks = 2, .writes = REG_EAX },
	[0xa0 ... 0xa1] = { .pair = PAIR_UV, .writes = REG_EAX },
	[0xa2 ... 0xa3] = { .pair = PAIR_UV, .reads = REG_EAX },
	[0xa4 ... 0xa5] = { REPS, .clocks = 4, .writes = STRING, .address = STRING },
	[0xa6 ... 0xa7] = { REPS, .clocks = 5, .writes = STRING, .address = STRING },
	[0xa8 ... 0xa9] = { .pair = PAIR_UV, .reads = REG_EAX },	/* TEST */
	[0xaa ... 0xab] = { REPS, .clocks = 3, .reads = REG_EAX, .writes = REG_EDI,
			    .address = REG_EDI },
	[0xac ... 0xad] = { REPS, .clocks = 2, .writes = REG_ESI | REG_EAX,
			    .address = REG_ESI },
	[0xae ... 0xaf] = { REPS, .clocks = 4, .reads = REG_EAX, .writes = REG_EDI,
			    .address = REG_EDI },
	[0xb0 ... 0xb7] = { B | WO, PAIR_UV },
	[0xb8 ... 0xbf] = { WO, PAIR_UV },
	[0xc0] = { M | B | RE | WE | I | ALU, PAIR_PU },	/* shifts and rotations */
	[0xc1] = { M | RE | WE | I | ALU, PAIR_PU },
	[0xd0] = { M | B | RE | WE | ALU, PAIR_PU },
	[0xd1] = { M | RE | WE | ALU, PAIR_PU },
	[0xd2] = { M | B | RE | WE, .clocks = 4, .reads = REG_ECX },
	[0xd3] = { M | RE | WE, .clocks = 4, .reads = REG_ECX },
	/* RET n writes ESP like ADD: see AGI in pmu_pipes.c */
	[0xc2] = { .clocks = 3, .stack = STACK_OTHER, .writes = REG_ESP },
	[0xc3] = { .clocks = 2, .stack = STACK_OTHER },
	[0xc4 ... 0xc5] = { M | WG, .clocks = 4 },
	[0xc6] = { M | B | WE | I, PAIR_UV },
	[0xc7] = { M | WE | I, PAIR_UV },
	[0xc8] = { .clocks = 11, .stack = STACK_OTHER, .reads = REG_EBP, .writes = REG_EBP },
	[0xc9] = { .clocks = 3, .stack = STACK_OTHER, .writes = REG_EBP, .address = REG_EBP },
	[0xca ... 0xcf] = { .clocks = 4, .stack = STACK_OTHER },
	[0xd4 ... 0xd5] = { .clocks = 10, .reads = REG_EAX, .writes = REG_EAX },
	[0xd6] = { .clocks = 3, .writes = REG_EAX },
	[0xd7] = { .clocks = 4, .writes = REG_EAX, .address = REG_EAX | REG_EBX },
	[0xd8 ... 0xdf] = { M, .clocks = 2 },		/* x87: decode_x87() */
	[0xe0 ... 0xe2] = { .clocks = 6, .reads = REG_ECX, .writes = REG_ECX },
	[0xe3] = { .clocks = 6, .reads = REG_ECX },
	[0xe4 ... 0xe5] = { .clocks = 7, .writes = REG_EAX },
	[0xe6 ... 0xe7] = { .clocks = 12, .reads = REG_EAX },
	[0xe8] = { .pair = PAIR_PV, .stack = STACK_CALL },
	[0xe9] = { .pair = PAIR_PV },
	[0xea] = { .clocks = 3 },
	[0xeb] = { .pair = PAIR_PV },
	[0xec ... 0xed] = { .clocks = 7, .reads = REG_EDX, .writes = REG_EAX },
	[0xee ... 0xef] = { .clocks = 12, .reads = REG_EAX | REG_EDX },
	[0xf1] = { .clocks = 4, .stack = STACK_OTHER },
	[0xf4] = { .clocks = 4 },
	[0xf5] = { .clocks = 2 },
	[0xf6] = { M | B | RE | I | ALU },		/* TEST, NOT, NEG, MUL, ... */
	[0xf7] = { M | RE | I | ALU },
	[0xf8 ... 0xf9] = { .clocks = 2 },
	[0xfa ... 0xfb] = { .clocks = 7 },
	[0xfc ... 0xfd] = { .clocks = 2 },
	[0xfe] = { M | B | RE | WE | ALU, PAIR_UV },	/* INC, DEC */
	[0xff] = { M | RE | WE | ALU, PAIR_UV },	/* INC, DEC, CALL, JMP, PUSH */
};

/* After 0FH. An opcode that is not here takes 4 clocks and writes no register. */
static const struct op two_bytes[256] = {
	[0x00 ... 0x01] = { M | RE | WE, .clocks = 4 },
	[0x02 ... 0x03] = { M | RE | WG, .clocks = 8 },
	[0x20 ... 0x21] = { M | WE, .clocks = 4 },
	[0x22 ... 0x23] = { M | RE, .clocks = 4 },
	[0x31 ... 0x33] = { .clocks = 4, .reads = REG_ECX, .writes = REG_EAX | REG_EDX },
	[0x80 ... 0x8f] = { .pair = PAIR_PV, .clocks = 1 },	/* Jcc */
	[0x90 ... 0x9f] = { M | B | WE, .clocks = 1 },	/* SETcc */
	[0xa0 ... 0xa1] = { .clocks = 3, .stack = STACK_OTHER },
	[0xa2] = { .clocks = 14, .reads = REG_EAX,
		   .writes = REG_EAX | REG_EBX | REG_ECX | REG_EDX },
	[0xa3] = { M | RG | RE, .clocks = 4 },		/* BT */
	[0xa4 ... 0xa5] = { M | RG | RE | WE, .clocks = 4, .reads = REG_ECX },
	[0xa8 ... 0xa9] = { .clocks = 3, .stack = STACK_OTHER },
	[0xab] = { M | RG | RE | WE, .clocks = 7 },
	[0xac ... 0xad] = { M | RG | RE | WE, .clocks = 4, .reads = REG_ECX },
	[0xaf] = { M | RG | WG | RE, .clocks = 10 },	/* IMUL */
	[0xb0] = { M | B | RG | RE | WE, .clocks = 5, .reads = REG_EAX, .writes = REG_EAX },
	[0xb1] = { M | RG | RE | WE, .clocks = 5, .reads = REG_EAX, .writes = REG_EAX },
	[0xb2] = { M | WG, .clocks = 4 },
	[0xb3] = { M | RG | RE | WE, .clocks = 7 },
	[0xb4 ... 0xb5] = { M | WG, .clocks = 4 },
	[0xb6 ... 0xb7] = { M | RE | WG, .clocks = 3 },	/* MOVZX */
	[0xba] = { M | RE | WE, .clocks = 4 },
	[0xbb] = { M | RG | RE | WE, .clocks = 7 },
	[0xbc ... 0xbd] = { M | RE | WG, .clocks = 6 },	/* BSF, BSR */
	[0xbe ... 0xbf] = { M | RE | WG, .clocks = 3 },	/* MOVSX */
	[0xc0] = { M | B | RG | WG | RE | WE, .clocks = 3 },	/* XADD */
	[0xc1] = { M | RG | WG | RE | WE, .clocks = 3 },
	[0xc7] = { M, .clocks = 10, .reads = REG_EAX | REG_EBX | REG_ECX | REG_EDX,
		   .writes = REG_EAX | REG_EDX },
	[0xc8 ... 0xcf] = { RO | WO, .clocks = 1 },	/* BSWAP */
};

/** struct parts - the parts of an instruction
 * @opcode: the last byte of the opcode
 * @escape: 0FH is before it
 * @modrm: the ModR/M byte, if there is one
 * @sib: the byte after that
 * @wide_address: addresses have 32 bits
 * @prefixes: number of prefixes
 * @repeat: REP, REPE or REPNE
 * @bound_to_u: LOCK, a repeat or a segment prefix
 */
struct parts {
	uint8_t opcode;
	bool escape;
	uint8_t modrm, sib;
	bool wide_address;
	unsigned int prefixes;
	bool repeat, bound_to_u;
};

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
	case 0x66: case 0x67: case 0xf0: case 0xf2: case 0xf3:
		return true;
	}
	return false;
}

static void take_apart(struct parts *p, const uint8_t *code, unsigned int size, bool wide)
{
	unsigned int i;

	*p = (struct parts){ .wide_address = wide };
	for (i = 0; i + 1 < size && is_prefix(code[i]); i++) {
		p->prefixes++;
		p->wide_address ^= code[i] == 0x67;
		p->repeat |= code[i] == 0xf2 || code[i] == 0xf3;
		p->bound_to_u |= code[i] != 0x66 && code[i] != 0x67;
	}
	if (code[i] == 0x0f && i + 1 < size) {
		p->escape = true;
		i++;
	}
	p->opcode = code[i];
	p->modrm = i + 1 < size ? code[i + 1] : 0;
	p->sib = i + 2 < size ? code[i + 2] : 0;
}

static unsigned int mod_of(const struct parts *p)
{
	return p->modrm >> 6;
}

static unsigned int reg_of(const struct parts *p)
{
	return p->modrm >> 3 & 7;
}

static unsigned int rm_of(const struct parts *p)
{
	return p->modrm & 7;
}

/* A register of a byte is a part of register 0 to 3. */
static uint8_t mask_of(unsigned int number, bool byte)
{
	return 1u << (byte ? number & 3 : number);
}

static uint8_t narrow_address(const struct parts *p)
{
	static const uint8_t registers[] = {
		REG_EBX | REG_ESI, REG_EBX | REG_EDI, REG_EBP | REG_ESI, REG_EBP | REG_EDI,
		REG_ESI, REG_EDI, REG_EBP, REG_EBX,
	};

	return !mod_of(p) && rm_of(p) == 6 ? 0 : registers[rm_of(p)];
}

/* The registers of an address in memory. */
static uint8_t address_of(const struct parts *p)
{
	unsigned int base = rm_of(p), index = p->sib >> 3 & 7;
	uint8_t registers = 0;

	if (!p->wide_address)
		return narrow_address(p);
	if (base == 4) {
		base = p->sib & 7;
		if (index != 4)
			registers |= 1u << index;
	}
	if (base != 5 || mod_of(p))
		registers |= 1u << base;
	return registers;
}

static bool has_displacement(const struct parts *p)
{
	unsigned int base = rm_of(p);

	if (mod_of(p) == 1 || mod_of(p) == 2)
		return true;
	if (!p->wide_address)
		return !mod_of(p) && base == 6;
	if (base == 4)
		base = p->sib & 7;
	return !mod_of(p) && base == 5;
}

/* ---- groups of opcodes, by the field reg ------------------------------------ */

/* F6H, F7H: TEST, TEST, NOT, NEG, MUL, IMUL, DIV, IDIV */
static void decode_unary(struct op *op, const struct parts *p)
{
	if (reg_of(p) < 2)
		return;
	op->flags &= ~I;
	if (reg_of(p) < 4) {
		op->flags |= WE;
		return;
	}
	op->flags &= ~ALU;
	op->clocks = reg_of(p) < 6 ? 10 : 17;
	op->reads = REG_EAX | (op->flags & B ? 0 : REG_EDX);
	op->writes = op->reads;
}

/* FFH: INC, DEC, CALL, far CALL, JMP, far JMP, PUSH */
static void decode_indirect(struct op *op, const struct parts *p)
{
	if (reg_of(p) < 2)
		return;
	*op = (struct op){ .flags = M | RE, .clocks = 2 };
	if (reg_of(p) != 4 && reg_of(p) != 5)
		op->stack = STACK_OTHER;
}

static void decode_group(struct op *op, const struct parts *p)
{
	unsigned int reg = reg_of(p);

	if (p->escape)
		return;
	switch (p->opcode) {
	case 0x80 ... 0x83:	/* ADD, OR, ADC, SBB, AND, SUB, XOR, CMP */
		if (reg == 2 || reg == 3)
			op->pair = PAIR_PU;
		if (reg == 7)
			op->flags &= ~WE;
		break;
	case 0xc0 ... 0xc1:	/* ROL, ROR, RCL, RCR, shifts: rotations pair only by 1 */
		if (reg < 4)
			op->pair = PAIR_NP;
		if (reg == 2 || reg == 3)
			op->clocks = 8;
		break;
	case 0xf6 ... 0xf7:
		decode_unary(op, p);
		break;
	case 0xff:
		decode_indirect(op, p);
		break;
	}
}

/* ---- x87 ------------------------------------------------------------------- */

/*
 * FXCH pairs in V after FADD, FSUB, FMUL, FDIV, FCOM, FUCOM and their forms that pop, FLD of
 * a single, a double or a register, FCHS, FABS and FTST.
 */
static bool pairs_with_fxch(const struct parts *p)
{
	bool memory = mod_of(p) != 3;
	unsigned int reg = reg_of(p);

	switch (p->opcode) {
	case 0xd8:
	case 0xdc:
		return true;
	case 0xd9:
		return reg == 0 || p->modrm == 0xe0 || p->modrm == 0xe1 || p->modrm == 0xe4;
	case 0xda:
		return p->modrm == 0xe9;
	case 0xdd:
		return memory ? reg == 0 : reg == 4 || reg == 5;
	case 0xde:
		return !memory;
	}
	return false;
}

static void decode_x87(struct op *op, struct pmu_decoded *d, const struct parts *p)
{
	d->fp = true;
	if (p->opcode == 0xd9 && mod_of(p) == 3 && reg_of(p) == 1) {
		op->pair = PAIR_FXCH;
		op->clocks = 1;
	} else if (pairs_with_fxch(p)) {
		op->pair = PAIR_FX;
		op->clocks = 1;
	}
	if (p->opcode == 0xdf && p->modrm == 0xe0)	/* FNSTSW AX */
		op->writes = REG_EAX;
}

/* ---- MMX ------------------------------------------------------------------- */

static bool is_mmx(const struct parts *p)
{
	switch (p->opcode) {
	case 0x60 ... 0x6b:
	case 0x6e ... 0x6f:
	case 0x71 ... 0x77:
	case 0x7e ... 0x7f:
	case 0xd1 ... 0xd3: case 0xd5: case 0xd8 ... 0xd9: case 0xdb ... 0xdd: case 0xdf:
	case 0xe1 ... 0xe2: case 0xe5: case 0xe8 ... 0xe9: case 0xeb ... 0xed: case 0xef:
	case 0xf1 ... 0xf3: case 0xf5: case 0xf8 ... 0xfa: case 0xfc ... 0xfe:
		return p->escape;
	}
	return false;
}

static bool uses_shifter(uint8_t opcode)
{
	switch (opcode) {
	case 0x60 ... 0x63: case 0x67 ... 0x6b:		/* unpacks, packs */
	case 0x71 ... 0x73:				/* shifts */
	case 0xd1 ... 0xd3: case 0xe1 ... 0xe2: case 0xf1 ... 0xf3:
		return true;
	}
	return false;
}

/* Registers of an MMX instruction; that of MOVD from and to a register is an integer one. */
static void decode_mmx_operands(struct op *op, struct pmu_decoded *d, const struct parts *p)
{
	uint8_t g = 1u << reg_of(p), e = mod_of(p) == 3 ? 1u << rm_of(p) : 0;

	switch (p->opcode) {
	case 0x6e:		/* MOVD to MMX */
		op->flags |= RE;
		d->mmx_writes = g;
		break;
	case 0x7e:		/* MOVD from MMX */
		op->flags |= WE;
		d->mmx_reads = g;
		break;
	case 0x6f:		/* MOVQ */
		d->mmx_reads = e;
		d->mmx_writes = g;
		break;
	case 0x7f:
		d->mmx_reads = g;
		d->mmx_writes = e;
		break;
	case 0x71 ... 0x73:	/* shifts by an immediate */
		d->mmx_reads = e;
		d->mmx_writes = e;
		break;
	default:
		d->mmx_reads = g | e;
		d->mmx_writes = g;
	}
}

static void decode_mmx(struct op *op, struct pmu_decoded *d, const struct parts *p)
{
	bool memory = mod_of(p) != 3;

	d->mmx = true;
	if (p->opcode == 0x77) {	/* EMMS */
		*op = (struct op){ .clocks = 4 };
		return;
	}
	*op = (struct op){ .flags = M, .pair = PAIR_UV };
	decode_mmx_operands(op, d, p);
	d->mmx_shifter = uses_shifter(p->opcode);
	d->mmx_multiplier = p->opcode == 0xd5 || p->opcode == 0xe5 || p->opcode == 0xf5;
	d->mmx_bus = memory || p->opcode == 0x6e || p->opcode == 0x7e;
	d->mmx_store = memory && (p->opcode == 0x7e || p->opcode == 0x7f);
	if (d->mmx_bus)
		op->pair = PAIR_PU;
}

/* ---- the whole ------------------------------------------------------------- */

/* Registers of the operands, and the clocks that memory adds. */
static void decode_operands(struct pmu_decoded *d, const struct op *op, const struct parts *p)
{
	bool byte = op->flags & B, memory = op->flags & M && mod_of(p) != 3;
	uint8_t g = mask_of(reg_of(p), byte), o = mask_of(p->opcode & 7, byte);
	uint8_t e = memory ? 0 : mask_of(rm_of(p), byte);

	d->reads |= (op->flags & RG ? g : 0) | (op->flags & RE ? e : 0) |
		    (op->flags & RO ? o : 0);
	d->writes |= (op->flags & WG ? g : 0) | (op->flags & WE ? e : 0) |
		     (op->flags & WO ? o : 0);
	if (memory)
		d->address |= address_of(p);
	d->reads |= d->address;
	if (memory && op->flags & ALU)
		d->clocks += op->flags & WE ? 2 : 1;
}

/*
 * Data Book: an instruction with a displacement and an immediate does not pair. An instruction
 * with a prefix other than the 0FH of Jcc pairs in U only. With MMX technology an instruction
 * with displacement and immediate pairs in U, and 66H, 67H and 0FH do not bind to U (Fog, "The
 * Microarchitecture of Intel, AMD and VIA CPUs": Pentium 1 and Pentium MMX pipeline).
 */
static enum pmu_pairing restrict_pairing(enum pmu_pairing pair, const struct op *op,
					 const struct parts *p, bool mmx)
{
	if (pair == PAIR_UV && (mmx ? p->bound_to_u : p->prefixes > 0))
		pair = PAIR_PU;
	if (pair == PAIR_PV && (mmx ? p->bound_to_u : p->prefixes > 0))
		pair = PAIR_NP;
	if (!(op->flags & M) || !(op->flags & I) || mod_of(p) == 3 || !has_displacement(p))
		return pair;
	return mmx && pair == PAIR_UV ? PAIR_PU : mmx ? pair : PAIR_NP;
}

void pmu_decode(struct pmu_decoded *d, const uint8_t *code, unsigned int size, bool wide,
		bool mmx)
{
	struct parts p;
	struct op op;

	*d = (struct pmu_decoded){ 0 };
	take_apart(&p, code, size, wide);
	op = p.escape ? two_bytes[p.opcode] : one_byte[p.opcode];
	if (mmx && is_mmx(&p))
		decode_mmx(&op, d, &p);
	else if (!p.escape && p.opcode >= 0xd8 && p.opcode <= 0xdf)
		decode_x87(&op, d, &p);
	else
		decode_group(&op, &p);
	d->clocks = op.clocks ? op.clocks : p.escape && !d->mmx ? 4 : 1;
	d->stack = op.stack;
	d->reads = op.reads;
	d->writes = op.writes;
	d->address = op.address;
	decode_operands(d, &op, &p);
	if (p.repeat && op.flags & REPS) {
		d->reads |= REG_ECX;
		d->writes |= REG_ECX;
	}
	d->pair = restrict_pairing(op.pair, &op, &p, mmx);
	/* One clock each; the MMX part's FIFO hides it. Jcc has no address: its 0FH may count. */
	d->prefixes = mmx ? 0 : p.prefixes + p.escape;
}
