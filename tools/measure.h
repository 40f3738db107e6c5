/* SPDX-License-Identifier: GPL-2.0-only */
/* Run a command, or watch a process, while a context counts */
#ifndef PMCCTL_MEASURE_H
#define PMCCTL_MEASURE_H

#include "pmcctl.h"

/*
 * @context: has its events; measure_scope() said what it counts
 * @cpu: for PMC_SCOPE_CPU
 * @kind: of core to count on, 0 for all
 * @pid: for PMC_SCOPE_PROCESS
 * @again: counters of CPUs or of a process are configured already
 * @interval_ns: how often @tick is called while counting, 0 for never
 * @ready: all is configured, for the first time, and counting begins now; may be NULL
 * @tick: 0, or -1 after a complaint to stop asking
 * @repair: configuring failed with errno and pmc_error(): 0 if @context was
 *	replaced by one that is configured, else -1
 * @explain: complains that counting cannot begin, from errno and pmc_error(), and
 *	returns EXIT_TROUBLE; NULL for pmc_error() as it is
 */
struct measure {
	struct pmc_context *context;
	enum pmc_scope scope;
	int cpu;
	uint32_t kind;
	pid_t pid;
	bool again;
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
struct measured {
	struct pmc_snapshot snapshot;
	int status;
	uint64_t elapsed_ns;
};

/* Options: it is @scope now. Return: 0, or EXIT_TROUBLE after a complaint. */
int measure_choose(struct measure *measure, enum pmc_scope scope);
int measure_set_cpu(struct measure *measure, const char *text);
int measure_set_pid(struct measure *measure, const char *text);
int measure_set_kind(struct measure *measure, const char *text);

/* A context without events that counts on the kind of core wanted; or NULL */
struct pmc_context *measure_open(const struct measure *measure,
				 const struct pmc_device *device);

/* Nothing was counted, because nothing ran on the kind of core wanted: tell it. */
bool measure_missed_kind(const struct measure *measure, const struct pmc_snapshot *snapshot);

/* "tree", "process" ... */
const char *measure_scope_name(const struct measure *measure);

/* Say what @context counts; @pid: of the command, 0 if there is none yet. */
int measure_scope(const struct measure *measure, struct pmc_context *context, pid_t pid);

/* Whether what is counted is the command, which is another process in each run */
bool measure_counts_command(const struct measure *measure);

/*
 * Run the command and count. The counters stay configured where the command is
 * not what is counted.
 * Return: 0, or the exit status after a complaint.
 */
int measure_command(struct measure *measure, char **argv, struct measured *measured);

/* Count a process until it ends or a signal comes. Return: as measure_command(). */
int measure_process(struct measure *measure, struct measured *measured);

/* A signal came before the command was started. Return: the exit status for that. */
int measure_fail_signal(void);

/* What pmcctl should end with for the command's wait status */
int measure_exit_status(int status);

uint64_t now_ns(void);

#endif /* PMCCTL_MEASURE_H */
