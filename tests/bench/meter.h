/* SPDX-License-Identifier: GPL-2.0-only */
/* The meters of the benchmarks */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include <stdint.h>

/*
 * METER_PMC: the CPU's retired instructions in user and kernel mode, counted by pmcdrv itself on
 *	fixed counter 0; not while perf has the counters
 * METER_PERF: the same counted by perf; perf stops and starts this event like all others of the
 *	CPU, so it can measure reading, but not starting and stopping
 * METER_TSC: the time-stamp counter, which in the emulator with one processor advances with each
 *	instruction, and with each round of a string instruction
 */
enum meter {
	METER_PMC,
	METER_PERF,
	METER_TSC,
};

/* Select the meter. Exits the program on an error. */
void meter_open(enum meter meter);
void meter_close(void);

/*
 * Cost of one call of @subject less that of an empty function, in hundredths: the minimum of
 * BATCHES batches of CALLS calls, because interrupts only add.
 */
#define BATCHES	50
#define CALLS	20
uint64_t meter_calls(void (*subject)(void *argument), void *argument);

/* The same for single calls, each after an unmeasured call of @before. */
uint64_t meter_each(void (*before)(void *argument), void (*subject)(void *argument),
		    void *argument);

void print_cost(const char *name, uint64_t hundredths);

_Noreturn void die(const char *what);

#endif /* BENCH_METER_H */
