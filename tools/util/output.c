// SPDX-License-Identifier: GPL-2.0-only
/* Print tables, JSON, CSV and bold type */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/output.h"
#include "util/xalloc.h"

/* ---- terminals ---- */

bool output_supports_bold(FILE *file)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(file)) && !(no_color && no_color[0]) &&
	       term && term[0] && strcmp(term, "dumb");
}

void output_bold(FILE *file, const char *format, ...)
{
	bool fancy = output_supports_bold(file);
	va_list args;

	if (fancy)
		fputs("\033[1m", file);
	va_start(args, format);
	vfprintf(file, format, args);
	va_end(args);
	if (fancy)
		fputs("\033[0m", file);
}

/* Columns of the terminal; INT_MAX if the file is not a terminal */
static int terminal_width(FILE *file)
{
	struct winsize size;

	if (!isatty(fileno(file)) || ioctl(fileno(file), TIOCGWINSZ, &size) || !size.ws_col)
		return INT_MAX;
	return size.ws_col;
}

/* ---- texts ---- */

void text_append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

char *text_printable(const char *text)
{
	char *copy = xstrdup(text), *c;

	for (c = copy; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	return copy;
}

/* Length of the UTF-8 character at @text in bytes, 0 if it is not valid UTF-8 */
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

size_t text_width(const char *text)
{
	size_t width = 0, len;

	for (; *text; text += len ? len : 1) {
		len = utf8_len((const unsigned char *)text);
		width++;
	}
	return width;
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
	table->cells = xcheck(realloc(table->cells, bytes));
	table->cells[table->num_cells++] = xcheck(len < 0 ? NULL : cell);
}

static int column_width(const struct table *table, unsigned int column)
{
	size_t width = 0, i, len;

	for (i = column; i < table->num_cells; i += table->columns) {
		len = text_width(table->cells[i]);
		width = len > width ? len : width;
	}
	return width;
}

/* Number of cells of a row without empty ones at its end */
static unsigned int row_end(const struct table *table, size_t first)
{
	unsigned int end = table->columns;

	while (end && !table->cells[first + end - 1][0])
		end--;
	return end;
}

/* Print a cell. The last one of a row is not padded. @left: columns that are left for it */
static void print_cell(const struct table *table, size_t index, bool last, int width, int left,
		       FILE *file)
{
	const char *text = table->cells[index];
	int padding = width - (int)text_width(text);

	if (table->right >> (index % table->columns) & 1)
		fprintf(file, "%*s%s", padding, "", text);
	else if (last && table->fit)
		fprintf(file, "%.*s", left > 0 ? left : 0, text);
	else if (last)
		fputs(text, file);
	else
		fprintf(file, "%s%*s", text, padding, "");
}

static void print_row(const struct table *table, size_t first, const int *widths, int indent,
		      FILE *file)
{
	bool bold = table->head && !first && output_supports_bold(file);
	unsigned int end = row_end(table, first), i;
	int used = indent;

	fprintf(file, "%*s%s", indent, "", bold ? "\033[1m" : "");
	for (i = 0; i < end; i++) {
		if (i)
			used += fprintf(file, "  ");
		print_cell(table, first + i, i == end - 1, widths[i],
			   terminal_width(file) - used, file);
		used += widths[i];
	}
	fputs(bold ? "\033[0m\n" : "\n", file);
}

void table_print(struct table *table, int indent, FILE *file)
{
	int *widths = xcheck(calloc(table->columns, sizeof(*widths)));
	unsigned int column;
	size_t i;

	for (column = 0; column < table->columns; column++)
		widths[column] = column_width(table, column);
	for (i = 0; i < table->num_cells; i += table->columns)
		print_row(table, i, widths, indent, file);
	for (i = 0; i < table->num_cells; i++)
		free(table->cells[i]);
	free(widths);
	free(table->cells);
	table->cells = NULL;
	table->num_cells = 0;
}

/* ---- JSON ---- */

struct json_object *json_text(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *good = xcheck(malloc(strlen(text) * strlen(replacement) + 1));
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

static void print_json(struct json_object *object, FILE *file, int flags)
{
	flags |= JSON_C_TO_STRING_NOSLASHESCAPE;
	fprintf(file, "%s\n", (const char *)
		xcheck((void *)json_object_to_json_string_ext(object, flags)));
	json_object_put(object);
}

void json_print(struct json_object *object, FILE *file)
{
	print_json(object, file, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
}

void json_print_line(struct json_object *object, FILE *file)
{
	print_json(object, file, JSON_C_TO_STRING_PLAIN);
}

/* ---- CSV ---- */

void csv_print(const char *text, FILE *file)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}
