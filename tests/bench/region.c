// SPDX-License-Identifier: GPL-2.0-only
/*
 * region: checks that an empty measured region counts 0 and a known one its exact count, every
 * time: undisturbed, beside others on the CPU, while it migrates between CPUs, and while the
 * permission for RDPMC changes. Prints TAP. Needs root.
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
#include <libpmcevents.h>

#define ROUNDS	20000
#define KNOB	"/sys/class/misc/pmc/pce"

/* MSR_BPU_COUNTER0 */
#define MSR_NETBURST_COUNTER0	0x300

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

/* @between is called at intervals, outside of the regions. */
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

static struct pmc_query ask(void)
{
	struct pmc_query query = { .size = sizeof(query), .cpu = PMC_CPU_ANY };
	int fd = open(PMC_DEVICE, O_RDWR);

	if (fd < 0 || ioctl(fd, PMC_IOC_QUERY, &query))
		printf("# %s does not answer\n", PMC_DEVICE);
	close(fd);
	return query;
}

/*
 * RDPMC's 32-bit form returns the same lower bits, for a counter of branches with no branches in
 * between. A count read with it differs from the one before by a constant number of branches,
 * unless the counter was released in between.
 */
static void fast_form(void)
{
	struct pmc_context *branches = pmc_context_open_self("branches:u:g");
	const struct pmc_page *page = branches ? pmc_context_page(branches) : NULL;
	unsigned int n, undisturbed = 0, same = 0, behind = 0;
	uint32_t distance = 0;

	move_to(0);
	for (n = 0; page && n < ROUNDS; n++) {
		uint32_t sequence = page->sequence;
		uint64_t raw = pmc_rdpmc(page->counter[0].rdpmc);
		uint32_t raw_fast = pmc_rdpmc_fast(page->counter[0].rdpmc);
		uint64_t count = pmc_read_counter(page, 0);
		uint32_t fast = pmc_read_counter_fast(page, 0) - (uint32_t)count;

		if (page->sequence != sequence)
			continue;
		if (!undisturbed++)
			distance = fast;
		same += raw_fast == (uint32_t)raw;
		behind += fast && fast == distance;
	}
	printf("# %u of %u the same, %u of them %u behind\n", same, undisturbed, behind, distance);
	result(undisturbed && same == undisturbed && behind == undisturbed,
	       "the short form of RDPMC");
	pmc_context_close(branches);
}

/* Set the hardware counter to this number of events before 2^32. */
static bool set_before_32_bits(const struct pmc_page *page, unsigned int left)
{
	uint64_t value = (1ULL << 32) - left;
	int msr = open("/dev/cpu/0/msr", O_RDWR);
	bool done = msr >= 0 && pwrite(msr, &value, sizeof(value), MSR_NETBURST_COUNTER0 +
				       page->counter[0].rdpmc) == sizeof(value);

	close(msr);
	return done;
}

/*
 * A context with its counter 3000 events before 2^32 and with the count @first. The driver loads
 * the counter again when the thread is switched: no other task may preempt it.
 */
static struct pmc_context *open_before_wrap(uint64_t first)
{
	const struct sched_param first_of_all = { .sched_priority = 1 };
	struct pmc_context *wraps;
	const struct pmc_page *page;

	move_to(0);
	wraps = pmc_context_open_self("instructions:u:g");
	page = wraps ? pmc_context_page(wraps) : NULL;
	if (page && !sched_setscheduler(0, SCHED_FIFO, &first_of_all) &&
	    set_before_32_bits(page, 3000) && !pmc_context_write(wraps, &first, 1))
		return wraps;
	pmc_context_close(wraps);
	return NULL;
}

/*
 * The counter passes 2^32, where the 32-bit form wraps to 0; later the count itself passes it too.
 * Differences must be exact all the same.
 */
static void fast_form_wraps(void)
{
	uint32_t last_raw, last_fast, raw, fast, distance = 0, raw_back = 0, back = 0, wrong = 0;
	struct pmc_context *wraps = open_before_wrap((1ULL << 32) - 6000);
	const struct pmc_page *page = wraps ? pmc_context_page(wraps) : NULL;
	const struct sched_param none = { 0 };
	uint64_t last = 0, now;
	unsigned int n;

	if (!page) {
		result(false, "the short form beyond 32 bits (modprobe msr?)");
		return;
	}
	last_raw = pmc_rdpmc_fast(page->counter[0].rdpmc);
	last_fast = pmc_read_counter_fast(page, 0);
	for (n = 0; last < (1ULL << 32) + 10000; n++) {
		uint32_t sequence = page->sequence;

		raw = pmc_rdpmc_fast(page->counter[0].rdpmc);
		fast = pmc_read_counter_fast(page, 0);
		now = pmc_read_counter(page, 0);
		raw_back += raw < last_raw;
		back += fast < last_fast;
		wrong += now <= last;
		if (page->sequence == sequence) {
			distance = distance ? distance : (uint32_t)now - fast;
			wrong += !distance || (uint32_t)now - fast != distance;
		}
		last_raw = raw;
		last_fast = fast;
		last = now;
	}
	sched_setscheduler(0, SCHED_OTHER, &none);
	printf("# %u readings, bare ones that went back: %u, counts: %u, wrong: %u\n", n, raw_back,
	       back, wrong);
	result(raw_back == 1 && back == 1 && !wrong, "the short form beyond 32 bits");
	pmc_context_close(wraps);
}

int main(void)
{
	struct pmc_query query;

	setvbuf(stdout, NULL, _IOLBF, 0);
	context = pmc_context_open_self("instructions:u,branches:u");
	if (!context || pmc_region_init(&region, context)) {
		printf("Bail out! %s\n", pmc_error());
		return 1;
	}
	result(!(pmc_context_page(context)->sequence & PMC_PAGE_UNAVAILABLE),
	       "the page can be read in user mode");
	result(pmc_region_exact(&region, 0) && pmc_region_exact(&region, 1),
	       "every empty region of the calibration counted the same");
	measure_all();
	query = ask();
	if (query.features & PMC_FEATURE(RDPMC_FAST))
		fast_form();
	if (query.family == PMC_FAMILY_NETBURST)
		fast_form_wraps();
	pmc_region_reset(&region);
	pmc_context_release(context);
	PMC_REGION_BEGIN(region);
	PMC_REGION_END(region);
	result(!pmc_region_runs(&region) && pmc_region_dropped(&region) == 1,
	       "a region of a context that was released is dropped");
	printf("1..%u\n", number);
	return failed ? 1 : 0;
}
