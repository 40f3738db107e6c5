// SPDX-License-Identifier: GPL-2.0-only
/* The meters of the benchmarks: reading them, and the cost of a call (meter.h) */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <libpmcdrv-read.h>
#include <libpmcevents.h>

#include "meter.h"

static enum meter kind;
static int fd = -1;

void die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void open_pmc(void)
{
	struct pmc_counter_config counter = {
		.counter = PMC_COUNTER_FIXED(0), .flags = PMC_COUNT_USER | PMC_COUNT_KERNEL,
	};
	struct pmc_config config = {
		.size = sizeof(config), .scope = PMC_SCOPE_CPU, .nr_counters = 1,
		.counters = (uintptr_t)&counter, .counter_size = sizeof(counter),
	};

	fd = open(PMC_DEVICE, O_RDWR);
	if (fd < 0 || ioctl(fd, PMC_IOC_CONFIGURE, &config) || ioctl(fd, PMC_IOC_START, 0))
		die("the meter");
}

static void open_perf(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS, .pinned = 1,
	};

	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	if (fd < 0)
		die("perf as the meter");
}

void meter_open(enum meter meter)
{
	kind = meter;
	if (kind == METER_PMC)
		open_pmc();
	else if (kind == METER_PERF)
		open_perf();
}

void meter_close(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
}

static uint64_t read_meter(void)
{
	union {
		struct pmc_read read;
		unsigned char room[PMC_READ_SIZE(1)];
	} buffer;
	uint64_t value;

	if (kind == METER_TSC)
		return pmc_rdtsc();
	if (kind == METER_PERF) {
		if (read(fd, &value, sizeof(value)) != sizeof(value))
			die("reading the meter");
		return value;
	}
	memset(&buffer, 0, sizeof(buffer.read));
	buffer.read.size = sizeof(buffer);
	buffer.read.cpu = PMC_CPU_ANY;
	if (ioctl(fd, PMC_IOC_READ, &buffer))
		die("reading the meter");
	return buffer.read.value[0];
}

static void __attribute__((noinline)) nothing(void *argument)
{
	__asm__ __volatile__("" : : "r"(argument));
}

static uint64_t batches(void (*subject)(void *argument), void *argument)
{
	uint64_t least = UINT64_MAX, begin, used;
	int batch, call;

	for (batch = 0; batch < BATCHES; batch++) {
		begin = read_meter();
		for (call = 0; call < CALLS; call++)
			subject(argument);
		used = read_meter() - begin;
		if (used < least)
			least = used;
	}
	return least;
}

uint64_t meter_calls(void (*subject)(void *argument), void *argument)
{
	return (batches(subject, argument) - batches(nothing, argument)) * 100 / CALLS;
}

static uint64_t singles(void (*before)(void *argument), void (*subject)(void *argument),
			void *argument)
{
	uint64_t least = UINT64_MAX, begin, used;
	int call;

	for (call = 0; call < BATCHES * CALLS; call++) {
		before(argument);
		begin = read_meter();
		subject(argument);
		used = read_meter() - begin;
		if (used < least)
			least = used;
	}
	return least;
}

uint64_t meter_each(void (*before)(void *argument), void (*subject)(void *argument),
		    void *argument)
{
	return (singles(before, subject, argument) - singles(nothing, nothing, argument)) * 100;
}

void print_cost(const char *name, uint64_t hundredths)
{
	if (hundredths % 100)
		printf("%s\t%" PRIu64 ".%02u\n", name, hundredths / 100,
		       (unsigned int)(hundredths % 100));
	else
		printf("%s\t%" PRIu64 "\n", name, hundredths / 100);
	fflush(stdout);
}
