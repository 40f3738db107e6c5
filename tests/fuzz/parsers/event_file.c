// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzing target: event files. The first byte of the input chooses what the rest is: a file of
 * events, for Intel or AMD, or mapfile.csv.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "core_type.h"
#include "json_read.h"
#include "json_table.h"
#include "libpmcdrv.h"
#include "map_file.h"

static void check(bool good)
{
	if (!good)
		abort();
}

static void check_failure(const char *name)
{
	check(errno == EBADMSG && !strncmp(pmc_error(), name, strlen(name)));
}

/* Each event is found by its name, beside those of other core types only. */
static void check_table(const struct pmc_json_table *table)
{
	const struct pmc_json_event *event, *first;
	size_t i, num;

	for (i = 0; i < table->num; i++) {
		event = &table->event[i];
		num = pmc_json_table_find(table, event->name, &first);
		check(num >= 1 && num <= 3);
		check(event >= first && event < first + num);
		check(event->text && event->source && (!event->fixed_only || event->fixed >= 0));
	}
}

static void try_events(const char *text, size_t len, enum pmc_layout layout, uint32_t core_type)
{
	struct pmc_json_table *table = calloc(1, sizeof(*table));
	const char *source = pmc_json_table_add_source(table, "file, v1");

	if (pmc_json_read(table, "folder/file", source, text, len, layout, core_type))
		check_failure("folder/file");
	check(!pmc_json_table_sort(table));
	check_table(table);
	pmc_json_table_free(table);
}

static void try_map(const char *text)
{
	static const char *const ids[] = { "GenuineIntel-6-55-4", "AuthenticAMD-25-21-0" };
	struct pmc_map_row row = { .line = 0 };
	int result;
	size_t i;

	while ((result = pmc_map_row_next("map", &text, &row))) {
		check(row.line);
		if (result < 0) {
			check_failure("map:");
			continue;
		}
		check(!strstr(row.path, "..") && row.path[0] && row.version[0]);
		for (i = 0; i < ARRAY_SIZE(ids); i++)
			if (pmc_map_row_matches("map", &row, ids[i]) < 0)
				check_failure("map:");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (data[0] == 'm')
		try_map(text);
	else if (data[0] == 'a')
		try_events(text, size - 1, PMC_LAYOUT_AMD, 0);
	else
		try_events(text, size - 1, PMC_LAYOUT_CORE,
			   data[0] == 'h' ? PMC_CORE_TYPE_ATOM : 0);
	free(text);
	return 0;
}
