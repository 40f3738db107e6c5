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
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "kselftest_harness.h"
#include "credentials.h"
#include "fixture.h"
#include "registers.h"

#ifdef WITH_LIBRARY
#include "libpmcdrv-read.h"
#endif

#ifndef __x86_64__
#include <asm/ldt.h>
#include <asm/vm86.h>
#endif

/* detects what RDPMC does not overwrite */
#define GARBAGE		(~0UL)

#define FAST		(1U << 31)

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

static uint64_t whole(const struct value *value)
{
	return (uint64_t)(uint32_t)value->high << 32 | (uint32_t)value->low;
}

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

/* @first, @second: RDPMC's numbers of two counters that begin() starts */
FIXTURE(rdpmc) {
	BASE_FIXTURE;
	uint32_t first;
	uint32_t second;
};

/* On 5.10 perf leaves its own counts in the counters, where RDPMC reads them. */
static int clear_what_perf_left(const struct pmc_query *query)
{
	struct registers registers = { 0 };

	if (linux_is_from(5, 11) || geteuid() || access("/dev/cpu/0/msr", W_OK))
		return 0;
	registers_add_counters(&registers, query);
	return registers_put(&registers);
}

/* The tests write MSRs of CPU 0, so they run on CPU 0. */
FIXTURE_SETUP(rdpmc)
{
	BASE_SETUP();
	ASSERT_EQ(0, clear_what_perf_left(&self->query));
	ASSERT_EQ(0, pin(0, 0));
	self->first = counter_placed(0);
	self->second = counter_placed(1);
	catch_faults();
}

FIXTURE_TEARDOWN_CLOSE(rdpmc)

#define NEED_RDPMC()	do {							\
	if (!(self->query.features & PMC_FEATURE(RDPMC)))			\
		SKIP(return, "this CPU has no RDPMC");				\
} while (0)

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

/* ---- Counts of others ---- */

#define PCE		"/sys/class/misc/pmc/pce"
#define USER		61234

/*
 * Kernel and user mode on all counters but the first, which self->fd does not claim. On NetBurst
 * branches have other ESCRs than the instructions of the first.
 */
static void setup_rest(struct setup *setup, const struct pmc_query *query)
{
	const uint32_t flags = PMC_COUNT_USER | PMC_COUNT_KERNEL;
	unsigned int i = 0;

	setup_add_all(setup, query, EVENT_BRANCHES, flags);
	if (query->fixed_counters & 1)
		setup_add(setup, FIXED_INSTRUCTIONS, 0, flags);
	while (setup->counter[i].counter)
		i++;
	setup->counter[i] = setup->counter[--setup->config.nr_counters];
}

/* An ordinary user's context of itself with RDPMC, on the first counter */
static int begin_as_user(int fd)
{
	struct setup setup;

	setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&setup, 0, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	if (set_user(USER) || setup_configure(fd, &setup))
		return -1;
	return pmc_call(fd, PMC_IOC_START, NULL);
}

#define NONE_OWN	UINT32_MAX

#define NOT_PERMITTED	100

/* 1 if RDPMC shows a count, NOT_PERMITTED if it faults, or 0 */
static int count_seen(uint32_t index)
{
	struct value value;

	if (read_here(index, &value))
		return NOT_PERMITTED;
	return whole(&value) != 0;
}

/* On how many counters other than @own RDPMC shows a count; or NOT_PERMITTED */
static int counts_seen(const struct pmc_query *query, uint32_t own)
{
	int seen = 0;
	uint32_t i;

	for (i = 0; i < 64 && seen < NOT_PERMITTED; i++) {
		if (query->general_counters >> i & 1 && i != own)
			seen += count_seen(i);
		if (query->fixed_counters >> i & 1 && seen < NOT_PERMITTED)
			seen += count_seen(PMC_COUNTER_FIXED(i));
	}
	return seen < NOT_PERMITTED ? seen : NOT_PERMITTED;
}

/** struct observer - a process, of an ordinary user without @pidfd, that waits, then reads */
struct observer {
	pid_t pid;
	int ready[2];
	int go[2];
	int perf;		/* perf's file for it to close */
	int *pidfd;		/* clone() writes it before the child is a task; NULL: fork() */
};

/* With @fd it counts itself; without (-1) it has RDPMC by the attribute pce, by perf, or not. */
static void observer_run(struct observer *observer, const struct pmc_query *query, int fd,
			 uint32_t own)
{
	char byte = 0;

	close(observer->perf);
	/* setuid() waits for threads that a child of clone() does not have */
	if (fd >= 0 ? begin_as_user(fd) : !observer->pidfd && set_user(USER))
		_exit(200);
	if (write(observer->ready[1], &byte, 1) != 1 || read(observer->go[0], &byte, 1) != 1)
		_exit(201);
	_exit(counts_seen(query, own));
}

static int observer_start(struct observer *observer, const struct pmc_query *query, int fd,
			  uint32_t own)
{
	char byte;

	if (pipe(observer->ready) || pipe(observer->go))
		return -1;
	observer->pid = !observer->pidfd ? fork() :
			syscall(SYS_clone, CLONE_PIDFD | CLONE_FILES | SIGCHLD, NULL,
				observer->pidfd, NULL, NULL);
	if (observer->pid == 0)
		observer_run(observer, query, fd, own);
	return read(observer->ready[0], &byte, 1) == 1 ? 0 : -1;
}

/* What it has seen: counts_seen(), or an error above 199 */
static int observer_sees(struct observer *observer)
{
	int status;

	if (write(observer->go[1], "", 1) != 1 ||
	    waitpid(observer->pid, &status, 0) != observer->pid || !WIFEXITED(status))
		return 202;
	return WEXITSTATUS(status);
}

/* Privileged counts of a stopped context are hidden before RDPMC is granted. */
TEST_F(rdpmc, left_before_the_permission)
{
	struct observer observer = { .perf = -1 };
	int fd;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	setup_cpu(&self->setup, 0);
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(fd, &self->setup);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, observer_start(&observer, &self->query, self->fd, self->first));
	EXPECT_EQ(0, observer_sees(&observer));
}

/*
 * Count user mode on the first counter, then get RDPMC with a context on the second. Returns
 * whether the first counter has more than its context has counted: that is of others. 200: error
 */
static int more_than_counted(int fd, int reader, uint32_t first)
{
	struct setup setup;
	struct reading reading;
	struct value value;

	setup_thread_one(&setup, 0, 0);
	if (set_user(USER) || setup_configure(fd, &setup) || pmc_call(fd, PMC_IOC_START, NULL))
		return 200;
	setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	if (setup_configure(reader, &setup) || read_here(first, &value) ||
	    reading_read(fd, &reading))
		return 201;
	return whole(&value) > reading.value[0];
}

/* A counter that counts when RDPMC is granted may have begun at what a stopped context left. */
TEST_F(rdpmc, left_in_a_counter_that_counts)
{
	int fd, reader, status;
	unsigned int i;
	pid_t pid;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	OPEN_DEVICE(reader);
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	CONFIGURE_AND_START(self->fd, &self->setup);
	for (i = 0; i < 1000000; i++)
		asm volatile("");
	pid = fork();
	if (pid == 0)
		_exit(more_than_counted(fd, reader, self->first));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* The same of a counter of a CPU: what its context counted before the grant is kept. */
TEST_F(rdpmc, left_in_a_counter_of_a_cpu_that_counts)
{
	struct value value;
	unsigned int i;
	int cpu, old;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(cpu);
	OPEN_DEVICE(old);
	/* keeps the counters while no other context does */
	setup_thread_one(&self->setup, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	setup_thread(&self->setup, 0, 0);
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(old, &self->setup);
	for (i = 0; i < 1000000; i++)
		asm volatile("");
	ASSERT_EQ(0, pmc_call(old, PMC_IOC_RELEASE, NULL));
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	CONFIGURE_AND_START(cpu, &self->setup);
	for (i = 0; i < 100000; i++)
		asm volatile("");
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	setup_thread_one(&self->setup, 0, PMC_CONFIG_USER_READ);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(NONE, read_here(self->second, &value));
	ASSERT_EQ(0, reading_read(cpu, &self->reading));
	EXPECT_LE(whole(&value), self->reading.value[0]);
	EXPECT_LT(100000, self->reading.value[0]);
	EXPECT_EQ(0, self->reading.value[0] >> 31);
}

/* A context of a CPU that starts while a task may execute RDPMC does not continue from there. */
TEST_F(rdpmc, left_when_a_cpu_starts)
{
	struct value value;
	unsigned int i;
	int fd;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	setup_thread_one(&self->setup, 0, PMC_CONFIG_USER_READ);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	setup_thread(&self->setup, 0, 0);
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(fd, &self->setup);
	for (i = 0; i < 1000000; i++)
		asm volatile("");
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_RELEASE, NULL));
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	CONFIGURE_AND_START(fd, &self->setup);
	ASSERT_EQ(NONE, read_here(self->second, &value));
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_LE(whole(&value), self->reading.value[0]);
}

/* Without a switch: the reader itself stops the inherited context of root. */
TEST_F(rdpmc, left_by_a_stop)
{
	int fd, status;
	pid_t pid;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	setup_cpu(&self->setup, 0);
	setup_rest(&self->setup, &self->query);
	ASSERT_EQ(0, setup_configure(fd, &self->setup));
	pid = fork();
	if (pid == 0) {
		if (begin_as_user(self->fd) || pmc_call(fd, PMC_IOC_START, NULL) ||
		    pmc_call(fd, PMC_IOC_STOP, NULL))
			_exit(200);
		_exit(counts_seen(&self->query, self->first));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	/* the counts are where they belong, and go on after the counters were cleared */
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
}

/** struct reader - stops a context that follows it, and then looks at the counters */
struct reader {
	const struct pmc_query *query;
	int own;		/* file for its own context */
	int other;		/* file of the context that follows it */
	uint32_t first;
	int seen;
};

static void *reader_run(void *data)
{
	struct reader *reader = data;

	reader->seen = begin_as_user(reader->own) ||
		       pmc_call(reader->other, PMC_IOC_STOP, NULL) ? 200 :
		       counts_seen(reader->query, reader->first);
	return NULL;
}

/* The process waits for @go; then its first thread, or another one, is the reader. */
static void __attribute__((noreturn)) reader_process(struct reader *reader, int go, bool thread)
{
	pthread_t id;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(201);
	if (!thread)
		reader_run(reader);
	else if (pthread_create(&id, NULL, reader_run, reader) || pthread_join(id, NULL))
		_exit(202);
	_exit(reader->seen);
}

static void stop_by_reader(struct __test_metadata *_metadata, struct _test_data_rdpmc *self,
			   uint32_t scope)
{
	struct reader reader = { &self->query, self->fd, .first = self->first };
	int go[2], status;
	pid_t pid;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(reader.other);
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (pid == 0)
		reader_process(&reader, go[0], scope == PMC_SCOPE_PROCESS);
	setup_thread(&self->setup, pid, 0);
	self->setup.config.scope = scope;
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(reader.other, &self->setup);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
	ASSERT_EQ(0, reading_read(reader.other, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
}

/* The same of a context that follows the reader: it has counted the reader's kernel mode. */
TEST_F(rdpmc, left_by_a_stop_of_the_thread)
{
	stop_by_reader(_metadata, self, PMC_SCOPE_THREAD);
}

/* The reader began after the context. */
TEST_F(rdpmc, left_by_a_stop_of_a_new_thread)
{
	stop_by_reader(_metadata, self, PMC_SCOPE_PROCESS);
}

static int wait_for_go(const int *ready, const int *go)
{
	char byte = 0;

	return write(ready[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 1;
}

/*
 * A thread that counts itself executes a program, which gives up its privileges, counts itself,
 * too, and stops the first context.
 */
TEST_F(rdpmc, left_over_an_exec)
{
	char context[16], own[16];
	int fd, status;
	pid_t pid;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0) {
		setup_thread(&self->setup, 0, 0);
		setup_rest(&self->setup, &self->query);
		if (setup_configure(fd, &self->setup) || pmc_call(fd, PMC_IOC_START, NULL))
			_exit(201);
		/* the duplicates have no FD_CLOEXEC */
		snprintf(context, sizeof(context), "%d", dup(fd));
		snprintf(own, sizeof(own), "%d", dup(self->fd));
		execl("/proc/self/exe", "rdpmc", "stop", context, own, NULL);
		_exit(202);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_EQ(PMC_STATE_ENDED, self->reading.state);
	EXPECT_LT(0, self->reading.value[0]);
}

/*
 * It is stopped while the reader waits. Its run was started last: at a switch the context that
 * was configured first is the last one to be started.
 */
TEST_F(rdpmc, left_by_a_stop_of_a_waiting_thread)
{
	int fd, go[2], ready[2], status;
	unsigned int i;
	pid_t pid;
	char byte = 0;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &byte, 1) != 1 || begin_as_user(self->fd) ||
		    wait_for_go(ready, go) || wait_for_go(ready, go))
			_exit(200);
		_exit(counts_seen(&self->query, self->first));
	}
	setup_thread(&self->setup, pid, 0);
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(fd, &self->setup);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(1, write(go[1], &byte, 1));
		ASSERT_EQ(1, read(ready[0], &byte, 1));
	}
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(1, write(go[1], &byte, 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* The reader's own counts stay in the counters: the next switch need not load them again. */
TEST_F(rdpmc, own_counts_stay)
{
	struct value before, after;
	int there[2], back[2];
	unsigned int i;
	char byte = 0;
	pid_t pid;

	NEED_RDPMC();
	ASSERT_EQ(0, pipe(there));
	ASSERT_EQ(0, pipe(back));
	pid = fork();
	if (pid == 0)
		_exit(read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1);
	begin(_metadata, self);
	for (i = 0; i < 100000; i++)
		asm volatile("");
	ASSERT_EQ(NONE, read_here(self->first, &before));
	ASSERT_EQ(1, write(there[1], &byte, 1));
	ASSERT_EQ(1, read(back[0], &byte, 1));
	ASSERT_EQ(NONE, read_here(self->first, &after));
	EXPECT_LT(whole(&before), whole(&after));
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
}

/* A privileged context of a thread that this CPU switches from */
TEST_F(rdpmc, left_by_a_switch)
{
	struct observer observer = { .perf = -1 };
	uint64_t before;
	int fd;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	setup_thread(&self->setup, 0, 0);
	setup_rest(&self->setup, &self->query);
	ASSERT_EQ(0, observer_start(&observer, &self->query, self->fd, self->first));
	CONFIGURE_AND_START(fd, &self->setup);
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	before = self->reading.value[0];
	EXPECT_EQ(0, observer_sees(&observer));
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_LT(before, self->reading.value[0]);
}

/* The same where every process may execute RDPMC */
TEST_F(rdpmc, left_while_all_may_read)
{
	struct observer observer = { .perf = -1 };
	int fd;

	NEED_RDPMC();
	NEED_ROOT();
	OPEN_DEVICE(fd);
	setup_thread(&self->setup, 0, 0);
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(fd, &self->setup);
	ASSERT_EQ(0, file_write(PCE, "2"));
	EXPECT_EQ(0, observer_start(&observer, &self->query, -1, 0));
	EXPECT_EQ(0, observer_sees(&observer));
	EXPECT_EQ(0, file_write(PCE, "1"));
	/* no difference to a value from before the counter was cleared: no run was here since */
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
	EXPECT_EQ(0, self->reading.value[0] >> 31);
}

/*
 * The same where perf's file permits RDPMC to all. On one CPU the driver's work, which follows a
 * write of that file, begins after the first two looks.
 */
TEST_F(rdpmc, left_while_perf_permits_all)
{
	struct observer observer = { .perf = -1 };
	int fd, at_once, stopped, later;

	NEED_RDPMC();
	NEED_ROOT();
	if (access(perfs_rdpmc(), W_OK))
		SKIP(return, "perf knows no counters here");
	OPEN_DEVICE(fd);
	setup_cpu(&self->setup, 0);
	setup_rest(&self->setup, &self->query);
	CONFIGURE_AND_START(fd, &self->setup);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_STOP, NULL));
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, schedule_as(0, SCHED_FIFO));
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "2"));
	at_once = counts_seen(&self->query, self->first);
	pmc_call(self->fd, PMC_IOC_STOP, NULL);
	stopped = counts_seen(&self->query, NONE_OWN);
	schedule_as(0, SCHED_OTHER);
	later = observer_start(&observer, &self->query, -1, NONE_OWN) ?: observer_sees(&observer);
	ASSERT_EQ(0, file_write(perfs_rdpmc(), "1"));
	EXPECT_EQ(0, at_once);
	EXPECT_EQ(0, stopped);
	EXPECT_EQ(0, later);
	ASSERT_EQ(0, reading_read(fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
	EXPECT_EQ(0, self->reading.value[0] >> 31);
}

/* ---- A permission of perf's that a fork copied ---- */

/* A fork copies perf's permission to the child. Linux never removes it from the child. */
static void *map_perfs_event(int *perf)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
	};

	*perf = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, *perf, 0);
}

static int unmap_perfs_event(void *page, int perf, const struct pmc_query *query)
{
	if (munmap(page, sysconf(_SC_PAGESIZE)) || close(perf))
		return -1;
	return clear_what_perf_left(query);
}

static int observer_start_with_copy(struct observer *observer, const struct pmc_query *query)
{
	void *page = map_perfs_event(&observer->perf);

	return page == MAP_FAILED || observer_start(observer, query, -1, NONE_OWN) ||
	       unmap_perfs_event(page, observer->perf, query);
}

static void configure_cpu(struct __test_metadata *_metadata, struct _test_data_rdpmc *self)
{
	setup_cpu(&self->setup, 0);
	setup_rest(&self->setup, &self->query);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
}

/* START, STOP, then @observer reads the counters. */
static int counted_and_seen(struct __test_metadata *_metadata, struct _test_data_rdpmc *self,
			    struct observer *observer)
{
	int seen;

	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	EXPECT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	seen = observer_sees(observer);
	EXPECT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LT(0, self->reading.value[0]);
	return seen;
}

#define NEED_PERF()	do {							\
	if (access(perfs_rdpmc(), W_OK))					\
		SKIP(return, "perf knows no counters here");			\
} while (0)

/* A refused CONFIGURE is not counted: the next test unloads the module. */
TEST_F(rdpmc, left_with_a_copied_permission)
{
	struct observer observer = { 0 };
	int refused;

	NEED_RDPMC();
	NEED_ROOT();
	NEED_PERF();
	OPEN_DEVICE(refused);
	ASSERT_EQ(0, observer_start_with_copy(&observer, &self->query));
	configure_cpu(_metadata, self);
	EXPECT_EQ(-EBUSY, setup_configure(refused, &self->setup));
	EXPECT_EQ(0, counted_and_seen(_metadata, self, &observer));
}

/* The module is loaded after the fork. */
TEST_F(rdpmc, left_with_a_permission_copied_before)
{
	const char *keep = getenv("PMCDRV_KEEP"), *path = getenv("PMCDRV_KO");
	struct observer observer = { 0 };
	int file;

	NEED_RDPMC();
	NEED_ROOT();
	NEED_PERF();
	if (keep && *keep)
		SKIP(return, "PMCDRV_KEEP is set: the module is not unloaded");
	close(self->fd);
	if (syscall(SYS_delete_module, "pmcdrv", O_NONBLOCK))
		SKIP(return, "the module cannot be unloaded: errno %d", errno);
	EXPECT_EQ(0, observer_start_with_copy(&observer, &self->query));
	file = open(path ? path : "/pmcdrv.ko", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, file);
	ASSERT_EQ(0, syscall(SYS_finit_module, file, "", 0));
	close(file);
	OPEN_DEVICE(self->fd);
	configure_cpu(_metadata, self);
	EXPECT_EQ(0, counted_and_seen(_metadata, self, &observer));
}

/** struct interruption - work for a thread while another thread's clone() waits for a page */
struct interruption {
	struct __test_metadata *_metadata;
	struct _test_data_rdpmc *self;
	int userfault;
	int *page;		/* clone() writes there */
	int perf;
	void *perfs_page;
};

static void *unmap_and_configure(void *data)
{
	struct interruption *in = data;
	struct __test_metadata *_metadata = in->_metadata;
	struct uffdio_zeropage zero = {
		.range = { (uintptr_t)in->page, sysconf(_SC_PAGESIZE) },
	};
	struct uffd_msg message;

	EXPECT_EQ(sizeof(message), read(in->userfault, &message, sizeof(message)));
	EXPECT_EQ(0, unmap_perfs_event(in->perfs_page, in->perf, &in->self->query));
	configure_cpu(_metadata, in->self);
	EXPECT_EQ(0, ioctl(in->userfault, UFFDIO_ZEROPAGE, &zero));
	return NULL;
}

/*
 * CONFIGURE runs after a fork has copied the permission, and before the child is in the list of
 * tasks. By then perf's event is closed, and the child has mapped none.
 */
TEST_F(rdpmc, permission_copied_meanwhile_is_removed)
{
	struct interruption in = { ._metadata = _metadata, .self = self };
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register missing = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct observer observer = { .perf = -1 };
	size_t size = sysconf(_SC_PAGESIZE);
	pthread_t thread;

	NEED_RDPMC();
	NEED_ROOT();
	NEED_PERF();
	in.userfault = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (in.userfault < 0)
		SKIP(return, "no userfaultfd() here: errno %d", errno);
	in.page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, in.page);
	missing.range.start = (uintptr_t)in.page;
	missing.range.len = size;
	ASSERT_EQ(0, ioctl(in.userfault, UFFDIO_API, &api));
	ASSERT_EQ(0, ioctl(in.userfault, UFFDIO_REGISTER, &missing));
	in.perfs_page = map_perfs_event(&in.perf);
	ASSERT_NE(MAP_FAILED, in.perfs_page);
	observer.pidfd = in.page;
	ASSERT_EQ(0, pthread_create(&thread, NULL, unmap_and_configure, &in));
	ASSERT_EQ(0, observer_start(&observer, &self->query, -1, NONE_OWN));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(NOT_PERMITTED, counted_and_seen(_metadata, self, &observer));
}

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

/* The program of left_over_an_exec. Return: counts_seen(), or an error above 199. */
static int stop_and_look(int context, int own)
{
	struct pmc_query query;

	catch_faults();
	if (pmc_query(PMC_CPU_ANY, &query) || begin_as_user(own) ||
	    pmc_call(context, PMC_IOC_STOP, NULL))
		return 200;
	return counts_seen(&query, counter_placed(0));
}

/* "stop CONTEXT OWN": the program of left_over_an_exec, with two files of /dev/pmc */
int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "stop"))
		return stop_and_look(atoi(argv[2]), atoi(argv[3]));
	selftest_begin(argc, argv);
	return test_harness_run(argc, argv);
}
