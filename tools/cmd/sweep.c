// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl sweep: run a command repeatedly until every event has been counted */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/subcommand.h"
#include "sweep/sweep.h"
#include "util/device.h"
#include "util/error.h"
#include "util/event-list.h"
#include "util/output-file.h"
#include "util/short-help.h"
#include "util/workload.h"
#include "util/xalloc.h"

#define PASSES_MAX	1000

static const char usage[] =
	"Usage: pmcctl sweep [-i] [-e SET] [-r N] [-k] [--clocks] [--cputype=TYPE]\n"
	"                    [--json | --csv] [-o FILE] [-v] [--show-output] [--]\n"
	"                    COMMAND [ARGUMENT...]\n"
	"\n"
	"Run COMMAND once to warm up, then repeatedly until every event of this processor\n"
	"has been counted; each run counts as many events as there are counters for.\n"
	"\n"
	"  -e, --event=SET, --events=SET\n"
	"                       events to count, separated by commas: names, patterns\n"
	"                       with * and ?, 'architectural', or 'all' (the default);\n"
	"                       without a unit mask, each unit mask on its own\n"
	"  -r, --repeat=N, --runs=N\n"
	"                       count every event N times, and print the mean and the\n"
	"                       deviation\n"
	"  -k, --kernel         count kernel mode as well as user mode\n"
	"      --clocks         on the Pentium: count the clocks of each event in the\n"
	"                       same run, and print the average of an occurrence\n"
	"  -i, --no-inherit     count only COMMAND's first thread\n"
	"      --cputype=TYPE, --kind=TYPE\n"
	"                       count the events of this core type, core or atom, and\n"
	"                       only on its cores; without it the events that all core\n"
	"                       types have\n"
	"      --json           JSON instead of a table\n"
	"      --csv            comma-separated values instead of a table\n"
	"  -o, --output=FILE    write to FILE, not to the standard output\n"
	"  -v, --verbose        print why events were left out, and all their other names\n"
	"      --show-output    show COMMAND's output; without it only the standard\n"
	"                       error of the warm-up is shown\n"
	"  -h, --help           this help\n"
	"\n"
	"Exit status: that of the first run of COMMAND that failed; 128+N if signal N\n"
	"ended it; 127 if COMMAND was not found, 126 if it cannot be run, 125 if pmcctl\n"
	"itself failed.\n"
	"\n"
	"Examples:\n"
	"    pmcctl sweep -r 3 -- sort words\n"
	"    pmcctl sweep -e 'br*' --csv -o branches.csv -- ./program\n"
	"\n"
	"See pmcctl-sweep(1).\n";

/* ---- the command's input ---- */

/* Offset of the standard input at the start, or -1 if it cannot be rewound */
static off_t input_begin = -1;

/*
 * Every run must read the same input: a regular file is rewound before each run. Other
 * input could be read by one run only, so no run gets it.
 */
static void prepare_input(void)
{
	struct stat info;

	if (!fstat(STDIN_FILENO, &info) && S_ISREG(info.st_mode))
		input_begin = lseek(STDIN_FILENO, 0, SEEK_CUR);
}

static void rewind_input(void)
{
	if (input_begin >= 0)
		lseek(STDIN_FILENO, input_begin, SEEK_SET);
}

/* ---- progress ---- */

/* Duration of all runs so far, in nanoseconds */
static uint64_t elapsed(const struct sweep *sweep)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < sweep->num_runs; i++)
		sum += sweep->run[i].measured.elapsed_ns;
	return sum;
}

static size_t runs_requested(const struct sweep *sweep)
{
	return 1 + (size_t)sweep->passes * sweep->slots;
}

/*
 * Print the progress line, which overwrites itself, on a terminal only. While the command may write
 * to the same terminal, print one complete line before the warm-up, then nothing.
 */
static void print_progress(const struct sweep *sweep)
{
	size_t left = runs_requested(sweep) - sweep->num_runs;
	uint64_t seconds;

	if (!isatty(STDERR_FILENO))
		return;
	if (!sweep->num_runs) {
		fprintf(stderr, "pmcctl sweep: warming up, %zu runs to come\n", left - 1);
		return;
	}
	if (sweep->show_output)
		return;
	seconds = (elapsed(sweep) / sweep->num_runs * left + 500000000) / 1000000000;
	fprintf(stderr, "\rpmcctl sweep: run %zu of %zu, %" PRIu64 ":%02u left\033[K",
		sweep->num_runs, runs_requested(sweep) - 1, seconds / 60,
		(unsigned int)(seconds % 60));
}

static void end_progress(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* ---- one run ---- */

/* The warm-up counts instructions in user mode, if possible, to compare the runs. */
static int add_warm_up_events(struct sweep *sweep, struct sweep_run *run)
{
	struct pmc_event *event = pmc_event_parse("instructions:u");
	int result;

	run->has_instructions = event && !pmc_context_add(sweep->session.context, event);
	pmc_event_free(event);
	if (run->has_instructions)
		return 0;
	result = pmc_context_add(sweep->session.context, sweep->event[0].event);
	return result;
}

/* Add the reference and the events of the run's slot. */
static int add_events(struct sweep *sweep, struct sweep_run *run)
{
	size_t i;

	if (sweep->reference && pmc_context_add(sweep->session.context, sweep->reference))
		return -1;
	run->has_instructions = sweep->reference;
	if (!run->pass)
		return sweep->reference ? 0 : add_warm_up_events(sweep, run);
	for (i = 0; i < sweep->num_events; i++)
		if (sweep->event[i].slot == run->slot &&
		    pmc_context_add(sweep->session.context, sweep->event[i].event))
			return -1;
	return 0;
}

static int open_context(struct sweep *sweep, struct sweep_run *run)
{
	sweep->session.context = session_open_context(&sweep->session, sweep->device);
	if (!sweep->session.context)
		return -1;
	if (session_apply_scope(&sweep->session, sweep->session.context, 0))
		return -1;
	return add_events(sweep, run);
}

static void save_count(struct sweep_event *event, uint64_t count)
{
	event->count = xgrow(event->count, event->num_counts, sizeof(*event->count));
	event->count[event->num_counts++] = count;
}

/* Store the count of each event. The values are in the order of adding. */
static void save_counts(struct sweep *sweep, struct sweep_run *run)
{
	const uint64_t *value = run->measured.snapshot.value;
	size_t i;

	if (run->has_instructions)
		run->instructions = *value++;
	for (i = 0; i < sweep->num_events && run->pass; i++) {
		if (sweep->event[i].slot != run->slot)
			continue;
		if (i == sweep->instructions && !sweep->reference) {
			run->instructions = *value;
			run->has_instructions = true;
		}
		save_count(&sweep->event[i], *value++);
	}
}

/* Report a signal that arrived while the command ran. Return: the exit status for it. */
static int stop_run(const struct sweep *sweep)
{
	size_t wanted = sweep_num_total(sweep), missing = wanted - sweep_num_counted(sweep);
	int number = workload_signal();

	end_progress();
	if (!sweep->num_runs)
		report_error("signal %d (%s) arrived during the warm-up: nothing was counted",
			     number, strsignal(number));
	else
		report_error("signal %d (%s) arrived during run %zu of %zu: %zu of %zu event%s not counted",
			     number, strsignal(number), sweep->num_runs, runs_requested(sweep) - 1,
			     missing, wanted, wanted == 1 ? " was" : "s were");
	return EXIT_SIGNAL + number;
}

static int run_once(struct sweep *sweep, struct sweep_run *run)
{
	int result;

	print_progress(sweep);
	rewind_input();
	workload_set_streams(input_begin < 0, !sweep->show_output,
			     run->pass && !sweep->show_output);
	if (open_context(sweep, run))
		result = report_error("%s", pmc_error());
	else
		result = session_run_workload(&sweep->session, sweep->argv, &run->measured);
	pmc_context_close(sweep->session.context);
	sweep->session.context = NULL;
	if (!result && workload_signal())
		return stop_run(sweep);
	if (result)
		return result;
	save_counts(sweep, run);
	sweep->num_runs++;
	return 0;
}

static int fail_run(const struct sweep *sweep)
{
	if ((errno == EACCES || errno == EPERM) && strcmp(sweep->modifier, ":u"))
		return report_error("counting kernel mode needs CAP_PERFMON: run as root, or omit -k");
	return report_error("%s", pmc_error());
}

/* Exclude counters that are held by other users. Return: true if a new schedule is needed. */
static bool exclude_held(struct sweep *sweep)
{
	return errno == EBUSY && sweep->session.context &&
	       pmc_info_exclude_held(sweep->info, sweep->session.context);
}

/*
 * Configure the counters for every run once, before the command runs: a failure must not
 * cost runs. Return: 0, EXIT_TROUBLE, or -1 if fewer counters are free than were scheduled.
 */
static int check_runs(struct sweep *sweep)
{
	struct sweep_run run = { .pass = 1 };
	int result = 0;

	for (run.slot = 0; run.slot < sweep->slots && !result && !workload_signal(); run.slot++) {
		if (open_context(sweep, &run) || pmc_context_configure(sweep->session.context))
			result = exclude_held(sweep) ? -1 : fail_run(sweep);
		pmc_context_close(sweep->session.context);
		sweep->session.context = NULL;
	}
	return result;
}

/* Call this when the events are final: before, they may be scheduled several times. */
static void report_warnings(const struct sweep *sweep)
{
	size_t i;

	for (i = 0; i < sweep->num_events; i++)
		if (!sweep->event[i].is_clocks)
			event_report_warning(sweep->event[i].event);
}

static int schedule_runs(struct sweep *sweep)
{
	char held[PMC_HOLDER_LIST_SIZE];
	int result;

	do {
		sweep_free_events(sweep);
		result = sweep_schedule(sweep) ? EXIT_TROUBLE : check_runs(sweep);
	} while (result < 0);
	if (!result && pmc_info_excluded_text(sweep->info, held, sizeof(held)))
		report_error("%s: counting on the free counters ('pmcctl who' shows all)", held);
	if (!result)
		report_warnings(sweep);
	return result;
}

/*
 * Return: 0, or the exit status of a failure, which keeps the runs before it. Without memory pmcctl
 * ends at once.
 */
static int run_all(struct sweep *sweep)
{
	struct sweep_run *run;
	int result = 0;

	while (!result && sweep->num_runs < runs_requested(sweep)) {
		run = &sweep->run[sweep->num_runs];
		if (sweep->num_runs) {
			run->pass = 1 + (sweep->num_runs - 1) / sweep->slots;
			run->slot = (sweep->num_runs - 1) % sweep->slots;
		}
		result = run_once(sweep, run);
	}
	end_progress();
	return result;
}

/* ---- from the device to the output ---- */

static int first_status(const struct sweep *sweep)
{
	size_t i;

	for (i = 0; i < sweep->num_runs; i++)
		if (session_exit_status(sweep->run[i].measured.status))
			return session_exit_status(sweep->run[i].measured.status);
	return 0;
}

static int print(struct sweep *sweep)
{
	sweep->file = deferred_begin(&sweep->output);
	if (!sweep->file)
		return EXIT_TROUBLE;
	sweep->print(sweep);
	return deferred_close(&sweep->output);
}

static int count(struct sweep *sweep)
{
	int result, printed = 0;

	/* a command that does not exist must not cost the schedule, which takes long */
	result = workload_find(sweep->argv);
	if (result)
		return result;
	if (schedule_runs(sweep))
		return EXIT_TROUBLE;
	sweep->run = calloc(runs_requested(sweep), sizeof(*sweep->run));
	if (!sweep->run)
		return report_error("out of memory for %zu runs", runs_requested(sweep));
	prepare_input();
	result = run_all(sweep);
	if (sweep->num_runs > 1) {
		sweep_report_differences(sweep);
		printed = print(sweep);
	}
	if (!result)
		result = first_status(sweep);
	return printed ? printed : result;
}

static int open_and_count(struct sweep *sweep)
{
	int result;

	if (!sweep->path)
		deferred_open_stream(&sweep->output, stdout, "the standard output");
	else if (deferred_open(&sweep->output, sweep->path))
		return EXIT_TROUBLE;
	workload_catch_signals();
	sweep->device = device_open();
	if (!sweep->device) {
		deferred_close(&sweep->output);
		return EXIT_TROUBLE;
	}
	sweep->info = pmc_device_get_info_core_type(sweep->device, sweep->session.core_type);
	result = sweep->info ? count(sweep) : report_error("%s", pmc_error());
	sweep_free_events(sweep);
	free(sweep->run);
	pmc_info_free(sweep->info);
	pmc_device_close(sweep->device);
	deferred_close(&sweep->output);
	return result;
}

/* ---- options ---- */

static int choose_format(struct sweep *sweep, void (*print)(const struct sweep *sweep))
{
	if (sweep->print != sweep_print_table && sweep->print != print)
		return report_usage_error("--json and --csv exclude each other");
	sweep->print = print;
	return 0;
}

static int set_passes(struct sweep *sweep, const char *text)
{
	uint64_t passes;

	if (read_number("-r, --repeat", text, 1, PASSES_MAX, &passes))
		return EXIT_TROUBLE;
	sweep->passes = passes;
	return 0;
}

static const struct option options[] = {
	{ "repeat", required_argument, NULL, 'r' },
	{ "runs", required_argument, NULL, 'r' },
	{ "event", required_argument, NULL, 'e' },
	{ "events", required_argument, NULL, 'e' },
	{ "kernel", no_argument, NULL, 'k' },
	{ "clocks", no_argument, NULL, 'd' },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "cputype", required_argument, NULL, 'K' },
	{ "kind", required_argument, NULL, 'K' },
	{ "json", no_argument, NULL, 'j' },
	{ "csv", no_argument, NULL, 'c' },
	{ "output", required_argument, NULL, 'o' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "show-output", no_argument, NULL, 's' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static int set_option(struct sweep *sweep, int option, char **argv)
{
	switch (option) {
	case 'r':
		return set_passes(sweep, optarg);
	case 'e':
		sweep->set = optarg;
		return 0;
	case 'k':
		sweep->modifier = ":uk";
		return 0;
	case 'd':
		sweep->clocks = true;
		return 0;
	case 'i':
		sweep->session.scope = PMC_SCOPE_THREAD;
		return 0;
	case 'K':
		return session_set_core_type(&sweep->session, optarg);
	case 'j':
		return choose_format(sweep, sweep_print_json);
	case 'c':
		return choose_format(sweep, sweep_print_csv);
	case 'o':
		sweep->path = optarg;
		return 0;
	case 'v':
		sweep->verbose = true;
		return 0;
	case 's':
		sweep->show_output = true;
		return 0;
	default:
		return report_option_error(option, argv, options);
	}
}

/* Return: 0, or the exit status. @help: set if the user asks for help. */
static int read_options(struct sweep *sweep, int argc, char **argv, bool *help)
{
	uint64_t seen = 0;
	int option, result;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:r:e:kio:vh", options, NULL)) != -1) {
		*help = option == 'h';
		if (*help)
			return 0;
		result = check_option_repeat(&seen, option, "", options);
		if (!result)
			result = set_option(sweep, option, argv);
		if (result)
			return result;
	}
	if (optind == argc)
		return report_usage_error("no command to run");
	if (!argv[optind][0])
		return report_usage_error("the command's name is empty");
	if (!sweep->set[0])
		return report_usage_error("--event is empty");
	sweep->argv = argv + optind;
	return 0;
}

static int run(int argc, char **argv)
{
	struct sweep sweep = {
		.set = "all",
		.modifier = ":u",
		.passes = 1,
		.print = sweep_print_table,
		.session = { .scope = PMC_SCOPE_TREE },
	};
	bool help = false;
	int result;

	result = read_options(&sweep, argc, argv, &help);
	if (help)
		return print_short_help("sweep", usage);
	return result ? result : open_and_count(&sweep);
}

const struct subcommand sweep_command = {
	.name = "sweep",
	.summary = "run a command until every event of this processor has been counted",
	.usage = usage,
	.run = run,
};
