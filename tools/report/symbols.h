/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of addresses */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stdbool.h>

#include "record/file.h"

/*
 * A function in a file. The same function is always the same symbol.
 * @file: its path; "[kernel]", "[MODULE]" of the kernel, "[vdso]", "[anonymous]",
 *	"[unknown]"
 * @name: as its source calls it; "[unknown]"
 */
struct symbol {
	const char *file;
	const char *name;
	bool kernel;
};

struct symbols;

/*
 * @root: look for files below this folder; "" for where they were
 * Both must stay as long as the symbols are used.
 */
struct symbols *symbols_open(const struct record_file *file, const char *root);

/* @address: in the kernel */
const struct symbol *symbols_kernel(struct symbols *symbols, uint64_t address);

/* @map: what @address lies in, or NULL */
const struct symbol *symbols_user(struct symbols *symbols, const struct pmc_mmap *map,
				  uint64_t address);

void symbols_close(struct symbols *symbols);

#endif /* SYMBOLS_H */
