// SPDX-License-Identifier: GPL-2.0-only
/* Find the file that a process has mapped at an address, at a given time */
#include <stdlib.h>
#include <string.h>

#include "report/address-space.h"
#include "util/xalloc.h"

/*
 * An mmap record
 * @since: time of the last sample of its thread before it
 */
struct mapping {
	struct pmc_mmap *map;
	uint64_t since;
};

/*
 * The mappings of a process, in the order of time
 * @latest: greatest time of an mmap record
 */
struct process_maps {
	size_t num;
	uint64_t latest;
	struct mapping *mapping;
};

static struct process_maps *process_of(struct address_spaces *spaces, int32_t pid)
{
	void **place = pair_map_slot(&spaces->by_pid, pid, 0);

	if (!*place) {
		*place = xcalloc(1, sizeof(struct process_maps));
		spaces->process = xgrow(spaces->process, spaces->num,
					sizeof(*spaces->process));
		spaces->process[spaces->num++] = *place;
	}
	return *place;
}

static bool is_same(const struct pmc_mmap *a, const struct pmc_mmap *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->inode == b->inode && a->device_major == b->device_major &&
	       a->device_minor == b->device_minor && !strcmp(a->path, b->path);
}

static bool overlap(const struct pmc_mmap *a, const struct pmc_mmap *b)
{
	return a->start < b->end && b->start < a->end;
}

/* Does the record differ from the last one at its address? The driver repeats mmap records. */
static bool is_changed_mapping(const struct process_maps *process, const struct pmc_mmap *map)
{
	size_t i;

	for (i = process->num; i > 0; i--)
		if (overlap(process->mapping[i - 1].map, map))
			return !is_same(process->mapping[i - 1].map, map);
	return true;
}

void address_spaces_add(struct address_spaces *spaces, const struct pmc_mmap *map)
{
	struct process_maps *process = process_of(spaces, map->pid);
	struct pmc_mmap *copy;

	if (!is_changed_mapping(process, map))
		return;
	copy = xcalloc(1, map->record.size);
	memcpy(copy, map, map->record.size);
	process->mapping = xgrow(process->mapping, process->num, sizeof(*process->mapping));
	process->mapping[process->num++] = (struct mapping){ .map = copy };
	if (map->tsc > process->latest)
		process->latest = map->tsc;
}

void address_spaces_add_sample(struct address_spaces *spaces, const struct pmc_sample *sample)
{
	const struct process_maps *process = pair_map_find(&spaces->by_pid, sample->pid, 0);
	struct mapping *mapping;
	size_t i;

	/* Most samples come after all mmap records of their process. */
	if (!process || sample->tsc > process->latest)
		return;
	for (i = 0; i < process->num; i++) {
		mapping = &process->mapping[i];
		if (mapping->map->tid == sample->tid && mapping->map->tsc >= sample->tsc &&
		    mapping->since < sample->tsc)
			mapping->since = sample->tsc;
	}
}

const struct pmc_mmap *address_spaces_find(const struct address_spaces *spaces,
					   const struct pmc_sample *sample, uint64_t address)
{
	const struct process_maps *process = pair_map_find(&spaces->by_pid, sample->pid, 0);
	const struct pmc_mmap *map, *before = NULL, *later = NULL;
	size_t i;

	for (i = 0; process && i < process->num; i++) {
		map = process->mapping[i].map;
		if (address < map->start || address >= map->end)
			continue;
		if (map->tsc <= sample->tsc)
			before = map;
		else if (map->tid == sample->tid && process->mapping[i].since == sample->tsc)
			return map;
		else if (!later)
			later = map;
	}
	return before ? before : later;
}

static void free_process(struct process_maps *process)
{
	while (process->num)
		free(process->mapping[--process->num].map);
	free(process->mapping);
	free(process);
}

void address_spaces_free(struct address_spaces *spaces)
{
	while (spaces->num)
		free_process(spaces->process[--spaces->num]);
	free(spaces->process);
	pair_map_free(&spaces->by_pid);
}
