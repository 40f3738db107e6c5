// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the RDPMC instruction as Intel documents it (SDM Volume 2B, RDPMC), and AMD (Programmer's
 * Manual Volume 3, RDPMC): the permission, the valid values of ECX, and the value in EDX:EAX, in
 * 64-bit, 32-bit and 16-bit code and in virtual-8086 mode
 *
 * Intel's documents differ about 16-bit code and virtual-8086 mode: "the full EAX and EDX
 * registers" (SDM), "a 32-bit result" (an older description of the P6). The emulator follows the
 * SDM; docs/processors.md lists all such differences. Real-address mode is in
 * tests/machine/pmu/cases.
 *
 * RDPMC is not a serialising instruction, but no emulator reorders instructions.
 * libpmcdrv-read.h has reads with CPUID or LFENCE before RDPMC; a test checks by their
 * instruction counts that these are executed.
 */
/* AMD's registers are above 2^31, and pread() takes their addresses. */
#define _FILE_OFFSET_BITS 64

#include <cpuid.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "rdpmc_faults.h"

#ifdef WITH_LIBRARY
#include "libpmcdrv-read.h"
#endif

#ifndef __x86_64__
#include <asm/ldt.h>
#include <asm/vm86.h>
#endif

#define FAST		(1U << 31)

FIXTURE(rdpmc) {
	RDPMC_FIXTURE;
};

FIXTURE_SETUP(rdpmc)
{
	RDPMC_SETUP();
}

FIXTURE_TEARDOWN_CLOSE(rdpmc)

#define NEED_MSRS()	do {							\
	NEED_ROOT();								\
	if (access("/dev/cpu/0/msr", W_OK))					\
		SKIP(return, "no /dev/cpu/0/msr (modprobe msr)");		\
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
	uint32_t i;

	NEED_RDPMC();
	for (i = 0; i < 64; i++) {
		EXPECT_EQ(X86_GP, read_here(i, &value));
		EXPECT_EQ(X86_GP, read_here(i | FAST, &value));
		EXPECT_EQ(X86_GP, read_here(PMC_COUNTER_FIXED(i), &value));
	}
	EXPECT_EQ(X86_GP, read_here(PMC_COUNTER_METRICS, &value));
	EXPECT_EQ(X86_GP, read_here(0x12345678, &value));
	begin(_metadata, self);
	EXPECT_EQ(NONE, read_here(self->first, &value));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	EXPECT_EQ(X86_GP, read_here(self->first, &value));
}

/*
 * NetBurst, Volume 2B, "Valid Performance Counter Index Range": 0 to 17, with L3 0 to 25; all of
 * them on either logical processor. 24 is the register that controls counter 25 (Volume 3B).
 */
static bool netburst_index_exists(const struct pmc_query *query, uint32_t index)
{
	return (index & ~FAST) < (query->general_counters >> 18 ? 26 : 18);
}

/* AMD: counters of the core, of the north bridge, of L3 */
static bool amd_index_exists(uint32_t index)
{
	unsigned int a, b, c, d;

	__cpuid(0x80000001, a, b, c, d);
	if (index < 6)
		return index < 4 || amd_has_extension();
	if (index < 10)
		return c & 1U << 24;
	return index < 16 && c & 1U << 28;
}

/* Is there a counter with this index? Counter 3, which TSX_FORCE_ABORT hides, can be read. */
static bool index_exists(const struct pmc_query *query, uint32_t index)
{
	if (is_netburst())
		return netburst_index_exists(query, index);
	if (is_amd())
		return amd_index_exists(index);
	if (index == PMC_COUNTER_METRICS)
		return query->features & PMC_FEATURE(METRICS);
	if (query->features & PMC_FEATURE(RDPMC_FAST) && index >> 31)
		index &= 0x7fffffff;
	else if (index & PMC_COUNTER_FIXED_FLAG && !(index >> 31))
		return (index ^ PMC_COUNTER_FIXED_FLAG) < 64 &&
		       query->fixed_counters & 1ULL << (index ^ PMC_COUNTER_FIXED_FLAG);
	if (query->quirks & PMC_QUIRK(TSX_FORCE_ABORT) && index == 3)
		return true;
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
	struct pmc_counter counter;
	struct value value;
	unsigned int i;

	NEED_RDPMC();
	begin(_metadata, self);
	for (i = 0; i < 64; i++) {
		if (!(self->query.general_counters & 1ULL << i))
			continue;
		ASSERT_EQ(0, pmc_describe(0, PMC_COUNTER_GENERAL(i), &counter));
		ASSERT_EQ(NONE, read_here(i, &value));
		EXPECT_EQ((uint32_t)value.low, value.low);
		EXPECT_EQ(0, value.high >> (counter.width - 32));
	}
}

/* Values for registers of 40 and of 48 bits: EDX and EAX differ, and EAX has either sign. */
static const uint64_t known[] = {
	0, UINT64_MAX, 0x003c5aa592345678, 0xffc3a55a6dcba987,
};

static uint64_t bits(unsigned int width)
{
	return UINT64_MAX >> (64 - width);
}

/*
 * Write the register of a stopped counter. Returns the value that the counter keeps: @value in
 * all of the counter's bits, or its lower 32 bits, sign-extended.
 */
static uint64_t load(struct __test_metadata *_metadata, const struct pmc_query *query,
		     uint32_t index, uint64_t value)
{
	static struct registers written;

	written.nr = 0;
	if (index & PMC_COUNTER_FIXED_FLAG) {
		registers_add(&written, msr_fixed(query, index ^ PMC_COUNTER_FIXED_FLAG),
			      bits(query->fixed_width));
		value &= bits(query->fixed_width);
	} else {
		registers_add_counter(&written, query, index);
		if (!(query->features & PMC_FEATURE(FULL_WIDTH)))
			value = (int32_t)value;
		value &= bits(query->general_width);
	}
	ASSERT_EQ(0, msr_write(0, written.written[0], value & written.mask[0]));
	return value;
}

typedef int (*reader)(uint32_t index, struct value *value);

static void expect_value(struct __test_metadata *_metadata, uint64_t expected, uint32_t index,
			 reader read)
{
	struct value value;

	EXPECT_EQ(NONE, read(index, &value)) {
		TH_LOG("ECX %#x", index);
	}
	EXPECT_EQ((uint32_t)expected, value.low) {
		TH_LOG("EAX with ECX %#x", index);
	}
	EXPECT_EQ(expected >> 32, value.high) {
		TH_LOG("EDX with ECX %#x", index);
	}
}

/* Load each known value and read it. */
static void expect_known(struct __test_metadata *_metadata, const struct pmc_query *query,
			 uint32_t index, reader read)
{
	bool fast = query->features & PMC_FEATURE(RDPMC_FAST) &&
		    !(index & PMC_COUNTER_FIXED_FLAG);
	unsigned int i;
	uint64_t is;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		is = load(_metadata, query, index, known[i]);
		expect_value(_metadata, is, index, read);
		if (fast)
			expect_value(_metadata, (uint32_t)is, index | FAST, read);
	}
}

/* RDPMC's numbers of the counters of the core; those of L3 are in netburst_l3. */
static unsigned int list_counters(const struct pmc_query *query, uint32_t *index)
{
	unsigned int n = 0, i;

	for (i = 0; i < 64; i++) {
		if (query->general_counters & 1ULL << i && !(is_netburst() && i >= 18))
			index[n++] = i;
		if (query->fixed_counters & 1ULL << i)
			index[n++] = PMC_COUNTER_FIXED(i);
	}
	return n;
}

/*
 * The value that was written to the register, with all of its bits in EDX:EAX. With ECX bit 31,
 * where it has a meaning, only bits 31:0; EDX is 0.
 */
TEST_F(rdpmc, value_of_register)
{
	uint32_t index[128];
	struct value before;
	unsigned int i, n;

	NEED_RDPMC();
	NEED_MSRS();
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	n = list_counters(&self->query, index);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(NONE, read_here(index[i], &before));
		expect_known(_metadata, &self->query, index[i], read_here);
		load(_metadata, &self->query, index[i], whole(&before));
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
	ASSERT_EQ(NONE, read_here(self->first, &before));
	ASSERT_EQ(NONE, read_here(self->first | FAST, &fast));
	ASSERT_EQ(NONE, read_here(self->first, &after));
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
	asm volatile("rdpmc\n\t"
		     "mov	%%eax, %[stored_low]\n\t"
		     "mov	%%edx, %[stored_high]\n\t"
		     "add	%%eax, %%edx\n\t"
		     "rdpmc"
		     : [stored_low] "=m" (stored_low), [stored_high] "=m" (stored_high),
		       "=a" (low), "=d" (high)
		     : "c" (self->first));
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

#define NEED_16_BIT_CODE() do {							\
	void *page = page_for(code16, sizeof(code16), 0);			\
										\
	ASSERT_NE(NULL, page);							\
	if (segment_16(page))							\
		SKIP(return, "this kernel has no 16-bit segments (CONFIG_X86_16BIT)"); \
} while (0)

/* In 16-bit code without an operand-size prefix, RDPMC uses all of ECX. */
TEST_F(rdpmc, in_16_bit_code)
{
	struct value before, value, after;

	NEED_RDPMC();
	NEED_16_BIT_CODE();
	EXPECT_EQ(X86_GP, read_16(self->first, &value));
	begin(_metadata, self);
	ASSERT_EQ(NONE, read_here(self->second, &before));
	ASSERT_EQ(NONE, read_16(self->second, &value));
	ASSERT_EQ(NONE, read_here(self->second, &after));
	EXPECT_LT(whole(&before), whole(&value));
	EXPECT_LT(whole(&value), whole(&after));
	/* bits 15:0 alone would be the number of a counter */
	EXPECT_EQ(X86_GP, read_16(self->second | 0x10000, &value));
	EXPECT_EQ(X86_GP, read_16(self->second | 0x70000, &value));
}

/* RDPMC writes all of EDX and EAX there: not 32 bits, and not DX and AX. */
TEST_F(rdpmc, value_in_16_bit_code)
{
	NEED_RDPMC();
	NEED_MSRS();
	NEED_16_BIT_CODE();
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_known(_metadata, &self->query, self->second, read_16);
}

/*
 * Execute RDPMC in virtual-8086 mode with vm86old(2), which returns at the INT 21H after RDPMC,
 * or at an instruction that raises #GP and that the kernel does not emulate. Returns NONE,
 * X86_GP or -1.
 */
static int read_v86(uint32_t index, struct value *value)
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
	if (VM86_TYPE(result) != VM86_UNKNOWN || v86.regs.eip || value->low != GARBAGE ||
	    value->high != GARBAGE)
		return -1;
	return X86_GP;
}

#define NEED_V86() do {								\
	NEED_ROOT();								\
	if (!page_for(code_v86, sizeof(code_v86), V86_SEGMENT * 16))		\
		SKIP(return, "the first megabyte cannot be used");		\
	if (syscall(SYS_vm86old, NULL) != -1 || errno != EFAULT)		\
		SKIP(return, "this kernel has no virtual-8086 mode (CONFIG_X86_LEGACY_VM86)"); \
} while (0)

/* The same in virtual-8086 mode */
TEST_F(rdpmc, in_virtual_8086_mode)
{
	struct value before, value, after;

	NEED_RDPMC();
	NEED_V86();
	EXPECT_EQ(X86_GP, read_v86(self->first, &value));
	begin(_metadata, self);
	ASSERT_EQ(NONE, read_here(self->second, &before));
	ASSERT_EQ(NONE, read_v86(self->second, &value));
	ASSERT_EQ(NONE, read_here(self->second, &after));
	EXPECT_LT(whole(&before), whole(&value));
	EXPECT_LT(whole(&value), whole(&after));
	EXPECT_EQ(X86_GP, read_v86(self->second | 0x10000, &value));
	EXPECT_EQ(X86_GP, read_v86(self->second | 0x70000, &value));
}

TEST_F(rdpmc, value_in_virtual_8086_mode)
{
	NEED_RDPMC();
	NEED_MSRS();
	NEED_V86();
	begin(_metadata, self);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	expect_known(_metadata, &self->query, self->second, read_v86);
}

#endif /* !__x86_64__ */

TEST_HARNESS_MAIN
