// SPDX-License-Identifier: GPL-2.0-only
/* Tests of NetBurst: libpfm4's names, counters, and shared event select registers (ESCRs) */
#include <stdlib.h>

#include <perfmon/pfmlib.h>

#include "check.h"
#include "netburst.h"

#define BPU	0xfULL
#define MS	0xf0ULL
#define FLAME	0xf00ULL
#define IQ	0x3f000ULL

static struct pmc_device *device;
static struct pmc_context *context;

static int setup(void **state)
{
	fake_reset();
	fake_netburst(4);
	device = pmc_device_open(NULL);
	context = pmc_context_open(device);
	return !context;
}

static int teardown(void **state)
{
	pmc_context_close(context);
	pmc_device_close(device);
	return fake_teardown(state);
}

/* Event 62:57, event mask 56:41, ESCR select 15:13: SDM Volume 3B's tables */
static uint64_t select_of(uint64_t event, uint64_t mask, uint64_t escr)
{
	return event << 57 | mask << 41 | escr << 13;
}

static void names(void **state)
{
	encodes_on("instr_retired:NBOGUSNTAG", select_of(0x02, 0x1, 4), IQ);
	encodes_on("INSTR-RETIRED:nbogusntag:NBOGUSTAG:u", select_of(0x02, 0x3, 4), IQ);
	encodes_on("branch_retired:MMTP:MMTM", select_of(0x06, 0xc, 5), IQ);
	encodes_on("global_power_events:RUNNING", select_of(0x13, 0x1, 6), BPU);
	encodes_on("TC_deliver_mode:DD", select_of(0x01, 0x1, 1), MS);
	encodes_on("memory_cancel:ST_RB_FULL", select_of(0x02, 0x4, 5), FLAME);
	encodes_on("x87_FP_uop:ALL", select_of(0x04, 0x8000, 1), FLAME);
	encodes_on("IOQ_active_entries:TYPE_BIT0", select_of(0x1a, 0x1, 6), 0xc);
	encodes_on("BSQ_allocation:REQ_TYPE0", select_of(0x05, 0x1, 7), 0x3);
	encodes_on("instr_completed:NBOGUS", select_of(0x07, 0x1, 4), IQ);
	encodes_on("replay_event:NBOGUS", select_of(0x09, 0x1, 5), IQ);
	refuses("replay_event:NBOGUS:L1_LD_MISS", EOPNOTSUPP, "needs an extra register");
	refuses("b2b_cycles:BIT1", EOPNOTSUPP, "its ESCR select is that of other events");
	refuses("instr_retired", EINVAL, "needs a unit mask after ':', one of: NBOGUSNTAG");
	refuses("instr_retird", EINVAL, "did you mean 'instr_retired'");
}

/* General names: equal to libpfm4's events, with the manual's event selects */
static void general_names(void **state)
{
	static const struct {
		const char *name;
		const char *event;
		uint64_t select;
		uint64_t counters;
	} generics[] = {
#define PMC_GENERIC_EVENT(...)
#define PMC_GENERIC_NETBURST(...) { __VA_ARGS__ },
#define PMC_GENERIC_AMD(...)
#include "events/tables/generic.def"
#undef PMC_GENERIC_AMD
#undef PMC_GENERIC_EVENT
#undef PMC_GENERIC_NETBURST
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(generics); i++) {
		encodes_on(generics[i].name, generics[i].select, generics[i].counters);
		encodes_on(generics[i].event, generics[i].select, generics[i].counters);
	}
	encodes_on("instructions", select_of(0x02, 0x3, 4), IQ);
	encodes_on("cycles:k", select_of(0x13, 0x1, 6), BPU);
	encodes_on("branches", select_of(0x06, 0xf, 5), IQ);
	encodes_on("branch-misses", select_of(0x03, 0x1, 4), IQ);
	encodes_on("instructions:g=12", select_of(0x02, 0x3, 4), IQ);
	refuses("llc-misses", EOPNOTSUPP, "a NetBurst processor has no such event");
	refuses("instructions:f", EINVAL, "no fixed counter counts it");
}

static void modifiers(void **state)
{
	const uint64_t cycles = select_of(0x13, 0x1, 6);

	encodes_on("cycles:c=1", cycles | 1 << 18, BPU);
	encodes_on("cycles:c=16", cycles | 1 << 18 | 15 << 20, BPU);
	encodes_on("cycles:c=5:c=3", cycles | 1 << 18 | 2 << 20, BPU);
	encodes_on("cycles:i:c=2", cycles | 1 << 18 | 1 << 19 | 1 << 20, BPU);
	encodes_on("cycles:i", cycles | 1 << 18 | 1 << 19, BPU);
	encodes_on("cycles:e", cycles | 1 << 18 | 1 << 24, BPU);
	refuses("cycles:c=0", EINVAL, "from 1 to 16");
	refuses("cycles:c=17", EINVAL, "from 1 to 16");
	refuses("cpu/event=2,umask=3,escr=4,compare,threshold=2/:g=12:c=1", EINVAL,
		"it contains the counter mask 3: omit :c");
	refuses("cpu/event=2,umask=3,escr=4,compare,inv/:g=12:i", EINVAL,
		"it is already inverted: omit :i");
	refuses("cycles:t", EINVAL, "do not support :t");
	refuses("cycles:d", EINVAL, "it is for the Pentium");
}

static void codes(void **state)
{
	encodes_on("r0400060000008000:g=12", select_of(0x02, 0x3, 4), ~0ULL);
	encodes_on("cpu/event=2,umask=3,escr=4/:g=13:u", select_of(0x02, 0x3, 4), ~0ULL);
	encodes_on("cpu/event=0x3f,umask=0xffff,escr=7,tagged,tag=15,compare,inv,threshold=15,edge,cascade/:g=0",
		   0x7ffffff041fce000 & ~(1ULL << 63), ~0ULL);
	refuses("r0400060000008000", EINVAL, "choose the counter with :g=N");
	refuses("cpu/event=2/:g", EINVAL, "choose the counter with :g=N");
	refuses("cpu/event=64/:g=1", EINVAL, "from 0 to 63");
	refuses("cpu/any/:g=1", EINVAL, "no event 'any'");
}

/* The library's table has each event of libpfm4 once, and no other event. */
static void table(void **state)
{
	static const char *const names[] = {
#define PMC_NETBURST_EVENT(name, group) name,
#include "events/tables/netburst.def"
#undef PMC_NETBURST_EVENT
	};
	pfm_pmu_info_t info = { .size = sizeof(info) };
	pfm_event_info_t event;
	size_t i, known = 0;
	int index;

	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	assert_int_equal(pfm_get_pmu_info(PFM_PMU_INTEL_NETBURST_P, &info), PFM_SUCCESS);
	for (index = info.first_event; index != -1; index = pfm_get_event_next(index)) {
		event = (pfm_event_info_t){ .size = sizeof(event) };
		assert_int_equal(pfm_get_event_info(index, PFM_OS_NONE, &event), PFM_SUCCESS);
		for (i = 0; i < ARRAY_SIZE(names); i++)
			known += !strcmp(names[i], event.name);
	}
	assert_int_equal(info.nevents, 46);
	assert_int_equal(known, 46);
	assert_int_equal(ARRAY_SIZE(names), 46);
}

static int add(const char *text)
{
	return add_to(context, text);
}

static void on(size_t index, uint32_t counter)
{
	assert_int_equal(pmc_context_counter(context, index), PMC_COUNTER_GENERAL(counter));
}

/* instr_retired and uops_retired need CRU_ESCR0 or CRU_ESCR1, one event for each */
static void one_event_a_register(void **state)
{
	assert_int_equal(add("instr_retired:NBOGUSNTAG"), 0);
	on(0, 12);
	assert_int_equal(add("uops_retired:NBOGUS"), 0);
	on(0, 12);
	on(1, 14);
	assert_failed(add("mispred_branch_retired:BOGUS"), ENOSPC,
		      "does not fit beside 'instr_retired:NBOGUSNTAG', 'uops_retired:NBOGUS'");
	/* the same event in the same modes can share the ESCR */
	assert_int_equal(add("instr_retired:NBOGUSNTAG:c=2"), 0);
	on(2, 13);
	assert_failed(add("instr_retired:NBOGUSNTAG:u"), ENOSPC, "share event select registers");
	/* these use CRU_ESCR2 and CRU_ESCR3 */
	assert_int_equal(add("branch_retired:MMTP"), 0);
	assert_int_equal(add("machine_clear:CLEAR"), 0);
	assert_int_equal(add("cycles"), 0);
	on(5, 0);
	assert_int_equal(pmc_context_configure(context), 0);
}

/* An event that was placed earlier moves if a later one has no other counter. */
static void moves(void **state)
{
	assert_int_equal(add("FSB_data_activity:DRDY_DRV"), 0);
	on(0, 0);
	assert_int_equal(add("BSQ_allocation:REQ_TYPE0"), 0);
	assert_int_equal(add("cycles"), 0);
	on(0, 0);
	on(1, 1);
	on(2, 2);
	assert_failed(add("IOQ_active_entries:TYPE_BIT0"), ENOSPC, "does not fit beside");
	pmc_context_close(context);
	context = pmc_context_open(device);
	assert_int_equal(add("cycles"), 0);
	assert_int_equal(add("IOQ_allocation:TYPE_BIT0:g=1"), 0);
	on(0, 2);
	on(1, 1);
	pmc_context_close(context);
	context = pmc_context_open(device);
	assert_int_equal(add("cycles"), 0);
	assert_int_equal(add("BPU_fetch_request:TCMISS"), 0);
	on(0, 0);
	on(1, 1);
	assert_int_equal(add("BSQ_allocation:REQ_TYPE0"), 0);
	on(0, 0);
	on(1, 2);
	on(2, 1);
}

/* One event for each counter fits, one more does not. */
static void all_counters(void **state)
{
	unsigned int i;

	for (i = 0; i < 6; i++)
		assert_int_equal(add("instructions"), 0);
	assert_failed(add("instructions"), ENOSPC, "does not fit");
	for (i = 0; i < 4; i++)
		assert_int_equal(add("cycles"), 0);
	assert_failed(add("cycles"), ENOSPC, "does not fit");
	for (i = 0; i < 4; i++)
		assert_int_equal(add("TC_deliver_mode:DD"), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(add("memory_complete:LSC"), 0);
	assert_int_equal(pmc_context_num_events(context), 18);
	assert_int_equal(pmc_context_configure(context), 0);
}

/* Reopen the context on a processor with these counters. */
static void begin_with(uint64_t counters)
{
	pmc_context_close(context);
	pmc_device_close(device);
	fake.query.general_counters = counters;
	device = pmc_device_open(NULL);
	context = pmc_context_open(device);
	assert_non_null(context);
}

/* The counters of one logical processor: 12, 13 and 16 share one ESCR. */
static void half(void **state)
{
	begin_with(0x13333);
	assert_int_equal(add("instructions"), 0);
	assert_failed(add("mispred_branch_retired:BOGUS"), ENOSPC, "does not fit");
	assert_int_equal(add("instructions"), 0);
	assert_int_equal(add("instructions"), 0);
	assert_failed(add("instructions"), ENOSPC, "does not fit");
	assert_int_equal(add("cycles"), 0);
	assert_int_equal(pmc_context_configure(context), 0);
}

/* The message's only possible reason is the event: the context has user mode and its own thread. */
static void both_processors(void **state)
{
	fake.unprivileged = true;
	assert_int_equal(add("r0400060000208000:g=12:u"), 0);
	assert_failed(pmc_context_configure(context), EACCES, "counts both logical processors");
}

/* The counters of the bus and the L3 have no ESCRs. */
static void l3(void **state)
{
	begin_with(0x2ffffff & ~(1ULL << 24));
	assert_int_equal(add("r1000000000:g=18"), 0);
	assert_int_equal(add("r2000000000:g=19"), 0);
	assert_int_equal(add("r4000000000:g=23"), 0);
	assert_failed(add("r1000000000:g=18"), ENOSPC, "does not fit");
	assert_int_equal(add("instructions"), 0);
	assert_int_equal(pmc_context_configure(context), 0);
}

/* Planned runs: each event on a possible counter, no two events on one ESCR */
static void runs(void **state)
{
	static const char *const texts[] = {
		"instr_retired:NBOGUSNTAG", "uops_retired:NBOGUS", "mispred_branch_retired:BOGUS",
		"instr_completed:NBOGUS", "cycles", "branch_retired:MMTP",
	};
	struct pmc_info *info = pmc_device_get_info(device, PMC_CPU_ANY);
	struct pmc_event *events[ARRAY_SIZE(texts)], *always = must_parse("uops_type:TAGLOADS");
	unsigned int run[ARRAY_SIZE(texts)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		events[i] = must_parse(texts[i]);
	assert_int_equal(pmc_info_plan(info, events, ARRAY_SIZE(texts), &always, 1, run), 2);
	assert_int_equal(run[0] + run[1] + run[2] + run[3], 0 + 0 + 1 + 1);
	assert_int_equal(run[4], 0);
	assert_int_equal(run[5], 0);
	/* two events of every run use both ESCRs of the unit, so the others do not fit */
	assert_failed(pmc_info_plan(info, events + 2, 2, events, 2, run) < 0, ENOSPC,
		      "event 'mispred_branch_retired:BOGUS' does not fit beside the events of every run");
	assert_failed(pmc_info_plan(info, events, 0, events, 3, run) < 0, ENOSPC,
		      "event 'mispred_branch_retired:BOGUS' does not fit into every run");
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		pmc_event_free(events[i]);
	pmc_event_free(always);
	pmc_info_free(info);
}

/* ---- every event ---- */

#define EVENTS_MAX	512

/* libpfm4's unit masks; those of b2b_cycles, bnr, snoop and response; of replay_event */
#define MASKS		208
#define MASKS_WITHOUT_ESCR	(6 + 3 + 3 + 4)
#define MASKS_OF_TAGGING	(11 - 2)

static struct pmc_event *all[EVENTS_MAX];
static unsigned int run_of[EVENTS_MAX];
static size_t num_all;

static void take(const struct pmc_info *info, const char *name, const char *mask)
{
	struct pmc_event *event;
	char text[128];

	snprintf(text, sizeof(text), "%s%s%s", name, mask ? ":" : "", mask ? mask : "");
	event = pmc_event_parse(text);
	if (!event)
		return;
	assert_int_equal(pmc_info_can_count(info, event), 0);
	assert_true(num_all < EVENTS_MAX);
	all[num_all++] = event;
}

static void take_all(const struct pmc_info *info)
{
	struct pmc_event_list *events = pmc_event_list_get();
	const struct pmc_event_row *row;
	size_t i, j;

	num_all = 0;
	for (i = 0; (row = pmc_event_list_row(events, i)); i++) {
		if (!row->num_unit_masks)
			take(info, row->name, NULL);
		for (j = 0; j < row->num_unit_masks; j++)
			take(info, row->name, row->unit_masks[j].name);
	}
	pmc_event_list_free(events);
}

/* The ESCR of its unit that a counter uses: 0 the first, 1 the second */
static unsigned int twin(uint32_t counter)
{
	return counter < 16 ? counter / 2 % 2 : counter - 16;
}

static unsigned int unit(uint32_t counter)
{
	return counter < 16 ? counter / 4 : 3;
}

/* Checks that no two events use one ESCR or one counter. */
static void check_registers(const struct pmc_event *const *events, size_t num)
{
	uint32_t a, b;
	size_t i, j;

	for (i = 0; i < num; i++) {
		a = pmc_context_counter(context, i);
		assert_true(events[i]->counters >> a & 1);
		for (j = 0; j < i; j++) {
			b = pmc_context_counter(context, j);
			assert_int_not_equal(a, b);
			if (unit(a) != unit(b) || twin(a) != twin(b) ||
			    (events[i]->select >> 13 & 7) != (events[j]->select >> 13 & 7))
				continue;
			if (events[i]->select >> 32 != events[j]->select >> 32)
				fail_msg("'%s' and '%s' on one ESCR", events[i]->name,
					 events[j]->name);
		}
	}
}

static void check_run(unsigned int number)
{
	const struct pmc_event *chosen[PMC_COUNTERS_MAX];
	size_t num = 0, i;

	pmc_context_close(context);
	context = pmc_context_open(device);
	for (i = 0; i < num_all; i++) {
		if (run_of[i] != number)
			continue;
		if (pmc_context_add(context, all[i]))
			fail_msg("run %u: %s", number, pmc_error());
		chosen[num++] = all[i];
	}
	assert_true(num);
	check_registers(chosen, num);
}

static void every_event(void **state)
{
	struct pmc_info *info = pmc_device_get_info(device, PMC_CPU_ANY);
	int runs, i;

	take_all(info);
	/* the general names, those of perf, and libpfm4's events that a counter can count */
	assert_int_equal(num_all, 4 + 5 + MASKS - MASKS_WITHOUT_ESCR - MASKS_OF_TAGGING);
	runs = pmc_info_plan(info, all, num_all, NULL, 0, run_of);
	/* 83 events share a group of four counters: at least 21 runs */
	assert_int_equal(runs, 25);
	for (i = 0; i < runs; i++)
		check_run(i);
	while (num_all)
		pmc_event_free(all[--num_all]);
	pmc_info_free(info);
}

static void list(void **state)
{
	struct pmc_event_list *events = pmc_event_list_get();
	const struct pmc_event_row *row;
	size_t i, found = 0;

	for (i = 0; (row = pmc_event_list_row(events, i)); i++) {
		if (strcmp(row->name, "instr_retired"))
			continue;
		found++;
		assert_int_equal(row->select, select_of(0x02, 0, 4));
		assert_int_equal(row->counters, IQ);
		assert_int_equal(row->num_unit_masks, 4);
		assert_string_equal(row->unit_masks[1].name, "NBOGUSTAG");
		assert_int_equal(row->unit_masks[1].bits, 1ULL << 42);
	}
	assert_int_equal(found, 1);
	/* 4 general names, 5 of perf and 46 events */
	assert_int_equal(pmc_event_list_num(events), 4 + 5 + 46);
	pmc_event_list_free(events);
}

#define netburst_test(function) \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		netburst_test(names),
		netburst_test(general_names),
		netburst_test(modifiers),
		netburst_test(codes),
		netburst_test(table),
		netburst_test(one_event_a_register),
		netburst_test(moves),
		netburst_test(all_counters),
		netburst_test(half),
		netburst_test(both_processors),
		netburst_test(l3),
		netburst_test(runs),
		netburst_test(every_event),
		netburst_test(list),
	};

	setenv("LIBPFM_FORCE_PMU", "netburst_p", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
