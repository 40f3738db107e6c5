// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hash table of followed tasks: it grows and shrinks with the number of entries
 *
 * Every context switch looks the next task up. Most tasks have no entry, and the table has four
 * to 64 buckets for each entry (within its limits): most lookups end at an empty bucket.
 *
 * Owns the table. Lookups use RCU. Additions and deletions take pmc_task_table_lock with
 * interrupts off; they come from probes, so they neither allocate nor sleep.
 *
 * A worker replaces the table. Each entry has two links. While the next table is filled, lookups
 * use the current one alone, and additions and deletions change both. Then the next one becomes
 * the current one, and the links of the old one are unused after a grace period. So a lookup
 * searches one list at any time, and interrupts are off for one bucket at a time.
 *
 * A lookup that found the old table misses what is added after the replacement. It began before
 * the addition, so it may miss that anyway: see the barriers in pmc_thread_follow().
 */
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "target/task_table.h"

/* The least; 32 KiB on 64-bit kernels. PMC_TASK_BITS_MAX is 8 MiB. */
#define PMC_TASK_BITS_MIN	12

static DEFINE_RAW_SPINLOCK(pmc_task_table_lock); /* the tables, and all below */
struct pmc_task_table __rcu *pmc_task_table;
static struct pmc_task_table *pmc_task_table_next; /* NULL: the table is not being replaced */
static unsigned int pmc_task_bits = PMC_TASK_BITS_MIN; /* of the current table */
static unsigned int pmc_task_entries;

static struct pmc_task_table *pmc_task_table_locked(void)
{
	return rcu_dereference_protected(pmc_task_table, lockdep_is_held(&pmc_task_table_lock));
}

static struct hlist_node *pmc_task_link(const struct pmc_task_table *table,
					struct pmc_task_entry *entry)
{
	return (struct hlist_node *)((char *)entry + table->offset);
}

static void pmc_task_table_insert(struct pmc_task_table *table, struct pmc_task_entry *entry)
{
	hlist_add_head_rcu(pmc_task_link(table, entry),
			   &table->bucket[pmc_task_bucket(table, entry->task)]);
	entry->newest = table;
}

/**
 * pmc_task_table_add - add an entry for a task
 * @entry:	not in the table
 * @task:	the task; its address is not reused while @entry is in the table
 *
 * Interrupts are off. Lookups that begin when this has returned find the entry.
 */
void pmc_task_table_add(struct pmc_task_entry *entry, const struct task_struct *task)
{
	raw_spin_lock(&pmc_task_table_lock);
	entry->task = task;
	pmc_task_table_insert(pmc_task_table_locked(), entry);
	if (pmc_task_table_next)
		pmc_task_table_insert(pmc_task_table_next, entry);
	WRITE_ONCE(pmc_task_entries, pmc_task_entries + 1);
	raw_spin_unlock(&pmc_task_table_lock);
}

/**
 * pmc_task_table_del - delete an entry
 * @entry:	in the table; freed after a grace period at the earliest
 *
 * Interrupts are off.
 */
void pmc_task_table_del(struct pmc_task_entry *entry)
{
	raw_spin_lock(&pmc_task_table_lock);
	hlist_del_rcu(pmc_task_link(pmc_task_table_locked(), entry));
	if (pmc_task_table_next && entry->newest == pmc_task_table_next)
		hlist_del_rcu(pmc_task_link(pmc_task_table_next, entry));
	WRITE_ONCE(pmc_task_entries, pmc_task_entries - 1);
	raw_spin_unlock(&pmc_task_table_lock);
}

/*
 * The bits that a table of @bits should have. The number of entries has to change much until the
 * result changes again: each replacement costs time for each entry.
 */
static unsigned int pmc_task_bits_for(unsigned int bits, unsigned int entries)
{
	if (entries <= BIT(bits) / 4 && entries >= BIT(bits) / 64)
		return bits;
	return clamp(order_base_2(entries) + 3, PMC_TASK_BITS_MIN, PMC_TASK_BITS_MAX);
}

/* Add the entries of one bucket of the current table to the next one. */
static void pmc_task_table_copy_bucket(struct pmc_task_table *table, struct hlist_head *bucket,
				       struct pmc_task_table *next)
{
	struct pmc_task_entry *entry;
	struct hlist_node *node;

	raw_spin_lock_irq(&pmc_task_table_lock);
	hlist_for_each(node, bucket) {
		entry = pmc_task_entry(table, node);
		if (entry->newest != next)
			pmc_task_table_insert(next, entry);
	}
	raw_spin_unlock_irq(&pmc_task_table_lock);
}

static struct pmc_task_table *pmc_task_table_alloc(unsigned int bits, unsigned int link, gfp_t gfp)
{
	struct pmc_task_table *table = kvzalloc(struct_size(table, bucket, BIT(bits)), gfp);

	if (!table)
		return NULL;
	table->mask = BIT(bits) - 1;
	table->offset = offsetof(struct pmc_task_entry, link[link]);
	return table;
}

/* Replace the table by one of @bits. In the worker, the only writer of these variables. */
static int pmc_task_table_replace(unsigned int bits)
{
	struct pmc_task_table *table = rcu_dereference_protected(pmc_task_table, true), *next;
	unsigned long i;

	next = pmc_task_table_alloc(bits, table->offset == offsetof(struct pmc_task_entry, link[0]),
				    GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!next)
		return -ENOMEM;
	raw_spin_lock_irq(&pmc_task_table_lock);
	pmc_task_table_next = next;
	raw_spin_unlock_irq(&pmc_task_table_lock);
	for (i = 0; i <= table->mask; i++) {
		pmc_task_table_copy_bucket(table, &table->bucket[i], next);
		cond_resched();
	}
	raw_spin_lock_irq(&pmc_task_table_lock);
	rcu_assign_pointer(pmc_task_table, next);
	pmc_task_table_next = NULL;
	WRITE_ONCE(pmc_task_bits, bits);
	raw_spin_unlock_irq(&pmc_task_table_lock);

	/* lookups that use the links of the old table */
	synchronize_rcu();
	kvfree(table);
	return 0;
}

/* Without memory for another table the current one stays: lookups take longer. */
static void pmc_task_table_work(struct work_struct *unused)
{
	unsigned int bits;

	do {
		bits = pmc_task_bits_for(pmc_task_bits, READ_ONCE(pmc_task_entries));
	} while (bits != pmc_task_bits && !pmc_task_table_replace(bits));
}

static DECLARE_WORK(pmc_task_table_worker, pmc_task_table_work);

/**
 * pmc_task_table_adapt - entries were added or deleted: adapt the table to their number
 *
 * Wakes a worker, so the caller holds no lock that a context switch takes. Any context but NMI.
 */
void pmc_task_table_adapt(void)
{
	unsigned int bits = READ_ONCE(pmc_task_bits);

	if (unlikely(bits != pmc_task_bits_for(bits, READ_ONCE(pmc_task_entries))))
		queue_work(pmc_unbound_wq, &pmc_task_table_worker);
}

/**
 * pmc_task_table_settle - wait until the table is adapted; task context
 */
void pmc_task_table_settle(void)
{
	flush_work(&pmc_task_table_worker);
}

/**
 * pmc_task_table_init - allocate the table; at load
 *
 * Return: 0, -ENOMEM.
 */
int pmc_task_table_init(void)
{
	struct pmc_task_table *table = pmc_task_table_alloc(PMC_TASK_BITS_MIN, 0, GFP_KERNEL);

	if (!table)
		return -ENOMEM;
	RCU_INIT_POINTER(pmc_task_table, table);
	return 0;
}

/**
 * pmc_task_table_exit - undo pmc_task_table_init(); nothing is looked up or added any more
 */
void pmc_task_table_exit(void)
{
	cancel_work_sync(&pmc_task_table_worker);
	kvfree(rcu_dereference_protected(pmc_task_table, true));
}
