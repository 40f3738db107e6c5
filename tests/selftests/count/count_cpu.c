// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests contexts that count CPUs
 *
 * The user-mode count of a CPU is known exactly because the test decides what runs there in
 * user mode. The test and its child are bound to the CPU and have real-time priority, and only
 * one of them is runnable at a time, so no other process gets the CPU between START and STOP.
 * Outside the measured program, each of the two executes one piece of assembly; its
 * instructions are counted by hand.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "acquisitions.h"

FIXTURE(cpu) {
	BASE_FIXTURE;
	const struct program *loop;
};

FIXTURE_SETUP(cpu)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	LOAD_PROGRAM(self->loop, "./loop-1m");
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(cpu)
{
	acquisitions_ignore();
	close(self->fd);
}

#ifdef __x86_64__

/*
 * START, a byte to the child, wait for its end, STOP. Counted:
 *
 *				instructions	branches
 *	(START)			0		0
 *	mov * 4 (write)		4		0
 *	syscall			1		1
 *	mov * 5, (waitid)	5		0
 *	syscall			1		1
 *	mov * 4 (STOP)		4		0
 *	syscall			1		1
 *	together		16		3
 *
 * The loading of the registers in C order: each "mov" is one instruction, from
 * registers that nothing else uses and that SYSCALL leaves alone.
 */
#define PARENT_INSTRUCTIONS	16
#define PARENT_BRANCHES		3

struct order {
	long fd;
	long go;
	long pid;
	siginfo_t *info;
};

static long run_order(const struct order *order)
{
	register long fd asm("r12") = order->fd;
	register long go asm("r13") = order->go;
	register long pid asm("r14") = order->pid;
	register siginfo_t *info asm("r15") = order->info;
	register long options asm("r10") = WEXITED;
	register long usage asm("r8") = 0;
	long result;

	asm volatile("mov	%[ioctl], %%eax\n\t"
		     "mov	%[fd], %%rdi\n\t"
		     "mov	%[start], %%esi\n\t"
		     "mov	$0, %%edx\n\t"
		     "syscall\n\t"
		     /* counting begins */
		     "mov	%[write], %%eax\n\t"
		     "mov	%[go], %%rdi\n\t"
		     "mov	%[info], %%rsi\n\t"
		     "mov	$1, %%edx\n\t"
		     "syscall\n\t"
		     "mov	%[waitid], %%eax\n\t"
		     "mov	%[p_pid], %%edi\n\t"
		     "mov	%[pid], %%rsi\n\t"
		     "mov	%[info], %%rdx\n\t"
		     "mov	%[options], %%r10\n\t"
		     "syscall\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%[fd], %%rdi\n\t"
		     "mov	%[stop], %%esi\n\t"
		     "mov	$0, %%edx\n\t"
		     "syscall\n\t"
		     /* counting ends */
		     : "=&a" (result)
		     : [fd] "r" (fd), [go] "r" (go), [pid] "r" (pid), [info] "r" (info),
		       [options] "r" (options), "r" (usage), [ioctl] "i" (SYS_ioctl),
		       [write] "i" (SYS_write), [waitid] "i" (SYS_waitid),
		       [start] "i" (PMC_IOC_START), [stop] "i" (PMC_IOC_STOP), [p_pid] "i" (P_PID)
		     : "rcx", "r11", "rdi", "rsi", "rdx", "memory");
	return result;
}

/*
 * The child reads the word (it blocks before START) and executes the program. Counted: 4 mov
 * and 1 SYSCALL (execve), of them 1 branch. The SYSCALL of the read comes before START; the
 * read returns after it.
 */
#define CHILD_INSTRUCTIONS	5
#define CHILD_BRANCHES		1

static void __attribute__((noreturn)) run_child(long from, const struct program *program)
{
	register const char *path asm("r12") = program->argv[0];
	register char *const *argv asm("r13") = program->argv;
	register char **envp asm("r14") = environ;
	char word;

	asm volatile("mov	%[read], %%eax\n\t"
		     "mov	$1, %%edx\n\t"
		     "syscall\n\t"
		     /* counting begins */
		     "mov	%[execve], %%eax\n\t"
		     "mov	%[path], %%rdi\n\t"
		     "mov	%[argv], %%rsi\n\t"
		     "mov	%[envp], %%rdx\n\t"
		     "syscall\n\t"
		     /* to here */
		     :
		     : "D" (from), "S" (&word), [path] "r" (path), [argv] "r" (argv),
		       [envp] "r" (envp), [read] "i" (SYS_read), [execve] "i" (SYS_execve)
		     : "rax", "rcx", "r11", "rdx", "memory");
	_exit(126);
}

/*
 * Is the child blocked in read()? /proc shows the number of its system call; 0 is read. The
 * yield lets the child get there: it has the same priority on the same CPU.
 */
static bool blocked_in_read(pid_t pid)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	return !file_read(path, text, sizeof(text)) && !strncmp(text, "0 ", 2);
}

static void count_alone(struct __test_metadata *_metadata, struct _test_data_cpu *self,
			uint64_t event)
{
	const struct program *program = self->loop;
	int last = cpus_online() - 1;
	struct order order;
	siginfo_t info;
	uint64_t known;
	unsigned int i;
	int pipes[2];
	pid_t pid;

	ASSERT_EQ(0, pin(0, last));
	if (schedule_as(0, SCHED_FIFO))
		SKIP(return, "no real-time priority here");
	setup_cpu(&self->setup, last);
	setup_add_all(&self->setup, &self->query, event, PMC_COUNT_USER);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, pipe2(pipes, O_CLOEXEC));
	pid = fork();
	ASSERT_LE(0, pid);
	if (pid == 0)
		run_child(pipes[0], program);
	while (!blocked_in_read(pid))
		sched_yield();

	order = (struct order){ .fd = self->fd, .go = pipes[1], .pid = pid, .info = &info };
	ASSERT_EQ(0, run_order(&order));
	ASSERT_EQ(CLD_EXITED, info.si_code);
	ASSERT_EQ(0, info.si_status);

	known = program_count(program, event);
	known += event == EVENT_BRANCHES ? PARENT_BRANCHES + CHILD_BRANCHES :
					   PARENT_INSTRUCTIONS + CHILD_INSTRUCTIONS;
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(last, self->reading.cpu);
	EXPECT_EQ(0, self->reading.state);
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(known, self->reading.value[i]);
}

TEST_F(cpu, instructions_of_all_tasks)
{
	count_alone(_metadata, self, EVENT_INSTRUCTIONS);
}

TEST_F(cpu, branches_of_all_tasks)
{
	count_alone(_metadata, self, EVENT_BRANCHES);
}

#endif /* __x86_64__ */

/* With all CPUs stopped, the values of the CPUs add up to the sum. */
TEST_F(cpu, all_cpus_equal_the_sum)
{
	uint64_t sum[PMC_COUNTERS_MAX] = { 0 }, counted = 0;
	struct reading one;
	struct child child;
	unsigned int i;
	int cpu;

	setup_all_cpus_all(&self->setup, &self->query);
	CONFIGURE_AND_START(self->fd, &self->setup);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, child_program(&child, self->loop));
		ASSERT_EQ(0, pin(child.pid, cpu));
		ASSERT_EQ(0, child_run(&child));
	}
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_EQ(-1, self->reading.cpu);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, reading_read_cpu(self->fd, cpu, &one));
		EXPECT_EQ(cpu, one.cpu);
		/* The program ran there. */
		EXPECT_LE(self->loop->instructions, one.value[0]);
		counted += one.time_counted;
		for (i = 0; i < one.nr_counters; i++) {
			sum[i] += one.value[i];
			EXPECT_EQ(one.value[0], one.value[i]);
		}
	}
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_EQ(sum[i], self->reading.value[i]);
	EXPECT_EQ(counted, self->reading.time_counted);
}

/* A value written is the new sum; the value of one CPU restarts from 0. */
TEST_F(cpu, write_sets_the_sum)
{
	struct pmc_write write = { .size = sizeof(write), .nr_counters = 1 };
	uint64_t value = 1ULL << 60;
	struct reading one;
	int cpu;

	write.values = (uintptr_t)&value;
	setup_all_cpus_one(&self->setup);
	self->setup.counter[0].initial = 1234567890123;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(1234567890123, self->reading.value[0]);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_LT(1234567890123, self->reading.value[0]);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_WRITE, &write));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(value, self->reading.value[0]);
	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_EQ(0, reading_read_cpu(self->fd, cpu, &one));
		EXPECT_EQ(0, one.value[0]);
	}
}

/* A context of a CPU and one of a thread that may run there cannot share a counter. */
TEST_F(cpu, cpu_and_thread_exclude_each_other)
{
	struct setup setup;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	setup_cpu_one(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	setup_thread_one(&setup, 0, 0);
	ASSERT_EQ(-EBUSY, setup_configure(fd, &setup));
	EXPECT_EQ(PMC_HOLDER_CONTEXT, setup.config.holder.kind);
	EXPECT_EQ(0, setup.config.holder.cpu);
	EXPECT_EQ(0, setup.config.holder.tid);
	setup_all_cpus_one(&setup);
	ASSERT_EQ(-EBUSY, setup_configure(fd, &setup));
	ASSERT_EQ(0, close(self->fd));
	ASSERT_EQ(0, setup_configure(fd, &setup));
	self->fd = fd;
}

/* Two contexts use the same counter on different CPUs. */
TEST_F(cpu, two_cpus_on_one_counter)
{
	struct reading other;
	struct child child;
	struct setup setup;
	int fd = pmc_open();

	NEED_CPUS(2);
	ASSERT_LE(0, fd);
	setup_cpu_one(&self->setup, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	setup_cpu_one(&setup, 1);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	ASSERT_EQ(0, pin(0, 0));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	ASSERT_EQ(0, child_program(&child, self->loop));
	ASSERT_EQ(0, pin(child.pid, 1));
	ASSERT_EQ(0, child_run(&child));
	ASSERT_EQ(0, reading_read(fd, &other));
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(1, other.cpu);
	EXPECT_EQ(PMC_STATE_RUNNING, other.state);
	EXPECT_LE(self->loop->instructions, other.value[0]);
	EXPECT_EQ(0, self->reading.cpu);
}

/* The driver acquires the CPUs on which a context can count, and leaves the others alone. */
TEST_F(cpu, other_cpus_are_left_alone)
{
	unsigned int all = cpus_online() < 32 ? (1u << cpus_online()) - 1 : ~0u;
	struct setup setup;
	int fd;

	NEED_CPUS(2);
	NEED_ACQUISITIONS();
	OPEN_DEVICE(fd);
	setup_cpu_one(&self->setup, 1);
	CONFIGURE_AND_START(self->fd, &self->setup);
	EXPECT_EQ(2, acquisitions_seen().ever);
	setup_all_cpus_one(&setup);
	ASSERT_EQ(-EBUSY, setup_configure(fd, &setup));
	EXPECT_EQ(2, acquisitions_seen().ever);
	setup_cpu_one(&setup, 0);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	EXPECT_EQ(3, acquisitions_seen().ever);
	ASSERT_EQ(0, close(fd));
	EXPECT_EQ(0, acquisitions_seen().now & 1);
	STOP_AND_READ(self->fd, &self->reading);
	ASSERT_EQ(0, close(self->fd));
	EXPECT_EQ(0, acquisitions_seen().now);
	OPEN_DEVICE(self->fd);
	NEED_ACQUISITIONS();
	setup_thread_one(&self->setup, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(all, acquisitions_seen().ever);
}

/* The caller's CPU is counted from START to STOP, in kernel mode too. */
TEST_F(cpu, kernel_mode_of_a_cpu)
{
	__u64 *value = self->reading.value;

	if (!(self->query.features & PMC_FEATURE(GLOBAL_CTRL)) || !(self->query.fixed_counters & 1))
		SKIP(return, "needs three counters that start at once");
	ASSERT_EQ(0, pin(0, 0));
	setup_cpu_one(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS, PMC_COUNT_KERNEL);
	setup_add(&self->setup, FIXED_INSTRUCTIONS, 0, PMC_COUNT_USER | PMC_COUNT_KERNEL);
	CONFIGURE_AND_START(self->fd, &self->setup);
	STOP_AND_READ(self->fd, &self->reading);
	EXPECT_LT(0, value[0]);
	EXPECT_LT(0, value[1]);
	EXPECT_EQ(value[0] + value[1], value[2]);
}

TEST_HARNESS_MAIN
