// SPDX-License-Identifier: GPL-2.0-only
/*
 * region: an empty region counts nothing and a known one what it has, every time:
 * at rest, beside others on the CPU, while it moves between CPUs, and while the
 * permission for RDPMC comes and goes. Speaks TAP. Needs root.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libpmcdrv-read.h>

#define ROUNDS	20000
#define KNOB	"/sys/class/misc/pmc/pce"

static struct pmc_context *context;
static struct pmc_region region;
static unsigned int number, failed;

static void result(bool good, const char *name)
{
	printf("%sok %u - %s\n", good ? "" : "not ", ++number, name);
	failed += !good;
}

static void set_knob(const char *text)
{
	int fd = open(KNOB, O_WRONLY);

	if (fd < 0 || write(fd, text, 1) != 1)
		printf("# %s cannot be written\n", KNOB);
	close(fd);
}

static void move_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* 5 instructions, 2 branches */
static inline void five(void)
{
	__asm__ __volatile__("nop\n\tnop\n\tjmp 1f\n1:\tnop\n\tjmp 2f\n2:" : : : "memory");
}

static bool is_last(uint64_t instructions, uint64_t branches)
{
	if (pmc_region_last(&region, 0) == instructions && pmc_region_last(&region, 1) == branches)
		return true;
	printf("# %" PRIu64 " instructions, %" PRIu64 " branches\n", pmc_region_last(&region, 0),
	       pmc_region_last(&region, 1));
	return false;
}

/* @between is called now and then, outside of the regions. */
static void measure(const char *name, void (*between)(int round))
{
	unsigned int empty = 0, known = 0;
	int round;

	pmc_region_reset(&region);
	for (round = 0; round < ROUNDS; round++) {
		uint64_t runs = pmc_region_runs(&region);

		if (between && !(round % 100))
			between(round);
		PMC_REGION_BEGIN(region);
		PMC_REGION_END(region);
		if (pmc_region_runs(&region) != runs)
			empty += !is_last(0, 0);
		runs = pmc_region_runs(&region);
		PMC_REGION_BEGIN(region);
		five();
		PMC_REGION_END(region);
		if (pmc_region_runs(&region) != runs)
			known += !is_last(5, 2);
	}
	printf("# %s: %" PRIu64 " regions, %" PRIu64 " dropped, %u empty and %u known ones wrong\n",
	       name, pmc_region_runs(&region), pmc_region_dropped(&region), empty, known);
	result(!empty && !known, name);
	result(!pmc_region_dropped(&region), "none was dropped");
}

static void move(int round)
{
	move_to(round / 100 % sysconf(_SC_NPROCESSORS_ONLN));
}

static void toggle(int round)
{
	set_knob(round / 100 % 2 ? "1" : "0");
}

static pid_t spin(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (;;)
		sched_yield();
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void measure_all(void)
{
	pid_t others[3];
	int i;

	measure("at rest", NULL);
	for (i = 0; i < 3; i++)
		others[i] = spin();
	measure("beside three others", NULL);
	measure("while it moves", move);
	for (i = 0; i < 3; i++)
		end(others[i]);
	measure("while the permission changes between regions", toggle);
	set_knob("0");
	measure("through the driver", NULL);
	set_knob("1");
}

/* Is RDPMC's short form there? */
static bool has_fast_form(void)
{
	struct pmc_query query = { .size = sizeof(query), .cpu = PMC_CPU_ANY };
	int fd = open(PMC_DEVICE, O_RDWR);

	if (fd < 0 || ioctl(fd, PMC_IOC_QUERY, &query))
		printf("# %s does not answer\n", PMC_DEVICE);
	close(fd);
	return query.features & PMC_FEATURE(RDPMC_FAST);
}

/*
 * It gives the same bits: of a counter of branches, with none between. And a count
 * read with it lies as many branches behind the last one every time.
 */
static void fast_form(void)
{
	struct pmc_context *branches = pmc_context_open_self("branches:u:g");
	const struct pmc_page *page = branches ? pmc_context_page(branches) : NULL;
	unsigned int n, same = 0, behind = 0;
	uint32_t distance = 0;

	move_to(0);
	for (n = 0; page && n < ROUNDS; n++) {
		uint64_t count = pmc_rdpmc(page->counter[0].rdpmc);
		uint32_t fast = pmc_rdpmc_fast(page->counter[0].rdpmc);

		same += fast == (uint32_t)count;
		count = pmc_read_counter(page, 0);
		fast = pmc_read_counter_fast(page, 0) - (uint32_t)count;
		if (!n)
			distance = fast;
		behind += fast && fast == distance;
	}
	printf("# %u of %u the same, %u of them %u behind\n", same, n, behind, distance);
	result(page && same == n && behind == n, "the short form of RDPMC");
	pmc_context_close(branches);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	context = pmc_context_open_self("instructions:u,branches:u");
	if (!context || pmc_region_init(&region, context)) {
		printf("Bail out! %s\n", pmc_error());
		return 1;
	}
	result(!(pmc_context_page(context)->sequence & PMC_PAGE_NOT_NOW),
	       "the page can be read in user mode");
	result(pmc_region_exact(&region, 0) && pmc_region_exact(&region, 1),
	       "every empty region of the calibration counted the same");
	measure_all();
	if (has_fast_form())
		fast_form();
	pmc_region_reset(&region);
	pmc_context_release(context);
	PMC_REGION_BEGIN(region);
	PMC_REGION_END(region);
	result(!pmc_region_runs(&region) && pmc_region_dropped(&region) == 1,
	       "a region of a context that was released is dropped");
	printf("1..%u\n", number);
	return failed ? 1 : 0;
}
