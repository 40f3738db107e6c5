// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the functions of the running kernel from /proc/kallsyms
 *
 * The file has the address of each function. A function ends where the next one begins, or
 * at the end of its module.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "record/file.h"
#include "record/kernel-symbols.h"

/* Maximum size in bytes of the last function of the kernel itself */
#define FUNCTION_MAX	0x100000

/* @module: "" for the kernel itself */
struct symbol {
	uint64_t start;
	char type;
	char *name;
	char *module;
};

/* Address range of a module */
struct module {
	uint64_t start;
	uint64_t end;
};

struct symbols {
	size_t num;
	struct symbol *symbol;
	size_t num_modules;
	struct module *module;
};

/* ---- the kernel's files ---- */

/* "ADDRESS TYPE NAME" or "ADDRESS TYPE NAME\t[MODULE]" */
static void read_symbol(struct symbols *symbols, char *line)
{
	struct symbol symbol = { .module = "" };
	char *at, *bracket;

	symbol.start = strtoull(line, &at, 16);
	if (!symbol.start || at[0] != ' ' || !strchr("tTwW", at[1]) || at[2] != ' ')
		return;
	symbol.type = at[1];
	symbol.name = at + 3;
	symbol.name[strcspn(symbol.name, "\n")] = '\0';
	bracket = strchr(symbol.name, '[');
	if (bracket) {
		symbol.module = bracket + 1;
		symbol.module[strcspn(symbol.module, "]")] = '\0';
		for (; bracket > symbol.name && isspace((unsigned char)bracket[-1]); bracket--)
			;
		*bracket = '\0';
	}
	symbol.name = xstrdup(symbol.name);
	symbol.module = xstrdup(symbol.module);
	symbols->symbol = xgrow(symbols->symbol, symbols->num, sizeof(symbol));
	symbols->symbol[symbols->num++] = symbol;
}

/* "NAME SIZE USES USERS STATE 0xADDRESS ..." */
static void read_module(struct symbols *symbols, char *line)
{
	char *name = strtok(line, " "), *size = strtok(NULL, " "), *address = NULL;
	struct module module;
	int i;

	for (i = 0; name && i < 4; i++)
		address = strtok(NULL, "\n ");
	if (!address)
		return;
	module.start = strtoull(address, NULL, 16);
	module.end = module.start + strtoull(size, NULL, 10);
	if (!module.start)
		return;
	symbols->module = xgrow(symbols->module, symbols->num_modules, sizeof(module));
	symbols->module[symbols->num_modules++] = module;
}

static void read_lines(struct symbols *symbols, FILE *file,
		       void (*read)(struct symbols *symbols, char *line))
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, file) > 0)
		read(symbols, line);
	free(line);
}

/* Order by address; at the same address global names first, then in alphabetical order. */
static int compare(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (!isupper((unsigned char)a->type) != !isupper((unsigned char)b->type))
		return isupper((unsigned char)a->type) ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void sort(struct symbols *symbols)
{
	size_t from, to = 0;

	if (symbols->num)
		qsort(symbols->symbol, symbols->num, sizeof(*symbols->symbol), compare);
	for (from = 0; from < symbols->num; from++) {
		struct symbol *symbol = &symbols->symbol[from];

		if (to && symbols->symbol[to - 1].start == symbol->start) {
			free(symbol->name);
			free(symbol->module);
		} else {
			symbols->symbol[to++] = *symbol;
		}
	}
	symbols->num = to;
}

static void free_symbols(struct symbols *symbols)
{
	size_t i;

	for (i = 0; i < symbols->num; i++) {
		free(symbols->symbol[i].name);
		free(symbols->symbol[i].module);
	}
	free(symbols->symbol);
	free(symbols->module);
}

/* ---- the section ---- */

static uint64_t end_of(const struct symbols *symbols, size_t index)
{
	const struct symbol *symbol = &symbols->symbol[index];
	uint64_t end = symbol->start + FUNCTION_MAX;
	size_t i;

	for (i = 0; i < symbols->num_modules; i++) {
		const struct module *module = &symbols->module[i];

		if (symbol->start >= module->start && symbol->start < module->end)
			end = module->end;
	}
	if (index + 1 < symbols->num && symbols->symbol[index + 1].start < end)
		end = symbols->symbol[index + 1].start;
	return end;
}

static uint32_t add_text(struct byte_buffer *texts, const char *text)
{
	uint32_t at = texts->size;

	byte_buffer_append(texts, text, strlen(text) + 1);
	return at;
}

/* The texts begin with "", the kernel itself; the name of a module precedes its symbols. */
static void select_symbols(const struct symbols *symbols, struct byte_buffer *entries,
			   struct byte_buffer *texts, const uint64_t *addresses,
			   size_t num_addresses)
{
	const char *module = "";
	uint32_t module_at = add_text(texts, module);
	size_t at = 0, i;

	for (i = 0; i < symbols->num && at < num_addresses; i++) {
		const struct symbol *symbol = &symbols->symbol[i];
		struct record_symbol entry = { .start = symbol->start, .end = end_of(symbols, i) };

		while (at < num_addresses && addresses[at] < entry.start)
			at++;
		if (at == num_addresses || addresses[at] >= entry.end)
			continue;
		if (strcmp(module, symbol->module)) {
			module = symbol->module;
			module_at = *module ? add_text(texts, module) : 0;
		}
		entry.module = module_at;
		entry.name = add_text(texts, symbol->name);
		byte_buffer_append(entries, &entry, sizeof(entry));
	}
}

bool kernel_symbols_add(struct byte_buffer *payload, FILE *kallsyms, FILE *modules,
			const uint64_t *addresses, size_t num_addresses)
{
	struct byte_buffer entries = { 0 }, texts = { 0 };
	struct symbols symbols = { 0 };
	struct record_kernel kernel;
	bool found;

	read_lines(&symbols, kallsyms, read_symbol);
	if (modules)
		read_lines(&symbols, modules, read_module);
	sort(&symbols);
	found = symbols.num;
	select_symbols(&symbols, &entries, &texts, addresses, num_addresses);
	kernel.num_symbols = entries.size / sizeof(struct record_symbol);
	kernel.texts_size = texts.size;
	byte_buffer_append(payload, &kernel, sizeof(kernel));
	byte_buffer_append(payload, entries.data, entries.size);
	byte_buffer_append(payload, texts.data, texts.size);
	byte_buffer_free(&entries);
	byte_buffer_free(&texts);
	free_symbols(&symbols);
	return found;
}
