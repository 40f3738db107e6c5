/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the file and the function of an address */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include <stdbool.h>

#include "record/file.h"

/*
 * A function in a file. Each function has one symbol.
 * @file: its path, or "[kernel]", "[MODULE]" for a kernel module, "[vdso]", "[anonymous]",
 *	"[unknown]"
 * @name: as in its source, or "[unknown]"
 */
struct symbol {
	const char *file;
	const char *name;
	bool kernel;
};

struct symbols;

/*
 * @root: folder that is prefixed to the paths of files, or ""
 * @file and @root must exist until the symbols are closed.
 */
struct symbols *symbols_open(const struct record_file *file, const char *root);

/* Does the function have a name? */
bool symbol_is_known(const struct symbol *symbol);

/*
 * Find a kernel function. @address: in the kernel
 * @offset: set to the address' offset in the function; 0 if it is unknown
 */
const struct symbol *symbols_kernel(struct symbols *symbols, uint64_t address, uint64_t *offset);

/* The same in user mode. @map: the mmap record for @address, or NULL */
const struct symbol *symbols_user(struct symbols *symbols, const struct pmc_mmap *map,
				  uint64_t address, uint64_t *offset);

void symbols_close(struct symbols *symbols);

#endif /* SYMBOLS_H */
