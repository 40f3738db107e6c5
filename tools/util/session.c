// SPDX-License-Identifier: GPL-2.0-only
/* Count with a context while a command or a process runs */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "util/clock.h"
#include "util/error.h"
#include "util/process.h"
#include "util/session.h"
#include "util/workload.h"
#include "util/xalloc.h"

int session_exit_status(int status)
{
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int session_fail_signal(void)
{
	report_error("signal %d (%s): the command was not started", workload_signal(),
		     strsignal(workload_signal()));
	return EXIT_SIGNAL + workload_signal();
}

bool session_counts_workload(const struct session *session)
{
	return session->scope == PMC_SCOPE_TREE ||
	       (session->scope == PMC_SCOPE_THREAD && !session->num_targets);
}

bool session_counts_tasks(const struct session *session)
{
	return session->num_targets && session->scope != PMC_SCOPE_CPU;
}

struct pmc_context *session_open_context(const struct session *session,
					 const struct pmc_device *device)
{
	struct pmc_context *context = pmc_context_open(device);
	int error;

	if (!context || !pmc_context_set_core_type(context, session->core_type))
		return context;
	error = errno;
	pmc_context_close(context);
	errno = error;
	return NULL;
}

bool session_core_type_unused(const struct session *session, const struct pmc_snapshot *snapshot)
{
	const char *name = pmc_core_type_name(session->core_type);

	/* time_enabled without time_counted: it never ran on the selected core type */
	if (!session->core_type || snapshot->time_counted || !snapshot->time_enabled)
		return false;
	report_error("nothing ran on a core of type %s", name ? name : "wanted");
	return true;
}

const char *session_scope_name(const struct session *session)
{
	switch (session->scope) {
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

/* Set the scope for one of the targets; @pid: of the command */
static int apply_scope(const struct session *session, struct pmc_context *context, size_t index,
		       pid_t pid)
{
	bool on_exec = !session->delay_ns && !session->runs_already;

	switch (session->scope) {
	case PMC_SCOPE_CPU:
		return pmc_context_set_cpu(context, session->target[index]);
	case PMC_SCOPE_ALL_CPUS:
		return pmc_context_set_all_cpus(context);
	case PMC_SCOPE_PROCESS:
		return pmc_context_set_process(context, session->target[index]);
	case PMC_SCOPE_THREAD:
		if (session->num_targets)
			return pmc_context_set_thread(context, session->target[index], false);
		return pmc_context_set_thread(context, pid, on_exec);
	default:
		return pmc_context_set_tree(context, pid, on_exec);
	}
}

int session_apply_scope(const struct session *session, struct pmc_context *context, pid_t pid)
{
	return apply_scope(session, context, 0, pid);
}

/* ---- further targets ---- */

static size_t num_more(const struct session *session)
{
	return session->more ? session->num_targets - 1 : 0;
}

static int open_one_more(struct session *session, size_t index)
{
	struct pmc_context *context = session_open_context(session, session->device);

	session->more[index - 1] = context;
	if (!context || apply_scope(session, context, index, 0) ||
	    session->add(session->data, context))
		return -1;
	return pmc_context_configure(context);
}

/* Configure the contexts of the targets after the first one. */
static int open_more(struct session *session)
{
	size_t i;

	if (session->num_targets < 2)
		return 0;
	session->more = xcalloc(session->num_targets - 1, sizeof(struct pmc_context *));
	for (i = 1; i < session->num_targets; i++)
		if (open_one_more(session, i))
			return -1;
	return 0;
}

/* Call a function of libpmcdrv for all contexts. */
static int call_all(const struct session *session, int (*function)(struct pmc_context *context))
{
	int result = function(session->context);
	size_t i;

	for (i = 0; i < num_more(session) && !result; i++)
		result = function(session->more[i]);
	return result;
}

int session_read(const struct session *session, struct pmc_snapshot *snapshot)
{
	struct pmc_snapshot part;
	size_t i, event;

	if (pmc_context_read(session->context, snapshot))
		return -1;
	for (i = 0; i < num_more(session); i++) {
		if (pmc_context_read(session->more[i], &part))
			return -1;
		snapshot->cpu = -1;
		snapshot->state |= part.state;
		snapshot->time_counted += part.time_counted;
		if (part.time_enabled > snapshot->time_enabled)
			snapshot->time_enabled = part.time_enabled;
		for (event = 0; event < snapshot->num_values; event++)
			snapshot->value[event] += part.value[event];
	}
	return 0;
}

int session_read_target(const struct session *session, size_t index,
			struct pmc_snapshot *snapshot)
{
	return pmc_context_read(index ? session->more[index - 1] : session->context, snapshot);
}

void session_close(struct session *session)
{
	size_t i;

	for (i = 0; i < num_more(session); i++)
		pmc_context_close(session->more[i]);
	free(session->more);
	free(session->target);
	session->more = NULL;
	session->target = NULL;
}

/* ---- from start to end ---- */

/* Configure the counters, for each run of a command; with a delay they start later. */
static int start(struct session *session, pid_t pid)
{
	if (session_counts_workload(session) && session_apply_scope(session, session->context, pid))
		return -1;
	if (session->configured && !session_counts_workload(session)) {
		if (call_all(session, pmc_context_reset))
			return -1;
	} else if (pmc_context_configure(session->context) &&
		   (!session->repair || session->repair(session->data, pid))) {
		return -1;
	}
	if (!session->configured && open_more(session))
		return -1;
	if (!session->configured && session->ready)
		session->ready(session->data);
	session->configured = true;
	return session->delay_ns ? 0 : call_all(session, pmc_context_start);
}

static int fail_start(const struct session *session)
{
	return session->explain ? session->explain(session->data) : report_error("%s", pmc_error());
}

/* Stop counting, unless the command ended it, and read the counts. */
static int end(struct session *session, struct session_result *measured)
{
	bool stopped = session_counts_workload(session) && !workload_is_abandoned();

	if (!stopped && call_all(session, pmc_context_stop))
		return -1;
	return session_read(session, &measured->snapshot);
}

/* Release the counters if the next run needs them for another process. */
static int release(struct session *session)
{
	return session_counts_workload(session) ? pmc_context_release(session->context) : 0;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

/*
 * Waiting, with times of now_ns()
 * @begin: counting began
 * @tick: the next call of session->tick; 0 for none
 * @limit: the time limit; 0 for none
 */
struct waiting {
	uint64_t begin;
	uint64_t tick;
	uint64_t limit;
};

static struct waiting begin_waiting(const struct session *session, uint64_t begin)
{
	return (struct waiting){
		.begin = begin,
		.tick = session->interval_ns ? begin + session->interval_ns : 0,
		.limit = session->timeout_ns ? begin + session->timeout_ns : 0,
	};
}

/* Wait for the exit of a process and call @tick. Return: true at the time limit. */
static bool wait_with_intervals(struct session *session, struct waiting *waiting, int process,
				bool until_signal)
{
	uint64_t now;

	while (!process_wait(process, earlier(waiting->tick, waiting->limit), until_signal)) {
		now = now_ns();
		if (waiting->limit && now >= waiting->limit)
			return true;
		if (session->tick(session->data, now - waiting->begin))
			waiting->tick = 0;
		else
			waiting->tick += (now - waiting->tick) / session->interval_ns *
					 session->interval_ns + session->interval_ns;
	}
	return false;
}

/* Report incomplete counts. Return: 0 after a warning, or EXIT_TROUBLE. */
static int check_counted(const struct session *session, const struct session_result *measured)
{
	if (measured->snapshot.state & PMC_STATE_INCOMPLETE)
		report_error("out of memory to follow a thread or process: its counts are missing");
	if ((measured->snapshot.state & (PMC_STATE_UNCOUNTED | PMC_STATE_REWRITTEN)) ==
	    PMC_STATE_UNCOUNTED)
		report_error("a CPU could not count this (see PMC_STATE_UNCOUNTED in pmcdrv(4)): the counts are too low; try again");
	if (measured->snapshot.state & PMC_STATE_REWRITTEN)
		report_error("other software wrote the counters' registers meanwhile, or perf's file rdpmc was changed from 0: the counts are wrong; stop it and measure again");
	if (measured->snapshot.state & PMC_STATE_OFFLINE)
		report_error("CPU %d%s went offline; it was counted up to then", session->target[0],
			     session->num_targets > 1 ? " or another counted one" : "");
	if (session_core_type_unused(session, &measured->snapshot))
		return 0;
	if (session_counts_workload(session) && !measured->snapshot.time_counted &&
	    WIFEXITED(measured->status))
		return report_error("not counted: the command gains privileges by its exec; run pmcctl as root");
	return 0;
}

/* Wait until counting begins. Return: 0, -1 with pmc_error(), or 1 if the process has ended. */
static int wait_for_start(struct session *session, int process, bool until_signal)
{
	if (!session->delay_ns)
		return 0;
	if (process_wait(process, now_ns() + session->delay_ns, until_signal))
		return 1;
	return call_all(session, pmc_context_start);
}

/* Count the command from its exec to its end. Return: 0, or the exit status after a message. */
static int count_workload(struct session *session, const struct workload *workload,
			  struct session_result *measured)
{
	int process = process_open(workload->pid), result;
	struct waiting waiting;

	if (process < 0)
		return EXIT_TROUBLE;
	result = wait_for_start(session, process, false);
	waiting = begin_waiting(session, session->delay_ns ? now_ns() : measured->begin_ns);
	if (result > 0)
		result = report_error("the command ended during the delay of -D: nothing was counted");
	else if (result)
		result = report_error("%s", pmc_error());
	else
		measured->timed_out = wait_with_intervals(session, &waiting, process, false);
	if (measured->timed_out && call_all(session, pmc_context_stop))
		result = report_error("%s", pmc_error());
	measured->elapsed_ns = now_ns() - waiting.begin;
	if (measured->timed_out) {
		workload_end(workload);
		process_wait(process, 0, false);
	}
	process_close(process);
	return result;
}

/* Reap the command. SIGTERM at the time limit is its regular end. */
static void reap(struct workload *workload, struct session_result *measured)
{
	const struct rusage *usage = &workload->usage;

	measured->status = workload_reap(workload);
	if (measured->timed_out && WIFSIGNALED(measured->status) &&
	    WTERMSIG(measured->status) == SIGTERM && !workload_signal())
		measured->status = 0;
	measured->user_us = usage->ru_utime.tv_sec * 1000000ULL + usage->ru_utime.tv_usec;
	measured->system_us = usage->ru_stime.tv_sec * 1000000ULL + usage->ru_stime.tv_usec;
}

int session_run_workload(struct session *session, char **argv, struct session_result *measured)
{
	struct workload workload;
	int error, result;

	if (workload_fork(&workload, argv))
		return report_error("cannot create a process: %s", strerror(errno));
	if (workload_signal() || start(session, workload.pid)) {
		result = workload_signal() ? session_fail_signal() : fail_start(session);
		workload_reap(&workload);
		return result;
	}
	measured->begin_ns = now_ns();
	error = workload_exec(&workload);
	result = error ? 0 : count_workload(session, &workload, measured);
	if (!result && (end(session, measured) || release(session)))
		result = report_error("%s", pmc_error());
	reap(&workload, measured);
	if (error)
		return workload_fail_exec(&workload, error);
	return result ? result : check_counted(session, measured);
}

/* ---- without a command ---- */

/* Open the processes and threads. Return: 0, or EXIT_TROUBLE after a message. */
static int open_tasks(const struct session *session, int *task)
{
	size_t i;

	for (i = 0; i < session->num_targets; i++) {
		if (session->scope == PMC_SCOPE_THREAD)
			task[i] = process_open_thread(session->target[i]);
		else
			task[i] = process_open(session->target[i]);
		if (task[i] < 0)
			return EXIT_TROUBLE;
	}
	return 0;
}

/* Wait for the end of the tasks, one after the other; without tasks, for a signal or the limit. */
static void wait_for_tasks(struct session *session, const int *task, size_t num,
			   struct session_result *measured)
{
	struct waiting waiting = begin_waiting(session, now_ns());
	size_t i = 0;

	do {
		measured->timed_out = wait_with_intervals(session, &waiting, num ? task[i] : -1,
							  true);
	} while (++i < num && !measured->timed_out && !workload_signal());
	measured->elapsed_ns = now_ns() - waiting.begin;
}

static int count_tasks(struct session *session, const int *task, size_t num,
		       struct session_result *measured)
{
	int result = start(session, 0) ? fail_start(session) : 0;

	if (result)
		return result;
	result = wait_for_start(session, -1, true);
	if (result > 0)
		return report_error("signal %d (%s) arrived during the delay of -D: nothing was counted",
				    workload_signal(), strsignal(workload_signal()));
	if (!result)
		wait_for_tasks(session, task, num, measured);
	if (result || end(session, measured))
		return report_error("%s", pmc_error());
	return check_counted(session, measured);
}

int session_run_attached(struct session *session, struct session_result *measured)
{
	size_t num = session_counts_tasks(session) ? session->num_targets : 0, i;
	int *task = xcalloc(num + 1, sizeof(*task));
	int result = 0;

	for (i = 0; i < num; i++)
		task[i] = -1;
	if (num)
		result = open_tasks(session, task);
	measured->status = 0;
	if (!result)
		result = count_tasks(session, task, num, measured);
	for (i = 0; i < num && task[i] >= 0; i++)
		process_close(task[i]);
	free(task);
	return result;
}
