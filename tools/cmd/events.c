// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl events: check and install the vendors' event files */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libpmcevents.h>

#include "cmd/subcommand.h"
#include "util/error.h"
#include "util/file-tree.h"
#include "util/output-file.h"
#include "util/user-file.h"
#include "util/xalloc.h"

#define SYSTEM_FOLDER	"/usr/share/pmcdrv/events"
#define MAP_FILE	"mapfile.csv"

static const char usage[] =
	"Usage: pmcctl events check FOLDER\n"
	"       pmcctl events import [--system] FOLDER\n"
	"\n"
	"Check the event files of FOLDER, or check and install them. FOLDER has\n"
	"mapfile.csv: Intel's perfmon repository, or tools/perf/pmu-events/arch/x86 of\n"
	"the kernel's source. A line is printed for each file. If any file has a mistake,\n"
	"nothing is installed. New files replace those that were installed before.\n"
	"\n"
	"      --system     install for all users, in " SYSTEM_FOLDER ",\n"
	"                   instead of ~/.local/share/pmcdrv/events\n"
	"  -h, --help       this help\n"
	"\n"
	"Exit status: 0, or 125 if a file has a mistake or pmcctl itself failed.\n"
	"\n"
	"Examples:\n"
	"    pmcctl events import perfmon\n"
	"    pmcctl events check linux/tools/perf/pmu-events/arch/x86\n"
	"\n"
	"See pmcctl-events(1); pmc-events(7) describes event files.\n";

/*
 * What pmc_event_files_check() found
 * @name: the correct files with events of cores, for import
 */
struct findings {
	char **name;
	size_t num;
	size_t num_events;
	size_t num_refused;
	size_t num_other;
	size_t num_mistakes;
};

static const char *plural(size_t num)
{
	return num == 1 ? "" : "s";
}

static void add_name(struct findings *findings, const char *name)
{
	findings->name = xgrow(findings->name, findings->num, sizeof(*findings->name));
	findings->name[findings->num++] = xstrdup(name);
}

static void report_file(const struct pmc_event_file *file, void *data)
{
	struct findings *findings = data;

	if (file->mistake) {
		findings->num_mistakes++;
		report_error("%s", file->mistake);
		return;
	}
	findings->num_events += file->num_events;
	findings->num_refused += file->num_refused;
	findings->num_other += file->num_other;
	if (file->num_events)
		add_name(findings, file->name);
	printf("%s: %zu event%s", file->name, file->num_events, plural(file->num_events));
	if (file->num_refused)
		printf(", %zu of them need registers that the driver does not set",
		       file->num_refused);
	if (file->num_other)
		printf(", %zu of uncore units left out", file->num_other);
	putchar('\n');
}

static int check(const char *folder, struct findings *findings)
{
	int result = pmc_event_files_check(folder, report_file, findings);

	if (findings->num_mistakes)
		return report_error("%zu mistake%s in %s", findings->num_mistakes,
				    plural(findings->num_mistakes), folder);
	if (result)
		return report_error("%s", pmc_error());
	if (!findings->num_events)
		return report_error("%s has no events of cores", folder);
	printf("%zu file%s, %zu event%s\n", findings->num, plural(findings->num),
	       findings->num_events, plural(findings->num_events));
	return 0;
}

/* Copy the files that were found correct. Return: 0, or EXIT_TROUBLE after a message. */
static int copy_files(const struct findings *findings, const char *from, const char *to)
{
	size_t i;

	if (file_tree_copy(from, to, MAP_FILE))
		return EXIT_TROUBLE;
	for (i = 0; i < findings->num; i++)
		if (file_tree_copy(from, to, findings->name[i]))
			return EXIT_TROUBLE;
	return 0;
}

static int install(const struct findings *findings, const char *from, const char *to)
{
	char *new = xasprintf("%s.new", to);
	int result = file_tree_remove(new);

	if (!result)
		result = copy_files(findings, from, new);
	if (!result)
		result = file_tree_replace(new, to);
	if (result)
		file_tree_remove(new);
	else
		printf("installed in %s\n", to);
	free(new);
	return result;
}

static int import(const struct findings *findings, const char *from, bool system)
{
	char *to = system ? xstrdup(SYSTEM_FOLDER) : user_data_path("events");
	int result;

	if (!to)
		return report_error("there is no home directory: set HOME, or give --system");
	result = install(findings, from, to);
	free(to);
	return result;
}

static void free_findings(struct findings *findings)
{
	while (findings->num)
		free(findings->name[--findings->num]);
	free(findings->name);
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "system", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct findings findings = { .num = 0 };
	bool system = false, installs;
	const char *action, *folder;
	int option, result;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (option) {
		case 's':
			system = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return output_close(stdout, "the standard output");
		default:
			return report_option_error(option, argv, options);
		}
	}
	action = argv[optind];
	installs = action && !strcmp(action, "import");
	if (!action || (!installs && strcmp(action, "check")))
		return report_usage_error("expected check or import");
	folder = argv[optind + 1];
	if (!folder || argv[optind + 2])
		return report_usage_error("%s takes one folder", action);
	if (system && !installs)
		return report_usage_error("--system goes with import only");
	result = check(folder, &findings);
	if (!result && installs)
		result = import(&findings, folder, system);
	free_findings(&findings);
	return result ? result : output_close(stdout, "the standard output");
}

const struct subcommand events_command = {
	.name = "events",
	.summary = "check and install the vendors' event files",
	.usage = usage,
	.run = run,
};
