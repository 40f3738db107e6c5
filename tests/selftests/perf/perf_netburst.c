// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that Linux's perf miscounts on NetBurst, to the instruction, and that it is exact once
 * p4_period.ko has patched it
 *
 * The perf driver writes each counter twice. It looks up the second value before the first write
 * has set it, so the second write has the value of the previous event on that counter of that CPU:
 * minus its period, or minus its remaining period. But perf computes a count as the distance from
 * the first value.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "samples.h"

/* The period of an event that only counts: the maximum of a counter of 40 bits */
#define PERIOD_MAX	((1ULL << 39) - 1)
#define MASK		((1ULL << 40) - 1)

#define ROUNDS		5000
#define COUNTED		SAMPLED_LOOP(ROUNDS)

FIXTURE(perf) {
	struct pmc_query query;
};

static bool is_patched(void)
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
	/* each context switch is one more use of the counter */
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, schedule_as(0, SCHED_FIFO));
}

FIXTURE_TEARDOWN(perf)
{
}

/* Instructions of this thread in user mode; with a period of 0 it only counts. */
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

/* The count after an event with @period used the counter */
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

static void wrong_by_the_period_before(struct __test_metadata *_metadata, bool patched)
{
	static const uint64_t periods[] = { 100000007, 1ULL << 30, 1ULL << 38, PERIOD_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		uint64_t error = patched ? 0 : (PERIOD_MAX - periods[i]) & MASK;

		EXPECT_EQ(COUNTED + error, count_after(_metadata, periods[i]))
			TH_LOG("after period %llu", (unsigned long long)periods[i]);
	}
}

/* An event that is enabled again loses its second count: perf writes an old remaining period. */
static void second_stretch(struct __test_metadata *_metadata, bool patched)
{
	int perf;

	use_with(_metadata, PERIOD_MAX);
	perf = perf_open(0);
	ASSERT_LE(0, perf);
	ASSERT_EQ(0, loop(perf));
	EXPECT_EQ(COUNTED, count_of(perf));
	ASSERT_EQ(0, loop(perf));
	EXPECT_EQ(patched ? 2 * COUNTED : COUNTED, count_of(perf));
	close(perf);
}

TEST_F(perf, unpatched_perf_miscounts)
{
	if (is_patched())
		SKIP(return, "perf is patched already");
	wrong_by_the_period_before(_metadata, false);
	second_stretch(_metadata, false);
}

/* The patch stays, so this test is the last. */
TEST_F(perf, patched_perf_is_exact)
{
	char state[4] = "";

	if (!is_patched())
		ASSERT_EQ(0, patch());
	/*
	 * A live patch is complete when no thread is in the old function any more; without live
	 * patching the function is patched at once.
	 */
	do {
		file_read("/sys/kernel/livepatch/p4_period/transition", state, sizeof(state));
	} while (state[0] == '1');
	wrong_by_the_period_before(_metadata, true);
	second_stretch(_metadata, true);
}

TEST_HARNESS_MAIN
