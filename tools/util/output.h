/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables, JSON, CSV and bold type */
#ifndef UTIL_OUTPUT_H
#define UTIL_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <json-c/json.h>

#include "util/error.h"

/* Is the file a terminal that shows bold type, and NO_COLOR not set? */
bool output_supports_bold(FILE *file);

/* Print in bold type, or in plain type where the file has none. */
void output_bold(FILE *file, const char *format, ...) __printf(2, 3);

/* The ending of a noun after a number: "1 sample", "2 samples" */
static inline const char *plural(uint64_t number)
{
	return number == 1 ? "" : "s";
}

/* Append to @text and cut off what its @size bytes cannot hold. */
void text_append(char *text, size_t size, const char *format, ...) __printf(3, 4);

/*
 * Copy a text with '?' for control characters: texts of other users must not control the terminal.
 * The caller frees the copy.
 */
char *text_printable(const char *text);

/* Columns of a terminal that a text takes; a byte that is not UTF-8 takes one. */
size_t text_width(const char *text);

/*
 * Columns of text
 * @right: mask of the columns that are aligned to the right
 * @head: the first row is a heading
 * @fit: on a terminal, cut the last column off at the terminal's width
 */
struct table {
	unsigned int columns;
	uint32_t right;
	bool head;
	bool fit;
	size_t num_cells;
	char **cells;
};

/* Add the next cell, row by row. */
void table_add(struct table *table, const char *format, ...)
	__printf(2, 3);

/* Print and empty the table, each row after @indent spaces. */
void table_print(struct table *table, int indent, FILE *file);

/* A JSON string; bytes that are not UTF-8 become U+FFFD. */
struct json_object *json_text(const char *text);

/* A JSON string "0x..." */
struct json_object *json_hex(uint64_t value);

/* Print @object with a newline, and drop the reference. */
void json_print(struct json_object *object, FILE *file);

/* The same on one line */
void json_print_line(struct json_object *object, FILE *file);

/* Print a field of comma-separated values, quoted where necessary. */
void csv_print(const char *text, FILE *file);

#endif /* UTIL_OUTPUT_H */
