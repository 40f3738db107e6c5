// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the pipes of the Pentium and the Pentium MMX
 *
 * The expected numbers come from the rules and examples of the manuals that README.md of the
 * model names, for hand-assembled instructions.
 */
#include "count_one.h"
#include "pmu_int.h"

#define V_PIPE		0x17
#define AGI		0x1f
#define CLOCKS		0x100

struct bytes {
	unsigned int size;
	uint8_t byte[15];
};

#define X(...)	{ sizeof((uint8_t[]){ __VA_ARGS__ }), { __VA_ARGS__ } }
#define IMM32	0x34, 0x12, 0, 0

#define NOP		X(0x90)
#define MOV_1_EAX	X(0xb8, IMM32)
#define MOV_1_ESI	X(0xbe, IMM32)
#define MOV_1_EDI	X(0xbf, IMM32)
#define MOV_EBX_EAX	X(0x89, 0xd8)
#define MOV_EDX_EAX	X(0x89, 0xd0)
#define MOV_EDX_ECX	X(0x89, 0xd1)
#define LOAD_ESI_EAX	X(0x8b, 0x06)
#define PUSH_EAX	X(0x50)
#define PUSH_EBX	X(0x53)
#define POP_EAX		X(0x58)
#define POP_EBX		X(0x5b)
#define ADD_4_ESP	X(0x83, 0xc4, 4)
#define RET		X(0xc3)
#define CALL		X(0xe8, 0, 0, 0, 0)
#define JMP		X(0xeb, 0)
#define JNZ		X(0x75, 0)
#define DEC_ECX		X(0x49)
#define FADD		X(0xd8, 0xc1)
#define FXCH		X(0xd9, 0xc9)
#define PADDB_1_0	X(0x0f, 0xfc, 0xc1)
#define PADDB_3_2	X(0x0f, 0xfc, 0xd3)
#define PADDB_0_2	X(0x0f, 0xfc, 0xd0)
#define PMULLW_1_0	X(0x0f, 0xd5, 0xc1)
#define MMX_LOAD_0	X(0x0f, 0x6f, 0x06)
#define MMX_STORE_0	X(0x0f, 0x7f, 0x06)

/* ---- one instruction ------------------------------------------------------- */

static void begin(struct fake *f, unsigned int priv, const struct bytes *b)
{
	struct pmu_insn i = { .priv = priv, .code = b->byte, .size = b->size, .wide = true };

	pmu_insn(f->c, &i);
}

static void execute_as(struct fake *f, unsigned int priv, const struct bytes *b)
{
	begin(f, priv, b);
	retire(f, priv);
}

static void execute(struct fake *f, const struct bytes *b)
{
	execute_as(f, PMU_USER, b);
}

/* An instruction that reads data at this address. */
static void execute_at(struct fake *f, const struct bytes *b, uint64_t addr)
{
	begin(f, PMU_USER, b);
	data(f, addr, 4, PMU_READ);
	retire(f, PMU_USER);
}

/* ---- pairs ----------------------------------------------------------------- */

struct pair {
	const char *what;
	struct bytes u, v;
	unsigned int p5, mmx;	/* whether they pair */
};

static const struct pair pairs[] = {
	/* registers (Data Book, section 3.1.2) */
	{ "independent", MOV_EBX_EAX, MOV_EDX_ECX, 1, 1 },
	{ "read after write", MOV_EBX_EAX, X(0x89, 0xc1), 0, 0 },
	{ "write after write", MOV_1_EAX, MOV_1_EAX, 0, 0 },
	{ "write after read", X(0x89, 0xc3), MOV_1_EAX, 1, 1 },
	{ "read after read", X(0x89, 0xc3), X(0x89, 0xc1), 1, 1 },
	{ "parts of a register", X(0x88, 0xd8), X(0xb4, 0), 0, 0 },
	{ "bytes of two registers", X(0x88, 0xd8), X(0xb1, 0), 1, 1 },
	{ "an address that depends on U", MOV_1_ESI, LOAD_ESI_EAX, 0, 0 },
	{ "flags written twice", X(0xc1, 0xe8, 4), X(0x43), 1, 1 },
	{ "CMP, JA", X(0x83, 0xf8, 2), X(0x77, 0), 1, 1 },
	{ "DEC, near JNZ", DEC_ECX, X(0x0f, 0x85, 0, 0, 0, 0), 1, 1 },
	{ "XOR of a register with itself", X(0x31, 0xc0), X(0x31, 0xdb), 1, 1 },
	/* ESP */
	{ "PUSH, PUSH", PUSH_EAX, PUSH_EBX, 1, 1 },
	{ "PUSH, CALL", PUSH_EAX, CALL, 1, 1 },
	{ "POP, POP", POP_EAX, POP_EBX, 1, 1 },
	{ "POP, POP of the same register", POP_EAX, POP_EAX, 0, 0 },
	{ "POP, PUSH", POP_EAX, PUSH_EBX, 0, 0 },
	{ "PUSH, POP", PUSH_EAX, POP_EBX, 0, 0 },
	{ "POP, CALL", POP_EAX, CALL, 0, 0 },
	{ "PUSH of an immediate, PUSH", X(0x6a, 1), PUSH_EBX, 1, 1 },
	{ "PUSH, PUSH ESP", PUSH_EAX, X(0x54), 0, 0 },
	{ "PUSH, load by ESP", PUSH_EAX, X(0x8b, 0x5c, 0x24, 4), 0, 0 },
	{ "PUSH, load by EBP", PUSH_EAX, X(0x8b, 0x5d, 4), 1, 1 },
	{ "ADD to ESP, POP", ADD_4_ESP, POP_EAX, 0, 0 },
	{ "PUSH of memory, MOV", X(0xff, 0x33), MOV_EDX_ECX, 0, 0 },
	{ "POP, RET", POP_EAX, RET, 0, 0 },
	/* pipes */
	{ "ADC in U", X(0x11, 0xd9), MOV_EDX_EAX, 1, 1 },
	{ "ADC in V", MOV_EDX_EAX, X(0x11, 0xd9), 0, 0 },
	{ "SBB of an immediate in U", X(0x83, 0xd9, 1), MOV_EDX_EAX, 1, 1 },
	{ "SBB of an immediate in V", MOV_EDX_EAX, X(0x83, 0xd9, 1), 0, 0 },
	{ "AND of an immediate in V", MOV_EDX_EAX, X(0x83, 0xe1, 1), 1, 1 },
	{ "SHL by an immediate in U", X(0xc1, 0xe1, 3), MOV_EDX_EAX, 1, 1 },
	{ "SHL by an immediate in V", MOV_EDX_EAX, X(0xc1, 0xe1, 3), 0, 0 },
	{ "SHL by 1 in U", X(0xd1, 0xe1), MOV_EDX_EAX, 1, 1 },
	{ "SHL by CL in U", X(0xd3, 0xe3), MOV_EDX_EAX, 0, 0 },
	{ "ROL by 1 in U", X(0xd1, 0xc1), MOV_EDX_EAX, 1, 1 },
	{ "ROL by an immediate in U", X(0xc1, 0xc1, 3), MOV_EDX_EAX, 0, 0 },
	{ "JMP in U", JMP, MOV_EDX_EAX, 0, 0 },
	{ "JMP in V", MOV_EDX_EAX, JMP, 1, 1 },
	{ "JNZ in U", JNZ, MOV_EDX_EAX, 0, 0 },
	{ "indirect JMP in V", MOV_EDX_ECX, X(0xff, 0xe0), 0, 0 },
	{ "LEA in V", MOV_EDX_ECX, X(0x8d, 0x43, 4), 1, 1 },
	{ "TEST of EAX with an immediate", MOV_EDX_ECX, X(0xa9, IMM32), 1, 1 },
	{ "TEST of EBX with an immediate", MOV_EDX_ECX, X(0xf7, 0xc3, IMM32), 0, 0 },
	{ "TEST of BL with an immediate", MOV_EDX_ECX, X(0xf6, 0xc3, 0x12), 0, 0 },
	{ "NEG in U", X(0xf7, 0xdb), MOV_EDX_ECX, 0, 0 },
	{ "MUL in U", X(0xf7, 0xe3), MOV_EDX_ECX, 0, 0 },
	{ "XCHG in U", X(0x87, 0xd8), MOV_EDX_ECX, 0, 0 },
	{ "CDQ in V", MOV_EDX_ECX, X(0x99), 0, 0 },
	{ "LODSB in U", X(0xac), MOV_EDX_ECX, 0, 0 },
	{ "MOVZX in U", X(0x0f, 0xb6, 0xc3), MOV_EDX_ECX, 0, 0 },
	{ "SETZ in V", MOV_EDX_ECX, X(0x0f, 0x94, 0xc0), 0, 0 },
	{ "INC of memory in V", MOV_EDX_ECX, X(0xff, 0x06), 1, 1 },
	{ "NOP, NOP", NOP, NOP, 1, 1 },
	/* a displacement and an immediate */
	{ "both in U", X(0xc7, 0x43, 8, IMM32), MOV_EDX_ECX, 0, 1 },
	{ "both in V", MOV_EDX_ECX, X(0xc7, 0x43, 8, IMM32), 0, 0 },
	{ "both in U, no register", X(0xc7, 0x05, IMM32, IMM32), MOV_EDX_ECX, 0, 1 },
	{ "CMP with both in U", X(0x80, 0x7b, 8, 1), MOV_EDX_ECX, 0, 1 },
	{ "an immediate in V", MOV_EDX_ECX, X(0xc7, 0x03, IMM32), 1, 1 },
	{ "a displacement in V", MOV_EDX_ECX, X(0x8b, 0x43, 8), 1, 1 },
	{ "a displacement without ModR/M in V", MOV_EDX_ECX, X(0xa1, IMM32), 1, 1 },
	/* prefixes */
	{ "66H in U", X(0x66, 0x89, 0xd8), MOV_EDX_ECX, 1, 1 },
	{ "66H in V", MOV_EDX_ECX, X(0x66, 0x89, 0xd8), 0, 1 },
	{ "a segment in U", X(0x64, 0x8b, 0x03), MOV_EDX_ECX, 1, 1 },
	{ "a segment in V", MOV_EDX_ECX, X(0x64, 0x8b, 0x03), 0, 0 },
	{ "67H: by BX and SI, after ESI", MOV_1_ESI, X(0x67, 0x8b, 0x00), 0, 0 },
	{ "67H: by DI, after ESI", MOV_1_ESI, X(0x67, 0x8b, 0x05), 0, 1 },
	/* x87 */
	{ "FADD, FXCH", FADD, FXCH, 1, 1 },
	{ "FLD, FXCH", X(0xd9, 0xc1), FXCH, 1, 1 },
	{ "FMULP, FXCH", X(0xde, 0xc9), FXCH, 1, 1 },
	{ "FLD of a double, FXCH", X(0xdd, 0x06), FXCH, 1, 1 },
	{ "FUCOM, FXCH", X(0xdd, 0xe1), FXCH, 1, 1 },
	{ "FST, FXCH", X(0xdd, 0xd1), FXCH, 0, 0 },
	{ "FILD, FXCH", X(0xdb, 0x06), FXCH, 0, 0 },
	{ "FXCH, FADD", FXCH, FADD, 0, 0 },
	{ "FADD, FADD", FADD, FADD, 0, 0 },
	{ "FADD, MOV", FADD, MOV_EDX_ECX, 0, 0 },
	{ "MOV, FADD", MOV_EDX_ECX, FADD, 0, 0 },
	{ "MOV, FXCH", MOV_EDX_ECX, FXCH, 0, 0 },
};

/* Optimization Manual, "MMX Instruction Pairing Guidelines" */
static const struct pair mmx_pairs[] = {
	{ "two additions", PADDB_1_0, PADDB_3_2, 0, 1 },
	{ "read after write", PADDB_1_0, PADDB_0_2, 0, 0 },
	{ "write after write", PADDB_1_0, X(0x0f, 0x6f, 0xc3), 0, 0 },
	{ "write after read", PADDB_0_2, X(0x0f, 0xfc, 0xc3), 0, 1 },
	{ "two shifts", X(0x0f, 0xf1, 0xc1), X(0x0f, 0xd1, 0xd3), 0, 0 },
	{ "shift and unpack", X(0x0f, 0xf1, 0xc1), X(0x0f, 0x60, 0xd3), 0, 0 },
	{ "shift by an immediate and pack", X(0x0f, 0x71, 0xf0, 1), X(0x0f, 0x63, 0xd3), 0, 0 },
	{ "shift and addition", X(0x0f, 0xf1, 0xc1), PADDB_3_2, 0, 1 },
	{ "two multiplications", PMULLW_1_0, X(0x0f, 0xf5, 0xd3), 0, 0 },
	{ "multiplication and shift", PMULLW_1_0, X(0x0f, 0xf1, 0xd3), 0, 1 },
	{ "load in U", MMX_LOAD_0, PADDB_3_2, 0, 1 },
	{ "load in V", PADDB_3_2, MMX_LOAD_0, 0, 0 },
	{ "store in V", PADDB_3_2, MMX_STORE_0, 0, 0 },
	{ "load in U, MOV", MMX_LOAD_0, MOV_EDX_ECX, 0, 0 },
	{ "MOVD of EAX in U, MOV", X(0x0f, 0x6e, 0xc0), MOV_EDX_ECX, 0, 0 },
	{ "MOVD of EAX in U, addition", X(0x0f, 0x6e, 0xc0), PADDB_3_2, 0, 1 },
	{ "MOVD of EAX in V", MOV_EDX_ECX, X(0x0f, 0x6e, 0xc0), 0, 0 },
	{ "addition, MOV", PADDB_1_0, MOV_EDX_ECX, 0, 1 },
	{ "MOV, addition", MOV_EDX_ECX, PADDB_1_0, 0, 1 },
	{ "SHL, addition", X(0xc1, 0xe1, 3), PADDB_1_0, 0, 1 },
	{ "addition, SHL", PADDB_1_0, X(0xc1, 0xe1, 3), 0, 0 },
	{ "addition, JNZ", PADDB_1_0, JNZ, 0, 1 },
	{ "EMMS in U", X(0x0f, 0x77), MOV_EDX_ECX, 0, 0 },
	{ "EMMS in V", MOV_EDX_ECX, X(0x0f, 0x77), 0, 0 },
};

static void check_pairs(enum fake_model model, const struct pair *t, size_t n)
{
	unsigned int expected;
	struct fake f;
	size_t i;

	start(&f, model);
	for (i = 0; i < n; i++) {
		select_event(&f, 0, V_PIPE);
		execute(&f, &t[i].u);
		execute(&f, &t[i].v);
		expected = model == PENTIUM ? t[i].p5 : t[i].mmx;
		if (counted(&f, 0) != expected)
			fail_msg("%s, %s: must %spair", fake_name(model), t[i].what,
				 expected ? "" : "not ");
	}
	stop(&f);
}

static void pairing(void **state)
{
	check_pairs(PENTIUM, pairs, ARRAY_LEN(pairs));
	check_pairs(PENTIUM_MMX, pairs, ARRAY_LEN(pairs));
	check_pairs(PENTIUM_MMX, mmx_pairs, ARRAY_LEN(mmx_pairs));
}

/* ---- sequences ------------------------------------------------------------- */

struct sequence {
	const char *what;
	unsigned int select, counter;
	struct bytes code[8];
	unsigned int p5, mmx;
};

#define A(what, p5, mmx, ...) { what, AGI, 0, { __VA_ARGS__ }, p5, mmx }

static const struct sequence sequences[] = {
	/* "Address Generation Interlocks"; examples with ESP: Fog, the same heading */
	A("load by ESI after MOV to it", 1, 1, MOV_1_ESI, LOAD_ESI_EAX),
	A("in U of the next clock", 1, 1, MOV_1_ESI, NOP, LOAD_ESI_EAX),
	A("in V of the next clock", 1, 1, MOV_1_ESI, NOP, NOP, LOAD_ESI_EAX),
	A("two clocks later", 0, 0, MOV_1_ESI, NOP, NOP, NOP, LOAD_ESI_EAX),
	A("in both pipes", 2, 2, MOV_1_ESI, MOV_1_EDI, LOAD_ESI_EAX, X(0x8b, 0x1f)),
	A("each of a chain", 3, 3, X(0x8b, 0x36), X(0x8b, 0x36), X(0x8b, 0x36), X(0x8b, 0x36)),
	A("INC of the index, LEA", 1, 1, X(0x46), X(0x8d, 0x04, 0xb3)),
	A("INC of a part of it", 1, 1, X(0xfe, 0xc0), X(0x8b, 0x18)),
	A("the data depends, not the address", 0, 0, MOV_1_EAX, X(0x89, 0x06)),
	A("displacement alone", 0, 0, X(0xbd, IMM32), X(0x8b, 0x05, IMM32)),
	A("ADD to ESP, POP", 1, 1, ADD_4_ESP, X(0x5e)),
	A("ADD to ESP, PUSH", 1, 1, ADD_4_ESP, PUSH_EAX),
	A("ADD to ESP, CALL", 1, 1, ADD_4_ESP, CALL),
	A("MOV to ESP, RET", 1, 1, X(0x89, 0xec), RET),
	A("POP, POP", 0, 0, POP_EAX, POP_EBX),
	A("PUSH, load by ESP", 0, 0, PUSH_EAX, X(0x8b, 0x5c, 0x24, 4)),
	A("CALL, load by ESP", 0, 0, CALL, X(0x8b, 0x44, 0x24, 8)),
	A("RET, POP", 0, 0, RET, POP_EAX),
	A("RET 8, POP", 1, 1, X(0xc2, 8, 0), POP_EAX),
	A("MUL, load by EAX", 1, 1, X(0xf7, 0xe3), X(0x8b, 0x08)),
	A("LODSB, LODSB", 1, 1, X(0xac), X(0xac)),
	A("STOSB, load by ECX", 0, 0, X(0xaa), X(0x8b, 0x01)),
	A("REP STOSB, load by ECX", 1, 1, X(0xf3, 0xaa), X(0x8b, 0x01)),
	/* the Pentium decodes a prefix in a clock of its own, or while U executes for two */
	A("a prefix fills the clock", 0, 1, MOV_1_ESI, X(0x66, 0x8b, 0x06)),
	A("0FH fills the clock", 0, 1, MOV_1_ESI, X(0x0f, 0xb6, 0x06)),
	A("a prefix behind two clocks", 1, 1, X(0x03, 0x33), X(0x66, 0x8b, 0x06)),
	A("two prefixes behind two clocks", 0, 1, X(0x03, 0x33), X(0x64, 0x66, 0x8b, 0x06)),
};

#define S(what, select, counter, n, ...) { what, select, counter, { __VA_ARGS__ }, 0, n }

static const struct sequence mmx_sequences[] = {
	S("U", 0x2b, 0, 2, PADDB_1_0, PADDB_3_2, PADDB_1_0),
	S("V", 0x2b, 1, 1, PADDB_1_0, PADDB_3_2, PADDB_1_0),
	S("no integers in V", 0x2b, 1, 0, PADDB_1_0, MOV_EDX_ECX),
	/* an x87 instruction before the MMX one */
	S("after x87", V_PIPE, 0, 0, FADD, MOV_EDX_ECX, PADDB_1_0),
	S("after x87 and MMX", V_PIPE, 0, 1, FADD, PADDB_3_2, X(0x0f, 0x77), MOV_EDX_ECX,
	  PADDB_1_0),
	/* event 38H: two clocks if the next clock needs the product, one in the one after */
	S("product in the next clock", 0x38 | CLOCKS, 0, 2, PMULLW_1_0, PADDB_0_2),
	S("the same, with V filled", 0x38 | CLOCKS, 0, 2, PMULLW_1_0, NOP, PADDB_0_2),
	S("two clocks later", 0x38 | CLOCKS, 0, 1, PMULLW_1_0, NOP, NOP, NOP, PADDB_0_2),
	S("three clocks later", 0x38 | CLOCKS, 0, 0, PMULLW_1_0, NOP, NOP, NOP, NOP, NOP,
	  PADDB_0_2),
	S("in V", 0x38 | CLOCKS, 0, 2, PMULLW_1_0, NOP, NOP, PADDB_0_2),
	S("behind CDQ, of two clocks", 0x38 | CLOCKS, 0, 0, PMULLW_1_0, X(0x99), PADDB_0_2),
	S("behind a pair with ADD of memory in V, of two clocks", 0x38 | CLOCKS, 0, 0, PMULLW_1_0,
	  NOP, NOP, X(0x03, 0x33), PADDB_0_2),
	S("behind an AGI stall, of a clock", 0x38 | CLOCKS, 0, 0, PMULLW_1_0, MOV_1_ESI,
	  LOAD_ESI_EAX, NOP, PADDB_0_2),
	S("as occurrences", 0x38, 0, 1, PMULLW_1_0, PADDB_0_2),
	S("two occurrences", 0x38, 0, 2, PMULLW_1_0, PADDB_0_2, PMULLW_1_0, PADDB_0_2),
	S("other register", 0x38 | CLOCKS, 0, 0, PMULLW_1_0, PADDB_3_2, PADDB_3_2),
	/* a store reads its register in D2 */
	S("store in the next clock", 0x38 | CLOCKS, 1, 1, PADDB_1_0, MMX_STORE_0),
	S("store two clocks later", 0x38 | CLOCKS, 1, 0, PADDB_1_0, NOP, NOP, NOP, MMX_STORE_0),
	S("store of a product", 0x38 | CLOCKS, 1, 3, PMULLW_1_0, MMX_STORE_0),
	S("behind an AGI stall of both pipes", 0x38 | CLOCKS, 1, 1, PMULLW_1_0, MOV_1_ESI,
	  LOAD_ESI_EAX, X(0x8b, 0x1e), MMX_STORE_0),
	S("which is no interlock", 0x38 | CLOCKS, 0, 0, PMULLW_1_0, MMX_STORE_0),
	S("store of another register", 0x38 | CLOCKS, 1, 0, PADDB_3_2, MMX_STORE_0),
};

static void check_sequences(enum fake_model model, const struct sequence *t, size_t n)
{
	unsigned int expected, k;
	struct fake f;
	size_t i;

	start(&f, model);
	for (i = 0; i < n; i++) {
		select_event(&f, t[i].counter, t[i].select);
		for (k = 0; k < ARRAY_LEN(t[i].code) && t[i].code[k].size; k++)
			execute(&f, &t[i].code[k]);
		expected = model == PENTIUM ? t[i].p5 : t[i].mmx;
		if (counted(&f, t[i].counter) != expected)
			fail_msg("%s, event %x, %s: %u is not %u", fake_name(model), t[i].select,
				 t[i].what, (unsigned int)counted(&f, t[i].counter), expected);
	}
	stop(&f);
}

static void stalls(void **state)
{
	check_sequences(PENTIUM, sequences, ARRAY_LEN(sequences));
	check_sequences(PENTIUM_MMX, sequences, ARRAY_LEN(sequences));
	check_sequences(PENTIUM_MMX, mmx_sequences, ARRAY_LEN(mmx_sequences));
}

/* Clocks of AGI stalls are as many as the stalls. */
static void clocks_of_interlocks(void **state)
{
	static const struct bytes load = X(0x8b, 0x36);
	unsigned int model, i;
	struct fake f;

	for (model = PENTIUM; model <= PENTIUM_MMX; model++) {
		start(&f, model);
		select_event(&f, 1, AGI | CLOCKS);
		for (i = 0; i < 4; i++)
			execute(&f, &load);
		assert_int_equal(counted(&f, 1), 3);
		stop(&f);
	}
}

/* ---- data ------------------------------------------------------------------ */

/* The data cache has eight banks, interleaved by four bytes. */
TEST_ON(PENTIUM, data_in_both_pipes)
{
	static const struct bytes u = LOAD_ESI_EAX, v = X(0x8b, 0x1f), none = MOV_EDX_ECX;
	static const struct {
		uint64_t u, v;
		unsigned int conflicts;
	} t[] = {
		{ 0x1000, 0x1004, 0 }, { 0x1000, 0x1000, 1 }, { 0x1000, 0x1020, 1 },
		{ 0x101c, 0x2000, 0 }, { 0x1002, 0x1004, 1 }, { 0x1000, 0x1010, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(t); i++) {
		select_event(f, 0, 0x09);
		execute_at(f, &u, t[i].u);
		execute_at(f, &v, t[i].v);
		execute_at(f, &u, t[i].u);
		execute(f, &none);
		execute(f, &none);
		execute_at(f, &v, t[i].v);
		assert_int_equal(counted(f, 0), 1);
		select_event(f, 1, 0x0a);
		execute_at(f, &u, t[i].u);
		execute_at(f, &v, t[i].v);
		assert_int_equal(counted(f, 1), t[i].conflicts);
	}
}

/* The conflict takes a clock: the product is needed one clock later. */
TEST_ON(PENTIUM_MMX, conflict_takes_a_clock)
{
	static const struct bytes multiply = PMULLW_1_0, nop = NOP, use = PADDB_0_2;
	static const struct bytes u = LOAD_ESI_EAX, v = X(0x8b, 0x1f);

	select_event(f, 0, 0x38 | CLOCKS);
	execute(f, &multiply);
	execute(f, &nop);
	execute_at(f, &u, 0x1000);
	execute_at(f, &v, 0x1000);
	execute(f, &use);
	assert_int_equal(counted(f, 0), 0);
}

/* ---- branches -------------------------------------------------------------- */

/* Event 35H: a conditional branch in V is resolved in the WB stage, one in U in the E stage. */
TEST_ON(PENTIUM_MMX, mispredictions_in_v)
{
	static const struct bytes dec = DEC_ECX, jnz = JNZ;
	unsigned int i;

	select_event(f, 1, 0x35);
	for (i = 0; i < 2; i++) {
		execute(f, &dec);
		begin(f, PMU_USER, &jnz);
		/* not in the BTB at first, predicted then */
		pmu_branch(f->c, PMU_USER, PMU_BR_COND_TAKEN, 0x1000, 0x2000);
		retire(f, PMU_USER);
	}
	begin(f, PMU_USER, &jnz);
	pmu_branch(f->c, PMU_USER, PMU_BR_COND_TAKEN, 0x3000, 0x2000);
	retire(f, PMU_USER);
	assert_int_equal(counted(f, 1), 1);
}

/* ---- faults, interrupts, the counters' controls ----------------------------- */

/* The instruction in V faults, and pairs when it is restarted. */
TEST_ON(PENTIUM, faults)
{
	static const struct bytes u = MOV_EDX_ECX, v = MOV_EBX_EAX;

	select_event(f, 0, V_PIPE);
	execute(f, &u);
	begin(f, PMU_USER, &v);
	pmu_abort(f->c);
	assert_int_equal(counted(f, 0), 0);
	execute(f, &v);
	assert_int_equal(counted(f, 0), 1);
}

/* A handler between the two does not separate a pair, and has its own. */
TEST_ON(PENTIUM, handlers)
{
	static const struct bytes u = MOV_EDX_ECX, v = MOV_EBX_EAX, iret = X(0xcf);

	wr(f, 0x11, V_PIPE | 0x80 | (V_PIPE | 0x40) << 16);
	execute(f, &u);
	execute_as(f, PMU_KERNEL, &u);
	execute_as(f, PMU_KERNEL, &v);
	execute_as(f, PMU_KERNEL, &u);
	execute_as(f, PMU_KERNEL, &iret);
	execute(f, &v);
	assert_int_equal(rd(f, 0x12), 1);
	assert_int_equal(rd(f, 0x13), 1);
}

/* A WRMSR to a register of the counters empties the pipes. */
TEST_ON(PENTIUM, starts_empty)
{
	static const struct bytes u = MOV_EDX_ECX, v = MOV_EBX_EAX;

	select_event(f, 0, V_PIPE);
	execute(f, &u);
	select_event(f, 0, V_PIPE);
	execute(f, &v);
	assert_int_equal(counted(f, 0), 0);
	wr(f, 0x13, 0);
	execute(f, &u);
	assert_int_equal(counted(f, 0), 0);
}

#define T(f) { "pipes_" #f, f, NULL, NULL, NULL }

const struct CMUnitTest pipe_tests[] = {
	T(pairing), T(stalls), T(clocks_of_interlocks), T(data_in_both_pipes),
	T(conflict_takes_a_clock), T(mispredictions_in_v), T(faults), T(handlers),
	T(starts_empty),
};
const size_t pipe_ntests = N(pipe_tests);
