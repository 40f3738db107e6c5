/* SPDX-License-Identifier: GPL-2.0-only */
/* A map from pairs of numbers to pointers */
#ifndef PAIR_MAP_H
#define PAIR_MAP_H

#include <stddef.h>
#include <stdint.h>

struct pair_entry {
	uint64_t first;
	uint64_t second;
	void *value;
};

/* Open addressing. An entry without a value is free. All zero is an empty map. */
struct pair_map {
	struct pair_entry *entry;
	size_t capacity;
	size_t num;
};

/*
 * Find or add the slot for the value of a pair. A new slot has NULL, and the caller must
 * store a value. The slot is valid until the next call.
 */
void **pair_map_slot(struct pair_map *map, uint64_t first, uint64_t second);

/* The value of a pair, or NULL */
void *pair_map_find(const struct pair_map *map, uint64_t first, uint64_t second);

void pair_map_free(struct pair_map *map);

#endif /* PAIR_MAP_H */
