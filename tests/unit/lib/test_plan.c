// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the distribution of events over runs, by exhaustive search and on known tables */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

#define EVENTS_MAX	256

static struct pmc_device *device;
static struct pmc_info *info;
static struct pmc_event *events[EVENTS_MAX];
static unsigned int run[EVENTS_MAX];
static size_t num;

static void ask(void)
{
	device = pmc_device_open(NULL);
	info = pmc_device_get_info(device, PMC_CPU_ANY);
	assert_non_null(info);
	num = 0;
}

static void forget(void)
{
	while (num)
		pmc_event_free(events[--num]);
	pmc_info_free(info);
	pmc_device_close(device);
}

/* Checks that the events of each run fit on the counters together. */
static void check_runs(int runs, struct pmc_event *const *always, size_t num_always)
{
	struct pmc_context *context;
	size_t i, planned = 0;
	int r;

	for (r = 0; r < runs; r++) {
		context = pmc_context_open(device);
		for (i = 0; i < num_always; i++)
			assert_int_equal(pmc_context_add(context, always[i]), 0);
		for (i = 0; i < num; i++) {
			if (run[i] != (unsigned int)r)
				continue;
			if (pmc_context_add(context, events[i]))
				fail_msg("run %d: %s", r, pmc_error());
			planned++;
		}
		assert_true(pmc_context_num_events(context) > num_always);
		pmc_context_close(context);
	}
	assert_int_equal(planned, num);
}

static void plan(int expected)
{
	int runs = pmc_info_plan(info, events, num, NULL, 0, run);

	if (runs < 0)
		fail_msg("%s", pmc_error());
	assert_int_equal(runs, expected);
	check_runs(runs, NULL, 0);
}

/* ---- compared with an exhaustive search ---- */

/* The minimum over all placements, from event @i on, of the greatest load of a counter */
static unsigned int least(size_t i, unsigned int *load, unsigned int best)
{
	unsigned int c, greatest = 0;

	if (i == num) {
		for (c = 0; c < 4; c++)
			greatest = load[c] > greatest ? load[c] : greatest;
		return greatest < best ? greatest : best;
	}
	for (c = 0; c < 4; c++) {
		if (!(events[i]->counters >> c & 1))
			continue;
		load[c]++;
		best = least(i + 1, load, best);
		load[c]--;
	}
	return best;
}

static void as_few_as_possible(void **state)
{
	unsigned int load[4] = { 0 };
	int round, size;

	srand(1);
	ask();
	for (round = 0; round < 300; round++) {
		for (size = 1 + rand() % 7; num < (size_t)size;) {
			events[num] = must_parse("r01");
			events[num]->counters = rand() & rand() & 0xf;
			if (!events[num]->counters)
				events[num]->counters = 1 << rand() % 4;
			num++;
		}
		plan(least(0, load, 99));
		while (num)
			pmc_event_free(events[--num]);
	}
	forget();
}

/* ---- the tables ---- */

/* Adds all events of the processor's table. */
static void add_table(void)
{
	struct pmc_event_list *list = pmc_event_list_get();
	const struct pmc_event_row *row;
	char text[256];
	size_t i;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++) {
		if (!strcmp(row->source, "architectural") || !strcmp(row->source, "perf"))
			continue;
		snprintf(text, sizeof(text), "%s%s%s", row->name, row->num_unit_masks ? ":" : "",
			 row->num_unit_masks ? row->unit_masks[0].name : "");
		events[num++] = must_parse(text);
	}
	pmc_event_list_free(list);
}

/* 19 runs of two events, as P5Stat has them */
static void pentium(void **state)
{
	fake_pentium(false);
	ask();
	add_table();
	assert_int_equal(num, 38);
	plan(19);
	forget();
}

/* 39 events fit on both counters, 18 on counter 0 only, 17 on counter 1 only. */
static void pentium_mmx(void **state)
{
	fake_pentium(true);
	ask();
	add_table();
	assert_int_equal(num, 74);
	plan(37);
	forget();
}

static void p6(void **state)
{
	fake_p6(3);
	ask();
	add_table();
	assert_int_equal(num, 78);
	plan(39);
	forget();
}

/* More than half of the events fit only on counter 0. */
static void restricted(void **state)
{
	int i;

	fake_p6(3);
	ask();
	for (i = 0; i < 5; i++)
		events[num++] = must_parse("FLOPS");
	events[num++] = must_parse("MUL");
	events[num++] = must_parse("INST_RETIRED");
	plan(5);
	forget();
}

static void with_others(void **state)
{
	struct pmc_event *always[2];
	int runs;

	ask();
	always[0] = must_parse("instructions:u");
	always[1] = must_parse("branches:u");
	while (num < 10)
		events[num++] = must_parse("r01");
	runs = pmc_info_plan(info, events, num, always, 2, run);
	/* three of the four general counters are free */
	assert_int_equal(runs, 4);
	check_runs(runs, always, 2);
	runs = pmc_info_plan(info, events, num, always, 1, run);
	assert_int_equal(runs, 3);
	check_runs(runs, always, 1);
	pmc_event_free(events[9]);
	events[9] = must_parse("instructions:f");
	assert_failed(pmc_info_plan(info, events, num, always, 1, run) < 0, ENOSPC,
		      "'instructions:f' has no counter beside the events of every run");
	assert_int_equal(pmc_info_plan(info, events, 0, always, 2, run), 0);
	pmc_event_free(always[0]);
	pmc_event_free(always[1]);
	always[0] = must_parse("instructions:k:f");
	always[1] = must_parse("instructions:f");
	assert_failed(pmc_info_plan(info, events, num, always, 2, run) < 0, ENOSPC,
		      "'instructions:f' does not fit into every run");
	pmc_event_free(always[0]);
	pmc_event_free(always[1]);
	forget();
}

/* Events that need one register with different values are not in one run. */
static void registers(void **state)
{
	struct pmc_event *always;
	unsigned int i;
	char text[64];

	ask();
	for (i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "cpu/config=0x1b7,config1=0x%x/u", i + 1);
		events[num++] = must_parse(text);
		events[num++] = must_parse("cpu/config=0x1bb,config1=1/u");
		events[num++] = must_parse("r01");
	}
	i = pmc_info_plan(info, events, num, NULL, 0, run);
	check_runs(i, NULL, 0);
	assert_int_equal(run[0] != run[3] && run[0] != run[6] && run[3] != run[6], 1);
	always = must_parse("cpu/config=0x1b7,config1=3/k");
	assert_failed(pmc_info_plan(info, events, num, &always, 1, run) < 0, ENOSPC,
		      "config1=0x1/u' does not fit beside 'cpu/config=0x1b7,config1=3/k' of every run");
	pmc_event_free(always);
	forget();
}

/* Different values of two registers fill the runs that the other events need. */
static void registers_share_runs(void **state)
{
	unsigned int i;
	char text[64];

	ask();
	for (i = 0; i < 16; i++) {
		snprintf(text, sizeof(text), "cpu/config=0x1b%c,config1=0x%x/u", i & 1 ? 'b' : '7',
			 i + 1);
		events[num++] = must_parse(i < 8 ? "r01" : text);
	}
	plan(4);
	forget();
}

/* Events for either register: two values in each run, beside those for one register */
static void either_register(void **state)
{
	static const char *const texts[] = {
		"LLC-loads:u", "LLC-load-misses:u", "LLC-stores:u", "LLC-store-misses:u",
		"node-loads:u", "node-load-misses:u", "node-stores:u",
		"cpu/config=0x1bb,config1=0x3ffc020001/u", "cpu/config=0x1bb,config1=2/u",
		"cpu/config=0x1bb,config1=3/u",
	};
	static const char *const first[] = {
		"cpu/config=0x1b7,config1=1/u", "cpu/config=0x1b7,config1=2/u",
		"cpu/config=0x1b7,config1=3/u",
	};
	size_t i;

	ask();
	for (i = 0; i < 7; i++)
		events[num++] = must_parse(texts[i]);
	plan(4);
	/* one of three values of the second register is that of another event */
	while (i < ARRAY_SIZE(texts))
		events[num++] = must_parse(texts[i++]);
	plan(5);
	forget();
	/* the first event leaves the first register to the others */
	ask();
	events[num++] = must_parse("LLC-loads:u");
	for (i = 0; i < 3; i++)
		events[num++] = must_parse(first[i]);
	plan(3);
	forget();
}

/* On that model of Intel's family 6, or on an AMD processor of another family */
static bool counts_sibling(uint32_t family, uint32_t model, const char *text)
{
	struct pmc_event *event;
	bool result;

	if (family == 6)
		fake_core(model, 0xf);
	else
		fake_amd(family);
	ask();
	event = must_parse(text);
	result = pmc_info_counts_sibling(info, event);
	pmc_event_free(event);
	forget();
	return result;
}

static void siblings(void **state)
{
	static const uint32_t models[] = { 0x2a, 0x3a, 0x3c, 0x3d, 0x55, 0x6a, 0x8f, 0xad };
	static const uint32_t others[] = { 0x0f, 0x1a, 0x2c, 0x37, 0xbe };
	size_t i;

	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		assert_true(counts_sibling(6, models[i], "r2b1"));
		assert_true(counts_sibling(6, models[i], "r10003b1"));
		assert_false(counts_sibling(6, models[i], "r1b1"));
		assert_false(counts_sibling(6, models[i], "r2b0"));
	}
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(counts_sibling(6, others[i], "r2b1"));
	assert_true(counts_sibling(6, 0x1a, "r2000c0"));
	assert_true(counts_sibling(0x17, 1, "r162"));
	assert_true(counts_sibling(0x19, 1, "r162"));
	assert_false(counts_sibling(0x17, 1, "r100000062"));
	assert_false(counts_sibling(0x17, 1, "r163"));
	assert_false(counts_sibling(0x15, 1, "r162"));
}

static void impossible(void **state)
{
	struct pmc_event *event;

	ask();
	event = must_parse("r800c0");
	assert_failed(pmc_info_can_count(info, event), EINVAL, "has bits that no counter of this processor accepts");
	events[num++] = event;
	assert_failed(pmc_info_plan(info, events, num, NULL, 0, run) < 0, EINVAL, "has bits");
	event = must_parse("r00c0:g=9");
	assert_failed(pmc_info_can_count(info, event), ENXIO, "no counter general9");
	pmc_event_free(event);
	event = must_parse("slots");
	assert_failed(pmc_info_can_count(info, event), EOPNOTSUPP, "does not have this architectural event");
	pmc_event_free(event);
	event = must_parse("cycles:c=1");
	assert_int_equal(pmc_info_can_count(info, event), 0);
	pmc_event_free(event);
	forget();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fake_test(as_few_as_possible),
		fake_test(pentium),
		fake_test(pentium_mmx),
		fake_test(p6),
		fake_test(restricted),
		fake_test(with_others),
		fake_test(registers),
		fake_test(registers_share_runs),
		fake_test(either_register),
		fake_test(siblings),
		fake_test(impossible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
