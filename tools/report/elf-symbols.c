// SPDX-License-Identifier: GPL-2.0-only
/* Find the names of functions of an ELF file, with elfutils */
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "report/elf-symbols.h"
#include "util/xalloc.h"

/* Of libstdc++, which declares it for C++ only */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

struct elf_symbols {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	GElf_Addr bias;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct elf_symbols *elf_symbols_open(const char *path)
{
	struct elf_symbols *names = xcalloc(1, sizeof(*names));

	names->dwfl = dwfl_begin(&callbacks);
	if (names->dwfl)
		names->module = dwfl_report_offline(names->dwfl, path, path, -1);
	if (names->module && !dwfl_report_end(names->dwfl, NULL, NULL))
		names->elf = dwfl_module_getelf(names->module, &names->bias);
	if (names->elf)
		return names;
	elf_symbols_close(names);
	return NULL;
}

size_t elf_symbols_build_id(struct elf_symbols *names, const unsigned char **build_id)
{
	GElf_Addr address;
	int size = dwfl_module_build_id(names->module, build_id, &address);

	return size > 0 ? size : 0;
}

/* Get the address at which the program headers load an offset of the file. */
static int address_of(const struct elf_symbols *names, uint64_t offset, GElf_Addr *address)
{
	GElf_Phdr segment;
	size_t num, i;

	if (elf_getphdrnum(names->elf, &num))
		return -1;
	for (i = 0; i < num; i++) {
		if (!gelf_getphdr(names->elf, i, &segment) || segment.p_type != PT_LOAD)
			continue;
		if (offset < segment.p_offset || offset - segment.p_offset >= segment.p_filesz)
			continue;
		*address = offset - segment.p_offset + segment.p_vaddr + names->bias;
		return 0;
	}
	return -1;
}

static char *demangle(const char *name)
{
	char *readable = NULL;
	int status;

	if (name[0] == '_' && name[1] == 'Z')
		readable = __cxa_demangle(name, NULL, NULL, &status);
	return readable ? readable : xstrdup(name);
}

char *elf_symbols_find(struct elf_symbols *names, uint64_t offset, uint64_t *distance)
{
	GElf_Addr address;
	const char *name;
	GElf_Sym symbol;

	if (address_of(names, offset, &address))
		return NULL;
	name = dwfl_module_addrinfo(names->module, address, distance, &symbol, NULL, NULL, NULL);
	if (!name || !*name)
		return NULL;
	return demangle(name);
}

void elf_symbols_close(struct elf_symbols *names)
{
	if (names->dwfl)
		dwfl_end(names->dwfl);
	free(names);
}
