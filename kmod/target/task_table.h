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

/**
 * struct pmc_task_table - a hash table of entries by task
 * @shift:	bits of a hash that the index of a bucket does not have
 * @link:	index in &pmc_task_entry.link of the links that its lists use
 * @bucket:	the lists
 *
 * Constant, but for the lists.
 */
struct pmc_task_table {
	unsigned int shift;
	unsigned int link;
	struct hlist_head bucket[];
};

/**
 * struct pmc_task_entry - an entry for one task; a task may have several
 * @link:	one for the table, and one for that which replaces it when the number of entries
 *		has changed
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
 * hash_ptr() is a multiplication alone. The kernel allocates tasks at regular distances, and puts
 * so many products into the same buckets that lists get up to ten times as long as the average.
 */
static __always_inline unsigned long pmc_task_hash(const struct pmc_task_table *table,
						   const struct task_struct *task)
{
	unsigned long key = (unsigned long)task;

	return (key ^ key >> 15) * GOLDEN_RATIO_PRIME >> table->shift;
}

/* The first entry for @task at or behind @node in its list, or NULL. */
static __always_inline struct pmc_task_entry *
pmc_task_entry_at(const struct pmc_task_table *table, struct hlist_node *node,
		  const struct task_struct *task)
{
	struct pmc_task_entry *entry;

	for (; node; node = rcu_dereference_raw(hlist_next_rcu(node))) {
		entry = container_of(node - table->link, struct pmc_task_entry, link[0]);
		if (entry->task == task)
			return entry;
	}
	return NULL;
}

/*
 * The first entry for @task, and the one behind @entry, which may have been deleted. NULL at the
 * end. The caller is an RCU reader.
 */
static __always_inline struct pmc_task_entry *
pmc_task_entry_first(const struct pmc_task_table *table, const struct task_struct *task)
{
	const struct hlist_head *bucket = &table->bucket[pmc_task_hash(table, task)];

	return pmc_task_entry_at(table, rcu_dereference_raw(hlist_first_rcu(bucket)), task);
}

static __always_inline struct pmc_task_entry *
pmc_task_entry_next(const struct pmc_task_table *table, struct pmc_task_entry *entry,
		    const struct task_struct *task)
{
	struct hlist_node *node = &entry->link[table->link];

	return pmc_task_entry_at(table, rcu_dereference_raw(hlist_next_rcu(node)), task);
}

void pmc_task_table_add(struct pmc_task_entry *entry, const struct task_struct *task);
void pmc_task_table_del(struct pmc_task_entry *entry);
void pmc_task_table_adapt(void);
void pmc_task_table_settle(void);
int pmc_task_table_init(void);
void pmc_task_table_exit(void);

#endif /* PMC_TASK_TABLE_H */
