/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPUs the driver acquires, and to which it sends work items
 *
 * Its timer (pmc_fold_all) runs on a CPU from the acquisition to the release. The kernel traces
 * each start and each cancellation of a timer, and each work item that is queued.
 */
#ifndef SELFTESTS_ACQUISITIONS_H
#define SELFTESTS_ACQUISITIONS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pmc.h"

#define ACQUISITIONS_TRACE	"/sys/kernel/tracing"
#define ACQUISITIONS_EVENTS	ACQUISITIONS_TRACE "/events/"
#define ACQUISITIONS_CPUS	32

/**
 * struct acquisitions - CPUs that the driver has used
 * @now:	acquired now
 * @ever:	acquired at any time
 * @work:	the driver queued a work item there, or one ran there
 */
struct acquisitions {
	unsigned int now;
	unsigned int ever;
	unsigned int work;
};

static inline int acquisitions_enable(const char *text)
{
	static const char *const events[] = {
		ACQUISITIONS_EVENTS "timer/hrtimer_start/enable",
		ACQUISITIONS_EVENTS "timer/hrtimer_cancel/enable",
		ACQUISITIONS_EVENTS "workqueue/workqueue_queue_work/enable",
		ACQUISITIONS_EVENTS "workqueue/workqueue_execute_start/enable",
	};
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		err = file_write(events[i], text) ?: err;
	return err;
}

/* Record timers and work items from now on. */
static inline int acquisitions_watch(void)
{
	int trace = open(ACQUISITIONS_TRACE "/trace", O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (trace < 0)
		return -errno;
	close(trace);
	return acquisitions_enable("1");
}

static inline void acquisitions_ignore(void)
{
	acquisitions_enable("0");
}

/* A line of the trace: the driver's timer on a CPU, which runs while the CPU is acquired */
static inline void acquisition_line(const char *line, char (*timer)[32], struct acquisitions *found)
{
	const char *at = strstr(line, "hrtimer="), *cpu = strchr(line, '[');
	char name[32], function[64] = "";
	unsigned int n;

	if (!at || !cpu || sscanf(cpu, "[%u]", &n) != 1 || n >= ACQUISITIONS_CPUS ||
	    sscanf(at, "hrtimer=%31s function=%63s", name, function) < 1)
		return;
	if (!strcmp(function, "pmc_fold_all")) {
		memcpy(timer[n], name, sizeof(name));
		found->ever |= 1u << n;
		found->now |= 1u << n;
	} else if (strstr(line, "hrtimer_cancel:") && !strcmp(timer[n], name)) {
		found->now &= ~(1u << n);
	}
}

/* A line of the trace: a work item of the driver is queued for a CPU, or begins on one. */
static inline void acquisition_work_line(const char *line, struct acquisitions *found)
{
	const char *cpu = NULL;
	unsigned int n;

	if (strstr(line, "workqueue_queue_work:") && strstr(line, "function=pmc_"))
		cpu = strstr(line, " cpu=");
	else if (strstr(line, "workqueue_execute_start:") && strstr(line, "function pmc_"))
		cpu = strchr(line, '[');
	if (cpu && sscanf(cpu + strcspn(cpu, "=[") + 1, "%u", &n) == 1 && n < ACQUISITIONS_CPUS)
		found->work |= 1u << n;
}

/*
 * Of CPUs 0 to 31, bit n for CPU n: those that the driver has used since acquisitions_watch().
 * "now" lacks an acquired CPU while its timer expires. Nothing is recorded meanwhile: a slow kernel
 * would add to the trace faster than it is read.
 */
static inline struct acquisitions acquisitions_seen(void)
{
	char timer[ACQUISITIONS_CPUS][32] = { "" }, line[512];
	struct acquisitions found = {};
	FILE *trace;

	file_write(ACQUISITIONS_TRACE "/tracing_on", "0");
	trace = fopen(ACQUISITIONS_TRACE "/trace", "r");
	while (trace && fgets(line, sizeof(line), trace)) {
		acquisition_line(line, timer, &found);
		acquisition_work_line(line, &found);
	}
	if (trace)
		fclose(trace);
	file_write(ACQUISITIONS_TRACE "/tracing_on", "1");
	return found;
}

/* Watch from now on, or skip the test. */
#define NEED_ACQUISITIONS() do {						\
	if (acquisitions_watch())						\
		SKIP(return, "no tracefs with the events of hrtimers and work items");	\
} while (0)

#endif
