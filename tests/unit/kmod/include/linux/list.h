/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists, for the module's code in unit tests */
#ifndef TEST_LINUX_LIST_H
#define TEST_LINUX_LIST_H

#include <stddef.h>

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next;
	struct hlist_node **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

#define INIT_HLIST_NODE(node)		(*(node) = (struct hlist_node){})
#define hlist_unhashed(node)		(!(node)->pprev)
#define INIT_HLIST_HEAD(head)		((head)->first = NULL)
#define hlist_empty(head)		(!(head)->first)

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	node->next = head->first;
	if (node->next)
		node->next->pprev = &node->next;
	head->first = node;
	node->pprev = &head->first;
}

static inline void __hlist_del(struct hlist_node *node)
{
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
}

#define hlist_for_each(pos, head)						\
	for (pos = (head)->first; pos; pos = pos->next)

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

/* Each structure begins with its node. */
#define list_for_each_entry(pos, head, member)					\
	for (pos = (void *)(head)->next; (void *)pos != (void *)(head);		\
	     pos = (void *)(pos)->member.next)

#define hlist_for_each_entry(pos, head, member)					\
	for (pos = (void *)(head)->first; pos; pos = (void *)(pos)->member.next)

#endif /* TEST_LINUX_LIST_H */
