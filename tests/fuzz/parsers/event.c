// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: the event parser and the assignment of counters. The first byte of the input selects
 * a processor, the rest is a list of events, which is also parsed as one event.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpmcevents.h>

#include "fake.h"

#define COPIES	5

static void skylake(void) { }
static void penryn(void) { fake_core(23, 0x3); }
static void pentium(void) { fake_pentium(false); }
static void pentium_mmx(void) { fake_pentium(true); }
static void pentium_pro(void) { fake_p6(1); }
static void pentium_2(void) { fake_p6(5); }
static void pentium_3(void) { fake_p6(8); }
static void pentium_4(void) { fake_netburst(4); }
static void zen(void) { fake_amd(0x17); }

static void alder_lake(void)
{
	fake_hybrid();
	fake.query.cpu_model = 0x97;
}

static void (*const processors[])(void) = {
	skylake, penryn, pentium, pentium_mmx, pentium_pro, pentium_2, pentium_3,
	pentium_4, zen, alder_lake,
};

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PROCESSORS	ARRAY_SIZE(processors)

static struct pmc_info *infos[PROCESSORS];

static void must(bool condition, const char *what, const char *text)
{
	if (condition)
		return;
	fprintf(stderr, "'%s': %s\n", text, what);
	abort();
}

static const struct pmc_info *choose(unsigned int number)
{
	struct pmc_device *device;

	fake_reset();
	processors[number]();
	if (!infos[number]) {
		device = pmc_device_open(NULL);
		infos[number] = pmc_device_get_info(device, 0);
		pmc_device_close(device);
	}
	return infos[number];
}

static void must_explain(const char *text)
{
	must(errno, "a failure without an error", text);
	must(pmc_error()[0], "a failure without a message", text);
}

/* Its name must parse as the same event. */
static void parse_again(const struct pmc_event *event, const char *text)
{
	struct pmc_event *again;

	again = pmc_event_parse(pmc_event_name(event));
	must(again, "the event's name is no event", text);
	must(pmc_event_equal(event, again), "the event's name is another event", text);
	pmc_event_free(again);
}

/* Copies of one event: each run must take as many as there are counters for it. */
static void check_plan(const struct pmc_info *info, struct pmc_event *event, const char *text)
{
	struct pmc_event *events[COPIES] = { event, event, event, event, event };
	unsigned int run[COPIES], i;
	int runs;

	if (pmc_info_can_count(info, event)) {
		must_explain(text);
		return;
	}
	runs = pmc_info_plan(info, events, COPIES, NULL, 0, run);
	must(runs >= 1 && runs <= COPIES, "no plan, or one with empty runs", text);
	for (i = 0; i < COPIES; i++)
		must(run[i] < (unsigned int)runs, "a run that is none", text);
}

static void parse_one(const struct pmc_info *info, const char *text)
{
	struct pmc_event *event;

	errno = 0;
	event = pmc_event_parse(text);
	if (event) {
		parse_again(event, text);
		check_plan(info, event, text);
	} else {
		must_explain(text);
	}
	pmc_event_free(event);
}

/* Each event shortens the list. A failure leaves it unchanged. */
static void parse_list(const char *list)
{
	struct pmc_event *event;
	const char *rest = list;
	const char *before;

	do {
		before = rest;
		errno = 0;
		event = pmc_event_parse_next(&rest);
		if (event) {
			must(rest > before, "an event that is not taken from the list", list);
			parse_again(event, list);
			must(pmc_event_label(event)[0], "an event without a label", list);
		} else {
			must_explain(list);
			must(rest == before, "a failure that changed the list", list);
		}
		pmc_event_free(event);
	} while (event && *rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pmc_info *info;
	char *text;

	if (!size)
		return 0;
	info = choose(data[0] % PROCESSORS);
	text = strndup((const char *)data + 1, size - 1);
	parse_one(info, text);
	parse_list(text);
	free(text);
	return 0;
}
