// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of core.c: the program that becomes of counters' configurations
 *
 * Layouts and addresses are those of Intel's Volume 3B, "Architectural Performance Monitoring", and
 * of Volume 4, table 2-2.
 */
#include "core_registers.h"

#define INTERRUPT	(1ULL << 20)
#define WIDTH_48	0xffffffffffffULL
#define WIDTH_44	0xfffffffffffULL

static struct pmc_description processor(u32 version, u64 features)
{
	return (struct pmc_description){
		.query = { .cpu_family = 6, .cpu_model = 0xfe, .perfmon_version = version,
			   .features = features, .general_width = 48, .fixed_width = 44 },
	};
}

static struct pmc_program *new_program(void)
{
	return test_calloc(1, sizeof(struct pmc_program) + 4 * sizeof(struct pmc_counter_setup));
}

static const struct pmc_counter_setup *add(const struct pmc_description *description,
					   const struct pmc_counter_config *config,
					   struct pmc_program *program)
{
	u32 nr = program->nr;

	assert_int_equal(0, pmc_family_core.compile(&description->query, config, program));
	assert_int_equal(nr + 1, program->nr);
	return &program->setup[nr];
}

/* Event selects with the bits for user and kernel mode; without that which enables */
static void general(void **state)
{
	static const struct {
		u32 flags;
		u64 select, bits;
	} known[] = {
		{ 0, 0x412e, 0 },
		{ PMC_COUNT_USER, 0x412e, 1 << 16 },
		{ PMC_COUNT_KERNEL, 0x412e, 1 << 17 },
		{ BOTH, 0xff84412e | ANY_THREAD, 3 << 16 },
	};
	struct pmc_description description = processor(2, 0);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_counter_config config = { .counter = 5, .flags = known[i].flags,
						     .event_select = known[i].select };
		struct pmc_program *program = new_program();
		const struct pmc_counter_setup *setup = add(&description, &config, program);

		assert_int_equal(known[i].select | known[i].bits, setup->select);
		assert_int_equal(5, setup->index);
		assert_int_equal(5, setup->rdpmc);
		assert_int_equal(!!(known[i].flags & PMC_COUNT_USER), setup->user);
		assert_int_equal(!!(known[i].flags & PMC_COUNT_KERNEL), setup->kernel);
		assert_int_equal(WIDTH_48, setup->mask);
		assert_int_equal(0, setup->period | setup->least);
		assert_false(setup->delayed);
		assert_int_equal(1 << 5, program->general);
		assert_int_equal(1 << 5, program->enable);
		assert_int_equal(0, program->fixed | program->fixed_ctrl);
		assert_int_equal(0, program->fixed_ctrl_mask | program->interrupts);
		assert_int_equal(!!(known[i].flags & PMC_COUNT_KERNEL) ||
				 known[i].select & ANY_THREAD, program->stop_to_read);
		assert_false(program->leaks);
		test_free(program);
	}
}

/* Four bits a counter in IA32_FIXED_CTR_CTRL: kernel, user, AnyThread, interrupt */
static void fixed(void **state)
{
	static const struct {
		u32 flags;
		u64 select, period, bits;
	} known[] = {
		{ 0, 0, 0, 0x0 }, { PMC_COUNT_KERNEL, 0, 0, 0x1 }, { PMC_COUNT_USER, 0, 0, 0x2 },
		{ 0, ANY_THREAD, 0, 0x4 }, { 0, 0, 100, 0x8 }, { BOTH, ANY_THREAD, 100, 0xf },
	};
	struct pmc_description description = processor(2, FULL);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_counter_config config = {
			.counter = PMC_COUNTER_FIXED(2), .flags = known[i].flags,
			.event_select = known[i].select, .period = known[i].period,
		};
		struct pmc_program *program = new_program();
		const struct pmc_counter_setup *setup = add(&description, &config, program);

		assert_int_equal(0, setup->select);
		assert_int_equal(2, setup->index);
		assert_int_equal(PMC_COUNTER_FIXED(2), setup->rdpmc);
		assert_int_equal(known[i].period, setup->period);
		assert_int_equal(WIDTH_44, setup->mask);
		assert_int_equal(~0ULL, setup->write_mask);
		assert_int_equal(0x30b, setup->write_msr);
		assert_int_equal(0x30b, setup->counter_msr);
		assert_int_equal(1 << 2, program->fixed);
		assert_int_equal(known[i].bits << 8, program->fixed_ctrl);
		assert_int_equal(0xf00, program->fixed_ctrl_mask);
		assert_int_equal(1ULL << 34, program->enable);
		assert_int_equal(known[i].period ? 1ULL << 34 : 0, program->interrupts);
		assert_int_equal(0, program->general);
		assert_int_equal(0, program->slots_at);
		test_free(program);
	}
}

/* Where a counter is written, and with which bits; its event select */
static void addresses(void **state)
{
	static const struct {
		u32 version;
		u64 features;
		u32 write, select;
		u64 mask;
	} known[] = {
		{ 1, 0, 0x0c4, 0x189, 0xffffffff },
		{ 5, FULL, 0x4c4, 0x189, ~0ULL },
		{ 6, 0, 0x0c4, 0x189, 0xffffffff },
		{ 6, FULL, 0x190c, 0x190d, ~0ULL },
	};
	const struct pmc_counter_config config = { .counter = 3, .flags = PMC_COUNT_USER };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_description description = processor(known[i].version, known[i].features);
		struct pmc_program *program = new_program();
		const struct pmc_counter_setup *setup = add(&description, &config, program);

		assert_int_equal(known[i].write, setup->write_msr);
		assert_int_equal(known[i].write, setup->counter_msr);
		assert_int_equal(known[i].select, setup->extra);
		assert_int_equal(known[i].mask, setup->write_mask);
		test_free(program);
	}
}

/* Several counters in one program; the place of fixed counter 3 */
static void several(void **state)
{
	static const struct pmc_counter_config configs[] = {
		{ .counter = 1, .flags = PMC_COUNT_USER, .event_select = 0xc4, .period = 1000 },
		{ .counter = PMC_COUNTER_FIXED(0), .flags = PMC_COUNT_USER },
		{ .counter = PMC_COUNTER_SLOTS, .flags = PMC_COUNT_USER },
		{ .counter = PMC_COUNTER_METRICS, .flags = PMC_COUNT_USER },
	};
	struct pmc_description description = processor(5, FULL | PMC_FEATURE(METRICS));
	struct pmc_program *program = new_program();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(configs); i++)
		add(&description, &configs[i], program);
	assert_int_equal(0xc4 | 1 << 16 | INTERRUPT, program->setup[0].select);
	assert_int_equal(1000, program->setup[0].period);
	assert_int_equal(1 << 1, program->general);
	assert_int_equal(0x9, program->fixed);
	assert_int_equal(0x2002, program->fixed_ctrl);
	assert_int_equal(0xf00f, program->fixed_ctrl_mask);
	assert_int_equal(1 << 1, program->interrupts);
	assert_int_equal(1ULL << 48 | 1ULL << 35 | 1ULL << 32 | 1 << 1, program->enable);
	assert_int_equal(2, program->slots_at);
	assert_int_equal(3, program->metrics_at);
	assert_true(program->metrics);
	assert_false(program->stop_to_read);
	test_free(program);
}

/* UOPS_EXECUTED.CORE counts the sibling thread, too. */
static void both_threads(void **state)
{
	struct pmc_counter_config config = { .flags = PMC_COUNT_USER, .event_select = 0x02b1 };
	struct pmc_description description = processor(5, FULL);
	struct pmc_program *program = new_program();

	add(&description, &config, program);
	assert_true(program->stop_to_read);
	test_free(program);
}

/* The least periods of Linux's nhm_limit_period() and bdw_limit_period() */
static void least_periods(void **state)
{
	enum { P32 = PMC_QUIRK(PERIOD_32), P128 = PMC_QUIRK(PERIOD_128) };
	static const struct {
		u64 quirks, select;
		u32 counter, least;
	} known[] = {
		{ 0, 0x01c0, 1, 0 }, { P32, 0x01c0, 1, 32 }, { P32, 0x00c4, 1, 32 },
		{ P128, 0x01c0, 1, 128 }, { P128, 0x00c0, 1, 0 }, { P128, 0x02c0, 1, 0 },
		{ P128, 0x01c1, 1, 0 }, { P32 | P128, ANY_THREAD | 0x01c0, 1, 128 },
		{ P32 | P128, 0x01c4, 1, 32 }, { P128, 0, PMC_COUNTER_FIXED(0), 0 },
		{ P32 | P128, 0, PMC_COUNTER_FIXED(0), 32 },
		{ P128, 0x01c0, PMC_COUNTER_FIXED(0), 0 },
	};
	struct pmc_description description = processor(3, 0);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_counter_config config = { .counter = known[i].counter, .period = 1000,
						     .event_select = known[i].select };
		struct pmc_program *program = new_program();
		const struct pmc_counter_setup *setup;

		description.query.quirks = known[i].quirks;
		setup = add(&description, &config, program);
		assert_int_equal(known[i].least, setup->least);
		assert_int_equal(!!known[i].least, setup->delayed);
		assert_int_equal(!known[i].least, !!setup->write_msr);
		assert_int_equal(known[i].counter & PMC_COUNTER_FIXED_FLAG ? 0x309 : 0x0c2,
				 setup->counter_msr);
		/* without a period every value may be loaded */
		config.period = 0;
		setup = add(&description, &config, program);
		assert_int_equal(0, setup->period | setup->least);
		assert_false(setup->delayed);
		assert_int_equal(setup->counter_msr, setup->write_msr);
		test_free(program);
	}
}

/* A program with an extra register has other operations; two values of it do not fit. */
static void extra_registers(void **state)
{
	struct pmc_description description = processor(4, FULL);
	struct pmc_counter_config config = { .event_select = 0x01b7, .event_extra = 1 };
	struct pmc_program *program = new_program();

	description.query.cpu_model = 0x55;
	add(&description, &config, program);
	assert_ptr_equal(&core_extra, program->family);
	config.counter = 1;
	config.event_extra = 2;
	assert_int_equal(-ENOSPC, pmc_family_core.compile(&description.query, &config, program));
	test_free(program);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(general),
		cmocka_unit_test(fixed),
		cmocka_unit_test(addresses),
		cmocka_unit_test(several),
		cmocka_unit_test(both_threads),
		cmocka_unit_test(least_periods),
		cmocka_unit_test(extra_registers),
	};

	return cmocka_run_group_tests_name("core_compile", tests, NULL, NULL);
}
