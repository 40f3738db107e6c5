/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of the running kernel, as far as they are needed */
#ifndef KERNEL_SYMBOLS_H
#define KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/xalloc.h"

/*
 * Add a KERNEL section's payload (record-file.h) with the functions that @addresses,
 * in ascending order, lie in.
 * @kallsyms: like /proc/kallsyms
 * @modules: like /proc/modules, or NULL
 *
 * Return: false if the addresses are hidden from us, or there are none.
 */
bool kernel_symbols_add(struct byte_buffer *payload, FILE *kallsyms, FILE *modules,
			const uint64_t *addresses, size_t num_addresses);

#endif /* KERNEL_SYMBOLS_H */
