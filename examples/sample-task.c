// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample-task PERIOD COMMAND [ARGUMENT...]: run a command and its descendants; every PERIOD
 * user-mode instructions of a thread, print the thread, its name and its instruction pointer
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <libpmcdrv-sample.h>
#include <libpmcevents.h>

static int fail(void)
{
	fprintf(stderr, "%s\n", pmc_error());
	return 1;
}

int main(int argc, char **argv)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context = device ? pmc_context_open(device) : NULL;
	struct pmc_event *event = pmc_event_parse("instructions:u");
	const struct pmc_record *record;
	const struct pmc_sample *sample;
	struct pmc_samples *samples;
	int go[2], pid;
	char byte;

	if (argc < 3 || pipe(go)) {
		fprintf(stderr, "usage: sample-task PERIOD COMMAND [ARGUMENT...]\n");
		return 1;
	}
	if (!context || !event)
		return fail();
	pmc_event_set_period(event, strtoull(argv[1], NULL, 0));
	if (pmc_context_add(context, event))
		return fail();
	pid = fork();
	if (!pid) {
		/* The command waits until its sampling is armed. */
		close(go[1]);
		if (read(go[0], &byte, 1) == 1)
			execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || pmc_context_set_tree(context, pid, true) || pmc_context_configure(context))
		return fail();
	samples = pmc_samples_open(context, PMC_SAMPLES_ORDERED);
	if (!samples || pmc_context_start(context) || write(go[1], "", 1) != 1)
		return fail();
	while (pmc_samples_wait(samples, -1) > 0)
		while ((record = pmc_samples_next(samples))) {
			sample = (const struct pmc_sample *)record;
			if (record->type == PMC_RECORD_SAMPLE)
				printf("%5d %-15s 0x%llx\n", sample->tid, sample->comm, sample->ip);
		}
	pmc_samples_close(samples);
	return 0;
}
