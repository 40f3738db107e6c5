// SPDX-License-Identifier: GPL-2.0-only
/* Find the file and the function of an address */
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libpmcevents.h>

#include "report/elf-symbols.h"
#include "report/symbols.h"
#include "util/error.h"
#include "util/pair-map.h"
#include "util/xalloc.h"

#define UNKNOWN	"[unknown]"

/*
 * A file that addresses lie in
 * @map: one of its mmap records; NULL if it is not a mapped file
 * @names: its ELF symbols; NULL if it has none or cannot be read
 * @symbols: its symbols by name, for tsearch()
 * @unknown: the symbol of addresses without a name
 */
struct object {
	char *path;
	bool kernel;
	const struct pmc_mmap *map;
	struct elf_symbols *names;
	void *symbols;
	struct symbol *unknown;
};

/* The function of an address in a program, with the address' offset in it */
struct location {
	const struct symbol *symbol;
	uint64_t offset;
	struct location *next;
};

/*
 * @by_address: locations by object and address
 * @by_start: symbols of the kernel by the address of the function
 * @locations: all of them
 * @last: the object of the last lookup
 */
struct symbols {
	const struct record_file *file;
	const char *root;
	struct pair_map by_address;
	struct pair_map by_start;
	struct location *locations;
	size_t num;
	struct object **object;
	struct object *last;
	struct object *unknown;
};

/* ---- objects ---- */

static int compare_symbols(const void *left, const void *right)
{
	return strcmp(((const struct symbol *)left)->name, ((const struct symbol *)right)->name);
}

/* Find or add a symbol. @name: freed here or with the object */
static struct symbol *intern(struct object *object, char *name)
{
	struct symbol *symbol = xcalloc(1, sizeof(*symbol));
	struct symbol **found;

	*symbol = (struct symbol){ .file = object->path, .name = name, .kernel = object->kernel };
	found = xcheck(tsearch(symbol, &object->symbols, compare_symbols));
	if (*found != symbol) {
		free(name);
		free(symbol);
	}
	return *found;
}

/* @path: freed with the object */
static struct object *add_object(struct symbols *symbols, char *path, bool kernel)
{
	struct object *object = xcalloc(1, sizeof(*object));

	object->path = path;
	object->kernel = kernel;
	object->unknown = intern(object, xstrdup(UNKNOWN));
	symbols->object = xgrow(symbols->object, symbols->num, sizeof(*symbols->object));
	symbols->object[symbols->num++] = object;
	return object;
}

/* ---- files of user mode ---- */

static const struct record_mapped *find_mapped(const struct record_file *file,
					       const struct pmc_mmap *map)
{
	const struct record_mapped *mapped;
	size_t i;

	for (i = 0; i < file->num_sections; i++) {
		mapped = file->section[i].payload;
		if (file->section[i].type == RECORD_FILE && mapped->inode == map->inode &&
		    mapped->device_major == map->device_major &&
		    mapped->device_minor == map->device_minor &&
		    !strcmp(record_mapped_path(mapped), map->path))
			return mapped;
	}
	return NULL;
}

/* Is the file the one that was sampled? Without a build-id in both, assume so. */
static bool is_sampled(struct elf_symbols *names, const struct record_mapped *mapped)
{
	const unsigned char *build_id;
	size_t size = elf_symbols_build_id(names, &build_id);

	if (!mapped || !mapped->build_id_size)
		return true;
	return size == mapped->build_id_size && !memcmp(build_id, record_build_id(mapped), size);
}

static struct elf_symbols *load_vdso(const struct record_checked_section *vdso)
{
	int fd = vdso ? memfd_create("vdso", MFD_CLOEXEC) : -1;
	struct elf_symbols *names = NULL;
	char path[32];

	if (fd < 0)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, vdso->payload, vdso->size) == (ssize_t)vdso->size)
		names = elf_symbols_open(path);
	close(fd);
	return names;
}

/* Opening a device or a pipe could block or have side effects. */
static bool is_regular(const char *path)
{
	struct stat about;

	return !stat(path, &about) && S_ISREG(about.st_mode);
}

static struct elf_symbols *load_file(struct symbols *symbols, const struct pmc_mmap *map)
{
	char *path = xasprintf("%s%s", symbols->root, map->path);
	struct elf_symbols *names = is_regular(path) ? elf_symbols_open(path) : NULL;

	if (names && !is_sampled(names, find_mapped(symbols->file, map))) {
		report_error("%s has changed since it was sampled: its functions have no names",
			     path);
		elf_symbols_close(names);
		names = NULL;
	}
	free(path);
	return names;
}

static bool is_object_of(const struct object *object, const struct pmc_mmap *map)
{
	return object->map && object->map->inode == map->inode &&
	       object->map->device_major == map->device_major &&
	       object->map->device_minor == map->device_minor &&
	       !strcmp(object->map->path, map->path);
}

static struct object *object_of(struct symbols *symbols, const struct pmc_mmap *map)
{
	struct object *object = symbols->last;
	size_t i;

	if (object && is_object_of(object, map))
		return object;
	for (i = 0; i < symbols->num; i++)
		if (is_object_of(symbols->object[i], map))
			return symbols->last = symbols->object[i];
	object = add_object(symbols, xstrdup(map->path), false);
	object->map = map;
	if (map->path[0] == '/')
		object->names = load_file(symbols, map);
	else if (!strcmp(map->path, "[vdso]"))
		object->names = load_vdso(symbols->file->vdso);
	symbols->last = object;
	return object;
}

static struct location *locate(struct symbols *symbols, struct object *object, uint64_t offset)
{
	struct location *location = xcalloc(1, sizeof(*location));
	char *name = elf_symbols_find(object->names, offset, &location->offset);

	location->symbol = name ? intern(object, name) : object->unknown;
	location->next = symbols->locations;
	symbols->locations = location;
	return location;
}

bool symbol_is_known(const struct symbol *symbol)
{
	return strcmp(symbol->name, UNKNOWN);
}

const struct symbol *symbols_user(struct symbols *symbols, const struct pmc_mmap *map,
				  uint64_t address, uint64_t *offset)
{
	uint64_t file_offset = map ? address - map->start + map->offset : 0;
	struct object *object = map ? object_of(symbols, map) : symbols->unknown;
	const struct location *location;
	void **place;

	*offset = 0;
	if (!object->names)
		return object->unknown;
	place = pair_map_slot(&symbols->by_address, (uintptr_t)object, file_offset);
	if (!*place)
		*place = locate(symbols, object, file_offset);
	location = *place;
	*offset = location->offset;
	return location->symbol;
}

/* ---- the kernel ---- */

static const struct record_symbol *find_kernel(const struct record_kernel *kernel,
					       uint64_t address)
{
	const struct record_symbol *symbol = record_symbols(kernel);
	size_t low = 0, high = kernel->num_symbols, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (address >= symbol[middle].end)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == kernel->num_symbols || address < symbol[low].start)
		return NULL;
	return &symbol[low];
}

static struct object *kernel_object(struct symbols *symbols, const char *module)
{
	char *path = xasprintf("[%s]", *module ? module : "kernel");
	size_t i;

	for (i = 0; i < symbols->num; i++)
		if (symbols->object[i]->kernel && !strcmp(symbols->object[i]->path, path)) {
			free(path);
			return symbols->object[i];
		}
	return add_object(symbols, path, true);
}

const struct symbol *symbols_kernel(struct symbols *symbols, uint64_t address, uint64_t *offset)
{
	const struct record_kernel *kernel = symbols->file->kernel;
	const struct record_symbol *found = kernel ? find_kernel(kernel, address) : NULL;
	struct object *object;
	void **place;

	*offset = found ? address - found->start : 0;
	place = pair_map_slot(&symbols->by_start, found ? found->start : 0, 0);
	if (*place)
		return *place;
	object = kernel_object(symbols, found ? record_kernel_text(kernel, found->module) : "");
	*place = object->unknown;
	if (found)
		*place = intern(object, xstrdup(record_kernel_text(kernel, found->name)));
	return *place;
}

/* ---- lookups ---- */

struct symbols *symbols_open(const struct record_file *file, const char *root)
{
	struct symbols *symbols = xcalloc(1, sizeof(*symbols));

	symbols->file = file;
	symbols->root = root;
	symbols->unknown = add_object(symbols, xstrdup(UNKNOWN), false);
	return symbols;
}

static void free_symbol(void *symbol)
{
	free((char *)((struct symbol *)symbol)->name);
	free(symbol);
}

static void free_locations(struct location *location)
{
	struct location *next;

	for (; location; location = next) {
		next = location->next;
		free(location);
	}
}

void symbols_close(struct symbols *symbols)
{
	struct object *object;

	if (!symbols)
		return;
	while (symbols->num) {
		object = symbols->object[--symbols->num];
		if (object->names)
			elf_symbols_close(object->names);
		tdestroy(object->symbols, free_symbol);
		free(object->path);
		free(object);
	}
	free(symbols->object);
	free_locations(symbols->locations);
	pair_map_free(&symbols->by_address);
	pair_map_free(&symbols->by_start);
	free(symbols);
}
