// SPDX-License-Identifier: GPL-2.0-only
/* Load formulas: built-in ones, those of the system and the user, those of --formulas */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/formula.h"

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
	char *text = malloc(FILE_MAX_BYTES + 1);
	size_t len;
	int result;

	if (!text)
		return report_error("out of memory for %s", path);
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
static int load_user_file(struct formula_set *set, bool lenient)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char *path;
	int result;

	if (config && config[0] == '/')
		result = asprintf(&path, "%s/pmcdrv/formulas", config);
	else if (home && home[0])
		result = asprintf(&path, "%s/.config/pmcdrv/formulas", home);
	else
		return 0;
	if (result < 0)
		return report_error("out of memory");
	result = load(set, path, false);
	free(path);
	if (!result || !lenient)
		return result;
	report_error("that line and all after it are ignored");
	return 0;
}

int formula_load_files(struct formula_set *set, const char *path, bool lenient)
{
	int result = parse(set, builtin, "built-in formulas");

	if (!result)
		result = load(set, "/etc/pmcdrv/formulas", false);
	if (!result)
		result = load_user_file(set, lenient);
	if (!result && path)
		result = load(set, path, true);
	return result;
}
