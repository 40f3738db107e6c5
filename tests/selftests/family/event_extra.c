// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of events of family core that need an extra register: offcore response, the front end
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

#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"
#define SIBLINGS	"/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"

#define OFFCORE_RSP_0	0x1a6
#define OFFCORE_RSP_1	0x1a7
#define FRONTEND	0x3f7

/* CPUID leaf 1AH, EAX bits 31:24 */
#define CORE_TYPE(core_type)	((core_type) >> 24)
#define CORE_TYPE_ATOM		0x20

/* Lion Cove has no such event: its FRONTEND_RETIRED has other unit masks. */
#define FRONTEND_OF_SKYLAKE	0x01c6

/*
 * struct extra - an event with an extra register
 * @allowed: the bits that this event can set. Events of the front end share one register: its
 *	writable bits are those of all of them.
 */
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
	{ 0xc6, 0x012a, OFFCORE_RSP_0, 0xfffffffffff },
	{ 0xc6, 0x012b, OFFCORE_RSP_1, 0xfffffffffff },
	{ 0xc6, 0x02c6, FRONTEND, 0x9 },
	{ 0xc6, 0x03c6, FRONTEND, 0x7fff1f },
	{ 0xc6, 0x40ad, FRONTEND, 0xf },
	{ 0xc6, 0x04c2, FRONTEND, 0x8 },
};

/* The @n-th row for this processor, or NULL */
static const struct extra *extra_find(const struct pmc_query *query, unsigned int n)
{
	unsigned int i;

	if (query->family != PMC_FAMILY_CORE || query->cpu_family != 6 ||
	    CORE_TYPE(query->core_type) == CORE_TYPE_ATOM)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(extras); i++) {
		if (extras[i].model == query->cpu_model && !n--)
			return &extras[i];
	}
	return NULL;
}

/* The writable bits of a register */
static uint64_t extra_writable(const struct pmc_query *query, uint32_t msr)
{
	const struct extra *extra;
	uint64_t bits = 0;
	unsigned int n;

	for (n = 0; (extra = extra_find(query, n)); n++)
		bits |= extra->msr == msr ? extra->allowed : 0;
	return bits;
}

static uint64_t lowest_bit(uint64_t bits)
{
	return bits & -bits;
}

static uint64_t load_latency(const struct pmc_query *query)
{
	return query->cpu_model == 0x1e || query->cpu_model == 0x25 ? 0x100b : 0x01cd;
}

/* The core type of CPU 0, 0 if it has none */
static uint32_t core_type;

/* @shared: both threads of a core are online, and share the registers */
FIXTURE(extra) {
	BASE_FIXTURE;
	const struct extra *first;
	bool shared;
};

/* Nehalem and Westmere */
static bool shared_by_threads(const struct pmc_query *query)
{
	char text[64];

	return (query->cpu_model == 0x1e || query->cpu_model == 0x25) &&
	       !file_read(SIBLINGS, text, sizeof(text)) && strpbrk(text, ",-");
}

FIXTURE_SETUP(extra)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	ASSERT_EQ(0, pmc_query(0, &self->query));
	core_type = self->query.core_type;
	self->first = extra_find(&self->query, 0);
	if (!self->first)
		SKIP(return, "no table of this processor's registers");
	self->shared = shared_by_threads(&self->query);
	if (self->shared)
		ASSERT_EQ(0, file_write(CPU1_ONLINE, "0"));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(extra)
{
	close(self->fd);
	file_write(CPU1_ONLINE, "1");
}

/* A counter with an event and its register's value, on CPUs of the core type that has them */
static void setup_extra(struct setup *setup, uint32_t counter, const struct extra *extra,
			uint64_t value)
{
	setup->config.core_type = core_type;
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

/* Refused while the sibling is online; if it comes online later, nothing is counted there. */
TEST_F(extra, shared_by_siblings)
{
	if (!self->shared)
		SKIP(return, "needs Hyper-Threading on Nehalem or Westmere");
	ASSERT_EQ(0, file_write(CPU1_ONLINE, "1"));
	EXPECT_EQ(-EDOM, configure_one(self, self->first, 1));
	EXPECT_EQ(0, self->setup.config.failed_entry);
	ASSERT_EQ(0, file_write(CPU1_ONLINE, "0"));
	setup_all_cpus(&self->setup);
	setup_extra(&self->setup, PMC_COUNTER_GENERAL(0), self->first, 1);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING, self->reading.state);
	ASSERT_EQ(0, file_write(CPU1_ONLINE, "1"));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(PMC_STATE_RUNNING | PMC_STATE_UNCOUNTED, self->reading.state);
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
	other.event = load_latency(&self->query);
	EXPECT_EQ(-EDOM, configure_one(self, &other, 0));
	EXPECT_EQ(-EINVAL, configure_one(self, &other, 3));
	if (self->query.cpu_model == 0xc6) {
		other.event = FRONTEND_OF_SKYLAKE;
		EXPECT_EQ(-EINVAL, configure_one(self, &other, 1));
		EXPECT_EQ(1, self->setup.config.refused_bits);
	}
}

/* Configure two counters with two events of one register. */
static int configure_two(struct _test_data_extra *self, const struct extra *a, uint64_t a_value,
			 const struct extra *b, uint64_t b_value)
{
	int err;

	setup_thread(&self->setup, 0, 0);
	setup_extra(&self->setup, PMC_COUNTER_GENERAL(0), a, a_value);
	setup_extra(&self->setup, PMC_COUNTER_GENERAL(1), b, b_value);
	err = setup_configure(self->fd, &self->setup);
	if (!err)
		pmc_call(self->fd, PMC_IOC_RELEASE, NULL);
	return err;
}

/* Two events of one register share it with the same value only. */
static void share(struct __test_metadata *_metadata, struct _test_data_extra *self,
		  const struct extra *a, const struct extra *b)
{
	uint64_t both = lowest_bit(a->allowed & b->allowed);
	uint64_t value = both ? both : lowest_bit(b->allowed);
	uint64_t other = lowest_bit(a->allowed & ~value);

	if (both) {
		EXPECT_EQ(0, configure_two(self, a, both, b, both)) {
			TH_LOG("events %#llx and %#llx", (unsigned long long)a->event,
			       (unsigned long long)b->event);
		}
	}
	if (!other)
		return;
	EXPECT_EQ(-ENOSPC, configure_two(self, a, other, b, value)) {
		TH_LOG("events %#llx and %#llx", (unsigned long long)a->event,
		       (unsigned long long)b->event);
	}
	EXPECT_EQ(1, self->setup.config.failed_entry);
}

/* Two counters of a context share the register with the same value only. */
TEST_F(extra, one_value)
{
	const struct extra *a, *b;
	unsigned int n, k;
	int i;

	for (n = 0; (a = extra_find(&self->query, n)); n++) {
		for (k = 0; (b = extra_find(&self->query, k)); k++) {
			if (k != n && a->msr == b->msr)
				share(_metadata, self, a, b);
		}
	}
	for (i = 0; i < 2; i++) {
		setup_thread(&self->setup, 0, 0);
		setup_extra(&self->setup, PMC_COUNTER_GENERAL(0), self->first, 1);
		setup_extra(&self->setup, PMC_COUNTER_GENERAL(1), self->first, 1 + i);
		EXPECT_EQ(i ? -ENOSPC : 0, setup_configure(self->fd, &self->setup));
		EXPECT_EQ(i ? 1 : PMC_ENTRY_NONE, self->setup.config.failed_entry);
		EXPECT_EQ(i ? 0 : -1, self->setup.config.failed_cpu);
		EXPECT_EQ(i ? -EBADFD : 0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	}
}

/* One context has event @a. Another one gets EBUSY for event @b of the same register. */
static void expect_claimed(struct __test_metadata *_metadata, struct _test_data_extra *self, int fd,
			   const struct extra *a, const struct extra *b)
{
	struct setup other;

	setup_thread(&self->setup, 0, 0);
	setup_extra(&self->setup, PMC_COUNTER_GENERAL(0), a, lowest_bit(a->allowed));
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	setup_all_cpus(&other);
	setup_extra(&other, PMC_COUNTER_GENERAL(1), b, lowest_bit(b->allowed));
	EXPECT_EQ(-EBUSY, setup_configure(fd, &other)) {
		TH_LOG("events %#llx and %#llx", (unsigned long long)a->event,
		       (unsigned long long)b->event);
	}
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
}

/* The register is claimed with the counter, whatever counter or event another context wants. */
TEST_F(extra, claimed)
{
	const struct extra *second = extra_find(&self->query, 1);
	const struct extra *a, *b;
	struct setup other;
	unsigned int n, k;
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
	EXPECT_EQ(0, pmc_call(fd, PMC_IOC_RELEASE, NULL));
	for (n = 0; (a = extra_find(&self->query, n)); n++) {
		for (k = 0; (b = extra_find(&self->query, k)); k++) {
			if (k != n && a->msr == b->msr)
				expect_claimed(_metadata, self, fd, a, b);
		}
	}
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

static bool has_other_core_type(void)
{
	struct pmc_query query;
	int cpu;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		if (!pmc_query(cpu, &query) && query.core_type != core_type)
			return true;
	}
	return false;
}

/* RELEASE restores the register on each CPU. */
TEST_F(extra, restored)
{
	const struct extra *extra;
	struct registers before = {}, left, after;
	unsigned int n;
	int cpu;

	if (has_other_core_type())
		SKIP(return, "a CPU of another core type lacks some of the registers");
	for (n = 0; (extra = extra_find(&self->query, n)); n++) {
		unsigned int i;

		for (i = 0; i < before.nr && before.address[i] != extra->msr; i++)
			;
		if (i == before.nr)
			registers_add(&before, extra->msr,
				      extra_writable(&self->query, extra->msr));
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
 * such as its stack: then this measures again. Kernel-mode instructions reveal an interrupt.
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
