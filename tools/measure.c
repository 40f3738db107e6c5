// SPDX-License-Identifier: GPL-2.0-only
/* Run a command, or watch a process, while a context counts */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "measure.h"

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

int measure_exit_status(int status)
{
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int measure_fail_signal(void)
{
	complain("signal %d (%s): the command was not started", command_signal(),
		 strsignal(command_signal()));
	return EXIT_SIGNAL + command_signal();
}

bool measure_counts_command(const struct measure *measure)
{
	return measure->scope == PMC_SCOPE_THREAD || measure->scope == PMC_SCOPE_TREE;
}

int measure_choose(struct measure *measure, enum pmc_scope scope)
{
	if (measure->scope != PMC_SCOPE_TREE && measure->scope != scope)
		return complain_usage("-i, -p, -C and -a exclude each other");
	measure->scope = scope;
	return 0;
}

int measure_set_cpu(struct measure *measure, const char *text)
{
	uint64_t cpu;

	if (read_number("-C, --cpu", text, 0, INT_MAX, &cpu))
		return EXIT_TROUBLE;
	measure->cpu = cpu;
	return measure_choose(measure, PMC_SCOPE_CPU);
}

int measure_set_pid(struct measure *measure, const char *text)
{
	uint64_t pid;

	if (read_number("-p, --pid", text, 1, INT_MAX, &pid))
		return EXIT_TROUBLE;
	measure->pid = pid;
	return measure_choose(measure, PMC_SCOPE_PROCESS);
}

int measure_set_kind(struct measure *measure, const char *text)
{
	if (!pmc_kind_parse(text, &measure->kind))
		return 0;
	return complain_usage("--kind: %s", pmc_error());
}

struct pmc_context *measure_open(const struct measure *measure,
				 const struct pmc_device *device)
{
	struct pmc_context *context = pmc_context_open(device);
	int error;

	if (!context || !pmc_context_set_kind(context, measure->kind))
		return context;
	error = errno;
	pmc_context_close(context);
	errno = error;
	return NULL;
}

bool measure_missed_kind(const struct measure *measure, const struct pmc_snapshot *snapshot)
{
	const char *name = pmc_kind_name(measure->kind);

	/* it was to be counted, but not there */
	if (!measure->kind || snapshot->time_counted || !snapshot->time_enabled)
		return false;
	complain("nothing ran on a core of the kind %s", name ? name : "wanted");
	return true;
}

const char *measure_scope_name(const struct measure *measure)
{
	switch (measure->scope) {
	case PMC_SCOPE_CPU:
		return "cpu";
	case PMC_SCOPE_ALL_CPUS:
		return "all-cpus";
	case PMC_SCOPE_THREAD:
		return "thread";
	case PMC_SCOPE_PROCESS:
		return "process";
	default:
		return "tree";
	}
}

int measure_scope(const struct measure *measure, struct pmc_context *context, pid_t pid)
{
	switch (measure->scope) {
	case PMC_SCOPE_CPU:
		return pmc_context_set_cpu(context, measure->cpu);
	case PMC_SCOPE_ALL_CPUS:
		return pmc_context_set_all_cpus(context);
	case PMC_SCOPE_PROCESS:
		return pmc_context_set_process(context, measure->pid);
	case PMC_SCOPE_THREAD:
		return pmc_context_set_thread(context, pid, true);
	default:
		return pmc_context_set_tree(context, pid, true);
	}
}

/* Set up the counters, for a command anew each time; then start or arm them. */
static int start(struct measure *measure, pid_t pid)
{
	if (measure_counts_command(measure) && measure_scope(measure, measure->context, pid))
		return -1;
	if (measure->again && !measure_counts_command(measure)) {
		if (pmc_context_reset(measure->context))
			return -1;
	} else if (pmc_context_configure(measure->context) &&
		   (!measure->repair || measure->repair(measure->data, pid))) {
		return -1;
	}
	if (!measure->again && measure->ready)
		measure->ready(measure->data);
	measure->again = true;
	return pmc_context_start(measure->context);
}

static int fail_start(const struct measure *measure)
{
	return measure->explain ? measure->explain(measure->data) : complain("%s", pmc_error());
}

static int end(struct measure *measure, struct pmc_snapshot *snapshot)
{
	if (!measure_counts_command(measure) && pmc_context_stop(measure->context))
		return -1;
	return pmc_context_read(measure->context, snapshot);
}

/* Give the counters back where the next run needs them for another process. */
static int release(struct measure *measure)
{
	return measure_counts_command(measure) ? pmc_context_release(measure->context) : 0;
}

/* Wait for the end of a process with a tick every interval. */
static void wait_with_ticks(struct measure *measure, int process, uint64_t begin,
			    bool until_signal)
{
	uint64_t next = begin + measure->interval_ns, now;
	bool ticking = measure->interval_ns;

	while (!process_wait(process, ticking ? next : 0, until_signal)) {
		now = now_ns();
		if (measure->tick(measure->data, now - begin))
			ticking = false;
		if (ticking)
			next += (now - next) / measure->interval_ns * measure->interval_ns +
				measure->interval_ns;
	}
}

/* Counts that are not what the user expects: 0 after a warning, or EXIT_TROUBLE */
static int check_counted(const struct measure *measure, const struct measured *measured)
{
	if (measured->snapshot.state & PMC_STATE_INCOMPLETE)
		complain("out of memory to follow a thread or process: its counts are missing");
	if (measured->snapshot.state & PMC_STATE_UNCOUNTED)
		complain("a CPU that came online meanwhile cannot count this: what ran there is missing; try again");
	if (measured->snapshot.state & PMC_STATE_OFFLINE)
		complain("CPU %d went offline; it was counted up to then", measure->cpu);
	if (measure_missed_kind(measure, &measured->snapshot))
		return 0;
	if (measure_counts_command(measure) && !measured->snapshot.time_counted &&
	    WIFEXITED(measured->status))
		return complain("not counted: the command gains rights; run pmcctl as root");
	return 0;
}

/* From its release to its end. Return: the error number of its exec. */
static int run(struct measure *measure, struct command *command, struct measured *measured)
{
	int process = measure->interval_ns ? process_open(command->pid) : -1;
	int error;

	measured->elapsed_ns = now_ns();
	error = command_release(command);
	if (process >= 0 && !error)
		wait_with_ticks(measure, process, measured->elapsed_ns, false);
	if (process >= 0)
		process_close(process);
	command_wait(command);
	measured->elapsed_ns = now_ns() - measured->elapsed_ns;
	return error;
}

int measure_command(struct measure *measure, char **argv, struct measured *measured)
{
	struct command command;
	int error, result;

	if (command_prepare(&command, argv))
		return complain("cannot make a process: %s", strerror(errno));
	if (command_signal() || start(measure, command.pid)) {
		result = command_signal() ? measure_fail_signal() : fail_start(measure);
		command_finish(&command);
		return result;
	}
	error = run(measure, &command, measured);
	result = end(measure, &measured->snapshot) || release(measure) ?
		 complain("%s", pmc_error()) : 0;
	measured->status = command_finish(&command);
	if (error)
		return command_fail_exec(&command, error);
	return result ? result : check_counted(measure, measured);
}

int measure_process(struct measure *measure, struct measured *measured)
{
	int process = process_open(measure->pid);
	int result;

	if (process < 0)
		return EXIT_TROUBLE;
	measured->status = 0;
	result = start(measure, 0) ? fail_start(measure) : 0;
	if (!result) {
		measured->elapsed_ns = now_ns();
		wait_with_ticks(measure, process, measured->elapsed_ns, true);
		measured->elapsed_ns = now_ns() - measured->elapsed_ns;
		result = end(measure, &measured->snapshot) ? complain("%s", pmc_error()) : 0;
	}
	process_close(process);
	return result ? result : check_counted(measure, measured);
}
