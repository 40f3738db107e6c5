// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts events by perf's system call
 *
 * For kernels and processors that Debian's perf does not run on, and where starting perf, 150
 * million instructions, takes too long. Counts events of a command and all its descendants,
 * in user mode.
 *
 *   perf_count [OPTION...] FILE EVENT... -- COMMAND...
 *
 *   -c PERIOD  the number of samples of the command's first thread
 *   -i, --no-inherit
 *              without the command's descendants
 *   -p PID     of this process while the command runs
 *
 * Writes one count per line to FILE. An EVENT has perf's syntax: instructions:u, branches:u or
 * rNNN:u, or the last without r and :u.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS_MAX	8
#define THREADS_MAX	64
/* Room for all samples: the ring is read at the end. */
#define RING_PAGES	64

/* read(2) of an event with both times */
struct count {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

static uint64_t period;
static bool alone;
static pid_t attached;

/* A counted event: once for each thread that existed at the beginning */
struct event {
	const char *name;
	int fds[THREADS_MAX];
	const struct perf_event_mmap_page *ring;
};

static int attr_set_event(struct perf_event_attr *attr, const char *name)
{
	char *rest;

	attr->type = PERF_TYPE_HARDWARE;
	if (!strcmp(name, "instructions:u")) {
		attr->config = PERF_COUNT_HW_INSTRUCTIONS;
		return 0;
	}
	if (!strcmp(name, "branches:u")) {
		attr->config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
		return 0;
	}
	attr->type = PERF_TYPE_RAW;
	attr->config = strtoull(name + (*name == 'r'), &rest, 16);
	if (!*rest || !strcmp(rest, ":u"))
		return 0;
	errno = EINVAL;
	return -1;
}

static int event_open(const char *name, pid_t tid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.disabled = 1,
		.enable_on_exec = !attached,
		.inherit = !period && !alone,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	if (attr_set_event(&attr, name))
		return -1;
	return syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A child that executes the command after a byte. */
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

/* The samples in a ring that was never read, or -1 if some were lost or throttled */
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

/* The threads of the process, or the child that will execute the command */
static int threads_of(pid_t command, pid_t *tids)
{
	struct dirent *entry;
	int number = 0;
	char path[64];
	DIR *tasks;

	if (!attached) {
		tids[0] = command;
		return 1;
	}
	snprintf(path, sizeof(path), "/proc/%d/task", attached);
	tasks = opendir(path);
	while (tasks && number < THREADS_MAX && (entry = readdir(tasks))) {
		if (*entry->d_name != '.')
			tids[number++] = atoi(entry->d_name);
	}
	if (tasks)
		closedir(tasks);
	return number;
}

static int events_open(struct event *events, int nr_events, const pid_t *tids, int nr_tids)
{
	int i, tid;

	for (i = 0; i < nr_events; i++) {
		for (tid = 0; tid < nr_tids; tid++) {
			events[i].fds[tid] = event_open(events[i].name, tids[tid]);
			if (events[i].fds[tid] < 0)
				goto fail;
		}
		if (!period)
			continue;
		events[i].ring = ring_map(events[i].fds[0]);
		if (!events[i].ring)
			goto fail;
	}
	return 0;
fail:
	fprintf(stderr, "perf_count: %s: %s\n", events[i].name, strerror(errno));
	return -1;
}

static int events_switch(const struct event *events, int nr_events, int nr_tids,
			 unsigned long request)
{
	int i, tid;

	for (i = 0; attached && i < nr_events; i++) {
		for (tid = 0; tid < nr_tids; tid++) {
			if (ioctl(events[i].fds[tid], request, 0))
				return -1;
		}
	}
	return 0;
}

/* Write the count as a line of the file. Returns 0, or -1 if it cannot be read. */
static int event_tell(const struct event *event, int nr_tids, FILE *file)
{
	struct count count;
	uint64_t sum = 0;
	int tid;

	for (tid = 0; tid < nr_tids; tid++) {
		if (read(event->fds[tid], &count, sizeof(count)) != sizeof(count))
			return -1;
		/* a multiplexed event is no count */
		if (count.enabled != count.running)
			return fprintf(file, "estimated\n") < 0 ? -1 : 0;
		sum += count.value;
	}
	if (period)
		return fprintf(file, "%lld\n", ring_samples(event->ring)) < 0 ? -1 : 0;
	return fprintf(file, "%llu\n", (unsigned long long)sum) < 0 ? -1 : 0;
}

static int end(const char *path, const struct event *events, int nr_events, int nr_tids)
{
	FILE *file = fopen(path, "w");
	int i = 0;

	while (file && i < nr_events && !event_tell(&events[i], nr_tids, file))
		i++;
	if (!file || fclose(file) || i < nr_events) {
		fprintf(stderr, "perf_count: %s: %s\n", path, strerror(errno));
		return 125;
	}
	return 0;
}

/* Returns the index of the first word behind the options, or -1. */
static int parse_options(int argc, char **argv)
{
	static const struct option options[] = { { "no-inherit", no_argument, NULL, 'i' }, { 0 } };
	char *rest = "";
	int option;

	while ((option = getopt_long(argc, argv, "+c:ip:", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			period = strtoull(optarg, &rest, 10);
			if (*rest || !period)
				return -1;
			break;
		case 'i':
			alone = true;
			break;
		case 'p':
			attached = strtol(optarg, &rest, 10);
			if (*rest || attached <= 0)
				return -1;
			break;
		default:
			return -1;
		}
	}
	return optind;
}

/* Returns the number of events from the word @first up to "--"; 0 on a syntax error. */
static int parse_events(int argc, char **argv, int first, struct event *events)
{
	int number = 0;

	while (first + number < argc && strcmp(argv[first + number], "--")) {
		if (number == EVENTS_MAX)
			return 0;
		events[number].name = argv[first + number];
		number++;
	}
	return first + number + 1 < argc ? number : 0;
}

int main(int argc, char **argv)
{
	int first = parse_options(argc, argv), nr_events = 0, nr_tids, status, go = -1, err;
	struct event events[EVENTS_MAX] = { 0 };
	pid_t pid, tids[THREADS_MAX];

	if (first > 0)
		nr_events = parse_events(argc, argv, first + 1, events);
	if (!nr_events) {
		fprintf(stderr, "usage: perf_count [-c PERIOD] [-i] [-p PID] FILE EVENT... -- COMMAND...\n");
		return 125;
	}
	pid = start(&argv[first + nr_events + 2], &go);
	nr_tids = pid > 0 ? threads_of(pid, tids) : 0;
	if (events_open(events, nr_events, tids, nr_tids))
		return 125;
	if (!nr_tids || events_switch(events, nr_events, nr_tids, PERF_EVENT_IOC_ENABLE) ||
	    write(go, "", 1) != 1 || waitpid(pid, &status, 0) != pid ||
	    events_switch(events, nr_events, nr_tids, PERF_EVENT_IOC_DISABLE)) {
		fprintf(stderr, "perf_count: %s\n", strerror(errno));
		return 125;
	}
	err = end(argv[first], events, nr_events, nr_tids);
	return err ? err : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
