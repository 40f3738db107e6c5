/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings that carry records to user space
 */
#ifndef PMC_RING_H
#define PMC_RING_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <asm/local64.h>

#include "uapi/pmcdrv.h"
#include "sampling/sampler_types.h"

struct pid_namespace;
struct pmc_identity;
struct pmc_rings;

/* Threads of one CPU that may be on their way to tell of their mappings */
#define PMC_MAP_REQUESTS	16

/**
 * struct pmc_mmap_request - a thread is to tell of some of its mappings
 * @work:	for the thread
 * @rings:	the context's; a reference is held until the work begins
 * @number:	of its programs: whichever the thread counts with by then
 * @taken:	it is the thread's; set on the ring's CPU with interrupts off
 * @nr:		number of @address
 * @address:	in user mode
 */
struct pmc_mmap_request {
	struct callback_head work;
	struct pmc_rings *rings;
	u64 number;
	bool taken;
	u32 nr;
	unsigned long address[PMC_SAMPLER_MAPS];
};

/**
 * struct pmc_cpu_ring - the records of one context on one CPU
 * @shared:	the page that user space has too; nothing in it is believed
 * @data:	the records, behind that page
 * @mask:	bytes of @data less one
 * @watermark:	bytes that wake those who wait
 * @written:	bytes written, pads too, modulo 2^32; the producer's
 * @visible:	as much of it as readers may see; written by the producer
 * @missing:	overflows lost since the last record that tells of it; the
 *		producer's
 * @records:	the producer's, as the next five, and whole for who reads: sample records
 *		written
 * @sampled:	overflows that those stand for
 * @lost:	overflows that had no room
 * @throttled:	overflows not sampled because there were too many
 * @mmaps_lost:	map records that had no room
 * @wakeups:	how often the watermark was reached
 * @before:	overflows before the last reset; written with the file's lock
 * @cpu:	whose
 * @work:	wakes those who wait
 * @rings:	whose it is
 * @pages:	what is mapped: @shared, then @data
 * @nr_pages:	number of @pages
 * @map_request: mmap.c's
 *
 * The producer is the code of overflow.c on the ring's CPU: with the sampler
 * held and interrupts off, or in the NMI while no sampler of the context is
 * held. So there is one at a time.
 */
struct pmc_cpu_ring {
	struct pmc_ring *shared;
	void *data;
	u32 mask;
	u32 watermark;
	u32 written;
	u32 visible;
	u64 missing;
	local64_t records;
	local64_t sampled;
	local64_t lost;
	local64_t throttled;
	local64_t mmaps_lost;
	local64_t wakeups;
	atomic64_t before;
	u32 cpu;
	struct irq_work work;
	struct pmc_rings *rings;
	struct page **pages;
	unsigned int nr_pages;
	struct pmc_mmap_request map_request[PMC_MAP_REQUESTS];
};

/**
 * struct pmc_rings - all rings of a context
 * @refs:	the context's, one for each system call that looks at them, and one for each
 *		thread that is asked for mappings and has not begun to tell of them
 * @size:	bytes of records of each ring; constant
 * @wait:	who waits for records: the file's, which outlives this
 * @idle:	nothing is counted now: who waits, waits no longer
 * @ended:	nothing will ever be counted again
 * @idle_work:	wakes those who wait when the context becomes idle
 * @ns:		pid namespace of who configured the context; a reference is held
 * @reader:	serialises read()
 * @identity:	of the context; constant, as long as there are producers
 * @ring:	one for each CPU that the context may count on, by number
 */
struct pmc_rings {
	refcount_t refs;
	u32 size;
	wait_queue_head_t *wait;
	bool idle;
	bool ended;
	struct irq_work idle_work;
	struct pid_namespace *ns;
	struct mutex reader; /* the tails, as far as read() moves them */
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

int pmc_rings_mmap(struct pmc_rings *rings, struct vm_area_struct *vma);
__poll_t pmc_rings_poll(struct pmc_rings *rings);
ssize_t pmc_rings_read(struct pmc_rings *rings, char __user *to, size_t size, bool wait);

/* For the producer. */
void *pmc_ring_reserve_slow(struct pmc_cpu_ring *ring, u32 size);
void pmc_ring_wake_readers(struct pmc_cpu_ring *ring);
void pmc_ring_lose(struct pmc_cpu_ring *ring, u64 overflows);
void pmc_ring_lose_mmap(struct pmc_cpu_ring *ring);
void pmc_ring_throttle(struct pmc_cpu_ring *ring, u64 overflows);

/* Kept free, so that a loss can always be told: a pad and the record. */
#define PMC_RING_RESERVE	((u32)(sizeof(struct pmc_record) + sizeof(struct pmc_lost)))

/**
 * pmc_ring_reserve - begin a record
 * @ring:	the ring
 * @size:	the most bytes it can become, a multiple of 8
 *
 * Return: where to write it, or NULL if the ring is full.
 */
static __always_inline void *pmc_ring_reserve(struct pmc_cpu_ring *ring, u32 size)
{
	u32 end = ring->written + size + PMC_RING_RESERVE;
	u32 at = ring->written & ring->mask;

	u32 used;

	/* pairs with the reader's release: it has done with what it gives back */
	used = end - smp_load_acquire(&ring->shared->tail);
	if (likely(at + size <= ring->mask + 1 && !ring->missing && used <= ring->mask + 1))
		return ring->data + at;
	return pmc_ring_reserve_slow(ring, size);
}

/**
 * pmc_ring_commit - the record that was reserved is written
 * @ring:	the ring
 * @size:	its bytes, at most those reserved, a multiple of 8
 *
 * Of a reader that gives back its last bytes and goes to sleep, and a producer that
 * adds some, one sees the other: the reader the new head, or the producer the new
 * tail.
 */
static __always_inline void pmc_ring_commit(struct pmc_cpu_ring *ring, u32 size)
{
	u32 before = ring->visible, after = ring->written + size, tail;

	ring->written = after;
	/* the records first: pairs with the load-acquire in pmc_ring_unread() */
	smp_store_release(&ring->visible, after);
	/* likewise: pairs with user space's */
	smp_store_release(&ring->shared->head, after);
	smp_mb(); /* the head before the tail: pairs with pmc_rings_have() */
	tail = READ_ONCE(ring->shared->tail);
	if (unlikely(before - tail < ring->watermark && after - tail >= ring->watermark))
		pmc_ring_wake_readers(ring);
}

#endif /* PMC_RING_H */
