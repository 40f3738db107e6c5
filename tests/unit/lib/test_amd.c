// SPDX-License-Identifier: GPL-2.0-only
/* Tests of AMD events: event numbers of 12 bits, names, and the counters for each event */
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib.h>

#include "check.h"
#include "constraint.h"

#define ALL6	0x3fULL
#define NONE	0ULL
#define ANY	PMC_ANY_COUNTER

/* Bits 11:8 of the event number are bits 35:32 of the event select. */
static void selects(void **state)
{
	fake_amd(0x10);
	encodes("cpu/event=0x4e1,umask=0xf7/", 0x40000f7e1);
	encodes("cpu/event=0xfff/", 0xf000000ff);
	encodes("cpu/event=0xc0,edge,inv,cmask=3/:u", 0x038400c0);
	encodes("cpu/event=0xc0,guest/", 0x100000000c0);
	encodes("cpu/event=0xc0,host/", 0x200000000c0);
	encodes("r1000002c0:e", 0x1000402c0);
	refuses("cpu/event=0x1000/", EINVAL, "must be a number from 0 to 4095");
	refuses("cpu/event=0xc0,any/", EINVAL,
		"there are event=, umask=, edge, inv, cmask=, guest and host");
	refuses("instructions:t", EINVAL, "do not support :t");
}

static void general_names(void **state)
{
	static const unsigned int families[] = { 0x06, 0x0f, 0x10, 0x15, 0x17, 0x1a };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		fake_amd(families[i]);
		encodes("instructions", 0xc0);
		encodes("cycles", 0x76);
		encodes("cpu-cycles:u", 0x76);
		encodes("branches", 0xc2);
		encodes("branch-misses", 0xc3);
		if (families[i] == 0x1a)
			encodes("ref-cycles", 0x100000120);
		else
			refuses("ref-cycles", EOPNOTSUPP, "an AMD processor has no such event");
		if (families[i] == 0x0f) {
			encodes("llc-references", 0x77d);
			encodes("llc-misses", 0x77e);
		} else {
			refuses("llc-references", EOPNOTSUPP, "has no such event");
			refuses("llc-misses", EOPNOTSUPP, "has no such event");
		}
	}
}

/* Events by libpfm4's names; its table has the event number in adjacent bits. */
static void table(void **state)
{
	struct pmc_event_list *events;
	const struct pmc_event_row *row;
	size_t i, found = 0;

	fake_amd(0x10);
	encodes("RETIRED_INSTRUCTIONS:u", 0xc0);
	encodes("requests-to-l2:data:tlb_walk", 0x67d);
	refuses("L3_CACHE_MISSES:ANY_READ", EOPNOTSUPP,
		"no counter of a core can count it: it is the north bridge's");
	events = pmc_event_list_get();
	for (i = 0; (row = pmc_event_list_row(events, i)); i++) {
		if (!strcmp(row->name, "L3_CACHE_MISSES")) {
			assert_int_equal(row->select, 0x4000000e1);
			assert_int_equal(row->counters, NONE);
			assert_string_equal(row->note, "no counter of a core can count it: it is the north bridge's, which the cores share; perf counts it");
			found++;
		} else if (!strcmp(row->name, "RETIRED_UOPS")) {
			assert_int_equal(row->select, 0xc1);
			assert_true(row->counters == ANY);
			found++;
		} else if (!strcmp(row->name, "branches")) {
			assert_int_equal(row->select, 0xc2);
			found++;
		}
	}
	assert_int_equal(found, 3);
	pmc_event_list_free(events);
}

/*
 * Counters of family 15h, from Linux's summary of the BKDG (arch/x86/events/amd/core.c): the
 * entries of the table, and the neighbours of events that differ from others of their unit.
 */
static void counters(void **state)
{
	static const struct {
		unsigned int family;
		uint64_t select;
		uint64_t counters;
	} known[] = {
		{ 0x15, 0x0c0, ALL6 }, { 0x15, 0x076, 0x07 }, { 0x15, 0x0c2, ALL6 },
		{ 0x15, 0x0100, 0x38 }, { 0x15, 0x3000, 0x38 }, { 0x15, 0x1100, 0x08 },
		{ 0x15, 0x001, 0x38 }, { 0x15, 0x003, 0x08 }, { 0x15, 0x0104, 0x38 },
		{ 0x15, 0x0304, 0x08 }, { 0x15, 0x00b, 0x08 }, { 0x15, 0x00d, 0x08 },
		{ 0x15, 0x011, 0x38 }, { 0x15, 0x020, ALL6 }, { 0x15, 0x023, 0x07 },
		{ 0x15, 0x02d, 0x08 }, { 0x15, 0x02e, 0x09 }, { 0x15, 0x02f, ALL6 },
		{ 0x15, 0x031, 0x07 }, { 0x15, 0x8031, 0x07 }, { 0x15, 0x8131, NONE },
		{ 0x15, 0x040, ALL6 }, { 0x15, 0x043, 0x07 }, { 0x15, 0x045, 0x07 },
		{ 0x15, 0x046, 0x07 }, { 0x15, 0x047, ALL6 }, { 0x15, 0x054, 0x07 },
		{ 0x15, 0x055, 0x07 }, { 0x15, 0x060, 0x07 }, { 0x15, 0x07d, 0x07 },
		{ 0x15, 0x080, 0x07 }, { 0x15, 0x08f, 0x01 }, { 0x15, 0x10000008f, 0x07 },
		{ 0x15, 0x087, 0x07 }, { 0x15, 0x100000087, 0x01 }, { 0x15, 0x100000088, 0x01 },
		{ 0x15, 0x09a, 0x07 }, { 0x15, 0x0a0, NONE }, { 0x15, 0x0b7, NONE },
		{ 0x15, 0x1000000c0, 0x38 }, { 0x15, 0x0cf, ALL6 }, { 0x15, 0x0d0, 0x07 },
		{ 0x15, 0x0da, 0x07 }, { 0x15, 0x0db, ALL6 }, { 0x15, 0x0dc, ALL6 },
		{ 0x15, 0x0df, ALL6 }, { 0x15, 0x1000000df, 0x07 }, { 0x15, 0x0d6, 0x07 },
		{ 0x15, 0x1000000d6, ALL6 }, { 0x15, 0x1000000d8, ALL6 },
		{ 0x15, 0x0e0, NONE }, { 0x15, 0x4000000ff, NONE },
		{ 0x06, 0x0e0, ANY }, { 0x0f, 0x0df, ANY }, { 0x0f, 0x0e0, NONE },
		{ 0x10, 0x1000000f0, NONE }, { 0x10, 0x003, ANY }, { 0x16, 0x0ff, NONE },
		{ 0x17, 0x0ff, ANY }, { 0x17, 0x003, NONE }, { 0x19, 0x0ff03, NONE },
		{ 0x17, 0x100000003, ANY }, { 0x17, 0xf000000ff, NONE }, { 0x17, 0x0c0, ANY },
	};
	struct pmc_processor processor = { .layout = PMC_LAYOUT_AMD };
	uint64_t able;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		processor.family = known[i].family;
		able = pmc_constraint(&processor, known[i].select);
		if (able != known[i].counters)
			fail_msg("family %#x: %#llx on %#llx", known[i].family,
				 (unsigned long long)known[i].select, (unsigned long long)able);
	}
}

static int add(const char *text)
{
	struct pmc_context *context = new_context();
	int result = add_to(context, text);

	pmc_context_close(context);
	return result;
}

/* An event that no counter can count is refused, with the reason. */
static void reasons(void **state)
{
	fake_amd(0x10);
	assert_int_equal(add("RETIRED_INSTRUCTIONS"), 0);
	assert_failed(add("cpu/event=0x4e1,umask=0xf7/"), EOPNOTSUPP,
		      "can count it: it is the north bridge's");
	fake_amd(0x17);
	assert_failed(add("rff03"), EOPNOTSUPP, "takes a pair of counters");
	assert_failed(add("cpu/event=0xfff/"), EOPNOTSUPP, "makes one counter of a pair");
	fake_amd(0x15);
	assert_failed(add("r0331"), EOPNOTSUPP, "takes one unit mask at a time");
	assert_failed(add("r00a0"), EOPNOTSUPP, "no unit has an event of this number");
	assert_failed(add("cycles:g=4"), EOPNOTSUPP,
		      "only general0, general1 and general2 can count it");
	assert_int_equal(add("cycles:g=2"), 0);
}

/* perf's and libpfm4's names of events of the L3 cache, data fabric and memory controllers */
static const struct shared {
	const char *name;
	const char *whose;
} shared[] = {
	{ "l3_request_g1.caching_l3_cache_accesses", "the L3 cache's" },
	{ "l3_lookup_state.all_l3_req_typs", "the L3 cache's" },
	{ "l3_comb_clstr_state.request_miss:u", "the L3 cache's" },
	{ "l3_accesses", "the L3 cache's" },
	{ "L3-Misses", "the L3 cache's" },
	{ "xi_sys_fill_latency", "the L3 cache's" },
	{ "xi_ccx_sdp_req1.all_l3_miss_req_typs", "the L3 cache's" },
	{ "UNC_L3_REQUESTS:L3_MISS", "the L3 cache's" },
	{ "UNC_L3_MISSES", "the L3 cache's" },
	{ "amd_l3/event=0x4,umask=0xff/", "the L3 cache's" },
	{ "amd_l3", "the L3 cache's" },
	{ "L3", "the L3 cache's" },
	{ "amd_df", "the data fabric's" },
	{ "data_fabric:u", "the data fabric's" },
	{ "df_cs0", "the data fabric's" },
	{ "umc", "a memory controller's" },
	{ "dram_channel_data_controller_0", "the data fabric's" },
	{ "remote_outbound_data_controller_3:k", "the data fabric's" },
	{ "local_processor_read_data_beats_cs0", "the data fabric's" },
	{ "local_socket_inf0_inbound_data_beats_ccm7", "the data fabric's" },
	{ "remote_processor_write_data_beats_cs11", "the data fabric's" },
	{ "remote_socket_upstream_read_beats_iom3", "the data fabric's" },
	{ "amd_df/event=0x7,umask=0x38/", "the data fabric's" },
	{ "umc_cas_cmd.rd", "a memory controller's" },
	{ "amd_umc_0/event=0xa/", "a memory controller's" },
};

static void refused_as_shared(const struct shared *one)
{
	char words[128];

	snprintf(words, sizeof(words),
		 "'%s': no counter of a core can count it: it is %s, which the cores share; perf counts it",
		 one->name, one->whose);
	refuses(one->name, EOPNOTSUPP, words);
}

/* From family 17h on, these are refused with the reason. On older ones they are unknown names. */
static void shared_names(void **state)
{
	static const unsigned int families[] = { 0x17, 0x18, 0x19, 0x1a };
	static const struct shared north_bridge = { "amd_nb/event=0xe0/", "the north bridge's" };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		fake_amd(families[i]);
		for (j = 0; j < ARRAY_SIZE(shared); j++)
			refused_as_shared(&shared[j]);
		refuses("l3misses", EINVAL, "no event 'l3misses'");
		refuses("myl3", EINVAL,
			"no event 'myl3'; see pmc_event_list_get(); L3 cache and data fabric are not counted here");
		refuses("fabric_of_mine", EINVAL, "data fabric are not counted here");
		refuses("amd", EINVAL, "no event 'amd'");
		refuses("xyzzy", EINVAL, "a raw code such as r00c0");
		refuses("amd_nb/event=0xe0/", EINVAL, "the driver does not count perf's unit 'amd_nb'");
	}
	fake_amd(0x15);
	refuses("unc_l3_misses", EINVAL, "no event 'unc_l3_misses'");
	refused_as_shared(&north_bridge);
}

/* Checks that all events of a table are shared, or none. Return: number of events. */
static size_t check_table(const pfm_pmu_info_t *info, unsigned int family, bool is_shared)
{
	const struct pmc_processor processor = { .layout = PMC_LAYOUT_AMD, .family = family };
	struct pmc_token name;
	size_t found = 0;
	int i;

	for (i = info->first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = { .size = sizeof(event) };

		assert_int_equal(pfm_get_event_info(i, PFM_OS_NONE, &event), PFM_SUCCESS);
		name = (struct pmc_token){ event.name, strlen(event.name) };
		if (!pmc_constraint_uncore_reason(&processor, &name) == is_shared)
			fail_msg("%s::%s", info->name, event.name);
		found++;
	}
	return found;
}

/*
 * Events of all tables of libpfm4: cores, L3 caches and north bridges. The last test, because
 * libpfm4 is initialised again with all tables.
 */
static void shared_tables(void **state)
{
	size_t cores = 0, others = 0;
	unsigned int family;
	pfm_pmu_t pmu;

	pfm_terminate();
	unsetenv("LIBPFM_FORCE_PMU");
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	for (pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS ||
		    sscanf(info.name, "amd64_fam%xh", &family) != 1 || family < 0x15)
			continue;
		if (info.type == PFM_PMU_TYPE_CORE)
			cores += check_table(&info, family, false);
		else
			others += check_table(&info, family, true);
	}
	assert_in_range(cores, 300, 10000);
	assert_in_range(others, 35, 1000);
}

/* Cycles fit on any counter and leave counters 0 and 3 to events that fit on no other. */
static void places(void **state)
{
	static const char *const texts[] = {
		"instructions", "branches", "branch-misses", "cycles", "cpu/event=0x8f/",
		"cpu/event=0x3/",
	};
	struct pmc_context *context;
	size_t i;

	fake_amd(0x15);
	context = new_context();
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		if (add_to(context, texts[i]))
			fail_msg("%s", pmc_error());
	assert_int_equal(pmc_context_counter(context, 4), 0);
	assert_int_equal(pmc_context_counter(context, 5), 3);
	assert_in_range(pmc_context_counter(context, 3), 1, 2);
	pmc_context_close(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fake_test(selects),
		fake_test(general_names),
		fake_test(table),
		fake_test(counters),
		fake_test(reasons),
		fake_test(shared_names),
		fake_test(places),
		fake_test(shared_tables),
	};

	setenv("LIBPFM_FORCE_PMU", "amd64_fam10h_barcelona", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
