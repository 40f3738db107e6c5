// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of core.c: what a counter is, which configurations it may have, and its reservation
 *
 * Layouts and addresses are those of Intel's Volume 3B, "Architectural Performance Monitoring", and
 * of Volume 4, table 2-2.
 */
#include "core_registers.h"

#include "compat/reserve.h"
#include "compat/topology.h"

#define NO_CPU		0
#define WITH_SIBLING	1

static struct {
	int result;
	u64 reserved, unreserved;
	u32 counter_msr, select_msr;
} reservation;

bool pmc_cpu_has_siblings(int cpu)
{
	return cpu == WITH_SIBLING;
}

int pmc_reserve(u64 mask, u32 counter_msr, u32 select_msr)
{
	reservation.reserved = mask;
	reservation.counter_msr = counter_msr;
	reservation.select_msr = select_msr;
	return reservation.result;
}

void pmc_unreserve(u64 mask, u32 counter_msr, u32 select_msr)
{
	reservation.unreserved = mask;
	reservation.counter_msr = counter_msr;
	reservation.select_msr = select_msr;
}

/* Of an unknown model: no event is restricted */
static struct pmc_description processor(u32 version, u64 features)
{
	return (struct pmc_description){
		.query = {
			.cpu = NO_CPU,
			.cpu_family = 6,
			.cpu_model = 0xfe,
			.perfmon_version = version,
			.features = features | PMC_FEATURE(INTERRUPT),
			.general_counters = 0x80000035,
			.fixed_counters = 0x8009,
			.general_width = 48,
			.fixed_width = 44,
			.event_select_mask = 0xff84ffff | ANY_THREAD,
		},
	};
}

static int describe(const struct pmc_description *description, u32 counter,
		    struct pmc_counter *answer)
{
	memset(answer, 0, sizeof(*answer));
	return pmc_family_core.describe_counter(&description->query, counter, answer);
}

static void existing(void **state)
{
	static const u32 missing[] = {
		1, 3, 30, 32, 33, PMC_COUNTER_FIXED(1), PMC_COUNTER_FIXED(14),
		PMC_COUNTER_FIXED(16), PMC_COUNTER_FIXED(17), PMC_COUNTER_METRICS,
	};
	static const u32 exist[] = {
		0, 2, 5, 31, PMC_COUNTER_FIXED(0), PMC_COUNTER_FIXED(3), PMC_COUNTER_FIXED(15),
	};
	struct pmc_description description = processor(2, 0);
	struct pmc_counter answer;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(missing); i++)
		assert_int_equal(-ENXIO, describe(&description, missing[i], &answer));
	for (i = 0; i < ARRAY_SIZE(exist); i++) {
		assert_int_equal(0, describe(&description, exist[i], &answer));
		assert_int_equal(exist[i], answer.rdpmc);
	}
	description.query.features |= PMC_FEATURE(METRICS);
	assert_int_equal(0, describe(&description, PMC_COUNTER_METRICS, &answer));
	assert_int_equal(PMC_COUNTER_METRICS, answer.rdpmc);
	assert_int_equal(METRICS, answer.counter_msr);
	assert_int_equal(0, answer.period_max);
}

/* Addresses, widths and the longest period: half of the values that can be written */
static void described(void **state)
{
	static const struct {
		u32 version;
		u64 features;
		u32 counter, select_msr, counter_msr, write_width;
	} known[] = {
		{ 2, 0, 0, 0x186, 0x0c1, 32 },
		{ 2, 0, 5, 0x18b, 0x0c6, 32 },
		{ 2, FULL, 5, 0x18b, 0x0c6, 48 },
		{ 6, 0, 5, 0x18b, 0x0c6, 32 },
		{ 5, FULL, 5, 0x18b, 0x0c6, 48 },
		{ 6, FULL, 5, 0x1915, 0x1914, 48 },
		{ 6, FULL, 0, 0x1901, 0x1900, 48 },
		{ 2, 0, PMC_COUNTER_FIXED(0), 0x38d, 0x309, 44 },
		{ 2, FULL, PMC_COUNTER_FIXED(3), 0x38d, 0x30c, 44 },
		{ 6, 0, PMC_COUNTER_FIXED(3), 0x38d, 0x30c, 44 },
		{ 6, FULL, PMC_COUNTER_FIXED(3), 0x38d, 0x198c, 44 },
	};
	struct pmc_counter answer;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_description description = processor(known[i].version, known[i].features);
		bool fixed = known[i].counter & PMC_COUNTER_FIXED_FLAG;

		assert_int_equal(0, describe(&description, known[i].counter, &answer));
		assert_int_equal(known[i].select_msr, answer.select_msr);
		assert_int_equal(known[i].counter_msr, answer.counter_msr);
		assert_int_equal(fixed ? 44 : 48, answer.width);
		assert_int_equal(known[i].write_width, answer.write_width);
		assert_int_equal((1ULL << (known[i].write_width - 1)) - 1, answer.period_max);
		assert_int_equal(fixed ? ANY_THREAD : 0xff84ffff | ANY_THREAD,
				 answer.event_select_mask);
		description.query.features &= ~PMC_FEATURE(INTERRUPT);
		assert_int_equal(0, describe(&description, known[i].counter, &answer));
		assert_int_equal(0, answer.period_max);
	}
}

/* Narrower than the 32 bits that can be written */
static void narrow(void **state)
{
	struct pmc_description description = processor(1, 0);
	struct pmc_counter answer;

	description.query.general_width = 24;
	assert_int_equal(0, describe(&description, 0, &answer));
	assert_int_equal(24, answer.write_width);
}

static int check(const struct pmc_description *description, const struct pmc_counter_config *config,
		 u64 *refused)
{
	*refused = 0x5555;
	return pmc_family_core.check(&description->query, config, refused);
}

static void checked(void **state)
{
	struct pmc_description description = processor(2, 0);
	struct pmc_counter_config config = { .counter = 1, .flags = BOTH, .event_select = 0xc4 };
	u64 refused;

	assert_int_equal(-ENXIO, check(&description, &config, &refused));
	config.counter = 2;
	assert_int_equal(0, check(&description, &config, &refused));
	assert_int_equal(0, refused);
	config.event_select = 0xff84ffff | ANY_THREAD;
	assert_int_equal(0, check(&description, &config, &refused));
	/* user, kernel, interrupt and enable are the driver's */
	config.event_select = ~0ULL;
	assert_int_equal(-EINVAL, check(&description, &config, &refused));
	assert_int_equal(~(0xff84ffff | ANY_THREAD), refused);
	config.counter = PMC_COUNTER_FIXED(0);
	assert_int_equal(-EINVAL, check(&description, &config, &refused));
	assert_int_equal(~ANY_THREAD, refused);
	config.event_select = ANY_THREAD;
	assert_int_equal(0, check(&description, &config, &refused));
	/* an extra register that the event does not have */
	config = (struct pmc_counter_config){ .counter = 2, .flags = BOTH, .event_select = 0xc4,
					      .event_extra = 2 };
	assert_int_equal(-EINVAL, check(&description, &config, &refused));
	assert_int_equal(2, refused);
	/* the metrics need no event */
	description.query.features |= PMC_FEATURE(METRICS);
	config = (struct pmc_counter_config){ .counter = PMC_COUNTER_METRICS, .flags = BOTH };
	assert_int_equal(0, check(&description, &config, &refused));
	config.period = 1;
	assert_int_equal(-EOPNOTSUPP, check(&description, &config, &refused));
	/* Ivy Bridge's and Haswell's CYCLE_ACTIVITY.CYCLES_L1D_PENDING: general counter 2 only */
	description.query.cpu_model = 0x3c;
	config = (struct pmc_counter_config){ .counter = 2, .flags = BOTH, .event_select = 0x08a3 };
	assert_int_equal(0, check(&description, &config, &refused));
	config.counter = 0;
	assert_int_equal(-EDOM, check(&description, &config, &refused));
}

static void periods(void **state)
{
	static const struct {
		u32 counter;
		u64 longest;
	} known[] = { { 0, 0x7fffffff }, { PMC_COUNTER_FIXED(0), 0x7ffffffffff } };
	struct pmc_description description = processor(2, 0);
	u64 refused;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_counter_config config = { .counter = known[i].counter, .flags = BOTH };

		description.query.features |= PMC_FEATURE(INTERRUPT);
		config.period = 1;
		assert_int_equal(0, check(&description, &config, &refused));
		config.period = known[i].longest;
		assert_int_equal(0, check(&description, &config, &refused));
		config.period++;
		assert_int_equal(-ERANGE, check(&description, &config, &refused));
		description.query.features &= ~PMC_FEATURE(INTERRUPT);
		config.period = 1;
		assert_int_equal(-EOPNOTSUPP, check(&description, &config, &refused));
		config.period = 0;
		assert_int_equal(0, check(&description, &config, &refused));
	}
}

static struct pmc_program *compile(const struct pmc_description *description,
				   const struct pmc_counter_config *config)
{
	struct pmc_program *program = test_calloc(1, sizeof(*program) + sizeof(program->setup[0]));

	assert_int_equal(0, pmc_family_core.compile(&description->query, config, program));
	return program;
}

/* HSD29, BJ122, BV98: events D0H to D3H are refused with a sibling, and leak without one */
static void leaking_events(void **state)
{
	static const struct {
		u32 event;
		bool leaks;
	} known[] = { { 0xcf, false }, { 0xd0, true }, { 0xd3, true }, { 0xd4, false } };
	struct pmc_description description = processor(3, 0);
	u64 refused;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_counter_config config = { .counter = 31, .flags = BOTH };
		struct pmc_program *program;

		config.event_select = 0x8100 | known[i].event;
		description.query.quirks = PMC_QUIRK(HT_LEAK);
		description.query.cpu = NO_CPU;
		assert_int_equal(0, check(&description, &config, &refused));
		program = compile(&description, &config);
		assert_int_equal(known[i].leaks, program->leaks);
		test_free(program);
		description.query.cpu = WITH_SIBLING;
		assert_int_equal(known[i].leaks ? -EDOM : 0,
				 check(&description, &config, &refused));
		description.query.quirks = 0;
		assert_int_equal(0, check(&description, &config, &refused));
		program = compile(&description, &config);
		assert_false(program->leaks);
		test_free(program);
	}
}

/* LIKWID's issues 59 and 517: counters 4 to 7 count both modes only */
static void user_mode_alone(void **state)
{
	struct pmc_description description = processor(3, 0);
	struct pmc_counter_config config = { .counter = 4, .flags = PMC_COUNT_USER };
	u64 refused;

	description.query.general_counters = 0xff;
	assert_int_equal(0, check(&description, &config, &refused));
	description.query.quirks = PMC_QUIRK(USER_4_7);
	assert_int_equal(-EDOM, check(&description, &config, &refused));
	config.flags = PMC_COUNT_KERNEL;
	assert_int_equal(-EDOM, check(&description, &config, &refused));
	config.flags = BOTH;
	assert_int_equal(0, check(&description, &config, &refused));
	config = (struct pmc_counter_config){ .counter = 3, .flags = PMC_COUNT_USER };
	assert_int_equal(0, check(&description, &config, &refused));
	config = (struct pmc_counter_config){ .counter = PMC_COUNTER_FIXED(0),
					      .flags = PMC_COUNT_USER };
	assert_int_equal(0, check(&description, &config, &refused));
}

static void siblings(void **state)
{
	struct pmc_description description = processor(3, 0);
	struct pmc_counter_config config = { .counter = 0, .event_select = 0xc4 };

	assert_false(pmc_family_core.sibling(&description.query, &config));
	config.event_select = ANY_THREAD | 0xc4;
	assert_true(pmc_family_core.sibling(&description.query, &config));
	/* UOPS_EXECUTED.CORE */
	config.event_select = 0x02b1;
	assert_true(pmc_family_core.sibling(&description.query, &config));
	config.event_select = 0x01b1;
	assert_false(pmc_family_core.sibling(&description.query, &config));
}

/* The kernel's reservations: all counters up to the highest one */
static void reservations(void **state)
{
	static const struct {
		u64 mask, reserved;
	} known[] = { { 0, 0 }, { 1, 1 }, { 0x4, 0x7 }, { 0x80000000, 0xffffffff } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		memset(&reservation, 0, sizeof(reservation));
		reservation.result = i ? -EBUSY : 0;
		assert_int_equal(reservation.result, pmc_family_core.reserve(known[i].mask));
		assert_int_equal(known[i].reserved, reservation.reserved);
		assert_int_equal(0x0c1, reservation.counter_msr);
		assert_int_equal(0x186, reservation.select_msr);
		memset(&reservation, 0, sizeof(reservation));
		reservation.unreserved = ~0ULL;
		pmc_family_core.unreserve(known[i].mask);
		assert_int_equal(known[i].reserved, reservation.unreserved);
		assert_int_equal(0x0c1, reservation.counter_msr);
		assert_int_equal(0x186, reservation.select_msr);
	}
	/* IA32_PMC_GP0_CFG_A and, four further each, those of the other general counters */
	assert_int_equal(0x186, pmc_family_core.reserved_as(0x1901, 1));
	assert_int_equal(0x18a, pmc_family_core.reserved_as(0x1901, 0x30));
	assert_int_equal(0x186, pmc_family_core.reserved_as(0x197d, 1));
	assert_int_equal(0, pmc_family_core.reserved_as(0x1901, 0));
	assert_int_equal(0, pmc_family_core.reserved_as(0x1900, 1));
	assert_int_equal(0, pmc_family_core.reserved_as(0x1902, 1));
	assert_int_equal(0, pmc_family_core.reserved_as(0x18fd, 1));
	assert_int_equal(0, pmc_family_core.reserved_as(0x1981, 1));
	assert_int_equal(0, pmc_family_core.reserved_as(0x186, 1));
	/* the kernel knows 66 event selects from 186H on; a processor has at most 32 */
	assert_in_range(pmc_family_core.spare_select(), 0x186 + 32, 0x186 + 65);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(existing),
		cmocka_unit_test(described),
		cmocka_unit_test(narrow),
		cmocka_unit_test(checked),
		cmocka_unit_test(periods),
		cmocka_unit_test(leaking_events),
		cmocka_unit_test(user_mode_alone),
		cmocka_unit_test(siblings),
		cmocka_unit_test(reservations),
	};

	return cmocka_run_group_tests_name("core_counters", tests, NULL, NULL);
}
