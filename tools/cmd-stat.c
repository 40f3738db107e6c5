// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: count the events of a command, a process, a CPU or all CPUs */
#include <getopt.h>
#include <stdlib.h>

#include "cmd-stat.h"

#define RUNS_MAX	100000
#define INTERVAL_MAX	86400000

static const char usage[] =
	"Usage: pmcctl stat [-i | -C CPU | -a [--per-cpu]] [-e LIST] [-g GROUP]\n"
	"                   [--formulas=FILE] [--kind=KIND] [-r N] [-I MS]\n"
	"                   [--json | --csv | --openmetrics] [-o FILE]\n"
	"                   [--] COMMAND [ARGUMENT...]\n"
	"       pmcctl stat -p PID [OPTION...] [[--] COMMAND [ARGUMENT...]]\n"
	"\n"
	"Count the events of COMMAND from its exec to its end, to the last one: its own\n"
	"and those of all threads and processes that it makes.\n"
	"\n"
	"  -e, --event=LIST     events to count, with commas between them, such as\n"
	"                       instructions:u,branch-misses,r00c0 or\n"
	"                       cpu/event=0xc0,cmask=1/;\n"
	"                       see pmc-events(7) and 'pmcctl list'\n"
	"  -g, --group=GROUP    count the events of a group, GROUP:u in user mode only;\n"
	"                       'pmcctl list --groups' has them. Without -e and -g: group\n"
	"                       default, as far as it fits\n"
	"      --formulas=FILE  read formulas and groups from FILE too\n"
	"      --kind=KIND      count only on cores of this kind, core or atom, where\n"
	"                       there are several; 'pmcctl info' tells those of a CPU\n"
	"  -i, --no-inherit, --thread\n"
	"                       count COMMAND's first thread alone\n"
	"  -p, --pid=PID        count this process, all its threads, while COMMAND runs,\n"
	"                       or without COMMAND until it ends or you press Ctrl-C\n"
	"  -C, --cpu=CPU        count this CPU while COMMAND runs\n"
	"  -a, --all-cpus       count all CPUs while COMMAND runs\n"
	"      --per-cpu        with -a: tell what each CPU counted\n"
	"  -r, --repeat=N       run COMMAND N times\n"
	"  -I, --interval=MS    tell every MS milliseconds what was counted since the\n"
	"                       last time\n"
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

/* ---- all of it ---- */

static uint32_t tsc_khz(const struct stat_job *job)
{
	struct pmc_info *info = pmc_device_get_info(job->device, PMC_CPU_ANY);
	uint32_t khz = info ? pmc_info_query(info)->tsc_khz : 0;

	pmc_info_free(info);
	return khz;
}

/* Before anything is run, so that a command is not run in vain */
static int open_output(struct stat_job *job)
{
	if (!job->path)
		late_open_stream(&job->output, stderr, "the standard error");
	else if (!job->format->replaces)
		return late_open(&job->output, job->path);
	else
		return output_check(job->path);
	return 0;
}

static int open_and_count(struct stat_job *job)
{
	size_t i;
	int result;

	if (open_output(job))
		return EXIT_TROUBLE;
	command_catch_signals();
	job->device = pmc_device_open(NULL);
	if (!job->device) {
		late_close(&job->output);
		return complain("%s", pmc_error());
	}
	job->tsc_khz = tsc_khz(job);
	job->run = calloc(job->wanted_runs, sizeof(*job->run));
	if (job->run)
		result = stat_count(job);
	else
		result = complain("out of memory for %zu runs", job->wanted_runs);
	for (i = 0; i < job->wanted_runs && job->run; i++)
		free(job->run[i].cpus);
	free(job->run);
	free(job->other_kind);
	pmc_context_close(job->measure.context);
	pmc_device_close(job->device);
	late_close(&job->output);
	return result;
}

/* ---- options ---- */

/* What has to wait until all options are read: the user's formulas come first. */
struct wishes {
	const char *formulas;
	const char *group;
};

static int choose_format(struct stat_job *job, const struct stat_format *format)
{
	if (job->format != &stat_table && job->format != format)
		return complain_usage("--json, --csv and --openmetrics exclude each other");
	job->format = format;
	return 0;
}

static int set_runs(struct stat_job *job, const char *text)
{
	uint64_t runs;

	if (read_number("-r, --repeat", text, 1, RUNS_MAX, &runs))
		return EXIT_TROUBLE;
	job->wanted_runs = runs;
	return 0;
}

static int set_interval(struct stat_job *job, const char *text)
{
	uint64_t ms;

	if (read_number("-I, --interval", text, 1, INTERVAL_MAX, &ms))
		return EXIT_TROUBLE;
	job->measure.interval_ns = ms * 1000000;
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
		return choose_format(job, &stat_metrics);
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

static int set_option(struct stat_job *job, struct wishes *wishes, int option, char **argv)
{
	switch (option) {
	case 'C':
		return measure_set_cpu(&job->measure, optarg);
	case 'a':
		return measure_choose(&job->measure, PMC_SCOPE_ALL_CPUS);
	case 'P':
		job->per_cpu = true;
		return 0;
	case 'i':
		return measure_choose(&job->measure, PMC_SCOPE_THREAD);
	case 'p':
		return measure_set_pid(&job->measure, optarg);
	case 'e':
		return event_list_remember(&job->lists, optarg);
	case 'g':
		if (wishes->group)
			return complain("one group at a time: '%s' or '%s'; further events with -e",
					wishes->group, optarg);
		wishes->group = optarg;
		return 0;
	case 'f':
		wishes->formulas = optarg;
		return 0;
	case 'k':
		return measure_set_kind(&job->measure, optarg);
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
		return complain_option(option, argv, options);
	}
}

static int fail_no_command(const struct stat_job *job)
{
	if (measure_counts_command(&job->measure))
		return complain_usage("no command to run, and no -p to count a process without one");
	return complain_usage("no command to run; to count for ten seconds, let it be: sleep 10");
}

/* Options that do not go together */
static int check_options(const struct stat_job *job, int left, char **rest)
{
	if (!left && job->measure.scope != PMC_SCOPE_PROCESS)
		return fail_no_command(job);
	if (!left && job->wanted_runs > 1)
		return complain_usage("-r needs a command to run");
	if (left && !rest[0][0])
		return complain_usage("the command's name is empty");
	if (job->per_cpu && job->measure.scope != PMC_SCOPE_ALL_CPUS)
		return complain_usage("--per-cpu needs -a");
	return 0;
}

/* Return: 0, or the exit status; @help is set if that is all that is wanted. */
static int read_options(struct stat_job *job, int argc, char **argv, bool *help)
{
	struct wishes wishes = { .group = NULL };
	uint64_t seen = 0;
	int option, result;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:C:aip:e:g:r:I:o:h", options, NULL)) != -1) {
		*help = option == 'h';
		if (*help)
			return 0;
		result = check_once(&seen, option, "eg", options);
		if (!result)
			result = set_option(job, &wishes, option, argv);
		if (result)
			return result;
	}
	result = job->lists ? stat_add_list(job, job->lists) : 0;
	if (!result)
		result = check_options(job, argc - optind, argv + optind);
	if (!result)
		result = formulas_load(&job->formulas, wishes.formulas, !wishes.group);
	job->of_group = job->num_events;
	job->group = wishes.group;
	if (!result && wishes.group)
		result = stat_add_group(job, wishes.group);
	job->argv = argv + optind;
	job->defaults = !job->num_events;
	return result;
}

/* "pmcctl stat EVENT COMMAND" */
static void advise_option(const char *name, uint32_t kind)
{
	struct pmc_event *event = pmc_event_parse_kind(name, kind);

	if (event)
		complain("'%s' is an event: to count it, write -e %s", name, name);
	pmc_event_free(event);
}

static int run(int argc, char **argv)
{
	struct stat_job job = {
		.measure = {
			.scope = PMC_SCOPE_TREE, .tick = stat_tick, .repair = stat_reduce,
			.ready = stat_tell_left_out, .explain = stat_explain, .data = &job,
		},
		.format = &stat_table,
		.wanted_runs = 1,
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
			advise_option(job.argv[0], job.measure.kind);
	}
	stat_free_events(&job);
	free(job.lists);
	free(job.left_out);
	formula_free(&job.formulas);
	return result;
}

const struct subcommand stat_command = {
	.name = "stat",
	.summary = "count the events of a command, a process, a CPU or all CPUs",
	.usage = usage,
	.run = run,
};
