/* SPDX-License-Identifier: GPL-2.0-only */
/* A set of addresses */
#ifndef ADDRESS_SET_H
#define ADDRESS_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Open addressing. 0 marks a free slot and cannot be a member. All zero is an empty set. */
struct address_set {
	uint64_t *slot;
	size_t capacity;
	size_t num;
};

void address_set_add(struct address_set *set, uint64_t address);

/* Remove all members. Return: an array of them in ascending order, to be freed by the caller. */
uint64_t *address_set_drain(struct address_set *set, size_t *num);

#endif /* ADDRESS_SET_H */
