// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the events of the Pentium and the Pentium MMX, for which there is no perf to compare
 * with: programs that cause an event a known number of times, counted in user mode
 */
#include "kselftest_harness.h"
#include "events_p5.h"
#include "events.h"
#include "registers.h"

#define CODE_PAGES	64

/* CESR's bit 8: clocks instead of occurrences */
#define CLOCKS		0x100
#define PIN_CONTROL	0x200

/* Events of the Pentium (SDM Volume 3B); pages_of_code() runs where the program is NULL. */
static const struct event events[] = {
	{ "DATA_READ", 0x00, BOTH, run_data, 2 },
	{ "DATA_WRITE", 0x01, BOTH, run_data, 2 },
	{ "DATA_TLB_MISS", 0x02, BOTH, run_pages, 128 },
	{ "DATA_READ_MISS", 0x03, BOTH, run_lines, 2048 },
	{ "DATA_WRITE_MISS", 0x04, BOTH, run_lines_written, 2048 },
	{ "WRITE_HIT_TO_M_OR_E_STATE_LINES", 0x05, BOTH, run_data, 2 },
	{ "MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES", 0x0b, BOTH, run_misaligned, 1 },
	{ "DATA_READ of two parts", 0x00, BOTH, run_misaligned, 2 },
	/* in one clock, as long as an instruction takes one */
	{ "clocks of DATA_READ of two parts", 0x00 | CLOCKS, BOTH, run_misaligned, 1 },
	{ "CODE_READ", 0x0c, BOTH, run_code, 1025 },
	{ "CODE_TLB_MISS", 0x0d, BOTH, NULL, CODE_PAGES },
	{ "CODE_CACHE_MISS", 0x0e, BOTH, run_code, 1025 },
	{ "ANY_SEGMENT_REGISTER_LOADED", 0x0f, BOTH, run_segments, 3 },
	{ "BRANCHES", 0x12, BOTH, run_calls, 3 },
	{ "BTB_HITS", 0x13, BOTH, run_data, 1 },
	{ "TAKEN_BRANCH_OR_BTB_HIT", 0x14, BOTH, run_calls, 3 },
	{ "PIPELINE_FLUSHES", 0x15, BOTH, run_flushes, 1 },
	{ "INSTRUCTIONS_EXECUTED", 0x16, BOTH, run_data, 5 },
	{ "clocks of INSTRUCTIONS_EXECUTED", 0x16 | CLOCKS, BOTH, run_data, 5 },
	{ "LOCKED_BUS_CYCLE", 0x1c, BOTH, run_locked, 2 },
	{ "IO_READ_OR_WRITE_CYCLE", 0x1d, BOTH, run_io, 2 },
	{ "FLOPS", 0x22, BOTH, run_flops, 3 },
	{ "DATA_READ_OR_WRITE", 0x28, BOTH, run_data, 4 },
	{ "DATA_READ_MISS_OR_WRITE_MISS", 0x29, BOTH, run_lines_written, 2 * 2048 },
	{ "no event", 0x3f, BOTH, run_data, 0 },
	{ "MEMORY_ACCESSES_IN_BOTH_PIPES", 0x09, BOTH, run_both_pipes, 2 },
	{ "BANK_CONFLICTS", 0x0a, BOTH, run_both_pipes, 1 },
	{ "INSTRUCTIONS_EXECUTED_V_PIPE", 0x17, BOTH, run_pairs, 4 },
	{ "INSTRUCTIONS_EXECUTED_V_PIPE of few", 0x17, BOTH, run_no_pairs, 3 },
	{ "INSTRUCTIONS_EXECUTED_V_PIPE of accesses", 0x17, BOTH, run_both_pipes, 4 },
	{ "INSTRUCTIONS_EXECUTED_V_PIPE with stalls", 0x17, BOTH, run_agi, 3 },
	{ "INSTRUCTIONS_EXECUTED_V_PIPE of FXCH", 0x17, BOTH, run_fxch, 2 },
	{ "INSTRUCTIONS_EXECUTED_V_PIPE over a page", 0x17, BOTH, run_crossing, 2 },
	{ "clocks of PIPELINE_AGI_STALLS", 0x1f | CLOCKS, BOTH, run_agi, 3 },
	{ "PIPELINE_AGI_STALLS", 0x1f, BOTH, run_agi, 3 },
	{ "PIPELINE_AGI_STALLS by ESP alone", 0x1f, BOTH, run_pairs, 0 },
};

/* What differs with MMX technology */
static const struct event plain_pentium_events[] = {
	{ "INSTRUCTIONS_EXECUTED_V_PIPE with prefixes", 0x17, BOTH, run_prefixes, 2 },
	{ "PIPELINE_AGI_STALLS behind a prefix", 0x1f, BOTH, run_agi_prefix, 0 },
};

static const struct event mmx_events[] = {
	{ "INSTRUCTIONS_EXECUTED_V_PIPE with prefixes", 0x17, BOTH, run_prefixes, 3 },
	{ "PIPELINE_AGI_STALLS behind a prefix", 0x1f, BOTH, run_agi_prefix, 1 },
	{ "MMX_INSTRUCTIONS_EXECUTED_U_PIPE", 0x2b, COUNTER0, run_mmx, 5 },
	{ "MMX_INSTRUCTIONS_EXECUTED_V_PIPE", 0x2b, COUNTER1, run_mmx, 1 },
	{ "MMX_INSTRUCTIONS_EXECUTED_U_PIPE of pairs", 0x2b, COUNTER0, run_mmx_pairs, 4 },
	{ "MMX_INSTRUCTIONS_EXECUTED_V_PIPE of pairs", 0x2b, COUNTER1, run_mmx_pairs, 1 },
	{ "EMMS_INSTRUCTIONS_EXECUTED", 0x2d, COUNTER0, run_mmx, 1 },
	{ "WRITES_TO_NONCACHEABLE_MEMORY", 0x2e, COUNTER1, run_io, 1 },
	{ "SATURATING_MMX_INSTRUCTIONS_EXECUTED", 0x2f, COUNTER0, run_mmx, 1 },
	{ "SATURATIONS_PERFORMED", 0x2f, COUNTER1, run_mmx, 1 },
	{ "clocks of NUMBER_OF_CYCLES_NOT_IN_HALT_STATE", 0x30 | CLOCKS, COUNTER0, run_data, 5 },
	{ "MMX_INSTRUCTION_DATA_READS", 0x31, COUNTER0, run_mmx, 1 },
	{ "TAKEN_BRANCHES", 0x32, COUNTER1, run_calls, 3 },
	{ "MMX_INSTRUCTION_DATA_WRITES", 0x34, COUNTER0, run_mmx, 1 },
	{ "PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS", 0x35, COUNTER0, run_flushes, 1 },
	{ "PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS of conditional branches", 0x35,
	  COUNTER0, run_mispredicted, 1024 },
	{ "PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS_RESOLVED_IN_WB_STAGE", 0x35,
	  COUNTER1, run_mispredicted, 512 },
	{ "clocks of MMX_MULTIPLY_UNIT_INTERLOCK", 0x38 | CLOCKS, COUNTER0, run_mmx_multiply, 2 },
	{ "MMX_MULTIPLY_UNIT_INTERLOCK", 0x38, COUNTER0, run_mmx_multiply, 1 },
	{ "clocks of MOVD_MOVQ_STORE_STALL_DUE_TO_PREVIOUS_MMX_OPERATION", 0x38 | CLOCKS,
	  COUNTER1, run_mmx, 1 },
	{ "MISALIGNED_DATA_MEMORY_REFERENCE_ON_MMX_INSTRUCTIONS", 0x36, COUNTER0,
	  run_mmx_misaligned, 1 },
	{ "PREDICTED_RETURNS", 0x37, COUNTER1, run_calls, 1 },
	{ "RETURNS", 0x39, COUNTER0, run_calls, 1 },
};

/* A jump from each page to the next and from the last to the first, ECX times */
static void *pages_of_code(void)
{
	static const unsigned char end[] = {
		0x49,			/* dec %ecx */
		0x74, 0x05,		/* jz behind the jump */
		0xe9, 0, 0, 0, 0,	/* jmp to the first page */
		0xc3,			/* ret */
	};
	int32_t forward = 4096 - 5, back = -(CODE_PAGES - 1) * 4096 - 8;
	unsigned char *code = mmap(NULL, CODE_PAGES * 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	if (code == MAP_FAILED)
		return NULL;
	for (i = 0; i < CODE_PAGES - 1; i++) {
		code[i * 4096] = 0xe9;
		memcpy(&code[i * 4096 + 1], &forward, sizeof(forward));
	}
	memcpy(&code[i * 4096], end, sizeof(end));
	memcpy(&code[i * 4096 + 4], &back, sizeof(back));
	return code;
}

FIXTURE_SETUP(events)
{
	NEED_COUNTERS(&self->query);
	if (self->query.family != PMC_FAMILY_P5)
		SKIP(return, "no Pentium");
	EVENTS_SETUP();
	self->code = pages_of_code();
	ASSERT_NE(NULL, self->code);
}

FIXTURE_TEARDOWN_CLOSE(events)

TEST_F(events, pentium_and_mmx_events)
{
	try_all(_metadata, self, events, ARRAY_SIZE(events));
	if (self->query.cpu_model < 4)
		try_all(_metadata, self, plain_pentium_events, ARRAY_SIZE(plain_pentium_events));
}

TEST_F(events, mmx_only_events)
{
	if (self->query.cpu_model < 4)
		SKIP(return, "no MMX");
	try_all(_metadata, self, mmx_events, ARRAY_SIZE(mmx_events));
}

/* The whole region: 3 instructions before the rounds, and RET, 3 and INT after them */
TEST_F(events, events_outside_the_rounds)
{
	struct setup setup;

	setup_thread_one(&setup, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &setup));
	EXPECT_EQ(5 * FEW + 8, count(_metadata, self, run_data, FEW));
}

/*
 * Bit 9 of CESR, the signal on a pin, is part of the counter: as in its event select while it
 * counts, 0 while it is stopped. Bits 10 to 15 and the other counter's half are kept.
 */
TEST_F(events, pin_control)
{
	const uint64_t found = 0xfe00fe16, others = 0xfe00fc00;
	uint64_t before, value;
	struct setup setup;

	if (msr_read(0, MSR_CESR, &before))
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");
	ASSERT_EQ(0, msr_write(0, MSR_CESR, found));
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(0), 0x16 | PIN_CONTROL, PMC_COUNT_USER);
	CONFIGURE_AND_START(self->fd, &setup);
	EXPECT_EQ(0, msr_read(0, MSR_CESR, &value));
	EXPECT_EQ(others | 0x16 | PIN_CONTROL | CESR_USER, value);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	EXPECT_EQ(0, msr_read(0, MSR_CESR, &value));
	EXPECT_EQ(others, value);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(0, msr_read(0, MSR_CESR, &value));
	EXPECT_EQ(found, value);
	ASSERT_EQ(0, msr_write(0, MSR_CESR, before));
}

TEST_HARNESS_MAIN
