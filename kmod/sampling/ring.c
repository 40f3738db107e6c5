// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sample rings: records for user space, one ring for each CPU of a context
 *
 * Owns struct pmc_rings and struct pmc_cpu_ring. A ring has one producer, its CPU, which may be
 * in NMI context, and one reader: a program that has mapped it, or read(). They share no lock.
 * The producer keeps private copies of everything except the tail. It uses the tail only to
 * compute the free space, so a program that writes into its mapping damages only its own
 * samples.
 *
 * pmc_rings.reader serialises read() calls: task context, a leaf lock except for page faults.
 * The other functions take no lock. kmod/models/ring.pml models the ordering.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
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

/* There are records to read: for poll() and each wake-up */
#define PMC_RING_READABLE	(EPOLLIN | EPOLLRDNORM)

static void pmc_ring_wake(struct irq_work *work)
{
	struct pmc_cpu_ring *ring = container_of(work, struct pmc_cpu_ring, work);
	u64 now = rdtsc();

	wake_up_poll(ring->rings->wait, PMC_RING_READABLE);
	/* with PREEMPT_RT this runs in a thread, which may be preempted: the time is not ours */
	if (pmc_in_hardirq())
		pmc_throttle_charge_local(now);
}

static void pmc_rings_wake_idle(struct irq_work *work)
{
	struct pmc_rings *rings = container_of(work, struct pmc_rings, idle_work);

	/* no key: io_uring would report its events without asking pmc_rings_poll() */
	wake_up(rings->wait);
}

static atomic_long_t pmc_rings_mapped; /* pages of all rings */

/*
 * The vmalloc address space of a 32-bit kernel is so small that the rings of one user could
 * exhaust it, and then no module could be loaded. All rings together get a quarter of it.
 */
static bool pmc_rings_reserve_vmalloc(unsigned long pages)
{
	long mapped = atomic_long_read(&pmc_rings_mapped);

	do {
		if (!IS_ENABLED(CONFIG_64BIT) &&
		    mapped + pages > (VMALLOC_TOTAL >> PAGE_SHIFT) / 4)
			return false;
	} while (!atomic_long_try_cmpxchg(&pmc_rings_mapped, &mapped, mapped + pages));
	return true;
}

/* Including the guard page after each mapping */
static unsigned long pmc_ring_vmalloc_pages(const struct pmc_cpu_ring *ring)
{
	return ring->nr_pages + 1;
}

static void *pmc_ring_vmap(const struct pmc_cpu_ring *ring)
{
	void *address;

	if (!pmc_rings_reserve_vmalloc(pmc_ring_vmalloc_pages(ring)))
		return NULL;
	address = vmap(ring->pages, ring->nr_pages, VM_MAP, PAGE_KERNEL);
	if (!address)
		atomic_long_sub(pmc_ring_vmalloc_pages(ring), &pmc_rings_mapped);
	return address;
}

static void pmc_ring_free(struct pmc_cpu_ring *ring)
{
	unsigned int i;

	if (ring->shared) {
		vunmap(ring->shared);
		atomic_long_sub(pmc_ring_vmalloc_pages(ring), &pmc_rings_mapped);
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
		cond_resched();
		if (fatal_signal_pending(current))
			goto free;
		ring->pages[i] = alloc_pages_node(node, PMC_GFP_MAPPED | __GFP_ZERO, 0);
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
	pmc_ring_uncharge(&rings->charge);
	put_pid_ns(rings->ns);
	mutex_destroy(&rings->reader);
	kvfree(rings);
}

/**
 * pmc_rings_create - allocate rings for the CPUs that a context may count on
 * @size:	bytes of records in each ring: a power of two, at least a page
 * @watermark:	bytes of unread records at which readers are woken
 * @cpu:	number of the only CPU, or -1 for all possible CPUs
 * @wait:	wait queue of the readers; outlives the rings
 *
 * Task context; may sleep. A caller that is killed meanwhile gets -ENOMEM. Release with
 * pmc_rings_close() and pmc_rings_put().
 *
 * Return: the rings; -ENOMEM, or an error of pmc_ring_charge().
 */
struct pmc_rings *pmc_rings_create(u32 size, u32 watermark, int cpu, wait_queue_head_t *wait)
{
	unsigned long pages = 1 + (size >> PAGE_SHIFT);
	struct pmc_rings *rings;
	int i, err;

	rings = kvzalloc(struct_size(rings, ring, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!rings)
		return ERR_PTR(-ENOMEM);
	refcount_set(&rings->refs, 1);
	rings->size = size;
	rings->wait = wait;
	rings->idle = true;
	init_irq_work(&rings->idle_work, pmc_rings_wake_idle);
	rings->ns = get_pid_ns(task_active_pid_ns(current));
	mutex_init(&rings->reader);
	err = pmc_ring_charge(&rings->charge, pages * (cpu < 0 ? num_possible_cpus() : 1));
	for_each_possible_cpu(i) {
		if (err)
			break;
		if (cpu >= 0 && i != cpu)
			continue;
		rings->ring[i] = pmc_ring_create(rings, watermark, i);
		if (!rings->ring[i])
			err = -ENOMEM;
	}
	if (err) {
		pmc_rings_free(rings);
		return ERR_PTR(err);
	}
	return rings;
}

/**
 * pmc_rings_put - drop a reference; the last one frees the rings
 * @rings:	rings of a context; task context
 */
void pmc_rings_put(struct pmc_rings *rings)
{
	if (refcount_dec_and_test(&rings->refs))
		pmc_rings_free(rings);
}

/**
 * pmc_rings_close - mark the rings as ended and wake all readers
 * @rings:	rings of a context that is released and has no producer; task context
 *
 * Mmap requests that are still queued find no sampler, and write nothing.
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
	wake_up(rings->wait);
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
 * pmc_rings_reset - reset what pmc_rings_overflows() returns to 0
 * @rings:	rings of a context; the caller holds the file's lock
 */
void pmc_rings_reset(struct pmc_rings *rings)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (rings->ring[cpu])
			/* after the loads of the sum; pairs with pmc_rings_overflows() */
			atomic64_set_release(&rings->ring[cpu]->reset_base,
					     pmc_ring_overflows(rings->ring[cpu]));
	}
}

/**
 * pmc_rings_overflows - number of overflows since the last reset
 * @rings:	rings of a context
 * @cpu:	number of one CPU, or -1 for the sum over all
 *
 * Any context.
 */
u64 pmc_rings_overflows(const struct pmc_rings *rings, int cpu)
{
	u64 sum = 0, base;
	int i;

	for_each_possible_cpu(i) {
		const struct pmc_cpu_ring *ring = rings->ring[i];

		if (!ring || (cpu >= 0 && cpu != i))
			continue;
		/*
		 * Before the overflows: these only grow, so the difference is not negative
		 * if a reset comes in between. Pairs with pmc_rings_reset().
		 */
		base = atomic64_read_acquire(&ring->reset_base);
		sum += pmc_ring_overflows(ring) - base;
	}
	return sum;
}

/**
 * pmc_rings_throttled_now - number of throttled counters, summed over the CPUs
 * @rings:	rings of a context
 *
 * Any context.
 */
u32 pmc_rings_throttled_now(const struct pmc_rings *rings)
{
	u32 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (rings->ring[cpu])
			sum += local_read(&rings->ring[cpu]->throttled_now);
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
 * pmc_rings_statistics - sum the statistics of all rings
 * @rings:	rings of a context
 * @answer:	zeroed by the caller; the sums are added. @spurious is not the rings'
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

/* End position of a record of @size bytes at @position; records do not wrap around. */
static u32 pmc_ring_end(const struct pmc_cpu_ring *ring, u32 position, u32 size)
{
	u32 left = ring->mask + 1 - (position & ring->mask);

	return position + (left < size ? left : 0) + size;
}

/* The address of the next record, which is known to fit; padding is written before it. */
static void *pmc_ring_slot(struct pmc_cpu_ring *ring, u32 size)
{
	u32 offset = ring->written & ring->mask;
	u32 left = ring->mask + 1 - offset;

	if (left < size) {
		struct pmc_record *pad = ring->data + offset;

		pad->type = PMC_RECORD_PAD;
		pad->size = left;
		ring->written += left;
		offset = 0;
	}
	return ring->data + offset;
}

static void pmc_ring_write_lost(struct pmc_cpu_ring *ring)
{
	struct pmc_lost *record = pmc_ring_slot(ring, sizeof(*record));

	record->record.type = PMC_RECORD_LOST;
	record->record.size = sizeof(*record);
	record->overflows = ring->unreported;
	ring->unreported = 0;
	ring->written += sizeof(*record);
}

static u32 pmc_ring_used(const struct pmc_cpu_ring *ring, u32 position)
{
	/* pairs with the reader's release of the tail, after its last load of the records */
	return position - smp_load_acquire(&ring->shared->tail);
}

/**
 * pmc_ring_reserve_slow - pmc_ring_reserve() where padding or PMC_RECORD_LOST comes first
 * @ring:	ring; the caller is its producer
 * @size:	upper bound of the record's bytes, a multiple of 8
 *
 * Return: address to write the record to, or NULL if the ring is full.
 */
void *pmc_ring_reserve_slow(struct pmc_cpu_ring *ring, u32 size)
{
	u32 end = ring->written;

	if (ring->unreported)
		end = pmc_ring_end(ring, end, sizeof(struct pmc_lost));
	end = pmc_ring_end(ring, end, size) + PMC_RING_RESERVE;
	if (pmc_ring_used(ring, end) > ring->mask + 1)
		return NULL;
	if (ring->unreported)
		pmc_ring_write_lost(ring);
	return pmc_ring_slot(ring, size);
}

/**
 * pmc_ring_wake_readers - wake readers: the watermark is reached, or the ring is full
 * @ring:	ring; the caller is its producer
 */
void pmc_ring_wake_readers(struct pmc_cpu_ring *ring)
{
	local64_inc(&ring->wakeups);
	irq_work_queue(&ring->work);
	pmc_notify_watermark(ring->rings->identity, ring->cpu);
}

/**
 * pmc_ring_drop - count a sample record that did not fit
 * @ring:	ring; the caller is its producer
 * @overflows:	number of overflows that the record would have represented
 */
void pmc_ring_drop(struct pmc_cpu_ring *ring, u64 overflows)
{
	bool first = !ring->unreported;

	WRITE_ONCE(ring->unreported, ring->unreported + overflows);
	WRITE_ONCE(ring->shared->lost, local64_add_return(overflows, &ring->lost));
	if (!first)
		return;
	smp_mb(); /* @unreported before the tail: pairs with pmc_rings_have_data() */
	/* wake for a full ring: unread bytes may never reach the watermark */
	if (pmc_ring_used(ring, ring->visible) < ring->watermark)
		pmc_ring_wake_readers(ring);
}

/**
 * pmc_ring_drop_mmap - count an mmap record that did not fit or could not be requested
 * @ring:	ring; the caller is its producer
 */
void pmc_ring_drop_mmap(struct pmc_cpu_ring *ring)
{
	local64_inc(&ring->mmaps_lost);
}

/**
 * pmc_ring_throttle - count overflows of a throttled counter
 * @ring:	ring; the caller is its producer
 * @overflows:	number of overflows without a sample
 */
void pmc_ring_throttle(struct pmc_cpu_ring *ring, u64 overflows)
{
	local64_add(overflows, &ring->throttled);
}

/*
 * Write an outstanding PMC_RECORD_LOST now, because no sample may follow. The caller excludes
 * the producer. PMC_RING_RESERVE keeps room for the record, unless an earlier PMC_RECORD_LOST
 * has used that room and is still unread.
 */
static void pmc_ring_report_lost(struct pmc_cpu_ring *ring)
{
	u32 end = pmc_ring_end(ring, ring->written, sizeof(struct pmc_lost));

	if (!ring->unreported || pmc_ring_used(ring, end) > ring->mask + 1)
		return;
	pmc_ring_write_lost(ring);
	pmc_ring_commit(ring, 0);
}

/**
 * pmc_rings_set_idle - a context starts or stops counting
 * @rings:	rings of the context
 * @idle:	the context is not counting
 * @ended:	the context will not count again
 *
 * Any context but NMI. There is no producer: all runs have stopped, or none has started. The
 * caller serialises calls for the same context.
 */
void pmc_rings_set_idle(struct pmc_rings *rings, bool idle, bool ended)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (rings->ring[cpu])
			pmc_ring_report_lost(rings->ring[cpu]);
	}
	WRITE_ONCE(rings->ended, ended);
	/*
	 * After all records: a reader that finds the context idle reads every record that was
	 * written. Pairs with the smp_load_acquire() in pmc_rings_is_idle().
	 */
	smp_store_release(&rings->idle, idle);
	if (idle)
		irq_work_queue(&rings->idle_work);
}

/* Bytes of unread records */
static u32 pmc_ring_unread(const struct pmc_cpu_ring *ring)
{
	/* pairs with the smp_store_release() in pmc_ring_commit() */
	return smp_load_acquire(&ring->visible) - READ_ONCE(ring->shared->tail);
}

/* Should a reader wake up? A full ring wakes it below the watermark, too. */
static bool pmc_ring_ready(const struct pmc_cpu_ring *ring, bool any)
{
	u32 unread = pmc_ring_unread(ring);

	return unread >= ring->watermark || (unread && (any || READ_ONCE(ring->unreported)));
}

static bool pmc_rings_have_data(const struct pmc_rings *rings, bool any)
{
	int cpu;

	/*
	 * The tail, which user space has stored, before the loads of @visible and @unreported:
	 * pairs with pmc_ring_commit() and pmc_ring_drop().
	 */
	smp_mb();
	for_each_possible_cpu(cpu) {
		const struct pmc_cpu_ring *ring = rings->ring[cpu];

		if (ring && pmc_ring_ready(ring, any))
			return true;
	}
	return false;
}

/**
 * pmc_rings_poll - poll() of a context with rings
 * @rings:	rings of the context; the caller has already joined the file's wait queue
 *
 * Return: mask of EPOLLIN, EPOLLRDNORM, EPOLLHUP.
 */
__poll_t pmc_rings_poll(struct pmc_rings *rings)
{
	bool idle = pmc_rings_is_idle(rings);
	__poll_t events = 0;

	if (pmc_rings_have_data(rings, idle))
		events |= PMC_RING_READABLE;
	if (READ_ONCE(rings->ended))
		events |= EPOLLHUP;
	return events;
}

/* The ring with its mapping at page offset @pgoff (PMC_RING_OFFSET()), or NULL */
static struct pmc_cpu_ring *pmc_rings_find(const struct pmc_rings *rings, unsigned long pgoff)
{
	unsigned long stride = 1 + (rings->size >> PAGE_SHIFT);
	unsigned long cpu;

	if (!pgoff || (pgoff - 1) % stride)
		return NULL;
	cpu = (pgoff - 1) / stride;
	return cpu < nr_cpu_ids ? rings->ring[array_index_nospec(cpu, nr_cpu_ids)] : NULL;
}

/* A mapping can be split, and inherited after madvise(MADV_DOFORK). */
static void pmc_ring_vma_open(struct vm_area_struct *vma)
{
	struct pmc_rings *rings = vma->vm_private_data;

	refcount_inc(&rings->refs);
}

static void pmc_ring_vma_close(struct vm_area_struct *vma)
{
	pmc_rings_put(vma->vm_private_data);
}

/* The pages are charged as long as they are mapped: the mapping holds the rings. */
static const struct vm_operations_struct pmc_ring_vm_operations = {
	.open = pmc_ring_vma_open,
	.close = pmc_ring_vma_close,
};

/**
 * pmc_rings_mmap - map one CPU's ring to user space
 * @rings:	rings of a context
 * @vma:	the new mapping; its offset selects the CPU
 *
 * Return: 0; -EINVAL, -EACCES, -ENOMEM as documented for PMC_RING_OFFSET().
 */
int pmc_rings_mmap(struct pmc_rings *rings, struct vm_area_struct *vma)
{
	struct pmc_cpu_ring *ring = pmc_rings_find(rings, vma->vm_pgoff);
	int err;

	if (!ring || !(vma->vm_flags & VM_SHARED) || vma_pages(vma) != ring->nr_pages)
		return -EINVAL;
	if (!(vma->vm_flags & VM_READ) || !(vma->vm_flags & VM_WRITE))
		return -EACCES;
	/* a ring has one reader: a child does not inherit the mapping */
	pmc_vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	err = vm_map_pages_zero(vma, ring->pages, ring->nr_pages);
	if (err)
		return err;
	refcount_inc(&rings->refs);
	vma->vm_private_data = rings;
	vma->vm_ops = &pmc_ring_vm_operations;
	return 0;
}

/* Copy and validate a record's header: user space may have overwritten it. */
static bool pmc_ring_peek(const struct pmc_cpu_ring *ring, u32 position, u32 end,
			  struct pmc_record *record)
{
	u32 offset = position & ring->mask;
	const struct pmc_record *from = ring->data + offset;

	record->type = READ_ONCE(from->type);
	record->size = READ_ONCE(from->size);
	return record->size >= sizeof(*record) && !(record->size % sizeof(u64)) &&
	       record->size <= end - position && record->size <= ring->mask + 1 - offset;
}

/* Copy as many whole records as fit. A damaged record stays: the next call returns -EIO. */
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
		if (!pmc_ring_peek(ring, position, end, &record)) {
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
		done = -EINVAL; /* no room for the next record */
	else if (!done && position != begin)
		return -EIO; /* only padding: the producer always commits a record after it */
	/* after the last load of the records: pairs with the producer's load-acquire */
	smp_store_release(&ring->shared->tail, position);
	return done;
}

/* Discard all unread records, after the program has overwritten them. */
static void pmc_ring_discard(struct pmc_cpu_ring *ring)
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
			pmc_ring_discard(rings->ring[cpu]);
		if (copied < 0)
			return copied;
		done += copied;
	}
	return done;
}

/**
 * pmc_rings_read - read() of a context with rings
 * @rings:	rings of the context
 * @to:		the caller's buffer
 * @size:	bytes of the buffer
 * @wait:	wait for records (no O_NONBLOCK)
 *
 * Return: bytes of whole records; 0 when the context is idle and all records are read;
 * -EAGAIN, -EINVAL (no room for a record), -EFAULT, -EIO (the ring was overwritten),
 * -ERESTARTSYS.
 */
ssize_t pmc_rings_read(struct pmc_rings *rings, char __user *to, size_t size, bool wait)
{
	ssize_t done;
	bool idle;

	for (;;) {
		if (mutex_lock_interruptible(&rings->reader))
			return -ERESTARTSYS;
		/* before the copy, so that no record is written in between */
		idle = pmc_rings_is_idle(rings);
		done = pmc_rings_copy(rings, to, size);
		mutex_unlock(&rings->reader);
		if (done || idle)
			return done;
		if (!wait)
			return -EAGAIN;
		/*
		 * A program that keeps writing the tails can make wait_event return at once
		 * every time: stay killable, and let other tasks run.
		 */
		if (signal_pending(current))
			return -ERESTARTSYS;
		cond_resched();
		if (wait_event_interruptible(*rings->wait, pmc_rings_is_idle(rings) ||
					     pmc_rings_have_data(rings, false)))
			return -ERESTARTSYS;
	}
}
