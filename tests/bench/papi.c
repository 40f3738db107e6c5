// SPDX-License-Identifier: GPL-2.0-only
/*
 * papi one|four METER: print the costs of PAPI's calls, "name TAB cost" a line
 * METER: perf or tsc (see meter.h)
 *
 * On one CPU: four counters, both modes, with PAPI's preset events, because Debian's PAPI does not
 * support raw ones; or a single counter.
 */
#include <papi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meter.h"

#define COUNTERS	4

static const char *const events[COUNTERS] = {
	"PAPI_TOT_CYC", "PAPI_BR_INS", "PAPI_BR_MSP", "PAPI_TOT_INS",
};

static int set = PAPI_NULL;
static long long values[COUNTERS];

static void check(int result, int right, const char *what)
{
	if (result == right)
		return;
	fprintf(stderr, "papi: %s: %s\n", what, PAPI_strerror(result));
	exit(1);
}

/* PAPI's components report why they are disabled. */
static void report_disabled(void)
{
	const PAPI_component_info_t *info;
	int i;

	for (i = 0; i < PAPI_num_components(); i++) {
		info = PAPI_get_component_info(i);
		if (info && info->disabled)
			fprintf(stderr, "papi: %s: %s\n", info->name, info->disabled_reason);
	}
}

static void papi_read(void *unused)
{
	(void)unused;
	check(PAPI_read(set, values), PAPI_OK, "PAPI_read");
}

static void papi_read_ts(void *unused)
{
	long long cycles;

	(void)unused;
	check(PAPI_read_ts(set, values, &cycles), PAPI_OK, "PAPI_read_ts");
}

static void papi_start(void *unused)
{
	(void)unused;
	check(PAPI_start(set), PAPI_OK, "PAPI_start");
}

static void papi_stop(void *unused)
{
	(void)unused;
	check(PAPI_stop(set, values), PAPI_OK, "PAPI_stop");
}

/* PAPI counts only user mode by default. */
static void open_set(int counters)
{
	int i;

	check(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT, "PAPI_library_init");
	check(PAPI_set_domain(PAPI_DOM_ALL), PAPI_OK, "PAPI_set_domain");
	check(PAPI_create_eventset(&set), PAPI_OK, "PAPI_create_eventset");
	for (i = 0; i < counters; i++) {
		int result = PAPI_add_named_event(set, events[i]);

		if (result != PAPI_OK)
			report_disabled();
		check(result, PAPI_OK, events[i]);
	}
}

static void pin(void)
{
	struct sched_param priority = { .sched_priority = 1 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("pinning");
	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		die("real-time priority");
}

static void measure_one(void)
{
	open_set(1);
	papi_start(NULL);
	print_cost("read one", meter_calls(papi_read, NULL));
	papi_stop(NULL);
}

static void measure_four(void)
{
	open_set(COUNTERS);
	papi_start(NULL);
	print_cost("read four", meter_calls(papi_read, NULL));
	print_cost("read four and TSC", meter_calls(papi_read_ts, NULL));
	print_cost("start four", meter_each(papi_stop, papi_start, NULL));
	papi_stop(NULL);
	print_cost("stop four", meter_each(papi_start, papi_stop, NULL));
	if (!values[0])
		fprintf(stderr, "papi: nothing was counted\n");
}

int main(int argc, char **argv)
{
	bool one = argc == 3 && !strcmp(argv[1], "one");
	bool perf = argc == 3 && !strcmp(argv[2], "perf");

	if (argc != 3 || (!one && strcmp(argv[1], "four")) || (!perf && strcmp(argv[2], "tsc"))) {
		fprintf(stderr, "usage: papi one|four perf|tsc\n");
		return 1;
	}
	pin();
	meter_open(perf ? METER_PERF : METER_TSC);
	if (one)
		measure_one();
	else
		measure_four();
	meter_close();
	return 0;
}
