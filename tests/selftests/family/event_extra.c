// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of events of family core that need a further register: offcore response, the front end
 *
 * Sources of the registers' addresses and valid bits: SDM Volume 4; Linux, intel_*_extra_regs.
 */
#include <sched.h>
#include <string.h>

#include "kselftest_harness.h"
#include "counted_loop.h"
#include "fixture.h"
#include "registers.h"
#include "user_read.h"

#define OFFCORE_RSP_0	0x1a6
#define OFFCORE_RSP_1	0x1a7
#define FRONTEND	0x3f7

#define LOAD_LATENCY	0x01cd

struct extra {
	unsigned int model;
	uint64_t event;
	uint32_t msr;
	uint64_t allowed;
};

static const struct extra extras[] = {
	{ 0x1e, 0x01b7, OFFCORE_RSP_0, 0xffff },
	{ 0x25, 0x01b7, OFFCORE_RSP_0, 0xffff },
	{ 0x25, 0x01bb, OFFCORE_RSP_1, 0xffff },
	{ 0x2a, 0x01b7, OFFCORE_RSP_0, 0x3f807f8fff },
	{ 0x2a, 0x01bb, OFFCORE_RSP_1, 0x3f807f8fff },
	{ 0x3a, 0x01b7, OFFCORE_RSP_0, 0x3f807f8fff },
	{ 0x3a, 0x01bb, OFFCORE_RSP_1, 0x3f807f8fff },
	{ 0x3c, 0x01b7, OFFCORE_RSP_0, 0x3fffff8fff },
	{ 0x3c, 0x01bb, OFFCORE_RSP_1, 0x3fffff8fff },
	{ 0x55, 0x01b7, OFFCORE_RSP_0, 0x3fffff8fff },
	{ 0x55, 0x01bb, OFFCORE_RSP_1, 0x3fffff8fff },
	{ 0x55, 0x01c6, FRONTEND, 0x7fff17 },
	{ 0x7e, 0x01b7, OFFCORE_RSP_0, 0x3fffffbfff },
	{ 0x7e, 0x01bb, OFFCORE_RSP_1, 0x3fffffbfff },
	{ 0x7e, 0x01c6, FRONTEND, 0x7fff17 },
	{ 0x8f, 0x012a, OFFCORE_RSP_0, 0x3fffffffff },
	{ 0x8f, 0x012b, OFFCORE_RSP_1, 0x3fffffffff },
	{ 0x8f, 0x01c6, FRONTEND, 0x7fff1f },
	{ 0x8f, 0x40ad, FRONTEND, 0x7 },
	{ 0x8f, 0x04c2, FRONTEND, 0x8 },
};

/* The @n-th of this processor's, or NULL */
static const struct extra *extra_find(const struct pmc_query *query, unsigned int n)
{
	unsigned int i;

	if (query->family != PMC_FAMILY_CORE || query->cpu_family != 6)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(extras); i++) {
		if (extras[i].model == query->cpu_model && !n--)
			return &extras[i];
	}
	return NULL;
}

FIXTURE(extra) {
	BASE_FIXTURE;
	const struct extra *first;
};

FIXTURE_SETUP(extra)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	self->first = extra_find(&self->query, 0);
	if (!self->first)
		SKIP(return, "no table of this processor's registers");
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(extra)

/* A thread's counter with an event and its register's value */
static void setup_extra(struct setup *setup, uint32_t counter, const struct extra *extra,
			uint64_t value)
{
	setup_add(setup, counter, extra->event, PMC_COUNT_USER);
	setup->counter[setup->config.nr_counters - 1].event_extra = value;
}

static int configure_one(struct _test_data_extra *self, const struct extra *extra, uint64_t value)
{
	int err;

	setup_thread(&self->setup, 0, 0);
	setup_extra(&self->setup, PMC_COUNTER_GENERAL(0), extra, value);
	err = setup_configure(self->fd, &self->setup);
	if (!err)
		pmc_call(self->fd, PMC_IOC_RELEASE, NULL);
	return err;
}

/* Each bit is allowed or reserved, as on the processor; an event without a value is refused. */
TEST_F(extra, bits)
{
	const struct extra *extra;
	unsigned int n, bit;

	for (n = 0; (extra = extra_find(&self->query, n)); n++) {
		EXPECT_EQ(-EDOM, configure_one(self, extra, 0));
		for (bit = 0; bit < 64; bit++) {
			bool allowed = extra->allowed >> bit & 1;

			EXPECT_EQ(allowed ? 0 : -EINVAL, configure_one(self, extra, 1ULL << bit)) {
				TH_LOG("event %#llx, bit %u", (unsigned long long)extra->event,
				       bit);
			}
			EXPECT_EQ(allowed ? 0 : 1ULL << bit, self->setup.config.refused_bits);
		}
	}
}

/* Other events, also those that differ only in the unit mask, and fixed counters refuse a value. */
TEST_F(extra, other_events)
{
	struct extra other = *self->first;

	other.event = EVENT_INSTRUCTIONS;
	EXPECT_EQ(-EINVAL, configure_one(self, &other, 1));
	EXPECT_EQ(1, self->setup.config.refused_bits);
	other.event = self->first->event ^ 0x8000;
	EXPECT_EQ(-EINVAL, configure_one(self, &other, 1));
	EXPECT_EQ(1, self->setup.config.refused_bits);
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER);
	self->setup.counter[0].event_extra = 1;
	EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
	if (self->query.cpu_model == 0x55) {
		other.event = LOAD_LATENCY;
		EXPECT_EQ(-EDOM, configure_one(self, &other, 0));
		EXPECT_EQ(-EINVAL, configure_one(self, &other, 3));
	}
}

/* Two counters of a context share the register with the same value only. */
TEST_F(extra, one_value)
{
	int i;

	for (i = 0; i < 2; i++) {
		setup_thread(&self->setup, 0, 0);
		setup_extra(&self->setup, PMC_COUNTER_GENERAL(0), self->first, 1);
		setup_extra(&self->setup, PMC_COUNTER_GENERAL(1), self->first, 1 + i);
		EXPECT_EQ(i ? -ENOSPC : 0, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(i ? 1 : PMC_ENTRY_NONE, self->setup.config.failed_entry);
		EXPECT_EQ(i ? -EBADFD : 0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* The register is claimed with the counter, whatever counter another context wants. */
TEST_F(extra, claimed)
{
	const struct extra *second = extra_find(&self->query, 1);
	struct setup other;
	int fd;

	setup_thread(&self->setup, 0, 0);
	setup_extra(&self->setup, PMC_COUNTER_GENERAL(0), self->first, 1);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	OPEN_DEVICE(fd);
	setup_all_cpus(&other);
	setup_extra(&other, PMC_COUNTER_GENERAL(1), self->first, 1);
	EXPECT_EQ(-EBUSY, setup_configure(fd, &other));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, other.config.holder.kind);
	EXPECT_EQ(getpid(), other.config.holder.pid);
	EXPECT_EQ(PMC_COUNTER_GENERAL(0), other.config.holder.counter);
	if (second && second->msr != self->first->msr) {
		setup_all_cpus(&other);
		setup_extra(&other, PMC_COUNTER_GENERAL(1), second, 1);
		EXPECT_EQ(0, setup_configure(fd, &other));
		EXPECT_EQ(0, pmc_call(fd, PMC_IOC_RELEASE, NULL));
	}
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	setup_all_cpus(&other);
	setup_extra(&other, PMC_COUNTER_GENERAL(1), self->first, 1);
	EXPECT_EQ(0, setup_configure(fd, &other));
	close(fd);
}

/*
 * Each thread's value is in the register while it runs, whatever ran there before. A thread that
 * is not counted may find either.
 */
TEST_F(extra, follows_the_thread)
{
	struct setup other;
	struct child child;
	uint64_t value, counted;
	int fd, i;

	NEED_CPUS(2);
	ASSERT_EQ(0, child_spin(&child));
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, pin(child.pid, 0));
	setup_thread(&self->setup, 0, 0);
	setup_extra(&self->setup, PMC_COUNTER_GENERAL(0), self->first, 1);
	OPEN_DEVICE(fd);
	setup_thread(&other, child.pid, 0);
	setup_extra(&other, PMC_COUNTER_GENERAL(0), self->first, 2);
	ASSERT_EQ(0, setup_configure(fd, &other));
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_go(&child));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, msr_read(0, self->first->msr, &value));
		EXPECT_EQ(1, value);
		ASSERT_EQ(0, reading_read(fd, &self->reading));
		counted = self->reading.time_counted;
		/* until the child has run, which spins */
		while (self->reading.time_counted == counted) {
			sched_yield();
			ASSERT_EQ(0, reading_read(fd, &self->reading));
		}
	}
	/* alone on CPU 0, the child has its own value there */
	ASSERT_EQ(0, pin(0, 1));
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	counted = self->reading.time_counted;
	while (self->reading.time_counted == counted)
		ASSERT_EQ(0, reading_read(fd, &self->reading));
	ASSERT_EQ(0, msr_read(0, self->first->msr, &value));
	EXPECT_EQ(2, value);
	child_kill(&child);
	close(fd);
}

/* What was in the register is there again afterwards, on each CPU. */
TEST_F(extra, restored)
{
	const struct extra *extra;
	struct registers before = {}, left, after;
	unsigned int n;
	int cpu;

	for (n = 0; (extra = extra_find(&self->query, n)); n++) {
		unsigned int i;

		for (i = 0; i < before.nr && before.address[i] != extra->msr; i++)
			;
		if (i == before.nr)
			registers_add(&before, extra->msr, extra->allowed);
	}
	ASSERT_EQ(0, registers_read(&before));
	ASSERT_EQ(0, registers_fill(&before, &left));
	EXPECT_LT(0, registers_count(&before, &left));
	for (n = 0; (extra = extra_find(&self->query, n)); n++) {
		setup_all_cpus(&self->setup);
		setup_extra(&self->setup, PMC_COUNTER_GENERAL(0), extra, extra->allowed);
		CONFIGURE_AND_START(self->fd, &self->setup);
		for (cpu = 0; cpu < cpus_online(); cpu++) {
			uint64_t value;

			ASSERT_EQ(0, msr_read(cpu, extra->msr, &value));
			EXPECT_EQ(extra->allowed, value);
		}
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		ASSERT_EQ(0, registers_read(memcpy(&after, &left, sizeof(left))));
		EXPECT_EQ(0, registers_differ(&left, &after));
	}
	ASSERT_EQ(0, registers_put(&before));
}

/* ---- what the value selects, in the emulator: a processor also prefetches ---- */

#define LINE		64
#define LINES		300

/* The counters of counts_what_it_selects, in the order of struct pmc_page */
enum { REQUESTS, KERNEL_INSTRUCTIONS };

static bool is_emulated(void)
{
	return !access("/machine", F_OK);
}

/* Any response: Nehalem and Westmere have a bit for each */
static uint64_t any_response(const struct pmc_query *query)
{
	return query->cpu_model == 0x1e || query->cpu_model == 0x25 ? 0xff00 : 1 << 16;
}

static void load_lines(volatile char *from)
{
	int i;

	for (i = 0; i < LINES; i++)
		(void)from[i * LINE];
}

static void store_lines(volatile char *to)
{
	int i;

	for (i = 0; i < LINES; i++)
		to[i * LINE] = 1;
}

static void flush_lines(volatile char *memory)
{
	int i;

	for (i = 0; i < LINES; i++)
		asm volatile("clflush %0" : "+m" (memory[i * LINE]));
}

/*
 * The requests while @touch accesses @memory. An interrupt can evict lines that the program uses,
 * such as its stack: then this measures again. Interrupts are seen by their instructions.
 */
static uint64_t requests_of(void (*touch)(volatile char *memory), volatile char *memory,
			    const struct pmc_page *page)
{
	uint64_t before[2], after[2];

	do {
		flush_lines(memory);
		if (!page_read(page, KERNEL_INSTRUCTIONS, &before[1]) ||
		    !page_read(page, REQUESTS, &before[0]))
			return UINT64_MAX;
		touch(memory);
		if (!page_read(page, REQUESTS, &after[0]) ||
		    !page_read(page, KERNEL_INSTRUCTIONS, &after[1]))
			return UINT64_MAX;
	} while (after[1] != before[1]);
	return after[0] - before[0];
}

/*
 * Each line that no cache has is one request, of the type that the value selects.
 * What else the calls touch is in the cache after the first pass.
 */
TEST_F(extra, counts_what_it_selects)
{
	static const struct {
		uint64_t type;
		void (*touch)(volatile char *memory);
		uint64_t requests;
	} t[] = {
		{ 1, load_lines, LINES }, { 1, store_lines, 0 },
		{ 2, load_lines, 0 }, { 2, store_lines, LINES },
		{ 3, load_lines, LINES }, { 3, store_lines, LINES },
	};
	static char memory[LINES * LINE] __attribute__((aligned(4096)));
	const struct pmc_page *page;
	unsigned int i;

	if (!is_emulated())
		SKIP(return, "a processor prefetches lines");
	memset(memory, 1, sizeof(memory));
	ASSERT_EQ(0, pin(0, 0));
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		setup_thread(&self->setup, 0, PMC_CONFIG_USER_READ);
		setup_extra(&self->setup, PMC_COUNTER_GENERAL(0), self->first,
			    t[i].type | any_response(&self->query));
		setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS,
			  PMC_COUNT_KERNEL);
		CONFIGURE_AND_START(self->fd, &self->setup);
		page = page_map(self->fd);
		ASSERT_NE(NULL, page);
		requests_of(t[i].touch, memory, page);
		EXPECT_EQ(t[i].requests, requests_of(t[i].touch, memory, page)) {
			TH_LOG("row %u", i);
		}
		ASSERT_EQ(0, page_unmap(page));
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

TEST_HARNESS_MAIN
