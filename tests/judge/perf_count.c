// SPDX-License-Identifier: GPL-2.0-only
/*
 * What of perf the judge needs, for kernels and processors that Debian's perf does not
 * run on: the raw events of a command and of all that it makes, in user mode.
 *
 *   perf_count [-c PERIOD] FILE SELECT... -- COMMAND...
 *
 * Writes a count a line into FILE; each SELECT is hexadecimal, as in perf's own rNNN.
 * With a period it is the number of samples, of the command's first thread.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS_MAX	8
/* Room for all samples: nobody reads before the end. */
#define RING_PAGES	64

/* read(2) of an event with both times */
struct count {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

static uint64_t period;

static int event_open(uint64_t select, pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = select,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = !period,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP,
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

static size_t ring_bytes(void)
{
	return RING_PAGES * sysconf(_SC_PAGESIZE);
}

static const struct perf_event_mmap_page *ring_map(int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *ring = mmap(NULL, page + ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return ring == MAP_FAILED ? NULL : ring;
}

/* The samples in a ring that was never read, or -1 if some were lost or throttled. */
static long long ring_samples(const struct perf_event_mmap_page *ring)
{
	const char *data = (const char *)ring + sysconf(_SC_PAGESIZE);
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), at;
	const struct perf_event_header *header;
	long long samples = 0;

	if (head > ring_bytes())
		return -1;
	for (at = 0; at < head; at += header->size) {
		header = (const void *)(data + at);
		if (header->type == PERF_RECORD_LOST || header->type == PERF_RECORD_THROTTLE)
			return -1;
		samples += header->type == PERF_RECORD_SAMPLE;
	}
	return samples;
}

static int end(const char *path, const int *fds, const struct perf_event_mmap_page **rings,
	       int events)
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
		else if (period)
			fprintf(file, "%lld\n", ring_samples(rings[i]));
		else
			fprintf(file, "%llu\n", (unsigned long long)count.value);
	}
	if (!file || fclose(file) || i < events) {
		fprintf(stderr, "perf_count: %s: %s\n", path, strerror(errno));
		return 125;
	}
	return 0;
}

/* "-c PERIOD", if it is there. Return: how many words that was, or -1. */
static int take_period(int argc, char **argv)
{
	char *rest;

	if (argc < 3 || strcmp(argv[1], "-c"))
		return 0;
	period = strtoull(argv[2], &rest, 10);
	return *rest || !period ? -1 : 2;
}

int main(int argc, char **argv)
{
	const struct perf_event_mmap_page *rings[EVENTS_MAX] = { NULL };
	int fds[EVENTS_MAX], events = 0, last, status, go, err, words = take_period(argc, argv);
	pid_t pid;

	argc -= words;
	argv += words;
	for (last = 2; last < argc && strcmp(argv[last], "--"); last++)
		;
	if (words < 0 || last + 1 >= argc || last == 2 || last - 2 > EVENTS_MAX) {
		fprintf(stderr, "usage: perf_count [-c PERIOD] FILE SELECT... -- COMMAND...\n");
		return 125;
	}
	pid = start(&argv[last + 1], &go);
	for (events = 0; pid > 0 && events < last - 2; events++) {
		fds[events] = event_open(strtoull(argv[2 + events], NULL, 16), pid);
		if (fds[events] >= 0 && period)
			rings[events] = ring_map(fds[events]);
		if (fds[events] < 0 || (period && !rings[events])) {
			fprintf(stderr, "perf_count: %s: %s\n", argv[2 + events], strerror(errno));
			return 125;
		}
	}
	if (pid < 0 || write(go, "", 1) != 1 || waitpid(pid, &status, 0) != pid) {
		fprintf(stderr, "perf_count: %s\n", strerror(errno));
		return 125;
	}
	err = end(argv[1], fds, rings, events);
	return err ? err : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
