// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of p5.c: the counters of the Pentium, and of the Pentium with MMX
 *
 * Numbers are those of SDM Volume 3B, "Performance Monitoring (Pentium Processors)": CESR is
 * register 11H, the counters of 40 bits are 12H and 13H. A half of CESR has the event (bits 5:0),
 * what is counted (8:6: kernel mode, user mode, clocks) and the pin (9); bits 15:10 are reserved.
 */
#include "program.h"
#include "registers.h"

#define CESR		0x11
#define CTR(n)		(0x12 + (n))
#define KERNEL		0x40ULL
#define USER		0x80ULL
#define MMX		(1U << 23)	/* CPUID.01H:EDX */
#define ALLOWED		0x33fULL	/* event, clocks, pin */
#define HALF		0x3ffULL	/* and user and kernel mode */
#define WIDTH_MASK	0xffffffffffULL

static struct pmc_pmu pmu;
static u32 features_edx;

void cpuid(u32 leaf, u32 subleaf, u32 result[4])
{
	assert_int_equal(0, subleaf);
	memset(result, 0, 4 * sizeof(*result));
	/* the other registers and leaves have what EDX of leaf 1 has not */
	result[3] = leaf == 1 ? features_edx : ~features_edx;
	result[0] = ~features_edx;
	result[1] = ~features_edx;
	result[2] = ~features_edx;
}

static const struct pmc_description pentium = { .query = {
	.vendor = "GenuineIntel", .cpu_family = 5, .cpu_model = 4,
	.status = PMC_STATUS_UNKNOWN_CPU, .features = PMC_FEATURE(MSR),
} };

static void recognised_as(const struct pmc_family *family, bool recognised,
			  const struct pmc_description *before,
			  const struct pmc_description *expected)
{
	struct pmc_description description = *before;

	assert_int_equal(recognised, family->recognise(&description));
	assert_memory_equal(expected, &description, sizeof(description));
}

static void refused_as_it_is(const struct pmc_description *before)
{
	recognised_as(&pmc_family_p5, false, before, before);
	recognised_as(&pmc_family_p5_mmx, false, before, before);
}

static struct pmc_description described(void)
{
	struct pmc_description expected = pentium;

	expected.query.family = PMC_FAMILY_P5;
	expected.query.general_counters = 3;
	expected.query.general_width = 40;
	expected.query.event_select_mask = ALLOWED;
	expected.query.features |= PMC_FEATURE(KERNEL_MODE) | PMC_FEATURE(FULL_WIDTH);
	return expected;
}

/* Without MMX there is no RDPMC, and it is not tried. */
static void recognise_plain(void **state)
{
	struct pmc_description expected = described();

	features_edx = ~MMX;
	recognised_as(&pmc_family_p5, true, &pentium, &expected);
	recognised_as(&pmc_family_p5_mmx, false, &pentium, &pentium);
	assert_int_equal(0, rdpmc.tried);
}

static void recognise_mmx(void **state)
{
	struct pmc_description expected = described();

	features_edx = MMX;
	recognised_as(&pmc_family_p5, false, &pentium, &pentium);
	expected.query.features |= PMC_FEATURE(RDPMC);
	recognised_as(&pmc_family_p5_mmx, true, &pentium, &expected);
	assert_int_equal(1, rdpmc.tried);
	/* where RDPMC faults, with the operations of a processor without it */
	rdpmc.faulting = 1;
	expected = described();
	expected.query.quirks = PMC_QUIRK(NO_RDPMC);
	expected.family = &pmc_family_p5;
	recognised_as(&pmc_family_p5_mmx, true, &pentium, &expected);
	assert_ptr_not_equal(NULL, pmc_family_p5.read_one);
	assert_null(pmc_family_p5_mmx.read_one);
	assert_null(pmc_family_p5.clear);
}

static void other_processors(void **state)
{
	static const char vendors[][16] = {
		"AuthenticAMD", "GenuineInteL", "genuineIntel", "CyrixInstead",
	};
	struct pmc_description other;
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(vendors); i++) {
		features_edx = i & 1 ? MMX : 0;
		other = pentium;
		memcpy(other.query.vendor, vendors[i / 2], sizeof(other.query.vendor));
		refused_as_it_is(&other);
	}
	for (i = 0; i < 16; i++) {
		other = pentium;
		other.query.cpu_family = i / 2;
		features_edx = i & 1 ? MMX : 0;
		if (other.query.cpu_family != 5)
			refused_as_it_is(&other);
	}
}

/* A hypervisor that lacks a register */
static void missing_registers(void **state)
{
	static const u32 missing[] = { CESR, CTR(0) };
	struct pmc_description expected = pentium;
	u32 i;

	expected.query.status = PMC_STATUS_NO_PERFMON;
	for (i = 0; i < ARRAY_SIZE(missing); i++) {
		reg_faults(missing[i], true);
		features_edx = 0;
		recognised_as(&pmc_family_p5, false, &pentium, &expected);
		features_edx = MMX;
		recognised_as(&pmc_family_p5_mmx, false, &pentium, &expected);
		reg_faults(missing[i], false);
	}
}

static void describe_counter(void **state)
{
	static const u32 none[] = { 2, 3, 0x40000000, UINT32_MAX };
	u32 i;

	for (i = 0; i < 2; i++) {
		const struct pmc_counter expected = {
			.rdpmc = i, .width = 40, .write_width = 40, .event_select_mask = ALLOWED,
			.select_msr = CESR, .counter_msr = CTR(i),
		};
		struct pmc_counter answer = {};

		assert_int_equal(0, pmc_family_p5.describe_counter(&pentium.query, i, &answer));
		assert_memory_equal(&expected, &answer, sizeof(answer));
	}
	for (i = 0; i < ARRAY_SIZE(none); i++)
		describes_no_counter(&pmc_family_p5, &pentium.query, none[i]);
}

/* The check returns this, with these refused bits. */
static void checked(int expected, u64 expected_bits, struct pmc_counter_config config)
{
	u64 refused = 0x5a5a;

	assert_int_equal(expected, pmc_family_p5.check(&pentium.query, &config, &refused));
	assert_int_equal(expected_bits, refused);
}

static void check(void **state)
{
	u32 counter, bit;

	for (counter = 0; counter < 2; counter++) {
		for (bit = 0; bit < 64; bit++) {
			const u64 select = 1ULL << bit;

			checked(ALLOWED & select ? 0 : -EINVAL, select & ~ALLOWED,
				(struct pmc_counter_config){ counter, .event_select = select });
		}
		checked(0, 0, (struct pmc_counter_config){ counter, .event_select = ALLOWED });
		checked(-EINVAL, ~ALLOWED,
			(struct pmc_counter_config){ counter, .event_select = ~0ULL });
		checked(-EINVAL, 0, (struct pmc_counter_config){ counter, .event_extra = 1 });
		/* there is no interrupt */
		checked(-EOPNOTSUPP, 0, (struct pmc_counter_config){ counter, .period = 1 });
	}
	/* nothing is written for a counter that does not exist */
	checked(-ENXIO, 0x5a5a, (struct pmc_counter_config){ 2, .event_select = 0x16 });
	assert_false(pmc_family_p5.sibling(&pentium.query, NULL));
}

static struct pmc_counter_setup *compiled(u32 counter, u32 flags, u64 select)
{
	const struct pmc_counter_config config = {
		.counter = counter, .flags = flags, .event_select = select,
	};
	const u32 nr = program->nr;

	assert_int_equal(0, pmc_family_p5.compile(&pentium.query, &config, program));
	assert_int_equal(nr + 1, program->nr);
	return &program->setup[nr];
}

static void compile_one(u32 counter, u32 flags, u64 half)
{
	const struct pmc_counter_setup expected = {
		.rdpmc = counter, .index = counter, .mask = WIDTH_MASK,
		.select = half << 16 * counter,
		.user = half & USER, .kernel = half & KERNEL,
	};

	memset(program, 0, sizeof(*program) + 2 * sizeof(program->setup[0]));
	assert_memory_equal(&expected, compiled(counter, flags, half & ALLOWED), sizeof(expected));
	assert_int_equal(1ULL << counter, program->general);
	assert_int_equal(expected.select, program->enable);
	assert_int_equal(expected.kernel, program->stop_to_read);
}

static void compile(void **state)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		compile_one(i, 0, 0x116);
		compile_one(i, PMC_COUNT_USER, 0x116 | USER);
		compile_one(i, PMC_COUNT_KERNEL, 0x229 | KERNEL);
		compile_one(i, PMC_COUNT_USER | PMC_COUNT_KERNEL, ALLOWED | USER | KERNEL);
	}
	/* two counters: the first alone counts kernel mode */
	compile_one(1, PMC_COUNT_KERNEL, 0x16 | KERNEL);
	assert_int_equal(0x17 | USER, compiled(0, PMC_COUNT_USER, 0x17)->select);
	assert_int_equal(3, program->general);
	assert_int_equal((0x16 | KERNEL) << 16 | 0x17 | USER, program->enable);
	assert_true(program->stop_to_read);
}

/* Linux has one reservation for both counters. */
static void reserve(void **state)
{
	u64 mask;

	for (mask = 1; mask < 4; mask++) {
		assert_int_equal(0, pmc_family_p5.reserve(mask));
		assert_int_equal(1, reservation_count);
		assert_int_equal(1, reservations[0].mask);
		assert_int_equal(CTR(0), reservations[0].counter_msr);
		assert_int_equal(CESR, reservations[0].select_msr);
		pmc_family_p5.unreserve(mask);
		assert_int_equal(0, reservation_count);
	}
	reserved_by_others = CTR(0);
	assert_int_equal(-EBUSY, pmc_family_p5.reserve(3));
	assert_int_equal(0, reservation_count);
}

static void saved(u64 cesr, u64 running, bool ignored)
{
	memset(&pmu, 0xff, sizeof(pmu));
	pmu.writes_ignored = true;
	*reg(CESR) = cesr;
	*reg(CTR(0)) = 0x1234567890;
	*reg(CTR(1)) = 0xfedcba9876;
	pmc_family_p5.save(&pmu);
	assert_int_equal(cesr, pmu.saved.global_ctrl);
	assert_int_equal(cesr, pmu.global_ctrl);
	assert_int_equal(running, pmu.found_running);
	assert_int_equal(ignored, pmu.writes_ignored);
	assert_int_equal(0x1234567890, pmu.saved.general[0]);
	assert_int_equal(0xfedcba9876, pmu.saved.general[1]);
	/* everything is as before */
	assert_int_equal(~0ULL, pmu.saved.general[2]);
	assert_int_equal(cesr, *reg(CESR));
	assert_int_equal(0x1234567890, *reg(CTR(0)));
	assert_int_equal(0xfedcba9876, *reg(CTR(1)));
}

/* A counter runs that counts user or kernel mode. */
static void save(void **state)
{
	saved(0, 0, false);
	saved(~((USER | KERNEL) << 16 | USER | KERNEL) & UINT32_MAX, 0, false);
	saved(USER, 1, false);
	saved(KERNEL, 1, false);
	saved(USER << 16, 2, false);
	saved(KERNEL << 16 | KERNEL, 3, false);
	saved(UINT32_MAX, 3, false);
	reg_ignores(CTR(1), true);
	saved(0, 0, false);
	reg_ignores(CTR(0), true);
	saved(0, 0, true);
	saved(USER << 16, 2, true);
	/* the counter of another user is not tried */
	saved(USER, 1, false);
}

static void restored(u64 touched, u64 cesr)
{
	memset(&pmu, 0, sizeof(pmu));
	pmu.touched_general = touched;
	pmu.global_ctrl = 0x5c005c00 | 0x1550155;
	pmu.saved.global_ctrl = 0xa000a000 | 0x2aa02aa;
	pmu.saved.general[0] = 0x1234567890;
	pmu.saved.general[1] = 0xfedcba9876;
	*reg(CESR) = 0x5c005c00 | 0x1550155;
	*reg(CTR(0)) = 1;
	*reg(CTR(1)) = 2;
	pmc_family_p5.restore(&pmu);
	assert_int_equal(cesr, *reg(CESR));
	assert_int_equal(cesr, pmu.global_ctrl);
	assert_int_equal(touched & 1 ? 0x1234567890 : 1, *reg(CTR(0)));
	assert_int_equal(touched & 2 ? 0xfedcba9876 : 2, *reg(CTR(1)));
}

/* Reserved bits, and the half of a counter that was not used, keep their present value. */
static void restore(void **state)
{
	restored(0, 0x5c005c00 | 0x1550155);
	restored(1, 0x5c005c00 | 0x15502aa);
	restored(2, 0x5c005c00 | 0x2aa0155);
	restored(3, 0x5c005c00 | 0x2aa02aa);
}

/* A program of one counter; the entry behind it is not part of it. */
static void one_counter(u32 counter)
{
	memset(program, 0, sizeof(*program) + 2 * sizeof(program->setup[0]));
	compiled(counter, PMC_COUNT_USER | PMC_COUNT_KERNEL, 0x116);
	program->setup[1].index = !counter;
}

/* Only the halves of the program's counters change. */
static void counts(u64 halves)
{
	const u64 others = 0x5d555d55 & ~halves;

	pmu.global_ctrl = 0x5d555d55;
	*reg(CESR) = 0;
	pmc_family_p5.enable(&pmu, program);
	assert_int_equal(others | program->enable, *reg(CESR));
	assert_int_equal(others | program->enable, pmu.global_ctrl);
	pmc_family_p5.disable(&pmu, program);
	assert_int_equal(others, *reg(CESR));
	assert_int_equal(others, pmu.global_ctrl);
}

/* A loss of any bit of the program's halves is found, and nothing else. */
static void verifies(u64 halves)
{
	u32 bit;

	for (bit = 0; bit < 32; bit++) {
		*reg(CESR) = program->enable ^ 1ULL << bit;
		assert_int_equal(!(halves >> bit & 1), pmc_family_p5.verify(&pmu, program));
	}
	*reg(CESR) = program->enable;
	assert_true(pmc_family_p5.verify(&pmu, program));
}

static void count(void **state)
{
	u32 i;

	memset(&pmu, 0, sizeof(pmu));
	for (i = 0; i < 2; i++) {
		one_counter(i);
		counts(HALF << 16 * i);
		verifies(HALF << 16 * i);
	}
	one_counter(1);
	compiled(0, PMC_COUNT_USER, 0x209);
	counts(HALF << 16 | HALF);
	verifies(HALF << 16 | HALF);
}

/* Loading writes no register: CESR would start the counter. */
static void load(void **state)
{
	memset(&pmu, 0, sizeof(pmu));
	one_counter(1);
	reg_forget();
	pmc_family_p5.load(&pmu, program);
	assert_int_equal(2, pmu.touched_general);
	one_counter(0);
	pmc_family_p5.load(&pmu, program);
	assert_int_equal(3, pmu.touched_general);
	reg_accessed(NULL, 0);
}

/* Bits 63:40 of a register are not part of the counter. */
static void read_and_write(void **state)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		const struct pmc_counter_setup setup = { .index = i, .mask = WIDTH_MASK };

		*reg(CTR(i)) = 0xffffff1234567890;
		*reg(CTR(!i)) = 2;
		assert_int_equal(0x1234567890, pmc_family_p5.read_one(&setup));
		pmc_family_p5_mmx.write(&pmu, &setup, -5ULL & WIDTH_MASK);
		assert_int_equal(-5ULL & WIDTH_MASK, *reg(CTR(i)));
		assert_int_equal(2, *reg(CTR(!i)));
	}
}

static void clear(void **state)
{
	clears_two_counters(&pmc_family_p5_mmx, CTR(0));
}

static int setup(void **state)
{
	registers_reset();
	rdpmc.counter0 = CTR(0);
	rdpmc.step = 1;
	*reg(CESR) = 0;
	*reg(CTR(0)) = 0;
	*reg(CTR(1)) = 0;
	alloc_program(2);
	return 0;
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, free_program)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(recognise_plain), TEST(recognise_mmx), TEST(other_processors),
		TEST(missing_registers), TEST(describe_counter), TEST(check), TEST(compile),
		TEST(reserve), TEST(save), TEST(restore), TEST(count), TEST(load),
		TEST(read_and_write), TEST(clear),
	};

	return cmocka_run_group_tests_name("p5", tests, NULL, NULL);
}
