// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests sampling in turn with Linux's perf: in either order each gets all of its interrupts,
 * and the NMI watchdog works afterwards
 */
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "samples.h"

#define PERIOD		20011
#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define THRESHOLD	"/proc/sys/kernel/watchdog_thresh"
#define TIME_LIMIT	"/proc/sys/kernel/perf_cpu_time_max_percent"
#define PERF_PAGES	16

FIXTURE(perf) {
	SAMPLING_FIXTURE;
	const struct program *loop;
	char limit[16];	/* TIME_LIMIT before the test */
};

static int perf_open(pid_t pid, uint64_t period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 1,
		.enable_on_exec = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

FIXTURE_SETUP(perf)
{
	int perf;

	NEED_SAMPLING_AND_ROOT(&self->query);
	LOAD_PROGRAM(self->loop, "./loop-1m");
	OPEN_DEVICE(self->fd);
	perf = perf_open(0, PERIOD);
	if (perf < 0)
		SKIP(return, "perf does not sample on this CPU: %s", strerror(-perf));
	close(perf);
	/* perf must not throttle itself */
	if (!file_read(TIME_LIMIT, self->limit, sizeof(self->limit)))
		file_write(TIME_LIMIT, "0");
}

FIXTURE_TEARDOWN(perf)
{
	close(self->fd);
	if (self->limit[0])
		file_write(TIME_LIMIT, self->limit);
}

/* perf's samples of the loop, each inside the loop */
static void perf_samples(struct __test_metadata *_metadata, struct _test_data_perf *self)
{
	struct perf_event_mmap_page *head;
	struct child child;
	struct range text;
	uint64_t at = 0, nr = 0;
	int perf;

	ASSERT_EQ(0, text_range(self->loop->argv[0], &text));
	ASSERT_EQ(0, child_program(&child, self->loop));
	perf = perf_open(child.pid, PERIOD);
	ASSERT_LE(0, perf);
	overcount_begin(perf);
	head = mmap(NULL, (1 + PERF_PAGES) * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, perf, 0);
	ASSERT_NE(MAP_FAILED, head);
	ASSERT_EQ(0, child_run(&child));
	while (at < __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE)) {
		const struct perf_event_header *record = (void *)head + 4096 + at;

		if (record->type == PERF_RECORD_SAMPLE) {
			EXPECT_TRUE(range_has(&text, *(uint64_t *)(record + 1)));
			nr++;
		}
		at += record->size;
	}
	EXPECT_SAMPLES(self->loop->instructions / PERIOD, PERIOD, nr);
	munmap(head, (1 + PERF_PAGES) * 4096);
	close(perf);
}

static void pmcdrv_samples(struct __test_metadata *_metadata, struct _test_data_perf *self)
{
	struct child child;
	uint64_t spurious;

	ASSERT_EQ(0, child_counted(&child, self->loop, &self->setup, &self->query,
				   EVENT_INSTRUCTIONS));
	setup_period(&self->setup, self->setup.config.nr_counters - 1, PERIOD);
	setup_period(&self->setup, 0, PERIOD);
	CONFIGURE_SAMPLING();
	ASSERT_EQ(0, text_range(self->loop->argv[0], &self->tally.text));
	spurious = spurious_now(self->fd);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_run(&child));
	tally_rings(&self->tally, &self->rings);
	EXPECT_SAMPLES(self->loop->instructions / PERIOD, PERIOD, self->tally.overflows[0]);
	EXPECT_EQ(self->tally.overflows[0],
		  self->tally.overflows[self->setup.config.nr_counters - 1]);
	EXPECT_ALL_SEEN(self->fd, &self->tally, spurious);
	RELEASE_SAMPLING();
}

TEST_F(perf, alternating_perf_first)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		perf_samples(_metadata, self);
		pmcdrv_samples(_metadata, self);
	}
	perf_samples(_metadata, self);
}

TEST_F(perf, alternating_pmcdrv_first)
{
	pmcdrv_samples(_metadata, self);
	pmcdrv_samples(_metadata, self);
	perf_samples(_metadata, self);
	perf_samples(_metadata, self);
}

/* While the driver samples, perf gets no counter, and its attempts change nothing. */
TEST_F(perf, perf_blocked_while_sampling)
{
	unsigned int i;

	setup_thread_one(&self->setup, 0, 0);
	setup_period(&self->setup, 0, PERIOD);
	CONFIGURE_SAMPLING();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < 300; i++) {
		volatile int j;

		for (j = 0; j < 1000; j++)
			;
		ASSERT_EQ(-EBUSY, perf_open(0, PERIOD));
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	tally_rings(&self->tally, &self->rings);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LT(0, self->reading.overflows);
	EXPECT_EQ(self->reading.value[0] / PERIOD, self->tally.overflows[0]);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	perf_samples(_metadata, self);
}

/* NMIs of a CPU, from /proc/interrupts */
static long nmis(int cpu)
{
	char text[65536], *line;
	long count = -1;

	if (file_read("/proc/interrupts", text, sizeof(text)))
		return -1;
	line = strstr(text, "NMI:");
	if (!line)
		return -1;
	for (line += 4; cpu-- >= 0;)
		count = strtol(line, &line, 10);
	return count;
}

/* The watchdog, switched on again, ticks on each busy CPU. */
TEST_F(perf, watchdog_afterwards)
{
	char before[16] = "", threshold[16];
	int cpu, i;
	long nmi;

	if (file_read(WATCHDOG, before, sizeof(before)) ||
	    file_read(THRESHOLD, threshold, sizeof(threshold)))
		SKIP(return, "no NMI watchdog here");
	pmcdrv_samples(_metadata, self);
	ASSERT_EQ(0, file_write(THRESHOLD, "1"));
	ASSERT_EQ(0, file_write(WATCHDOG, "1"));
	self->setup.config.tid = 0;
	EXPECT_EQ(-EBUSY, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(PMC_HOLDER_KERNEL, self->setup.config.holder.kind);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, pin(0, cpu));
		nmi = nmis(cpu);
		/* its period is the cycles of a second; a hundred seconds are plenty */
		for (i = 0; i < 1000 && nmis(cpu) < nmi + 2; i++) {
			volatile int j;

			for (j = 0; j < 1000000; j++)
				;
		}
		EXPECT_LE(nmi + 2, nmis(cpu));
	}
	ASSERT_EQ(0, file_write(WATCHDOG, before));
	ASSERT_EQ(0, file_write(THRESHOLD, threshold));
	if (!atoi(before))
		pmcdrv_samples(_metadata, self);
}

TEST_HARNESS_MAIN
