/* SPDX-License-Identifier: GPL-2.0-only */
/* Count a command, processes, threads or CPUs, with one context for each target */
#ifndef PMCCTL_SESSION_H
#define PMCCTL_SESSION_H

#include <libpmcevents.h>
#include <sys/types.h>

/*
 * @context: with its events and the scope set by session_apply_scope()
 * @core_type: the core type to count on, 0 for all
 * @target, @num_targets: the CPUs of -C, processes of -p or threads of -t, each once
 * @device, @add: to open the contexts of further targets; @add adds the events to a context
 *	and returns 0, or -1 with pmc_error()
 * @more: the contexts of the targets after the first one, or NULL
 * @configured: the counters of CPUs or of a process are configured already
 * @interval_ns: interval between calls of @tick while counting, 0 for none
 * @runs_already: the command has been executed: its next exec does not start the counters
 * @delay_ns: time from the command's exec to the start of counting
 * @timeout_ns: time limit of counting, from its start; 0 for none
 * @ready: called once, when the counters are configured and counting begins; may be NULL
 * @tick: returns 0, or -1 after a message to end the calls
 * @repair: called if configuring failed, with errno and pmc_error(); returns 0 if it
 *	replaced @context by a configured one, else -1
 * @explain: reports from errno and pmc_error() why counting cannot begin, and returns
 *	EXIT_TROUBLE; NULL to print pmc_error()
 */
struct session {
	struct pmc_context *context;
	enum pmc_scope scope;
	uint32_t core_type;
	int *target;
	size_t num_targets;
	struct pmc_device *device;
	int (*add)(void *data, struct pmc_context *context);
	struct pmc_context **more;
	bool configured;
	uint64_t interval_ns;
	bool runs_already;
	uint64_t delay_ns;
	uint64_t timeout_ns;
	void (*ready)(void *data);
	int (*tick)(void *data, uint64_t elapsed_ns);
	int (*repair)(void *data, pid_t pid);
	int (*explain)(void *data);
	void *data;
};

/*
 * @status: wait status of the command, 0 without a command
 * @begin_ns: now_ns() when the command was released
 * @elapsed_ns: from the release of the command, or the start of counting, to the end
 * @user_us, @system_us: CPU time of the command and its children, in microseconds
 * @timed_out: the time limit ended counting
 */
struct session_result {
	struct pmc_snapshot snapshot;
	int status;
	uint64_t begin_ns;
	uint64_t elapsed_ns;
	uint64_t user_us;
	uint64_t system_us;
	bool timed_out;
};

/* Set the core type. Return: 0, or EXIT_TROUBLE after a message. */
int session_set_core_type(struct session *session, const char *text);

/*
 * Set what is counted: -C, -a, -i, -p, -t, or 'k' for --cputype. Return: as above; -1 if it is
 * another option.
 */
int session_set_option(struct session *session, int option, const char *text);

/* Do the CPUs of -C exist? Return: as above. */
int session_check_cpus(const struct session *session);

/* The targets as a list of numbers, separated by commas; the caller frees it. */
char *session_targets_text(const struct session *session);

/* Open a context without events for the core type. Return: NULL with pmc_error(). */
struct pmc_context *session_open_context(const struct session *session,
					 const struct pmc_device *device);

/* Report if nothing was counted because nothing ran on the core type. Return: true if so. */
bool session_core_type_unused(const struct session *session, const struct pmc_snapshot *snapshot);

/* "tree", "process" ... */
const char *session_scope_name(const struct session *session);

/* Set the scope of @context. @pid: of the command, 0 before it is started */
int session_apply_scope(const struct session *session, struct pmc_context *context, pid_t pid);

/* Is the command counted? It is another process in each run. */
bool session_counts_workload(const struct session *session);

/* Is the target a running process or thread, so that its exit ends the counting? */
bool session_counts_tasks(const struct session *session);

/* Read the sum of all targets. Return: 0, or -1 with pmc_error(). */
int session_read(const struct session *session, struct pmc_snapshot *snapshot);

/* Read one target. Return: as session_read(). */
int session_read_target(const struct session *session, size_t index,
			struct pmc_snapshot *snapshot);

/* Close the contexts of the further targets, and free the targets. */
void session_close(struct session *session);

/*
 * Run the command and count. The counters stay configured if they count something other than
 * the command. Return: 0, or the exit status after a message.
 */
int session_run_workload(struct session *session, char **argv, struct session_result *measured);

/*
 * Count until all processes or threads have ended, until the time limit, or until a signal.
 * Return: as session_run_workload().
 */
int session_run_attached(struct session *session, struct session_result *measured);

/* Report a signal that arrived before the command was started. Return: its exit status. */
int session_fail_signal(void);

/* The exit status of pmcctl for the command's wait status */
int session_exit_status(int status);

#endif /* PMCCTL_SESSION_H */
