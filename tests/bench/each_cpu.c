// SPDX-License-Identifier: GPL-2.0-only
/*
 * each_cpu: prints how many instructions CPU 1 executes in kernel mode for a read of all CPUs
 *
 * All CPUs but CPU 0, which reads, are busy in user mode. The number is the minimum of ROUNDS
 * rounds of READS reads, divided by READS: timer interrupts only add. Needs root, two CPUs at
 * least, and perf's NMI watchdog off.
 */
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <libpmcdrv.h>

#define ROUNDS		20
#define READS		100
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

static struct pmc_context *start(int cpu, int first, int counters, uint32_t flags)
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
	check(pmc_context_start(context), "start");
	return context;
}

int main(void)
{
	struct pmc_snapshot before, after, all;
	struct pmc_context *every, *one;
	uint64_t least = UINT64_MAX;
	int i, k;

	occupy_others();
	every = start(-1, 0, 3, PMC_COUNT_USER | PMC_COUNT_KERNEL);
	one = start(1, 3, 1, PMC_COUNT_KERNEL);
	for (i = 0; i < ROUNDS; i++) {
		check(pmc_context_read(one, &before), "read");
		for (k = 0; k < READS; k++)
			check(pmc_context_read(every, &all), "read");
		check(pmc_context_read(one, &after), "read");
		if (after.value[0] - before.value[0] < least)
			least = after.value[0] - before.value[0];
	}
	printf("%" PRIu64 "\n", least / READS);
	return 0;
}
