// SPDX-License-Identifier: GPL-2.0-only
/*
 * What of perf the judge needs, for kernels and processors that Debian's perf does not
 * run on: the raw events of a command and of all that it makes, in user mode.
 *
 *   perf_count FILE SELECT... -- COMMAND...
 *
 * Writes a count a line into FILE; each SELECT is hexadecimal, as in perf's own rNNN.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS_MAX	8

/* read(2) of an event with both times */
struct count {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

static int event_open(uint64_t select, pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = select,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A child that executes the command when it may. */
static pid_t start(char **command, int *go)
{
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) == 1)
			execvp(command[0], command);
		fprintf(stderr, "perf_count: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

static int end(const char *path, const int *fds, int events)
{
	FILE *file = fopen(path, "w");
	struct count count;
	int i;

	for (i = 0; file && i < events; i++) {
		if (read(fds[i], &count, sizeof(count)) != sizeof(count))
			break;
		/* what was shared out in turns is no count */
		if (count.enabled != count.running)
			fprintf(file, "estimated\n");
		else
			fprintf(file, "%llu\n", (unsigned long long)count.value);
	}
	if (!file || fclose(file) || i < events) {
		fprintf(stderr, "perf_count: %s: %s\n", path, strerror(errno));
		return 125;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int fds[EVENTS_MAX], events = 0, last, status, go, err;
	pid_t pid;

	for (last = 2; last < argc && strcmp(argv[last], "--"); last++)
		;
	if (last + 1 >= argc || last == 2 || last - 2 > EVENTS_MAX) {
		fprintf(stderr, "usage: perf_count FILE SELECT... -- COMMAND...\n");
		return 125;
	}
	pid = start(&argv[last + 1], &go);
	for (events = 0; pid > 0 && events < last - 2; events++) {
		fds[events] = event_open(strtoull(argv[2 + events], NULL, 16), pid);
		if (fds[events] < 0) {
			fprintf(stderr, "perf_count: %s: %s\n", argv[2 + events], strerror(errno));
			return 125;
		}
	}
	if (pid < 0 || write(go, "", 1) != 1 || waitpid(pid, &status, 0) != pid) {
		fprintf(stderr, "perf_count: %s\n", strerror(errno));
		return 125;
	}
	err = end(argv[1], fds, events);
	return err ? err : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
