// SPDX-License-Identifier: GPL-2.0-only
/* Tests of core_events.c: the counters that can count an event, against the library's table */
#include "unit.h"

#include <linux/kernel.h>

#include "families/core.h"

/* The names of the library's table; the driver has others */
enum uarch {
	LIB_CORE_DUO,
	LIB_CORE2,
	LIB_NEHALEM,
	LIB_WESTMERE,
	LIB_SANDY_BRIDGE,
	LIB_IVY_BRIDGE,
	LIB_HASWELL,
	LIB_BROADWELL,
	LIB_SKYLAKE,
	LIB_ICE_LAKE,
	LIB_SAPPHIRE_RAPIDS,
	LIB_REDWOOD_COVE,
	LIB_LION_COVE,
	LIB_PANTHER_COVE,
	LIB_ARCTIC_WOLF,
};

static const struct {
	unsigned int model;
	enum uarch uarch;
} models[] = {
#define PMC_CORE_MODEL(model, uarch) { model, LIB_##uarch },
#include "events/tables/core-counters.def"
#undef PMC_CORE_MODEL
};

static const struct {
	enum uarch uarch;
	unsigned int first, last, umask_mask, umask;
	uint64_t counters;
} rows[] = {
#define PMC_CORE_COUNTERS(uarch, first, last, umask_mask, umask, counters) \
	{ LIB_##uarch, first, last, umask_mask, umask, counters },
#include "events/tables/core-counters.def"
#undef PMC_CORE_COUNTERS
};

static uint64_t library_counters(enum uarch uarch, unsigned int event, unsigned int umask)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].uarch == uarch && rows[i].first <= event && event <= rows[i].last &&
		    (umask & rows[i].umask_mask) == rows[i].umask)
			return rows[i].counters;
	}
	return ~0ULL;
}

static struct pmc_query processor(unsigned int model)
{
	return (struct pmc_query){ .cpu_family = 6, .cpu_model = model };
}

/*
 * The library restricts these after Intel's manual and event files; Linux and the driver do not:
 * CYCLE_ACTIVITY (A3H) with unit masks that Linux does not list, MEM_TRANS_RETIRED (CDH).
 */
static bool library_alone(enum uarch uarch, unsigned int event, unsigned int umask)
{
	switch (uarch) {
	case LIB_SANDY_BRIDGE:
		return event == 0xa3;
	case LIB_IVY_BRIDGE:
		return event == 0xa3 || event == 0xcd;
	case LIB_HASWELL:
		return event == 0xa3 && umask & 0x08;
	default:
		return false;
	}
}

static void compare(const struct pmc_query *query, enum uarch uarch, unsigned int event,
		    unsigned int umask)
{
	uint64_t driver = core_event_counters(query, umask << 8 | event);
	uint64_t library = library_counters(uarch, event, umask);

	if (driver == library || !driver ||
	    (driver == ~0ULL && library_alone(uarch, event, umask)))
		return;
	fail_msg("model %#x, event %#04x, unit mask %#04x: %#llx, the library has %#llx",
		 query->cpu_model, event, umask, (unsigned long long)driver,
		 (unsigned long long)library);
}

static void compare_all(const struct pmc_query *query, enum uarch uarch)
{
	unsigned int event, umask;

	/* only the library knows model 31 */
	if (query->cpu_model == 31) {
		assert_int_equal(CORE_OTHER, core_generation(query));
		return;
	}
	assert_int_not_equal(CORE_OTHER, core_generation(query));
	for (event = 0; event < 256; event++) {
		for (umask = 0; umask < 256; umask++)
			compare(query, uarch, event, umask);
	}
}

/* The driver and the library agree, but for events that the driver refuses on every counter. */
static void equals_the_library(void **state)
{
	struct pmc_query query;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		query = processor(models[i].model & 0xff);
		if (models[i].model >> 8)
			query.cpu_family = models[i].model >> 8;
		compare_all(&query, models[i].uarch);
		query.core_type = 0x20000000;
		if (models[i].model >> 8 == 18)
			compare_all(&query, LIB_ARCTIC_WOLF);
	}
}

/* Events with restrictions, and the unit masks beside them without */
static void known_events(void **state)
{
	static const struct {
		unsigned int model;
		uint64_t select, counters;
	} known[] = {
		{ 0x0e, 0x0012, 0x2 }, { 0x0e, 0x00c1, 0x1 }, { 0x0e, 0x00c0, ~0ULL },
		{ 0x17, 0x00cb, 0x1 }, { 0x17, 0x0013, 0x2 }, { 0x17, 0x00cc, ~0ULL },
		{ 0x1e, 0x0240, 0x3 }, { 0x1e, 0x0163, 0x3 }, { 0x1e, 0x0044, ~0ULL },
		{ 0x1e, 0x01b7, ~0ULL }, { 0x1e, 0x100b, 0 }, { 0x1e, 0x010b, ~0ULL },
		{ 0x1e, 0x01bb, ~0ULL }, { 0x25, 0x01bb, ~0ULL }, { 0x2c, 0x0160, 0x1 },
		{ 0x2a, 0x02a3, 0x4 }, { 0x2a, 0x01cd, 0 }, { 0x2a, 0x02cd, 0x8 },
		{ 0x2a, 0x81d0, 0xf }, { 0x2a, 0x01c0, 0x2 }, { 0x2a, 0x00c0, ~0ULL },
		{ 0x3a, 0x08a3, 0x4 }, { 0x3a, 0x01a3, ~0ULL }, { 0x3c, 0x0148, 0x4 },
		{ 0x3c, 0x0248, ~0ULL }, { 0x3c, 0x81d3, 0xf }, { 0x3d, 0x0ca3, 0x4 },
		{ 0x3d, 0x01d3, ~0ULL }, { 0x55, 0x01c6, 0xf }, { 0x55, 0x02c6, 0xf },
		{ 0x55, 0x01c0, 0x2 }, { 0x7e, 0x01c0, ~0ULL }, { 0x7e, 0x04a3, 0xff },
		{ 0x7e, 0x05a3, 0xf }, { 0x7e, 0x00c4, ~0ULL }, { 0x8f, 0x012a, 0xf },
		{ 0x8f, 0x003c, 0xff }, { 0x8f, 0x003d, 0xf }, { 0x8f, 0x40ad, ~0ULL },
		{ 0x8f, 0x05a3, 0xf }, { 0x8f, 0x06a3, 0xf }, { 0x8f, 0x0ca3, 0xf },
		{ 0x8f, 0x04a3, ~0ULL }, { 0x8f, 0x01ad, ~0ULL },
		{ 0x5c, 0x02b7, 0 }, { 0x5c, 0x04b7, ~0ULL },
		{ 0xbe, 0x05d0, 0 }, { 0xc6, 0x01b7, ~0ULL },
		/* Linux 7.3, intel_glc_event_constraints */
		{ 0xaa, 0x01cd, 0 }, { 0xac, 0x0001, 0xf }, { 0xb5, 0x0080, 0xf },
		{ 0xad, 0x003c, 0xff }, { 0xae, 0x02cd, 0x1 }, { 0xad, 0xffd0, 0xf },
		{ 0xad, 0x02c6, ~0ULL }, { 0xaa, 0x012a, 0xf },
		/* intel_lnc_event_constraints */
		{ 0xbd, 0x0020, 0xf }, { 0xc5, 0x0148, 0x4 }, { 0xc6, 0x0248, ~0ULL },
		{ 0xcc, 0x0175, 0x4 }, { 0xe5, 0x0175, 0x4 }, { 0xd5, 0x08a3, 0x4 },
		{ 0xc6, 0x0ca3, 0x4 },
		{ 0xc6, 0x04a3, ~0ULL }, { 0xc6, 0x04a4, 0x1 }, { 0xc6, 0x08a4, 0x1 },
		{ 0xc6, 0x10a4, 0x8 }, { 0xc6, 0x02a4, ~0ULL }, { 0xc6, 0x01b1, 0x8 },
		{ 0xc6, 0x01cd, 0 }, { 0xc6, 0x02cd, 0x3 }, { 0xc6, 0x87d0, 0x3ff },
		{ 0xc6, 0x81d0, 0xf }, { 0xc6, 0x01df, 0xf }, { 0xc6, 0x01e0, ~0ULL },
		{ 0xc6, 0x003c, ~0ULL }, { 0xc6, 0x012a, ~0ULL }, { 0xc6, 0x02c6, ~0ULL },
		/* intel_grt_extra_regs, intel_cmt_extra_regs */
		{ 0xbe, 0x01b7, 0 }, { 0xbe, 0x02b7, 0 }, { 0xbe, 0x0127, ~0ULL },
		{ 0xaf, 0x01b7, 0 }, { 0xb6, 0x02b7, 0 }, { 0xdd, 0x05d0, 0 },
		{ 0xaf, 0x0127, 0 }, { 0xb6, 0x0227, 0 }, { 0xdd, 0x0427, ~0ULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_query query = processor(known[i].model);

		assert_int_equal(known[i].counters, core_event_counters(&query, known[i].select));
	}
}

/* Linux 7.3, intel_{pnc,arw}_event_constraints, intel_{pnc,cmt,arw}_extra_regs */
static void families_and_core_types(void **state)
{
	enum { CORE = 0x40000000, ATOM_CORE = 0x20000000 };
	static const struct {
		unsigned int family, model, core_type;
		uint64_t select, counters;
	} known[] = {
		{ 19, 1, 0, 0x012a, 0 }, { 19, 1, 0, 0x022a, 0 }, { 19, 1, 0, 0x042a, 0 },
		{ 19, 1, 0, 0x082a, 0 }, { 19, 1, 0, 0x102a, ~0ULL }, { 19, 1, 0, 0x40ad, 0 },
		{ 19, 1, 0, 0x04c2, 0 }, { 19, 1, 0, 0x02c6, 0 }, { 19, 1, 0, 0x03c6, 0 },
		{ 19, 1, 0, 0x01c6, ~0ULL }, { 19, 1, 0, 0x01cd, 0 }, { 19, 1, 0, 0x02cd, 0x3 },
		{ 19, 1, 0, 0x0020, 0xf }, { 19, 1, 0, 0xff79, 0xf }, { 19, 1, 0, 0x0275, 0xf },
		{ 19, 1, 0, 0x0175, ~0ULL }, { 19, 1, 0, 0x0176, 0xf }, { 19, 1, 0, 0x04a4, 0x1 },
		{ 19, 1, 0, 0x08a4, 0x1 }, { 19, 1, 0, 0x02a4, ~0ULL },
		{ 19, 1, 0, 0x10a4, 0x8 }, { 19, 1, 0, 0x01b1, 0x8 },
		{ 19, 1, 0, 0x02b1, ~0ULL }, { 19, 1, 0, 0x0847, 0xf }, { 19, 1, 0, 0x0446, 0xf },
		{ 19, 1, 0, 0x0846, 0xf }, { 19, 1, 0, 0x0148, 0xf }, { 19, 1, 0, 0x00ce, 0x1 },
		{ 19, 1, 0, 0x00d0, 0xf }, { 19, 1, 0, 0x00d1, 0xf }, { 19, 1, 0, 0x00d2, ~0ULL },
		{ 19, 1, 0, 0x00d4, 0xf }, { 19, 1, 0, 0x00d6, 0xf }, { 19, 1, 0, 0x00df, 0xf },
		{ 19, 1, 0, 0x01b2, 0xf }, { 19, 1, 0, 0x02b2, 0xf }, { 19, 1, 0, 0x04b2, ~0ULL },
		{ 19, 1, 0, 0x014f, 0 }, { 19, 1, 0, 0x024f, 0 }, { 19, 1, 0, 0x044f, 0 },
		{ 19, 1, 0, 0x084f, 0 }, { 19, 1, 0, 0x104f, ~0ULL }, { 19, 1, 0, 0x01d6, 0 },
		{ 19, 1, 0, 0x02d6, 0 }, { 19, 1, 0, 0x04d6, 0 }, { 19, 1, 0, 0x08d6, 0 },
		{ 6, 0xc6, CORE, 0x0148, 0x4 }, { 6, 0xc6, ATOM_CORE, 0x0148, ~0ULL },
		{ 6, 0xc6, ATOM_CORE, 0x0127, 0 }, { 6, 0xaa, ATOM_CORE, 0x0227, 0 },
		{ 6, 0xaa, CORE, 0x0127, 0xf }, { 6, 0x97, ATOM_CORE, 0x0127, ~0ULL },
		{ 19, 2, 0, 0x012a, ~0ULL }, { 6, 1, 0, 0x012a, ~0ULL },
		{ 18, 1, CORE, 0x012a, 0 }, { 18, 3, CORE, 0x082a, 0 },
		{ 18, 2, CORE, 0x012a, ~0ULL },
		{ 18, 1, ATOM_CORE, 0x012a, ~0ULL }, { 18, 1, ATOM_CORE, 0x0127, 0 },
		{ 18, 1, ATOM_CORE, 0x0227, 0 }, { 18, 1, ATOM_CORE, 0x01b7, 0 },
		{ 18, 3, ATOM_CORE, 0x02b7, 0 }, { 18, 3, ATOM_CORE, 0x04b7, 0 },
		{ 18, 3, ATOM_CORE, 0x08b7, 0 }, { 18, 3, ATOM_CORE, 0x05d0, 0 },
		{ 18, 3, ATOM_CORE, 0x06d0, ~0ULL }, { 18, 3, ATOM_CORE, 0x01d4, ~0ULL },
		{ 18, 3, ATOM_CORE, 0x0175, 0x1 },
		{ 18, 3, ATOM_CORE, 0x0275, 0x2 }, { 18, 3, ATOM_CORE, 0x21d3, 0x1 },
		{ 18, 3, ATOM_CORE, 0x22d3, 0x1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		struct pmc_query query = {
			.cpu_family = known[i].family,
			.cpu_model = known[i].model,
			.core_type = known[i].core_type,
		};

		assert_int_equal(known[i].counters, core_event_counters(&query, known[i].select));
	}
}

/* The other fields of the event select don't matter; the family and the core type do. */
static void other_fields(void **state)
{
	struct pmc_query query = processor(0x97);

	query.core_type = 0x40000001;
	assert_int_equal(0x1, core_event_counters(&query, 0xff8d00ceULL));
	query.core_type = 0x20000001;
	assert_int_equal(~0ULL, core_event_counters(&query, 0x00ce));
	assert_int_equal(0, core_event_counters(&query, 0x05d0));
	query = processor(0xc6);
	query.core_type = 0x20000001;
	assert_int_equal(0, core_event_counters(&query, 0x01b7));
	assert_int_equal(~0ULL, core_event_counters(&query, 0x012a));
	query = processor(0x2a);
	query.cpu_family = 15;
	assert_int_equal(~0ULL, core_event_counters(&query, 0x01cd));
}

/*
 * By CPUID model, the bits of B1H's unit mask that count both threads in Intel's event files:
 * UOPS_DISPATCHED.CORE or UOPS_EXECUTED.CORE, 02H; UOPS_EXECUTED.PORT2_CORE, PORT3_CORE,
 * PORT4_CORE, PORT234_CORE, 04H, 08H, 10H, 80H
 */
static const struct {
	u32 model;
	u32 both;
} generations[] = {
	{ 0x0e, 0 }, { 0x17, 0 },
	{ 0x1a, 0x9c }, { 0x1e, 0x9c }, { 0x2e, 0x9c }, { 0x25, 0x9c }, { 0x2c, 0x9c }, { 0x2f, 0x9c },
	{ 0x2a, 2 }, { 0x2d, 2 }, { 0x3a, 2 }, { 0x3c, 2 }, { 0x3d, 2 }, { 0x4f, 2 }, { 0x55, 2 },
	{ 0x9e, 2 }, { 0x6a, 2 }, { 0x7e, 2 }, { 0x8f, 2 }, { 0xad, 2 }, { 0xcf, 2 },
	{ 0x37, 0 }, { 0x5c, 0 }, { 0x86, 0 }, { 0xbe, 0 }, { 0xaf, 0 }, { 0xdd, 0 },
	/* unknown */
	{ 0xfe, 2 },
};

static void events_of_both_threads(void **state)
{
	struct pmc_query query;
	u32 select;
	size_t i;

	for (i = 0; i < sizeof(generations) / sizeof(generations[0]); i++) {
		query = processor(generations[i].model);
		for (select = 0; select < 0x10000; select++)
			assert_int_equal((select & 0xff) == 0xb1 &&
					 select >> 8 & generations[i].both,
					 core_event_of_both_threads(&query, 0xff8c0000ULL | select));
	}
	/* Alder Lake: the event of the core type */
	query = processor(0x97);
	query.core_type = 0x40000001;
	assert_true(core_event_of_both_threads(&query, 0x02b1));
	query.core_type = 0x20000001;
	assert_false(core_event_of_both_threads(&query, 0x02b1));
	/* Lion Cove has one thread */
	query = processor(0xbd);
	query.core_type = 0x40000003;
	assert_false(core_event_of_both_threads(&query, 0x02b1));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_library),
		cmocka_unit_test(known_events),
		cmocka_unit_test(families_and_core_types),
		cmocka_unit_test(other_fields),
		cmocka_unit_test(events_of_both_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
