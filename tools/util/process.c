// SPDX-License-Identifier: GPL-2.0-only
/* Wait for the exit of a process by its pidfd; also for a signal or for data on a file */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
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
		return report_error("%d is a thread: count it with -t, or give -p its process",
				    pid), -1;
	}
	return report_error("cannot follow process %d: %s", pid, strerror(errno)), -1;
}

/* The process of a thread, or -1 */
static pid_t process_of(pid_t tid)
{
	char line[256], path[32];
	pid_t process = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "re");
	while (file && process < 0 && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &process) != 1)
			process = -1;
	if (file)
		fclose(file);
	return process;
}

/* Linux 6.9 has pidfds of threads; before that the pidfd is that of the thread's process. */
int process_open_thread(pid_t tid)
{
	int thread = syscall(SYS_pidfd_open, tid, O_EXCL);
	pid_t process;

	if (thread >= 0)
		return thread;
	process = process_of(tid);
	if (process < 0)
		return report_error("there is no thread %d", tid), -1;
	return process_open(process);
}

/* Time from now to @deadline_ns, for ppoll() */
static struct timespec time_until(uint64_t deadline_ns)
{
	uint64_t now = now_ns();
	uint64_t left = deadline_ns > now ? deadline_ns - now : 0;

	return (struct timespec){ .tv_sec = left / 1000000000, .tv_nsec = left % 1000000000 };
}

static bool has_text(const char *path)
{
	FILE *file = fopen(path, "re");
	bool found = file && fgetc(file) != EOF;

	if (file)
		fclose(file);
	return found;
}

bool process_has_children(pid_t pid)
{
	char pattern[48];
	bool found = false;
	glob_t paths;
	size_t i;

	snprintf(pattern, sizeof(pattern), "/proc/%d/task/*/children", pid);
	if (glob(pattern, GLOB_NOSORT, NULL, &paths))
		return false;
	for (i = 0; i < paths.gl_pathc && !found; i++)
		found = has_text(paths.gl_pathv[i]);
	globfree(&paths);
	return found;
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
		over = until_signal ? workload_signal() : workload_is_abandoned();
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
	if (workload_signal() == known && !workload_is_abandoned())
		ppoll(files, ARRAY_SIZE(files), timeout_ms < 0 ? NULL : &timeout, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return (files[1].revents ? PROCESS_ENDED : 0) |
	       (files[0].revents & (POLLHUP | POLLERR) ? FILE_HUNG_UP : 0);
}

void process_close(int process)
{
	close(process);
}
