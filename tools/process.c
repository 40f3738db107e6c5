// SPDX-License-Identifier: GPL-2.0-only
/* A process that is not pmcctl's own: wait for its end */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmcctl.h"

int process_open(pid_t pid)
{
	int process = syscall(SYS_pidfd_open, pid, 0);

	if (process >= 0)
		return process;
	switch (errno) {
	case ESRCH:
		return complain("there is no process %d", pid), -1;
	case EINVAL:
	case ENOENT:
		return complain("%d is a thread: -p takes its process", pid), -1;
	}
	return complain("cannot follow process %d: %s", pid, strerror(errno)), -1;
}

void process_wait(int process)
{
	struct pollfd end = { .fd = process, .events = POLLIN };
	sigset_t mask;

	command_block_signals(&mask);
	while (!command_signal() && ppoll(&end, 1, NULL, &mask) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

void process_close(int process)
{
	close(process);
}
