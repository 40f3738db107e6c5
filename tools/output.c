// SPDX-License-Identifier: GPL-2.0-only
/* Tables for people, JSON for programs */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "pmcctl.h"

static void *must(void *memory)
{
	if (memory)
		return memory;
	complain("out of memory");
	exit(EXIT_TROUBLE);
}

/* ---- tables ---- */

void table_add(struct table *table, const char *format, ...)
{
	size_t bytes = (table->num_cells + 1) * sizeof(*table->cells);
	va_list args;
	char *cell;
	int len;

	va_start(args, format);
	len = vasprintf(&cell, format, args);
	va_end(args);
	table->cells = must(realloc(table->cells, bytes));
	table->cells[table->num_cells++] = must(len < 0 ? NULL : cell);
}

static size_t column_width(const struct table *table, unsigned int column)
{
	size_t width = 0, i, len;

	for (i = column; i < table->num_cells; i += table->columns) {
		len = strlen(table->cells[i]);
		width = len > width ? len : width;
	}
	return width;
}

static void print_cell(const struct table *table, size_t index, FILE *file)
{
	unsigned int column = index % table->columns;
	int width = column_width(table, column);

	if (table->right >> column & 1)
		fprintf(file, "%*s", width, table->cells[index]);
	else if (column == table->columns - 1)
		fputs(table->cells[index], file);
	else
		fprintf(file, "%-*s", width, table->cells[index]);
}

void table_print(struct table *table, int indent, FILE *file)
{
	size_t i;

	for (i = 0; i < table->num_cells; i++) {
		fprintf(file, "%*s", i % table->columns ? 2 : indent, "");
		print_cell(table, i, file);
		if ((i + 1) % table->columns == 0)
			fputc('\n', file);
	}
	for (i = 0; i < table->num_cells; i++)
		free(table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->num_cells = 0;
}

/* ---- JSON ---- */

/* Bytes of the UTF-8 character at @text, 0 if there is none */
static size_t utf8_len(const unsigned char *text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t code;
	size_t len, i;

	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	len = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	code = text[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return len;
}

struct json_object *json_text(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *good = must(malloc(strlen(text) * strlen(replacement) + 1));
	struct json_object *object;
	size_t len, used = 0;

	while (*text) {
		len = utf8_len((const unsigned char *)text);
		if (len) {
			memcpy(good + used, text, len);
			used += len;
			text += len;
		} else {
			memcpy(good + used, replacement, strlen(replacement));
			used += strlen(replacement);
			text++;
		}
	}
	object = json_object_new_string_len(good, used);
	free(good);
	return object;
}

struct json_object *json_hex(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	return json_object_new_string(text);
}

void json_print(struct json_object *object, FILE *file)
{
	const int flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
			  JSON_C_TO_STRING_NOSLASHESCAPE;

	fprintf(file, "%s\n", (const char *)
		must((void *)json_object_to_json_string_ext(object, flags)));
	json_object_put(object);
}

/* ---- files ---- */

FILE *output_open(const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		complain("cannot write to %s: %s", path, strerror(errno));
	return file;
}

int output_close(FILE *file, const char *path)
{
	bool failed = fflush(file) || ferror(file);

	if (file != stdout && file != stderr)
		failed |= fclose(file) != 0;
	if (failed)
		return complain("cannot write to %s: %s", path, strerror(errno));
	return 0;
}
