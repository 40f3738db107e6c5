// SPDX-License-Identifier: GPL-2.0-only
/* Wait for the exit of a process by its pidfd; also for a signal or for data on a file */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/error.h"
#include "util/process.h"
#include "util/workload.h"

int process_open(pid_t pid)
{
	int process = syscall(SYS_pidfd_open, pid, 0);

	if (process >= 0)
		return process;
	switch (errno) {
	case ESRCH:
		return report_error("there is no process %d", pid), -1;
	case EINVAL:
	case ENOENT:
		return report_error("%d is a thread: give -p its process", pid), -1;
	}
	return report_error("cannot follow process %d: %s", pid, strerror(errno)), -1;
}

/* Time from now to @deadline_ns, for ppoll() */
static struct timespec time_until(uint64_t deadline_ns)
{
	uint64_t now = now_ns();
	uint64_t left = deadline_ns > now ? deadline_ns - now : 0;

	return (struct timespec){ .tv_sec = left / 1000000000, .tv_nsec = left % 1000000000 };
}

bool process_wait(int process, uint64_t deadline_ns, bool until_signal)
{
	struct pollfd end = { .fd = process, .events = POLLIN };
	struct timespec left;
	sigset_t mask;
	bool over = false;
	int ready = -1;

	workload_block_signals(&mask);
	while (!over && ready) {
		left = time_until(deadline_ns);
		over = until_signal && workload_signal();
		if (over)
			break;
		ready = ppoll(&end, 1, deadline_ns ? &left : NULL, &mask);
		over = ready > 0;
		if (ready < 0 && errno != EINTR) {
			report_error("cannot wait with a time limit: %s", strerror(errno));
			over = true;
		}
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return over;
}

unsigned int process_wait_or_read(int process, int fd, int timeout_ms, int known)
{
	struct timespec timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
	struct pollfd files[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = process, .events = POLLIN },
	};
	sigset_t mask;

	workload_block_signals(&mask);
	if (workload_signal() == known)
		ppoll(files, ARRAY_SIZE(files), timeout_ms < 0 ? NULL : &timeout, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return (files[1].revents ? PROCESS_ENDED : 0) |
	       (files[0].revents & (POLLHUP | POLLERR) ? FILE_HUNG_UP : 0);
}

void process_close(int process)
{
	close(process);
}
