// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl: find the subcommand and run it */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <libpmcevents.h>

#include "../lib/events/edit_distance.h"
#include "cmd/subcommand.h"
#include "util/error.h"
#include "util/hint.h"
#include "util/output-file.h"

static const struct subcommand *const subcommands[] = {
	&events_command,
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

/* The subcommands that run a command, for the help text */
#ifdef WITHOUT_RECORD
#define RUNNERS	"'pmcctl stat' and 'pmcctl sweep'\n"
#else
#define RUNNERS	"'pmcctl stat', 'pmcctl sweep'\nand 'pmcctl record' "
#endif

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

/* --events=FOLDER before the subcommand, for all that look up names. Return: 0 or EXIT_TROUBLE. */
static int set_event_files(const char *folder)
{
	if (pmc_event_files_set(folder))
		return report_error("--events: %s%s", pmc_error(),
				    errno == ENOENT ? "; choose a folder with mapfile.csv" : "");
	return 0;
}

static void print_usage(FILE *file)
{
	size_t i;

	fputs("Usage: pmcctl SUBCOMMAND [OPTION...] [ARGUMENT...]\n"
	      "       pmcctl --events=FOLDER SUBCOMMAND [OPTION...] [ARGUMENT...]\n"
	      "       pmcctl help [SUBCOMMAND]\n"
	      "       pmcctl --version\n"
	      "\n"
	      "Count hardware events exactly, through /dev/pmc.\n"
	      "\n"
	      "Subcommands:\n", file);
	for (i = 0; i < ARRAY_SIZE(subcommands); i++)
		fprintf(file, "  %-8s %s\n", subcommands[i]->name, subcommands[i]->summary);
	fputs("\n"
	      "  --events=FOLDER  take names of events from the event files in FOLDER\n"
	      "\n"
	      "Exit status: 0, or 125 if pmcctl itself failed; " RUNNERS
	      "return the status of the command that they ran.\n"
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
	const struct subcommand *subcommand;

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
	if (!strcmp(argv[1], "--events"))
		return report_usage_error("--events needs a folder: --events=FOLDER");
	if (!strncmp(argv[1], "--events=", strlen("--events="))) {
		if (set_event_files(argv[1] + strlen("--events=")))
			return EXIT_TROUBLE;
		argc--;
		argv++;
		if (argc < 2)
			return report_usage_error("expected a subcommand after --events");
	}
	if (argv[1][0] == '-')
		return report_usage_error("unknown option '%s'", argv[1]);
	subcommand = find(argv[1]);
	if (!subcommand)
		return fail_unknown(argv[1]);
	error_set_subcommand(subcommand->name);
	return subcommand->run(argc - 1, argv + 1);
}
