/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hash table of followed tasks
 */
#ifndef PMC_TASK_TABLE_H
#define PMC_TASK_TABLE_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct task_struct;

/* Maximum number of bits of a bucket's index */
#define PMC_TASK_BITS_MAX	20

/**
 * struct pmc_task_table - a hash table of entries by task
 * @mask:	number of buckets, less one
 * @offset:	of the links that its lists use, in &struct pmc_task_entry
 * @bucket:	the lists
 *
 * Constant, but for the lists.
 */
struct pmc_task_table {
	unsigned long mask;
	unsigned long offset;
	struct hlist_head bucket[];
};

/**
 * struct pmc_task_entry - an entry for one task; a task may have several
 * @link:	one for the current table, one for its successor while the table is replaced
 * @task:	the task; constant while the entry is in the table
 * @newest:	the table that it was added to last
 */
struct pmc_task_entry {
	struct hlist_node link[2];
	const struct task_struct *task;
	const struct pmc_task_table *newest;
};

extern struct pmc_task_table __rcu *pmc_task_table;

/* The current table. The caller is an RCU reader, perhaps because interrupts are off. */
static __always_inline const struct pmc_task_table *pmc_task_table_get(void)
{
	return rcu_dereference_check(pmc_task_table, rcu_read_lock_any_held());
}

/*
 * hash_ptr() only multiplies. Tasks are allocated at regular strides, so many products share a
 * bucket: lists grow to ten times the average. The shift and XOR avoid this.
 */
static __always_inline unsigned long pmc_task_bucket(const struct pmc_task_table *table,
						     const struct task_struct *task)
{
	unsigned long key = (unsigned long)task;

	key = (key ^ key >> 15) * GOLDEN_RATIO_PRIME;
	return key >> (BITS_PER_LONG - PMC_TASK_BITS_MAX) & table->mask;
}

/*
 * The first node of the bucket that holds the entries of @task (and of others), and the node after
 * @node; the entry of @node may have been deleted. NULL at the end. The caller is an RCU reader.
 */
static __always_inline struct hlist_node *pmc_task_first(const struct pmc_task_table *table,
							 const struct task_struct *task)
{
	return rcu_dereference_raw(hlist_first_rcu(&table->bucket[pmc_task_bucket(table, task)]));
}

static __always_inline struct hlist_node *pmc_task_next(struct hlist_node *node)
{
	return rcu_dereference_raw(hlist_next_rcu(node));
}

/* The entry of a node */
static __always_inline struct pmc_task_entry *
pmc_task_entry(const struct pmc_task_table *table, struct hlist_node *node)
{
	return (struct pmc_task_entry *)((char *)node - table->offset);
}

void pmc_task_table_add(struct pmc_task_entry *entry, const struct task_struct *task);
void pmc_task_table_del(struct pmc_task_entry *entry);
void pmc_task_table_adapt(void);
void pmc_task_table_settle(void);
int pmc_task_table_init(void);
void pmc_task_table_exit(void);

#endif /* PMC_TASK_TABLE_H */
