// SPDX-License-Identifier: GPL-2.0-only
/*
 * each_cpu: prints the cost of operations on all CPUs that CPU 0 calls: "OPERATION:1 MASKED" for
 * CPU 1, "OPERATION:0 MASKED ALL" for CPU 0. ALL is the instructions in kernel mode, MASKED those
 * with interrupts off
 *
 * All CPUs but CPU 0 are busy in user mode. The numbers are the minimum of CALLS calls, less the
 * minimum of CALLS empty calls: timer interrupts only add. CPU 0 also waits for the others, with
 * interrupts on.
 *
 * The meter is a counter that is programmed through /dev/cpu/N/msr. No context uses it, and the
 * driver does not stop counters that it finds running. So the first CONFIGURE, which acquires the
 * counters of each CPU, and the last RELEASE can be measured, too. In the other rows another
 * context holds a counter of each CPU. Needs root, an AMD processor before family 17H, the
 * module msr, and perf's NMI watchdog off; for MASKED also the emulator, where an instruction
 * takes one cycle.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <libpmcdrv.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define CALLS		150
#define COUNTER		3		/* the meter; contexts count with the others */
#define MSR_SELECT	(0xc0010000 + COUNTER)
#define MSR_COUNTER	(0xc0010004 + COUNTER)
#define KERNEL_ENABLE	0x420000
#define INSTRUCTIONS	0xc0		/* RETIRED_INSTRUCTIONS */
#define MASKED		0xcd		/* INTERRUPTS_MASKED_CYCLES */

static struct pmc_context *measured, *holder;
static bool configured;			/* @measured */
static int cpus, msrs[2];		/* of CPUs 0 and 1 */

static struct {
	atomic_int busy;		/* CPUs but CPU 0 */
	atomic_bool wanted;		/* the meter of CPU 1 */
	uint64_t value;
} *shared;

static void check(int err, const char *what)
{
	if (err < 0) {
		fprintf(stderr, "each_cpu: %s: error %d\n", what, -err);
		exit(1);
	}
}

static void move_to(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one)) {
		perror("each_cpu: sched_setaffinity");
		exit(1);
	}
}

static int open_msrs(int cpu)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open(path, O_RDWR);
	check(fd < 0 ? -errno : 0, path);
	return fd;
}

static uint64_t read_msr(int msrs)
{
	uint64_t value;

	if (pread(msrs, &value, sizeof(value), MSR_COUNTER) != sizeof(value))
		check(-errno, "reading the meter");
	return value;
}

/* CPU 1 reads its meter itself: the cost of a read from CPU 0 varies. */
static uint64_t read_meter(int cpu)
{
	if (!cpu)
		return read_msr(msrs[0]);
	atomic_store(&shared->wanted, true);
	while (atomic_load(&shared->wanted))
		;
	return shared->value;
}

static void set_meter(int cpu, uint64_t select)
{
	if (pwrite(msrs[cpu], &select, sizeof(select), MSR_SELECT) != sizeof(select))
		check(-errno, "the meter");
}

static void keep_busy(int cpu)
{
	move_to(cpu);
	atomic_fetch_add(&shared->busy, 1);
	for (;;) {
		if (cpu != 1 || !atomic_load(&shared->wanted))
			continue;
		shared->value = read_msr(msrs[1]);
		atomic_store(&shared->wanted, false);
	}
}

/* Start processes that keep the other CPUs busy until this one ends; return when all run. */
static void occupy_others(void)
{
	int cpu;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	check(shared == MAP_FAILED ? -errno : 0, "mmap");
	for (cpu = 1; cpu < cpus; cpu++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		keep_busy(cpu);
	}
	move_to(0);
	while (atomic_load(&shared->busy) < cpus - 1)
		;
}

static struct pmc_context *new_context(int first, int counters)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context = device ? pmc_context_open(device) : NULL;
	int i;

	if (!context)
		check(-1, "cannot open a context");
	check(pmc_context_set_all_cpus(context), "all CPUs");
	for (i = 0; i < counters; i++) {
		struct pmc_counter_config counter = {
			.counter = PMC_COUNTER_GENERAL(first + i),
			.event_select = INSTRUCTIONS,
			.flags = PMC_COUNT_USER | PMC_COUNT_KERNEL,
		};

		check(pmc_context_add_counter(context, &counter), "counter");
	}
	return context;
}

static void do_nothing(void)
{
}

static void do_read(void)
{
	struct pmc_snapshot all;

	check(pmc_context_read(measured, &all), "read");
}

static void do_reset(void)
{
	check(pmc_context_reset(measured), "reset");
}

static void do_start(void)
{
	check(pmc_context_start(measured), "start");
}

static void do_stop(void)
{
	check(pmc_context_stop(measured), "stop");
}

static void do_configure(void)
{
	if (!configured)
		check(pmc_context_configure(measured), "configure");
	configured = true;
}

static void do_run(void)
{
	do_configure();
	do_start();
}

static void do_release(void)
{
	if (configured)
		check(pmc_context_release(measured), "release");
	configured = false;
}

/* @call is measured, after @before; @held: while another context holds the counters */
static const struct operation {
	const char *name;
	void (*before)(void);
	void (*call)(void);
	bool held;
} operations[] = {
	{ "CONFIGURE", do_release, do_configure, true },
	{ "START", do_stop, do_start, true },
	{ "READ", do_start, do_read, true },
	{ "RESET", do_start, do_reset, true },
	{ "STOP", do_start, do_stop, true },
	{ "RELEASE", do_run, do_release, true },
	{ "first-CONFIGURE", do_release, do_configure, false },
	{ "last-RELEASE", do_run, do_release, false },
};

static uint64_t least(void (*before)(void), void (*call)(void), int cpu)
{
	uint64_t result = UINT64_MAX, begin, used;
	int i;

	for (i = 0; i < CALLS; i++) {
		before();
		begin = read_meter(cpu);
		call();
		used = read_meter(cpu) - begin;
		if (used < result)
			result = used;
	}
	return result;
}

static uint64_t cost(const struct operation *operation, int cpu, int event)
{
	uint64_t nothing, result;

	set_meter(cpu, event | KERNEL_ENABLE);
	nothing = least(do_nothing, do_nothing, cpu);
	result = least(operation->before, operation->call, cpu) - nothing;
	set_meter(cpu, 0);
	return result;
}

static void measure(const struct operation *operation)
{
	if (operation->held)
		check(pmc_context_configure(holder), "configure");
	do_configure();
	printf("%s:0 %" PRIu64, operation->name, cost(operation, 0, MASKED));
	printf(" %" PRIu64 "\n", cost(operation, 0, INSTRUCTIONS));
	if (cpus > 1)
		printf("%s:1 %" PRIu64 "\n", operation->name, cost(operation, 1, MASKED));
	do_release();
	if (operation->held)
		check(pmc_context_release(holder), "release");
}

int main(void)
{
	unsigned int i;

	setlinebuf(stdout);
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	msrs[0] = open_msrs(0);
	if (cpus > 1)
		msrs[1] = open_msrs(1);
	occupy_others();
	holder = new_context(0, 1);
	measured = new_context(1, 2);
	for (i = 0; i < ARRAY_SIZE(operations); i++)
		measure(&operations[i]);
	return 0;
}
