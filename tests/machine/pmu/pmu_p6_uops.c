// SPDX-License-Identifier: GPL-2.0-only
/*
 * Micro-ops and divider clocks of the P6 family's instructions
 *
 * Source: Agner Fog, "How to optimize for the Pentium family of microprocessors", chapter 29,
 * "List of instruction timings and micro-op breakdown for PPro, PII and PIII". A number is the sum
 * of the micro-ops of all ports; of a range it is the lowest. README.md, "Micro-ops and clocks of
 * the P6", states which sections of the list were available, and the assumptions.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* FNM_EXTMATCH */
#endif
#include <fnmatch.h>

#include "pmu_int.h"

#define ANY	"*"
#define DEFAULT	5	/* the lowest number that needs microcode */

/** struct row - instructions with the same cost; the first matching row applies
 * @names: extended pattern of mnemonics
 * @operands: extended pattern of codes of the SDM's opcode map, the destination first
 * @no_memory: micro-ops without a memory operand, 0 if there is always one
 * @memory: micro-ops with a memory operand, 0 if there is never one
 * @round, @divider: see struct pmu_uops
 */
struct row {
	const char *names, *operands;
	uint8_t no_memory, memory, round, divider;
};

#define UOPS(names, operands, no_memory, memory)	{ names, operands, no_memory, memory, 0, 0 }
#define DIVIDES(names, operands, no_memory, memory, clocks) \
	{ names, operands, no_memory, memory, 0, clocks }
#define ROUNDS(names, no_memory, round)	{ names, ANY, no_memory, 0, round, 0 }

static const struct row rows[] = {
	/* ---- moves ---- */
	UOPS("mov", "Sw,*", 8, 8),
	UOPS("mov", "*,Sw", 1, 3),
	/* control and debug registers are not in the list */
	UOPS("mov", "@([CD]?,*|*,[CD]?)", DEFAULT, 0),
	UOPS("mov", "@(E?|O?),*", 1, 2),
	UOPS("@(mov|movsx|movzx)", ANY, 1, 1),
	UOPS("cmov*", ANY, 2, 3),
	UOPS("xchg", ANY, 3, 7),
	UOPS("xlat", ANY, 2, 0),
	UOPS("push", "Sw", 4, 0),
	UOPS("push", ANY, 3, 4),
	UOPS("pop", "Sw", 9, 0),
	UOPS("pop", ANY, 2, 8),
	UOPS("pushf", ANY, 16, 0),
	UOPS("popf", ANY, 17, 0),
	UOPS("pusha", ANY, 18, 0),
	UOPS("popa", ANY, 10, 0),
	UOPS("@(lahf|sahf)", ANY, 1, 0),
	UOPS("lea", ANY, 1, 1),
	UOPS("l[defgs]s", ANY, 0, 11),
	UOPS("bswap", ANY, 2, 0),
	/* ---- arithmetic and logic ---- */
	UOPS("@(add|sub|and|or|xor)", "E?,*", 1, 4),
	UOPS("@(add|sub|and|or|xor)", ANY, 1, 2),
	UOPS("@(adc|sbb)", "E?,*", 2, 6),
	UOPS("@(adc|sbb)", ANY, 2, 3),
	UOPS("@(cmp|test)", ANY, 1, 2),
	UOPS("@(inc|dec|neg|not)", ANY, 1, 4),
	UOPS("@(aaa|aas|daa|das|cbw|cwde|cwd|cdq)", ANY, 1, 0),
	UOPS("aad", ANY, 3, 0),
	UOPS("aam", ANY, 4, 0),
	UOPS("@(mul|imul)", ANY, 1, 2),
	DIVIDES("@(div|idiv)", "AL*", 3, 4, 12),
	DIVIDES("@(div|idiv)", "AX*", 4, 4, 21),
	DIVIDES("@(div|idiv)", ANY, 4, 4, 37),
	UOPS("@(shl|shr|sar|rol|ror)", ANY, 1, 4),
	UOPS("@(rcl|rcr)", "*,I1", 2, 6),
	UOPS("@(rcl|rcr)", "Eb,*", 8, 10),
	UOPS("@(rcl|rcr)", ANY, 6, 9),
	UOPS("@(shld|shrd)", ANY, 2, 6),
	UOPS("bt", ANY, 1, 8),
	UOPS("bt[rsc]", ANY, 1, 10),
	UOPS("@(bsf|bsr)", ANY, 2, 3),
	UOPS("set*", ANY, 1, 3),
	UOPS("@(clc|stc|cmc|nop|pause)", ANY, 1, 1),
	UOPS("@(cld|std)", ANY, 4, 0),
	/* ---- branches ---- */
	UOPS("jmp", ANY, 1, 2),
	UOPS("jmpf", ANY, 22, 23),
	UOPS("@(jcxz|jecxz)", ANY, 2, 0),
	UOPS("j*", ANY, 1, 0),
	UOPS("@(loop|loope|loopne)", ANY, 11, 0),
	UOPS("call", "J*", 4, 0),
	UOPS("call", ANY, 5, 8),
	UOPS("callf", ANY, 33, 34),
	UOPS("ret", "", 4, 0),
	UOPS("ret", ANY, 5, 0),
	UOPS("retf", ANY, 26, 0),
	UOPS("enter", ANY, 14, 0),
	UOPS("leave", ANY, 3, 0),
	UOPS("bound", ANY, 0, 15),
	UOPS("into", ANY, 5, 0),
	/* ---- string instructions ---- */
	UOPS("lods[bwd]", ANY, 2, 0),
	UOPS("stos[bwd]", ANY, 3, 0),
	UOPS("movs[bwd]", "Y*", 6, 0),
	UOPS("scas[bwd]", ANY, 3, 0),
	UOPS("cmps[bwd]", "X*", 6, 0),
	ROUNDS("rep lods[bwd]", 10, 6),
	ROUNDS("rep stos[bwd]", 0, 5),
	ROUNDS("rep movs[bwd]", 0, 6),
	ROUNDS("rep scas[bwd]", 12, 7),
	ROUNDS("rep cmps[bwd]", 12, 9),
	/* ---- system ---- */
	UOPS("cli", ANY, 9, 0),
	UOPS("sti", ANY, 17, 0),
	UOPS("cpuid", ANY, 23, 0),
	UOPS("rdtsc", ANY, 31, 0),
	UOPS("@(in|out)", ANY, 18, 0),
	UOPS("prefetch*", ANY, 1, 1),
	UOPS("sfence", ANY, 2, 0),
	/* ---- x87 ---- */
	UOPS("fld", "Mt", 0, 4),
	UOPS("fld", ANY, 1, 1),
	UOPS("fbld", ANY, 0, 40),
	UOPS("fstp", "Mt", 0, 6),
	UOPS("@(fst|fstp)", ANY, 1, 2),
	UOPS("fbstp", ANY, 0, 169),
	UOPS("fxch", ANY, 0, 0),
	UOPS("@(fild|fist|fistp)", ANY, 0, 4),
	UOPS("fldz", ANY, 1, 0),
	UOPS("@(fld1|fldpi|fldl2t|fldl2e|fldlg2|fldln2|fcmov*)", ANY, 2, 0),
	UOPS("@(fnstsw|fldcw|fnstcw)", ANY, 3, 3),
	UOPS("@(fadd|fsub|fsubr|fmul|fcom|fcomp|fucom|fucomp)", ANY, 1, 2),
	UOPS("@(faddp|fsubp|fsubrp|fmulp|fcomi|fcomip|fucomi|fucomip)", ANY, 1, 0),
	DIVIDES("@(fdiv|fdivr|fdivp|fdivrp)", ANY, 1, 2, 37),
	DIVIDES("fidiv*", ANY, 0, 7, 37),
	UOPS("@(fiadd|fisub|fisubr|fimul|ficom|ficomp)", ANY, 0, 7),
	DIVIDES("fsqrt", ANY, 1, 0, 69),
	UOPS("@(fabs|ftst|fxam|fnop|fincstp|fdecstp|ffree)", ANY, 1, 0),
	UOPS("@(fcompp|fucompp|ffreep|fwait)", ANY, 2, 0),
	UOPS("@(fchs|fnclex)", ANY, 3, 0),
	UOPS("fnsave", ANY, 0, 141),
	UOPS("frstor", ANY, 0, 72),
	UOPS("fninit", ANY, 13, 0),
	UOPS("fxtract", ANY, 15, 0),
	UOPS("fprem", ANY, 23, 0),
	UOPS("fprem1", ANY, 33, 0),
	UOPS("frndint", ANY, 30, 0),
	UOPS("fscale", ANY, 56, 0),
	UOPS("@(f2xm1|fsin|fcos)", ANY, 17, 0),
	UOPS("fsincos", ANY, 18, 0),
	UOPS("fptan", ANY, 21, 0),
	UOPS("fpatan", ANY, 25, 0),
	UOPS("fyl2xp1", ANY, 31, 0),
	UOPS("fyl2x", ANY, 36, 0),
	/* ---- MMX ---- */
	UOPS("emms", ANY, 11, 0),
	UOPS("mov[dq]", "[EQ]?,Pq", 1, 2),
	UOPS("mov[dq]", "Pq,*", 1, 1),
	UOPS("psadbw", ANY, DEFAULT, DEFAULT),
	UOPS("p*", "@(Pq|Qq),*", 1, 2),
	/* ---- SSE ---- */
	UOPS("movaps", "W*", 2, 4),
	UOPS("movaps", ANY, 2, 2),
	UOPS("movups", "W*", 2, 8),
	UOPS("movups", ANY, 2, 4),
	UOPS("@(movss|movlps|movhps)", ANY, 1, 2),
	UOPS("@(movlhps|movhlps|movmskps)", ANY, 1, 0),
	UOPS("movntps", ANY, 0, 4),
	UOPS("@(add|sub|mul|div|sqrt|max|min|cmp|rcp|rsqrt)ps", ANY, 2, 4),
	UOPS("@(and|andn|or|xor|unpckl|unpckh)ps", ANY, 2, 4),
	UOPS("@(add|sub|mul|div|max|min|cmp|rcp|rsqrt|comi|ucomi)ss", ANY, 1, 2),
};

static bool matches(const struct row *r, const char *name, const char *operands)
{
	return !fnmatch(r->names, name, FNM_EXTMATCH) &&
	       !fnmatch(r->operands, operands, FNM_EXTMATCH);
}

bool pmu_p6_uops(struct pmu_uops *u, const char *name, const char *operands, bool memory)
{
	const struct row *r;

	*u = (struct pmu_uops){ .uops = DEFAULT };
	for (r = rows; r < rows + ARRAY_LEN(rows); r++) {
		if (!matches(r, name, operands))
			continue;
		u->uops = memory ? r->memory : r->no_memory;
		u->round = r->round;
		u->divider = r->divider;
		return true;
	}
	return false;
}
