// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests NetBurst's counters of two logical processors in the emulator: qualification by thread
 * and the active thread field
 *
 * Runs on processors 0 and 1 of one core, with the module msr and without the NMI watchdog.
 * Prints what is wrong and exits with 1; with 2 if it cannot run.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CRU_ESCR0	0x3b8
#define COUNTER(i)	(0x300 + (i))
#define CCCR(i)		(0x360 + (i))
#define RETIRED		(2ull << 25 | 1 << 9)	/* instr_retired NBOGUSNTAG */
#define T1_USR		1ull
#define T0_USR		4ull
#define ENABLE		(1ull << 12)
#define CRU01		(4ull << 13)
#define ACTIVE(n)	((uint64_t)(n) << 16)

enum { SINGLE = 1, BOTH, ANY };

static int msr[2];

static void write_msr(unsigned int cpu, uint32_t number, uint64_t value)
{
	if (pwrite(msr[cpu], &value, sizeof(value), number) != sizeof(value))
		err(2, "write of MSR %" PRIx32, number);
}

static uint64_t read_msr(unsigned int cpu, uint32_t number)
{
	uint64_t value;

	if (pread(msr[cpu], &value, sizeof(value), number) != sizeof(value))
		err(2, "read of MSR %" PRIx32, number);
	return value;
}

/* This process never sleeps: no other one runs on the processor then. */
static void go_to(unsigned int cpu)
{
	struct sched_param first = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) ||
	    sched_setscheduler(0, SCHED_FIFO, &first))
		err(2, "processor %u", cpu);
}

/* Set the counter to 0, with an ESCR that selects nothing yet. */
static void prepare(unsigned int cpu, unsigned int i, unsigned int active)
{
	write_msr(cpu, CCCR(i), 0);
	write_msr(cpu, COUNTER(i), 0);
	write_msr(cpu, CCCR(i), ENABLE | CRU01 | ACTIVE(active));
}

/* ---- qualification by logical processor ------------------------------------ */

/* User mode, with n rounds of two instructions. */
static uint64_t count(unsigned int cpu, unsigned int n)
{
	write_msr(cpu, CRU_ESCR0, 0);
	prepare(cpu, 12, ANY);
	write_msr(cpu, CRU_ESCR0, RETIRED | (cpu ? T1_USR : T0_USR));
	asm volatile("1: sub $1, %0; jnz 1b" : "+r" (n) : : "cc");
	write_msr(cpu, CRU_ESCR0, 0);
	return read_msr(cpu, COUNTER(12));
}

static int check_qualification(unsigned int cpu)
{
	uint64_t more, less;

	go_to(cpu);
	count(cpu, 1);
	more = count(cpu, 50001);
	less = count(cpu, 1);
	if (more - less == 100000)
		return 0;
	printf("T%u: %" PRIu64 " - %" PRIu64 " instructions\n", cpu, more, less);
	return 1;
}

/* ---- active thread field --------------------------------------------------- */

static volatile uint64_t *rounds;

/* A process on processor 0 that sleeps until it reads a byte, and then spins. */
static pid_t start_other(int pipe_end[2])
{
	struct sched_param other = { 0 };
	pid_t child;
	char byte;

	if (pipe(pipe_end))
		err(2, "pipe");
	child = fork();
	if (child < 0)
		err(2, "fork");
	if (child)
		return child;
	if (sched_setscheduler(0, SCHED_OTHER, &other))
		err(2, "scheduler");
	if (read(pipe_end[0], &byte, 1) == 1)
		for (;;)
			++*rounds;
	_exit(0);
}

/* Processor 0 halts at times until the other process runs, and never after that. */
static void count_both_ways(int wake)
{
	uint64_t before;

	write_msr(1, CRU_ESCR0, 0);
	prepare(1, 12, SINGLE);
	prepare(1, 13, BOTH);
	prepare(1, 16, ANY);
	write_msr(1, CRU_ESCR0, RETIRED | T1_USR);
	while (!read_msr(1, COUNTER(12)))
		;
	if (write(wake, "", 1) != 1)
		err(2, "pipe");
	while (!*rounds)
		;
	before = read_msr(1, COUNTER(13));
	while (read_msr(1, COUNTER(13)) == before)
		;
	write_msr(1, CRU_ESCR0, 0);
}

static int check_active(void)
{
	uint64_t single, both, any;
	int pipe_end[2];
	pid_t child;

	rounds = mmap(NULL, sizeof(*rounds), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rounds == MAP_FAILED)
		err(2, "mmap");
	go_to(0);
	child = start_other(pipe_end);
	go_to(1);
	count_both_ways(pipe_end[1]);
	kill(child, SIGKILL);
	single = read_msr(1, COUNTER(12));
	both = read_msr(1, COUNTER(13));
	any = read_msr(1, COUNTER(16));
	if (single && both && single + both == any)
		return 0;
	printf("single %" PRIu64 ", both %" PRIu64 ", any %" PRIu64 "\n", single, both, any);
	return 1;
}

int main(void)
{
	msr[0] = open("/dev/cpu/0/msr", O_RDWR);
	msr[1] = open("/dev/cpu/1/msr", O_RDWR);
	if (msr[0] < 0 || msr[1] < 0)
		err(2, "/dev/cpu");
	return check_qualification(1) | check_qualification(0) | check_active() ? EXIT_FAILURE : EXIT_SUCCESS;
}
