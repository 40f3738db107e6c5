// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the RDPMC instruction as Intel documents it (SDM Volume 2B, RDPMC): the permission, the
 * valid values of ECX, and the value in EDX:EAX, in 64-bit, 32-bit and 16-bit code and in
 * virtual-8086 mode
 *
 * RDPMC does not serialise, which no emulator shows. libpmcdrv-read.h has reads with CPUID or
 * LFENCE before it; this test counts that they are executed.
 */
#include <cpuid.h>
#include <setjmp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "kselftest_harness.h"
#include "fixture.h"

#ifdef WITH_LIBRARY
#include "libpmcdrv-read.h"
#endif

#ifndef __x86_64__
#include <asm/ldt.h>
#include <asm/vm86.h>
#endif

/* detects what RDPMC does not overwrite */
#define GARBAGE		(~0UL)

/* exceptions */
#define NONE		0
#define X86_UD		6
#define X86_GP		13

static sigjmp_buf escape;
static volatile sig_atomic_t trap;

/* The exception and its error code, from the signal frame */
static void faulted(int signal, siginfo_t *info, void *data)
{
	const ucontext_t *context = data;

	trap = context->uc_mcontext.gregs[REG_TRAPNO];
	if (context->uc_mcontext.gregs[REG_ERR])
		trap = -trap;
	siglongjmp(escape, 1);
}

static void catch_faults(void)
{
	struct sigaction action = {
		.sa_sigaction = faulted,
		.sa_flags = SA_NODEFER | SA_SIGINFO,
	};

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGILL, &action, NULL);
}

/** struct value - EDX and EAX as RDPMC left them, with all their bits */
struct value {
	unsigned long low;
	unsigned long high;
};

/* In this program's own mode. Returns the exception, with error code 0, or NONE. */
static int read_here(uint32_t index, struct value *value)
{
	value->low = GARBAGE;
	value->high = GARBAGE;
	if (sigsetjmp(escape, 0))
		return trap;
	asm volatile("rdpmc" : "+a" (value->low), "+d" (value->high) : "c" (index) : "memory");
	return NONE;
}

FIXTURE(rdpmc) {
	BASE_FIXTURE;
};

FIXTURE_SETUP(rdpmc)
{
	BASE_SETUP();
	catch_faults();
}

FIXTURE_TEARDOWN_CLOSE(rdpmc)

#define NEED_RDPMC()	do {							\
	if (!(self->query.features & PMC_FEATURE(RDPMC)))			\
		SKIP(return, "this CPU has no RDPMC");				\
} while (0)

/* Count user-mode instructions on every counter that can, with RDPMC allowed. */
static void begin(struct __test_metadata *_metadata, struct _test_data_rdpmc *self)
{
	setup_thread_all(&self->setup, &self->query, 0, PMC_CONFIG_USER_READ);
	CONFIGURE_AND_START(self->fd, &self->setup);
}

/* The plain Pentium has no RDPMC and no CR4.PCE: #UD. */
TEST_F(rdpmc, undefined_opcode_without_rdpmc)
{
	struct value value;

	if (self->query.features & PMC_FEATURE(RDPMC))
		SKIP(return, "this CPU has RDPMC");
	EXPECT_EQ(X86_UD, read_here(0, &value));
	begin(_metadata, self);
	EXPECT_EQ(X86_UD, read_here(0, &value));
}

/* CR4.PCE clear: #GP(0) in ring 3, for any ECX. */
TEST_F(rdpmc, refused_while_pce_is_clear)
{
	struct value value;

	NEED_RDPMC();
	EXPECT_EQ(X86_GP, read_here(0, &value));
	EXPECT_EQ(X86_GP, read_here(1, &value));
	EXPECT_EQ(X86_GP, read_here(0x12345678, &value));
	begin(_metadata, self);
	EXPECT_EQ(NONE, read_here(0, &value));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(X86_GP, read_here(0, &value));
}

/* Is there a counter with this index, by the driver's descriptions? */
static bool index_exists(const struct pmc_query *query, uint32_t index)
{
	if (index == PMC_COUNTER_METRICS)
		return query->features & PMC_FEATURE(METRICS);
	if (query->features & PMC_FEATURE(RDPMC_FAST) && index >> 31)
		index &= 0x7fffffff;
	else if (index & PMC_COUNTER_FIXED_FLAG && !(index >> 31))
		return (index ^ PMC_COUNTER_FIXED_FLAG) < 64 &&
		       query->fixed_counters & 1ULL << (index ^ PMC_COUNTER_FIXED_FLAG);
	return index < 64 && query->general_counters & 1ULL << index;
}

/*
 * Versions 2 to 4 may have three fixed counters and describe fewer (Linux assumes three, as
 * Atom N270 has). The result of RDPMC for the others is undocumented.
 */
static bool index_is_documented(const struct pmc_query *query, uint32_t index)
{
	return query->perfmon_version < 2 || query->perfmon_version > 4 ||
	       index < PMC_COUNTER_FIXED(0) || index > PMC_COUNTER_FIXED(2) ||
	       index_exists(query, index);
}

/*
 * #GP(0) for every ECX that is no counter, also if only its upper bits are wrong. 20000000H is
 * PERF_METRICS, where the processor has it.
 */
TEST_F(rdpmc, bad_ecx)
{
	static const uint32_t bases[] = {
		0, 0x100, 0x10000, 0x1000000, 0x20000001, 0x40000000, 0x40010000, 0x60000000,
		0x80000000, 0x80010000, 0xa0000000, 0xc0000000, 0xffffffc0,
	};
	struct value value;
	unsigned int i, j;

	NEED_RDPMC();
	begin(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		for (j = 0; j < 64; j++) {
			uint32_t index = bases[i] + j;

			if (!index_is_documented(&self->query, index))
				continue;
			EXPECT_EQ(index_exists(&self->query, index) ? NONE : X86_GP,
				  read_here(index, &value)) {
				TH_LOG("ECX %#x", index);
			}
		}
	}
}

/* EDX:EAX has only the counter's bits; the upper halves of RDX and RAX are 0. */
TEST_F(rdpmc, upper_halves)
{
	struct value value;
	unsigned int i;

	NEED_RDPMC();
	begin(_metadata, self);
	for (i = 0; i < 64; i++) {
		if (!(self->query.general_counters & 1ULL << i))
			continue;
		ASSERT_EQ(NONE, read_here(i, &value));
		EXPECT_EQ((uint32_t)value.low, value.low);
		EXPECT_EQ(0, value.high >> (self->query.general_width - 32));
	}
}

/* ECX bit 31: only the lower 32 bits; EDX is 0. */
TEST_F(rdpmc, fast_read)
{
	struct value before, fast, after;

	NEED_RDPMC();
	if (!(self->query.features & PMC_FEATURE(RDPMC_FAST)))
		SKIP(return, "this CPU has no fast read");
	begin(_metadata, self);
	ASSERT_EQ(NONE, read_here(0, &before));
	ASSERT_EQ(NONE, read_here(0x80000000, &fast));
	ASSERT_EQ(NONE, read_here(0, &after));
	EXPECT_EQ(0, fast.high);
	EXPECT_LT(before.low, fast.low);
	EXPECT_LT(fast.low, after.low);
}

/*
 * Intel's example for the P6: RDPMC, MOV, MOV, ADD, RDPMC. RDPMC reads what retired before it,
 * without itself, so the difference is 4: the first RDPMC and the three others. (Intel's text
 * states 5.) An out-of-order processor may differ; the emulator does not.
 */
TEST_F(rdpmc, four_counters_between_two_reads)
{
	uint32_t stored_low, stored_high, low, high;

	NEED_RDPMC();
	begin(_metadata, self);
	asm volatile("xor	%%ecx, %%ecx\n\t"
		     "rdpmc\n\t"
		     "mov	%%eax, %[stored_low]\n\t"
		     "mov	%%edx, %[stored_high]\n\t"
		     "add	%%eax, %%edx\n\t"
		     "rdpmc"
		     : [stored_low] "=m" (stored_low), [stored_high] "=m" (stored_high),
		       "=a" (low), "=d" (high)
		     : : "ecx");
	EXPECT_EQ(4, ((uint64_t)high << 32 | low) - ((uint64_t)stored_high << 32 | stored_low));
}

#ifdef WITH_LIBRARY

/*
 * The library's reads, each twice: the difference is constant except for the serialising
 * instructions.
 */
#define BETWEEN(read) ({							\
	uint64_t first = read(page, 0);						\
										\
	read(page, 0) - first;							\
})

TEST_F(rdpmc, serialised_variants)
{
	const struct pmc_page *page;
	uint64_t plain, cpuid, lfence;
	unsigned int a, b, c, d;

	NEED_RDPMC();
	begin(_metadata, self);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	plain = BETWEEN(pmc_read_counter);
	cpuid = BETWEEN(pmc_read_counter_cpuid);
	EXPECT_LT(plain, cpuid);
	__cpuid(1, a, b, c, d);
	/* SSE2 */
	if (!(d & 1U << 26))
		return;
	lfence = BETWEEN(pmc_read_counter_lfence);
	EXPECT_LT(plain, lfence);
}

#endif /* WITH_LIBRARY */

#ifndef __x86_64__

/* RDPMC, then return to 32-bit code */
static const unsigned char code16[] = { 0x0f, 0x33, 0x66, 0xcb };
/* RDPMC, INT 21H */
static const unsigned char code_v86[] = { 0x0f, 0x33, 0xcd, 0x21 };

static uint64_t whole(const struct value *value)
{
	return (uint64_t)(uint32_t)value->high << 32 | (uint32_t)value->low;
}

#define LDT_SELECTOR	7		/* entry 0, ring 3 */
#define V86_SEGMENT	0x1000

static void *page_for(const unsigned char *code, size_t size, uintptr_t where)
{
	void *page = mmap((void *)where, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0), -1, 0);

	return page == MAP_FAILED ? NULL : memcpy(page, code, size);
}

/* Create a segment of 16-bit code. */
static int segment_16(void *base)
{
	struct user_desc segment = {
		.base_addr = (uintptr_t)base,
		.limit = 4095,
		.contents = MODIFY_LDT_CONTENTS_CODE,
	};

	return syscall(SYS_modify_ldt, 1, &segment, sizeof(segment)) ? -errno : 0;
}

static int read_16(uint32_t index, struct value *value)
{
	struct {
		uint32_t offset;
		uint16_t selector;
	} __attribute__((packed)) entry = { 0, LDT_SELECTOR };

	value->low = GARBAGE;
	value->high = GARBAGE;
	if (sigsetjmp(escape, 0))
		return trap;
	asm volatile("lcall	*%[entry]"
		     : "+a" (value->low), "+d" (value->high)
		     : "c" (index), [entry] "m" (entry) : "memory");
	return NONE;
}

/*
 * In 16-bit code without an operand-size prefix, RDPMC uses all of ECX and writes all of EDX
 * and EAX.
 */
TEST_F(rdpmc, in_16_bit_code)
{
	struct value before, value, after;
	void *page;

	NEED_RDPMC();
	page = page_for(code16, sizeof(code16), 0);
	ASSERT_NE(NULL, page);
	if (segment_16(page))
		SKIP(return, "this kernel has no 16-bit segments (CONFIG_X86_16BIT)");
	EXPECT_EQ(X86_GP, read_16(0, &value));
	begin(_metadata, self);
	ASSERT_EQ(NONE, read_here(1, &before));
	ASSERT_EQ(NONE, read_16(1, &value));
	ASSERT_EQ(NONE, read_here(1, &after));
	EXPECT_LT(whole(&before), whole(&value));
	EXPECT_LT(whole(&value), whole(&after));
	/* the lower half alone would be a counter */
	EXPECT_EQ(X86_GP, read_16(0x10001, &value));
	EXPECT_EQ(X86_GP, read_16(0x70000, &value));
}

/*
 * As vm86old(2) documents: INT 21H on success; else NONE or the exception. The kernel returns
 * with the address of what it does not emulate.
 */
static int read_v86(struct __test_metadata *_metadata, uint32_t index, struct value *value)
{
	struct vm86_struct v86 = {
		.cpu_type = CPU_586,
		.regs = {
			.eax = -1, .edx = -1, .ecx = index,
			.cs = V86_SEGMENT, .ss = V86_SEGMENT, .ds = V86_SEGMENT,
			.esp = 0xffe, .eflags = 0x200,
		},
	};
	int result;

	memset(&v86.int_revectored, 0xff, sizeof(v86.int_revectored));
	result = syscall(SYS_vm86old, &v86);
	value->low = v86.regs.eax;
	value->high = v86.regs.edx;
	if (result == (VM86_INTx | 0x21 << 8))
		return NONE;
	/* an instruction that raises #GP has no effect */
	EXPECT_EQ(VM86_UNKNOWN, VM86_TYPE(result));
	EXPECT_EQ(0, v86.regs.eip);
	EXPECT_EQ(0xffffffff, (uint32_t)v86.regs.eax);
	return X86_GP;
}

/* The same in virtual-8086 mode */
TEST_F(rdpmc, in_virtual_8086_mode)
{
	struct value before, value, after;

	NEED_RDPMC();
	NEED_ROOT();
	if (!page_for(code_v86, sizeof(code_v86), V86_SEGMENT * 16))
		SKIP(return, "the first megabyte cannot be used");
	if (syscall(SYS_vm86old, NULL) != -1 || errno != EFAULT)
		SKIP(return, "this kernel has no virtual-8086 mode (CONFIG_X86_LEGACY_VM86)");
	EXPECT_EQ(X86_GP, read_v86(_metadata, 0, &value));
	begin(_metadata, self);
	ASSERT_EQ(NONE, read_here(1, &before));
	ASSERT_EQ(NONE, read_v86(_metadata, 1, &value));
	ASSERT_EQ(NONE, read_here(1, &after));
	EXPECT_LT(whole(&before), whole(&value));
	EXPECT_LT(whole(&value), whole(&after));
	EXPECT_EQ(X86_GP, read_v86(_metadata, 0x10001, &value));
	EXPECT_EQ(X86_GP, read_v86(_metadata, 0x70000, &value));
}

#endif /* !__x86_64__ */

TEST_HARNESS_MAIN
