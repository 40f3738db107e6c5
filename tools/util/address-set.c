// SPDX-License-Identifier: GPL-2.0-only
/* A set of addresses */
#include <stdlib.h>

#include "util/address-set.h"
#include "util/xalloc.h"

#define CAPACITY_MIN	256

/* Fibonacci hashing: the upper bits of the product are well distributed. */
static size_t first_slot(const struct address_set *set, uint64_t address)
{
	return address * 0x9e3779b97f4a7c15ULL >> 20 & (set->capacity - 1);
}

static void insert(struct address_set *set, uint64_t address)
{
	size_t at = first_slot(set, address);

	while (set->slot[at] && set->slot[at] != address)
		at = (at + 1) & (set->capacity - 1);
	if (!set->slot[at])
		set->num++;
	set->slot[at] = address;
}

static void grow(struct address_set *set)
{
	struct address_set old = *set;
	size_t i;

	set->capacity = old.capacity ? 2 * old.capacity : CAPACITY_MIN;
	set->slot = xcalloc(set->capacity, sizeof(*set->slot));
	set->num = 0;
	for (i = 0; i < old.capacity; i++)
		if (old.slot[i])
			insert(set, old.slot[i]);
	free(old.slot);
}

void address_set_add(struct address_set *set, uint64_t address)
{
	if (!address)
		return;
	if (set->num >= set->capacity / 2)
		grow(set);
	insert(set, address);
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

uint64_t *address_set_drain(struct address_set *set, size_t *num)
{
	uint64_t *members = set->slot;
	size_t i;

	*num = 0;
	for (i = 0; i < set->capacity; i++)
		if (members[i])
			members[(*num)++] = members[i];
	if (*num)
		qsort(members, *num, sizeof(*members), compare);
	*set = (struct address_set){ 0 };
	return members;
}
