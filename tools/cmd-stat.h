/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl stat: what was asked and what was counted */
#ifndef PMCCTL_STAT_H
#define PMCCTL_STAT_H

#include "pmcctl.h"

/*
 * One run of the command.
 * @status: wait status of the command
 * @elapsed_ns: from the command's release to its end
 */
struct stat_run {
	struct pmc_snapshot snapshot;
	int status;
	uint64_t elapsed_ns;
};

/*
 * @argv: the command; empty if a process is counted until it ends
 * @pid: for PMC_SCOPE_PROCESS
 * @defaults: no -e was given
 * @path: of -o, or NULL
 * @incomplete: counts are missing
 */
struct stat_job {
	char **argv;
	enum pmc_scope scope;
	int cpu;
	pid_t pid;
	bool defaults;
	bool json;
	bool incomplete;
	const char *path;
	FILE *file;
	uint32_t tsc_khz;
	size_t num_events;
	struct pmc_event *event[PMC_COUNTERS_MAX];
	struct pmc_device *device;
	struct pmc_context *context;
	size_t wanted_runs;
	size_t num_runs;
	struct stat_run *run;
};

/* The mean is @floor + @remainder / the number of runs, exactly. */
struct stat_summary {
	uint64_t min;
	uint64_t max;
	uint64_t floor;
	uint64_t remainder;
};

void stat_summarise(const struct stat_job *job, size_t event, struct stat_summary *summary);

/* Print the mean with three decimals, rounded half up. */
void stat_mean_text(const struct stat_summary *summary, size_t num_runs, char *text, size_t size);

void stat_print_table(const struct stat_job *job, FILE *file);
void stat_print_json(const struct stat_job *job, FILE *file);

#endif /* PMCCTL_STAT_H */
