// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: count the events of a command, a process, a CPU or all CPUs */
#include <getopt.h>
#include <stdlib.h>

#include "cmd/subcommand.h"
#include "stat/stat.h"
#include "util/error.h"
#include "util/event-list.h"
#include "util/output-file.h"
#include "util/workload.h"

#define RUNS_MAX	100000
#define INTERVAL_MAX	86400000

static const char usage[] =
	"Usage: pmcctl stat [-i | -C CPU | -a [--per-cpu]] [-e LIST] [-g GROUP]\n"
	"                   [--formulas=FILE] [--cputype=TYPE] [-r N] [-I MS]\n"
	"                   [--json | --csv | --openmetrics] [-o FILE]\n"
	"                   [--] COMMAND [ARGUMENT...]\n"
	"       pmcctl stat -p PID [OPTION...] [[--] COMMAND [ARGUMENT...]]\n"
	"\n"
	"Count the events of COMMAND from its exec to its exit, with those of all threads\n"
	"and processes that it creates.\n"
	"\n"
	"  -e, --event=LIST     events to count, separated by commas, such as\n"
	"                       instructions:u,branch-misses,r00c0 or\n"
	"                       cpu/event=0xc0,cmask=1/;\n"
	"                       see pmc-events(7) and 'pmcctl list'\n"
	"  -g, --group=GROUP    count the events of a group, GROUP:u in user mode only;\n"
	"                       'pmcctl list --groups' lists them. Without -e and -g: the\n"
	"                       events of group default that fit on the counters\n"
	"      --formulas=FILE  also read formulas and groups from FILE\n"
	"      --cputype=TYPE, --kind=TYPE\n"
	"                       count only on cores of this type, core or atom, where\n"
	"                       there are several; 'pmcctl info' prints the type of a CPU\n"
	"  -i, --no-inherit, --thread\n"
	"                       count only COMMAND's first thread\n"
	"  -p, --pid=PID        count all threads of this process while COMMAND runs, or\n"
	"                       without COMMAND until it ends or you press Ctrl-C\n"
	"  -C, --cpu=CPU        count this CPU while COMMAND runs\n"
	"  -a, --all-cpus       count all CPUs while COMMAND runs\n"
	"      --per-cpu        with -a: print the counts of each CPU too\n"
	"  -r, --repeat=N       run COMMAND N times\n"
	"  -I, --interval=MS    print the counts of every MS milliseconds\n"
	"      --json           JSON instead of a table\n"
	"      --csv            comma-separated values instead of a table\n"
	"      --openmetrics    metrics for Prometheus instead of a table\n"
	"  -o, --output=FILE    write to FILE, not to the standard error\n"
	"  -h, --help           this help\n"
	"\n"
	"Exit status: COMMAND's; 128+N if signal N ended it; 127 if COMMAND was not\n"
	"found, 126 if it cannot be run, 125 if pmcctl itself failed.\n"
	"\n"
	"Examples:\n"
	"    pmcctl stat -- ./program 1000\n"
	"    pmcctl stat -r 5 -e instructions:u,branches:u -- ./program 1000\n"
	"    pmcctl stat -a --per-cpu -g cache sleep 10\n"
	"\n"
	"See pmcctl-stat(1).\n";

/* ---- from the device to the output ---- */

static uint32_t tsc_khz(const struct stat_job *job)
{
	struct pmc_info *info = pmc_device_get_info(job->device, PMC_CPU_ANY);
	uint32_t khz = info ? pmc_info_query(info)->tsc_khz : 0;

	pmc_info_free(info);
	return khz;
}

/* Open the output before the command runs: a failure must not cost a run. */
static int open_output(struct stat_job *job)
{
	if (!job->path)
		deferred_open_stream(&job->output, stderr, "the standard error");
	else if (!job->format->replaces)
		return deferred_open(&job->output, job->path);
	else
		return output_check_writable(job->path);
	return 0;
}

static int open_and_count(struct stat_job *job)
{
	size_t i;
	int result;

	if (open_output(job))
		return EXIT_TROUBLE;
	workload_catch_signals();
	job->device = pmc_device_open(NULL);
	if (!job->device) {
		deferred_close(&job->output);
		return report_error("%s", pmc_error());
	}
	job->tsc_khz = tsc_khz(job);
	job->run = calloc(job->runs_requested, sizeof(*job->run));
	if (job->run)
		result = stat_count(job);
	else
		result = report_error("out of memory for %zu runs", job->runs_requested);
	for (i = 0; i < job->runs_requested && job->run; i++)
		free(job->run[i].cpus);
	free(job->run);
	free(job->other_core_type);
	pmc_context_close(job->session.context);
	pmc_device_close(job->device);
	deferred_close(&job->output);
	return result;
}

/* ---- options ---- */

/* Options that are processed after the last one: formulas must be loaded before groups. */
struct group_options {
	const char *formulas;
	const char *group;
};

static int choose_format(struct stat_job *job, const struct stat_format *format)
{
	if (job->format != &stat_table && job->format != format)
		return report_usage_error("--json, --csv and --openmetrics exclude each other");
	job->format = format;
	return 0;
}

static int set_runs(struct stat_job *job, const char *text)
{
	uint64_t runs;

	if (read_number("-r, --repeat", text, 1, RUNS_MAX, &runs))
		return EXIT_TROUBLE;
	job->runs_requested = runs;
	return 0;
}

static int set_interval(struct stat_job *job, const char *text)
{
	uint64_t ms;

	if (read_number("-I, --interval", text, 1, INTERVAL_MAX, &ms))
		return EXIT_TROUBLE;
	job->session.interval_ns = ms * 1000000;
	return 0;
}

static int set_format_option(struct stat_job *job, int option)
{
	switch (option) {
	case 'j':
		return choose_format(job, &stat_json);
	case 'c':
		return choose_format(job, &stat_csv);
	default:
		return choose_format(job, &stat_openmetrics);
	}
}

static const struct option options[] = {
	{ "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "per-cpu", no_argument, NULL, 'P' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "thread", no_argument, NULL, 'i' },
	{ "pid", required_argument, NULL, 'p' },
	{ "event", required_argument, NULL, 'e' },
	{ "group", required_argument, NULL, 'g' },
	{ "formulas", required_argument, NULL, 'f' },
	{ "cputype", required_argument, NULL, 'k' },
	{ "kind", required_argument, NULL, 'k' },
	{ "repeat", required_argument, NULL, 'r' },
	{ "interval", required_argument, NULL, 'I' },
	{ "json", no_argument, NULL, 'j' },
	{ "csv", no_argument, NULL, 'c' },
	{ "openmetrics", no_argument, NULL, 'm' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static int set_option(struct stat_job *job, struct group_options *group_options, int option,
		      char **argv)
{
	switch (option) {
	case 'C':
		return session_set_cpu(&job->session, optarg);
	case 'a':
		return session_set_scope(&job->session, PMC_SCOPE_ALL_CPUS);
	case 'P':
		job->per_cpu = true;
		return 0;
	case 'i':
		return session_set_scope(&job->session, PMC_SCOPE_THREAD);
	case 'p':
		return session_set_pid(&job->session, optarg);
	case 'e':
		return event_list_append(&job->lists, optarg);
	case 'g':
		if (group_options->group)
			return report_error("one group at a time: '%s' or '%s'; further events with -e",
					    group_options->group, optarg);
		group_options->group = optarg;
		return 0;
	case 'f':
		group_options->formulas = optarg;
		return 0;
	case 'k':
		return session_set_core_type(&job->session, optarg);
	case 'r':
		return set_runs(job, optarg);
	case 'I':
		return set_interval(job, optarg);
	case 'j':
	case 'c':
	case 'm':
		return set_format_option(job, option);
	case 'o':
		job->path = optarg;
		return 0;
	default:
		return report_option_error(option, argv, options);
	}
}

static int fail_no_command(const struct stat_job *job)
{
	if (session_counts_workload(&job->session))
		return report_usage_error("no command to run, and no -p to count a process without one");
	return report_usage_error("no command to run; to count for ten seconds, run the command: sleep 10");
}

/* Refuse options that exclude each other. */
static int check_options(const struct stat_job *job, int left, char **rest)
{
	if (!left && job->session.scope != PMC_SCOPE_PROCESS)
		return fail_no_command(job);
	if (!left && job->runs_requested > 1)
		return report_usage_error("-r needs a command to run");
	if (left && !rest[0][0])
		return report_usage_error("the command's name is empty");
	if (job->per_cpu && job->session.scope != PMC_SCOPE_ALL_CPUS)
		return report_usage_error("--per-cpu needs -a");
	return 0;
}

/* Return: 0, or the exit status. @help: set if the user asks for help. */
static int read_options(struct stat_job *job, int argc, char **argv, bool *help)
{
	struct group_options group_options = { .group = NULL };
	uint64_t seen = 0;
	int option, result;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:C:aip:e:g:r:I:o:h", options, NULL)) != -1) {
		*help = option == 'h';
		if (*help)
			return 0;
		result = check_option_repeat(&seen, option, "eg", options);
		if (!result)
			result = set_option(job, &group_options, option, argv);
		if (result)
			return result;
	}
	result = job->lists ? stat_add_list(job, job->lists) : 0;
	if (!result)
		result = check_options(job, argc - optind, argv + optind);
	if (!result)
		result = formula_load_files(&job->formulas, group_options.formulas,
					    !group_options.group);
	job->first_group_event = job->num_events;
	job->group = group_options.group;
	if (!result && group_options.group)
		result = stat_add_group(job, group_options.group);
	job->argv = argv + optind;
	job->defaults = !job->num_events;
	return result;
}

/* Explain -e after "pmcctl stat EVENT COMMAND". */
static void suggest_event_option(const char *name, uint32_t core_type)
{
	struct pmc_event *event = pmc_event_parse_core_type(name, core_type);

	if (event)
		report_error("'%s' is an event: to count it, write -e %s", name, name);
	pmc_event_free(event);
}

static int run(int argc, char **argv)
{
	struct stat_job job = {
		.session = {
			.scope = PMC_SCOPE_TREE, .tick = stat_read_interval,
			.repair = stat_retry_fewer, .ready = stat_print_skipped,
			.explain = stat_report_failure, .data = &job,
		},
		.format = &stat_table,
		.runs_requested = 1,
	};
	bool help = false;
	int result;

	result = read_options(&job, argc, argv, &help);
	if (help) {
		fputs(usage, stdout);
		result = output_close(stdout, "the standard output");
	} else if (!result) {
		result = open_and_count(&job);
		if (result == EXIT_NOT_FOUND)
			suggest_event_option(job.argv[0], job.session.core_type);
	}
	stat_free_events(&job);
	free(job.lists);
	free(job.skipped);
	formula_free(&job.formulas);
	return result;
}

const struct subcommand stat_command = {
	.name = "stat",
	.summary = "count the events of a command, a process, a CPU or all CPUs",
	.usage = usage,
	.run = run,
};
