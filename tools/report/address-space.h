/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the file that a process has mapped at an address, at a given time */
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

/* Add a copy of an mmap record. Call in the order of time. */
void address_spaces_add(struct address_spaces *spaces, const struct pmc_mmap *map);

/* Note the time of a sample. Call after all mmap records are added. */
void address_spaces_add_sample(struct address_spaces *spaces, const struct pmc_sample *sample);

/*
 * Find the mmap record for an address of a sample. The sampled thread itself writes the mmap
 * record for a sample before it returns to user mode, so a record of that thread between the
 * sample and its next sample comes first; then the last record before the sample; then the
 * first one after it. Call after all samples are added.
 *
 * Return: NULL without a record for the address.
 */
const struct pmc_mmap *address_spaces_find(const struct address_spaces *spaces,
					   const struct pmc_sample *sample, uint64_t address);

void address_spaces_free(struct address_spaces *spaces);

#endif /* ADDRESS_SPACE_H */
