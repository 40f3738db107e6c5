/* SPDX-License-Identifier: GPL-2.0-only */
/* Which file an address of a process lies in, at a time */
#ifndef ADDRESS_SPACE_H
#define ADDRESS_SPACE_H

#include <libpmcevents.h>

#include "util/pair-map.h"

struct process_maps;

/* All zero is empty. */
struct address_spaces {
	struct pair_map by_pid;
	size_t num;
	struct process_maps **process;
};

/* Note a mapping. Call in the order of time. */
void address_spaces_add(struct address_spaces *spaces, const struct pmc_mmap *map);

/*
 * The mapping that an address of a sample lies in. A mapping that is told because
 * of a sample is told by its thread, before that does anything more: so what this
 * thread told between the sample and its next one is right. Else it is what was told
 * last before the sample, or else first behind it.
 * @until: when the thread was sampled next
 *
 * Return: NULL if nothing was told.
 */
const struct pmc_mmap *address_spaces_find(const struct address_spaces *spaces,
				  const struct pmc_sample *sample, uint64_t until,
				  uint64_t address);

void address_spaces_free(struct address_spaces *spaces);

#endif /* ADDRESS_SPACE_H */
