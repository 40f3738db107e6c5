// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl: count hardware events with pmcdrv */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/events/edit_distance.h"
#include "pmcctl.h"
#include "util/hint.h"

static const struct subcommand *const subcommands[] = {
	&info_command,
	&list_command,
	&monitor_command,
	&pce_command,
#ifndef WITHOUT_RECORD
	&record_command,
	&report_command,
#endif
	&stat_command,
	&sweep_command,
	&who_command,
};

/* Those that run a command */
#ifdef WITHOUT_RECORD
#define RUNNERS	"'pmcctl stat' and 'pmcctl sweep'\n"
#else
#define RUNNERS	"'pmcctl stat', 'pmcctl sweep'\nand 'pmcctl record' "
#endif

/* The subcommand that runs, for complaints */
static const struct subcommand *current;

static void print_error(const char *format, va_list args)
{
	fprintf(stderr, "pmcctl%s%s: ", current ? " " : "", current ? current->name : "");
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
	fprintf(stderr, "Try 'pmcctl %s%s--help'.\n", current ? current->name : "",
		current ? " " : "");
	return EXIT_TROUBLE;
}

/* A long option that is near to @name, or NULL */
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

int report_option_error(int refused, char *const *argv, const struct option *options)
{
	const char *given = argv[optind - 1], *nearest = NULL;
	char name[64] = "";

	if (refused == ':')
		return report_usage_error("option '%s' needs a value", given);
	if (!strncmp(given, "--", 2)) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(given + 2, "="), given + 2);
		nearest = suggest_option(name, options);
	}
	if (nearest && !strcmp(nearest, name))
		return report_usage_error("option '--%s' takes no value", name);
	if (nearest)
		return report_usage_error("unknown option '%s'; did you mean '--%s'?", given, nearest);
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

static const struct subcommand *find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subcommands); i++)
		if (!strcmp(subcommands[i]->name, name))
			return subcommands[i];
	return NULL;
}

static int fail_unknown(const char *name)
{
	unsigned int distance, best = EDIT_DISTANCE_NONE;
	const char *nearest = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subcommands); i++) {
		distance = pmc_edit_distance(name, subcommands[i]->name);
		if (distance < best) {
			best = distance;
			nearest = subcommands[i]->name;
		}
	}
#ifdef WITHOUT_RECORD
	if (!strcmp(name, "record") || !strcmp(name, "report"))
		return report_error("this pmcctl has no '%s': it was built with RECORD=no, without the libraries libdw and zlib; build it with them and without RECORD=no",
				name);
#endif
	if (nearest)
		return report_usage_error("no subcommand '%s'; did you mean '%s'?", name, nearest);
	return report_usage_error("no subcommand '%s'", name);
}

static void print_usage(FILE *file)
{
	size_t i;

	fputs("Usage: pmcctl SUBCOMMAND [OPTION...] [ARGUMENT...]\n"
	      "       pmcctl help [SUBCOMMAND]\n"
	      "       pmcctl --version\n"
	      "\n"
	      "Count hardware events exactly, through /dev/pmc.\n"
	      "\n"
	      "Subcommands:\n", file);
	for (i = 0; i < ARRAY_SIZE(subcommands); i++)
		fprintf(file, "  %-8s %s\n", subcommands[i]->name, subcommands[i]->summary);
	fputs("\n"
	      "Exit status: 0, or 125 if pmcctl itself failed; " RUNNERS
	      "pass on that of the command that they ran.\n"
	      "\n"
	      "Examples:\n"
	      "    pmcctl info\n"
	      "    pmcctl stat -- ./program\n"
	      "    pmcctl help stat\n"
	      "\n"
	      "See pmcctl(1).\n", file);
}

static int print_help(int argc, char **argv)
{
	const struct subcommand *subcommand;

	if (argc > 2)
		return report_usage_error("help takes one subcommand");
	if (argc < 2) {
		print_usage(stdout);
		return output_close(stdout, "the standard output");
	}
	subcommand = find(argv[1]);
	if (!subcommand)
		return fail_unknown(argv[1]);
	fputs(subcommand->usage, stdout);
	return output_close(stdout, "the standard output");
}

static int version(void)
{
	printf("pmcctl %s (ABI %d)\n", pmc_version(), PMC_ABI_VERSION);
	return output_close(stdout, "the standard output");
}

int main(int argc, char **argv)
{
	pmc_set_hint_writer(hint_write);
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_TROUBLE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help(1, argv);
	if (!strcmp(argv[1], "help"))
		return print_help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return version();
	if (argv[1][0] == '-')
		return report_usage_error("unknown option '%s'", argv[1]);
	current = find(argv[1]);
	if (!current)
		return fail_unknown(argv[1]);
	return current->run(argc - 1, argv + 1);
}
