// SPDX-License-Identifier: GPL-2.0-only
/*
 * each_cpu: prints how many instructions CPU 1, and CPU 0, execute in kernel mode for operations on
 * all CPUs
 *
 * All CPUs but CPU 0, which calls, are busy in user mode. The numbers are the minimum of CALLS
 * calls, less the minimum without a call: timer interrupts only add. CPU 0 also waits for the
 * others, with interrupts on. Another context holds the counters meanwhile, so CONFIGURE acquires
 * none. Needs root, two CPUs at least, and perf's NMI watchdog off.
 */
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <libpmcdrv.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define CALLS		100
#define INSTRUCTIONS	0xc0	/* INST_RETIRED.ANY_P */

static void check(int err, const char *what)
{
	if (err < 0) {
		fprintf(stderr, "each_cpu: %s: error %d\n", what, -err);
		exit(1);
	}
}

static void move_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("each_cpu: sched_setaffinity");
		exit(1);
	}
}

/* Processes that end with this one keep the other CPUs busy. */
static void occupy_others(void)
{
	int cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (cpu = 1; cpu < cpus; cpu++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		move_to(cpu);
		for (;;)
			__asm__ __volatile__("");
	}
	move_to(0);
}

static struct pmc_context *configured(int cpu, int first, int counters, uint32_t flags)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context = device ? pmc_context_open(device) : NULL;
	int i;

	if (!context)
		check(-1, "cannot open a context");
	if (cpu < 0)
		check(pmc_context_set_all_cpus(context), "all CPUs");
	else
		check(pmc_context_set_cpu(context, cpu), "one CPU");
	for (i = 0; i < counters; i++) {
		struct pmc_counter_config counter = {
			.counter = PMC_COUNTER_GENERAL(first + i),
			.event_select = INSTRUCTIONS,
			.flags = flags,
		};

		check(pmc_context_add_counter(context, &counter), "counter");
	}
	check(pmc_context_configure(context), "configure");
	return context;
}

static void do_read(struct pmc_context *every)
{
	struct pmc_snapshot all;

	check(pmc_context_read(every, &all), "read");
}

static void do_stop_start(struct pmc_context *every)
{
	check(pmc_context_stop(every), "stop");
	check(pmc_context_start(every), "start");
}

static void do_reset(struct pmc_context *every)
{
	check(pmc_context_reset(every), "reset");
}

static void do_configure(struct pmc_context *every)
{
	check(pmc_context_release(every), "release");
	check(pmc_context_configure(every), "configure");
}

static const struct {
	const char *name;
	void (*call)(struct pmc_context *every);
} operations[] = {
	{ "READ", do_read },
	{ "RESET", do_reset },
	{ "STOP+START", do_stop_start },
	{ "RELEASE+CONFIGURE", do_configure },
};

/* Instructions of the CPU that @one counts, for one call, if any, and the read of @one */
static uint64_t least(void (*call)(struct pmc_context *every), struct pmc_context *every,
		      struct pmc_context *one)
{
	struct pmc_snapshot before, after;
	uint64_t result = UINT64_MAX;
	int i;

	for (i = 0; i < CALLS; i++) {
		check(pmc_context_read(one, &before), "read");
		if (call)
			call(every);
		check(pmc_context_read(one, &after), "read");
		if (after.value[0] - before.value[0] < result)
			result = after.value[0] - before.value[0];
	}
	return result;
}

static uint64_t cost(void (*call)(struct pmc_context *every), struct pmc_context *every,
		     struct pmc_context *one)
{
	return least(call, every, one) - least(NULL, every, one);
}

int main(void)
{
	struct pmc_context *every, *one, *caller;
	unsigned int i;

	occupy_others();
	every = configured(-1, 0, 3, PMC_COUNT_USER | PMC_COUNT_KERNEL);
	one = configured(1, 3, 1, PMC_COUNT_KERNEL);
	caller = configured(0, 3, 1, PMC_COUNT_KERNEL);
	check(pmc_context_start(every), "start");
	check(pmc_context_start(one), "start");
	check(pmc_context_start(caller), "start");
	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		printf("%s %" PRIu64, operations[i].name, cost(operations[i].call, every, one));
		printf(" %" PRIu64 "\n", cost(operations[i].call, every, caller));
	}
	return 0;
}
