// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the events of the P6 family that count micro-ops, clocks of the divider and of LOCK#, and
 * x87 assists: programs that cause an event a known number of times, counted in user mode; and the
 * events that only one counter can count
 *
 * What depends on the caches or on another processor is not here: the kernel evicts lines of code
 * during START. tests/machine/pmu/cases counts it without a kernel.
 *
 * Micro-ops and clocks of divisions: Agner Fog's list for PPro, PII and PIII, added up by hand in
 * events_p6.S and below.
 */
#include "kselftest_harness.h"
#include "events_p6.h"
#include "events.h"

#define ALL_MMX		0x0f00

static const struct event events[] = {
	{ "INST_RETIRED", 0xc0, BOTH, run_data, 5 },
	/* load 1, store 2, both and an addition 4; DEC, JNZ */
	{ "UOPS_RETIRED of data", 0xc2, BOTH, run_data, 1 + 2 + 4 + 2 },
	/* CALL 4, NOP 1, RET 4 */
	{ "UOPS_RETIRED of calls", 0xc2, BOTH, run_calls, 4 + 1 + 4 + 2 },
	/* MOV to a segment register */
	{ "UOPS_RETIRED of segments", 0xc2, BOTH, run_segments, 3 * 8 + 2 },
	{ "UOPS_RETIRED of locked accesses", 0xc2, BOTH, run_locked, 4 + 7 + 2 },
	{ "UOPS_RETIRED of I/O", 0xc2, BOTH, run_io, 18 + 18 + 2 },
	/* FADD, FMUL, IMUL */
	{ "UOPS_RETIRED of arithmetic", 0xc2, BOTH, run_flops, 3 + 2 },
	/* EMMS 11 */
	{ "UOPS_RETIRED of MMX", 0xc2, BOTH, run_mmx, 1 + 1 + 1 + 2 + 1 + 11 + 2 },
	{ "MMX_UOPS_EXEC", 0xb2 | ALL_MMX, BOTH, run_mmx, 1 + 1 + 1 + 2 + 1 + 11 },
	{ "UOPS_RETIRED of integer instructions", 0xc2, BOTH, run_uops, 26 + 2 },
	{ "UOPS_RETIRED of the stack", 0xc2, BOTH, run_uops_stack, 45 + 2 },
	{ "UOPS_RETIRED of strings", 0xc2, BOTH, run_uops_strings, 600 + 250 + 7 + 2 },
	{ "UOPS_RETIRED of x87", 0xc2, BOTH, run_uops_x87, 19 + 2 },
	{ "UOPS_RETIRED of divisions", 0xc2, BOTH, run_divide, 17 + 2 },
	{ "CYCLES_DIV_BUSY", 0x14, COUNTER0, run_divide, 12 + 21 + 37 },
	{ "CYCLES_DIV_BUSY of x87", 0x14, COUNTER0, run_uops_x87, 69 + 37 },
	{ "FP_ASSIST", 0x11, COUNTER1, run_assists, 2 },
	{ "FP_ASSIST without an assist", 0x11, COUNTER1, run_flops, 0 },
	{ "BUS_LOCK_CLOCKS", 0x63, BOTH, run_lock_across, 4 },
	{ "BUS_LOCK_CLOCKS of accesses that lock the cache", 0x63, BOTH, run_locked, 0 },
};

FIXTURE_SETUP(events)
{
	NEED_COUNTERS(&self->query);
	if (self->query.family != PMC_FAMILY_P6)
		SKIP(return, "no processor of the P6 family");
	EVENTS_SETUP();
}

FIXTURE_TEARDOWN_CLOSE(events)

/* Events of one counter; table "Events That Can Be Counted with the P6 Family" */
static const struct {
	uint64_t select;
	uint32_t counter;
} of_one_counter[] = {
	{ 0xc1, 0 }, { 0x10, 0 }, { 0x11, 1 }, { 0x12, 1 }, { 0x13, 1 }, { 0x14, 0 },
};

TEST_F(events, of_one_counter)
{
	uint32_t counter;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(of_one_counter); i++) {
		for (counter = 0; counter < 2; counter++) {
			bool counts = counter == of_one_counter[i].counter;

			setup_thread(&self->setup, 0, 0);
			setup_add(&self->setup, PMC_COUNTER_GENERAL(counter),
				  of_one_counter[i].select, PMC_COUNT_USER);
			EXPECT_EQ(counts ? 0 : -EDOM, setup_configure(self->fd, &self->setup));
			EXPECT_EQ(counts ? PMC_ENTRY_NONE : 0, self->setup.config.failed_entry);
			EXPECT_EQ(counts ? 0 : -EBADFD,
				  pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
		}
	}
}

TEST_F(events, p6_events)
{
	try_all(_metadata, self, events, ARRAY_SIZE(events));
}

TEST_HARNESS_MAIN
