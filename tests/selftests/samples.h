/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading sample rings in the selftests: the raw ABI, nothing of the library
 */
#ifndef SELFTESTS_SAMPLES_H
#define SELFTESTS_SAMPLES_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pmc.h"

/** struct ring - one CPU's ring, mapped */
struct ring {
	struct pmc_ring *shared;
	size_t length;
};

static inline uint64_t ring_offset(const struct setup *setup, int cpu)
{
	uint32_t size = setup->config.ring_size ? setup->config.ring_size : PMC_RING_SIZE_DEFAULT;

	return PMC_RING_OFFSET(cpu, size, sysconf(_SC_PAGESIZE));
}

static inline int ring_map(struct ring *ring, int fd, const struct setup *setup, int cpu)
{
	uint32_t size = setup->config.ring_size ? setup->config.ring_size : PMC_RING_SIZE_DEFAULT;

	ring->length = sysconf(_SC_PAGESIZE) + size;
	ring->shared = mmap(NULL, ring->length, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    ring_offset(setup, cpu));
	return ring->shared == MAP_FAILED ? -errno : 0;
}

static inline void ring_unmap(struct ring *ring)
{
	munmap(ring->shared, ring->length);
}

/* The next record, or NULL; it stays until ring_done(). */
static inline const struct pmc_record *ring_next(struct ring *ring)
{
	struct pmc_ring *shared = ring->shared;
	const char *data = (const char *)shared + shared->data_offset;

	for (;;) {
		uint32_t head = __atomic_load_n(&shared->head, __ATOMIC_ACQUIRE);
		const struct pmc_record *record;

		if (shared->tail == head)
			return NULL;
		record = (const void *)(data + shared->tail % shared->data_size);
		if (record->type != PMC_RECORD_PAD)
			return record;
		__atomic_store_n(&shared->tail, shared->tail + record->size, __ATOMIC_RELEASE);
	}
}

static inline void ring_done(struct ring *ring, const struct pmc_record *record)
{
	__atomic_store_n(&ring->shared->tail, ring->shared->tail + record->size,
			 __ATOMIC_RELEASE);
}

static inline int statistics_take(int fd, struct pmc_statistics *statistics)
{
	memset(statistics, 0, sizeof(*statistics));
	statistics->size = sizeof(*statistics);
	return pmc_call(fd, PMC_IOC_STATISTICS, statistics);
}

/* A counter of a setup gets a period. */
static inline void setup_period(struct setup *setup, unsigned int entry, uint64_t period)
{
	setup->counter[entry].period = period;
}

#endif /* SELFTESTS_SAMPLES_H */
