// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench SUBJECT METER: costs in retired instructions, a line "name TAB cost" each
 * SUBJECT: pmc, perf, msr or pipe; METER: pmc, perf or tsc (see meter.h)
 *
 * On one CPU, pinned. The subjects count raw events on the four general counters;
 * fixed counter 0 is the meter's.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libpmcdrv-read.h>
#include <libpmcevents.h>

#include "meter.h"

#define COUNTERS	4
#define EVENTS		"r3c:g=0,rc4:g=1,rc5:g=2,r412e:g=3"

static const uint64_t raw[COUNTERS] = { 0x3c, 0xc4, 0xc5, 0x412e };
static uint64_t values[COUNTERS], tsc;

/* ---- a pipe round trip ---- */

struct pipes {
	int to[2], from[2];
	pid_t child;
};

static void pipes_open(struct pipes *pipes)
{
	char byte;

	if (pipe(pipes->to) || pipe(pipes->from))
		die("pipe");
	pipes->child = fork();
	if (!pipes->child) {
		close(pipes->to[1]);
		while (read(pipes->to[0], &byte, 1) == 1)
			if (write(pipes->from[1], &byte, 1) != 1)
				break;
		_exit(0);
	}
	if (pipes->child < 0)
		die("fork");
}

static void pipes_close(struct pipes *pipes)
{
	kill(pipes->child, SIGKILL);
	waitpid(pipes->child, NULL, 0);
	close(pipes->to[0]);
	close(pipes->to[1]);
	close(pipes->from[0]);
	close(pipes->from[1]);
}

static void round_trip(void *argument)
{
	struct pipes *pipes = argument;
	char byte = 0;

	if (write(pipes->to[1], &byte, 1) != 1 || read(pipes->from[0], &byte, 1) != 1)
		die("round trip");
}

static void no_call(void *argument)
{
	(void)argument;
}

/* Single calls: a batch of them always has a timer interrupt. */
static uint64_t measure_pipe(void)
{
	struct pipes pipes;
	uint64_t cost;

	pipes_open(&pipes);
	cost = meter_each(no_call, round_trip, &pipes);
	pipes_close(&pipes);
	return cost;
}

/* ---- pmcdrv ---- */

static void bare(void *page)
{
	(void)page;
	pmc_rdpmc(0);
}

static void one(void *page)
{
	pmc_read_counter(page, 2);
}

static void one_lfence(void *page)
{
	pmc_read_counter_lfence(page, 2);
}

static void one_cpuid(void *page)
{
	pmc_read_counter_cpuid(page, 2);
}

static void four(void *page)
{
	pmc_read_group(page, values, COUNTERS, NULL);
}

static void four_tsc(void *page)
{
	pmc_read_group(page, values, COUNTERS, &tsc);
}

static void pmc_empty(void *context)
{
	ioctl(pmc_context_fd(context), _IO(PMC_IOC_MAGIC, 0xff), 0);
}

static void pmc_ioctl_read(void *context)
{
	static unsigned char buffer[PMC_READ_SIZE(COUNTERS)] __attribute__((aligned(8)));
	struct pmc_read *read = (struct pmc_read *)buffer;

	read->size = sizeof(buffer);
	read->cpu = PMC_CPU_ANY;
	read->nr_counters = 0;
	if (ioctl(pmc_context_fd(context), PMC_IOC_READ, buffer))
		die("PMC_IOC_READ");
}

static void pmc_library_read(void *context)
{
	struct pmc_snapshot snapshot;

	if (pmc_context_read(context, &snapshot))
		die("pmc_context_read");
}

static void pmc_start(void *context)
{
	if (ioctl(pmc_context_fd(context), PMC_IOC_START, 0))
		die("PMC_IOC_START");
}

static void pmc_stop(void *context)
{
	if (ioctl(pmc_context_fd(context), PMC_IOC_STOP, 0))
		die("PMC_IOC_STOP");
}

static void pmc_tsc(void *context)
{
	struct pmc_tsc request = { .size = sizeof(request) };

	if (ioctl(pmc_context_fd(context), PMC_IOC_TSC, &request))
		die("PMC_IOC_TSC");
}

static void measure_region(struct pmc_context *context)
{
	uint64_t least = UINT64_MAX, most = 0, count;
	struct pmc_region region;
	int i;

	if (pmc_region_init(&region, context))
		die("pmc_region_init");
	for (i = 0; i < BATCHES * CALLS; i++) {
		PMC_REGION_BEGIN(region);
		PMC_REGION_END(region);
		count = pmc_region_last(&region, 0);
		if (count < least)
			least = count;
		if (count > most)
			most = count;
	}
	if (pmc_region_runs(&region) != BATCHES * CALLS)
		die("a region was dropped");
	print_cost("empty region, least of 1000", least * 100);
	print_cost("empty region, most of 1000", most * 100);
	pmc_region_free(&region);
}

/* Like pmc_context_open_self(), but without reading in user mode */
static struct pmc_context *open_unmapped(void)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context = device ? pmc_context_open(device) : NULL;
	const char *list = EVENTS;
	struct pmc_event *event;

	while (context && *list) {
		event = pmc_event_parse_next(&list);
		if (!event || pmc_context_add(context, event))
			die(pmc_error());
		pmc_event_free(event);
	}
	if (!context || pmc_context_configure(context) || pmc_context_start(context))
		die(pmc_error());
	pmc_device_close(device);
	return context;
}

static void bench_pmc(void)
{
	uint64_t without = measure_pipe();
	struct pmc_context *context = pmc_context_open_self(EVENTS);
	void *page;

	if (!context) {
		fprintf(stderr, "bench: %s\n", pmc_error());
		exit(1);
	}
	page = (void *)pmc_context_page(context);
	if (((struct pmc_page *)page)->sequence & PMC_PAGE_UNAVAILABLE) {
		fprintf(stderr, "bench: no reading in user mode here\n");
	} else {
		print_cost("bare read", meter_calls(bare, page));
		print_cost("one counter, page", meter_calls(one, page));
		print_cost("one counter, page, LFENCE", meter_calls(one_lfence, page));
		print_cost("one counter, page, CPUID", meter_calls(one_cpuid, page));
		print_cost("four counters, page", meter_calls(four, page));
		print_cost("four counters and TSC, page", meter_calls(four_tsc, page));
	}
	print_cost("empty ioctl", meter_calls(pmc_empty, context));
	print_cost("read four, system call", meter_calls(pmc_ioctl_read, context));
	print_cost("read four, pmc_context_read()", meter_calls(pmc_library_read, context));
	print_cost("TSC, system call", meter_calls(pmc_tsc, context));
	print_cost("start what is started", meter_calls(pmc_start, context));
	print_cost("start four", meter_each(pmc_stop, pmc_start, context));
	print_cost("stop four", meter_each(pmc_start, pmc_stop, context));
	pmc_stop(context);
	print_cost("stop what is stopped", meter_calls(pmc_stop, context));
	print_cost("read four, stopped, system call", meter_calls(pmc_ioctl_read, context));
	pmc_start(context);
	print_cost("round trip, extra with a mapped task", measure_pipe() - without);
	pmc_context_close(context);
	context = open_unmapped();
	print_cost("round trip, extra with a task", measure_pipe() - without);
	print_cost("round trip, without a task", without);
	pmc_context_close(context);
	context = pmc_context_open_self("instructions:u:g");
	if (!context)
		die(pmc_error());
	measure_region(context);
	pmc_context_close(context);
}

/* ---- perf ---- */

struct perf {
	int fd[COUNTERS];
	struct perf_event_mmap_page *page[COUNTERS];
};

static void perf_open(struct perf *perf)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_RAW, .read_format = PERF_FORMAT_GROUP,
	};
	int i;

	for (i = 0; i < COUNTERS; i++) {
		attr.config = raw[i];
		perf->fd[i] = syscall(SYS_perf_event_open, &attr, 0, -1, i ? perf->fd[0] : -1, 0);
		if (perf->fd[i] < 0)
			die("perf_event_open");
		perf->page[i] = mmap(NULL, 4096, PROT_READ, MAP_SHARED, perf->fd[i], 0);
		if (perf->page[i] == MAP_FAILED)
			die("mmap of perf's page");
	}
}

static void perf_close(struct perf *perf)
{
	int i;

	for (i = COUNTERS - 1; i >= 0; i--) {
		munmap(perf->page[i], 4096);
		close(perf->fd[i]);
	}
}

/* By the protocol in <linux/perf_event.h>: the count without the times */
static inline uint64_t perf_read_page(const struct perf_event_mmap_page *page)
{
	uint32_t sequence, index;
	uint64_t count;
	int64_t pmc;

	do {
		sequence = page->lock;
		pmc_order(PMC_ORDER_PLAIN);
		index = page->index;
		count = page->offset;
		if (page->cap_user_rdpmc && index) {
			pmc = pmc_rdpmc(index - 1);
			pmc <<= 64 - page->pmc_width;
			pmc >>= 64 - page->pmc_width;
			count += pmc;
		}
		pmc_order(PMC_ORDER_PLAIN);
	} while (page->lock != sequence);
	return count;
}

static void perf_one(void *argument)
{
	values[0] = perf_read_page(argument);
}

static void perf_four(void *argument)
{
	struct perf *perf = argument;
	int i;

	PMC_UNROLL
	for (i = 0; i < COUNTERS; i++)
		values[i] = perf_read_page(perf->page[i]);
}

static void perf_read(void *argument)
{
	static uint64_t buffer[1 + COUNTERS];
	struct perf *perf = argument;

	if (read(perf->fd[0], buffer, sizeof(buffer)) != sizeof(buffer))
		die("reading perf");
}

static void perf_enable(void *argument)
{
	struct perf *perf = argument;

	if (ioctl(perf->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP))
		die("enabling perf");
}

static void perf_disable(void *argument)
{
	struct perf *perf = argument;

	if (ioctl(perf->fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP))
		die("disabling perf");
}

static void bench_perf(void)
{
	uint64_t without = measure_pipe();
	struct perf perf;

	perf_open(&perf);
	if (!perf.page[0]->cap_user_rdpmc || !perf.page[0]->index)
		fprintf(stderr, "bench: perf's page cannot be read with RDPMC here\n");
	print_cost("one counter, page", meter_calls(perf_one, perf.page[2]));
	print_cost("four counters, page", meter_calls(perf_four, &perf));
	print_cost("read four, system call", meter_calls(perf_read, &perf));
	print_cost("start four", meter_each(perf_disable, perf_enable, &perf));
	print_cost("stop four", meter_each(perf_enable, perf_disable, &perf));
	perf_enable(&perf);
	print_cost("round trip, extra with a task", measure_pipe() - without);
	perf_close(&perf);
}

/* ---- /dev/cpu/0/msr ---- */

#define MSR_PMC0		0xc1
#define MSR_EVENT_SELECT0	0x186
#define MSR_GLOBAL_CTRL		0x38f
#define ENABLE_ALL		((1ULL << COUNTERS) - 1)
#define SELECT_FLAGS		0x430000	/* user and kernel mode, enabled */

static uint64_t msr_read(int fd, off_t msr)
{
	uint64_t value;

	if (pread(fd, &value, sizeof(value), msr) != sizeof(value))
		die("reading /dev/cpu/0/msr");
	return value;
}

static void msr_write(int fd, off_t msr, uint64_t value)
{
	if (pwrite(fd, &value, sizeof(value), msr) != sizeof(value))
		die("writing /dev/cpu/0/msr");
}

static void msr_one(void *fd)
{
	values[0] = msr_read(*(int *)fd, MSR_PMC0);
}

static void msr_four(void *fd)
{
	int i;

	for (i = 0; i < COUNTERS; i++)
		values[i] = msr_read(*(int *)fd, MSR_PMC0 + i);
}

static void msr_start(void *fd)
{
	msr_write(*(int *)fd, MSR_GLOBAL_CTRL, ENABLE_ALL);
}

static void msr_stop(void *fd)
{
	msr_write(*(int *)fd, MSR_GLOBAL_CTRL, 0);
}

/* No other user may have the counters, so the time-stamp counter is the meter. */
static void bench_msr(void)
{
	int fd = open("/dev/cpu/0/msr", O_RDWR);
	int i;

	if (fd < 0)
		die("/dev/cpu/0/msr");
	for (i = 0; i < COUNTERS; i++)
		msr_write(fd, MSR_EVENT_SELECT0 + i, raw[i] | SELECT_FLAGS);
	print_cost("read one, system call", meter_calls(msr_one, &fd));
	print_cost("read four, system call", meter_calls(msr_four, &fd));
	print_cost("start four", meter_each(msr_stop, msr_start, &fd));
	print_cost("stop four", meter_each(msr_start, msr_stop, &fd));
	msr_stop(&fd);
	if (!values[2])
		fprintf(stderr, "bench: /dev/cpu/0/msr counts nothing\n");
	for (i = 0; i < COUNTERS; i++)
		msr_write(fd, MSR_EVENT_SELECT0 + i, 0);
	close(fd);
}

static void bench_pipe(void)
{
	print_cost("round trip, without a task", measure_pipe());
}

/* ---- options ---- */

static const struct {
	const char *name;
	void (*run)(void);
} subjects[] = {
	{ "pmc", bench_pmc },
	{ "perf", bench_perf },
	{ "msr", bench_msr },
	{ "pipe", bench_pipe },
};

static const char *const meters[] = {
	[METER_PMC] = "pmc",
	[METER_PERF] = "perf",
	[METER_TSC] = "tsc",
};

int main(int argc, char **argv)
{
	size_t subject, meter;
	struct sched_param priority = { .sched_priority = 1 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("pinning");
	/* The fair scheduler's path differs from switch to switch. */
	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		die("real-time priority");
	for (meter = 0; argc == 3 && meter < 3; meter++)
		if (!strcmp(argv[2], meters[meter]))
			break;
	for (subject = 0; argc == 3 && subject < 4; subject++)
		if (!strcmp(argv[1], subjects[subject].name))
			break;
	if (argc != 3 || meter == 3 || subject == 4) {
		fprintf(stderr, "usage: bench pmc|perf|msr|pipe pmc|perf|tsc\n");
		return 1;
	}
	meter_open(meter);
	subjects[subject].run();
	meter_close();
	return 0;
}
