/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of the running kernel that contain sampled addresses */
#ifndef KERNEL_SYMBOLS_H
#define KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/xalloc.h"

/*
 * Append the payload of a KERNEL section (record/file.h) with the functions that contain
 * @addresses, which are in ascending order.
 * @kallsyms: in the format of /proc/kallsyms
 * @modules: in the format of /proc/modules, or NULL
 *
 * Return: false if the kernel hides its addresses from the caller, or there are no addresses.
 */
bool kernel_symbols_add(struct byte_buffer *payload, FILE *kallsyms, FILE *modules,
			const uint64_t *addresses, size_t num_addresses);

#endif /* KERNEL_SYMBOLS_H */
