// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests call chains of user and kernel mode: a recursion of known depth is reported exactly, and an
 * invalid frame pointer ends the chain
 *
 * Only privileged users get kernel call chains.
 */
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "call_depth.h"
#include "kernel_symbols.h"

/* long enough that even the longest chains are not throttled */
#define PERIOD	100003
#define ROUNDS	500000
#define USER	PMC_COUNT_USER
#define BOTH	(PMC_COUNT_USER | PMC_COUNT_KERNEL)

FIXTURE(chain) {
	SAMPLING_FIXTURE;
	struct descent descent;
	uint64_t period;
};

FIXTURE_SETUP(chain)
{
	NEED_SAMPLING(&self->query);
	ASSERT_EQ(0, pin(0, 0));
	OPEN_DEVICE(self->fd);
	self->descent = (struct descent) {
		.fd = self->fd,
		.start = PMC_IOC_START,
		.stop = PMC_IOC_STOP,
		.rounds = ROUNDS,
	};
	self->period = PERIOD;
}

FIXTURE_TEARDOWN_CLOSE(chain)

static void begin(struct __test_metadata *_metadata, struct _test_data_chain *self,
		  uint32_t count, uint32_t sample_flags, uint32_t frames)
{
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, count);
	setup_period(&self->setup, 0, self->period);
	self->setup.config.sample_flags = sample_flags;
	self->setup.config.frames = frames;
	self->setup.config.ring_size = 1 << 20;
	BEGIN_SAMPLING();
}

static void end(struct __test_metadata *_metadata, struct _test_data_chain *self)
{
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
	RELEASE_SAMPLING();
}

/* The next sample, already tallied; it stays valid until the next call. */
static const struct pmc_sample *next(struct _test_data_chain *self, const void *last)
{
	const struct pmc_record *record = last;

	do {
		if (record)
			ring_done(&self->rings.ring[0], record);
		record = ring_next(&self->rings.ring[0]);
		if (record)
			tally_record(&self->tally, record, 0);
	} while (record && record->type != PMC_RECORD_SAMPLE);
	return (const void *)record;
}

/* The frames of @sample from @from on are those of the bottom of a recursion. */
static void expect_descent(struct __test_metadata *_metadata, struct _test_data_chain *self,
			   const struct pmc_sample *sample, unsigned int from, uint64_t ip)
{
	unsigned int limit = self->setup.config.frames ? self->setup.config.frames :
			     PMC_FRAMES_DEFAULT;
	const __u64 *frame = sample->data + sample->nr_counters + from;
	unsigned int depth = self->descent.depth, i;

	ASSERT_EQ(depth + 1 < limit ? depth + 1 : limit, sample->nr_user_frames) {
		TH_LOG("sampled at %#llx, user mode was left at %#llx",
		       (long long)sample->ip, (long long)frame[0]);
	}
	EXPECT_EQ(ip, frame[0]);
	for (i = 1; i < sample->nr_user_frames; i++) {
		EXPECT_EQ((uintptr_t)(i < depth ? sampled_descent_level : sampled_descent_return),
			  frame[i]) {
			TH_LOG("frame %u of depth %u", i, depth);
		}
	}
}

static void descend(struct __test_metadata *_metadata, struct _test_data_chain *self,
		    unsigned int depth, uint32_t frames)
{
	const struct range loop = { (uintptr_t)sampled_descent_begin,
				    (uintptr_t)sampled_descent_end };
	const struct pmc_sample *sample = NULL;
	unsigned int inside = 0;

	begin(_metadata, self, USER, PMC_SAMPLE_USER_CALLCHAIN, frames);
	self->descent.depth = depth;
	ASSERT_EQ(0, sampled_descent(&self->descent));
	while ((sample = next(self, sample))) {
		EXPECT_EQ(0, sample->nr_kernel_frames);
		if (!range_has(&loop, sample->ip))
			continue;
		expect_descent(_metadata, self, sample, 0, sample->ip);
		inside++;
	}
	/* the way down and up is shorter than a period */
	EXPECT_LE(2 * ROUNDS / PERIOD - 1, inside);
	end(_metadata, self);
}

TEST_F(chain, known_depth)
{
	static const unsigned int depths[] = { 1, 2, 10, 62, 63, 64, 400 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(depths); i++)
		descend(_metadata, self, depths[i], 0);
}

/* The requested number of frames, not one more or less */
TEST_F(chain, limit)
{
	static const unsigned int limits[] = { 1, 2, 7, 8, 9, 126, PMC_FRAMES_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		descend(_metadata, self, 8, limits[i]);
		descend(_metadata, self, 300, limits[i]);
	}
}

/* An overflow in a system call instruction: the chain begins at its return address. */
TEST_F(chain, at_system_calls)
{
	const struct pmc_sample *sample = NULL;
	unsigned int calls = 0;

	/* no multiple of a round's four instructions */
	self->period = 10007;
	begin(_metadata, self, USER, PMC_SAMPLE_USER_CALLCHAIN, 0);
	self->descent.depth = 5;
	self->descent.calls = 1;
	self->descent.rounds = ROUNDS / 10;
	ASSERT_EQ(0, sampled_descent(&self->descent));
	while ((sample = next(self, sample))) {
		if (!(sample->flags & PMC_SAMPLE_SKID) ||
		    sample_is_behind(sample, sample->data[0], self->period))
			continue;
		expect_descent(_metadata, self, sample, 0, (uintptr_t)sampled_descent_call);
		calls++;
	}
	if (!getenv("PMCDRV_SKID"))
		EXPECT_LT(3, calls);
	end(_metadata, self);
}

/* Does the first CPU have this flag, and does the kernel use it? */
static bool cpu_has(const char *flag)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char *line = NULL, *word, *rest;
	bool found = false;
	size_t size = 0;

	while (file && !found && getline(&line, &size, file) > 0) {
		if (strncmp(line, "flags", strlen("flags")))
			continue;
		for (word = strtok_r(line, " \t\n", &rest); word && !found;
		     word = strtok_r(NULL, " \t\n", &rest))
			found = !strcmp(word, flag);
	}
	free(line);
	if (file)
		fclose(file);
	return found;
}

#ifndef __x86_64__

/* INT 80H and SYSENTER in turn. Returns the number of samples in SYSENTER's entry. */
static unsigned int sample_sysenter(struct __test_metadata *_metadata,
				    struct _test_data_chain *self, unsigned long sysinfo)
{
	const struct pmc_sample *sample = NULL;
	unsigned long rounds = 6000;
	unsigned int inside = 0;

	begin(_metadata, self, BOTH, PMC_SAMPLE_USER_CALLCHAIN, 0);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	asm volatile("1:	mov	%[getpid], %%eax\n\t"
		     "int	$0x80\n\t"
		     "mov	%[getpid], %%eax\n\t"
		     "call	*%[sysinfo]\n\t"
		     "decl	%[rounds]\n\t"
		     "jnz	1b"
		     : [rounds] "+m" (rounds)
		     : [sysinfo] "m" (sysinfo), [getpid] "i" (SYS_getpid)
		     : "eax", "memory");
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	while ((sample = next(self, sample))) {
		if (sample->ip - kernel_sysenter >= 32)
			continue;
		inside++;
		EXPECT_EQ(0, sample->nr_user_frames) {
			TH_LOG("%#llx after %llu bytes of the entry",
			       (long long)sample->data[1], (long long)sample->ip - kernel_sysenter);
		}
	}
	end(_metadata, self);
	return inside;
}

/*
 * In the first instructions of SYSENTER's entry the user-mode address is unknown: the sample must
 * not have that of the earlier INT 80H. Several periods, because the samples of one can be at few
 * instructions of a round.
 */
TEST_F(chain, sysenter)
{
	unsigned long sysinfo = getauxval(AT_SYSINFO);
	unsigned int inside = 0, i;
	bool has_entry;

	NEED_ROOT();
	if (!sysinfo)
		SKIP(return, "no __kernel_vsyscall");
	/* with FRED, its own entry is SYSENTER's, too */
	has_entry = memmem((void *)sysinfo, 32, "\x0f\x34", 2) && !cpu_has("fred");
	for (i = 0; i < 12; i++) {
		self->period = (25013 + 37 * i) * slowness();
		inside += sample_sysenter(_metadata, self, sysinfo);
	}
	EXPECT_EQ(has_entry, inside > 0);
}

#endif /* !__x86_64__ */

/* The first address beyond user mode: on 64 bits, a page is left out. */
static unsigned long user_end(void)
{
	if (sizeof(long) == 4)
		return 0xc0000000UL;
	return (1ULL << (cpu_has("la57") ? 56 : 47)) - 4096;
}

/* An invalid frame pointer ends the chain. */
TEST_F(chain, wild_frame_pointers)
{
	unsigned long page = 4096, word = sizeof(long);
	const unsigned long end_of_user = user_end();
	/* no 32-bit address is a 64-bit kernel's */
	bool ends = word == 8 || is_kernel_address(end_of_user);
	unsigned long *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long *edge = pages + page / word;
	const struct {
		const char *what;
		unsigned long frame;
		unsigned int frames;
	} wild[] = {
		{ "none", 0, 1 },
		{ "not aligned", (unsigned long)pages + 1, 1 },
		{ "not aligned to a word", (unsigned long)pages + word / 2, 1 },
		{ "not mapped", 16 * word, 1 },
		{ "at the end of what is mapped", (unsigned long)edge - word, 1 },
		{ "after it", (unsigned long)edge, 1 },
		{ "a frame before the end", (unsigned long)(edge - 2), 2 },
		{ "itself", (unsigned long)(pages + 8), 2 },
		{ "back", (unsigned long)(pages + 16), 2 },
		{ "no return address", (unsigned long)(pages + 24), 1 },
		{ "two", (unsigned long)(pages + 32), 3 },
		{ "the kernel's", ~0UL << (8 * word - 1), 1 },
		{ "the last word", -word, 1 },
		{ "the last two words", -2 * word, 1 },
		{ "the kernel's own text", word == 8 ? (unsigned long)kernel_text[0].begin :
			0xc0000000UL, 1 },
		{ "half way", (unsigned long)(1ULL << (word == 8 ? 47 : 31)), 1 },
		{ "a caller in the kernel", (unsigned long)(pages + 48), ends ? 1 : 5 },
		{ "callers to the end of user mode", (unsigned long)(pages + 56),
			ends ? 3 : 4 },
	};
	const struct pmc_sample *sample;
	unsigned int i;

	ASSERT_NE(MAP_FAILED, pages);
	ASSERT_EQ(0, mprotect(edge, page, PROT_NONE));
	/* not 0: a wrong read would return a frame */
	memset(pages, 1, 4 * word);
	edge[-2] = (unsigned long)edge;
	edge[-1] = 0x1234;
	pages[8] = (unsigned long)(pages + 8);
	pages[9] = 0x1235;
	pages[16] = (unsigned long)(pages + 8);
	pages[17] = 0x1236;
	pages[24] = (unsigned long)(pages + 40);
	pages[25] = 0;
	pages[32] = (unsigned long)(pages + 40);
	pages[33] = 0x1237;
	pages[40] = 0;
	pages[41] = 0x1238;
	pages[48] = (unsigned long)(pages + 56);
	pages[49] = -1UL;
	pages[56] = (unsigned long)(pages + 64);
	pages[57] = 0x1239;
	pages[64] = (unsigned long)(pages + 72);
	pages[65] = end_of_user - 1;
	pages[72] = (unsigned long)(pages + 32);
	pages[73] = end_of_user;
	for (i = 0; i < ARRAY_SIZE(wild); i++) {
		begin(_metadata, self, USER, PMC_SAMPLE_USER_CALLCHAIN, 0);
		self->descent.frame = wild[i].frame;
		ASSERT_EQ(0, sampled_frame(&self->descent));
		sample = NULL;
		while ((sample = next(self, sample))) {
			EXPECT_EQ(wild[i].frames, sample->nr_user_frames) {
				TH_LOG("%s", wild[i].what);
			}
			EXPECT_EQ(sample->ip, sample->data[1]);
		}
		EXPECT_LT(5, self->tally.samples);
		end(_metadata, self);
	}
	munmap(pages, 2 * page);
}

/* The kernel's chain begins at the sample's address and ends at the kernel's entry. */
static void expect_kernel_chain(struct __test_metadata *_metadata,
				struct _test_data_chain *self, const struct pmc_sample *sample,
				unsigned int limit)
{
	const __u64 *frame = sample->data + sample->nr_counters;
	unsigned int nr = sample->nr_kernel_frames, i;

	ASSERT_LE(1, nr);
	ASSERT_GE(limit, nr);
	EXPECT_EQ(sample->ip, frame[0]);
	for (i = 0; i < nr; i++) {
		EXPECT_TRUE(kernel_has(frame[i])) {
			TH_LOG("frame %u of %u: %#llx", i, nr, (long long)frame[i]);
		}
	}
	if (nr < limit) {
		EXPECT_TRUE(range_has(&kernel_entry, frame[nr - 1]) ||
			    range_has(&kernel_fork, frame[nr - 1]) ||
			    range_has(&kernel_fred, frame[nr - 1]) ||
			    (nr == 1 && (!kernel_has_orc || kernel_switches_at(frame[0])))) {
			TH_LOG("the last of %u frames: %#llx", nr, (long long)frame[nr - 1]);
		}
	}
}

static void kernel_chains(struct __test_metadata *_metadata, struct _test_data_chain *self,
			  uint32_t flags, uint32_t frames)
{
	unsigned int limit = frames ? frames : PMC_FRAMES_DEFAULT, deep = 0, inside = 0;
	const struct pmc_sample *sample = NULL;
	struct utsname name;

	if (geteuid())
		SKIP(return, "only root can do this");
	if (uname(&name) || strcmp(name.machine, "x86_64"))
		SKIP(return, "the end of chains in a 32-bit kernel is unknown");
	ASSERT_NE(0, kernel_text[1].end);
	ASSERT_NE(0, kernel_entry.end);
	self->period = 25013 * slowness();
	begin(_metadata, self, BOTH, flags, frames);
	self->tally.kernel_text = kernel_text;
	self->descent.depth = 4;
	self->descent.calls = 1;
	self->descent.rounds = 20000;
	ASSERT_EQ(0, sampled_descent(&self->descent));
	while ((sample = next(self, sample))) {
		if (sample->flags & PMC_SAMPLE_LATE)
			continue;
		if (sample->privilege) {
			EXPECT_EQ(0, sample->nr_kernel_frames);
			continue;
		}
		inside++;
		expect_kernel_chain(_metadata, self, sample, limit);
		deep += sample->nr_kernel_frames >= 3;
		if (!(flags & PMC_SAMPLE_USER_CALLCHAIN)) {
			EXPECT_EQ(0, sample->nr_user_frames);
			continue;
		}
		if (sample->data[1 + sample->nr_kernel_frames] == (uintptr_t)sampled_descent_call)
			expect_descent(_metadata, self, sample, sample->nr_kernel_frames,
				       (uintptr_t)sampled_descent_call);
	}
	EXPECT_LT(0, inside);
	if (limit >= 3)
		EXPECT_LT(0, deep);
	end(_metadata, self);
}

TEST_F(chain, kernel)
{
	kernel_chains(_metadata, self, PMC_SAMPLE_KERNEL_CALLCHAIN, 0);
}

TEST_F(chain, kernel_and_user)
{
	kernel_chains(_metadata, self, PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN, 0);
}

TEST_F(chain, kernel_limit)
{
	kernel_chains(_metadata, self, PMC_SAMPLE_KERNEL_CALLCHAIN, 1);
	kernel_chains(_metadata, self, PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN, 2);
	kernel_chains(_metadata, self, PMC_SAMPLE_KERNEL_CALLCHAIN, 4);
}

#define YIELDS		20000
#define CALLER_OF(i)	(0x1000UL + (i))

/* Process number @i: its frame pointer points to the page, which has other contents in each. */
static int yielding_start(struct child *child, unsigned int i, unsigned long *frame)
{
	int go[2];
	char byte;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	child->go = go[1];
	child->pid = fork();
	if (child->pid == 0) {
		frame[0] = 0;
		frame[1] = CALLER_OF(i);
		if (read(go[0], &byte, 1) == 1)
			yields_run((unsigned long)frame, YIELDS);
		_exit(1);
	}
	close(go[0]);
	return child->pid < 0 ? -errno : 0;
}

/*
 * Two processes yield to each other. At a switch the next thread's counter starts while the memory
 * is still the previous thread's: such a sample has no user frames, and none has the other's.
 */
TEST_F(chain, switching)
{
	unsigned long *frame = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct range loop = { (uintptr_t)yields_begin, (uintptr_t)yields_end };
	const struct pmc_sample *sample = NULL;
	unsigned int i, inside = 0, between = 0;
	struct child child[2];

	NEED_ROOT();
	ASSERT_NE(MAP_FAILED, frame);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, yielding_start(&child[i], i, frame));
	setup_thread(&self->setup, child[0].pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, BOTH);
	setup_period(&self->setup, 0, PERIOD * slowness());
	self->setup.config.sample_flags = PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN;
	self->setup.config.ring_size = 1 << 22;
	BEGIN_SAMPLING();
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, child_go(&child[i]));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, child_wait(&child[i]));
	while ((sample = next(self, sample))) {
		const __u64 *user = sample->data + 1 + sample->nr_kernel_frames;

		for (i = 0; i < sample->nr_user_frames; i++)
			EXPECT_NE(CALLER_OF(1), user[i]);
		if (sample->nr_user_frames && range_has(&loop, user[0])) {
			ASSERT_EQ(2, sample->nr_user_frames);
			EXPECT_EQ(CALLER_OF(0), user[1]);
			inside++;
		}
		between += !sample->nr_user_frames && !range_has(&kernel_entry, sample->ip);
	}
	EXPECT_LT(0, inside);
	EXPECT_LT(0, between);
	end(_metadata, self);
}

/* Whole CPUs with all they do: interrupts, idle, kernel threads */
TEST_F(chain, all_tasks_on_a_cpu)
{
	const struct pmc_sample *sample = NULL;
	unsigned int i;

	NEED_ROOT();
	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, BOTH);
	setup_period(&self->setup, 0, PERIOD);
	self->setup.config.sample_flags = PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN;
	self->setup.config.ring_size = 1 << 22;
	CONFIGURE_SAMPLING();
	self->tally.kernel_text = kernel_text;
	self->spurious = spurious_now(self->fd);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	for (i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		usleep(5000);
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	while ((sample = next(self, sample))) {
		const __u64 *frame = sample->data + sample->nr_counters;

		if (sample->privilege)
			continue;
		for (i = 0; i < sample->nr_kernel_frames; i++) {
			EXPECT_TRUE(kernel_has_caller(frame[i])) {
				TH_LOG("frame %u of %u: %#llx", i, sample->nr_kernel_frames,
				       (long long)frame[i]);
			}
		}
		for (; i < sample->nr_kernel_frames + sample->nr_user_frames; i++)
			EXPECT_EQ(0, frame[i] >> 47);
	}
	EXPECT_LT(0, self->tally.kernel_overflows[0]);
	end(_metadata, self);
}

/*
 * An unprivileged user: the records contain neither the kernel's mode nor its addresses, and
 * requests for them are refused.
 */
static void unprivileged(struct __test_metadata *_metadata, struct _test_data_chain *self)
{
	const struct pmc_sample *sample = NULL;
	const uint64_t *word;
	struct pmc_config wanted;
	unsigned int i;
	size_t w;

	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, BOTH);
	setup_period(&self->setup, 0, PERIOD);
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
	self->setup.counter[0].flags = PMC_COUNT_KERNEL;
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
	self->setup.counter[0].flags = USER;
	wanted = self->setup.config;
	self->setup.config.sample_flags = PMC_SAMPLE_KERNEL_CALLCHAIN;
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));
	self->setup.config = wanted;
	self->setup.config.scope = PMC_SCOPE_ALL_CPUS;
	EXPECT_EQ(-EACCES, setup_configure(self->fd, &self->setup));

	self->period = 10007;
	begin(_metadata, self, USER, PMC_SAMPLE_USER_CALLCHAIN | PMC_SAMPLE_MMAPS, 0);
	self->descent.depth = 3;
	self->descent.calls = 1;
	self->descent.rounds = ROUNDS / 20;
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, sampled_descent(&self->descent));
		sched_yield();
		usleep(100);
	}
	for (w = 0; w < self->rings.ring[0].length / sizeof(*word); w++) {
		word = (const uint64_t *)self->rings.ring[0].shared + w;
		EXPECT_EQ(0, *word >> 63) {
			TH_LOG("%#llx at %zu", (long long)*word, w * 8);
		}
	}
	while ((sample = next(self, sample))) {
		EXPECT_EQ(3, sample->privilege);
		EXPECT_EQ(0, sample->ip >> 47);
		EXPECT_EQ(0, sample->nr_kernel_frames);
		for (i = 0; i < sample->nr_user_frames; i++)
			EXPECT_EQ(0, sample->data[sample->nr_counters + i] >> 47);
	}
	EXPECT_LT(50, self->tally.samples);
	end(_metadata, self);
}

TEST_F(chain, unprivileged)
{
	/* the default of kernels from 5.16 on */
	const struct rlimit memory = { 8 << 20, 8 << 20 };

	NEED_ROOT();
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &memory));
	ASSERT_EQ(0, setgid(USER_NOBODY));
	ASSERT_EQ(0, setuid(USER_NOBODY));
	/* so that the harness still gets the result */
	ASSERT_EQ(0, prctl(PR_SET_DUMPABLE, 1));
	unprivileged(_metadata, self);
}

TEST_HARNESS_MAIN
