// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: count the events of a command, a process, a CPU or all CPUs */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "pmcctl.h"
#include "cmd-stat.h"

#define RUNS_MAX	100000

static const char usage[] =
	"Usage: pmcctl stat [-i | -C CPU | -a] [-e EVENT,...] [-r N] [--json] [-o FILE]\n"
	"                   [--] COMMAND [ARGUMENT...]\n"
	"       pmcctl stat -p PID [-e EVENT,...] [-r N] [--json] [-o FILE]\n"
	"                   [[--] COMMAND [ARGUMENT...]]\n"
	"\n"
	"Count the events of COMMAND from its exec to its end, to the last one: its own and\n"
	"those of all threads and processes that it makes.\n"
	"\n"
	"  -e, --event=LIST     events to count, with commas between them, such as\n"
	"                       instructions:u,branch-misses,r00c0,cpu/event=0xc0,cmask=1/\n"
	"                       (default: instructions,cycles,branches,branch-misses,\n"
	"                       as far as they fit); see pmcctl-stat(1)\n"
	"  -i, --no-inherit, --thread\n"
	"                       count COMMAND's first thread alone\n"
	"  -p, --pid=PID        count this process, all its threads, while COMMAND runs, or\n"
	"                       without COMMAND until it ends or you press Ctrl-C\n"
	"  -C, --cpu=CPU        count this CPU while COMMAND runs\n"
	"  -a, --all-cpus       count all CPUs while COMMAND runs\n"
	"  -r, --repeat=N       run COMMAND N times\n"
	"      --json           JSON instead of a table\n"
	"  -o, --output=FILE    write to FILE, not to the standard error\n"
	"  -h, --help           this help\n"
	"\n"
	"The exit status is COMMAND's; 128+N if signal N ended it; 127 if COMMAND was not\n"
	"found, 126 if it cannot be run, 125 if pmcctl itself failed.\n";

static const char *const default_events[] = {
	"instructions", "cycles", "branches", "branch-misses",
};

/* ---- the context ---- */

/* Whether what is counted is the command, which is another process in each run. */
static bool counts_command(const struct stat_job *job)
{
	return job->scope == PMC_SCOPE_THREAD || job->scope == PMC_SCOPE_TREE;
}

/* @pid: the command's process */
static int set_scope(struct stat_job *job, pid_t pid)
{
	switch (job->scope) {
	case PMC_SCOPE_CPU:
		return pmc_context_set_cpu(job->context, job->cpu);
	case PMC_SCOPE_ALL_CPUS:
		return pmc_context_set_all_cpus(job->context);
	case PMC_SCOPE_PROCESS:
		return pmc_context_set_process(job->context, job->pid);
	case PMC_SCOPE_THREAD:
		return pmc_context_set_thread(job->context, pid, true);
	default:
		return pmc_context_set_tree(job->context, pid, true);
	}
}

/* Add the default events that fit, with @modifier, and tell which do not. */
static int add_default_events(struct stat_job *job, const char *modifier)
{
	char name[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(default_events); i++) {
		snprintf(name, sizeof(name), "%s%s", default_events[i], modifier);
		job->event[job->num_events] = pmc_event_parse(name);
		if (!job->event[job->num_events])
			return -1;
		if (!pmc_context_add(job->context, job->event[job->num_events])) {
			job->num_events++;
			continue;
		}
		pmc_event_free(job->event[job->num_events]);
		if (errno != ENOSPC && errno != EOPNOTSUPP)
			return -1;
		complain("left out: %s", pmc_error());
	}
	return job->num_events ? 0 : -1;
}

static int add_events(struct stat_job *job)
{
	size_t i;

	if (job->defaults)
		return add_default_events(job, "");
	for (i = 0; i < job->num_events; i++)
		if (pmc_context_add(job->context, job->event[i]))
			return -1;
	return 0;
}

static void free_events(struct stat_job *job)
{
	while (job->num_events)
		pmc_event_free(job->event[--job->num_events]);
}

static int open_context(struct stat_job *job)
{
	job->context = pmc_context_open(job->device);
	if (!job->context || set_scope(job, 0))
		return -1;
	return 0;
}

/* Count user mode only, where the default events' kernel mode is not allowed. */
static int leave_kernel_out(struct stat_job *job, pid_t pid)
{
	if (!job->defaults || job->num_runs || (errno != EACCES && errno != EPERM) ||
	    job->scope == PMC_SCOPE_CPU || job->scope == PMC_SCOPE_ALL_CPUS)
		return -1;
	pmc_context_close(job->context);
	free_events(job);
	if (open_context(job) || add_default_events(job, ":u") || set_scope(job, pid) ||
	    pmc_context_configure(job->context))
		return -1;
	complain("counting user mode only: kernel mode needs CAP_PERFMON");
	return 0;
}

/* Set up the counters, for a command anew in each run; then start or arm them. */
static int start_counting(struct stat_job *job, pid_t pid)
{
	if (counts_command(job) && set_scope(job, pid))
		return -1;
	if (job->num_runs && !counts_command(job)) {
		if (pmc_context_reset(job->context))
			return -1;
	} else if (pmc_context_configure(job->context) && leave_kernel_out(job, pid)) {
		return -1;
	}
	return pmc_context_start(job->context);
}

static int end_counting(struct stat_job *job, struct pmc_snapshot *snapshot)
{
	if (!counts_command(job) && pmc_context_stop(job->context))
		return -1;
	if (pmc_context_read(job->context, snapshot))
		return -1;
	return counts_command(job) ? pmc_context_release(job->context) : 0;
}

/* ---- one run ---- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static int fail_exec(const char *name, int error)
{
	complain("cannot run '%s': %s", name, strerror(error));
	return error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* Counts that are not what the user expects: 0 after a warning, or EXIT_TROUBLE */
static int check_counted(struct stat_job *job, const struct stat_run *run)
{
	if (run->snapshot.state & PMC_STATE_INCOMPLETE) {
		job->incomplete = true;
		complain("out of memory to follow a thread or process: its counts are missing");
	}
	if (run->snapshot.state & PMC_STATE_OFFLINE)
		complain("CPU %d went offline; it was counted up to then", job->cpu);
	if (counts_command(job) && !run->snapshot.time_counted && WIFEXITED(run->status))
		return complain("not counted: the command gains rights; run pmcctl as root");
	return 0;
}

/* Run the command and count. Return: 0, or the exit status of a failure. */
static int run_once(struct stat_job *job, struct stat_run *run)
{
	struct command command;
	int error, result;

	if (command_prepare(&command, job->argv))
		return complain("cannot make a process: %s", strerror(errno));
	if (command_signal() || start_counting(job, command.pid)) {
		result = command_signal() ? EXIT_SIGNAL + command_signal() :
					    complain("%s", pmc_error());
		command_finish(&command);
		return result;
	}
	run->elapsed_ns = now_ns();
	error = command_release(&command);
	command_wait(&command);
	run->elapsed_ns = now_ns() - run->elapsed_ns;
	result = end_counting(job, &run->snapshot) ? complain("%s", pmc_error()) : 0;
	run->status = command_finish(&command);
	if (error)
		return fail_exec(job->argv[0], error);
	return result ? result : check_counted(job, run);
}

/* Count a process until it ends or a signal comes. Return: as run_once(). */
static int attach(struct stat_job *job, struct stat_run *run)
{
	int process = process_open(job->pid);
	int result;

	if (process < 0)
		return EXIT_TROUBLE;
	result = start_counting(job, 0) ? complain("%s", pmc_error()) : 0;
	if (!result) {
		run->elapsed_ns = now_ns();
		process_wait(process);
		run->elapsed_ns = now_ns() - run->elapsed_ns;
		result = end_counting(job, &run->snapshot) ? complain("%s", pmc_error()) : 0;
	}
	process_close(process);
	return result ? result : check_counted(job, run);
}

static int exit_status(const struct stat_run *run)
{
	if (WIFSIGNALED(run->status))
		return EXIT_SIGNAL + WTERMSIG(run->status);
	return WEXITSTATUS(run->status);
}

/* Return: 0, or the exit status of a failure; the runs before it are kept. */
static int run_all(struct stat_job *job)
{
	struct stat_run *run;
	int result;

	while (job->num_runs < job->wanted_runs) {
		run = &job->run[job->num_runs];
		result = job->argv[0] ? run_once(job, run) : attach(job, run);
		if (result)
			return result;
		job->num_runs++;
		if (command_signal() || WIFSIGNALED(run->status))
			break;
	}
	return 0;
}

/* The first status of a run that is not 0 */
static int first_status(const struct stat_job *job)
{
	size_t i;

	for (i = 0; i < job->num_runs; i++)
		if (exit_status(&job->run[i]))
			return exit_status(&job->run[i]);
	return 0;
}

/* ---- all of it ---- */

static int print(struct stat_job *job)
{
	if (job->json)
		stat_print_json(job, job->file);
	else
		stat_print_table(job, job->file);
	return output_close(job->file, job->path ? job->path : "the standard error");
}

static int count(struct stat_job *job)
{
	int result, printed = 0;

	if (open_context(job) || add_events(job))
		return complain("%s", pmc_error());
	command_catch_signals();
	result = run_all(job);
	if (job->num_runs)
		printed = print(job);
	if (!result && job->incomplete)
		result = EXIT_TROUBLE;
	if (!result)
		result = first_status(job);
	if (!result && command_signal() && job->argv[0])
		result = EXIT_SIGNAL + command_signal();
	return printed ? printed : result;
}

static uint32_t tsc_khz(const struct stat_job *job)
{
	struct pmc_info *info = pmc_device_get_info(job->device, PMC_CPU_ANY);
	uint32_t khz = info ? pmc_info_query(info)->tsc_khz : 0;

	pmc_info_free(info);
	return khz;
}

static int open_and_count(struct stat_job *job)
{
	int result;

	job->file = job->path ? output_open(job->path) : stderr;
	if (!job->file)
		return EXIT_TROUBLE;
	job->device = pmc_device_open(NULL);
	if (!job->device)
		return complain("%s", pmc_error());
	job->tsc_khz = tsc_khz(job);
	job->run = calloc(job->wanted_runs, sizeof(*job->run));
	if (job->run)
		result = count(job);
	else
		result = complain("out of memory for %zu runs", job->wanted_runs);
	free(job->run);
	pmc_context_close(job->context);
	pmc_device_close(job->device);
	return result;
}

/* ---- options ---- */

static int add_list(struct stat_job *job, const char *list)
{
	struct pmc_event *event;

	do {
		event = pmc_event_parse_next(&list);
		if (!event)
			return complain_usage("%s", pmc_error());
		if (job->num_events == PMC_COUNTERS_MAX) {
			pmc_event_free(event);
			return complain("more than %d events", PMC_COUNTERS_MAX);
		}
		job->event[job->num_events++] = event;
		if (pmc_event_period(event))
			return complain_usage("event '%s' has a period: stat only counts, leave :p away",
					      pmc_event_name(event));
	} while (*list);
	return 0;
}

static int set_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	if (parse_number(text, min, max, number))
		return 0;
	return complain_usage("'%s' is not a number from %llu to %llu", text,
			      (unsigned long long)min, (unsigned long long)max);
}

static int choose_scope(struct stat_job *job, enum pmc_scope scope)
{
	if (job->scope != PMC_SCOPE_TREE && job->scope != scope)
		return complain_usage("-i, -p, -C and -a exclude each other");
	job->scope = scope;
	return 0;
}

static int set_cpu(struct stat_job *job, const char *text)
{
	uint64_t cpu;

	if (!parse_number(text, 0, INT_MAX, &cpu))
		return complain_usage("'%s' is not a CPU number", text);
	job->cpu = cpu;
	return choose_scope(job, PMC_SCOPE_CPU);
}

static int set_pid(struct stat_job *job, const char *text)
{
	uint64_t pid;

	if (!parse_number(text, 1, INT_MAX, &pid))
		return complain_usage("'%s' is not a process number", text);
	job->pid = pid;
	return choose_scope(job, PMC_SCOPE_PROCESS);
}

static int set_runs(struct stat_job *job, const char *text)
{
	uint64_t runs;

	if (set_number(text, 1, RUNS_MAX, &runs))
		return EXIT_TROUBLE;
	job->wanted_runs = runs;
	return 0;
}

static int set_option(struct stat_job *job, int option, char **argv)
{
	switch (option) {
	case 'C':
		return set_cpu(job, optarg);
	case 'a':
		return choose_scope(job, PMC_SCOPE_ALL_CPUS);
	case 'i':
		return choose_scope(job, PMC_SCOPE_THREAD);
	case 'p':
		return set_pid(job, optarg);
	case 'e':
		return add_list(job, optarg);
	case 'r':
		return set_runs(job, optarg);
	case 'j':
		job->json = true;
		return 0;
	case 'o':
		job->path = optarg;
		return 0;
	case ':':
		return complain_usage("option '%s' needs a value", argv[optind - 1]);
	default:
		return complain_usage("unknown option '%s'", argv[optind - 1]);
	}
}

/* Return: 0, or the exit status; @help is set if that is all that is wanted. */
static int read_options(struct stat_job *job, int argc, char **argv, bool *help)
{
	static const struct option options[] = {
		{ "cpu", required_argument, NULL, 'C' },
		{ "all-cpus", no_argument, NULL, 'a' },
		{ "no-inherit", no_argument, NULL, 'i' },
		{ "thread", no_argument, NULL, 'i' },
		{ "pid", required_argument, NULL, 'p' },
		{ "event", required_argument, NULL, 'e' },
		{ "repeat", required_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int option, result;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:C:aip:e:r:o:h", options, NULL)) != -1) {
		*help = option == 'h';
		if (*help)
			return 0;
		result = set_option(job, option, argv);
		if (result)
			return result;
	}
	if (optind == argc && job->scope != PMC_SCOPE_PROCESS)
		return complain_usage("no command to run");
	if (optind == argc && job->wanted_runs > 1)
		return complain_usage("-r needs a command to run");
	if (optind < argc && !argv[optind][0])
		return complain_usage("the command's name is empty");
	job->argv = argv + optind;
	job->defaults = !job->num_events;
	return 0;
}

static int run(int argc, char **argv)
{
	struct stat_job job = { .scope = PMC_SCOPE_TREE, .wanted_runs = 1 };
	bool help = false;
	int result;

	result = read_options(&job, argc, argv, &help);
	if (help) {
		fputs(usage, stdout);
		result = output_close(stdout, "the standard output");
	} else if (!result) {
		result = open_and_count(&job);
	}
	free_events(&job);
	return result;
}

const struct subcommand stat_command = {
	.name = "stat",
	.summary = "count the events of a command, a process, a CPU or all CPUs",
	.usage = usage,
	.run = run,
};
