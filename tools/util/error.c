// SPDX-License-Identifier: GPL-2.0-only
/* Messages on stderr, and options with a number */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/events/edit_distance.h"
#include "util/error.h"

/* The subcommand that messages begin with, or NULL */
static const char *subcommand;

void error_set_subcommand(const char *name)
{
	subcommand = name;
}

static void print_error(const char *format, va_list args)
{
	fprintf(stderr, "pmcctl%s%s: ", subcommand ? " " : "", subcommand ? subcommand : "");
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

int report_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_error(format, args);
	va_end(args);
	return EXIT_TROUBLE;
}

int report_usage_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_error(format, args);
	va_end(args);
	fprintf(stderr, "Try 'pmcctl %s%s--help'.\n", subcommand ? subcommand : "",
		subcommand ? " " : "");
	return EXIT_TROUBLE;
}

/* The long option most like @name, or NULL */
static const char *suggest_option(const char *name, const struct option *options)
{
	unsigned int distance, best = EDIT_DISTANCE_NONE;
	const char *nearest = NULL;

	for (; options->name; options++) {
		distance = pmc_edit_distance(name, options->name);
		if (distance < best) {
			best = distance;
			nearest = options->name;
		}
	}
	return nearest;
}

/* Is it --NAME=VALUE of the option that getopt refused, which takes no value? */
static bool has_refused_value(const char *given, const struct option *options)
{
	size_t len = strcspn(given, "=");

	for (; options->name; options++)
		if (options->val == optopt && len > 2 && given[len] &&
		    !strncmp(options->name, given + 2, len - 2))
			return true;
	return false;
}

int report_option_error(int refused, char *const *argv, const struct option *options)
{
	const char *given = argv[optind - 1], *nearest = NULL;
	char name[64] = "";

	if (refused == ':')
		return report_usage_error("option '%s' needs a value", given);
	/* of letters in one argument, which getopt has not passed yet */
	if (optopt && !has_refused_value(given, options))
		return report_usage_error("unknown option '-%c'", optopt);
	if (!strncmp(given, "--", 2)) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(given + 2, "="), given + 2);
		nearest = suggest_option(name, options);
	}
	if (nearest && !strcmp(nearest, name))
		return report_usage_error("option '--%s' takes no value", name);
	if (nearest)
		return report_usage_error("unknown option '%s'; did you mean '--%s'?", given,
					  nearest);
	return report_usage_error("unknown option '%s'", given);
}

int check_option_repeat(uint64_t *seen, int option, const char *often, const struct option *options)
{
	unsigned int i = 0;

	while (options[i].name && options[i].val != option)
		i++;
	if (!options[i].name || options[i].has_arg == no_argument || strchr(often, option))
		return 0;
	if (*seen >> i & 1)
		return report_usage_error("--%s is given twice", options[i].name);
	*seen |= 1ULL << i;
	return 0;
}

bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end && *number >= min && *number <= max;
}

int read_number(const char *option, const char *text, uint64_t min, uint64_t max,
		uint64_t *number)
{
	if (parse_number(text, min, max, number))
		return 0;
	return report_usage_error("%s: '%s' is not a number from %" PRIu64 " to %" PRIu64, option,
				  text, min, max);
}
