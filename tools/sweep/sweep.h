/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl sweep: the job, its events and its runs */
#ifndef PMCCTL_SWEEP_H
#define PMCCTL_SWEEP_H

#include <libpmcevents.h>

#include "util/output-file.h"
#include "util/session.h"

/* sweep_event.clocks, sweep.instructions: no such event */
#define SWEEP_UNPAIRED	SIZE_MAX

/*
 * Another name of an event that is counted
 * @requested: the set has it by name
 */
struct sweep_alias {
	char *text;
	bool requested;
};

/*
 * An event of the set
 * @alias: its other names in the set
 * @slot: the run of each pass that counts it
 * @clocks: index of the event that counts its clocks in the same run
 * @is_clocks: it counts the clocks of another event
 * @count: one for each pass that counted it
 */
struct sweep_event {
	struct pmc_event *event;
	struct sweep_alias *alias;
	size_t num_aliases;
	unsigned int slot;
	size_t clocks;
	bool is_clocks;
	uint64_t *count;
	size_t num_counts;
};

/* An event of the set that cannot be counted */
struct sweep_skipped {
	char *name;
	char *reason;
};

/*
 * One run of the command
 * @pass: 0 for the warm-up, else from 1 on
 * @instructions: its instructions in user mode
 * @has_instructions: this run counted them
 */
struct sweep_run {
	unsigned int pass;
	unsigned int slot;
	struct session_result measured;
	uint64_t instructions;
	bool has_instructions;
};

/*
 * @modifier: appended to each event's name, such as ":u"
 * @reference: instructions in user mode, counted in every run; NULL if no fixed counter counts
 * them, or another event needs that counter
 * @instructions: index of instructions:u in the set, for @reference NULL; or SWEEP_UNPAIRED
 * @slots: number of runs in a pass
 * @passes: the value of --repeat
 * @output: the source of @file
 * @num_countable: number of times that a countable event was added, equal ones included
 */
struct sweep {
	char **argv;
	const char *set;
	const char *modifier;
	bool clocks;
	bool verbose;
	bool show_output;
	unsigned int passes;
	const char *path;
	struct deferred_file output;
	FILE *file;
	void (*print)(const struct sweep *sweep);
	struct pmc_device *device;
	struct pmc_info *info;
	struct session session;
	struct sweep_event *event;
	size_t num_events;
	size_t num_countable;
	struct sweep_skipped *skipped;
	size_t num_skipped;
	struct pmc_event *reference;
	size_t instructions;
	unsigned int slots;
	struct sweep_run *run;
	size_t num_runs;
};

/* ---- events.c ---- */

/* Select the events and assign each to a run. Return: 0 or EXIT_TROUBLE. */
int sweep_schedule(struct sweep *sweep);

void sweep_free_events(struct sweep *sweep);

/* Length of an event's name in bytes without the modifier of the whole sweep */
size_t sweep_name_len(const struct sweep *sweep, const char *name);

/* ---- print.c ---- */

void sweep_print_table(const struct sweep *sweep);
void sweep_print_json(const struct sweep *sweep);
void sweep_print_csv(const struct sweep *sweep);

/* The number of events counted so far, and of all events; clocks are not included */
size_t sweep_num_counted(const struct sweep *sweep);
size_t sweep_num_total(const struct sweep *sweep);

/* Report on stderr how the runs differ. */
void sweep_report_differences(const struct sweep *sweep);

#endif /* PMCCTL_SWEEP_H */
