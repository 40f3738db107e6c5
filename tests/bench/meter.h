/* SPDX-License-Identifier: GPL-2.0-only */
/* What costs are measured with */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include <stdint.h>

/*
 * METER_PMC: retired instructions of the CPU in user and kernel mode, by pmcdrv
 *	itself, on fixed counter 0; not while perf has the counters
 * METER_PERF: the same by perf; what perf does to all events of a CPU, it does
 *	to this one too, so it is good for reading, not for starting and stopping
 * METER_TSC: the time-stamp counter, which in the emulated machine with one
 *	processor advances by one with each instruction; but by one for each round
 *	of a string instruction too
 */
enum meter {
	METER_PMC,
	METER_PERF,
	METER_TSC,
};

/* Choose the meter. Ends the program on an error. */
void meter_open(enum meter meter);
void meter_close(void);

/*
 * What one call of @subject costs more than one of an empty function: the least
 * of BATCHES batches of CALLS calls, for interrupts only ever add. In hundredths.
 */
#define BATCHES	50
#define CALLS	20
uint64_t meter_calls(void (*subject)(void *argument), void *argument);

/* The same of single calls, each after one of @before, which is not measured. */
uint64_t meter_each(void (*before)(void *argument), void (*subject)(void *argument),
		    void *argument);

void print_cost(const char *name, uint64_t hundredths);

_Noreturn void die(const char *what);

#endif /* BENCH_METER_H */
