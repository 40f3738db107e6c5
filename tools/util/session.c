// SPDX-License-Identifier: GPL-2.0-only
/* Count with a context while a command or a process runs */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>

#include "util/clock.h"
#include "util/error.h"
#include "util/process.h"
#include "util/session.h"
#include "util/workload.h"

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
	return session->scope == PMC_SCOPE_THREAD || session->scope == PMC_SCOPE_TREE;
}

int session_set_scope(struct session *session, enum pmc_scope scope)
{
	if (session->scope != PMC_SCOPE_TREE && session->scope != scope)
		return report_usage_error("-i, -p, -C and -a exclude each other");
	session->scope = scope;
	return 0;
}

int session_set_cpu(struct session *session, const char *text)
{
	uint64_t cpu;

	if (read_number("-C, --cpu", text, 0, INT_MAX, &cpu))
		return EXIT_TROUBLE;
	session->cpu = cpu;
	return session_set_scope(session, PMC_SCOPE_CPU);
}

int session_set_pid(struct session *session, const char *text)
{
	uint64_t pid;

	if (read_number("-p, --pid", text, 1, INT_MAX, &pid))
		return EXIT_TROUBLE;
	session->pid = pid;
	return session_set_scope(session, PMC_SCOPE_PROCESS);
}

int session_set_core_type(struct session *session, const char *text)
{
	if (!pmc_core_type_parse(text, &session->core_type))
		return 0;
	return report_usage_error("--cputype: %s", pmc_error());
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

int session_apply_scope(const struct session *session, struct pmc_context *context, pid_t pid)
{
	switch (session->scope) {
	case PMC_SCOPE_CPU:
		return pmc_context_set_cpu(context, session->cpu);
	case PMC_SCOPE_ALL_CPUS:
		return pmc_context_set_all_cpus(context);
	case PMC_SCOPE_PROCESS:
		return pmc_context_set_process(context, session->pid);
	case PMC_SCOPE_THREAD:
		return pmc_context_set_thread(context, pid, true);
	default:
		return pmc_context_set_tree(context, pid, true);
	}
}

/* Configure the counters, for each run of a command; then start or arm them. */
static int start(struct session *session, pid_t pid)
{
	if (session_counts_workload(session) && session_apply_scope(session, session->context, pid))
		return -1;
	if (session->configured && !session_counts_workload(session)) {
		if (pmc_context_reset(session->context))
			return -1;
	} else if (pmc_context_configure(session->context) &&
		   (!session->repair || session->repair(session->data, pid))) {
		return -1;
	}
	if (!session->configured && session->ready)
		session->ready(session->data);
	session->configured = true;
	return pmc_context_start(session->context);
}

static int fail_start(const struct session *session)
{
	return session->explain ? session->explain(session->data) : report_error("%s", pmc_error());
}

static int end(struct session *session, struct pmc_snapshot *snapshot)
{
	if (!session_counts_workload(session) && pmc_context_stop(session->context))
		return -1;
	return pmc_context_read(session->context, snapshot);
}

/* Release the counters if the next run needs them for another process. */
static int release(struct session *session)
{
	return session_counts_workload(session) ? pmc_context_release(session->context) : 0;
}

/* Wait for the exit of a process and call @tick at every interval. */
static void wait_with_intervals(struct session *session, int process, uint64_t begin,
				bool until_signal)
{
	uint64_t next = begin + session->interval_ns, now;
	bool ticking = session->interval_ns;

	while (!process_wait(process, ticking ? next : 0, until_signal)) {
		now = now_ns();
		if (session->tick(session->data, now - begin))
			ticking = false;
		if (ticking)
			next += (now - next) / session->interval_ns * session->interval_ns +
				session->interval_ns;
	}
}

/* Report incomplete counts. Return: 0 after a warning, or EXIT_TROUBLE. */
static int check_counted(const struct session *session, const struct session_result *measured)
{
	if (measured->snapshot.state & PMC_STATE_INCOMPLETE)
		report_error("out of memory to follow a thread or process: its counts are missing");
	if (measured->snapshot.state & PMC_STATE_UNCOUNTED)
		report_error("a CPU that came online meanwhile cannot count this: its counts are missing; try again");
	if (measured->snapshot.state & PMC_STATE_OFFLINE)
		report_error("CPU %d went offline; it was counted up to then", session->cpu);
	if (session_core_type_unused(session, &measured->snapshot))
		return 0;
	if (session_counts_workload(session) && !measured->snapshot.time_counted &&
	    WIFEXITED(measured->status))
		return report_error("not counted: the command gains privileges by its exec; run pmcctl as root");
	return 0;
}

/* Run the command from its release to its exit. Return: the error number of its exec. */
static int run(struct session *session, struct workload *workload, struct session_result *measured)
{
	int process = session->interval_ns ? process_open(workload->pid) : -1;
	int error;

	measured->elapsed_ns = now_ns();
	error = workload_exec(workload);
	if (process >= 0 && !error)
		wait_with_intervals(session, process, measured->elapsed_ns, false);
	if (process >= 0)
		process_close(process);
	workload_wait(workload);
	measured->elapsed_ns = now_ns() - measured->elapsed_ns;
	return error;
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
	error = run(session, &workload, measured);
	result = end(session, &measured->snapshot) || release(session) ?
		 report_error("%s", pmc_error()) : 0;
	measured->status = workload_reap(&workload);
	if (error)
		return workload_fail_exec(&workload, error);
	return result ? result : check_counted(session, measured);
}

int session_run_process(struct session *session, struct session_result *measured)
{
	int process = process_open(session->pid);
	int result;

	if (process < 0)
		return EXIT_TROUBLE;
	measured->status = 0;
	result = start(session, 0) ? fail_start(session) : 0;
	if (!result) {
		measured->elapsed_ns = now_ns();
		wait_with_intervals(session, process, measured->elapsed_ns, true);
		measured->elapsed_ns = now_ns() - measured->elapsed_ns;
		result = end(session, &measured->snapshot) ? report_error("%s", pmc_error()) : 0;
	}
	process_close(process);
	return result ? result : check_counted(session, measured);
}
