// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests a virtual machine with a partial PMU: CPUID describes some counters with registers that
 * fault
 *
 * The driver offers only counters with working registers, and these are exact. The test
 * determines both sets from CPUID and the registers.
 */
#include <sys/ioctl.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "registers.h"

#define PERIOD		10007

static bool answers(uint32_t address)
{
	uint64_t value;

	return !msr_read(0, address, &value);
}

FIXTURE(partial_pmu) {
	BASE_FIXTURE;
	const struct program *loop;
	/* described by CPUID; of these, the counters with working registers */
	uint64_t general, fixed, has_general, has_fixed;
};

static void look_at_registers(struct _test_data_partial_pmu *self)
{
	unsigned int i;

	counters_described(&self->general, &self->fixed);
	for (i = 0; i < 64; i++) {
		if (self->general >> i & 1 && answers(msr_select(&self->query, i)) &&
		    answers(msr_counter(&self->query, i)))
			self->has_general |= 1ULL << i;
		if (self->fixed >> i & 1 && answers(msr_fixed(&self->query, i)))
			self->has_fixed |= 1ULL << i;
	}
}

FIXTURE_SETUP(partial_pmu)
{
	NEED_ROOT();
	if (access("/dev/cpu/0/msr", R_OK))
		SKIP(return, "no /dev/cpu/0/msr: modprobe msr");
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &self->query));
	look_at_registers(self);
	if (self->general == self->has_general && self->fixed == self->has_fixed)
		SKIP(return, "all counters that CPUID describes exist");
	ASSERT_NE(0, self->has_general);
	LOAD_PROGRAM(self->loop, "./loop-1m");
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(partial_pmu)

TEST_F(partial_pmu, query_lists_working_counters)
{
	int cpu;

	TH_LOG("general %llx of %llx, fixed %llx of %llx",
	       (unsigned long long)self->has_general, (unsigned long long)self->general,
	       (unsigned long long)self->has_fixed, (unsigned long long)self->fixed);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, pmc_query(cpu, &self->query));
		EXPECT_EQ(PMC_STATUS_OK, self->query.status);
		EXPECT_EQ(is_amd() ? PMC_FAMILY_AMD : PMC_FAMILY_CORE, self->query.family);
		EXPECT_EQ(self->has_general, self->query.general_counters);
		EXPECT_EQ(self->has_fixed, self->query.fixed_counters);
		EXPECT_EQ(!!self->has_fixed, !!(self->query.features & PMC_FEATURE(FIXED)));
		EXPECT_EQ(!!self->has_fixed, !!self->query.fixed_width);
	}
}

TEST_F(partial_pmu, describes_working_counters)
{
	struct pmc_counter answer;
	unsigned int i;

	for (i = 0; i < 64; i++) {
		EXPECT_EQ(self->has_general >> i & 1 ? 0 : -ENXIO,
			  pmc_describe(0, PMC_COUNTER_GENERAL(i), &answer));
		EXPECT_EQ(self->has_fixed >> i & 1 ? 0 : -ENXIO,
			  pmc_describe(0, PMC_COUNTER_FIXED(i), &answer));
	}
}

/* All of them at once; a fixed counter with an unknown event counts something. */
TEST_F(partial_pmu, all_count)
{
	struct child child;
	unsigned int i;

	ASSERT_EQ(0, child_program(&child, self->loop));
	setup_thread(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	for (i = 0; i < 64; i++) {
		if (self->has_general >> i & 1)
			setup_add(&self->setup, PMC_COUNTER_GENERAL(i),
				  i & 1 ? EVENT_BRANCHES : EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		if (self->has_fixed >> i & 1)
			setup_add(&self->setup, PMC_COUNTER_FIXED(i), 0, PMC_COUNT_USER);
	}
	ASSERT_EQ(__builtin_popcountll(self->has_general) + __builtin_popcountll(self->has_fixed),
		  self->setup.config.nr_counters);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < self->setup.config.nr_counters; i++) {
		if (setup_counts(&self->setup, i, EVENT_INSTRUCTIONS)) {
			EXPECT_EQ(self->loop->instructions, self->reading.value[i]);
		} else if (setup_counts(&self->setup, i, EVENT_BRANCHES)) {
			EXPECT_EQ(self->loop->branches, self->reading.value[i]);
		} else {
			EXPECT_NE(0, self->reading.value[i]);
		}
	}
}

static void overflow(struct __test_metadata *_metadata, struct _test_data_partial_pmu *self,
		     uint32_t counter)
{
	struct child child;

	ASSERT_EQ(0, child_program(&child, self->loop));
	setup_thread(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	setup_add(&self->setup, counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	if (counter == FIXED_INSTRUCTIONS)
		self->setup.counter[0].event_select = 0;
	self->setup.counter[0].period = PERIOD;
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(self->loop->instructions, self->reading.value[0]);
	EXPECT_EQ(self->loop->instructions / PERIOD, self->reading.overflows);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
}

TEST_F(partial_pmu, all_overflow)
{
	unsigned int i;

	if (!(self->query.features & PMC_FEATURE(INTERRUPT)))
		SKIP(return, "no overflow interrupt");
	for (i = 0; i < 64; i++) {
		if (self->has_general >> i & 1)
			overflow(_metadata, self, PMC_COUNTER_GENERAL(i));
	}
	if (self->has_fixed & 1)
		overflow(_metadata, self, FIXED_INSTRUCTIONS);
}

/* Beside a working counter, on all CPUs, on one, and for a thread */
static void refused(struct __test_metadata *_metadata, struct _test_data_partial_pmu *self,
		    uint32_t counter)
{
	static const uint32_t scopes[] = { PMC_SCOPE_THREAD, PMC_SCOPE_CPU, PMC_SCOPE_ALL_CPUS };
	unsigned int first = __builtin_ctzll(self->has_general);
	int last = cpus_online() - 1;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(scopes); i++) {
		setup_thread(&self->setup, 0, 0);
		self->setup.config.scope = scopes[i];
		if (scopes[i] == PMC_SCOPE_CPU)
			self->setup.config.cpu = last;
		setup_add(&self->setup, PMC_COUNTER_GENERAL(first), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		setup_add(&self->setup, counter, 0, PMC_COUNT_USER);
		EXPECT_EQ(-ENXIO, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(1, self->setup.config.failed_entry);
		EXPECT_EQ(scopes[i] == PMC_SCOPE_CPU ? last : 0, self->setup.config.failed_cpu);
	}
}

TEST_F(partial_pmu, faulting_counters_refused)
{
	unsigned int i;

	for (i = 0; i < 64; i++) {
		if ((self->general & ~self->has_general) >> i & 1)
			refused(_metadata, self, PMC_COUNTER_GENERAL(i));
		if ((self->fixed & ~self->has_fixed) >> i & 1)
			refused(_metadata, self, PMC_COUNTER_FIXED(i));
	}
	/* the refused requests claimed no counter */
	setup_all_cpus_all(&self->setup, &self->query);
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
}

/* All registers are as before, and those that fault were not accessed. */
TEST_F(partial_pmu, registers_restored)
{
	struct registers before, after;

	registers_list(&before, &self->query);
	after = before;
	ASSERT_EQ(0, registers_read(&before));
	ASSERT_EQ(0, claim_all(self->fd, &self->query));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, registers_read(&after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
}

/* pmcctl uses a counter that exists. */
TEST_F(partial_pmu, pmcctl_counts)
{
	char said[8192], expected[64];

	if (run_pmcctl("--version", said, sizeof(said)))
		SKIP(return, "no pmcctl");
	EXPECT_EQ(0, run_pmcctl("stat --csv -e r00c0:u ./loop-1m", said, sizeof(said)));
	snprintf(expected, sizeof(expected), "%llu",
		 (unsigned long long)self->loop->instructions);
	EXPECT_NE(NULL, strstr(said, expected)) TH_LOG("%s", said);
}

TEST_HARNESS_MAIN
