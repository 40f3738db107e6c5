/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_LINUX_LIST_H
#define TEST_LINUX_LIST_H

#include <stddef.h>

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

/* Each structure begins with its node. */
#define hlist_for_each_entry(pos, head, member)					\
	for (pos = (void *)(head)->first; pos; pos = (void *)(pos)->member.next)

#endif
