// SPDX-License-Identifier: GPL-2.0-only
/* Load formulas: built-in ones, those of the system and the user, those of --formulas */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpmcevents.h>

#include "util/error.h"
#include "util/formula.h"
#include "util/user-file.h"
#include "util/xalloc.h"

/* Maximum size of a file of formulas, in bytes */
#define FILE_MAX_BYTES	(1 << 20)

static const char builtin[] =
#include "formulas.h"
	;

static int parse(struct formula_set *set, const char *text, const char *source)
{
	char message[512];

	if (formula_parse(set, text, source, message, sizeof(message)))
		return report_error("%s", message);
	return 0;
}

static int parse_file(struct formula_set *set, FILE *file, const char *path)
{
	char *text = xcheck(malloc(FILE_MAX_BYTES + 1));
	size_t len;
	int result;

	errno = 0;
	len = fread(text, 1, FILE_MAX_BYTES + 1, file);
	if (ferror(file))
		result = report_error("cannot read %s: %s", path, strerror(errno));
	else if (len > FILE_MAX_BYTES)
		result = report_error("%s is longer than a megabyte", path);
	else if (memchr(text, '\0', len))
		result = report_error("%s is not a text file: it has a zero byte", path);
	else
		result = 0;
	text[len <= FILE_MAX_BYTES ? len : 0] = '\0';
	if (!result)
		result = parse(set, text, path);
	free(text);
	return result;
}

/* @required: a missing file is an error */
static int load(struct formula_set *set, const char *path, bool required)
{
	FILE *file = fopen(path, "re");
	int result;

	if (!file && !required && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (!file)
		return report_error("cannot read %s: %s", path, strerror(errno));
	result = parse_file(set, file, path);
	fclose(file);
	return result;
}

/* @lenient: after a message about an error, keep the lines before it and return 0 */
static int load_or_skip(struct formula_set *set, const char *path, bool lenient)
{
	int result = load(set, path, false);

	if (!result || !lenient)
		return result;
	report_error("that line and all after it are ignored");
	return 0;
}

static int load_user_file(struct formula_set *set, bool lenient)
{
	char *path = user_file_path("formulas");
	int result = path ? load_or_skip(set, path, lenient) : 0;

	free(path);
	return result;
}

int formula_load_builtin(struct formula_set *set, uint32_t core_type)
{
	struct pmc_query query;

	pmc_event_processor(&query);
	snprintf(set->cpu.vendor, sizeof(set->cpu.vendor), "%s", query.vendor);
	set->cpu.family = query.cpu_family;
	set->cpu.model = query.cpu_model;
	set->cpu.core = query.core_type ? pmc_core_type_name(core_type) : "core";
	return parse(set, builtin, FORMULA_BUILTIN);
}

int formula_load_files(struct formula_set *set, uint32_t core_type, const char *path, bool lenient)
{
	int result = formula_load_builtin(set, core_type);

	if (!result)
		result = load_or_skip(set, "/etc/pmcdrv/formulas", lenient);
	if (!result)
		result = load_user_file(set, lenient);
	if (!result && path)
		result = load(set, path, true);
	return result;
}
