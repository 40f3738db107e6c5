/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl sweep: what was asked and what was counted */
#ifndef PMCCTL_SWEEP_H
#define PMCCTL_SWEEP_H

#include <libpmcevents.h>

#include "util/output-file.h"
#include "util/session.h"

/* sweep_event.clocks: it is counted alone */
#define SWEEP_UNPAIRED	SIZE_MAX

/*
 * Another name of an event that is counted
 * @requested: it is in the set by name
 */
struct sweep_alias {
	char *text;
	bool requested;
};

/*
 * @alias: its other names in the set
 * @slot: the run of each pass that counts it
 * @clocks: index of the event that counts its clocks in the same run
 * @is_clocks: it is one of those
 * @count: one for each pass that got so far
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
 * One run.
 * @pass: 0 for the warm-up, else from 1 on
 * @instructions: its instructions in user mode
 * @has_instructions: whether they were counted in this run
 */
struct sweep_run {
	unsigned int pass;
	unsigned int slot;
	struct session_result measured;
	uint64_t instructions;
	bool has_instructions;
};

/*
 * @modifier: behind each event's name, such as ":u"
 * @reference: instructions in user mode, counted in every run; NULL where that
 *	would take the place of another event
 * @instructions: index of the event that is just the reference's, or SWEEP_UNPAIRED
 * @slots: runs of a pass
 * @passes: of --repeat
 * @output: what @file is from
 * @num_countable: how often an event of the set was found that can be counted
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

/* ---- sweep-events.c ---- */

/* Choose the events, and the run of each. Return: 0 or EXIT_TROUBLE. */
int sweep_schedule(struct sweep *sweep);

void sweep_free_events(struct sweep *sweep);

/* Bytes of an event's name without the modifier that all have */
size_t sweep_name_len(const struct sweep *sweep, const char *name);

/* ---- sweep-print.c ---- */

void sweep_print_table(const struct sweep *sweep);
void sweep_print_json(const struct sweep *sweep);
void sweep_print_csv(const struct sweep *sweep);

/* How many events are counted by now, and all that are to be, their clocks apart */
size_t sweep_num_counted(const struct sweep *sweep);
size_t sweep_num_total(const struct sweep *sweep);

/* Tell on stderr what was not the same in all runs. */
void sweep_report_differences(const struct sweep *sweep);

#endif /* PMCCTL_SWEEP_H */
