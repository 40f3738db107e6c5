/* SPDX-License-Identifier: GPL-2.0-only */
/* Run a command, or watch a process, while a context counts */
#ifndef PMCCTL_SESSION_H
#define PMCCTL_SESSION_H

#include <libpmcevents.h>
#include <sys/types.h>


/*
 * @context: has its events; session_apply_scope() said what it counts
 * @cpu: for PMC_SCOPE_CPU
 * @core_type: of core to count on, 0 for all
 * @pid: for PMC_SCOPE_PROCESS
 * @configured: counters of CPUs or of a process are configured already
 * @interval_ns: how often @tick is called while counting, 0 for never
 * @ready: all is configured, for the first time, and counting begins now; may be NULL
 * @tick: 0, or -1 after a complaint to stop asking
 * @repair: configuring failed with errno and pmc_error(): 0 if @context was
 *	replaced by one that is configured, else -1
 * @explain: complains that counting cannot begin, from errno and pmc_error(), and
 *	returns EXIT_TROUBLE; NULL for pmc_error() as it is
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
 * @status: wait status of the command, 0 without one
 * @elapsed_ns: from the command's release, or the start, to the end
 */
struct session_result {
	struct pmc_snapshot snapshot;
	int status;
	uint64_t elapsed_ns;
};

/* Options: it is @scope now. Return: 0, or EXIT_TROUBLE after a complaint. */
int session_set_scope(struct session *session, enum pmc_scope scope);
int session_set_cpu(struct session *session, const char *text);
int session_set_pid(struct session *session, const char *text);
int session_set_core_type(struct session *session, const char *text);

/* A context without events that counts on the kind of core wanted; or NULL */
struct pmc_context *session_open_context(const struct session *session,
				 const struct pmc_device *device);

/* Nothing was counted, because nothing ran on the kind of core wanted: tell it. */
bool session_core_type_unused(const struct session *session, const struct pmc_snapshot *snapshot);

/* "tree", "process" ... */
const char *session_scope_name(const struct session *session);

/* Say what @context counts; @pid: of the command, 0 if there is none yet. */
int session_apply_scope(const struct session *session, struct pmc_context *context, pid_t pid);

/* Whether what is counted is the command, which is another process in each run */
bool session_counts_workload(const struct session *session);

/*
 * Run the command and count. The counters stay configured where the command is
 * not what is counted.
 * Return: 0, or the exit status after a complaint.
 */
int session_run_workload(struct session *session, char **argv, struct session_result *measured);

/* Count a process until it ends or a signal comes. Return: as session_run_workload(). */
int session_run_process(struct session *session, struct session_result *measured);

/* A signal came before the command was started. Return: the exit status for that. */
int session_fail_signal(void);

/* What pmcctl should end with for the command's wait status */
int session_exit_status(int status);

#endif /* PMCCTL_SESSION_H */
