// SPDX-License-Identifier: LGPL-2.1-or-later
/* mapfile.csv: which event files are for which processor */
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "core_type.h"
#include "error.h"
#include "lex.h"
#include "map_file.h"

/* Columns: pattern, version, file, type, and of Intel's perfmon the core type */
enum { PATTERN, VERSION, FILE_NAME, TYPE, CORE_TYPE, COLUMNS };

/*
 * Characters of a pattern. Intervals and references to groups are left out: with them a short
 * pattern can need all memory, or match for hours.
 */
#define PATTERN_LETTERS \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_[]()|:.+*?^$"

/* The C library copies what a + repeats, so each + within another doubles the memory. */
#define PATTERN_PLUSES	4

static int fail_row(const char *name, const struct pmc_map_row *row, const char *problem)
{
	return pmc_fail(EBADMSG, "%s:%u: %s", name, row->line, problem);
}

/* Split a line at commas. Return: the number of columns */
static size_t split(struct pmc_token line, struct pmc_token column[COLUMNS])
{
	const char *comma;
	size_t num = 0;

	while (num < COLUMNS) {
		comma = memchr(line.text, ',', line.len);
		column[num++] = (struct pmc_token){
			line.text, comma ? (size_t)(comma - line.text) : line.len,
		};
		if (!comma)
			break;
		line.len -= comma + 1 - line.text;
		line.text = comma + 1;
	}
	return num;
}

static bool copy_column(const struct pmc_token *column, char *text, size_t size)
{
	if (!column->len || column->len >= size || memchr(column->text, '\0', column->len))
		return false;
	memcpy(text, column->text, column->len);
	text[column->len] = '\0';
	return true;
}

/* Core types in perfmon's table are the high byte of CPUID.1AH:EAX. */
static bool set_core_type(struct pmc_map_row *row, const struct pmc_token *column)
{
	uint64_t number;

	row->core_type = 0;
	if (!column->len)
		return true;
	if (!pmc_token_parse_number(column, 0xff, &number))
		return false;
	row->core_type = number << 24;
	return row->core_type == PMC_CORE_TYPE_CORE || row->core_type == PMC_CORE_TYPE_ATOM;
}

static size_t count_letter(const char *text, char letter)
{
	size_t number = 0;

	for (; *text; text++)
		number += *text == letter;
	return number;
}

static int fill_row(const char *name, struct pmc_map_row *row, const struct pmc_token *column,
		    size_t num)
{
	if (num <= TYPE)
		return fail_row(name, row,
				"needs the columns Family-model,Version,Filename,EventType");
	if (!copy_column(&column[PATTERN], row->pattern, sizeof(row->pattern)) ||
	    strspn(row->pattern, PATTERN_LETTERS) != column[PATTERN].len ||
	    count_letter(row->pattern, '+') > PATTERN_PLUSES)
		return fail_row(name, row, "the pattern of its processors is not permitted");
	if (!copy_column(&column[VERSION], row->version, sizeof(row->version)))
		return fail_row(name, row, "the version is missing or too long");
	if (!copy_column(&column[FILE_NAME], row->path, sizeof(row->path)) ||
	    strstr(row->path, ".."))
		return fail_row(name, row, "the file name is missing, too long or has '..'");
	row->is_core = pmc_token_equals(&column[TYPE], "core") ||
		       pmc_token_equals(&column[TYPE], "hybridcore");
	if (num > CORE_TYPE && row->is_core && !set_core_type(row, &column[CORE_TYPE]))
		return fail_row(name, row, "the core type is neither 0x20 nor 0x40");
	row->layout = strncmp(row->pattern, "GenuineIntel", strlen("GenuineIntel")) ?
		      PMC_LAYOUT_AMD : PMC_LAYOUT_CORE;
	return 1;
}

int pmc_map_row_next(const char *name, const char **text, struct pmc_map_row *row)
{
	struct pmc_token column[COLUMNS], line;
	size_t num;

	while (**text) {
		line = (struct pmc_token){ *text, strcspn(*text, "\n") };
		*text += line.len + ((*text)[line.len] == '\n');
		row->line++;
		if (line.len && line.text[line.len - 1] == '\r')
			line.len--;
		if (!line.len || line.text[0] == '#')
			continue;
		row->core_type = 0;
		num = split(line, column);
		if (row->line == 1 && pmc_token_equals(&column[PATTERN], "Family-model"))
			continue;
		return fill_row(name, row, column, num);
	}
	return 0;
}

void pmc_map_id(const struct pmc_processor *processor, char id[MAP_ID_SIZE])
{
	snprintf(id, MAP_ID_SIZE, "%s-%u-%X-%X", processor->vendor, processor->family,
		 processor->model, processor->stepping);
}

/* Whether the expression matches all of @id */
static bool matches_whole(const regex_t *expression, const char *id)
{
	regmatch_t match;

	return !regexec(expression, id, 1, &match, 0) && !match.rm_so && !id[match.rm_eo];
}

int pmc_map_row_matches(const char *name, const struct pmc_map_row *row, const char *id)
{
	char model[MAP_ID_SIZE];
	regex_t expression;
	bool matches;

	if (regcomp(&expression, row->pattern, REG_EXTENDED))
		return fail_row(name, row, "the pattern of its processors is not a valid regular expression");
	snprintf(model, sizeof(model), "%.*s", (int)(strrchr(id, '-') - id), id);
	matches = matches_whole(&expression, id) || matches_whole(&expression, model);
	regfree(&expression);
	return matches;
}
