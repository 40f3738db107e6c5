// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests START of a thread that runs on another CPU and never yields: counting begins at START,
 * not at the next switch
 *
 * The count is known except for the position in the loop at START.
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"

#define ROUNDS	1000	/* the least number of rounds after START */
#define TIMES	50

#ifdef __x86_64__
#define KERNEL_ENTRY	"xor	%%edi, %%edi\n\tsyscall"
#else
#define KERNEL_ENTRY	"xor	%%ebx, %%ebx\n\tint	$0x80"
#endif

/**
 * struct spinner - shared with the process that spins
 * @tid: its thread ID
 * @rounds: rounds begun
 * @end: it may end
 */
struct spinner {
	int tid;
	unsigned int rounds;
	unsigned int end;
};

/*
 *			instructions	branches
 * a round		3		1	(incl, cmpl, je)
 * the end		3		1	(mov, xor, the system call)
 */
#define ROUND	3
#define END	3

static void __attribute__((noreturn)) spin(struct spinner *spinner)
{
	asm volatile("1:	incl	%[rounds]\n\t"
		     "cmpl	$0, %[end]\n\t"
		     "je	1b\n\t"
		     "mov	%[exit], %%eax\n\t"
		     KERNEL_ENTRY
		     : [rounds] "+m" (spinner->rounds)
		     : [end] "m" (spinner->end), [exit] "i" (SYS_exit_group)
		     : "memory");
	__builtin_unreachable();
}

/* Spin on CPU 1, where no other process runs. */
static void __attribute__((noreturn)) spin_alone(struct spinner *spinner)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pin(0, 1) || schedule_as(0, SCHED_FIFO))
		_exit(1);
	__atomic_store_n(&spinner->tid, getpid(), __ATOMIC_RELEASE);
	spin(spinner);
}

FIXTURE(start_remote) {
	BASE_FIXTURE;
	struct spinner *spinner;
	pid_t parent;			/* its only child spins */
	int go, waits;			/* both ends of its pipe */
	int keeper;
};

static void configure(struct __test_metadata *_metadata, struct _test_data_start_remote *self,
		      int fd, uint32_t scope, pid_t pid)
{
	setup_follow(&self->setup, scope, pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(fd, &self->setup));
}

FIXTURE_SETUP(start_remote)
{
	NEED_COUNTERS(&self->query);
	NEED_CPUS(2);
	NEED_ROOT();
	ASSERT_EQ(0, pin(0, 0));
	self->spinner = mmap(NULL, sizeof(*self->spinner), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->spinner);
	OPEN_DEVICE(self->fd);
	/*
	 * Claiming the registers of a CPU would interrupt it, and START must be the first
	 * interruption: so this context claims them before.
	 */
	OPEN_DEVICE(self->keeper);
	configure(_metadata, self, self->keeper, PMC_SCOPE_THREAD, 0);
}

FIXTURE_TEARDOWN(start_remote)
{
	if (self->parent > 0)
		kill(self->parent, SIGKILL);
	close(self->fd);
	close(self->keeper);
}

static unsigned int rounds_now(const struct spinner *spinner)
{
	return __atomic_load_n(&spinner->rounds, __ATOMIC_ACQUIRE);
}

/* A process that waits for a byte, forks the spinning child, and waits for another byte. */
static void parent_begin(struct __test_metadata *_metadata, struct _test_data_start_remote *self)
{
	char byte;
	int go[2];

	memset(self->spinner, 0, sizeof(*self->spinner));
	ASSERT_EQ(0, pipe2(go, O_CLOEXEC));
	self->parent = fork();
	ASSERT_LE(0, self->parent);
	if (self->parent == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (read(go[0], &byte, 1) == 1 && fork() == 0)
			spin_alone(self->spinner);
		while (read(go[0], &byte, 1) == 1)
			;
		_exit(0);
	}
	self->go = go[1];
	self->waits = go[0];
}

static void spinner_begin(struct __test_metadata *_metadata, struct _test_data_start_remote *self)
{
	ASSERT_EQ(1, write(self->go, "", 1));
	while (rounds_now(self->spinner) < ROUNDS)
		sched_yield();
	/* now it executes no more instructions */
	task_wait_in(self->parent, self->parent, SYS_read, self->waits);
}

static void spinner_end(struct __test_metadata *_metadata, struct _test_data_start_remote *self)
{
	struct pollfd ended = { .events = POLLIN };

	ended.fd = syscall(SYS_pidfd_open, self->spinner->tid, 0);
	ASSERT_LE(0, ended.fd);
	__atomic_store_n(&self->spinner->end, 1, __ATOMIC_RELEASE);
	ASSERT_EQ(1, poll(&ended, 1, -1));
	close(ended.fd);
}

/*
 * Of the round interrupted by START remain: incl, cmpl, je; or cmpl, je; or je. So the branches
 * give the rounds that ended since START, and the instructions the rounds begun before. START
 * lies between the two reads of the round counter. On hardware both counts can have the same
 * excess; another one would leave more or less of a round.
 */
static void one_start(struct __test_metadata *_metadata, struct _test_data_start_remote *self,
		      uint32_t scope)
{
	unsigned int before, after, all;
	uint64_t ended, begun, missing, excess = 0;

	parent_begin(_metadata, self);
	if (scope == PMC_SCOPE_TREE)
		configure(_metadata, self, self->fd, scope, self->parent);
	spinner_begin(_metadata, self);
	if (scope != PMC_SCOPE_TREE)
		configure(_metadata, self, self->fd, scope, self->spinner->tid);

	before = rounds_now(self->spinner);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	after = rounds_now(self->spinner);
	while (rounds_now(self->spinner) < after + ROUNDS)
		;
	spinner_end(_metadata, self);
	all = rounds_now(self->spinner);

	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	ASSERT_LE(ROUNDS + 1, self->reading.value[1]);
	do {
		ended = self->reading.value[1] - excess - 1;
		missing = ROUND * ended - (self->reading.value[0] - excess - END);
	} while (missing >= ROUND && ++excess <= overcount_most());
	ASSERT_GT(ROUND, missing);
	begun = ended - !!missing;
	ASSERT_LE(all - after, begun);
	ASSERT_GE(all - before, begun);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	kill(self->parent, SIGKILL);
	ASSERT_EQ(self->parent, waitpid(self->parent, NULL, 0));
	self->parent = 0;
	close(self->go);
	close(self->waits);
}

static void starts(struct __test_metadata *_metadata, struct _test_data_start_remote *self,
		   uint32_t scope)
{
	unsigned int n;

	for (n = 0; n < TIMES; n++)
		one_start(_metadata, self, scope);
}

TEST_F(start_remote, thread)
{
	starts(_metadata, self, PMC_SCOPE_THREAD);
}

TEST_F(start_remote, process)
{
	starts(_metadata, self, PMC_SCOPE_PROCESS);
}

TEST_F(start_remote, child_in_a_tree)
{
	starts(_metadata, self, PMC_SCOPE_TREE);
}

TEST_HARNESS_MAIN
