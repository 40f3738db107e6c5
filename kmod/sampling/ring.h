/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sample rings: records for user space, one ring for each CPU of a context
 */
#ifndef PMC_RING_H
#define PMC_RING_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <asm/local.h>
#include <asm/local64.h>

#include "base/task_work.h"
#include "uapi/pmcdrv.h"
#include "sampling/ring_charge.h"
#include "sampling/sampler_types.h"

struct pid_namespace;
struct pmc_identity;
struct pmc_rings;

/* Requests for mmap records that can be outstanding in one ring */
#define PMC_MAP_REQUESTS	16

/**
 * struct pmc_mmap_request - request for mmap records of a thread's mappings
 * @work:	task work that the thread runs before it returns to user mode
 * @rings:	rings of the context; @work holds a reference until it begins
 * @number:	&struct pmc_program.number, by which @work finds the context's sampler again
 * @exec:	&task_struct.self_exec_id at the sample
 * @nr:		number of elements in @address
 * @frames:	maximum of frames of a user call chain, 0 without call chains
 * @address:	user addresses; a record of the mapping of each is requested
 */
struct pmc_mmap_request {
	struct pmc_task_work work;
	struct pmc_rings *rings;
	u64 number;
	u64 exec;
	u32 nr;
	u32 frames;
	unsigned long address[PMC_SAMPLER_MAPS];
};

/**
 * struct pmc_cpu_ring - records of one context on one CPU
 * @shared:	header page, mapped by user space; the driver does not trust its contents
 * @data:	records, directly after @shared; mapped as well
 * @mask:	bytes of @data, less one
 * @watermark:	bytes of unread records at which readers are woken
 * @written:	bytes written, including padding, modulo 2^32
 * @visible:	value of @written up to which readers may read
 * @unreported:	overflows dropped since the last PMC_RECORD_LOST
 * @records:	sample records written
 * @sampled:	overflows that these records represent
 * @lost:	overflows without room for their record
 * @throttled:	overflows not sampled because there were too many
 * @throttled_now: counters that are throttled now
 * @mmaps_lost:	mmap records without room, memory or a free request, or requested too late
 * @wakeups:	times that the watermark was reached
 * @reset_base:	overflows before the last reset; written with the file's lock held
 * @cpu:	the CPU of this ring
 * @work:	wakes readers
 * @rings:	the context's rings
 * @pages:	pages to map: @shared, then @data
 * @nr_pages:	number of @pages
 * @map_request: requests for mmap records, see mmap.c
 *
 * There is one producer at a time: the sampling code on the ring's CPU, either with the sampler
 * locked and interrupts off, or in the NMI handler while no sampler of the context is locked.
 * Only the producer writes @written to @wakeups; readers load @visible, @unreported, the local64_t
 * and @throttled_now.
 */
struct pmc_cpu_ring {
	struct pmc_ring *shared;
	void *data;
	u32 mask;
	u32 watermark;
	u32 written;
	u32 visible;
	u64 unreported;
	local64_t records;
	local64_t sampled;
	local64_t lost;
	local64_t throttled;
	local_t throttled_now;
	local64_t mmaps_lost;
	local64_t wakeups;
	atomic64_t reset_base;
	u32 cpu;
	struct irq_work work;
	struct pmc_rings *rings;
	struct page **pages;
	unsigned int nr_pages;
	struct pmc_mmap_request map_request[PMC_MAP_REQUESTS];
};

/**
 * struct pmc_rings - all rings of a context
 * @refs:	references: the context's, one for each system call that uses the rings, and one
 *		for each queued &struct pmc_mmap_request
 * @size:	bytes of records in each ring; constant
 * @wait:	wait queue of the file, which outlives this
 * @idle:	the context is not counting: read() and poll() do not wait
 * @ended:	the context will not count again
 * @idle_work:	wakes readers when the context becomes idle
 * @ns:		pid namespace of the owner; holds a reference
 * @charge:	what the owner is charged for; constant
 * @reader:	serialises read()
 * @identity:	identity of the context; constant while there are producers
 * @ring:	by CPU number; NULL for CPUs that the context does not count on
 */
struct pmc_rings {
	refcount_t refs;
	u32 size;
	wait_queue_head_t *wait;
	bool idle;
	bool ended;
	struct irq_work idle_work;
	struct pid_namespace *ns;
	struct pmc_ring_charge charge;
	struct mutex reader; /* the tails, when read() moves them */
	const struct pmc_identity *identity;
	struct pmc_cpu_ring *ring[];
};

struct pmc_rings *pmc_rings_create(u32 size, u32 watermark, int cpu, wait_queue_head_t *wait);
void pmc_rings_put(struct pmc_rings *rings);
void pmc_rings_close(struct pmc_rings *rings);
void pmc_rings_set_idle(struct pmc_rings *rings, bool idle, bool ended);
void pmc_rings_statistics(const struct pmc_rings *rings, struct pmc_statistics *answer);
void pmc_rings_reset(struct pmc_rings *rings);
u64 pmc_rings_overflows(const struct pmc_rings *rings, int cpu);
u32 pmc_rings_throttled_now(const struct pmc_rings *rings);

int pmc_rings_mmap(struct pmc_rings *rings, struct vm_area_struct *vma);
__poll_t pmc_rings_poll(struct pmc_rings *rings);
ssize_t pmc_rings_read(struct pmc_rings *rings, char __user *to, size_t size, bool wait);

/* For the producer */
void *pmc_ring_reserve_slow(struct pmc_cpu_ring *ring, u32 size);
void pmc_ring_wake_readers(struct pmc_cpu_ring *ring);
void pmc_ring_drop(struct pmc_cpu_ring *ring, u64 overflows);
void pmc_ring_drop_mmap(struct pmc_cpu_ring *ring);
void pmc_ring_throttle(struct pmc_cpu_ring *ring, u64 overflows);

/* Bytes kept free, so that PMC_RECORD_LOST always fits: padding and the record */
#define PMC_RING_RESERVE	((u32)(sizeof(struct pmc_record) + sizeof(struct pmc_lost)))

/**
 * pmc_ring_reserve - reserve space for a record
 * @ring:	ring; the caller is its producer
 * @size:	upper bound of the record's bytes, a multiple of 8
 *
 * Return: address to write the record to, or NULL if the ring is full.
 */
static __always_inline void *pmc_ring_reserve(struct pmc_cpu_ring *ring, u32 size)
{
	u32 end = ring->written + size + PMC_RING_RESERVE;
	u32 offset = ring->written & ring->mask;
	u32 used;

	/* pairs with the reader's release of the tail, after its last load of the records */
	used = end - smp_load_acquire(&ring->shared->tail);
	if (likely(offset + size <= ring->mask + 1 && !ring->unreported &&
		   used <= ring->mask + 1))
		return ring->data + offset;
	return pmc_ring_reserve_slow(ring, size);
}

/**
 * pmc_ring_commit - make the reserved and written record visible to readers
 * @ring:	ring; the caller is its producer
 * @size:	bytes of the record, at most those reserved, a multiple of 8
 *
 * No wakeup is missed: a reader stores its tail and then loads the head; the producer stores
 * the head and then loads the tail. At least one of them loads the new value.
 */
static __always_inline void pmc_ring_commit(struct pmc_cpu_ring *ring, u32 size)
{
	u32 before = ring->visible, after = ring->written + size, tail;

	ring->written = after;
	/* the records before the head: pairs with the load-acquire in pmc_ring_unread() */
	smp_store_release(&ring->visible, after);
	/* likewise: pairs with user space's load-acquire */
	smp_store_release(&ring->shared->head, after);
	smp_mb(); /* the head before the tail: pairs with pmc_rings_have_data() */
	tail = READ_ONCE(ring->shared->tail);
	if (unlikely(before - tail < ring->watermark && after - tail >= ring->watermark))
		pmc_ring_wake_readers(ring);
}

#endif /* PMC_RING_H */
