/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl stat: what was asked and what was counted */
#ifndef PMCCTL_STAT_H
#define PMCCTL_STAT_H

#include "pmcctl.h"

/*
 * One run of the command.
 * @status: wait status
 * @elapsed_ns: from the command's release to its end
 */
struct stat_run {
	struct pmc_snapshot snapshot;
	int status;
	uint64_t elapsed_ns;
};

/*
 * @argv: the command
 * @defaults: no -e was given
 * @path: of -o, or NULL
 */
struct stat_job {
	char **argv;
	enum pmc_scope scope;
	int cpu;
	bool defaults;
	bool json;
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
