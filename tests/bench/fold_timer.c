// SPDX-License-Identifier: GPL-2.0-only
/*
 * fold_timer: prints what an interrupt of the driver's fold timer costs: "fold-timer:CPU
 * INSTRUCTIONS" for CPUs 0 and 1, from the kernel's entry to its exit
 *
 * The other CPUs are busy in user mode, and a context counts on all. This process reads a counter
 * of instructions in kernel mode again and again, through /dev/cpu/N/msr. All reads cost the same,
 * except those that an interrupt falls into. Before the context counts, the cheapest interrupt is
 * the kernel's tick; afterwards it is the fold timer's. Needs root, the module msr, perf's NMI
 * watchdog off, and an Intel processor with four counters of 32 bits, which are folded every two
 * milliseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libpmcdrv.h>

#define READS			20000
#define SEVERAL			5
#define ENTRY_AND_EXIT		300		/* no interrupt costs less */
#define MSR_COUNTER		0xc4		/* IA32_PMC3; the context counts with the others */
#define MSR_SELECT		0x189		/* IA32_PERFEVTSEL3 */
#define MSR_GLOBAL_CTRL		0x38f
#define KERNEL_INSTRUCTIONS	0x4200c0	/* INST_RETIRED.ANY_P, OS, enabled */
#define MAX_CPUS		64

static int cpus;
static pid_t busy[MAX_CPUS];

static void check(int err, const char *what)
{
	if (err < 0) {
		fprintf(stderr, "fold_timer: %s: error %d, %s\n", what, -err, pmc_error());
		exit(1);
	}
}

static void move_to(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	check(sched_setaffinity(0, sizeof(one), &one) ? -errno : 0, "sched_setaffinity");
}

/* Keep all CPUs but @free busy. */
static void occupy_others(int free)
{
	int cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		if (cpu == free)
			continue;
		busy[cpu] = fork();
		check(busy[cpu] < 0 ? -errno : 0, "fork");
		if (busy[cpu])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		move_to(cpu);
		for (;;)
			;
	}
	move_to(free);
}

static void free_others(int free)
{
	int cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		if (cpu != free) {
			kill(busy[cpu], SIGKILL);
			waitpid(busy[cpu], NULL, 0);
		}
}

static uint64_t read_msr(int msrs, off_t msr)
{
	uint64_t value;

	check(pread(msrs, &value, sizeof(value), msr) < 0 ? -errno : 0, "reading an MSR");
	return value;
}

static void write_msr(int msrs, off_t msr, uint64_t value)
{
	check(pwrite(msrs, &value, sizeof(value), msr) < 0 ? -errno : 0, "writing an MSR");
}

static int by_value(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * The least number of instructions that several interrupts added to a read. There are four kinds
 * of each timer's interrupts: in user or kernel mode, with and without another timer that is due.
 */
static uint32_t cheapest_interrupt(int msrs)
{
	static uint32_t cost[READS];
	uint32_t before, now;
	size_t i, first;

	before = read_msr(msrs, MSR_COUNTER);
	for (i = 0; i < READS; i++, before = now) {
		now = read_msr(msrs, MSR_COUNTER);
		cost[i] = now - before;
	}
	qsort(cost, READS, sizeof(cost[0]), by_value);
	for (i = first = 0; i < READS; i++) {
		if (cost[i] != cost[first])
			first = i;
		if (cost[i] - cost[0] >= ENTRY_AND_EXIT && i - first + 1 == SEVERAL)
			return cost[i] - cost[0];
	}
	return 0;
}

static struct pmc_context *count_everywhere(void)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context = device ? pmc_context_open(device) : NULL;
	int i;

	check(context ? pmc_context_set_all_cpus(context) : -1, "all CPUs");
	for (i = 0; i < 2; i++) {
		struct pmc_counter_config counter = {
			.counter = PMC_COUNTER_GENERAL(i),
			.event_select = 0xc0,
			.flags = PMC_COUNT_USER | PMC_COUNT_KERNEL,
		};

		check(pmc_context_add_counter(context, &counter), "counter");
	}
	check(pmc_context_configure(context), "configure");
	check(pmc_context_start(context), "start");
	return context;
}

static void measure(int cpu)
{
	struct pmc_context *context;
	uint32_t alone, folding;
	char path[32];
	int msrs;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	msrs = open(path, O_RDWR);
	check(msrs < 0 ? -errno : 0, path);
	occupy_others(cpu);
	write_msr(msrs, MSR_SELECT, KERNEL_INSTRUCTIONS);
	write_msr(msrs, MSR_GLOBAL_CTRL, read_msr(msrs, MSR_GLOBAL_CTRL) | 8);
	alone = cheapest_interrupt(msrs);
	context = count_everywhere();
	folding = cheapest_interrupt(msrs);
	check(pmc_context_release(context), "release");
	write_msr(msrs, MSR_SELECT, 0);
	free_others(cpu);
	check(folding && folding < alone ? 0 : -1, "no interrupt is cheaper than the kernel's own");
	printf("fold-timer:%d %u\n", cpu, folding);
}

int main(void)
{
	setlinebuf(stdout);
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	check(cpus <= MAX_CPUS ? 0 : -1, "too many CPUs");
	measure(0);
	if (cpus > 1)
		measure(1);
	return 0;
}
