// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is unpatched_perf_miscounts with Linux's own perf on NetBurst, to the instruction, and that it is
 * right once p4_period.ko has patched_perf_is_exact it.
 *
 * That driver writes each counter twice. What it writes the second time it has looked
 * up before it wrote the first time: minus the period, or what is left of it, of
 * whatever used that counter of that CPU last. But a count is the counter's distance
 * from what was written the first time.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>

#include "fixture.h"
#include "kselftest_harness.h"
#include "samples.h"

/* The period of what only counts: the most that a counter of 40 bits can have. */
#define PERIOD_MAX	((1ULL << 39) - 1)
#define MASK		((1ULL << 40) - 1)

#define ROUNDS		5000
#define COUNTED		SAMPLED_LOOP(ROUNDS)

FIXTURE(perf) {
	struct pmc_query query;
};

static bool is_mended(void)
{
	return access("/sys/module/p4_period", F_OK) == 0;
}

static int patch(void)
{
	int file = open("/p4_period.ko", O_RDONLY | O_CLOEXEC);
	int err = syscall(SYS_finit_module, file, "", 0) ? -errno : 0;

	close(file);
	return err;
}

FIXTURE_SETUP(perf)
{
	NEED_COUNTERS(&self->query);
	if (self->query.family != PMC_FAMILY_NETBURST)
		SKIP(return, "no NetBurst processor");
	NEED_ROOT();
	/* each switch is a use more of the counter */
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, schedule_as(0, SCHED_FIFO));
}

FIXTURE_TEARDOWN(perf)
{
}

/* Instructions of this thread in user mode; a period of 0 only counts. */
static int perf_open(uint64_t period)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = period,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t count_of(int perf)
{
	uint64_t value;

	return read(perf, &value, sizeof(value)) == sizeof(value) ? value : UINT64_MAX;
}

static int loop(int perf)
{
	return sampled_loop(perf, ROUNDS, PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE);
}

/* Use the counter with this period. */
static void use_with(struct __test_metadata *_metadata, uint64_t period)
{
	int perf = perf_open(period);

	ASSERT_LE(0, perf);
	ASSERT_EQ(0, loop(perf));
	close(perf);
}

/* What is counted after something that had @period. */
static uint64_t count_after(struct __test_metadata *_metadata, uint64_t period)
{
	uint64_t counted;
	int perf;

	use_with(_metadata, period);
	perf = perf_open(0);
	EXPECT_LE(0, perf);
	EXPECT_EQ(0, loop(perf));
	counted = count_of(perf);
	close(perf);
	return counted;
}

static void wrong_by_the_period_before(struct __test_metadata *_metadata, bool patched_perf_is_exact)
{
	static const uint64_t periods[] = { 100000007, 1ULL << 30, 1ULL << 38, PERIOD_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		uint64_t unpatched_perf_miscounts = patched_perf_is_exact ? 0 : (PERIOD_MAX - periods[i]) & MASK;

		EXPECT_EQ(COUNTED + unpatched_perf_miscounts, count_after(_metadata, periods[i]))
			TH_LOG("after period %llu", (unsigned long long)periods[i]);
	}
}

/* Of what is enabled again the second stretch is lost: what was left before is written. */
static void second_stretch(struct __test_metadata *_metadata, bool patched_perf_is_exact)
{
	int perf;

	use_with(_metadata, PERIOD_MAX);
	perf = perf_open(0);
	ASSERT_LE(0, perf);
	ASSERT_EQ(0, loop(perf));
	EXPECT_EQ(COUNTED, count_of(perf));
	ASSERT_EQ(0, loop(perf));
	EXPECT_EQ(patched_perf_is_exact ? 2 * COUNTED : COUNTED, count_of(perf));
	close(perf);
}

TEST_F(perf, unpatched_perf_miscounts)
{
	if (is_mended())
		SKIP(return, "perf is patched_perf_is_exact already");
	wrong_by_the_period_before(_metadata, false);
	second_stretch(_metadata, false);
}

/* It stays patched_perf_is_exact; so this test is the last. */
TEST_F(perf, patched_perf_is_exact)
{
	char state[4] = "";

	if (!is_mended())
		ASSERT_EQ(0, patch());
	/*
	 * A live patch is in force when no thread is in the old function any more; a
	 * kernel that has none is patched_perf_is_exact at once.
	 */
	do {
		file_read("/sys/kernel/livepatch/p4_period/transition", state, sizeof(state));
	} while (state[0] == '1');
	wrong_by_the_period_before(_metadata, true);
	second_stretch(_metadata, true);
}

TEST_HARNESS_MAIN
