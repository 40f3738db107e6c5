// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of p6.c: what it recognises, describes, accepts and compiles
 *
 * Numbers are those of SDM Volume 3B, "Performance Monitoring (P6 Family Processor)": PerfEvtSel0
 * and 1 are registers 186H and 187H, the counters of 40 bits C1H and C2H; a write sets 32 bits
 * and extends bit 31. The events of one counter are those of table 6-2 of "Intel Architecture MMX
 * Technology".
 */
#include "program.h"
#include "registers.h"

#define SELECT(n)	(0x186 + (n))
#define CTR(n)		(0xc1 + (n))
/* event, unit mask, edge, invert, counter mask */
#define ALLOWED		0xff84ffffULL
#define USER		(1ULL << 16)
#define KERNEL		(1ULL << 17)
#define INTERRUPT	(1ULL << 20)
#define WIDTH_MASK	0xffffffffffULL
#define PERIOD_MAX	0x7fffffffULL	/* bit 31 of a write is the sign */

static const struct pmc_description pentium_3 = { .query = {
	.vendor = "GenuineIntel", .cpu_family = 6, .cpu_model = 8,
	.status = PMC_STATUS_UNKNOWN_CPU, .features = PMC_FEATURE(MSR),
} };

/* Return: the operations, those of the family itself if the description has no others */
static const struct pmc_family *recognised(const struct pmc_description *before, u64 features,
					   u64 quirks)
{
	struct pmc_description expected = *before, description = *before;

	expected.query.family = PMC_FAMILY_P6;
	expected.query.general_counters = 3;
	expected.query.general_width = 40;
	expected.query.event_select_mask = ALLOWED;
	expected.query.features |= PMC_FEATURE(KERNEL_MODE) | PMC_FEATURE(INTERRUPT) | features;
	expected.query.quirks = quirks;
	rdpmc.tried = 0;
	assert_true(pmc_family_p6.recognise(&description));
	expected.family = description.family;
	assert_memory_equal(&expected, &description, sizeof(expected));
	return description.family;
}

static void refused(const struct pmc_description *before, u32 status)
{
	struct pmc_description expected = *before, description = *before;

	expected.query.status = status;
	assert_false(pmc_family_p6.recognise(&description));
	assert_memory_equal(&expected, &description, sizeof(expected));
}

static void recognise(void **state)
{
	struct pmc_description other = pentium_3;

	/* models 1, Pentium Pro, to 13, Pentium M; 14 has architectural performance monitoring */
	for (other.query.cpu_model = 0; other.query.cpu_model < 14; other.query.cpu_model++) {
		assert_null(recognised(&other, PMC_FEATURE(RDPMC), 0));
		assert_int_equal(1, rdpmc.tried);
	}
	for (; other.query.cpu_model < 256; other.query.cpu_model++)
		refused(&other, PMC_STATUS_UNKNOWN_CPU);
	other = pentium_3;
	for (other.query.cpu_family = 0; other.query.cpu_family < 32; other.query.cpu_family++) {
		if (other.query.cpu_family != 6)
			refused(&other, PMC_STATUS_UNKNOWN_CPU);
	}
}

static void other_vendors(void **state)
{
	static const char vendors[][16] = {
		"AuthenticAMD", "GenuineInteL", "genuineIntel", "CentaurHauls",
	};
	struct pmc_description other = pentium_3;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(vendors); i++) {
		memcpy(other.query.vendor, vendors[i], sizeof(other.query.vendor));
		refused(&other, PMC_STATUS_UNKNOWN_CPU);
	}
}

/* A hypervisor that lacks a register */
static void missing_registers(void **state)
{
	reg_faults(SELECT(0), true);
	refused(&pentium_3, PMC_STATUS_NO_PERFMON);
	reg_faults(SELECT(0), false);
	reg_faults(CTR(0), true);
	refused(&pentium_3, PMC_STATUS_NO_PERFMON);
}

/* The counters are read with RDMSR: 40 bits, without a mask. */
static void reads_registers(const struct pmc_family *family)
{
	const struct pmc_counter_setup setup = { .write_msr = CTR(1), .counter_msr = CTR(0) };

	*reg(CTR(1)) = 0xfedcba9876;
	assert_int_equal(0xfedcba9876, family->read_one(&setup));
}

static void without_rdpmc(void **state)
{
	struct pmc_description other = pentium_3;

	assert_null(pmc_family_p6.read_one);
	/* counter 1 is not tried */
	rdpmc.faulting = ~1ULL;
	assert_null(recognised(&pentium_3, PMC_FEATURE(RDPMC), 0));
	rdpmc.faulting = 1;
	reads_registers(recognised(&pentium_3, 0, PMC_QUIRK(NO_RDPMC)));
	/* RDPMC that the erratum makes wrong is not tried */
	other.query.quirks = PMC_QUIRK(P6_RDPMC);
	reads_registers(recognised(&other, 0, PMC_QUIRK(P6_RDPMC)));
	assert_int_equal(0, rdpmc.tried);
	/* any other quirk does not matter */
	rdpmc.faulting = 0;
	other.query.quirks = ~(PMC_QUIRK(P6_RDPMC) | PMC_QUIRK(NO_RDPMC));
	assert_null(recognised(&other, PMC_FEATURE(RDPMC), other.query.quirks));
}

static void describe_counter(void **state)
{
	static const u32 none[] = { 2, 3, 0x40000000, UINT32_MAX };
	struct pmc_query query = pentium_3.query;
	u32 i;

	for (i = 0; i < 4; i++) {
		const struct pmc_counter expected = {
			.rdpmc = i % 2, .width = 40, .write_width = 32,
			.event_select_mask = ALLOWED, .select_msr = SELECT(i % 2),
			.counter_msr = CTR(i % 2), .period_max = i / 2 ? PERIOD_MAX : 0,
		};
		struct pmc_counter answer = {};

		query.features = i / 2 ? PMC_FEATURE(INTERRUPT) : ~PMC_FEATURE(INTERRUPT);
		assert_int_equal(0, pmc_family_p6.describe_counter(&query, i % 2, &answer));
		assert_memory_equal(&expected, &answer, sizeof(answer));
	}
	for (i = 0; i < ARRAY_SIZE(none); i++)
		describes_no_counter(&pmc_family_p6, &query, none[i]);
}

/* The check returns this, with these refused bits. */
static void checked(const struct pmc_query *query, int expected, u64 expected_bits,
		    struct pmc_counter_config config)
{
	u64 refused_bits = 0x5a5a;

	assert_int_equal(expected, pmc_family_p6.check(query, &config, &refused_bits));
	assert_int_equal(expected_bits, refused_bits);
}

static void check_selects(void **state)
{
	const struct pmc_query *query = &pentium_3.query;
	struct pmc_counter_config config = {};
	u32 bit;

	for (config.counter = 0; config.counter < 2; config.counter++) {
		for (bit = 0; bit < 64; bit++) {
			config.event_select = 1ULL << bit;
			/* event 10H is counter 0's */
			checked(query, !(ALLOWED >> bit & 1) ? -EINVAL :
				       bit == 4 && config.counter ? -EDOM : 0,
				config.event_select & ~ALLOWED, config);
		}
		config.event_select = ALLOWED;
		checked(query, 0, 0, config);
		config.event_extra = 1;
		checked(query, -EINVAL, 0, config);
		config.event_select = ~0ULL;
		config.event_extra = 0;
		checked(query, -EINVAL, ~ALLOWED, config);
	}
	/* nothing is written for a counter that does not exist */
	config.event_select = 0x79;
	checked(query, -ENXIO, 0x5a5a, config);
}

/* Other fields of the event select do not matter. */
static void check_events(void **state)
{
	u32 event, counter;

	for (event = 0; event < 256; event++) {
		for (counter = 0; counter < 2; counter++) {
			const bool first = event == 0xc1 || event == 0x10 || event == 0x14;
			const bool second = event == 0x11 || event == 0x12 || event == 0x13;
			const int expected = counter ? first : second;

			checked(&pentium_3.query, expected ? -EDOM : 0, 0,
				(struct pmc_counter_config){ counter, .event_select = event });
			checked(&pentium_3.query, expected ? -EDOM : 0, 0,
				(struct pmc_counter_config){ counter,
					.event_select = (ALLOWED & ~0xff) | event });
		}
	}
}

static void check_periods(void **state)
{
	struct pmc_query query = pentium_3.query;
	u32 i;

	for (i = 0; i < 2; i++) {
		query.features = PMC_FEATURE(INTERRUPT);
		checked(&query, 0, 0, (struct pmc_counter_config){ i, .period = 1 });
		checked(&query, 0, 0, (struct pmc_counter_config){ i, .period = PERIOD_MAX });
		checked(&query, -ERANGE, 0,
			(struct pmc_counter_config){ i, .period = PERIOD_MAX + 1 });
		checked(&query, -ERANGE, 0, (struct pmc_counter_config){ i, .period = ~0ULL });
		query.features = 0;
		checked(&query, 0, 0, (struct pmc_counter_config){ i, .period = 0 });
		checked(&query, -EOPNOTSUPP, 0, (struct pmc_counter_config){ i, .period = 1 });
	}
	assert_false(pmc_family_p6.sibling(&query, NULL));
}

/* Compile one counter behind those that the program has. */
static void compiled(u32 counter, u32 flags, u64 select, u64 period)
{
	const struct pmc_counter_config config = {
		.counter = counter, .flags = flags, .event_select = select & ALLOWED,
		.period = period,
	};
	const struct pmc_counter_setup expected = {
		.rdpmc = counter, .index = counter, .mask = WIDTH_MASK, .select = select,
		.write_msr = CTR(counter), .write_mask = UINT32_MAX, .period = period,
		.user = select & USER, .kernel = select & KERNEL,
	};
	const u32 nr = program->nr;

	assert_int_equal(0, pmc_family_p6.compile(&pentium_3.query, &config, program));
	assert_int_equal(nr + 1, program->nr);
	assert_memory_equal(&expected, &program->setup[nr], sizeof(expected));
}

static void compile_one(u32 counter, u32 flags, u64 select, u64 period)
{
	memset(program, 0, sizeof(*program) + 2 * sizeof(program->setup[0]));
	compiled(counter, flags, select, period);
	assert_int_equal(1ULL << counter, program->general);
	assert_int_equal(1ULL << counter, program->enable);
	assert_int_equal(!!(select & KERNEL), program->stop_to_read);
}

static void compile(void **state)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		compile_one(i, 0, 0x79, 0);
		compile_one(i, PMC_COUNT_USER, 0x4c0 | USER, 0);
		compile_one(i, PMC_COUNT_KERNEL, 0x4c0 | KERNEL, 0);
		compile_one(i, PMC_COUNT_USER | PMC_COUNT_KERNEL, ALLOWED | USER | KERNEL, 0);
		compile_one(i, PMC_COUNT_USER, 0x79 | USER | INTERRUPT, 1);
		compile_one(i, PMC_COUNT_KERNEL, 0x79 | KERNEL | INTERRUPT, PERIOD_MAX);
	}
	/* two counters: the first alone counts kernel mode */
	compile_one(1, PMC_COUNT_KERNEL, 0xc0 | KERNEL, 0);
	compiled(0, PMC_COUNT_USER, 0x79 | USER, 0);
	assert_int_equal(3, program->general);
	assert_int_equal(3, program->enable);
	assert_true(program->stop_to_read);
}

static void reserve(void **state)
{
	u64 mask;

	for (mask = 1; mask < 4; mask++) {
		assert_int_equal(0, pmc_family_p6.reserve(mask));
		assert_int_equal(1, reservation_count);
		assert_int_equal(mask, reservations[0].mask);
		assert_int_equal(CTR(0), reservations[0].counter_msr);
		assert_int_equal(SELECT(0), reservations[0].select_msr);
		pmc_family_p6.unreserve(mask);
		assert_int_equal(0, reservation_count);
	}
	reserved_by_others = CTR(0);
	assert_int_equal(-EBUSY, pmc_family_p6.reserve(3));
	assert_int_equal(0, reservation_count);
	/* Linux, nmi_perfctr_msr_to_bit(): 66 event selects from PerfEvtSel0 on have a bit */
	assert_int_equal(SELECT(64), pmc_family_p6.spare_select());
}

static int setup(void **state)
{
	registers_reset();
	*reg(SELECT(0)) = 0;
	*reg(SELECT(1)) = 0;
	*reg(CTR(0)) = 0;
	*reg(CTR(1)) = 0;
	alloc_program(2);
	return 0;
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, free_program)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(recognise), TEST(other_vendors), TEST(missing_registers),
		TEST(without_rdpmc), TEST(describe_counter), TEST(check_selects),
		TEST(check_events), TEST(check_periods), TEST(compile), TEST(reserve),
	};

	return cmocka_run_group_tests_name("p6", tests, NULL, NULL);
}
