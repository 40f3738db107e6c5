// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl report: compute the rows of a table from a call tree */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"
#include "report/report.h"

/* @active: the row belongs to a function above; recursion must not count samples twice */
struct counted_row {
	struct report_row row;
	unsigned int active;
};

struct rows {
	unsigned int by;
	struct pair_map by_key;
	size_t num;
	struct counted_row **row;
};

/* Find or add a row. Keys are compared as pointers: equal names share one string. */
static struct counted_row *row_of(struct rows *rows, const char *command,
				  const struct symbol *symbol)
{
	const void *first = rows->by & REPORT_BY_COMMAND ? command : NULL;
	const void *second = rows->by & REPORT_BY_FUNCTION ? (const void *)symbol : symbol->file;
	struct counted_row *row;
	void **place;

	if (!(rows->by & (REPORT_BY_FILE | REPORT_BY_FUNCTION)))
		second = NULL;
	place = pair_map_slot(&rows->by_key, (uintptr_t)first, (uintptr_t)second);
	if (*place)
		return *place;
	row = xcalloc(1, sizeof(*row));
	row->row.command = first;
	if (rows->by & (REPORT_BY_FILE | REPORT_BY_FUNCTION)) {
		row->row.file = symbol->file;
		row->row.kernel = symbol->kernel;
	}
	row->row.function = rows->by & REPORT_BY_FUNCTION ? symbol->name : NULL;
	*place = row;
	rows->row = xgrow(rows->row, rows->num, sizeof(*rows->row));
	rows->row[rows->num++] = row;
	return row;
}

static void add_below(struct rows *rows, const char *command, const struct call_node *node)
{
	const struct call_node *child;

	for (child = node->child; child; child = child->sibling) {
		struct counted_row *row = row_of(rows, command, child->symbol);

		row->row.self += child->self;
		if (!row->active)
			row->row.total += child->total;
		row->active++;
		add_below(rows, command, child);
		row->active--;
	}
}

/* ---- order ---- */

static int compare_texts(const char *a, const char *b)
{
	return !a || !b ? !!a - !!b : strcmp(a, b);
}

static int compare(const void *left, const void *right)
{
	const struct report_row *a = left, *b = right;
	int order;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	order = compare_texts(a->command, b->command);
	if (!order)
		order = compare_texts(a->function, b->function);
	if (!order)
		order = compare_texts(a->file, b->file);
	return order ? order : a->kernel - b->kernel;
}

struct report_row *report_rows(const struct report_event *event, unsigned int by, size_t *num)
{
	struct rows rows = { .by = by };
	const struct call_node *command;
	struct report_row *result;
	size_t i;

	for (command = event->tree.root.child; command; command = command->sibling)
		add_below(&rows, command->command, command);
	result = xcalloc(rows.num, sizeof(*result));
	for (i = 0; i < rows.num; i++) {
		result[i] = rows.row[i]->row;
		free(rows.row[i]);
	}
	*num = rows.num;
	free(rows.row);
	pair_map_free(&rows.by_key);
	if (*num)
		qsort(result, *num, sizeof(*result), compare);
	return result;
}

uint64_t scaled_share(uint64_t part, uint64_t whole, uint32_t scale)
{
	/* the product below must fit in 64 bits: 32-bit targets have no 128-bit integers */
	while (whole >> 40) {
		part >>= 1;
		whole >>= 1;
	}
	return (2 * part * scale + whole) / (2 * whole);
}

void percent_text(uint64_t part, uint64_t whole, char text[PERCENT_SIZE])
{
	unsigned int hundredths;

	if (!whole) {
		snprintf(text, PERCENT_SIZE, "-");
		return;
	}
	hundredths = scaled_share(part, whole, 10000);
	snprintf(text, PERCENT_SIZE, "%u.%02u%%", hundredths / 100, hundredths % 100);
}
