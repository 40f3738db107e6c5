/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists that RCU readers or an NMI read, for the module's code in unit tests */
#ifndef TEST_LINUX_RCULIST_H
#define TEST_LINUX_RCULIST_H

#include <linux/list.h>

#define hlist_add_head_rcu(node, head)	hlist_add_head(node, head)
#define hlist_first_rcu(head)		((head)->first)
#define hlist_next_rcu(node)		((node)->next)

/* A reader that is at the node goes on to the next one. */
static inline void hlist_del_rcu(struct hlist_node *node)
{
	__hlist_del(node);
	node->pprev = NULL;
}

static inline void list_add_rcu(struct list_head *node, struct list_head *head)
{
	node->next = head->next;
	node->prev = head;
	head->next->prev = node;
	head->next = node;
}

static inline void list_del_rcu(struct list_head *node)
{
	node->next->prev = node->prev;
	node->prev->next = node->next;
}

#endif /* TEST_LINUX_RCULIST_H */
