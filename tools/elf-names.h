/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of the functions of an ELF file */
#ifndef ELF_NAMES_H
#define ELF_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct elf_names;

/* Return: NULL if it is no ELF file, or cannot be read. */
struct elf_names *elf_names_open(const char *path);

/* Return: bytes of the build-id, 0 if there is none */
size_t elf_names_build_id(struct elf_names *names, const unsigned char **build_id);

/*
 * The function at a place of the file. Return: its name as its source calls it, or
 * NULL; give it to free().
 */
char *elf_names_find(struct elf_names *names, uint64_t offset);

void elf_names_close(struct elf_names *names);

#endif /* ELF_NAMES_H */
