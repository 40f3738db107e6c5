// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: count the events of a command, a process, a CPU or all CPUs */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/subcommand.h"
#include "stat/stat.h"
#include "util/device.h"
#include "util/error.h"
#include "util/event-list.h"
#include "util/output-file.h"
#include "util/short-help.h"
#include "util/workload.h"

#define RUNS_MAX	100000

/* Milliseconds of -I, -D and --timeout: a day */
#define MS_MAX		86400000

static const char usage[] =
	"Usage: pmcctl stat [-i | {-C CPUS | -a} [-A]] [-e LIST]\n"
	"                   [-g GROUP | --topdown[=MODES]] [-d]\n"
	"                   [--formulas=FILE] [--cputype=TYPE] [-r N] [-I MS] [-D MS]\n"
	"                   [--timeout=MS] [--overcount]\n"
	"                   [--json | --csv | -x SEP | --openmetrics]\n"
	"                   [-o FILE] [--] COMMAND [ARGUMENT...]\n"
	"       pmcctl stat {-p PIDS | -t TIDS | --timeout=MS {-C CPUS | -a}}\n"
	"                   [OPTION...] [[--] COMMAND [ARGUMENT...]]\n"
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
	"      --topdown[=MODES]\n"
	"                       use of the pipeline's slots, =u in user mode only; runs\n"
	"                       COMMAND several times if the events do not fit at once\n"
	"  -d, --detailed       count group detailed instead: default and the last-level\n"
	"                       cache\n"
	"      --formulas=FILE  also read formulas and groups from FILE\n"
	"      --cputype=TYPE, --kind=TYPE\n"
	"                       count only on cores of this type, core or atom, where\n"
	"                       there are several; 'pmcctl info' prints the type of a CPU\n"
	"  -i, --no-inherit, --thread\n"
	"                       count only COMMAND's first thread\n"
	"  -p, --pid=PIDS       count all threads of these processes, separated by\n"
	"                       commas, while COMMAND runs, or without COMMAND until they\n"
	"                       end or you press Ctrl-C\n"
	"  -t, --tid=TIDS       the same for these threads\n"
	"  -C, --cpu=CPUS       count these CPUs while COMMAND runs, such as 0-3,8\n"
	"  -a, --all-cpus       count all CPUs while COMMAND runs\n"
	"  -A, --per-cpu, --no-aggr\n"
	"                       with -a or -C: print the counts of each CPU too\n"
	"  -r, --repeat=N       run COMMAND N times\n"
	"  -I, --interval=MS    print the counts of every MS milliseconds\n"
	"  -D, --delay=MS       begin to count MS milliseconds after COMMAND\n"
	"      --timeout=MS     count for MS milliseconds, then end COMMAND with SIGTERM\n"
	"      --overcount      also print how much interrupts and page faults can have\n"
	"                       added to the counts on a real processor\n"
	"      --json           JSON instead of a table\n"
	"      --csv            comma-separated values instead of a table\n"
	"  -x, --field-separator=SEP\n"
	"                       a line for each event, with the columns of perf stat -x\n"
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
	"    pmcctl stat -a -A -g cache sleep 10\n"
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
	job->device = device_open();
	if (!job->device) {
		deferred_close(&job->output);
		return EXIT_TROUBLE;
	}
	job->session.device = job->device;
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

/*
 * Options that are processed after the last one: formulas must be loaded before groups.
 * @topdown: the group of --topdown, such as "topdown:u"
 */
struct group_options {
	const char *formulas;
	const char *group;
	char topdown[16];
};

static int choose_format(struct stat_job *job, const struct stat_format *format)
{
	if (job->format != &stat_table && job->format != format)
		return report_usage_error("--json, --csv, -x and --openmetrics exclude each other");
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

/* Read milliseconds into nanoseconds. */
static int set_time(uint64_t *ns, const char *option, const char *text)
{
	uint64_t ms;

	if (read_number(option, text, 1, MS_MAX, &ms))
		return EXIT_TROUBLE;
	*ns = ms * 1000000;
	return 0;
}

/* As in perf, "\t" is a tab. */
static int set_separator(struct stat_job *job, const char *text)
{
	if (!text[0])
		return report_usage_error("-x, --field-separator: the separator is empty");
	job->separator = strcmp(text, "\\t") ? text : "\t";
	return choose_format(job, &stat_separated);
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

#define LETTERS		"+:C:aAip:t:e:g:dr:I:D:x:o:h"

static const struct option options[] = {
	{ "cpu", required_argument, NULL, 'C' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "per-cpu", no_argument, NULL, 'A' },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "detailed", no_argument, NULL, 'd' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "thread", no_argument, NULL, 'i' },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "event", required_argument, NULL, 'e' },
	{ "group", required_argument, NULL, 'g' },
	{ "topdown", optional_argument, NULL, 'S' },
	{ "formulas", required_argument, NULL, 'f' },
	{ "cputype", required_argument, NULL, 'k' },
	{ "kind", required_argument, NULL, 'k' },
	{ "repeat", required_argument, NULL, 'r' },
	{ "interval", required_argument, NULL, 'I' },
	{ "delay", required_argument, NULL, 'D' },
	{ "timeout", required_argument, NULL, 'T' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "overcount", no_argument, NULL, 'O' },
	{ "json", no_argument, NULL, 'j' },
	{ "csv", no_argument, NULL, 'c' },
	{ "openmetrics", no_argument, NULL, 'm' },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

/* @modes: "u", "k", "uk" or NULL */
static int set_topdown(struct group_options *group_options, const char *modes)
{
	if (modes && (strlen(modes) > 2 || strspn(modes, "uk") != strlen(modes) || !modes[0]))
		return report_usage_error("--topdown=%s: the modes are u, k or uk", modes);
	snprintf(group_options->topdown, sizeof(group_options->topdown), "topdown%s%s",
		 modes ? ":" : "", modes ? modes : "");
	return 0;
}

/* Set how often and how long it is counted, and the output. Return: -1 if it is another option. */
static int set_run_option(struct stat_job *job, int option)
{
	switch (option) {
	case 'r':
		return set_runs(job, optarg);
	case 'I':
		return set_time(&job->session.interval_ns, "-I, --interval", optarg);
	case 'D':
		return set_time(&job->session.delay_ns, "-D, --delay", optarg);
	case 'T':
		return set_time(&job->session.timeout_ns, "--timeout", optarg);
	case 'x':
		return set_separator(job, optarg);
	case 'j':
	case 'c':
	case 'm':
		return set_format_option(job, option);
	case 'A':
		job->per_cpu = true;
		return 0;
	case 'O':
		job->overcount = true;
		return 0;
	case 'o':
		job->path = optarg;
		return 0;
	default:
		return -1;
	}
}

/* Report an option that does not exist; of perf's, with what pmcctl has in its place. */
static int fail_option(int option, char *const *argv)
{
	const char *given = argv[optind - 1];

	if (option == '?' && optopt == 'M')
		return report_usage_error("-M is perf's; for figures choose a group of events with -g, see 'pmcctl list --groups'");
	if (!strncmp(given, "--td-level", strlen("--td-level")))
		return report_usage_error("--td-level is perf's; --topdown has all levels, -g topdown-l1 the first");
	return report_option_error(option, argv, options);
}

static int set_option(struct stat_job *job, struct group_options *group_options, int option,
		      char **argv)
{
	int result = session_set_option(&job->session, option, optarg);

	if (result < 0)
		result = set_run_option(job, option);
	if (result >= 0)
		return result;
	switch (option) {
	case 'e':
		return event_list_append(&job->lists, optarg);
	case 'g':
		if (group_options->group)
			return report_error("one group at a time: '%s' or '%s'; further events with -e",
					    group_options->group, optarg);
		group_options->group = optarg;
		return 0;
	case 'S':
		return set_topdown(group_options, optarg);
	case 'd':
		if (!strcmp(job->default_group, "detailed"))
			return report_usage_error("-dd is perf's; for more events choose a group with -g, see 'pmcctl list --groups'");
		job->default_group = "detailed";
		return 0;
	case 'f':
		group_options->formulas = optarg;
		return 0;
	default:
		return fail_option(option, argv);
	}
}

/* Can counting end without a command? */
static bool needs_command(const struct stat_job *job)
{
	return session_counts_workload(&job->session) ||
	       (!session_counts_tasks(&job->session) && !job->session.timeout_ns);
}

static int fail_no_command(const struct stat_job *job)
{
	if (session_counts_workload(&job->session))
		return report_usage_error("no command to run, and no -p or -t to count without one");
	return report_usage_error("no command to run; to count for ten seconds, add --timeout=10000");
}

/* Refuse options that exclude each other. */
static int check_options(const struct stat_job *job, int left, char **rest)
{
	if (!left && needs_command(job))
		return fail_no_command(job);
	if (!left && job->runs_requested > 1)
		return report_usage_error("-r needs a command to run");
	if (left && !rest[0][0])
		return report_usage_error("the command's name is empty");
	if (job->per_cpu && job->session.scope != PMC_SCOPE_ALL_CPUS &&
	    job->session.scope != PMC_SCOPE_CPU)
		return report_usage_error("-A, --per-cpu needs -a or -C");
	if (job->separator && job->runs_requested > 1 &&
	    (job->per_cpu || job->session.interval_ns))
		return report_usage_error("-x prints the mean of -r, without -A and -I; --csv has each run");
	if (job->overcount && job->format != &stat_table && job->format != &stat_json)
		return report_usage_error("--overcount prints with the table or with --json only");
	return 0;
}

/* Return: 0, or the exit status. @help: set if the user asks for help. */
static int read_options(struct stat_job *job, int argc, char **argv, bool *help)
{
	static struct group_options group_options;
	uint64_t seen = 0;
	int option, result;

	opterr = 0;
	while ((option = getopt_long(argc, argv, LETTERS, options, NULL)) != -1) {
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
		result = formula_load_files(&job->formulas, job->session.core_type,
					    group_options.formulas, !group_options.group);
	job->first_group_event = job->num_events;
	job->group = group_options.group;
	job->formulas_given = group_options.formulas;
	if (!result && group_options.group && group_options.topdown[0])
		result = report_usage_error("--topdown is a group, and -g another: leave one out");
	else if (!result && group_options.group)
		result = stat_add_group(job, group_options.group);
	if (group_options.topdown[0]) {
		job->group = group_options.topdown;
		job->topdown_modifier = job->group + strcspn(job->group, ":");
	}
	job->argv = argv + optind;
	job->defaults = !job->num_events && !job->group;
	if (!result && !job->defaults && strcmp(job->default_group, "default"))
		result = report_usage_error("-d counts a group of events: it excludes -e, -g and --topdown");
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
			.explain = stat_report_failure, .add = stat_add_events,
			.data = &job,
		},
		.default_group = "default",
		.format = &stat_table,
		.runs_requested = 1,
	};
	bool help = false;
	int result;

	result = read_options(&job, argc, argv, &help);
	if (help) {
		result = print_short_help("stat", usage);
	} else if (!result) {
		result = open_and_count(&job);
		if (result == EXIT_NOT_FOUND)
			suggest_event_option(job.argv[0], job.session.core_type);
	}
	session_close(&job.session);
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
