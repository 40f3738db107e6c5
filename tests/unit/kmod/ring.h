/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings of three CPUs, and what ring.c calls: each call is logged
 */
#ifndef TEST_RING_H
#define TEST_RING_H

#include "allocations.h"
#include "sampling.h"

#include <linux/err.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/topology.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "base/notify.h"
#include "sampling/ring.h"
#include "sampling/throttle.h"

#define CPUS		3
#define SIZE		4096U
#define WATERMARK	1000U
#define READABLE	(EPOLLIN | EPOLLRDNORM)

unsigned long preempt_count;
static struct task_struct task;
struct task_struct *current = &task;
static struct pid_namespace ns;
static wait_queue_head_t queue;
unsigned long vmalloc_total;

static struct pmc_rings *rings;
/* Pages that exist; the page after @pages_left fails, if it is not negative */
static unsigned int pages, mapped;
static unsigned int rescheduled;
static int pages_left, charging;
static bool vmap_fails, hardirq, killed;
/* Calls of signal_pending() until there is one; -1: none */
static int signal_after;
static int locking;
static unsigned long charged;
static unsigned long copy_fails_at;
static char buffer[3 * SIZE];

struct page *alloc_pages_node(int node, unsigned int flags, unsigned int order)
{
	assert_in_range(node, 10, 12);
	assert_int_equal(node, allocation_node);
	assert_int_equal(GFP_KERNEL_ACCOUNT | __GFP_ZERO, flags);
	assert_int_equal(0, order);
	if (!pages_left)
		return NULL;
	pages_left--;
	pages++;
	return malloc(1);
}

void put_page(struct page *page)
{
	pages--;
	free(page);
}

void *vmap(struct page **of, unsigned int nr, unsigned long flags, unsigned long protection)
{
	assert_non_null(of[nr - 1]);
	assert_int_equal(VM_MAP, flags);
	assert_int_equal(PAGE_KERNEL, protection);
	if (vmap_fails)
		return NULL;
	mapped++;
	return calloc(nr, PAGE_SIZE);
}

void vunmap(const void *address)
{
	mapped--;
	free((void *)address);
}

int vm_map_pages_zero(struct vm_area_struct *vma, struct page **of, unsigned long nr)
{
	call("map %d %lu", of == rings->ring[2]->pages ? 2 : -1, nr);
	return vmap_fails ? -ENOMEM : 0;
}

bool signal_pending(struct task_struct *of)
{
	assert_ptr_equal(current, of);
	return signal_after >= 0 && !signal_after--;
}

bool fatal_signal_pending(struct task_struct *of)
{
	assert_ptr_equal(current, of);
	return killed;
}

void cond_resched(void)
{
	rescheduled++;
}

int mutex_lock_interruptible(struct mutex *mutex)
{
	assert_true(mutex->initialised);
	assert_int_equal(0, mutex->held);
	if (locking)
		return locking;
	mutex->held = 1;
	return 0;
}

bool pmc_in_hardirq(void)
{
	return hardirq;
}

struct pid_namespace *task_active_pid_ns(struct task_struct *of)
{
	assert_ptr_equal(current, of);
	return &ns;
}

int pmc_ring_charge(struct pmc_ring_charge *charge, unsigned long of)
{
	if (charging)
		return charging;
	charge->pages = of;
	charged += of;
	return 0;
}

void pmc_ring_uncharge(struct pmc_ring_charge *charge)
{
	charged -= charge->pages;
}

void pmc_throttle_charge_local(u64 since)
{
	call("charge %llu", since);
}

void wake_up(wait_queue_head_t *of)
{
	assert_ptr_equal(&queue, of);
	call("wake");
}

void wake_up_poll(wait_queue_head_t *of, unsigned int events)
{
	assert_ptr_equal(&queue, of);
	assert_int_equal(READABLE, events);
	call("wake poll");
}

bool irq_work_queue(struct irq_work *work)
{
	int cpu;

	if (work == &rings->idle_work)
		call("idle");
	for (cpu = 0; cpu < CPUS; cpu++)
		if (rings->ring[cpu] && work == &rings->ring[cpu]->work)
			call("work %d", cpu);
	return true;
}

void irq_work_sync(struct irq_work *work)
{
	int cpu;

	if (work == &rings->idle_work)
		call("sync%s", rings->ended ? " ended" : "");
	for (cpu = 0; cpu < CPUS; cpu++)
		if (rings->ring[cpu] && work == &rings->ring[cpu]->work)
			call("sync %d", cpu);
}

void pmc_notify_watermark(const struct pmc_identity *identity, u32 cpu)
{
	assert_ptr_equal(&task, identity);
	call("notify %u", cpu);
}

unsigned long copy_to_user(void *to, const void *from, unsigned long size)
{
	assert_in_range((char *)to - buffer, 0, sizeof(buffer) - size);
	if ((unsigned long)((char *)to - buffer) == copy_fails_at)
		return size;
	memcpy(to, from, size);
	return 0;
}

/* Rings of a page for CPUs 0 to 2 or for one of them */
static inline struct pmc_rings *create(int cpu)
{
	struct pmc_rings *created = pmc_rings_create(SIZE, WATERMARK, cpu, &queue);

	if (!IS_ERR(created))
		created->identity = (void *)&task;
	return created;
}

static int begin(void **state)
{
	reset_cpu();
	cpus_possible.bits = (1U << CPUS) - 1;
	pages_left = -1;
	charging = 0;
	vmap_fails = false;
	hardirq = false;
	killed = false;
	signal_after = -1;
	locking = 0;
	copy_fails_at = ~0UL;
	vmalloc_total = 1UL << 30;
	allocations_left = -1;
	rescheduled = 0;
	memset(buffer, 0, sizeof(buffer));
	rings = create(-1);
	assert_false(IS_ERR(rings));
	return 0;
}

static int end(void **state)
{
	pmc_rings_put(rings);
	assert_int_equal(0, pages);
	assert_int_equal(0, mapped);
	assert_int_equal(0, charged);
	assert_int_equal(0, ns.id);
	return 0;
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, end)

#endif /* TEST_RING_H */
