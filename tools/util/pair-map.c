// SPDX-License-Identifier: GPL-2.0-only
/* A map from pairs of numbers to pointers */
#include <stdlib.h>

#include "util/xalloc.h"
#include "util/pair-map.h"

#define CAPACITY_MIN	64

/* Find the slot of a pair, or the free slot for it. */
static struct pair_entry *find(const struct pair_map *map, uint64_t first, uint64_t second)
{
	uint64_t mixed = first * 0x9e3779b97f4a7c15ULL ^ (first >> 32);
	size_t at;

	mixed = (mixed ^ second) * 0xff51afd7ed558ccdULL;
	at = (mixed ^ mixed >> 32) & (map->capacity - 1);
	while (map->entry[at].value &&
	       (map->entry[at].first != first || map->entry[at].second != second))
		at = (at + 1) & (map->capacity - 1);
	return &map->entry[at];
}

static void grow(struct pair_map *map)
{
	struct pair_map old = *map;
	size_t i;

	map->capacity = old.capacity ? 2 * old.capacity : CAPACITY_MIN;
	map->entry = xcalloc(map->capacity, sizeof(*map->entry));
	for (i = 0; i < old.capacity; i++)
		if (old.entry[i].value)
			*find(map, old.entry[i].first, old.entry[i].second) = old.entry[i];
	free(old.entry);
}

void **pair_map_slot(struct pair_map *map, uint64_t first, uint64_t second)
{
	struct pair_entry *entry;

	if (map->num >= map->capacity / 2)
		grow(map);
	entry = find(map, first, second);
	if (!entry->value) {
		entry->first = first;
		entry->second = second;
		map->num++;
	}
	return &entry->value;
}

void *pair_map_find(const struct pair_map *map, uint64_t first, uint64_t second)
{
	return map->capacity ? find(map, first, second)->value : NULL;
}

void pair_map_free(struct pair_map *map)
{
	free(map->entry);
	*map = (struct pair_map){ 0 };
}
