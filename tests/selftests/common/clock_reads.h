/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records every value of the time-stamp counter that the driver reads
 *
 * A kprobe after each RDTSC of the module's code records EDX:EAX, the CPU and the function. From
 * these values a test computes the times of a context, and compares them for equality with READ's.
 * The kernel's trace buffer orders the records of all CPUs by a counter, not by time.
 *
 * Do not use this with sampling: the NMI handler of a context with a period also reads the clock.
 */
#ifndef SELFTESTS_CLOCK_READS_H
#define SELFTESTS_CLOCK_READS_H

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmc.h"

#define TRACING		"/sys/kernel/tracing"
#define TRACE_INSTANCE	TRACING "/instances/pmc_clock"
#define TRACE_GROUP	"pmc_clock"

#define CLOCK_READS_MAX	512

/** struct clock_read - one RDTSC of the driver */
struct clock_read {
	int cpu;
	char function[40];
	uint64_t tsc;
};

/** struct clock_reads - RDTSCs in the order of their execution */
struct clock_reads {
	unsigned int nr;
	struct clock_read read[CLOCK_READS_MAX];
};

static struct {
	pid_t pid;
	unsigned int probes;
	int pipe;
	const char *failed;
} clock_watch = { .pipe = -1 };

/* The bytes of section .text in the module's file, or NULL */
static inline const unsigned char *clock_text(const char *file, size_t *size)
{
	const ElfW(Ehdr) *header = (const void *)file;
	const ElfW(Shdr) *section = (const void *)(file + header->e_shoff);
	const char *names = file + section[header->e_shstrndx].sh_offset;
	unsigned int i;

	for (i = 0; i < header->e_shnum; i++) {
		if (!strcmp(names + section[i].sh_name, ".text")) {
			*size = section[i].sh_size;
			return (const void *)(file + section[i].sh_offset);
		}
	}
	return NULL;
}

static inline const char *clock_module(size_t *size)
{
	const char *path = getenv("PMCDRV_KO");
	int fd = open(path ? path : "/pmcdrv.ko", O_RDONLY | O_CLOEXEC);
	struct stat stat;
	void *file;

	if (fd < 0 || fstat(fd, &stat))
		return NULL;
	file = mmap(NULL, stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	*size = stat.st_size;
	return file == MAP_FAILED ? NULL : file;
}

/*
 * Probe the instruction after each RDTSC (0F 31). The kernel refuses an address inside an
 * instruction with EILSEQ: there the two bytes are no RDTSC.
 */
static inline int clock_probe_text(const unsigned char *text, size_t size, uint64_t address)
{
	int fd = open(TRACING "/kprobe_events", O_WRONLY | O_APPEND);
	char line[128];
	size_t i;

	if (fd < 0)
		return -errno;
	for (i = 0; i + 2 < size; i++) {
		if (text[i] != 0x0f || text[i + 1] != 0x31)
			continue;
		snprintf(line, sizeof(line),
			 "p:" TRACE_GROUP "/read%u %#llx low=%%ax:u32 high=%%dx:u32\n",
			 clock_watch.probes, (unsigned long long)(address + i + 2));
		if (write(fd, line, strlen(line)) > 0) {
			clock_watch.probes++;
		} else if (errno != EILSEQ) {
			close(fd);
			return -errno;
		}
	}
	close(fd);
	return 0;
}

static inline const char *clock_probe(void)
{
	const unsigned char *text;
	char address[32];
	const char *file;
	size_t size;
	int err = 0;

	if (file_read("/sys/module/pmcdrv/sections/.text", address, sizeof(address)))
		return "the module is not loaded, or the kernel hides its sections";
	file = clock_module(&size);
	if (!file)
		return "the module's file cannot be read";
	text = clock_text(file, &size);
	if (text)
		err = clock_probe_text(text, size, strtoull(address, NULL, 16));
	munmap((void *)file, size);
	return !text || err || !clock_watch.probes ? "the module cannot be probed" : NULL;
}

static inline const char *clock_watch_try(void)
{
	const char *failed;

	if (geteuid())
		return "needs root";
	if (access(TRACING "/trace", F_OK) &&
	    mount("tracefs", TRACING, "tracefs", 0, NULL))
		return "this kernel has no tracefs";
	if (access(TRACING "/kprobe_events", F_OK))
		return "this kernel has no kprobe events";
	failed = clock_probe();
	if (failed)
		return failed;
	mkdir(TRACE_INSTANCE, 0700);
	clock_watch.pipe = open(TRACE_INSTANCE "/trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (clock_watch.pipe < 0 || file_write(TRACE_INSTANCE "/trace_clock", "counter"))
		return "the kernel does not trace";
	return NULL;
}

/* Start or stop recording. Returns 0 or a negative errno. */
static inline int clock_watch_enable(bool enable)
{
	return file_write(TRACE_INSTANCE "/events/" TRACE_GROUP "/enable", enable ? "1" : "0");
}

/* Processes of the tests inherit this function and may call exit(). */
static inline void clock_watch_end(void)
{
	char line[64];
	int fd;

	if (getpid() != clock_watch.pid)
		return;
	fd = open(TRACING "/kprobe_events", O_WRONLY | O_APPEND);
	clock_watch_enable(false);
	if (clock_watch.pipe >= 0)
		close(clock_watch.pipe);
	rmdir(TRACE_INSTANCE);
	while (clock_watch.probes) {
		snprintf(line, sizeof(line), "-:" TRACE_GROUP "/read%u\n", --clock_watch.probes);
		if (write(fd, line, strlen(line)) < 0)
			break;
	}
	close(fd);
}

/*
 * Once, before the first test; on failure clock_watch.failed is the reason. The harness ends the
 * program by exit().
 */
static inline void clock_watch_begin(void)
{
	clock_watch.pid = getpid();
	clock_watch.failed = clock_watch_try();
	atexit(clock_watch_end);
}

/*
 * A line of the trace: "COMMAND-PID [CPU] FLAGS COUNT: readN: (FUNCTION+0x1/0x2 [pmcdrv]) low=1
 * high=2". Returns 0, or -EIO for another line, such as one that reports lost records.
 */
static inline int clock_line(const char *line, struct clock_reads *reads)
{
	struct clock_read *read = &reads->read[reads->nr];
	const char *cpu = strchr(line, '['), *function = strstr(line, ": (");
	const char *low = strstr(line, " low="), *high = strstr(line, " high=");

	if (!cpu || !function || !low || !high || reads->nr == CLOCK_READS_MAX ||
	    sscanf(function + 3, "%39[^+]", read->function) != 1)
		return -EIO;
	read->cpu = atoi(cpu + 1);
	read->tsc = strtoull(high + 6, NULL, 10) << 32 | strtoull(low + 5, NULL, 10);
	reads->nr++;
	return 0;
}

/* Collect the reads since the last call. Returns 0 or a negative errno. */
static inline int clock_collect(struct clock_reads *reads)
{
	static char text[1 << 17];
	char *rest = text, *line;
	size_t length = 0;
	ssize_t got;

	reads->nr = 0;
	while (length < sizeof(text) - 1) {
		got = read(clock_watch.pipe, text + length, sizeof(text) - 1 - length);
		if (got <= 0)
			break;
		length += got;
	}
	text[length] = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (*line && clock_line(line, reads))
			return -EIO;
	}
	return 0;
}

static inline void clock_print(const struct clock_reads *reads)
{
	unsigned int i;

	for (i = 0; i < reads->nr; i++)
		fprintf(stderr, "# %u: CPU %d, %s, %llu\n", i, reads->read[i].cpu,
			reads->read[i].function, (unsigned long long)reads->read[i].tsc);
}

#endif /* SELFTESTS_CLOCK_READS_H */
