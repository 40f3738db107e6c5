// SPDX-License-Identifier: GPL-2.0-only
/* watch-cpu CPU [TIMES]: print the counts of a CPU once a second. Needs CAP_PERFMON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <libpmcevents.h>

static const char *const names[] = { "instructions:u", "instructions:k", "cycles" };

static int fail(void)
{
	fprintf(stderr, "%s\n", pmc_error());
	return 1;
}

int main(int argc, char **argv)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context = device ? pmc_context_open(device) : NULL;
	long times = argc > 2 ? atol(argv[2]) : -1;
	struct pmc_snapshot before, now;
	int i;

	if (argc < 2) {
		fprintf(stderr, "usage: watch-cpu CPU [TIMES]\n");
		return 1;
	}
	if (!context || pmc_context_set_cpu(context, atoi(argv[1])))
		return fail();
	for (i = 0; i < 3; i++) {
		struct pmc_event *event = pmc_event_parse(names[i]);

		if (!event || pmc_context_add(context, event))
			return fail();
		pmc_event_free(event);
	}
	if (pmc_context_configure(context) || pmc_context_start(context) ||
	    pmc_context_read(context, &before))
		return fail();
	printf("%16s %16s %16s\n", names[0], names[1], names[2]);
	while (times--) {
		sleep(1);
		if (pmc_context_read(context, &now))
			return fail();
		for (i = 0; i < 3; i++)
			printf("%16" PRIu64 "%c", now.value[i] - before.value[i],
			       i < 2 ? ' ' : '\n');
		fflush(stdout);
		before = now;
	}
	return 0;
}
