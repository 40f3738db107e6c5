// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample pmc|perf tsc|pmc: measures the cost of one sample of pmcdrv (pmc) or perf, from the begin
 * to the end of the interrupt, and prints lines "name TAB cost"
 *
 * Runs on one CPU. A loop of known length is measured repeatedly, while its user instructions are
 * sampled so seldom that most rounds have no sample. The cost is the minimum of the rounds with
 * one sample less the minimum of those without: other interrupts only add.
 *
 * The second argument is the meter. tsc is the time-stamp counter, which in the emulator with one
 * processor advances with each instruction (and with each round of a string instruction). pmc is a
 * pmcdrv context that counts the CPU's retired instructions, read by RDPMC; it can measure pmcdrv
 * only, because perf stops all counters while it takes a sample.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <libpmcdrv-read.h>
#include <libpmcevents.h>

#include "meter.h"

#define COUNTERS	4
#define ROUNDS		4000
#define PERIOD		10007
#define RING_PAGES	256
/* A round that exceeds the shortest one by less than this was not interrupted. */
#define INTERRUPT_MIN	100

static const uint64_t raw[COUNTERS] = { 0xc0, 0xc4, 0x3c, 0x412e };

/** struct sampled - destination of samples: one of the two heads */
struct sampled {
	const volatile uint32_t *head;
	const volatile __u64 *perf_head;
};

static uint64_t arrived(const struct sampled *sampled)
{
	return sampled->head ? *sampled->head : *sampled->perf_head;
}

static uint64_t instructions(void)
{
	uint32_t low, high;

	__asm__ __volatile__("rdpmc" : "=a"(low), "=d"(high) : "c"(PMC_COUNTER_FIXED(0)));
	return low | (uint64_t)high << 32;
}

static uint64_t time_stamp(void)
{
	return pmc_rdtsc();
}

static uint64_t (*now)(void) = time_stamp;

/* Instructions of user and kernel mode on this CPU, readable by every process. */
static void open_meter(void)
{
	int fd = open("/sys/class/misc/pmc/pce", O_WRONLY);

	if (fd < 0 || write(fd, "2", 1) != 1)
		die("RDPMC for all");
	close(fd);
	meter_open(METER_PMC);
	now = instructions;
}

static uint64_t timed_loop(void)
{
	unsigned long rounds = 1000;
	uint64_t begin = now();

	__asm__ __volatile__("1: dec %0; jnz 1b" : "+r"(rounds));
	return now() - begin;
}

static void measure(const char *name, const struct sampled *sampled)
{
	uint64_t without = UINT64_MAX, with = UINT64_MAX;
	unsigned int pass, round;

	/* the first pass determines the shortest round */
	for (pass = 0; pass < 2; pass++) {
		for (round = 0; round < ROUNDS; round++) {
			uint64_t before = arrived(sampled);
			uint64_t ticks = timed_loop();
			bool sample = arrived(sampled) != before;

			if (!sample && ticks < without)
				without = ticks;
			if (pass && sample && ticks > without + INTERRUPT_MIN && ticks < with)
				with = ticks;
		}
	}
	if (with == UINT64_MAX || without == UINT64_MAX) {
		errno = ENODATA;
		die("no sample came");
	}
	print_cost(name, (with - without) * 100);
}

static void measure_pmc(const char *name, unsigned int counters, uint32_t flags)
{
	struct pmc_counter_config counter[COUNTERS] = { 0 };
	struct pmc_config config = {
		.size = sizeof(config), .scope = PMC_SCOPE_THREAD, .cpu = PMC_CPU_ANY,
		.nr_counters = counters, .counters = (uintptr_t)counter,
		.counter_size = sizeof(counter[0]), .sample_flags = flags,
		.ring_size = RING_PAGES * 4096,
	};
	struct sampled sampled = { 0 };
	struct pmc_ring *ring;
	unsigned int i;
	int fd;

	for (i = 0; i < counters; i++) {
		counter[i].counter = PMC_COUNTER_GENERAL(i);
		counter[i].event_select = raw[i];
		counter[i].flags = PMC_COUNT_USER;
	}
	counter[0].period = PERIOD;
	fd = open(PMC_DEVICE, O_RDWR);
	if (fd < 0 || ioctl(fd, PMC_IOC_CONFIGURE, &config))
		die("sampling");
	ring = mmap(NULL, 4096 + config.ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    PMC_RING_OFFSET(0, config.ring_size, 4096));
	if (ring == MAP_FAILED || ioctl(fd, PMC_IOC_START, 0))
		die("sampling");
	sampled.head = &ring->head;
	measure(name, &sampled);
	munmap(ring, 4096 + config.ring_size);
	close(fd);
}

static void measure_perf(const char *name, unsigned int counters, uint64_t type)
{
	struct perf_event_mmap_page *page;
	struct sampled sampled = { 0 };
	int fd[COUNTERS];
	unsigned int i;

	for (i = 0; i < counters; i++) {
		struct perf_event_attr attr = {
			.size = sizeof(attr), .type = PERF_TYPE_RAW, .config = raw[i],
			.exclude_kernel = 1, .exclude_callchain_kernel = 1,
			.read_format = PERF_FORMAT_GROUP,
		};

		if (!i) {
			attr.sample_period = PERIOD;
			attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					   PERF_SAMPLE_CPU | PERF_SAMPLE_READ | type;
		}
		fd[i] = syscall(SYS_perf_event_open, &attr, 0, -1, i ? fd[0] : -1, 0);
		if (fd[i] < 0)
			die("perf");
	}
	page = mmap(NULL, 4096 * (RING_PAGES + 1), PROT_READ | PROT_WRITE, MAP_SHARED, fd[0], 0);
	if (page == MAP_FAILED)
		die("perf");
	sampled.perf_head = &page->data_head;
	measure(name, &sampled);
	munmap(page, 4096 * (RING_PAGES + 1));
	for (i = 0; i < counters; i++)
		close(fd[i]);
}

int main(int argc, char **argv)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("pinning");
	if (argc != 3) {
		fprintf(stderr, "usage: sample pmc|perf tsc|pmc\n");
		return 1;
	}
	if (!strcmp(argv[2], "pmc"))
		open_meter();
	if (!strcmp(argv[1], "pmc")) {
		measure_pmc("one sample", 1, 0);
		measure_pmc("one sample, four counters", COUNTERS, 0);
		measure_pmc("one sample, user call chain", 1, PMC_SAMPLE_USER_CALLCHAIN);
	} else {
		measure_perf("one sample", 1, 0);
		measure_perf("one sample, four counters", COUNTERS, 0);
		measure_perf("one sample, user call chain", 1, PERF_SAMPLE_CALLCHAIN);
	}
	return 0;
}
