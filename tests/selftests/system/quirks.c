// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of quirks: what the driver does about errata, with processors that have them or
 * emulated (tests/machine/pmu/README.md, "Quirks")
 *
 * The environment variable PMCDRV_QUIRK names the emulated quirk that no query reports: storm,
 * rewritten, migrated, zen1, zero.
 */
#include <string.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "counted_loop.h"
#include "registers.h"
#include "samples.h"

#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"

FIXTURE(quirks) {
	SAMPLING_FIXTURE;
};

FIXTURE_SETUP(quirks)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	OPEN_DEVICE(self->fd);
	setup_thread(&self->setup, 0, 0);
}

FIXTURE_TEARDOWN(quirks)
{
	file_write(CPU1_ONLINE, "1");
	close(self->fd);
}

static bool emulated(const char *quirk)
{
	const char *present = getenv("PMCDRV_QUIRK");

	return present && !strcmp(present, quirk);
}

/*
 * A counter that is loaded with 5 events left. With a least period its sample is marked, and the
 * next ones are not; without one none is. No overflow is dropped.
 */
TEST_F(quirks, five_events_left)
{
	const unsigned int period = 10007;

	if (is_netburst() || emulated("storm") || getenv("PMCDRV_SKID") ||
	    !(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "the interrupt does not come with the overflow here");
	if (emulated("rewritten"))
		SKIP(return, "the emulated quirk can clear the counter");
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&self->setup, 0, period);
	CONFIGURE_SAMPLING();
	ASSERT_EQ(0, text_range("/proc/self/exe", &self->tally.text));
	ASSERT_EQ(10002, SAMPLED_LOOP(4998));
	ASSERT_EQ(0, sampled_loop(self->fd, 4998, PMC_IOC_START, PMC_IOC_STOP));
	ASSERT_EQ(0, sampled_loop(self->fd, 50000, PMC_IOC_START, PMC_IOC_STOP));
	tally_rings(&self->tally, &self->rings);
	EXPECT_STREQ("", self->tally.wrong);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_COUNT(10002 + SAMPLED_LOOP(50000), self->reading.value[0]);
	EXPECT_EQ(self->reading.value[0] / period, self->tally.overflows[0]);
	EXPECT_EQ(self->reading.value[0] / period, self->tally.samples);
	EXPECT_EQ(0, self->tally.late);
	EXPECT_EQ(0, self->tally.skid);
	EXPECT_EQ(least_period() > 1, self->tally.behind);
	RELEASE_SAMPLING();
}

#define MODEL_SKYLAKE_X		0x55
#define MSR_OFFCORE_RSP_0	0x1a6
#define OFFCORE_RESPONSE_0	0x01b7

/* INST_RETIRED.PREC_DIST with a counter mask that is never reached: counts nothing */
#define PREC_DIST_IMPOSSIBLE	0xff0001c0

/* PERIOD_128: a counter of PREC_DIST is loaded with 128 events left at least, others with 32. */
TEST_F(quirks, least_period_of_prec_dist)
{
	const uint32_t msr = msr_counter(&self->query, 1);
	uint64_t value;
	unsigned int i;

	if (!(self->query.quirks & PMC_QUIRK(PERIOD_128)))
		SKIP(return, "no such quirk");
	for (i = 0; i < 2; i++) {
		setup_cpu(&self->setup, 0);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(1),
			  i ? EVENT_IMPOSSIBLE : PREC_DIST_IMPOSSIBLE, PMC_COUNT_USER);
		setup_period(&self->setup, 0, 100);
		CONFIGURE_AND_START(self->fd, &self->setup);
		ASSERT_EQ(0, msr_read(0, msr, &value));
		EXPECT_EQ((1ULL << 48) - (i ? 100 : 128), value);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* USER_4_7: counters 4 to 7 count user and kernel mode, or are refused. */
TEST_F(quirks, counters_4_to_7_in_user_mode)
{
	static const unsigned int flags[] = {
		PMC_COUNT_USER, PMC_COUNT_KERNEL, PMC_COUNT_USER | PMC_COUNT_KERNEL,
	};
	unsigned int i, j;

	if (!(self->query.quirks & PMC_QUIRK(USER_4_7)))
		SKIP(return, "no such quirk");
	for (i = 0; i <= last_general(&self->query); i++) {
		for (j = 0; j < ARRAY_SIZE(flags); j++) {
			int refused = i >= 4 && j < 2 ? -EDOM : 0;

			setup_thread(&self->setup, 0, 0);
			setup_add(&self->setup, PMC_COUNTER_GENERAL(i), EVENT_INSTRUCTIONS,
				  flags[j]);
			EXPECT_EQ(refused, setup_configure(self->fd, &self->setup));
			EXPECT_EQ(refused ? -EBADFD : 0,
				  pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		}
	}
}

/* Both logical processors of CPU 0's core are online. */
static bool has_sibling(void)
{
	char text[64];

	return !file_read("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", text,
			  sizeof(text)) && strpbrk(text, ",-");
}

/* The same work in each call, at least @rounds * 2 instructions. */
static void spin(unsigned int rounds)
{
	asm volatile("1: dec %0\n\tjnz 1b" : "+r" (rounds));
}

/* A thread that arrives at CPU 1 is counted there. */
static void expect_counted_on_arrival(struct __test_metadata *_metadata,
				      struct _test_data_quirks *self)
{
	struct setup setup;
	int fd;

	ASSERT_EQ(0, pin(0, 0));
	OPEN_DEVICE(fd);
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(2), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	CONFIGURE_AND_START(fd, &setup);
	ASSERT_EQ(0, pin(0, 1));
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
	close(fd);
}

static int configure_leaking(struct _test_data_quirks *self, uint64_t event)
{
	setup_all_cpus(&self->setup);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), event, PMC_COUNT_USER);
	return setup_configure(self->fd, &self->setup);
}

/*
 * HT_LEAK: refused while the sibling is online. If it comes online later, nothing is counted there
 * and the state reports so, until the context is released.
 */
TEST_F(quirks, leaking_events)
{
	struct setup other;
	uint64_t event;
	int fd, arriving;

	if (!(self->query.quirks & PMC_QUIRK(HT_LEAK)) || !has_sibling())
		SKIP(return, "needs Hyper-Threading on Sandy Bridge to Haswell");
	for (event = 0xd0; event <= 0xd3; event++) {
		EXPECT_EQ(-EDOM, configure_leaking(self, 0x8100 | event));
		EXPECT_EQ(0, self->setup.config.failed_entry);
	}
	for (event = 0x1cf; event <= 0x1d4; event += 5) {
		EXPECT_EQ(0, configure_leaking(self, event));
		EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
	ASSERT_EQ(0, file_write(CPU1_ONLINE, "0"));
	ASSERT_EQ(0, configure_leaking(self, 0x81d0));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
	ASSERT_EQ(0, file_write(CPU1_ONLINE, "1"));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_UNCOUNTED, self->reading.state);
	fd = pmc_open();
	ASSERT_LE(0, fd);
	setup_cpu(&other, 1);
	setup_add(&other, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, &other));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_UNCOUNTED, self->reading.state);
	/* nor a thread that arrives there, if CPU 1 is isolated (isolcpus=1) */
	ASSERT_EQ(0, pin(0, 0));
	arriving = pmc_open();
	ASSERT_LE(0, arriving);
	setup_thread(&other, 0, 0);
	setup_add(&other, PMC_COUNTER_GENERAL(2), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(arriving, &other));
	ASSERT_EQ(0, pmc_call(arriving, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pin(0, 1));
	ASSERT_EQ(0, reading_read(arriving, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_UNCOUNTED, self->reading.state);
	close(arriving);
	/* without the leaking context CPU 1 counts, while another context stays open */
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	spin(100000);
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	/* it has missed something */
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_UNCOUNTED, self->reading.state);
	EXPECT_LT(200000, self->reading.value[0]);
	EXPECT_EQ(-EDOM, configure_leaking(self, 0x81d0));
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&self->setup, 0, LOOP_INSTRUCTIONS(1000));
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pin(0, 1));
	ASSERT_EQ(0, loop_counted(self->fd, 1000));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(0, self->reading.state);
	EXPECT_COUNT(LOOP_INSTRUCTIONS(1000), self->reading.value[0]);
	EXPECT_EQ(1, self->reading.overflows);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	close(fd);
	expect_counted_on_arrival(_metadata, self);
}

/* What contexts of single CPUs report beside a context of a thread on CPU 0 */
static void expect_storm_on(struct __test_metadata *_metadata, int cpu, unsigned int state)
{
	struct reading reading;
	struct setup setup;
	int fd;

	OPEN_DEVICE(fd);
	setup_cpu(&setup, cpu);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&setup, 0, 100003);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	ASSERT_EQ(0, reading_read(fd, &reading));
	EXPECT_EQ(state, reading.state);
	close(fd);
}

/* Interrupts without end: the program continues and its count is right; the state reports it. */
TEST_F(quirks, storm)
{
	struct pmc_statistics before, after;

	if (!emulated("storm"))
		SKIP(return, "needs a storm of interrupts (PMCDRV_QUIRK=storm)");
	ASSERT_EQ(0, pin(0, 0));
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&self->setup, 0, 100003);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, statistics_read(self->fd, &before));
	ASSERT_EQ(0, sampled_loop(self->fd, 10, PMC_IOC_START, PMC_IOC_STOP));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(0, self->reading.state);
	ASSERT_EQ(0, sampled_loop(self->fd, 1000000, PMC_IOC_START, PMC_IOC_STOP));
	ASSERT_EQ(0, statistics_read(self->fd, &after));
	EXPECT_EQ(before.storms + 1, after.storms);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_STORM, self->reading.state);
	expect_storm_on(_metadata, 0, PMC_STATE_STORM);
	expect_storm_on(_metadata, 1, 0);
	EXPECT_COUNT(SAMPLED_LOOP(10) + SAMPLED_LOOP(1000000), self->reading.value[0]);
	EXPECT_EQ(self->reading.value[0] / 100003, self->reading.overflows);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(0, self->reading.state);
}

/*
 * Compare the samples on CPU 0 with the counts, if an overflow may have raised no interrupt: a
 * sample that is not at the end of its period, or stands for several, is marked. Return: how many
 * are marked.
 */
static unsigned int marked_samples(struct __test_metadata *_metadata,
				   struct _test_data_quirks *self, int fd,
				   const struct setup *setup)
{
	uint64_t due[2] = { 0 }, overflows = 0, period;
	const struct pmc_sample *sample;
	unsigned int marked = 0, i;
	struct ring ring;

	ASSERT_EQ(0, ring_map(&ring, fd, setup, 0));
	while ((sample = (const void *)ring_next(&ring))) {
		ASSERT_EQ(PMC_RECORD_SAMPLE, sample->record.type);
		period = setup->counter[sample->counter].period;
		due[sample->counter] += sample->overflows;
		EXPECT_EQ(sample->data[sample->counter] / period, due[sample->counter]);
		EXPECT_EQ(sample->overflows > 1 || sample->data[sample->counter] % period,
			  !!(sample->flags & (PMC_SAMPLE_SKID | PMC_SAMPLE_LATE)));
		marked += !!sample->flags;
		ring_done(&ring, &sample->record);
	}
	ring_unmap(&ring);
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	for (i = 0; i < setup->config.nr_counters; i++) {
		period = setup->counter[i].period;
		EXPECT_EQ(period ? self->reading.value[i] / period : 0, due[i]);
		overflows += due[i];
	}
	EXPECT_EQ(overflows, self->reading.overflows);
	return marked;
}

static unsigned int marked_in_loop(struct __test_metadata *_metadata,
				   struct _test_data_quirks *self)
{
	unsigned int marked;

	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, sampled_loop(self->fd, 50000, PMC_IOC_START, PMC_IOC_STOP));
	marked = marked_samples(_metadata, self, self->fd, &self->setup);
	EXPECT_COUNT(SAMPLED_LOOP(50000), self->reading.value[0]);
	EXPECT_COUNT(self->reading.value[0],
		     self->reading.value[self->setup.config.nr_counters - 1]);
	return marked;
}

/*
 * Erratum 1023: of two counters that overflow in turn, one gets no interrupt. Its overflows are
 * found in the interrupts of the other one, or at STOP.
 */
TEST_F(quirks, lost_interrupts)
{
	struct setup other;
	unsigned int marked;
	int fd;

	if (!emulated("zen1"))
		SKIP(return, "needs overflows without interrupts (PMCDRV_QUIRK=zen1)");
	ASSERT_EQ(0, pin(0, 0));
	OPEN_DEVICE(fd);
	/* another context's */
	setup_thread(&other, 0, 0);
	setup_add(&other, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&other, 0, 10009);
	CONFIGURE_AND_START(fd, &other);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&self->setup, 0, 10007);
	marked = marked_in_loop(_metadata, self);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_STOP, NULL));
	EXPECT_LT(0, marked + marked_samples(_metadata, self, fd, &other));
	close(fd);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	/* one without a period */
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	EXPECT_LT(0, marked_in_loop(_metadata, self));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	/* of the same context: every overflow of one of them */
	setup_period(&self->setup, 1, 10009);
	EXPECT_EQ(SAMPLED_LOOP(50000) / 10009, marked_in_loop(_metadata, self));
}

#ifdef __x86_64__

/* START, and @rounds RESETs, of which each SYSCALL is the fourth instruction. */
static void reset_every_4(int fd, unsigned long rounds)
{
	asm volatile("mov	%[ioctl], %%eax\n\t"
		     "mov	%[start], %%esi\n\t"
		     "xor	%%edx, %%edx\n\t"
		     "syscall\n\t"
		     /* counting begins */
		     "mov	%[reset], %%esi\n\t"
		     "nop\n"
		     "1:	mov	%[ioctl], %%eax\n\t"
		     "syscall\n\t"
		     "dec	%[rounds]\n\t"
		     "jnz	1b"
		     : [rounds] "+r" (rounds)
		     : "D" ((long)fd), [ioctl] "i" (SYS_ioctl), [start] "i" (PMC_IOC_START),
		       [reset] "i" (PMC_IOC_RESET)
		     : "rax", "rcx", "rdx", "rsi", "r11", "memory");
}

/*
 * ZERO: each overflow comes with the SYSCALL of a RESET, so a throttled counter would stay at 0
 * while the RESET acknowledges its overflow. There is one interrupt for each sample.
 */
TEST_F(quirks, throttled_at_0)
{
	unsigned int before[2] = { 0 }, after[2] = { 0 };
	struct pmc_statistics statistics;

	if (!emulated("zero"))
		SKIP(return, "needs a counter that interrupts again at 0 (PMCDRV_QUIRK=zero)");
	ASSERT_EQ(0, pin(0, 0));
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_period(&self->setup, 0, 4);
	self->setup.config.throttle_percent = 1;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	nmis_taken(before);
	reset_every_4(self->fd, 20000);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	nmis_taken(after);
	ASSERT_EQ(0, statistics_read(self->fd, &statistics));
	EXPECT_LT(0, statistics.throttled);
	EXPECT_EQ(statistics.sampled + statistics.lost, after[0] - before[0]);
}

#endif /* __x86_64__ */

/* Registers that other software clears: reported, and nothing is counted any more */
TEST_F(quirks, rewritten)
{
	unsigned int n;
	uint64_t value;
	int cpu;

	if (!emulated("rewritten"))
		SKIP(return, "needs registers that are cleared (PMCDRV_QUIRK=rewritten)");
	ASSERT_EQ(0, pin(0, 0));
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	/* a region in which nothing is cleared is exact, the first other one is marked */
	for (n = 1; n <= 1000; n++) {
		ASSERT_EQ(0, loop_counted(self->fd, 100000));
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		if (self->reading.state & PMC_STATE_REWRITTEN)
			break;
		ASSERT_COUNT(n * LOOP_INSTRUCTIONS(100000), self->reading.value[0]);
	}
	/* PMC_STATE_UNCOUNTED, too, if a context switch found it */
	EXPECT_EQ(PMC_STATE_REWRITTEN, self->reading.state & ~PMC_STATE_UNCOUNTED);
	/* what was counted until the registers were last intact */
	EXPECT_LE((n - 1) * LOOP_INSTRUCTIONS(100000), self->reading.value[0]);
	EXPECT_GT(n * LOOP_INSTRUCTIONS(100000), self->reading.value[0]);
	value = self->reading.value[0];
	/* also on CPUs where the context has not counted, first one of the same core type */
	for (cpu = cpus_online() - 1; cpu >= 0; cpu--) {
		ASSERT_EQ(0, pin(0, cpu));
		ASSERT_EQ(0, loop_counted(self->fd, 100));
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_EQ(PMC_STATE_REWRITTEN | PMC_STATE_UNCOUNTED, self->reading.state);
		EXPECT_EQ(value, self->reading.value[0]);
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(0, self->reading.state);
}

#define READS_MAX	1000

/*
 * The registers of a CPU are cleared at equal distances. Configure again after such a moment: then
 * the next one is far.
 */
static void configure_after_clearing(struct __test_metadata *_metadata,
				     struct _test_data_quirks *self)
{
	do {
		spin(1000);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	} while (!(self->reading.state & PMC_STATE_REWRITTEN));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
}

/* READ until a register was cleared. In @exact scopes each READ before finds the same more. */
static void read_until_rewritten(struct __test_metadata *_metadata, struct _test_data_quirks *self,
				 bool exact)
{
	static uint64_t value[READS_MAX];
	unsigned int n, i;

	if (exact && emulated("rewritten"))
		configure_after_clearing(_metadata, self);
	for (n = 0; n < READS_MAX; n++) {
		spin(100000);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		value[n] = self->reading.value[0];
		if (self->reading.state & PMC_STATE_REWRITTEN)
			break;
	}
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_REWRITTEN,
		  self->reading.state & ~PMC_STATE_UNCOUNTED);
	if (exact)
		ASSERT_LT(3, n);
	if (!n)
		return;
	for (i = 2; i < n; i++) {
		if (exact)
			EXPECT_EQ(value[1] - value[0], value[i] - value[i - 1]);
		EXPECT_LT(value[i - 1], value[i]);
	}
	/* what was counted until the registers were last intact */
	EXPECT_LE(value[n - 1], value[n]);
	EXPECT_GT(value[n - 1] + 10000000, value[n]);
}

static void expect_unchanged(struct __test_metadata *_metadata, struct _test_data_quirks *self)
{
	uint64_t value = self->reading.value[0];

	spin(100000);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_REWRITTEN,
		  self->reading.state & ~PMC_STATE_UNCOUNTED);
	EXPECT_EQ(value, self->reading.value[0]);
}

/* READ finds it, of each scope, and ends counting. */
TEST_F(quirks, rewritten_before_read)
{
	unsigned int flags, scope;

	if (!emulated("rewritten"))
		SKIP(return, "needs registers that are cleared (PMCDRV_QUIRK=rewritten)");
	ASSERT_EQ(0, pin(0, 0));
	for (flags = PMC_COUNT_USER; flags <= (PMC_COUNT_USER | PMC_COUNT_KERNEL); flags += 2) {
		for (scope = PMC_SCOPE_CPU; scope <= PMC_SCOPE_TREE; scope++) {
			setup_thread(&self->setup, 0, 0);
			self->setup.config.scope = scope;
			if (scope == PMC_SCOPE_CPU)
				self->setup.config.cpu = 0;
			setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, flags);
			ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
			read_until_rewritten(_metadata, self, flags == PMC_COUNT_USER &&
					     scope >= PMC_SCOPE_THREAD);
			if (scope != PMC_SCOPE_ALL_CPUS)
				expect_unchanged(_metadata, self);
			ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		}
	}
}

/* A CPU that went offline and came back does not count a context that has ended. */
TEST_F(quirks, rewritten_before_offline)
{
	if (!emulated("rewritten"))
		SKIP(return, "needs registers that are cleared (PMCDRV_QUIRK=rewritten)");
	setup_cpu(&self->setup, 1);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pin(0, 1));
	read_until_rewritten(_metadata, self, false);
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, file_write(CPU1_ONLINE, "0"));
	ASSERT_EQ(0, file_write(CPU1_ONLINE, "1"));
	ASSERT_EQ(0, pin(0, 1));
	expect_unchanged(_metadata, self);
	EXPECT_EQ(PMC_STATE_UNCOUNTED, self->reading.state & PMC_STATE_UNCOUNTED);
}

/* A register of a context that another user changes */
struct rewrite {
	uint32_t counter;
	uint32_t address;
	uint64_t bits;
};

#define REWRITES_MAX	3

/* Each kind of register. Return: how many there are. */
static unsigned int find_rewrites(const struct pmc_query *query, struct rewrite *rewrites)
{
	rewrites[0] = (struct rewrite) { PMC_COUNTER_GENERAL(0), msr_select(query, 0), 1 };
	switch (query->family) {
	case PMC_FAMILY_CORE:
		rewrites[1] = (struct rewrite) { PMC_COUNTER_GENERAL(0), IA32_GLOBAL_CTRL, 1 };
		rewrites[2] = (struct rewrite) { PMC_COUNTER_FIXED(0), IA32_FIXED_CTR_CTRL, 2 };
		return 3;
	case PMC_FAMILY_AMD:
		rewrites[1] = (struct rewrite) { PMC_COUNTER_GENERAL(0), AMD_GLOBAL_CTRL, 1 };
		return query->features & PMC_FEATURE(GLOBAL_CTRL) ? 2 : 1;
	case PMC_FAMILY_P5:
		rewrites[1] = (struct rewrite) { PMC_COUNTER_GENERAL(1), MSR_CESR,
						 1ULL << CESR_SHIFT(1) };
		return 2;
	case PMC_FAMILY_P6:
		/* the enable bit of both */
		rewrites[1] = (struct rewrite) { PMC_COUNTER_GENERAL(1), msr_select(query, 0),
						 SELECT_ENABLE };
		return 2;
	default:
		rewrites[0] = (struct rewrite) { PMC_COUNTER_GENERAL(0), msr_select(query, 12),
						 CCCR_COMPARE };
		rewrites[1] = (struct rewrite) { PMC_COUNTER_GENERAL(0), MSR_CRU_ESCR0,
						 ESCR_KERNEL };
		return 2;
	}
}

/* CPUID.01H:ECX[31] */
static bool is_guest(void)
{
	unsigned int a, b, c, d;

	__cpuid(1, a, b, c, d);
	return c >> 31;
}

/* Does the driver verify the registers at each READ? docs/exactness.md, "registers rewritten" */
static bool reads_verify(const struct pmc_query *query)
{
	if (!is_guest())
		return false;
	return query->family == PMC_FAMILY_AMD ||
	       (query->family == PMC_FAMILY_CORE && query->perfmon_version >= 2 &&
		!(query->quirks & PMC_QUIRK(NEHALEM_ENABLE)));
}

/* The counter is not available to any context until all contexts are released. */
static void expect_withheld(struct __test_metadata *_metadata, struct _test_data_quirks *self)
{
	const struct pmc_holder *holder = &self->setup.config.holder;

	ASSERT_EQ(-EBUSY, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(PMC_HOLDER_UNKNOWN, holder->kind);
	EXPECT_EQ(self->setup.counter[0].counter, holder->counter);
	EXPECT_EQ(0, holder->cpu);
}

/*
 * Another context on the CPU, on NetBurst on a counter that has another ESCR than the first one.
 * Return: its file, -1 without a third counter.
 */
static int keeper_open(const struct pmc_query *query)
{
	struct setup setup;
	int fd;

	if (last_general(query) < 2)
		return -1;
	setup_cpu(&setup, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(is_netburst() ? 1 : 2), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER);
	fd = pmc_open();
	return setup_configure(fd, &setup) ? -1 : fd;
}

/*
 * Elsewhere the timer that reads narrow counters before they wrap verifies them, twice a second
 * with 40 bits. Nothing is flagged before.
 */
TEST_F_TIMEOUT(quirks, rewritten_by_another_user, 300)
{
	bool reads = reads_verify(&self->query);
	struct rewrite rewrites[REWRITES_MAX];
	unsigned int num = find_rewrites(&self->query, rewrites), i;
	uint64_t value;
	int keeper;

	if (!reads && self->query.general_width > 40)
		SKIP(return, "the timer's period is minutes with wide counters");
	if (emulated("rewritten") || emulated("migrated"))
		SKIP(return, "the emulated quirk rewrites them");
	ASSERT_EQ(0, pin(0, 0));
	for (i = 0; i < num; i++) {
		keeper = keeper_open(&self->query);
		EXPECT_EQ(last_general(&self->query) >= 2, keeper >= 0);
		setup_cpu(&self->setup, 0);
		setup_add(&self->setup, rewrites[i].counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		sleep(reads ? 0 : 1);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
		ASSERT_EQ(0, msr_read(0, rewrites[i].address, &value));
		ASSERT_EQ(0, msr_write(0, rewrites[i].address, value ^ rewrites[i].bits));
		sleep(reads ? 0 : 1);
		ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_REWRITTEN,
			  self->reading.state & ~PMC_STATE_UNCOUNTED) {
			TH_LOG("register %#x", rewrites[i].address);
		}
		expect_unchanged(_metadata, self);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		if (keeper < 0)
			continue;
		expect_withheld(_metadata, self);
		close(keeper);
		ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/*
 * Event select and counter of a context are lost while it does not count. AMD's event selects are
 * written again at the start, and the counter continues from the value that it has.
 */
TEST_F(quirks, rewritten_while_stopped)
{
	bool amd = self->query.family == PMC_FAMILY_AMD;

	if (!reads_verify(&self->query) || emulated("rewritten") || emulated("migrated"))
		SKIP(return, "needs a virtual machine in which reads verify the registers");
	ASSERT_EQ(0, pin(0, 0));
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, loop_counted(self->fd, 100000));
	ASSERT_EQ(0, msr_write(0, msr_select(&self->query, 0), 0));
	ASSERT_EQ(0, msr_write(0, msr_counter(&self->query, 0), 0));
	ASSERT_EQ(0, loop_counted(self->fd, 100000));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(amd ? 0 : PMC_STATE_REWRITTEN, self->reading.state & ~PMC_STATE_UNCOUNTED);
	EXPECT_COUNT((amd ? 2 : 1) * LOOP_INSTRUCTIONS(100000), self->reading.value[0]);
}

/* A context counts this fixed counter of CPU 0. */
static int fixed_open(uint32_t counter)
{
	struct setup setup;
	int fd = pmc_open();

	setup_cpu(&setup, 0);
	setup_add(&setup, PMC_COUNTER_FIXED(counter), 0, PMC_COUNT_USER);
	return setup_configure(fd, &setup) || pmc_call(fd, PMC_IOC_START, NULL) ? -1 : fd;
}

static void expect_state(struct __test_metadata *_metadata, int fd, uint32_t state)
{
	struct reading reading;

	ASSERT_EQ(0, reading_read(fd, &reading));
	EXPECT_EQ(state, reading.state & ~PMC_STATE_UNCOUNTED);
}

/*
 * A control register that two contexts share is cleared. A start or stop of one context must not
 * set the other's bits again: its check would miss the loss.
 */
TEST_F(quirks, rewritten_before_others)
{
	static const uint32_t address[] = { IA32_FIXED_CTR_CTRL, IA32_GLOBAL_CTRL };
	unsigned int i, read;
	int fd, other;

	if (!reads_verify(&self->query) || self->query.family != PMC_FAMILY_CORE ||
	    (self->query.fixed_counters & 3) != 3 || emulated("rewritten") || emulated("migrated"))
		SKIP(return, "needs a virtual machine with two fixed counters");
	ASSERT_EQ(0, pin(0, 0));
	for (i = 0; i < ARRAY_SIZE(address); i++) {
		fd = fixed_open(0);
		expect_state(_metadata, fd, PMC_STATE_RUNNING);
		ASSERT_EQ(0, msr_write(0, address[i], 0));
		other = fixed_open(1);
		expect_state(_metadata, fd, PMC_STATE_RUNNING | PMC_STATE_REWRITTEN);
		expect_state(_metadata, other, PMC_STATE_RUNNING);
		close(other);
		close(fd);
	}
	/* a READ of one stops it first; the other must still find the loss */
	for (read = 0; read < 2; read++) {
		fd = fixed_open(read);
		other = fixed_open(!read);
		ASSERT_EQ(0, msr_write(0, IA32_GLOBAL_CTRL, 0));
		expect_state(_metadata, fd, PMC_STATE_RUNNING | PMC_STATE_REWRITTEN);
		expect_state(_metadata, other, PMC_STATE_RUNNING | PMC_STATE_REWRITTEN);
		close(other);
		close(fd);
	}
}

/* So does the register of an off-core response event. */
TEST_F(quirks, extra_register_rewritten)
{
	if (self->query.cpu_model != MODEL_SKYLAKE_X || !reads_verify(&self->query) ||
	    emulated("rewritten") || emulated("migrated"))
		SKIP(return, "needs a virtual machine on Skylake-X");
	ASSERT_EQ(0, pin(0, 0));
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), OFFCORE_RESPONSE_0, PMC_COUNT_USER);
	self->setup.counter[0].event_extra = 0x10001;
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
	ASSERT_EQ(0, msr_write(0, MSR_OFFCORE_RSP_0, 0x10002));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_REWRITTEN,
		  self->reading.state & ~PMC_STATE_UNCOUNTED);
}

#define SELECT_GUEST_ONLY	(1ULL << 40)

/* Xen sets the bit for guests in AMD's selects: that is not flagged. */
TEST_F(quirks, bit_for_guests)
{
	uint64_t value;

	if (!is_guest() || self->query.family != PMC_FAMILY_AMD ||
	    self->query.cpu_family < 0x10 || emulated("rewritten"))
		SKIP(return, "needs a virtual machine on AMD");
	ASSERT_EQ(0, pin(0, 0));
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, msr_read(0, msr_select(&self->query, 0), &value));
	ASSERT_EQ(0, msr_write(0, msr_select(&self->query, 0), value | SELECT_GUEST_ONLY));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(0, self->reading.state);
}

/* A virtual machine is moved to a computer without counter 3, where its registers fault. */
TEST_F(quirks, migrated)
{
	if (!emulated("migrated"))
		SKIP(return, "needs a computer without counter 3 to go to (PMCDRV_QUIRK=migrated)");
	ASSERT_EQ(0, pin(0, 0));
	setup_add(&self->setup, PMC_COUNTER_GENERAL(3), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	read_until_rewritten(_metadata, self, true);
	expect_unchanged(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(-ENODEV, setup_configure(self->fd, &self->setup));
}

TEST_HARNESS_MAIN
