// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that RELEASE, a refused request and the end of a process restore every PMU register, bit
 * for bit, to its value before CONFIGURE; read through /dev/cpu/N/msr. Counters that run without a
 * reservation are refused and keep counting
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "registers.h"
#include "samples.h"

#define CPU1	"/sys/devices/system/cpu/cpu1/online"

/* The value of a register of CPU 0 when the list was read */
static uint64_t value_of(const struct registers *registers, uint32_t address)
{
	unsigned int i;

	for (i = 0; i < registers->nr; i++) {
		if (registers->address[i] == address)
			return registers->value[0][i];
	}
	return 0;
}

/* The event select register of the test's counter */
static uint32_t select_placed(const struct pmc_query *query, unsigned int counter)
{
	return msr_select(query, counter_placed(counter));
}

static uint32_t msr_placed(const struct pmc_query *query, unsigned int counter)
{
	return msr_counter(query, counter_placed(counter));
}

/* The value of a counter's event select on CPU 0 */
static uint64_t select_of(const struct registers *registers, const struct pmc_query *query,
			  unsigned int counter)
{
	uint64_t value = value_of(registers, select_placed(query, counter));

	return query->family == PMC_FAMILY_P5 ? value & CESR_HALF(counter) : value;
}

/* The register on that CPU: the logical processors of NetBurst have different ones. */
static uint32_t select_on(int cpu, unsigned int counter)
{
	struct pmc_counter answer;

	return pmc_describe(cpu, counter_placed(counter), &answer) ? 0 : answer.select_msr;
}

/* Write a counter's event select and keep the other counter's. */
static int select_write(const struct pmc_query *query, int cpu, unsigned int counter,
			uint64_t value)
{
	uint64_t cesr;
	int err;

	if (query->family != PMC_FAMILY_P5)
		return msr_write(cpu, select_on(cpu, counter), value);
	err = msr_read(cpu, MSR_CESR, &cesr);
	cesr &= ~CESR_HALF(counter);
	return err ? err : msr_write(cpu, MSR_CESR, cesr | value << CESR_SHIFT(counter));
}

/* The second pair of these counters, from 14 on, has the second ESCR. */
static int escr_write(int cpu, unsigned int counter, uint64_t value)
{
	bool second = select_on(cpu, counter) >= MSR_CCCR0 + 14;

	return msr_write(cpu, second ? MSR_CRU_ESCR1 : MSR_CRU_ESCR0, value);
}

/*
 * Count this in user mode without a reservation. The P6 has one enable bit, in the first
 * counter. With erratum AAK100 an event that never occurs counts cycles: it gets no mode.
 */
static int count_as_unknown(const struct pmc_query *query, int cpu, unsigned int counter,
			    uint64_t what)
{
	uint64_t event = event_select(what);
	int err;

	switch (query->family) {
	case PMC_FAMILY_P5:
		return select_write(query, cpu, counter, event | CESR_USER);
	case PMC_FAMILY_P6:
		err = select_write(query, cpu, 0, SELECT_ENABLE);
		return err ? err : select_write(query, cpu, counter, event | SELECT_USER);
	case PMC_FAMILY_NETBURST:
		event = netburst_select(what);
		err = escr_write(cpu, counter, ESCR_OF(event) | ESCR_USER);
		event &= UINT32_MAX;
		return err ? err : select_write(query, cpu, counter,
						event | CCCR_MUST | CCCR_ENABLE);
	default:
		event |= what == EVENT_IMPOSSIBLE ? 0 : SELECT_USER;
		return select_write(query, cpu, counter, event | SELECT_ENABLE);
	}
}

/* Enable the counter in the global control, if there is one. */
static int control_allow(const struct pmc_query *query, int cpu, unsigned int counter)
{
	uint64_t control;
	int err;

	if (!(query->features & PMC_FEATURE(GLOBAL_CTRL)))
		return 0;
	err = msr_read(cpu, global_ctrl(), &control);
	return err ? err : msr_write(cpu, global_ctrl(), control | 1ULL << counter);
}

FIXTURE(restore) {
	BASE_FIXTURE;
	struct registers found;
	struct registers before;
	struct registers after;
};

FIXTURE_SETUP(restore)
{
	int msr;

	NEED_COUNTERS_AND_ROOT(&self->query);
	msr = msr_open(0);
	if (msr < 0)
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	close(msr);
	OPEN_DEVICE(self->fd);
	/* perf's leftovers are zeroed at the first claim, once */
	ASSERT_EQ(0, claim_all(self->fd, &self->query));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	registers_list(&self->found, &self->query);
	ASSERT_EQ(0, registers_read(&self->found));
	self->before = self->found;
	self->after = self->found;
}

FIXTURE_TEARDOWN(restore)
{
	close(self->fd);
	registers_put(&self->found);
}

static void compare(struct __test_metadata *_metadata, struct _test_data_restore *self)
{
	ASSERT_EQ(0, registers_read(&self->after));
	EXPECT_EQ(0, registers_differ(&self->before, &self->after));
}

/* The previous users left values in each register, on every CPU. */
static void fill(struct __test_metadata *_metadata, struct _test_data_restore *self)
{
	ASSERT_EQ(0, registers_fill(&self->found, &self->before));
}

TEST_F(restore, after_release)
{
	struct reading reading;

	ASSERT_EQ(0, claim_all(self->fd, &self->query));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, reading_read(self->fd, &reading));
	/* the registers are really in use now */
	ASSERT_EQ(0, registers_read(&self->after));
	EXPECT_NE(0, memcmp(&self->before.value, &self->after.value, sizeof(self->after.value)));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
}

/* One counter counts; a quirk may use others (NHM-EN). */
TEST_F(restore, after_one_counter)
{
	struct setup setup;

	fill(_metadata, self);
	setup_all_cpus_one(&setup);
	CONFIGURE_AND_START(self->fd, &setup);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
}

TEST_F(restore, after_close_while_running)
{
	ASSERT_EQ(0, claim_all(self->fd, &self->query));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, close(self->fd));
	compare(_metadata, self);
}

TEST_F(restore, after_a_thread)
{
	struct program programs[PROGRAMS_MAX];
	struct child child;
	struct setup setup;
	int n = programs_load(programs);

	ASSERT_LT(0, n);
	ASSERT_EQ(0, child_counted(&child, &programs[0], &setup, &self->query, EVENT_INSTRUCTIONS));
	CONFIGURE_AND_START(self->fd, &setup);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
}

TEST_F(restore, after_kill)
{
	int pipes[2];
	char word;
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (pid == 0) {
		int own = pmc_open();

		if (own < 0 || claim_all(own, &self->query) ||
		    pmc_call(own, PMC_IOC_START, NULL) || write(pipes[1], "", 1) != 1)
			_exit(1);
		spin_forever();
	}
	close(pipes[1]);
	ASSERT_EQ(1, read(pipes[0], &word, 1));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	compare(_metadata, self);
}

/* Killed while sampling with all counters */
TEST_F(restore, after_kill_while_sampling)
{
	NEED_SAMPLING(&self->query);
	fill(_metadata, self);
	ASSERT_EQ(0, claim_all_killed(&self->query));
	compare(_metadata, self);
}

TEST_F(restore, after_a_refused_configure)
{
	struct pmc_counter counter;
	struct setup setup;

	ASSERT_EQ(0, pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(0), &counter));
	setup_thread_one(&setup, 0, 0);
	/* all bits that are not allowed */
	setup.counter[0].event_select = ~counter.event_select_mask;
	ASSERT_EQ(-EINVAL, setup_configure(self->fd, &setup));
	compare(_metadata, self);
}

/* Refused after everything was claimed: the reply cannot be written. */
TEST_F(restore, after_faulting_configure_reply)
{
	struct reading reading;

	fill(_metadata, self);
	ASSERT_EQ(-EFAULT, claim_all_unanswered(self->fd, &self->query));
	compare(_metadata, self);
	EXPECT_EQ(-EBADFD, reading_read(self->fd, &reading));
	ASSERT_EQ(0, claim_all(self->fd, &self->query));
}

/*
 * Refused because a counter of the last CPU is found running after those of the other CPUs were
 * claimed. Its event never occurs, so it has the same value afterwards.
 */
TEST_F(restore, after_finding_counter_running)
{
	const int last = cpus_online() - 1;
	struct setup setup;

	fill(_metadata, self);
	ASSERT_EQ(0, control_allow(&self->query, last, counter_placed(1)));
	ASSERT_EQ(0, count_as_unknown(&self->query, last, 1, EVENT_IMPOSSIBLE));
	ASSERT_EQ(0, registers_read(&self->before));
	setup_claim_all(&setup, &self->query);
	ASSERT_EQ(-EBUSY, setup_configure(self->fd, &setup));
	EXPECT_EQ(PMC_HOLDER_UNKNOWN, setup.config.holder.kind);
	EXPECT_EQ(last, setup.config.holder.cpu);
	compare(_metadata, self);
}

/* START refused: the thread has ended. */
TEST_F(restore, after_a_start_too_late)
{
	struct child child;
	struct setup setup;

	fill(_metadata, self);
	ASSERT_EQ(0, child_spin(&child));
	setup_thread_all(&setup, &self->query, child.pid, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &setup));
	child_kill(&child);
	ASSERT_EQ(-ESRCH, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
}

/*
 * START refused: the CPU is offline. The kernel's own writes when a CPU comes online happen
 * before.
 */
TEST_F(restore, after_start_on_offline_cpu)
{
	struct setup setup;

	NEED_CPUS(2);
	fill(_metadata, self);
	ASSERT_EQ(0, file_write(CPU1, "0"));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	ASSERT_EQ(0, registers_read(&self->before));
	setup_cpu_all(&setup, &self->query, 1);
	ASSERT_EQ(0, setup_configure(self->fd, &setup));
	ASSERT_EQ(0, file_write(CPU1, "0"));
	EXPECT_EQ(-ENODEV, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
}

/* Configured and never started: nothing counts meanwhile. */
TEST_F(restore, configured_only)
{
	ASSERT_EQ(0, claim_all(self->fd, &self->query));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
}

/* The values of previous users are restored after the driver used the registers. */
TEST_F(restore, foreign_values_restored)
{
	fill(_metadata, self);
	ASSERT_EQ(0, claim_all(self->fd, &self->query));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
}

/* An overflow of another user's counter while the driver held it does not remain in the status. */
TEST_F(restore, overflow_while_claimed)
{
	const uint64_t nearly = is_amd() ? (1ULL << 48) - 4 : 0xfffffffc;

	if (!(self->query.features & PMC_FEATURE(GLOBAL_CTRL)))
		SKIP(return, "these counters have no status");
	ASSERT_EQ(0, msr_write(0, msr_placed(&self->query, 0), nearly));
	ASSERT_EQ(0, registers_read(&self->before));
	ASSERT_EQ(0, claim_all(self->fd, &self->query));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
}

/*
 * An overflow of another user froze the counters (SDM Volume 3B, "Freezing LBR and Performance
 * Counters on PMI") and nothing acknowledged the freeze or the overflow. The driver counts all
 * the same, and afterwards both are as found.
 */
TEST_F(restore, found_frozen)
{
	const uint64_t found = GLOBAL_STATUS_FROZEN | 1 << 0;
	struct program programs[PROGRAMS_MAX];
	struct reading reading;
	struct child child;
	struct setup setup;
	unsigned int i;

	if (is_amd() || self->query.perfmon_version < 4)
		SKIP(return, "nothing acknowledges a freeze here");
	for (i = 0; i < (unsigned int)cpus_online(); i++)
		ASSERT_EQ(0, msr_write(i, IA32_GLOBAL_STATUS_SET, found));
	ASSERT_EQ(0, registers_read(&self->before));
	EXPECT_EQ(found, value_of(&self->before, IA32_GLOBAL_STATUS) & found);

	ASSERT_LT(0, programs_load(programs));
	ASSERT_EQ(0, child_program(&child, &programs[0]));
	setup_thread_one(&setup, child.pid, PMC_CONFIG_ON_EXEC);
	/* with a period the overflow that was found is acknowledged */
	setup.counter[0].period = 100003;
	CONFIGURE_AND_START(self->fd, &setup);
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(self->fd, &reading));
	EXPECT_COUNT(programs[0].instructions, reading.value[0]);
	EXPECT_EQ(reading.value[0] / 100003, reading.overflows);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
	for (i = 0; i < (unsigned int)cpus_online(); i++)
		ASSERT_EQ(0, msr_write(i, IA32_GLOBAL_STATUS_RESET, found));
}

/* AAK100: a new event needs writes to all general counters, so none can be shared. */
static bool writes_all_counters(const struct pmc_query *query)
{
	return query->quirks & PMC_QUIRK(NEHALEM_ENABLE);
}

/* Another user writes to this register while general counter 0 counts: the value stays. */
static void write_meanwhile(struct __test_metadata *_metadata, struct _test_data_restore *self,
			    uint32_t address)
{
	struct setup setup;
	uint64_t value;

	setup_all_cpus_one(&setup);
	CONFIGURE_AND_START(self->fd, &setup);
	ASSERT_EQ(0, msr_write(0, address, 0x12345));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, msr_read(0, address, &value));
	EXPECT_EQ(0x12345, value);
}

/* Counters that an earlier context used and the next one does not */
TEST_F(restore, what_is_written_to_other_counters_stays)
{
	ASSERT_EQ(0, claim_all(self->fd, &self->query));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	if (!writes_all_counters(&self->query))
		write_meanwhile(_metadata, self, msr_placed(&self->query, 1));
	if (self->query.fixed_counters & 1)
		write_meanwhile(_metadata, self, msr_fixed(&self->query, 0));
}

/* A general counter that another user did not start: claimed and started, or refused */
static void claim_another(struct __test_metadata *_metadata, struct _test_data_restore *self,
			  struct setup *setup)
{
	setup->config.nr_counters = 1;
	if (writes_all_counters(&self->query)) {
		EXPECT_EQ(-EBUSY, setup_configure(self->fd, setup));
		EXPECT_EQ(PMC_HOLDER_UNKNOWN, setup->config.holder.kind);
		return;
	}
	EXPECT_EQ(0, setup_configure(self->fd, setup));
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
}

/* A counter that another user started: its holder is reported during a claim. Releases. */
static void expect_unknown_holder(struct __test_metadata *_metadata,
				  struct _test_data_restore *self, uint32_t number)
{
	struct pmc_counter counter;

	if (writes_all_counters(&self->query))
		return;
	ASSERT_EQ(0, pmc_describe(0, number, &counter));
	EXPECT_EQ(PMC_HOLDER_UNKNOWN, counter.holder.kind);
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
}

/*
 * A counter runs without a reservation: only that counter is refused, and it counts on
 * undisturbed.
 */
TEST_F(restore, unknown_holder)
{
	struct setup setup;
	unsigned int i;

	/* it counts what this test executes */
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, control_allow(&self->query, 0, counter_placed(1)));
	ASSERT_EQ(0, count_as_unknown(&self->query, 0, 1, EVENT_INSTRUCTIONS));
	ASSERT_EQ(0, registers_read(&self->before));

	setup_all_cpus(&setup);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	EXPECT_EQ(-EBUSY, setup_configure(self->fd, &setup));
	EXPECT_EQ(PMC_HOLDER_UNKNOWN, setup.config.holder.kind);
	EXPECT_EQ(!writes_all_counters(&self->query), setup.config.holder.counter);
	EXPECT_EQ(0, setup.config.holder.cpu);
	claim_another(_metadata, self, &setup);
	expect_unknown_holder(_metadata, self, PMC_COUNTER_GENERAL(counter_placed(1)));

	ASSERT_EQ(0, registers_read(&self->after));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(select_of(&self->before, &self->query, i),
			  select_of(&self->after, &self->query, i));
	}
	EXPECT_LT(value_of(&self->before, msr_placed(&self->query, 1)),
		  value_of(&self->after, msr_placed(&self->query, 1)));
}

/*
 * The same of a fixed counter, which no reservation covers: the general counters stay available
 * (not with AAK100), and every field of the fixed counters' control register keeps its value.
 */
TEST_F(restore, unknown_holder_of_fixed_counter)
{
	const uint64_t user = 2, control = 1ULL << 32;
	uint64_t before, value;
	struct setup setup;

	if (!(self->query.features & PMC_FEATURE(GLOBAL_CTRL)) ||
	    !(self->query.fixed_counters & 1))
		SKIP(return, "no fixed counter 0 with a global control");
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, msr_write(0, IA32_FIXED_CTR_CTRL, user));
	ASSERT_EQ(0, msr_read(0, global_ctrl(), &value));
	ASSERT_EQ(0, msr_write(0, global_ctrl(), value | control));

	setup_all_cpus(&setup);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER);
	setup_add(&setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER);
	EXPECT_EQ(-EBUSY, setup_configure(self->fd, &setup));
	EXPECT_EQ(PMC_HOLDER_UNKNOWN, setup.config.holder.kind);
	EXPECT_EQ(writes_all_counters(&self->query) ? PMC_COUNTER_GENERAL(0) : FIXED_INSTRUCTIONS,
		  setup.config.holder.counter);
	EXPECT_EQ(0, setup.config.holder.cpu);
	ASSERT_EQ(0, msr_read(0, msr_fixed(&self->query, 0), &before));
	claim_another(_metadata, self, &setup);
	expect_unknown_holder(_metadata, self, FIXED_INSTRUCTIONS);
	ASSERT_EQ(0, msr_read(0, IA32_FIXED_CTR_CTRL, &value));
	EXPECT_EQ(user, value);
	ASSERT_EQ(0, msr_read(0, msr_fixed(&self->query, 0), &value));
	EXPECT_LT(before, value);
}

/*
 * TSX_FORCE_ABORT: counter 3 is not offered. If another user runs it, it stays enabled while
 * other counters are claimed.
 */
TEST_F(restore, unknown_holder_of_hidden_counter)
{
	const unsigned int hidden = 3;
	struct setup setup;
	uint64_t value;

	if (!(self->query.quirks & PMC_QUIRK(TSX_FORCE_ABORT)))
		SKIP(return, "every counter is offered");
	ASSERT_EQ(0, msr_write(0, msr_select(&self->query, hidden),
			       EVENT_IMPOSSIBLE | SELECT_USER | SELECT_ENABLE));
	ASSERT_EQ(0, control_allow(&self->query, 0, hidden));
	ASSERT_EQ(0, registers_read(&self->before));
	setup_all_cpus_one(&setup);
	ASSERT_EQ(0, setup_configure(self->fd, &setup));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, msr_read(0, global_ctrl(), &value));
	EXPECT_EQ(1U << hidden, value & 1U << hidden);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	compare(_metadata, self);
	ASSERT_EQ(0, msr_read(0, global_ctrl(), &value));
	EXPECT_EQ(1U << hidden, value & 1U << hidden);
	ASSERT_EQ(0, msr_write(0, msr_select(&self->query, hidden), 0));
}

TEST_HARNESS_MAIN
