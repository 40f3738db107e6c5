// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel_mode: counts a thread in user and kernel mode together by pmcdrv and by perf
 *
 * Prints a line for each of several numbers of rounds:
 *
 *	ROUNDS, and for each of the EVENTS the counts of perf and of pmcdrv
 *
 * A round is two system calls. perf and pmcdrv each start and stop their counters by a system
 * call, and part of that call's kernel mode is counted. So one more round is counted, and the
 * count of one round alone is subtracted. Each call executes the same kernel instructions as
 * long as no interrupt comes: the measured part begins after a tick of the kernel's clock and
 * ends long before the next one, while no other timer is due. Interrupts of the other CPU or of
 * a device cannot be predicted: after such an interrupt the count is discarded and repeated.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <libpmcevents.h>

enum { USER, BOTH_FIXED, BOTH_GENERAL, EVENTS };

#define NUM_ROUNDS	5
static const unsigned long rounds[NUM_ROUNDS] = { 0, 1, 2, 20, 40 };

#define BEHIND_NS	200000	/* begins this long after a tick */
#define QUIET_NS	3000000	/* and has ended by then: ticks are 4 ms apart */
#define TIMERS_MAX	256
#define TRIES_MAX	50

static int zeros;

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "kernel_mode: %s: %s\n", what, why);
	exit(1);
}

/* One round more than @num, of 9 instructions each */
static void work(unsigned long num)
{
	char buffer[64];

	num++;
	asm volatile("1:	mov	%[getpid], %%eax\n\t"
		     "syscall\n\t"
		     "mov	%[read], %%eax\n\t"
		     "mov	%[zeros], %%edi\n\t"
		     "mov	%[buffer], %%rsi\n\t"
		     "mov	%[size], %%edx\n\t"
		     "syscall\n\t"
		     "dec	%[num]\n\t"
		     "jnz	1b"
		     : [num] "+r" (num)
		     : [getpid] "i" (SYS_getpid), [read] "i" (SYS_read), [zeros] "m" (zeros),
		       [buffer] "r" (buffer), [size] "i" (sizeof(buffer))
		     : "rax", "rcx", "rdx", "rdi", "rsi", "r11", "memory", "cc");
}

/* The tick's function, before Linux 6.8 and since */
static bool is_tick(const char *line)
{
	return strstr(line, "tick_sched_timer") || strstr(line, "tick_nohz_handler");
}

/*
 * When CPU 0's timers are due next, on the monotonic clock, the tick first. Returns their
 * number.
 */
static size_t timers_due(uint64_t *due, size_t room)
{
	FILE *list = fopen("/proc/timer_list", "r");
	bool here = false, tick = false;
	unsigned long long expires;
	size_t num = 1;
	char line[256];

	if (!list)
		die("/proc/timer_list", strerror(errno));
	due[0] = 0;
	while (fgets(line, sizeof(line), list)) {
		if (!strncmp(line, "cpu: ", 5))
			here = atoi(line + 5) == 0;
		if (!here || sscanf(line, " # expires at %llu-", &expires) != 1)
			tick = is_tick(line);
		else if (tick)
			due[0] = expires;
		else if (num < room)
			due[num++] = expires;
	}
	fclose(list);
	if (!due[0] || num == room)
		die("/proc/timer_list", "has no tick, or too many timers");
	return num;
}

static bool any_between(const uint64_t *due, size_t num, uint64_t begin, uint64_t end)
{
	while (num--)
		if (due[num] >= begin && due[num] < end)
			return true;
	return false;
}

/* Sleep until there will be no timer interrupt for long enough. */
static void sleep_till_quiet(void)
{
	uint64_t due[TIMERS_MAX], wake;
	size_t num = timers_due(due, TIMERS_MAX);
	struct timespec now, until, tick;

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	clock_gettime(CLOCK_MONOTONIC, &now);
	wake = due[0] + BEHIND_NS;
	while (wake < now.tv_sec * 1000000000ULL + now.tv_nsec + tick.tv_nsec ||
	       any_between(due + 1, num - 1, wake - BEHIND_NS, wake + QUIET_NS))
		wake += tick.tv_nsec;
	until.tv_sec = wake / 1000000000;
	until.tv_nsec = wake % 1000000000;
	if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		die("clock_nanosleep", strerror(errno));
}

/* The number of interrupts of CPU 0, except those of its own timer */
static uint64_t interrupts_of_cpu0(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[512], name[64];
	uint64_t sum = 0, number;

	if (!file)
		die("/proc/interrupts", strerror(errno));
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " %63[^:]: %" SCNu64, name, &number) == 2 && strcmp(name, "LOC"))
			sum += number;
	fclose(file);
	return sum;
}

static int perf_open(bool user_only, int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.read_format = PERF_FORMAT_GROUP,
		.disabled = leader < 0,
		.exclude_kernel = user_only,
		.exclude_hv = user_only,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("perf_event_open", strerror(errno));
	return fd;
}

/*
 * perf puts one of these events on the fixed counter, in either order. Returns whether no
 * interrupt came.
 */
static bool by_perf(unsigned long num, uint64_t *counts)
{
	uint64_t before;
	struct {
		uint64_t nr;
		uint64_t value[EVENTS];
	} group;
	int fd[EVENTS], i;

	for (i = 0; i < EVENTS; i++)
		fd[i] = perf_open(i == USER, i ? fd[0] : -1);
	before = interrupts_of_cpu0();
	sleep_till_quiet();
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	work(num);
	ioctl(fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	if (read(fd[0], &group, sizeof(group)) != sizeof(group))
		die("perf", "cannot be read");
	before -= interrupts_of_cpu0();
	memcpy(counts, group.value, sizeof(group.value));
	while (i--)
		close(fd[i]);
	return !before;
}

static struct pmc_device *device;

static bool by_pmcdrv(unsigned long num, uint64_t *counts)
{
	static const char *const names[EVENTS] = {
		[USER] = "instructions:u:g",
		[BOTH_FIXED] = "instructions:f",
		[BOTH_GENERAL] = "instructions:g",
	};
	struct pmc_context *context = pmc_context_open(device);
	struct pmc_event *event[EVENTS] = { NULL };
	struct pmc_snapshot snapshot;
	uint64_t before;
	unsigned int i;

	if (!context || pmc_context_set_thread(context, 0, false))
		die("pmcdrv", pmc_error());
	for (i = 0; i < EVENTS; i++) {
		event[i] = pmc_event_parse(names[i]);
		if (!event[i] || pmc_context_add(context, event[i]))
			die(names[i], pmc_error());
	}
	if (pmc_context_configure(context))
		die("pmcdrv", pmc_error());
	before = interrupts_of_cpu0();
	sleep_till_quiet();
	if (pmc_context_start(context))
		die("pmcdrv", pmc_error());
	work(num);
	if (pmc_context_stop(context) || pmc_context_read(context, &snapshot))
		die("pmcdrv", pmc_error());
	before -= interrupts_of_cpu0();
	memcpy(counts, snapshot.value, EVENTS * sizeof(*counts));
	pmc_context_close(context);
	for (i = 0; i < EVENTS; i++)
		pmc_event_free(event[i]);
	return !before;
}

static void undisturbed(bool (*count)(unsigned long num, uint64_t *counts), unsigned long num,
			uint64_t *counts)
{
	unsigned int tries = TRIES_MAX;

	while (!count(num, counts))
		if (!--tries)
			die("CPU 0", "every attempt was interrupted");
}

static void prepare(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	zeros = open("/dev/zero", O_RDONLY);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || mlockall(MCL_CURRENT | MCL_FUTURE) ||
	    zeros < 0)
		die("preparing", strerror(errno));
	device = pmc_device_open(NULL);
	if (!device)
		die("pmcdrv", pmc_error());
}

int main(void)
{
	uint64_t perf[NUM_ROUNDS][EVENTS], ours[NUM_ROUNDS][EVENTS];
	size_t i, event;

	prepare();
	/* the first time everything is slower */
	undisturbed(by_perf, rounds[NUM_ROUNDS - 1], perf[0]);
	undisturbed(by_pmcdrv, rounds[NUM_ROUNDS - 1], ours[0]);
	for (i = 0; i < NUM_ROUNDS; i++) {
		undisturbed(by_perf, rounds[i], perf[i]);
		undisturbed(by_pmcdrv, rounds[i], ours[i]);
	}
	for (i = 1; i < NUM_ROUNDS; i++) {
		printf("%lu", rounds[i]);
		for (event = 0; event < EVENTS; event++)
			printf(" %" PRIu64 " %" PRIu64, perf[i][event] - perf[0][event],
			       ours[i][event] - ours[0][event]);
		putchar('\n');
	}
	return 0;
}
