// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rings that carry records to user space
 *
 * Owns struct pmc_rings and struct pmc_cpu_ring. A ring has one producer, its
 * CPU, which may be in NMI context, and one reader in user space or in read().
 * They share no lock. The producer keeps its own copy of all that it needs but
 * the tail, and believes the tail only as far as it makes sense: a program that
 * scribbles over its mapping harms only what it reads itself.
 *
 * pmc_rings.reader serialises read() calls; task context, nothing inside it but
 * page faults. The rest takes no lock.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "compat/compat.h"
#include "base/notify.h"
#include "sampling/ring.h"
#include "sampling/throttle.h"

static void pmc_ring_wake(struct irq_work *work)
{
	struct pmc_cpu_ring *ring = container_of(work, struct pmc_cpu_ring, work);
	u64 now = rdtsc();

	wake_up_poll(ring->rings->wait, EPOLLIN);
	/* with PREEMPT_RT a thread does it, and others' time may be in it */
	if (in_hardirq())
		pmc_throttle_charge_local(now);
}

static void pmc_rings_wake_idle(struct irq_work *work)
{
	struct pmc_rings *rings = container_of(work, struct pmc_rings, idle_work);

	wake_up_poll(rings->wait, EPOLLIN | EPOLLHUP);
}

static atomic_long_t pmc_rings_mapped; /* pages of all rings that there are */

/*
 * On 32 bits the kernel has so few addresses for what it maps that the rings of one user could
 * take all, and leave none for loading a module: all rings together have a quarter of them.
 */
static bool pmc_rings_take_addresses(unsigned long pages)
{
	long mapped = atomic_long_read(&pmc_rings_mapped);

	do {
		if (!IS_ENABLED(CONFIG_64BIT) &&
		    mapped + pages > (VMALLOC_TOTAL >> PAGE_SHIFT) / 4)
			return false;
	} while (!atomic_long_try_cmpxchg(&pmc_rings_mapped, &mapped, mapped + pages));
	return true;
}

/* With the page that the kernel leaves free behind each mapping. */
static unsigned long pmc_ring_addresses(const struct pmc_cpu_ring *ring)
{
	return ring->nr_pages + 1;
}

static void *pmc_ring_vmap(const struct pmc_cpu_ring *ring)
{
	void *address;

	if (!pmc_rings_take_addresses(pmc_ring_addresses(ring)))
		return NULL;
	address = vmap(ring->pages, ring->nr_pages, VM_MAP, PAGE_KERNEL);
	if (!address)
		atomic_long_sub(pmc_ring_addresses(ring), &pmc_rings_mapped);
	return address;
}

static void pmc_ring_free(struct pmc_cpu_ring *ring)
{
	unsigned int i;

	if (ring->shared) {
		vunmap(ring->shared);
		atomic_long_sub(pmc_ring_addresses(ring), &pmc_rings_mapped);
	}
	for (i = 0; ring->pages && i < ring->nr_pages && ring->pages[i]; i++)
		put_page(ring->pages[i]);
	kvfree(ring->pages);
	kfree(ring);
}

static struct pmc_cpu_ring *pmc_ring_create(struct pmc_rings *rings, u32 watermark, int cpu)
{
	int node = cpu_to_node(cpu);
	struct pmc_cpu_ring *ring;
	unsigned int i;

	ring = kzalloc_node(sizeof(*ring), GFP_KERNEL_ACCOUNT, node);
	if (!ring)
		return NULL;
	ring->rings = rings;
	ring->cpu = cpu;
	ring->mask = rings->size - 1;
	ring->watermark = watermark;
	init_irq_work(&ring->work, pmc_ring_wake);
	ring->nr_pages = 1 + (rings->size >> PAGE_SHIFT);
	ring->pages = kvcalloc(ring->nr_pages, sizeof(*ring->pages), GFP_KERNEL_ACCOUNT);
	if (!ring->pages)
		goto free;
	for (i = 0; i < ring->nr_pages; i++) {
		ring->pages[i] = alloc_pages_node(node, GFP_KERNEL_ACCOUNT | __GFP_ZERO, 0);
		if (!ring->pages[i])
			goto free;
	}
	ring->shared = pmc_ring_vmap(ring);
	if (!ring->shared)
		goto free;
	ring->data = (void *)ring->shared + PAGE_SIZE;
	ring->shared->size = sizeof(*ring->shared);
	ring->shared->cpu = cpu;
	ring->shared->data_offset = PAGE_SIZE;
	ring->shared->data_size = rings->size;
	return ring;

free:
	pmc_ring_free(ring);
	return NULL;
}

static void pmc_rings_free(struct pmc_rings *rings)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (rings->ring[cpu])
			pmc_ring_free(rings->ring[cpu]);
	}
	put_pid_ns(rings->ns);
	mutex_destroy(&rings->reader);
	kvfree(rings);
}

/**
 * pmc_rings_create - rings for the CPUs that a context may count on
 * @size:	bytes of records in each: a power of two, whole pages
 * @watermark:	bytes of records that wake those who wait
 * @cpu:	the one CPU, or -1 for all
 * @wait:	who waits; outlives the rings
 *
 * Return: the rings, to be closed and put, or NULL when out of memory.
 */
struct pmc_rings *pmc_rings_create(u32 size, u32 watermark, int cpu, wait_queue_head_t *wait)
{
	struct pmc_rings *rings;
	int i;

	rings = kvzalloc(struct_size(rings, ring, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!rings)
		return NULL;
	refcount_set(&rings->refs, 1);
	rings->size = size;
	rings->wait = wait;
	rings->idle = true;
	init_irq_work(&rings->idle_work, pmc_rings_wake_idle);
	rings->ns = get_pid_ns(task_active_pid_ns(current));
	mutex_init(&rings->reader);
	for_each_possible_cpu(i) {
		if (cpu >= 0 && i != cpu)
			continue;
		rings->ring[i] = pmc_ring_create(rings, watermark, i);
		if (!rings->ring[i]) {
			pmc_rings_free(rings);
			return NULL;
		}
	}
	return rings;
}

/**
 * pmc_rings_put - give a reference back
 * @rings:	to be freed with the last one; task context
 */
void pmc_rings_put(struct pmc_rings *rings)
{
	if (refcount_dec_and_test(&rings->refs))
		pmc_rings_free(rings);
}

/**
 * pmc_rings_close - no producer is left: let those who wait go
 * @rings:	of a context that is released; task context
 *
 * Threads that are still to tell of their mappings will find nothing to write to.
 */
void pmc_rings_close(struct pmc_rings *rings)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (rings->ring[cpu])
			irq_work_sync(&rings->ring[cpu]->work);
	}
	irq_work_sync(&rings->idle_work);
	WRITE_ONCE(rings->ended, true);
	WRITE_ONCE(rings->idle, true);
	wake_up_poll(rings->wait, EPOLLIN | EPOLLHUP | EPOLLERR);
}

static bool pmc_rings_is_idle(const struct pmc_rings *rings)
{
	/* pairs with the smp_store_release() in pmc_rings_set_idle() */
	return smp_load_acquire(&rings->idle);
}

static u64 pmc_ring_overflows(const struct pmc_cpu_ring *ring)
{
	return local64_read(&ring->sampled) + local64_read(&ring->lost) +
	       local64_read(&ring->throttled);
}

/**
 * pmc_rings_reset - count the overflows from 0 again
 * @rings:	of a context
 */
void pmc_rings_reset(struct pmc_rings *rings)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (rings->ring[cpu])
			/* after what it is the sum of; pairs with pmc_rings_overflows() */
			atomic64_set_release(&rings->ring[cpu]->before,
					     pmc_ring_overflows(rings->ring[cpu]));
	}
}

/**
 * pmc_rings_overflows - overflows since the last reset
 * @rings:	of a context
 * @cpu:	of one CPU only, or -1
 */
u64 pmc_rings_overflows(const struct pmc_rings *rings, int cpu)
{
	u64 sum = 0, before;
	int i;

	for_each_possible_cpu(i) {
		const struct pmc_cpu_ring *ring = rings->ring[i];

		if (!ring || (cpu >= 0 && cpu != i))
			continue;
		/*
		 * First: overflows only grow, and a reset may come in between. Pairs
		 * with pmc_rings_reset().
		 */
		before = atomic64_read_acquire(&ring->before);
		sum += pmc_ring_overflows(ring) - before;
	}
	return sum;
}

static void pmc_ring_statistics(const struct pmc_cpu_ring *ring, struct pmc_statistics *sum)
{
	sum->records += local64_read(&ring->records);
	sum->sampled += local64_read(&ring->sampled);
	sum->lost += local64_read(&ring->lost);
	sum->throttled += local64_read(&ring->throttled);
	sum->mmaps_lost += local64_read(&ring->mmaps_lost);
	sum->wakeups += local64_read(&ring->wakeups);
}

/**
 * pmc_rings_statistics - what became of the overflows
 * @rings:	of a context
 * @answer:	filled in, but for what is not the rings'
 */
void pmc_rings_statistics(const struct pmc_rings *rings, struct pmc_statistics *answer)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct pmc_cpu_ring *ring = rings->ring[cpu];

		if (ring)
			pmc_ring_statistics(ring, answer);
	}
}

/* Where a record of @size bytes that is written at @position ends: none goes around. */
static u32 pmc_ring_end(const struct pmc_cpu_ring *ring, u32 position, u32 size)
{
	u32 left = ring->mask + 1 - (position & ring->mask);

	return position + (left < size ? left : 0) + size;
}

/* Make room for a record that is known to fit. */
static void *pmc_ring_place(struct pmc_cpu_ring *ring, u32 size)
{
	u32 at = ring->written & ring->mask;
	u32 left = ring->mask + 1 - at;

	if (left < size) {
		struct pmc_record *pad = ring->data + at;

		pad->type = PMC_RECORD_PAD;
		pad->size = left;
		ring->written += left;
		at = 0;
	}
	return ring->data + at;
}

static void pmc_ring_write_loss(struct pmc_cpu_ring *ring)
{
	struct pmc_lost *record = pmc_ring_place(ring, sizeof(*record));

	record->record.type = PMC_RECORD_LOST;
	record->record.size = sizeof(*record);
	record->overflows = ring->missing;
	ring->missing = 0;
	ring->written += sizeof(*record);
}

static u32 pmc_ring_used(const struct pmc_cpu_ring *ring, u32 position)
{
	/* pairs with the reader's release: it has done with what it gives back */
	return position - smp_load_acquire(&ring->shared->tail);
}

/**
 * pmc_ring_reserve_slow - begin a record where it is not simply the next bytes
 * @ring:	the ring
 * @size:	the most bytes it can become, a multiple of 8
 *
 * Return: where to write it, or NULL if the ring is full.
 */
void *pmc_ring_reserve_slow(struct pmc_cpu_ring *ring, u32 size)
{
	u32 end = ring->written;

	if (ring->missing)
		end = pmc_ring_end(ring, end, sizeof(struct pmc_lost));
	end = pmc_ring_end(ring, end, size) + PMC_RING_RESERVE;
	if (pmc_ring_used(ring, end) > ring->mask + 1)
		return NULL;
	if (ring->missing)
		pmc_ring_write_loss(ring);
	return pmc_ring_place(ring, size);
}

/**
 * pmc_ring_wake_readers - the watermark has been reached
 * @ring:	the ring
 */
void pmc_ring_wake_readers(struct pmc_cpu_ring *ring)
{
	local64_inc(&ring->wakeups);
	irq_work_queue(&ring->work);
	pmc_notify_watermark(ring->rings->identity, ring->cpu);
}

/**
 * pmc_ring_lose - a sample had no room
 * @ring:	the ring
 * @overflows:	that it would have stood for
 */
void pmc_ring_lose(struct pmc_cpu_ring *ring, u64 overflows)
{
	bool first = !ring->missing;

	WRITE_ONCE(ring->missing, ring->missing + overflows);
	WRITE_ONCE(ring->shared->lost, local64_add_return(overflows, &ring->lost));
	if (!first)
		return;
	smp_mb(); /* what is missing before the tail: pairs with pmc_rings_have() */
	/* the watermark may be more than fits, or not be reached any more */
	if (pmc_ring_used(ring, ring->visible) < ring->watermark)
		pmc_ring_wake_readers(ring);
}

/**
 * pmc_ring_lose_mmap - a map record had no room
 * @ring:	the ring
 */
void pmc_ring_lose_mmap(struct pmc_cpu_ring *ring)
{
	local64_inc(&ring->mmaps_lost);
}

/**
 * pmc_ring_throttle - there were too many overflows for samples
 * @ring:	the ring
 * @overflows:	that were left out
 */
void pmc_ring_throttle(struct pmc_cpu_ring *ring, u64 overflows)
{
	local64_add(overflows, &ring->throttled);
}

/*
 * Write the record of a loss now, nothing may follow. Nobody else produces. There is
 * room for it, unless there was a loss before that nobody has read yet.
 */
static void pmc_ring_report_loss(struct pmc_cpu_ring *ring)
{
	u32 end = pmc_ring_end(ring, ring->written, sizeof(struct pmc_lost));

	if (!ring->missing || pmc_ring_used(ring, end) > ring->mask + 1)
		return;
	pmc_ring_write_loss(ring);
	pmc_ring_commit(ring, 0);
}

/**
 * pmc_rings_set_idle - counting begins or ends
 * @rings:	its rings; any context but NMI
 * @idle:	nothing is counted now
 * @ended:	nor ever again
 *
 * Nothing is produced now: all runs have stopped, or none has started. Calls for the
 * same context are serialised by the caller.
 */
void pmc_rings_set_idle(struct pmc_rings *rings, bool idle, bool ended)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (rings->ring[cpu])
			pmc_ring_report_loss(rings->ring[cpu]);
	}
	WRITE_ONCE(rings->ended, ended);
	/*
	 * Whoever sees this sees all records written before: pairs with the
	 * smp_load_acquire() in pmc_rings_is_idle().
	 */
	smp_store_release(&rings->idle, idle);
	if (idle)
		irq_work_queue(&rings->idle_work);
}

/* Bytes that a reader could have now. */
static u32 pmc_ring_unread(const struct pmc_cpu_ring *ring)
{
	/* pairs with the smp_store_release() in pmc_ring_commit() */
	return smp_load_acquire(&ring->visible) - READ_ONCE(ring->shared->tail);
}

/* Is it worth while to wake a reader? A ring that is full is, whatever the watermark. */
static bool pmc_ring_ready(const struct pmc_cpu_ring *ring, bool anything)
{
	u32 unread = pmc_ring_unread(ring);

	return unread >= ring->watermark || (unread && (anything || READ_ONCE(ring->missing)));
}

static bool pmc_rings_have(const struct pmc_rings *rings, bool anything)
{
	int cpu;

	/*
	 * the tail, which user space wrote, before the head and what is missing: see
	 * pmc_ring_commit() and pmc_ring_lose()
	 */
	smp_mb();
	for_each_possible_cpu(cpu) {
		const struct pmc_cpu_ring *ring = rings->ring[cpu];

		if (ring && pmc_ring_ready(ring, anything))
			return true;
	}
	return false;
}

/**
 * pmc_rings_poll - what can be had now
 * @rings:	of a context; the caller is in the file's wait queue already
 */
__poll_t pmc_rings_poll(struct pmc_rings *rings)
{
	bool idle = pmc_rings_is_idle(rings);
	__poll_t events = 0;

	if (pmc_rings_have(rings, idle))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(rings->ended))
		events |= EPOLLHUP;
	return events;
}

/* The ring that is mapped at this offset, if it is. */
static struct pmc_cpu_ring *pmc_rings_find(const struct pmc_rings *rings, unsigned long pgoff)
{
	unsigned long stride = 1 + (rings->size >> PAGE_SHIFT);
	unsigned long cpu;

	if (!pgoff || (pgoff - 1) % stride)
		return NULL;
	cpu = (pgoff - 1) / stride;
	return cpu < nr_cpu_ids ? rings->ring[array_index_nospec(cpu, nr_cpu_ids)] : NULL;
}

/**
 * pmc_rings_mmap - map one CPU's ring
 * @rings:	of a context
 * @vma:	where
 *
 * Return: 0, -EINVAL, -EACCES, -ENOMEM.
 */
int pmc_rings_mmap(struct pmc_rings *rings, struct vm_area_struct *vma)
{
	struct pmc_cpu_ring *ring = pmc_rings_find(rings, vma->vm_pgoff);

	if (!ring || !(vma->vm_flags & VM_SHARED) || vma_pages(vma) != ring->nr_pages)
		return -EINVAL;
	if (!(vma->vm_flags & VM_READ) || !(vma->vm_flags & VM_WRITE))
		return -EACCES;
	/* one reader: a child has none of it */
	pmc_vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	return vm_map_pages_zero(vma, ring->pages, ring->nr_pages);
}

/* A record that makes sense, of those that user space may have written over. */
static bool pmc_ring_look(const struct pmc_cpu_ring *ring, u32 position, u32 end,
			  struct pmc_record *record)
{
	u32 at = position & ring->mask;
	const struct pmc_record *from = ring->data + at;

	record->type = READ_ONCE(from->type);
	record->size = READ_ONCE(from->size);
	return record->size >= sizeof(*record) && !(record->size % sizeof(u64)) &&
	       record->size <= end - position && record->size <= ring->mask + 1 - at;
}

/* Whole records, as many as have room. What is damaged stays, for the next call to tell. */
static ssize_t pmc_ring_copy(struct pmc_cpu_ring *ring, char __user *to, size_t size)
{
	/* pairs with the smp_store_release() in pmc_ring_commit() */
	u32 end = smp_load_acquire(&ring->visible);
	u32 begin = READ_ONCE(ring->shared->tail), position = begin;
	struct pmc_record record;
	ssize_t done = 0;

	if (end - begin > ring->mask + 1 || begin % sizeof(u64))
		return -EIO;
	for (; position != end; position += record.size) {
		if (!pmc_ring_look(ring, position, end, &record)) {
			done = done ? done : -EIO;
			break;
		}
		if (record.type == PMC_RECORD_PAD)
			continue;
		if (record.size > size - done)
			break;
		if (copy_to_user(to + done, ring->data + (position & ring->mask), record.size)) {
			done = done ? done : -EFAULT;
			break;
		}
		done += record.size;
	}
	if (!done && position != end)
		done = -EINVAL; /* no room for the next one */
	else if (!done && position != begin)
		return -EIO; /* pads alone: a producer shows none without a record behind it */
	/* pairs with the producer's load-acquire: we have done with them */
	smp_store_release(&ring->shared->tail, position);
	return done;
}

/* Nothing in it makes sense any more: begin anew. */
static void pmc_ring_drop(struct pmc_cpu_ring *ring)
{
	/* pairs with the producer's load-acquire */
	smp_store_release(&ring->shared->tail, READ_ONCE(ring->visible));
}

static ssize_t pmc_rings_copy(struct pmc_rings *rings, char __user *to, size_t size)
{
	size_t done = 0;
	ssize_t copied;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!rings->ring[cpu])
			continue;
		cond_resched();
		if (done && signal_pending(current))
			return done;
		copied = pmc_ring_copy(rings->ring[cpu], to + done, size - done);
		if (copied < 0 && done)
			return done;
		if (copied == -EIO)
			pmc_ring_drop(rings->ring[cpu]);
		if (copied < 0)
			return copied;
		done += copied;
	}
	return done;
}

/**
 * pmc_rings_read - read() without mapping
 * @rings:	of a context
 * @to:		the caller's buffer
 * @size:	its bytes
 * @wait:	until there is something
 *
 * Return: bytes of whole records; 0 when nothing is counted and all is read;
 * -EAGAIN, -EINVAL (no room for a record), -EFAULT, -EIO (the ring was written
 * over), -ERESTARTSYS.
 */
ssize_t pmc_rings_read(struct pmc_rings *rings, char __user *to, size_t size, bool wait)
{
	ssize_t done;
	bool idle;

	for (;;) {
		if (mutex_lock_interruptible(&rings->reader))
			return -ERESTARTSYS;
		/* before the look, so that nothing is written between the two */
		idle = pmc_rings_is_idle(rings);
		done = pmc_rings_copy(rings, to, size);
		mutex_unlock(&rings->reader);
		if (done || idle)
			return done;
		if (!wait)
			return -EAGAIN;
		/*
		 * Who writes the tails may have it look as if there were something to be had,
		 * as often as it is looked for: then there is no waiting.
		 */
		if (signal_pending(current))
			return -ERESTARTSYS;
		cond_resched();
		if (wait_event_interruptible(*rings->wait, pmc_rings_is_idle(rings) ||
					     pmc_rings_have(rings, false)))
			return -ERESTARTSYS;
	}
}
