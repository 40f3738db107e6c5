// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests a virtual machine with counters that ignore writes: the driver does not use them and
 * reports the reason
 */
#include <sys/ioctl.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "registers.h"

FIXTURE(writes_ignored) {
	BASE_FIXTURE;
	struct registers registers;
};

/* Does the first counter, which is unused, ignore writes? */
static bool ignores_writes(uint32_t counter)
{
	uint64_t before, after;

	if (msr_read(0, counter, &before) || msr_write(0, counter, before ^ 0x1234))
		return false;
	if (msr_read(0, counter, &after))
		return false;
	msr_write(0, counter, before);
	return after == before;
}

FIXTURE_SETUP(writes_ignored)
{
	NEED_ROOT();
	if (access("/dev/cpu/0/msr", W_OK))
		SKIP(return, "no /dev/cpu/0/msr: modprobe msr");
	ASSERT_EQ(0, pmc_query(PMC_CPU_ANY, &self->query));
	if (!self->query.general_counters)
		SKIP(return, "the CPU has no counters: status %u", self->query.status);
	if (!ignores_writes(msr_counter(&self->query,
					__builtin_ctzll(self->query.general_counters))))
		SKIP(return, "the counters keep what is written to them");
	registers_list(&self->registers, &self->query);
	ASSERT_EQ(0, registers_read(&self->registers));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(writes_ignored)

/* CPUID and the query describe the counter as usual: only a write shows that it is ignored. */
TEST_F(writes_ignored, counters_described_unusable)
{
	uint64_t general, fixed;

	EXPECT_EQ(PMC_STATUS_OK, self->query.status);
	counters_described(&general, &fixed);
	if (!general)
		SKIP(return, "no CPUID leaf 0AH");
	EXPECT_EQ(general, self->query.general_counters);
	EXPECT_EQ(fixed, self->query.fixed_counters);
}

static void configure(struct __test_metadata *_metadata, struct _test_data_writes_ignored *self,
		      uint32_t scope, uint32_t counter)
{
	struct registers after = self->registers;
	struct pmc_counter answer;

	setup_thread(&self->setup, 0, 0);
	self->setup.config.scope = scope;
	if (scope == PMC_SCOPE_CPU)
		self->setup.config.cpu = cpus_online() - 1;
	setup_add(&self->setup, counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	if (counter == FIXED_INSTRUCTIONS)
		self->setup.counter[0].event_select = 0;
	EXPECT_EQ(-ENODEV, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(PMC_ENTRY_NONE, self->setup.config.failed_entry);
	EXPECT_EQ(-1, self->setup.config.failed_cpu);
	EXPECT_EQ(PMC_HOLDER_NONE, self->setup.config.holder.kind);
	EXPECT_EQ(-EBADFD, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, registers_read(&after));
	EXPECT_EQ(0, memcmp(&self->registers, &after, sizeof(after)));
	ASSERT_EQ(0, pmc_describe(0, counter_placed(counter), &answer));
	EXPECT_EQ(PMC_HOLDER_NONE, answer.holder.kind);
	ASSERT_EQ(0, pmc_query(0, &self->query));
	EXPECT_EQ(0, self->query.contexts);
}

/* CONFIGURE is refused for each scope and counter, and keeps nothing. */
TEST_F(writes_ignored, configure_is_refused)
{
	static const uint32_t scopes[] = {
		PMC_SCOPE_THREAD, PMC_SCOPE_PROCESS, PMC_SCOPE_TREE, PMC_SCOPE_CPU,
		PMC_SCOPE_ALL_CPUS,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(scopes); i++) {
		configure(_metadata, self, scopes[i], PMC_COUNTER_GENERAL(0));
		configure(_metadata, self, scopes[i], PMC_COUNTER_GENERAL(1));
		if (self->query.fixed_counters & 1)
			configure(_metadata, self, scopes[i], FIXED_INSTRUCTIONS);
	}
}

TEST_F(writes_ignored, pmcctl_reports_it)
{
	char said[8192];

	if (run_pmcctl("--version", said, sizeof(said)))
		SKIP(return, "no pmcctl");
	EXPECT_EQ(125, run_pmcctl("stat -e instructions:u true", said, sizeof(said)));
	EXPECT_NE(NULL, strstr(said, "a hypervisor ignores writes to them"))
		TH_LOG("%s", said);
}

TEST_HARNESS_MAIN
