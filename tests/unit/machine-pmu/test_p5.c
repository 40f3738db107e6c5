// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the two counters of the Pentium */
#include "fake.h"

#define TEST_BOTH(name) TEST_EACH(PENTIUM, PENTIUM_MMX, name)

#define CESR	0x11
#define CTR0	0x12
#define CTR1	0x13

#define INSTRUCTIONS	0x16
#define BRANCH		0x12

#define CC_OS		0x40
#define CC_USR		0x80
#define CC_CLOCKS	0x100
#define SECOND(half)	((uint64_t)(half) << 16)

TEST_BOTH(reset_values)
{
	assert_int_equal(rd(f, CESR), 0);
	assert_int_equal(rd(f, CTR0), 0);
	assert_int_equal(rd(f, CTR1), 0);
	assert_int_equal(f->c->want, 0);
	assert_int_equal(pmu_user_cpl(f->pmu), 3);
}

TEST_ON(PENTIUM, reset_and_init)
{
	wr(f, CESR, INSTRUCTIONS | CC_OS);
	wr(f, CTR1, 77);
	pmu_reset(f->c, true);
	assert_int_equal(rd(f, CESR), INSTRUCTIONS | CC_OS);
	assert_int_equal(rd(f, CTR1), 77);
	pmu_reset(f->c, false);
	assert_int_equal(rd(f, CESR), 0);
	assert_int_equal(rd(f, CTR0), 0);
	assert_int_equal(rd(f, CTR1), 0);
	assert_int_equal(f->c->want, 0);
}

TEST_BOTH(registers)
{
	static const uint32_t others[] = { 0x10, 0x14, IA32_PMC0,
		IA32_PERFEVTSEL0, IA32_MISC_ENABLE, GLOBAL_CTRL };
	size_t i;

	for (i = 0; i < N(others); i++)
		no_msr(f, others[i]);
}

/* All 32 bits are kept, reserved ones included; bits 63:32 are 0. */
TEST_BOTH(cesr_bits)
{
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		wr(f, CESR, BIT(bit));
		assert_int_equal(rd(f, CESR), bit < 32 ? BIT(bit) : 0);
	}
}

/* 40 bits, all writable. */
TEST_BOTH(counter_bits)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		wr(f, CTR0 + i, 0xa512345678);
		assert_int_equal(rd(f, CTR0 + i), 0xa512345678);
		wr(f, CTR0 + i, 0x80000000);
		assert_int_equal(rd(f, CTR0 + i), 0x80000000);
		wr(f, CTR0 + i, -1);
		assert_int_equal(rd(f, CTR0 + i), 0xffffffffff);
		assert_int_equal(rd(f, CTR0 + !i), i ? 0xffffffffff : 0);
	}
}

TEST_ON(PENTIUM_MMX, rdpmc)
{
	static const uint32_t bad[] = { 2, 0x10000, 0x40000000, 0x80000000 };
	unsigned int i;

	for (i = 0; i < N(bad); i++)
		assert_int_equal(pmu_check_rdpmc(f->c, bad[i], 0, true, true),
				 PMU_GP);
	assert_int_equal(pmu_check_rdpmc(f->c, 1, 3, true, true), PMU_OK);
	assert_int_equal(pmu_check_rdpmc(f->c, 1, 3, false, true), PMU_GP);
	wr(f, CTR0, 0x1234567890);
	wr(f, CTR1, 0xfedcba9876);
	assert_int_equal(pmc(f, 0), 0x1234567890);
	assert_int_equal(pmc(f, 1), 0xfedcba9876);
}

/* Without the instruction, #UD has priority over #GP. */
TEST_ON(PENTIUM, no_rdpmc)
{
	uint64_t value;

	assert_int_equal(pmu_check_rdpmc(f->c, 0, 0, true, true), PMU_UD);
	assert_int_equal(pmu_check_rdpmc(f->c, 0, 3, false, true), PMU_UD);
	assert_int_equal(pmu_check_rdpmc(f->c, 9, 3, false, true), PMU_UD);
	assert_int_equal(pmu_rdpmc(f->c, 0, &value), PMU_UD);
}

TEST_BOTH(cesr_control_fields)
{
	static const struct {
		unsigned int cc;
		unsigned int count;	/* of 7 kernel and 100 user instructions */
	} t[] = {
		{ 0, 0 }, { CC_OS, 7 }, { CC_USR, 100 }, { CC_OS | CC_USR, 107 },
		{ CC_CLOCKS, 0 }, { CC_CLOCKS | CC_OS, 7 },
		{ CC_CLOCKS | CC_USR, 100 },
		{ CC_CLOCKS | CC_OS | CC_USR, 107 },
	};
	unsigned int i, half;

	for (i = 0; i < 2 * N(t); i++) {
		half = INSTRUCTIONS | t[i / 2].cc;
		wr(f, CTR0, 0);
		wr(f, CTR1, 0);
		wr(f, CESR, i % 2 ? SECOND(half) : half);
		run(f->c, PMU_KERNEL, 7);
		run(f->c, PMU_USER, 100);
		assert_int_equal(rd(f, CTR0 + i % 2), t[i / 2].count);
		assert_int_equal(rd(f, CTR1 - i % 2), 0);
		wr(f, CESR, 0);
	}
}

/* The WRMSR that starts is not counted, the one that stops is. */
TEST_ON(PENTIUM, boundaries)
{
	wr(f, CESR, INSTRUCTIONS | CC_OS);
	assert_int_equal(rd(f, CTR0), 0);
	run(f->c, PMU_KERNEL, 1);	/* the RDMSR above */
	wr(f, CESR, 0);
	run(f->c, PMU_KERNEL, 10);
	assert_int_equal(rd(f, CTR0), 2);
}

/* Clocks of an event: the steps on which it occurs. */
TEST_ON(PENTIUM_MMX, clocks_of_an_occurrence)
{
	wr(f, CESR, BRANCH | CC_USR | CC_CLOCKS |
	   SECOND(INSTRUCTIONS | CC_USR | CC_CLOCKS));
	run(f->c, PMU_USER, 3);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	branch(f->c, PMU_USER, PMU_BR_JMP);
	pmu_rep_round(f->c, PMU_USER);	/* three rounds, one instruction */
	pmu_rep_round(f->c, PMU_USER);
	pmu_rep_round(f->c, PMU_USER);
	pmu_rep_done(f->c, PMU_USER);
	assert_int_equal(rd(f, CTR0), 2);
	assert_int_equal(rd(f, CTR1), 6);
}

/* An overflow has no interrupt and no status. */
TEST_BOTH(wrap_without_interrupt)
{
	wr(f, CTR0, -3);
	wr(f, CTR1, -3);
	wr(f, CESR, 0x3c0 | INSTRUCTIONS | SECOND(0x2c0 | INSTRUCTIONS));
	run(f->c, PMU_USER, 5);
	assert_int_equal(rd(f, CTR0), 2);
	assert_int_equal(rd(f, CTR1), 2);
	assert_int_equal(f->pmis[0], 0);
}

/* Writing one half of CESR keeps the other counter's count. */
TEST_ON(PENTIUM, write_keeps_other_counter)
{
	wr(f, CESR, INSTRUCTIONS | CC_USR);
	run(f->c, PMU_USER, 10);
	wr(f, CESR, INSTRUCTIONS | CC_USR | SECOND(BRANCH | CC_USR));
	run(f->c, PMU_USER, 10);
	branch(f->c, PMU_USER, PMU_BR_RET);
	wr(f, CTR1, 100);
	branch(f->c, PMU_USER, PMU_BR_RET);
	assert_int_equal(rd(f, CTR0), 22);
	assert_int_equal(rd(f, CTR1), 101);
}

TEST_ON(PENTIUM_AMD, other_vendors)
{
	uint64_t value = 0;

	assert_int_equal(pmu_rdmsr(f->c, CESR, &value), PMU_NONE);
	assert_int_equal(pmu_check_rdpmc(f->c, 0, 0, true, true), PMU_NONE);
}

static void options(void **state)
{
	struct fake f;

	start_with(&f, PENTIUM_MMX, 1, 1, "width=20");
	wr(&f, CTR0, -1);
	assert_int_equal(rd(&f, CTR0), 0xfffff);
	stop(&f);
	refused(PENTIUM, 1, 1, "fixed_width=20", "no architectural");
	assert_null(try(&f, PENTIUM, 1, 1, "version=1"));
	assert_string_equal(f.error, "PMCDRV_PMU: version: this processor has no architectural performance monitoring");
	start_with(&f, PENTIUM_MMX, 1, 1, "none");
	rd_gp(&f, CESR);
	rd_gp(&f, CTR1);
	assert_int_equal(pmu_check_rdpmc(f.c, 0, 0, true, true), PMU_GP);
	stop(&f);
	start_with(&f, PENTIUM, 1, 1, "none");
	assert_int_equal(pmu_check_rdpmc(f.c, 0, 0, true, true), PMU_UD);
	stop(&f);
}

#define T(f) { "p5_" #f, f, NULL, NULL, NULL }

const struct CMUnitTest p5_tests[] = {
	T(reset_values), T(reset_and_init), T(registers), T(cesr_bits), T(counter_bits),
	T(rdpmc), T(no_rdpmc), T(cesr_control_fields), T(boundaries),
	T(clocks_of_an_occurrence), T(wrap_without_interrupt), T(write_keeps_other_counter),
	T(other_vendors), T(options),
};
const size_t p5_ntests = N(p5_tests);
