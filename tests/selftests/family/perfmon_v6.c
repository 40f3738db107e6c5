// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests perfmon version 6: counters as in CPUID leaf 23H, with gaps; registers at their new
 * addresses; event selects with unit mask 2 and the equal bit; and perf, which reservations do
 * not exclude there
 */
#include <cpuid.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "registers.h"

#define SELECT_EQUAL		(1ULL << 36)
#define SELECT_UNIT_MASK_2	(0xffULL << 40)
#define SELECT_CMASK(n)		((uint64_t)(n) << 24)

#define KPROBES	"/sys/kernel/debug/kprobes/enabled"

FIXTURE(v6) {
	BASE_FIXTURE;
	const struct program *loop;
};

FIXTURE_SETUP(v6)
{
	NEED_COUNTERS(&self->query);
	if (self->query.perfmon_version < 6)
		SKIP(return, "perfmon version %u", self->query.perfmon_version);
	LOAD_PROGRAM(self->loop, "./loop-1m");
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(v6)

/* Each counter counts the known number; counters missing in the mask do not exist. */
TEST_F(v6, every_counter_counts)
{
	struct child child;
	unsigned int i, n = 0;

	for (i = 0; i < 64; i++) {
		setup_thread(&self->setup, 0, 0);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(i), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		if (self->query.general_counters >> i & 1) {
			n++;
			continue;
		}
		EXPECT_EQ(-ENXIO, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(0, self->setup.config.failed_entry);
		EXPECT_LE(0, self->setup.config.failed_cpu);
	}
	ASSERT_EQ(0, child_program(&child, self->loop));
	setup_thread(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	for (i = 0; i < 64; i++) {
		if (self->query.general_counters >> i & 1)
			setup_add(&self->setup, PMC_COUNTER_GENERAL(i), EVENT_INSTRUCTIONS,
				  PMC_COUNT_USER);
	}
	ASSERT_EQ(n, self->setup.config.nr_counters);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	for (i = 0; i < n; i++)
		EXPECT_COUNT(self->loop->instructions, self->reading.value[i]);
}

/* The registers: the requested value is in them, at the new address. */
TEST_F(v6, programmed_at_new_address)
{
	unsigned int last = 63 - __builtin_clzll(self->query.general_counters);
	struct pmc_counter counter;
	uint64_t select;

	NEED_ROOT();
	if (!(self->query.features & PMC_FEATURE(FULL_WIDTH)))
		SKIP(return, "without full-width writes the old addresses are used");
	ASSERT_EQ(0, pmc_describe(0, PMC_COUNTER_GENERAL(last), &counter));
	EXPECT_EQ(MSR_V6_SELECT0 + MSR_V6_STEP * last, counter.select_msr);
	EXPECT_EQ(MSR_V6_COUNTER0 + MSR_V6_STEP * last, counter.counter_msr);
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(last), EVENT_BRANCHES, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, msr_read(0, counter.select_msr, &select));
	EXPECT_EQ(EVENT_BRANCHES | SELECT_USER | SELECT_ENABLE, select);
}

/*
 * The previous user left a counter in a state in which its overflow reloads it (auto counter
 * reload), as perf does from kernel 6.16 on: the driver's counts are right, and the state is
 * restored.
 */
#define MSR_CONFIG_B(i)		MSR_V6_CONFIG_B(MSR_V6_COUNTER0 + MSR_V6_STEP * (i))
#define MSR_CONFIG_C(i)		MSR_V6_CONFIG_C(MSR_V6_COUNTER0 + MSR_V6_STEP * (i))
#define RELOAD			0xfffffc18ULL	/* -1000 */
#define PERIOD			10007

static int reload_write(unsigned int counter, uint64_t mask, uint64_t value)
{
	int cpu, err = 0;

	for (cpu = 0; cpu < cpus_online() && !err; cpu++) {
		err = msr_write(cpu, MSR_CONFIG_C(counter), value);
		err = err ? err : msr_write(cpu, MSR_CONFIG_B(counter), mask);
	}
	return err;
}

/* The first general counter that its own overflow can reload; 64: none */
static unsigned int reloads_itself(void)
{
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid_count(0x23, 0, &eax, &ebx, &ecx, &edx) || !(eax & 1U << 2))
		return 64;
	__get_cpuid_count(0x23, 2, &eax, &ebx, &ecx, &edx);
	return eax & ecx ? (unsigned int)__builtin_ctz(eax & ecx) : 64;
}

TEST_F(v6, found_reloading)
{
	unsigned int i = reloads_itself();
	struct child child;
	uint64_t value;

	NEED_ROOT();
	if (i == 64)
		SKIP(return, "no auto counter reload");
	ASSERT_EQ(0, reload_write(i, 1ULL << i, RELOAD));
	ASSERT_EQ(0, child_program(&child, self->loop));
	setup_thread(&self->setup, child.pid, PMC_CONFIG_ON_EXEC);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(i), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	self->setup.counter[0].period = PERIOD;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, msr_read(0, MSR_CONFIG_B(i), &value));
	EXPECT_EQ(0, value);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_COUNT(self->loop->instructions, self->reading.value[0]);
	EXPECT_EQ(self->reading.value[0] / PERIOD, self->reading.overflows);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, msr_read(0, MSR_CONFIG_B(i), &value));
	EXPECT_EQ(1ULL << i, value);
	ASSERT_EQ(0, msr_read(0, MSR_CONFIG_C(i), &value));
	EXPECT_EQ(RELOAD, value);
	ASSERT_EQ(0, reload_write(i, 0, 0));
}

/* Bits of the event select that leaf 23H describes are written; others are refused. */
static void new_bits(struct __test_metadata *_metadata, struct _test_data_v6 *self,
		     uint64_t bits)
{
	unsigned int first = __builtin_ctzll(self->query.general_counters);
	struct pmc_counter counter;
	uint64_t select;

	NEED_ROOT();
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(first), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	self->setup.counter[0].event_select |= bits;
	if (bits & ~self->query.event_select_mask) {
		EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(bits & ~self->query.event_select_mask,
			  self->setup.config.refused_bits);
		return;
	}
	ASSERT_EQ(0, pmc_describe(0, PMC_COUNTER_GENERAL(first), &counter));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, msr_read(0, counter.select_msr, &select));
	EXPECT_EQ(EVENT_INSTRUCTIONS | bits | SELECT_USER | SELECT_ENABLE, select);
}

TEST_F(v6, equal_bit)
{
	new_bits(_metadata, self, SELECT_EQUAL | SELECT_CMASK(1));
}

TEST_F(v6, unit_mask_2)
{
	new_bits(_metadata, self, SELECT_UNIT_MASK_2);
}

TEST_F(v6, reserved_bits)
{
	static const uint64_t reserved[] = {
		1ULL << 32, 1ULL << 35, 1ULL << 37, 1ULL << 39, 1ULL << 48, 1ULL << 63,
	};
	unsigned int first = __builtin_ctzll(self->query.general_counters);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reserved); i++) {
		setup_thread(&self->setup, 0, 0);
		setup_add(&self->setup, PMC_COUNTER_GENERAL(first), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		self->setup.counter[0].event_select |= reserved[i];
		EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(reserved[i], self->setup.config.refused_bits);
	}
}

/* Does perf have the counters? Opens an event that never runs. */
static bool perf_has(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void ask_for_ever(int fd, unsigned int counter)
{
	struct pmc_counter question;

	for (;;) {
		question = (struct pmc_counter){ .size = sizeof(question), .counter = counter };
		if (pmc_call(fd, PMC_IOC_COUNTER, &question))
			_exit(1);
	}
}

/* Queries about perf's use of a counter do not refuse other users' events meanwhile. */
TEST_F(v6, describe_does_not_disturb)
{
	unsigned int counter = PMC_COUNTER_GENERAL(__builtin_ctzll(self->query.general_counters));
	int i, status, had = 0;
	pid_t pid;

	/* From 6.12 on perf uses the new addresses, which reservations do not cover. */
	if (!linux_is_from(6, 12))
		SKIP(return, "perf has the old addresses");
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		ask_for_ever(self->fd, counter);
	for (i = 0; i < 3000; i++)
		had += perf_has();
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(3000, had);
}

/*
 * Where perf cannot be excluded, no counter is claimed that perf may use. (perf before kernel
 * 6.12 uses the old addresses, and reservations exclude it.)
 */
TEST_F(v6, without_kprobes)
{
	unsigned int first = __builtin_ctzll(self->query.general_counters);
	char state[8];
	int err;

	NEED_ROOT();
	if (file_read(KPROBES, state, sizeof(state))) {
		mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
		if (file_read(KPROBES, state, sizeof(state)))
			SKIP(return, "no " KPROBES);
	}
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(first), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	ASSERT_EQ(0, file_write(KPROBES, "0"));
	err = setup_configure(self->fd, &self->setup);
	if (err) {
		EXPECT_EQ(-EBUSY, err);
		EXPECT_EQ(PMC_HOLDER_KERNEL, self->setup.config.holder.kind);
	} else {
		EXPECT_FALSE(perf_has());
		EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
	ASSERT_EQ(0, file_write(KPROBES, "1"));
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_FALSE(perf_has());
}

TEST_HARNESS_MAIN
