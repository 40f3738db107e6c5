// SPDX-License-Identifier: GPL-2.0-only
/* Tests of amd.c: the counters that can count an event, against Linux 7.3, events/amd/core.c */
#include "unit.h"

#include <linux/errno.h>
#include <linux/kernel.h>
#include <asm/processor.h>

#include "families/families.h"
#include "pmu/pmu.h"

/* amd_f15_PMC*: the numbers of the counters */
#define PMC0		0x01
#define PMC20		0x07
#define PMC3		0x08
#define PMC30		0x09
#define PMC50		0x3f
#define PMC53		0x38
#define NONE		0x00

/* Event, unit mask, edge, invert and counter mask */
#define SELECT_ALLOWED	0xfff84ffffULL

static struct pmc_query processor(u32 family, u64 counters)
{
	return (struct pmc_query){
		.cpu_family = family,
		.general_counters = counters,
		.event_select_mask = SELECT_ALLOWED,
	};
}

/* Mask of the counters that accept the event; the others return -EDOM */
static u64 counters_for(const struct pmc_query *query, u32 event, u32 unit_mask)
{
	struct pmc_counter_config config = {
		.event_select = (u64)(event >> 8) << 32 | unit_mask << 8 | (event & 0xff),
	};
	u64 counters = 0, refused;

	for (config.counter = 0; config.counter < 8; config.counter++) {
		const int err = pmc_family_amd.check(query, &config, &refused);

		if (!err)
			counters |= 1ULL << config.counter;
		else
			assert_int_equal(query->general_counters & 1ULL << config.counter ?
					 -EDOM : -ENXIO, err);
	}
	return counters;
}

/* The comment above amd_get_event_constraints_f15h(): by bits 7:4, then the exceptions */
static u64 linux_f15h(u32 event, u32 unit_mask)
{
	static const u8 types[16] = {
		PMC53, PMC53, PMC50, PMC50, PMC50, PMC50, PMC20, PMC20,
		PMC20, PMC20, NONE, NONE, PMC50, PMC20, NONE, NONE,
	};
	const u32 bits = hweight32(unit_mask);

	switch (event) {
	case 0x000:
		return unit_mask & 0xf0 && unit_mask & 0x0f ? PMC3 : PMC53;
	case 0x004:
		return bits > 1 ? PMC3 : PMC53;
	case 0x003:
	case 0x00b:
	case 0x00d:
	case 0x02d:
		return PMC3;
	case 0x023:
	case 0x043:
	case 0x045:
	case 0x046:
	case 0x054:
	case 0x055:
		return PMC20;
	case 0x02e:
		return PMC30;
	case 0x031:
		return bits > 1 ? NONE : PMC20;
	case 0x08f:
	case 0x187:
	case 0x188:
		return PMC0;
	case 0x0db ... 0x0df:
	case 0x1d6:
	case 0x1d8:
		return PMC50;
	case 0x1c0:
		return PMC53;
	default:
		return types[event >> 4 & 0xf];
	}
}

static void each_event_15h(u64 counters)
{
	static const u32 unit_masks[] = { 0x00, 0x01, 0x80, 0x03, 0x30, 0x11, 0x0f, 0xf0, 0xff };
	const struct pmc_query query = processor(0x15, counters);
	u32 event;
	size_t i;

	for (event = 0; event < 0x1000; event++) {
		for (i = 0; i < ARRAY_SIZE(unit_masks); i++) {
			u64 expected = linux_f15h(event, unit_masks[i]) & counters;
			u64 found = counters_for(&query, event, unit_masks[i]);

			if (found != expected)
				fail_msg("event %#x, unit mask %#x: %#llx, not %#llx", event,
					 unit_masks[i], (unsigned long long)found,
					 (unsigned long long)expected);
		}
	}
}

/* Six counters, and four where a hypervisor hides the core extension */
static void family_15h(void **state)
{
	each_event_15h(0x3f);
	each_event_15h(0x0f);
}

/* Each unit mask of the three events that depend on it */
static void unit_masks_15h(void **state)
{
	static const u32 events[] = { 0x000, 0x004, 0x031 };
	const struct pmc_query query = processor(0x15, 0x3f);
	u32 unit_mask;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		for (unit_mask = 0; unit_mask < 256; unit_mask++)
			assert_int_equal(linux_f15h(events[i], unit_mask),
					 counters_for(&query, events[i], unit_mask));
	}
}

/* amd_is_nb_event(), amd_is_pair_event_code(); FFFH is the second half of a pair */
static void other_families(void **state)
{
	static const struct {
		u32 family;
		bool north_bridge, pairs;
	} families[] = {
		{ 0x06, false, false }, { 0x0f, true, false }, { 0x10, true, false },
		{ 0x11, true, false }, { 0x12, true, false }, { 0x14, true, false },
		{ 0x16, true, false }, { 0x17, false, true }, { 0x18, false, true },
		{ 0x19, false, true }, { 0x1a, false, true },
	};
	u32 event;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		const struct pmc_query query = processor(families[i].family, 0x3f);

		for (event = 0; event < 0x1000; event++) {
			bool none = (families[i].north_bridge && (event & 0xe0) == 0xe0) ||
				    (families[i].pairs && (event == 0x003 || event == 0xfff));

			assert_int_equal(none ? 0 : 0x3f, counters_for(&query, event, 0x01));
		}
	}
}

/* l2_latency of family 17h and later counts both threads. */
static void both_threads(void **state)
{
	static const u32 families[] = { 0x06, 0x0f, 0x10, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a };
	u64 event;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		const struct pmc_query query = processor(families[i], 0x3f);

		for (event = 0; event < 0x1000; event++) {
			const struct pmc_counter_config config = {
				.event_select = event >> 8 << 32 | 0xff00 | (event & 0xff),
				.flags = PMC_COUNT_USER,
			};

			assert_int_equal(event == 0x062 && families[i] >= 0x17,
					 pmc_family_amd.sibling(&query, &config));
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(family_15h),
		cmocka_unit_test(unit_masks_15h),
		cmocka_unit_test(other_families),
		cmocka_unit_test(both_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
