// SPDX-License-Identifier: GPL-2.0-only
/* count-task COMMAND [ARGUMENT...]: count the events of a command and its descendants. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

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
	struct pmc_snapshot snapshot;
	siginfo_t info;
	int go[2], pid;
	char byte;

	if (argc < 2 || pipe(go)) {
		fprintf(stderr, "usage: count-task COMMAND [ARGUMENT...]\n");
		return 1;
	}
	if (!context || !event || pmc_context_add(context, event))
		return fail();
	pid = fork();
	if (!pid) {
		/* The command waits until its counting is armed. */
		close(go[1]);
		if (read(go[0], &byte, 1) == 1)
			execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || pmc_context_set_tree(context, pid, true) ||
	    pmc_context_configure(context) || pmc_context_start(context))
		return fail();
	if (write(go[1], "", 1) != 1 || waitid(P_PID, pid, &info, WEXITED))
		return 1;
	if (pmc_context_read(context, &snapshot))
		return fail();
	printf("%" PRIu64 " instructions in user mode\n", snapshot.value[0]);
	return 0;
}
