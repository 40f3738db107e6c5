/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For cmocka tests of sampling: a context, records that the fake driver writes, and records that
 * the library returns
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "check.h"

/* Size of the data of a ring, in bytes, after must_start() */
#define RING	4096

/* Of the running test; must_open() sets @samples, which are closed after the test. */
extern struct pmc_context *context;
extern struct pmc_samples *samples;

int sample_setup(void **state);
int sample_teardown(void **state);

#define sample_test(function) \
	cmocka_unit_test_setup_teardown(function, sample_setup, sample_teardown)

/* Add an event to the context. */
void must_add(const char *text);

/* Start a sampling context with small rings and a wakeup at every record. */
void must_start(void);

void must_open(uint32_t flags);

/* ---- records to write ---- */

union record {
	struct pmc_record head;
	struct pmc_sample sample;
	struct pmc_lost lost;
	struct pmc_throttle throttle;
	struct pmc_mmap map;
	char bytes[RING];
};

/* A sample of counter 0 of 2, with call chains; @ip identifies it. */
union record sample_at(uint64_t tsc, uint64_t ip, int kernel_frames, int user_frames);

/* Write into the ring of the CPU, where there must be room. */
void must_write(int cpu, union record record);
void write_sample(int cpu, uint64_t tsc, uint64_t ip);

/* ---- records to expect ---- */

/* The next record is of this type. */
const struct pmc_record *next_of(uint32_t type);

/* The next record is this sample. */
void next_sample(int cpu, uint64_t ip);

/* No record is left. */
void next_is_none(void);

#endif /* SAMPLING_H */
