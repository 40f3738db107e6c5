// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests samples in virtual-8086 mode: it is user mode, whatever its code segment looks like, it
 * has no frame pointers, and a gate that leaves it saves more
 */
#include <asm/vm86.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "samples.h"

#define SEGMENT		0x1000
#define IN_VM86(sample)	((sample)->rflags & 1U << 17)

/* MOV ECX, 50000; DEC ECX; JNZ to it; INT3 */
static const unsigned char loop[] = {
	0x66, 0xb9, 0x50, 0xc3, 0x00, 0x00, 0x66, 0x49, 0x75, 0xfc, 0xcc,
};
#define LOOP_BEGIN	6
#define LOOP_END	10
#define LOOP_ROUNDS	50000

/* Three NOPs, INT3 */
static const unsigned char few[] = { 0x90, 0x90, 0x90, 0xcc };

FIXTURE(vm86) {
	BASE_FIXTURE;
	struct ring ring;
};

/* Execute the code in the segment up to its INT3. Returns what vm86(2) does. */
static long execute(void)
{
	struct vm86plus_struct v86 = {
		.cpu_type = CPU_586,
		.regs = {
			.cs = SEGMENT, .ss = SEGMENT, .ds = SEGMENT, .esp = 0xffe,
			/* no address of a possible frame */
			.ebp = SEGMENT * 16, .eflags = 0x200,
		},
	};

	return syscall(SYS_vm86, VM86_ENTER, &v86);
}

#define DONE	(VM86_TRAP | 3 << 8)

FIXTURE_SETUP(vm86)
{
	NEED_SAMPLING_AND_ROOT(&self->query);
	if (mmap((void *)(SEGMENT * 16), 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		SKIP(return, "the first megabyte cannot be used");
	if (syscall(SYS_vm86, VM86_ENTER, NULL) != -1 || errno != EFAULT)
		SKIP(return, "this kernel has no virtual-8086 mode (CONFIG_X86_LEGACY_VM86)");
	ASSERT_EQ(0, pin(0, 0));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(vm86)

static void begin(struct __test_metadata *_metadata, struct _test_data_vm86 *self,
		  unsigned int modes, unsigned int period, unsigned int flags)
{
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, modes);
	setup_period(&self->setup, 0, period);
	self->setup.config.sample_flags = flags;
	self->setup.config.ring_size = 1 << 20;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, ring_map(&self->ring, self->fd, &self->setup, 0));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
}

static void end(struct __test_metadata *_metadata, struct _test_data_vm86 *self)
{
	ring_unmap(&self->ring);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
}

/* The next record, which is a sample; NULL: there is none. */
static const struct pmc_sample *next(struct __test_metadata *_metadata,
				     struct _test_data_vm86 *self,
				     const struct pmc_sample *last)
{
	const struct pmc_record *record;

	if (last)
		ring_done(&self->ring, &last->record);
	record = ring_next(&self->ring);
	EXPECT_EQ(PMC_RECORD_SAMPLE, record ? record->type : PMC_RECORD_SAMPLE);
	return (const void *)record;
}

static void expect_user(struct __test_metadata *_metadata, const struct pmc_sample *sample)
{
	EXPECT_EQ(SEGMENT, sample->cs);
	EXPECT_EQ(3, sample->privilege);
	EXPECT_EQ(0, sample->nr_kernel_frames);
	ASSERT_EQ(1, sample->nr_user_frames);
	EXPECT_EQ(sample->ip, sample->data[sample->nr_counters]);
}

/* A loop with a length that is a multiple of the period */
TEST_F(vm86, loop)
{
	enum { PERIOD = 5000 };
	const struct pmc_sample *sample = NULL;
	unsigned int n = 0;

	memcpy((void *)(SEGMENT * 16), loop, sizeof(loop));
	begin(_metadata, self, PMC_COUNT_USER, PERIOD,
	      PMC_SAMPLE_USER_CALLCHAIN | PMC_SAMPLE_KERNEL_CALLCHAIN);
	ASSERT_EQ(DONE, execute());
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	while ((sample = next(_metadata, self, sample))) {
		if (!IN_VM86(sample) || sample->ip < LOOP_BEGIN || sample->ip >= LOOP_END)
			continue;
		expect_user(_metadata, sample);
		EXPECT_EQ(0, sample->flags);
		n++;
	}
	EXPECT_SAMPLES(2 * LOOP_ROUNDS / PERIOD, PERIOD, n);
	end(_metadata, self);
}

/* The kernel is counted too: its call chain is not that of user mode. */
TEST_F(vm86, both_modes)
{
	const struct pmc_sample *sample = NULL;
	unsigned int n = 0;

	memcpy((void *)(SEGMENT * 16), loop, sizeof(loop));
	begin(_metadata, self, PMC_COUNT_USER | PMC_COUNT_KERNEL, 5003,
	      PMC_SAMPLE_USER_CALLCHAIN | PMC_SAMPLE_KERNEL_CALLCHAIN);
	ASSERT_EQ(DONE, execute());
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	while ((sample = next(_metadata, self, sample))) {
		if (IN_VM86(sample)) {
			expect_user(_metadata, sample);
			n++;
		} else {
			EXPECT_EQ(sample->privilege, sample->cs & 3);
			EXPECT_EQ(sample->privilege, sample->nr_kernel_frames ? 0 : 3);
		}
	}
	/* the loop has its whole share of the samples */
	EXPECT_LE(2 * LOOP_ROUNDS / 5003, n);
	end(_metadata, self);
}

/*
 * Every instruction of a round once, because the period has no common divisor with the round's
 * length. This includes INT3, which enters the kernel by a gate and uses the gate's stack.
 */
TEST_F(vm86, gate)
{
	enum { PERIOD = 1009 };
	const struct pmc_sample *sample = NULL;
	unsigned int at[sizeof(few) + 1] = { 0 }, i, n = 0;
	long result = DONE;

	memcpy((void *)(SEGMENT * 16), few, sizeof(few));
	begin(_metadata, self, PMC_COUNT_USER, PERIOD, PMC_SAMPLE_USER_CALLCHAIN);
	for (i = 0; i < PERIOD; i++)
		result = execute() == DONE ? result : -1;
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	EXPECT_EQ(DONE, result);
	while ((sample = next(_metadata, self, sample))) {
		n++;
		if (!IN_VM86(sample))
			continue;
		expect_user(_metadata, sample);
		ASSERT_GE(sizeof(few), sample->ip);
		at[sample->ip]++;
		EXPECT_EQ(sample->ip == sizeof(few) ? PMC_SAMPLE_SKID : 0, sample->flags);
	}
	for (i = 1; i <= sizeof(few); i++) {
		EXPECT_EQ(1, at[i]) {
			TH_LOG("at %u, of %u samples", i, n);
		}
	}
	end(_metadata, self);
}

TEST_HARNESS_MAIN
