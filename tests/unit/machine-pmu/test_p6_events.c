// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the P6 events that count micro-ops, and clocks of the divider, L2 and the bus */
#include <string.h>

#include "count_one.h"
#include "pmu_int.h"

#define RW	(PMU_READ | PMU_WRITE)
#define UOPS	0xc2
#define MMX_UOPS 0x0fb2
#define DIVIDER	0x14
#define ANY_AGENT 0x2000

/* ---- the table ------------------------------------------------------------ */

struct known {
	const char *name, *operands;
	bool memory;
	struct pmu_uops is;
};

#define REG	false
#define MEM	true

/* Each form of an instruction; a number that several rows could give belongs to one of them. */
static const struct known known[] = {
	{ "mov", "Gd,Ed", REG, { 1, 0, 0 } }, { "mov", "Gd,Ed", MEM, { 1, 0, 0 } },
	{ "mov", "Ed,Gd", MEM, { 2, 0, 0 } }, { "mov", "Ed,Id", MEM, { 2, 0, 0 } },
	{ "mov", "EAXReg,Od", MEM, { 1, 0, 0 } }, { "mov", "Od,EAXReg", MEM, { 2, 0, 0 } },
	{ "mov", "Sw,Ew", REG, { 8, 0, 0 } }, { "mov", "Ew,Sw", REG, { 1, 0, 0 } },
	{ "mov", "Ew,Sw", MEM, { 3, 0, 0 } }, { "mov", "Cd,Ed", REG, { 5, 0, 0 } },
	{ "movzx", "Gd,Eb", MEM, { 1, 0, 0 } }, { "cmovz", "Gd,Ed", MEM, { 3, 0, 0 } },
	{ "xchg", "Ed,Gd", REG, { 3, 0, 0 } }, { "xchg", "Ed,Gd", MEM, { 7, 0, 0 } },
	{ "push", "Ed", REG, { 3, 0, 0 } }, { "push", "Ed", MEM, { 4, 0, 0 } },
	{ "push", "Sw", REG, { 4, 0, 0 } }, { "pop", "Ed", REG, { 2, 0, 0 } },
	{ "pop", "Ed", MEM, { 8, 0, 0 } }, { "pusha", "", REG, { 18, 0, 0 } },
	{ "lea", "Gd,M", MEM, { 1, 0, 0 } }, { "lds", "Gd,M", MEM, { 11, 0, 0 } },
	{ "leave", "", REG, { 3, 0, 0 } },
	{ "add", "Gd,Ed", REG, { 1, 0, 0 } }, { "add", "Gd,Ed", MEM, { 2, 0, 0 } },
	{ "xor", "Ed,Gd", MEM, { 4, 0, 0 } }, { "or", "EAXReg,Id", REG, { 1, 0, 0 } },
	{ "adc", "Gd,Ed", MEM, { 3, 0, 0 } }, { "sbb", "Ed,sIbd", MEM, { 6, 0, 0 } },
	{ "adc", "EAXReg,Id", REG, { 2, 0, 0 } },
	{ "cmp", "Ed,Gd", MEM, { 2, 0, 0 } }, { "test", "Eb,Ib", MEM, { 2, 0, 0 } },
	{ "inc", "Ed", REG, { 1, 0, 0 } }, { "neg", "Ed", MEM, { 4, 0, 0 } },
	{ "imul", "Gd,Ed", REG, { 1, 0, 0 } }, { "mul", "EAXReg,Ed", MEM, { 2, 0, 0 } },
	{ "div", "ALReg,Eb", REG, { 3, 0, 12 } }, { "idiv", "ALReg,Eb", MEM, { 4, 0, 12 } },
	{ "div", "AXReg,Ew", REG, { 4, 0, 21 } }, { "idiv", "EAXReg,Ed", REG, { 4, 0, 37 } },
	{ "shl", "Ed,CLReg", MEM, { 4, 0, 0 } }, { "rcl", "Ed,I1", REG, { 2, 0, 0 } },
	{ "rcr", "Eb,I1", MEM, { 6, 0, 0 } }, { "rcr", "Eb,Ib", REG, { 8, 0, 0 } },
	{ "rcl", "Ew,CLReg", MEM, { 9, 0, 0 } }, { "bts", "Ed,Gd", MEM, { 10, 0, 0 } },
	{ "bt", "Ed,Ib", MEM, { 8, 0, 0 } }, { "setnz", "Eb", MEM, { 3, 0, 0 } },
	{ "jnz", "Jbd", REG, { 1, 0, 0 } }, { "jmp", "Ed", MEM, { 2, 0, 0 } },
	{ "jmp", "Jd", REG, { 1, 0, 0 } }, { "jmpf", "Ap", REG, { 22, 0, 0 } },
	{ "jecxz", "Jbd", REG, { 2, 0, 0 } }, { "loop", "Jbd", REG, { 11, 0, 0 } },
	{ "call", "Jd", REG, { 4, 0, 0 } }, { "call", "Ed", REG, { 5, 0, 0 } },
	{ "call", "Ed", MEM, { 8, 0, 0 } }, { "ret", "", REG, { 4, 0, 0 } },
	{ "ret", "Iw", REG, { 5, 0, 0 } }, { "nop", "", REG, { 1, 0, 0 } },
	{ "movsb", "Yb,Xb", REG, { 6, 0, 0 } }, { "rep movsd", "Yd,Xd", REG, { 0, 6, 0 } },
	{ "rep lodsw", "AXReg,Xw", REG, { 10, 6, 0 } }, { "cmpsd", "Xd,Yd", REG, { 6, 0, 0 } },
	{ "rep cmpsb", "Xb,Yb", REG, { 12, 9, 0 } }, { "rep scasb", "ALReg,Yb", REG, { 12, 7, 0 } },
	{ "fld", "STi", REG, { 1, 0, 0 } }, { "fld", "Mt", MEM, { 4, 0, 0 } },
	{ "fld", "Md", MEM, { 1, 0, 0 } }, { "fstp", "Mt", MEM, { 6, 0, 0 } },
	{ "fstp", "Mq", MEM, { 2, 0, 0 } }, { "fxch", "STi", REG, { 0, 0, 0 } },
	{ "fadd", "Md", MEM, { 2, 0, 0 } }, { "faddp", "STi,ST0", REG, { 1, 0, 0 } },
	{ "fdivp", "STi,ST0", REG, { 1, 0, 37 } }, { "fdiv", "Md", MEM, { 2, 0, 37 } },
	{ "fsqrt", "", REG, { 1, 0, 69 } }, { "fprem", "", REG, { 23, 0, 0 } },
	{ "fbstp", "Mt", MEM, { 169, 0, 0 } },
	{ "movq", "Pq,Qq", MEM, { 1, 0, 0 } }, { "movq", "Qq,Pq", MEM, { 2, 0, 0 } },
	{ "movd", "Ed,Pq", REG, { 1, 0, 0 } }, { "paddb", "Pq,Qq", MEM, { 2, 0, 0 } },
	{ "psllw", "Qq,Ib", REG, { 1, 0, 0 } }, { "emms", "", REG, { 11, 0, 0 } },
	{ "movaps", "Wps,Vps", MEM, { 4, 0, 0 } }, { "movups", "Vps,Wps", MEM, { 4, 0, 0 } },
	{ "addps", "Vps,Wps", REG, { 2, 0, 0 } }, { "mulss", "Vss,Wss", MEM, { 2, 0, 0 } },
	{ "xorps", "Vps,Wps", MEM, { 4, 0, 0 } }, { "prefetcht1", "Mb", MEM, { 1, 0, 0 } },
};

static void table(void **state)
{
	const struct known *k;
	struct pmu_uops u;

	for (k = known; k < known + ARRAY_LEN(known); k++) {
		assert_true(pmu_p6_uops(&u, k->name, k->operands, k->memory));
		if (memcmp(&u, &k->is, sizeof(u)))
			fail_msg("%s %s%s: %u, %u a round, divider %u", k->name, k->operands,
				 k->memory ? " in memory" : "", u.uops, u.round, u.divider);
	}
}

/* Five micro-ops for an instruction that the table does not have. */
static void default_of_table(void **state)
{
	static const char *const others[] = { "wrmsr", "iret", "int", "hlt", "addpd", "rep insb" };
	struct pmu_uops u;
	size_t i;

	for (i = 0; i < ARRAY_LEN(others); i++) {
		assert_false(pmu_p6_uops(&u, others[i], "", false));
		assert_int_equal(u.uops, 5);
		assert_int_equal(u.round, 0);
		assert_int_equal(u.divider, 0);
	}
}

/* ---- micro-ops ------------------------------------------------------------ */

static void begin(struct fake *f, unsigned int classes, unsigned int uops, unsigned int round)
{
	struct pmu_insn i = {
		.priv = PMU_USER, .classes = classes,
		.uops = { .uops = uops, .round = round },
	};

	pmu_insn(f->c, &i);
}

TEST_ON(PENTIUM_II, uops_of_retired)
{
	select_event(f, 0, UOPS);
	assert_int_equal(f->c->want & PMU_WANT_INSN, 0);
	begin(f, 0, 4, 0);
	retire(f, PMU_USER);
	retire(f, PMU_USER);			/* not reported */
	begin(f, 0, 0, 0);			/* FXCH */
	retire(f, PMU_USER);
	begin(f, 0, 17, 0);
	pmu_abort(f->c);				/* a fault */
	retire(f, PMU_USER);			/* not reported */
	begin(f, 0, 3, 0);
	retire(f, PMU_KERNEL);
	begin(f, 0, 2, 0);
	retire(f, PMU_USER);
	assert_int_equal(counted(f, 0), 4 + 2);
}

/* Rounds of an interrupted string instruction count once, its other micro-ops at its end. */
TEST_ON(PENTIUM_III, uops_of_rounds)
{
	select_event(f, 1, UOPS);
	begin(f, 0, 12, 9);
	pmu_rep_round(f->c, PMU_USER);
	pmu_rep_round(f->c, PMU_USER);
	pmu_abort(f->c);
	begin(f, 0, 12, 9);
	pmu_rep_round(f->c, PMU_USER);
	pmu_rep_done(f->c, PMU_USER);
	assert_int_equal(counted(f, 1), 12 + 3 * 9);
	begin(f, 0, 12, 9);			/* ECX is 0 */
	pmu_rep_done(f->c, PMU_USER);
	assert_int_equal(counted(f, 1), 12 + 3 * 9 + 12);
}

/* The step of the last round is the one that retires. */
TEST_ON(PENTIUM_II, uops_of_a_step)
{
	select_event(f, 0, UOPS | CMASK(9));
	begin(f, 0, 4, 5);
	pmu_rep_round(f->c, PMU_USER);		/* 5 */
	pmu_rep_round(f->c, PMU_USER);		/* 5 + 4 */
	pmu_rep_done(f->c, PMU_USER);
	begin(f, 0, 8, 0);
	retire(f, PMU_USER);
	begin(f, 0, 10, 0);
	retire(f, PMU_USER);
	assert_int_equal(counted(f, 0), 2);
}

TEST_ON(PENTIUM_II, uops_overflow)
{
	wr(f, IA32_PMC0, -10ull);
	wr(f, IA32_PERFEVTSEL0, UOPS | USR | INT | EN);
	begin(f, 0, 9, 0);
	retire(f, PMU_USER);
	assert_int_equal(f->pmis[0], 0);
	begin(f, 0, 4, 0);
	retire(f, PMU_USER);
	assert_int_equal(f->pmis[0], 1);
	assert_int_equal(pmc(f, 0), 3);
}

TEST_ON(PENTIUM_II, uops_of_mmx)
{
	select_event(f, 0, MMX_UOPS);
	begin(f, PMU_CLASS_MMX, 2, 0);
	retire(f, PMU_USER);
	begin(f, PMU_CLASS_FP, 4, 0);
	retire(f, PMU_USER);
	assert_int_equal(counted(f, 0), 2);
}

TEST_ON(PENTIUM_II, divider)
{
	struct pmu_insn i = { .priv = PMU_USER, .uops = { .uops = 4, .divider = 37 } };

	select_event(f, 0, DIVIDER);
	pmu_insn(f->c, &i);
	retire(f, PMU_USER);
	pmu_insn(f->c, &i);
	pmu_abort(f->c);				/* division by 0 */
	assert_int_equal(counted(f, 0), 37);
}

TEST_ON(PENTIUM_II, assists)
{
	select_event(f, 1, 0x11);
	begin(f, PMU_CLASS_FP | PMU_CLASS_FP_ADD, 1, 0);
	pmu_retire_insn(f->c, PMU_USER, PMU_CLASS_FP_ASSIST);
	begin(f, PMU_CLASS_FP | PMU_CLASS_FP_ADD, 1, 0);
	pmu_retire_insn(f->c, PMU_USER, 0);
	begin(f, PMU_CLASS_FP | PMU_CLASS_FP_DIV, 1, 0);
	pmu_retire_insn(f->c, PMU_USER, PMU_CLASS_FP_ASSIST | PMU_CLASS_FP_VOID);
	assert_int_equal(counted(f, 1), 2);
}

/* ---- the bus -------------------------------------------------------------- */

TEST_ON(PENTIUM_II, lock_of_the_bus)
{
	static const struct {
		uint64_t addr;
		unsigned int access;
		bool cached, write_through;
		unsigned int count;
	} t[] = {
		{ 0x1000, RW, true, false, 0 }, { 0x1006, RW, true, false, 0 },
		{ 0x101e, RW, true, false, 4 }, { 0x1000, RW, false, false, 2 },
		{ 0x1006, RW, false, false, 4 }, { 0x1000, RW, true, true, 2 },
		{ 0x1000, PMU_READ, false, false, 0 },
	};
	struct pmu_insn i = { .priv = PMU_USER, .classes = PMU_CLASS_LOCKED };
	size_t k;

	for (k = 0; k < ARRAY_LEN(t); k++) {
		struct pmu_access a = {
			.linear = t[k].addr, .physical = t[k].addr, .size = 4,
			.access = t[k].access,
			.page = { .cached = t[k].cached, .write_through = t[k].write_through },
		};

		select_event(f, 0, 0x63);
		pmu_insn(f->c, &i);
		pmu_data(f->c, PMU_USER, &a);
		assert_int_equal(counted(f, 0), t[k].count);
	}
	i.classes = 0;
	pmu_insn(f->c, &i);
	data_on(f->c, 0x1000, 4, RW, false);
	assert_int_equal(counted(f, 0), 0);
}

/* One processor's accesses, and what each of an event's agents counts. */
struct bus {
	unsigned int code;
	unsigned int mine, other;
};

static void share_lines(struct fake *f)
{
	struct pmu_cpu *other = pmu_get_cpu(f->pmu, 1);

	data_on(other, 0x1000, 4, PMU_READ, true);	/* 4 received */
	data_on(f->c, 0x1000, 4, PMU_READ, true);	/* 4 received; HIT */
	data_on(f->c, 0x2000, 4, PMU_WRITE, true);	/* 4 received */
	data_on(other, 0x2000, 4, PMU_READ, true);	/* HITM: 4 from one to the other */
	data_on(f->c, 0x2000, 4, PMU_WRITE, true);	/* no data; invalidates: no HIT */
	data_on(f->c, 0x3000, 4, PMU_WRITE, false);	/* 1 driven */
	pmu_io(other, PMU_USER, 0x80, 1, false);	/* 1 received */
}

static void data_of_two_processors(void **state)
{
	static const struct bus t[] = {
		{ 0x62, 4 + 1, 0 }, { 0x62 | ANY_AGENT, 18, 18 }, { 0x64, 8, 9 },
		{ 0x7a, 0, 1 }, { 0x7b, 1, 0 },
	};
	struct fake f;
	size_t i;

	for (i = 0; i < ARRAY_LEN(t); i++) {
		start_with(&f, PENTIUM_III, 2, 1, NULL);
		select_on(pmu_get_cpu(f.pmu, 0), false, 0, t[i].code);
		select_on(pmu_get_cpu(f.pmu, 1), false, 0, t[i].code);
		share_lines(&f);
		if (counted_on(f.c, false, 0) != t[i].mine ||
		    counted_on(pmu_get_cpu(f.pmu, 1), false, 0) != t[i].other)
			fail_msg("event %x: %llu, %llu", t[i].code,
				 (unsigned long long)counted_on(f.c, false, 0),
				 (unsigned long long)counted_on(pmu_get_cpu(f.pmu, 1), false, 0));
		stop(&f);
	}
}

/* A line to L2 when it is read and when it leaves L1 modified; from L2 when it comes back. */
static void clocks_of_level_2(void **state)
{
	static const struct {
		unsigned int code, count;
	} t[] = { { 0x22, 6 * 4 + 4 + 4 }, { 0x23, 4 } };
	struct fake f;
	unsigned int k;
	size_t i;

	for (i = 0; i < ARRAY_LEN(t); i++) {
		start(&f, PENTIUM_II);
		select_event(&f, 0, t[i].code);
		data(&f, 0x10000, 4, PMU_WRITE);
		for (k = 1; k <= 5; k++)
			data(&f, 0x10000 + k * 0x1000, 4, PMU_READ);
		data(&f, 0x10000, 4, PMU_READ);
		assert_int_equal(counted(&f, 0), t[i].count);
		stop(&f);
	}
}

/*
 * Modified lines of one set of L1 and of L2. Each write fills a line of L2; the last three also
 * move one there from L1, which L2 has no more; the last of these evicts a modified one.
 */
static void lines_that_leave_level_2(void **state)
{
	static const struct {
		unsigned int code, count;
	} t[] = { { 0x22, (7 + 3 + 1) * 4 }, { 0x23, 4 }, { 0x62, 4 } };
	struct fake f;
	unsigned int k;
	size_t i;

	for (i = 0; i < ARRAY_LEN(t); i++) {
		start(&f, PENTIUM_II);
		select_event(&f, 0, t[i].code);
		for (k = 0; k < 7; k++)
			data(&f, 0x100000 + k * 0x20000, 4, PMU_WRITE);
		assert_int_equal(counted(&f, 0), t[i].count);
		stop(&f);
	}
}

/* L2's bus is used for a snoop of a line that is modified there alone, not for ownership. */
TEST_WITH(PENTIUM_II, 2, 1, NULL, level_2_of_two_processors)
{
	struct pmu_cpu *other;
	unsigned int k;

	other = pmu_get_cpu(f->pmu, 1);
	select_event(f, 0, 0x23);
	select_on(other, false, 0, 0x23);
	data(f, 0x8000, 4, PMU_READ);
	data_on(other, 0x8000, 4, PMU_READ, true);
	data(f, 0x8000, 4, PMU_WRITE);		/* shared: invalidates the other's */
	assert_int_equal(counted(f, 0), 0);
	data(f, 0x10000, 4, PMU_WRITE);
	for (k = 1; k <= 5; k++)
		data(f, 0x10000 + k * 0x1000, 4, PMU_READ);
	data_on(other, 0x10000, 4, PMU_READ, true);
	assert_int_equal(counted(f, 0), 4);
}

TEST_ON(PENTIUM_II, partial_transactions)
{
	struct pmu_access a = {
		.size = 4, .access = PMU_WRITE,
		.page = { .cached = true, .write_through = true },
	};
	struct pmu_insn i = { .priv = PMU_USER, .size = 1 };

	select_event(f, 0, 0x62);
	pmu_data(f->c, PMU_USER, &a);
	assert_int_equal(counted(f, 0), 1);
	select_event(f, 0, 0x64);
	pmu_insn(f->c, &i);			/* uncached code */
	assert_int_equal(counted(f, 0), 1);
}

#define T(f) { "p6_" #f, f, NULL, NULL, NULL }

const struct CMUnitTest p6_event_tests[] = {
	T(table), T(default_of_table), T(uops_of_retired), T(uops_of_rounds), T(uops_of_a_step),
	T(uops_overflow), T(uops_of_mmx), T(divider), T(assists), T(lock_of_the_bus),
	T(data_of_two_processors), T(clocks_of_level_2), T(lines_that_leave_level_2),
	T(level_2_of_two_processors), T(partial_transactions),
};
const size_t p6_event_ntests = ARRAY_LEN(p6_event_tests);
