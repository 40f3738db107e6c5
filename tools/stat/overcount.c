// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmcctl stat: the bounds of --overcount
 *
 * On a real processor each interrupt and each page fault can add one retired instruction and one
 * branch to the counts of user mode (docs/exactness.md). The kernel's totals for the whole system
 * bound their number during a run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"
#include "util/error.h"
#include "util/output.h"

/* Get the number after "@name " at the beginning of a line. Return: 0, or EXIT_TROUBLE. */
static int read_total(const char *path, const char *name, uint64_t *total)
{
	size_t name_len = strlen(name), size = 0;
	FILE *file = fopen(path, "r");
	char *line = NULL;
	bool found = false;

	while (file && !found && getline(&line, &size, file) > 0)
		found = !strncmp(line, name, name_len) &&
			sscanf(line + name_len, " %" SCNu64, total) == 1;
	free(line);
	if (file)
		fclose(file);
	return found ? 0 : report_error("--overcount: cannot read '%s' from %s", name, path);
}

int stat_overcount_read(struct stat_overcount *totals)
{
	if (read_total("/proc/stat", "intr", &totals->interrupts))
		return EXIT_TROUBLE;
	return read_total("/proc/vmstat", "pgfault", &totals->page_faults);
}

bool stat_overcount_applies(const struct stat_job *job, size_t event)
{
	return pmc_event_modes(job->event[event]) == PMC_COUNT_USER &&
	       !stat_is_perf_metrics(job, event);
}

uint64_t stat_overcount_least(const struct stat_run *run, size_t event)
{
	uint64_t most = run->overcount.interrupts + run->overcount.page_faults;
	uint64_t value = run->measured.snapshot.value[event];

	return value > most ? value - most : 0;
}

static void print_run(const struct stat_job *job, const struct stat_run *run)
{
	struct table table = { .columns = 4, .right = 0x5 };
	size_t i;

	fputc('\n', job->file);
	if (job->runs_requested > 1)
		fprintf(job->file, "run %zu: ", (size_t)(run - job->run) + 1);
	fprintf(job->file, "%'" PRIu64 " interrupts and %'" PRIu64 " page faults in the system.\n",
		run->overcount.interrupts, run->overcount.page_faults);
	fputs("Retired instructions and branches of user mode are in these bounds:\n", job->file);
	for (i = 0; i < job->num_events; i++) {
		if (!stat_overcount_applies(job, i))
			continue;
		table_add(&table, "%'" PRIu64, stat_overcount_least(run, i));
		table_add(&table, "to");
		table_add(&table, "%'" PRIu64, run->measured.snapshot.value[i]);
		table_add(&table, "%s", pmc_event_label(job->event[i]));
	}
	if (!table.num_cells)
		fputs("    no event counts user mode alone\n", job->file);
	table_print(&table, 4, job->file);
}

void stat_overcount_print(const struct stat_job *job)
{
	size_t i;

	for (i = 0; job->overcount && i < job->num_runs; i++)
		print_run(job, &job->run[i]);
}
