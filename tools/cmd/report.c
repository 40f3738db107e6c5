// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl report: options, and the choice of what to print of a file of samples */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <libpmcevents.h>

#include "cmd/subcommand.h"
#include "report/event-choice.h"
#include "report/report.h"
#include "report/sample-list.h"
#include "util/error.h"
#include "util/output-file.h"
#include "util/short-help.h"

#define DEFAULT_FILE	"pmc.data"

#define BY_ALL		(REPORT_BY_COMMAND | REPORT_BY_FILE | REPORT_BY_FUNCTION)

static const char usage[] =
	"Usage: pmcctl report [-e EVENTS] [-s KEYS] [--root=FOLDER] [--stdio | --json]\n"
	"                     [FILE]\n"
	"       pmcctl report [-e EVENTS] [--root=FOLDER]\n"
	"                     {--folded | --flamegraph=FILE.svg} [FILE]\n"
	"       pmcctl report {--samples | --records} [-e EVENTS] [--time=FROM,TO]\n"
	"                     [--pid=PIDS] [--tid=TIDS] [--cpu=CPUS] [--root=FOLDER]\n"
	"                     [--stdio | --json] [FILE]\n"
	"\n"
	"Print the commands, files and functions of the samples that 'pmcctl record'\n"
	"wrote to FILE (default: pmc.data), or list the samples.\n"
	"\n"
	"  -e, --event=EVENTS     only these events, separated by commas (default: all;\n"
	"                         for --folded and --flamegraph the first)\n"
	"  -s, --sort=KEYS        a row for each combination of KEYS, separated by\n"
	"                         commas: command, file, function (default: all three)\n"
	"      --root=FOLDER      search below FOLDER for the files that were sampled\n"
	"      --stdio            a table (the default)\n"
	"      --json             JSON instead of a table\n"
	"      --folded           a line for each call chain with its number of samples,\n"
	"                         the input of programs that draw flame graphs\n"
	"      --flamegraph=FILE.svg\n"
	"                         draw a flame graph: a picture for a browser\n"
	"      --samples          list the samples: time, CPU, task, registers, counts,\n"
	"                         function and call chain of each\n"
	"      --records          the same with all other records: mmap, throttle\n"
	"      --time=FROM,TO     list only these seconds; +N: after the first sample\n"
	"      --pid=PIDS         list only these processes, separated by commas\n"
	"      --tid=TIDS         list only these threads\n"
	"      --cpu=CPUS         list only these CPUs\n"
	"  -i, --input=FILE       the same as FILE\n"
	"  -h, --help             this help\n"
	"\n"
	"Exit status: 0, or 125 if pmcctl itself failed.\n"
	"\n"
	"Examples:\n"
	"    pmcctl report\n"
	"    pmcctl report --flamegraph=program.svg\n"
	"    pmcctl report --samples --time=+0,+0.001\n"
	"\n"
	"See pmcctl-report(1).\n";

enum format {
	FORMAT_NONE,
	FORMAT_STDIO,
	FORMAT_JSON,
	FORMAT_FOLDED,
	FORMAT_FLAME_GRAPH,
};

/*
 * @events: the list of -e, or NULL
 * @picture: the file of --flamegraph
 * @list: the option that lists samples, or NULL
 * @all: it lists all records
 * @by: the keys of -s, or 0
 * @given: the command line names an input file
 */
struct report_job {
	const char *input;
	const char *root;
	const char *events;
	const char *picture;
	const char *list;
	bool all;
	enum format format;
	unsigned int by;
	bool given;
	struct record_filter filter;
};

/* ---- what to print ---- */

static bool is_sampled(const struct report *report, size_t i)
{
	return report->selected >> i & 1 && report->event[i].header->period;
}

/* The first sampled event of -e. Return: NULL after a message. */
static const struct report_event *choose_event(const struct report_job *job,
					       const struct report *report)
{
	const struct report_event *event = NULL;
	size_t i, num = 0;

	for (i = 0; i < report->num_events; i++) {
		if (!is_sampled(report, i))
			continue;
		if (!num++)
			event = &report->event[i];
	}
	if (!event)
		report_error("%s has no sampled event", job->input);
	else if (num > 1)
		report_error("printing '%s', the first of %zu events; -e selects another",
			     record_event_text(event->header), num);
	return event;
}

static int print_flame_graph(const struct report_job *job, const struct report_event *event)
{
	FILE *file = output_open(job->picture);

	if (!file)
		return EXIT_TROUBLE;
	flame_graph_print(&event->tree, record_event_text(event->header), "sample", file);
	if (output_close(file, job->picture))
		return EXIT_TROUBLE;
	report_error("%" PRIu64 " sample%s drawn in %s: open it in a browser", event->overflows,
		     event->overflows == 1 ? " is" : "s are", job->picture);
	return 0;
}

static int print(const struct report_job *job, struct report *report)
{
	unsigned int by = job->by ? job->by : BY_ALL;
	const struct report_event *event = NULL;

	if (job->format == FORMAT_FOLDED || job->format == FORMAT_FLAME_GRAPH) {
		event = choose_event(job, report);
		if (!event)
			return EXIT_TROUBLE;
	}
	switch (job->format) {
	case FORMAT_FLAME_GRAPH:
		return print_flame_graph(job, event);
	case FORMAT_FOLDED:
		report_print_folded(event, stdout);
		break;
	case FORMAT_JSON:
		report_print_json(report, by, stdout);
		break;
	default:
		report_print_table(report, by, stdout);
	}
	return output_close(stdout, "the standard output");
}

static int fail_read(const struct report_job *job, const char *error)
{
	if (job->given || !access(job->input, F_OK))
		return report_error("%s: %s", job->input, error);
	return report_error("%s: %s; create it with 'pmcctl record', or name another file",
			    job->input, error);
}

static int print_report(const struct report_job *job, struct record_file *file)
{
	uint32_t selected = events_choose(file, job->input, job->events);
	char error[RECORD_ERROR_SIZE];
	struct report report;
	int result;

	if (!selected)
		return EXIT_TROUBLE;
	if (report_build(&report, file, job->root, error)) {
		result = fail_read(job, error);
	} else {
		report.selected = selected;
		result = print(job, &report);
	}
	report_free(&report);
	return result;
}

static int print_list(struct report_job *job, struct record_file *file, const char *damage)
{
	const struct list_options list = {
		.path = job->input,
		.root = job->root,
		.damage = damage,
		.all = job->all,
		.json = job->format == FORMAT_JSON,
		.out = stdout,
	};
	int result;

	job->filter.events = events_choose(file, job->input, job->events);
	if (!job->filter.events)
		return EXIT_TROUBLE;
	result = samples_list(file, &job->filter, &list);
	return output_close(stdout, "the standard output") ? EXIT_TROUBLE : result;
}

static int read_and_print(struct report_job *job)
{
	char error[RECORD_ERROR_SIZE];
	struct record_file *file;
	int result;

	file = record_read(job->input, job->list, error);
	if (!file)
		return fail_read(job, error);
	result = job->list ? print_list(job, file, error) : print_report(job, file);
	record_free(file);
	return result;
}

/* ---- options ---- */

static int set_keys(struct report_job *job, const char *list)
{
	static const struct {
		const char *name;
		unsigned int key;
	} keys[] = {
		{ "command", REPORT_BY_COMMAND },
		{ "file", REPORT_BY_FILE },
		{ "function", REPORT_BY_FUNCTION },
	};
	size_t len, i;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		for (i = 0; i < ARRAY_SIZE(keys); i++)
			if (strlen(keys[i].name) == len && !strncmp(keys[i].name, list, len))
				break;
		if (i == ARRAY_SIZE(keys))
			return report_usage_error("-s, --sort: '%.*s' is not one of command, file and function",
						  (int)len, list);
		job->by |= keys[i].key;
		if (!list[len])
			return 0;
	}
}

static int set_format(struct report_job *job, enum format format)
{
	if (job->format != FORMAT_NONE && job->format != format)
		return report_usage_error("--stdio, --json, --folded and --flamegraph exclude each other");
	job->format = format;
	return 0;
}

static int set_list(struct report_job *job, const char *option, bool all)
{
	job->list = option;
	job->all |= all;
	return 0;
}

/* Options without a letter */
enum {
	OPTION_STDIO = 256,
	OPTION_JSON,
	OPTION_FOLDED,
	OPTION_FLAME_GRAPH,
	OPTION_ROOT,
	OPTION_SAMPLES,
	OPTION_RECORDS,
	OPTION_TIME,
	OPTION_PID,
	OPTION_TID,
	OPTION_CPU,
};

static const struct option options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "sort", required_argument, NULL, 's' },
	{ "event", required_argument, NULL, 'e' },
	{ "stdio", no_argument, NULL, OPTION_STDIO },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "folded", no_argument, NULL, OPTION_FOLDED },
	{ "flamegraph", required_argument, NULL, OPTION_FLAME_GRAPH },
	{ "root", required_argument, NULL, OPTION_ROOT },
	{ "samples", no_argument, NULL, OPTION_SAMPLES },
	{ "records", no_argument, NULL, OPTION_RECORDS },
	{ "time", required_argument, NULL, OPTION_TIME },
	{ "pid", required_argument, NULL, OPTION_PID },
	{ "tid", required_argument, NULL, OPTION_TID },
	{ "cpu", required_argument, NULL, OPTION_CPU },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static int set_input(struct report_job *job, const char *path)
{
	if (job->given)
		return report_usage_error("one file at a time: '%s' and '%s'", job->input, path);
	job->input = path;
	job->given = true;
	return 0;
}

static int set_list_option(struct report_job *job, int option, char **argv)
{
	switch (option) {
	case OPTION_SAMPLES:
		return set_list(job, "--samples", false);
	case OPTION_RECORDS:
		return set_list(job, "--records", true);
	case OPTION_TIME:
		return filter_set_time(&job->filter, optarg);
	case OPTION_PID:
		return filter_set_numbers(&job->filter.pids, "--pid", optarg);
	case OPTION_TID:
		return filter_set_numbers(&job->filter.tids, "--tid", optarg);
	case OPTION_CPU:
		return filter_set_numbers(&job->filter.cpus, "--cpu", optarg);
	default:
		return report_option_error(option, argv, options);
	}
}

static int set_option(struct report_job *job, int option, char **argv)
{
	switch (option) {
	case 'i':
		return set_input(job, optarg);
	case 's':
		return set_keys(job, optarg);
	case 'e':
		job->events = optarg;
		return 0;
	case OPTION_STDIO:
		return set_format(job, FORMAT_STDIO);
	case OPTION_JSON:
		return set_format(job, FORMAT_JSON);
	case OPTION_FOLDED:
		return set_format(job, FORMAT_FOLDED);
	case OPTION_FLAME_GRAPH:
		job->picture = optarg;
		return set_format(job, FORMAT_FLAME_GRAPH);
	case OPTION_ROOT:
		job->root = optarg;
		return 0;
	default:
		return set_list_option(job, option, argv);
	}
}

/* Is it a file of pmcctl record? Its name may have been meant as the file to read. */
static bool is_recording(const char *path)
{
	char magic[sizeof(RECORD_MAGIC) - 1];
	FILE *file = fopen(path, "re");
	bool found = file && fread(magic, sizeof(magic), 1, file) == 1 &&
		     !memcmp(magic, RECORD_MAGIC, sizeof(magic));

	if (file)
		fclose(file);
	return found;
}

static int check_options(const struct report_job *job)
{
	const char *filter = filter_option(&job->filter);

	if (job->picture && is_recording(job->picture))
		return report_usage_error("--flamegraph: %s is a recording, and would be overwritten: write --flamegraph=FILE.svg %s",
					  job->picture, job->picture);

	if (filter && !job->list)
		return report_usage_error("%s needs --samples or --records", filter);
	if (job->list && (job->format == FORMAT_FOLDED || job->format == FORMAT_FLAME_GRAPH))
		return report_usage_error("%s excludes --folded and --flamegraph", job->list);
	if (job->list && job->by)
		return report_usage_error("%s excludes -s, --sort", job->list);
	return 0;
}

/* Return: 0, or the exit status. @help: set if the user asks for help. */
static int read_options(struct report_job *job, int argc, char **argv, bool *help)
{
	uint64_t seen = 0;
	int option, result;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":i:s:e:h", options, NULL)) != -1) {
		*help = option == 'h';
		if (*help)
			return 0;
		result = check_option_repeat(&seen, option, "", options);
		if (!result)
			result = set_option(job, option, argv);
		if (result)
			return result;
	}
	for (; optind < argc; optind++)
		if (set_input(job, argv[optind]))
			return EXIT_TROUBLE;
	return check_options(job);
}

static int run(int argc, char **argv)
{
	struct report_job job = {
		.input = DEFAULT_FILE,
		.root = "",
	};
	bool help = false;
	int result;

	result = read_options(&job, argc, argv, &help);
	if (help)
		result = print_short_help("report", usage);
	else if (!result)
		result = read_and_print(&job);
	filter_free(&job.filter);
	return result;
}

const struct subcommand report_command = {
	.name = "report",
	.summary = "summarise or list recorded samples",
	.usage = usage,
	.run = run,
};
