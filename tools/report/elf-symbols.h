/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the names of functions of an ELF file */
#ifndef ELF_SYMBOLS_H
#define ELF_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct elf_symbols;

/* Return: NULL if the file is not ELF or cannot be read. */
struct elf_symbols *elf_symbols_open(const char *path);

/* Return: bytes of the build-id, 0 if there is none */
size_t elf_symbols_build_id(struct elf_symbols *names, const unsigned char **build_id);

/*
 * Find the function at an offset of the file. Return: its name as in its source, to be freed
 * by the caller; or NULL.
 * @distance: set to the bytes from the start of the function to the offset
 */
char *elf_symbols_find(struct elf_symbols *names, uint64_t offset, uint64_t *distance);

void elf_symbols_close(struct elf_symbols *names);

#endif /* ELF_SYMBOLS_H */
