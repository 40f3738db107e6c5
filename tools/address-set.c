// SPDX-License-Identifier: GPL-2.0-only
/* A set of addresses */
#include <stdlib.h>

#include "address-set.h"
#include "memory.h"

#define PLACES_MIN	256

/* Fibonacci hashing: the upper bits of the product are well mixed. */
static size_t first_place(const struct address_set *set, uint64_t address)
{
	return address * 0x9e3779b97f4a7c15ULL >> 20 & (set->places - 1);
}

static void insert(struct address_set *set, uint64_t address)
{
	size_t at = first_place(set, address);

	while (set->place[at] && set->place[at] != address)
		at = (at + 1) & (set->places - 1);
	if (!set->place[at])
		set->num++;
	set->place[at] = address;
}

static void grow(struct address_set *set)
{
	struct address_set old = *set;
	size_t i;

	set->places = old.places ? 2 * old.places : PLACES_MIN;
	set->place = must_calloc(set->places, sizeof(*set->place));
	set->num = 0;
	for (i = 0; i < old.places; i++)
		if (old.place[i])
			insert(set, old.place[i]);
	free(old.place);
}

void address_set_add(struct address_set *set, uint64_t address)
{
	if (!address)
		return;
	if (set->num >= set->places / 2)
		grow(set);
	insert(set, address);
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

uint64_t *address_set_take(struct address_set *set, size_t *num)
{
	uint64_t *members = set->place;
	size_t i;

	*num = 0;
	for (i = 0; i < set->places; i++)
		if (members[i])
			members[(*num)++] = members[i];
	if (*num)
		qsort(members, *num, sizeof(*members), compare);
	*set = (struct address_set){ 0 };
	return members;
}
