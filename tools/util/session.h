/* SPDX-License-Identifier: GPL-2.0-only */
/* Count with a context while a command or a process runs */
#ifndef PMCCTL_SESSION_H
#define PMCCTL_SESSION_H

#include <libpmcevents.h>
#include <sys/types.h>

/*
 * @context: with its events and the scope set by session_apply_scope()
 * @cpu: for PMC_SCOPE_CPU
 * @core_type: the core type to count on, 0 for all
 * @pid: for PMC_SCOPE_PROCESS
 * @configured: the counters of CPUs or of a process are configured already
 * @interval_ns: interval between calls of @tick while counting, 0 for none
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
	int cpu;
	uint32_t core_type;
	pid_t pid;
	bool configured;
	uint64_t interval_ns;
	void (*ready)(void *data);
	int (*tick)(void *data, uint64_t elapsed_ns);
	int (*repair)(void *data, pid_t pid);
	int (*explain)(void *data);
	void *data;
};

/*
 * @status: wait status of the command, 0 without a command
 * @elapsed_ns: from the release of the command, or the start, to the end
 */
struct session_result {
	struct pmc_snapshot snapshot;
	int status;
	uint64_t elapsed_ns;
};

/* Set an option. Return: 0, or EXIT_TROUBLE after a message. */
int session_set_scope(struct session *session, enum pmc_scope scope);
int session_set_cpu(struct session *session, const char *text);
int session_set_pid(struct session *session, const char *text);
int session_set_core_type(struct session *session, const char *text);

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

/*
 * Run the command and count. The counters stay configured if they count something else than
 * the command. Return: 0, or the exit status after a message.
 */
int session_run_workload(struct session *session, char **argv, struct session_result *measured);

/* Count a process until it exits or a signal arrives. Return: as session_run_workload(). */
int session_run_process(struct session *session, struct session_result *measured);

/* Report a signal that arrived before the command was started. Return: its exit status. */
int session_fail_signal(void);

/* The exit status of pmcctl for the command's wait status */
int session_exit_status(int status);

#endif /* PMCCTL_SESSION_H */
