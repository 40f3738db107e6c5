// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl report: options, and the choice of what to print of a file of samples */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <libpmcevents.h>

#include "cmd/subcommand.h"
#include "report/report.h"
#include "util/error.h"
#include "util/output-file.h"

#define DEFAULT_FILE	"pmc.data"

static const char usage[] =
	"Usage: pmcctl report [-e EVENT] [-s KEYS] [--root=FOLDER] [--stdio | --json]\n"
	"                     [FILE]\n"
	"       pmcctl report [-e EVENT] [--root=FOLDER]\n"
	"                     {--folded | --flamegraph=FILE.svg} [FILE]\n"
	"\n"
	"Print the commands, files and functions of the samples that 'pmcctl record'\n"
	"wrote to FILE (default: pmc.data).\n"
	"\n"
	"  -e, --event=EVENT      only this event (default: all events; for --folded and\n"
	"                         --flamegraph the first)\n"
	"  -s, --sort=KEYS        a row for each combination of KEYS, separated by\n"
	"                         commas: command, file, function (default: all three)\n"
	"      --root=FOLDER      look below FOLDER for the files that were sampled\n"
	"      --stdio            a table (the default)\n"
	"      --json             JSON instead of a table\n"
	"      --folded           a line for each call chain with its number of samples,\n"
	"                         the input of programs that draw flame graphs\n"
	"      --flamegraph=FILE.svg\n"
	"                         draw a flame graph: a picture for a browser\n"
	"  -i, --input=FILE       the same as FILE\n"
	"  -h, --help             this help\n"
	"\n"
	"Exit status: 0, or 125 if pmcctl itself failed.\n"
	"\n"
	"Examples:\n"
	"    pmcctl report\n"
	"    pmcctl report -s function | head -n 14\n"
	"    pmcctl report --flamegraph=program.svg\n"
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
 * @picture: the file of --flamegraph
 * @given: the command line names an input file
 */
struct report_job {
	const char *input;
	const char *root;
	const char *event;
	const char *picture;
	enum format format;
	unsigned int by;
	bool given;
};

/* ---- what to print ---- */

static const struct report_event *first_event(const struct report *report)
{
	size_t i;

	for (i = 0; i < report->num_events; i++)
		if (report->event[i].header->period)
			return &report->event[i];
	return NULL;
}

/* Copy an event's text without its period (:p=). */
static void without_period(const char *text, char *copy, size_t size)
{
	const char *period = strstr(text, ":p=");
	size_t before = period ? (size_t)(period - text) : strlen(text);
	size_t len = period ? 1 + strcspn(period + 1, ":") : 0;

	snprintf(copy, size, "%.*s%s", (int)before, text, text + before + len);
}

static bool has_name(const struct report_event *event, const char *name)
{
	char copy[PMC_EVENT_NAME_MAX + 1];

	without_period(record_event_text(event->header), copy, sizeof(copy));
	return !strcmp(copy, name);
}

static int fail_event(const struct report_job *job, const struct report *report, const char *what)
{
	char names[512] = "";
	size_t used = 0, i;

	for (i = 0; i < report->num_events && used < sizeof(names); i++)
		used += snprintf(names + used, sizeof(names) - used, "%s'%s'",
				 !i ? "" : i + 1 < report->num_events ? ", " : " and ",
				 record_event_text(report->event[i].header));
	return report_error("%s %s '%s'; it has %s", job->input, what, job->event, names);
}

/* Find the event of -e. Return: NULL after a message. */
static const struct report_event *find_event(const struct report_job *job,
					     const struct report *report)
{
	const struct report_event *found = NULL;
	size_t i, num = 0;

	for (i = 0; i < report->num_events; i++) {
		if (!strcmp(record_event_text(report->event[i].header), job->event))
			return &report->event[i];
		if (has_name(&report->event[i], job->event)) {
			found = &report->event[i];
			num++;
		}
	}
	if (num != 1)
		fail_event(job, report, num ? "has more than one event" : "has no event");
	return num == 1 ? found : NULL;
}

/* The event of -e, or the first. Return: NULL after a message. */
static const struct report_event *choose_event(const struct report_job *job,
					       const struct report *report)
{
	const struct report_event *event =
		report->selected ? report->selected : first_event(report);
	size_t i, num = 0;

	for (i = 0; i < report->num_events; i++)
		num += !!report->event[i].header->period;
	if (!event)
		report_error("%s: it has no sampled event", job->input);
	else if (num > 1 && !report->selected)
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
	const struct report_event *event = NULL;

	if (job->event) {
		report->selected = find_event(job, report);
		if (!report->selected)
			return EXIT_TROUBLE;
	}
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
		report_print_json(report, job->by, stdout);
		break;
	default:
		report_print_table(report, job->by, stdout);
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

static int read_and_print(const struct report_job *job)
{
	char error[RECORD_ERROR_SIZE];
	struct record_file *file = record_read(job->input, error);
	struct report report;
	int result;

	if (!file)
		return fail_read(job, error);
	report_build(&report, file, job->root);
	result = print(job, &report);
	report_free(&report);
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

	for (job->by = 0;; list += len + 1) {
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

/* Options without a letter */
enum {
	OPTION_STDIO = 256,
	OPTION_JSON,
	OPTION_FOLDED,
	OPTION_FLAME_GRAPH,
	OPTION_ROOT,
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

static int set_option(struct report_job *job, int option, char **argv)
{
	switch (option) {
	case 'i':
		return set_input(job, optarg);
	case 's':
		return set_keys(job, optarg);
	case 'e':
		job->event = optarg;
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
		return report_option_error(option, argv, options);
	}
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
	return 0;
}

static int run(int argc, char **argv)
{
	struct report_job job = {
		.input = DEFAULT_FILE,
		.root = "",
		.by = REPORT_BY_COMMAND | REPORT_BY_FILE | REPORT_BY_FUNCTION,
	};
	bool help = false;
	int result;

	result = read_options(&job, argc, argv, &help);
	if (help) {
		fputs(usage, stdout);
		return output_close(stdout, "the standard output");
	}
	return result ? result : read_and_print(&job);
}

const struct subcommand report_command = {
	.name = "report",
	.summary = "print where the samples of record lie",
	.usage = usage,
	.run = run,
};
