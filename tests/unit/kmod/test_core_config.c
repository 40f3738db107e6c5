// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of core_config.c: IA32_PMC_GPn_CFG_B, _FXn_CFG_B and the same with _C
 *
 * Addresses are those of Intel's Volume 4, table 2-2: 1902H, 1903H, 1982H and 1983H, four further
 * for each counter.
 */
#include "core_registers.h"

#define ALL	0xffffffffffffULL	/* 32 general and 16 fixed counters */
#define FIXED(n) (1ULL << (32 + (n)))

static u32 config_b(u32 counter)
{
	return counter < 32 ? 0x1902 + 4 * counter : 0x1982 + 4 * (counter - 32);
}

static void give_all(void)
{
	u32 i;

	no_registers_yet();
	for (i = 0; i < 48; i++) {
		give_register(config_b(i), i + 1);
		give_register(config_b(i) + 1, i + 101);
	}
}

static void all(void **state)
{
	struct pmc_description description = { .config_b = ALL, .config_c = ALL };

	give_all();
	core_config_find(&description);
	assert_each_accessed_once();
	assert_int_equal(ALL, description.config_b);
	assert_int_equal(ALL, description.config_c);
	description.config_b = 0x5 | FIXED(2);
	description.config_c = 0;
	core_config_find(&description);
	assert_accessed(0x1902, 0x190a, 0x198a);
	assert_int_equal(0x5 | FIXED(2), description.config_b);
	assert_int_equal(0, description.config_c);
}

/* A hypervisor may lack registers. */
static void missing(void **state)
{
	struct pmc_description description = { .config_b = ALL, .config_c = 0xff };

	give_all();
	take_register(config_b(0));
	take_register(config_b(31));
	take_register(config_b(47));
	take_register(config_b(7) + 1);
	core_config_find(&description);
	assert_int_equal(ALL & ~(1ULL | 1ULL << 31 | 1ULL << 47), description.config_b);
	assert_int_equal(0x7f, description.config_c);
}

/* They are saved and cleared, but for those of counters that another user runs. */
static void saved(void **state)
{
	struct pmc_pmu pmu = {
		.description = { .config_b = 0x7 | FIXED(0), .config_c = 0x6 | FIXED(15) },
		.found_running = 0x2 | FIXED(15),
	};

	give_all();
	give_register(config_b(2), 0);
	core_config_save(&pmu);
	/* written only where it is not 0 */
	assert_accessed(0x1902, 0x1902, 0x190a, 0x1982, 0x1982, 0x190b, 0x190b);
	assert_int_equal(1, pmu.saved.config_b[0]);
	assert_int_equal(0, pmu.saved.config_b[1]);
	assert_int_equal(0, pmu.saved.config_b[2]);
	assert_int_equal(33, pmu.saved.config_b[32]);
	assert_int_equal(103, pmu.saved.config_c[2]);
	assert_int_equal(0, pmu.saved.config_c[1] | pmu.saved.config_c[47]);
	assert_int_equal(0, register_value(0x1902));
	assert_int_equal(2, register_value(0x1906));
	assert_int_equal(0, register_value(0x1982));
	assert_int_equal(0, register_value(0x190b));
	assert_int_equal(102, register_value(0x1907));
	assert_int_equal(148, register_value(config_b(47) + 1));
}

static void restored(void **state)
{
	struct pmc_pmu pmu = {
		.description = { .config_b = 0x7 | FIXED(0), .config_c = 0x6 | FIXED(15) },
		.found_running = 0x2 | FIXED(15),
	};

	give_all();
	pmu.saved.config_b[0] = 0x1001;
	pmu.saved.config_b[1] = 0x1002;
	pmu.saved.config_b[3] = 0x1003;
	pmu.saved.config_b[32] = 0x1004;
	pmu.saved.config_c[2] = 0x1005;
	pmu.saved.config_c[47] = 0x1006;
	core_config_restore(&pmu);
	assert_accessed(0x1902, 0x1982, 0x190b);
	assert_int_equal(0x1001, register_value(0x1902));
	assert_int_equal(0x1004, register_value(0x1982));
	assert_int_equal(0x1005, register_value(0x190b));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all),
		cmocka_unit_test(missing),
		cmocka_unit_test(saved),
		cmocka_unit_test(restored),
	};

	return cmocka_run_group_tests_name("core_config", tests, NULL, NULL);
}
