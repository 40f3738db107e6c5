// SPDX-License-Identifier: GPL-2.0-only
/*
 * The local APIC's entry for performance counters: ours while somebody samples,
 * on every CPU, and afterwards what it was before, however that ended.
 *
 * It is looked at through /dev/mem, for which the kernel has to be booted with
 * iomem=relaxed, so this is not among what "run" runs by itself.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "fixture.h"
#include "kselftest_harness.h"
#include "claim_all.h"
#include "process_tree.h"
#include "module.h"
#include "samples.h"
#include "suspend.h"

/* SDM Volume 3A, "Local APIC Register Address Map" */
#define APIC_BASE	0xfee00000
#define APIC_LVTPC	0x340

#define LVT_MASKED	0x10000
#define LVT_NMI		0x400
#define LVT_VECTOR	0xfd

#define CPU1		"/sys/devices/system/cpu/cpu1/online"
#define CPUS_MAX	8

static volatile uint32_t *apic;

static uint32_t lvtpc_read(int cpu)
{
	cpu_set_t before;
	uint32_t value;

	sched_getaffinity(0, sizeof(before), &before);
	pin(0, cpu);
	value = apic[APIC_LVTPC / 4];
	sched_setaffinity(0, sizeof(before), &before);
	return value;
}

static void lvtpc_write(int cpu, uint32_t value)
{
	cpu_set_t before;

	sched_getaffinity(0, sizeof(before), &before);
	pin(0, cpu);
	apic[APIC_LVTPC / 4] = value;
	sched_setaffinity(0, sizeof(before), &before);
}

FIXTURE(lvtpc) {
	BASE_FIXTURE;
	uint32_t before[CPUS_MAX];
	int cpus;
};

/* Something else on each CPU, so that a mix-up shows. */
FIXTURE_SETUP(lvtpc)
{
	int mem, cpu;

	NEED_SAMPLING(&self->query);
	NEED_ROOT();
	mem = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
	ASSERT_LE(0, mem);
	apic = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, mem, APIC_BASE);
	if (apic == MAP_FAILED)
		SKIP(return, "the local APIC cannot be mapped (boot with iomem=relaxed)");
	self->cpus = cpus_online();
	ASSERT_GE(CPUS_MAX, self->cpus);
	for (cpu = 0; cpu < self->cpus; cpu++) {
		self->before[cpu] = cpu & 1 ? LVT_MASKED | LVT_VECTOR : LVT_MASKED | LVT_NMI;
		lvtpc_write(cpu, self->before[cpu]);
		ASSERT_EQ(self->before[cpu], lvtpc_read(cpu));
	}
	OPEN_DEVICE(self->fd);
	setup_all_cpus_one(&self->setup);
	setup_period(&self->setup, 0, 10007);
}

FIXTURE_TEARDOWN(lvtpc)
{
	int cpu;

	for (cpu = 0; cpu < self->cpus; cpu++)
		lvtpc_write(cpu, LVT_NMI);
	close(self->fd);
}

static void expect_all(struct __test_metadata *_metadata, struct _test_data_lvtpc *self,
		       bool armed)
{
	int cpu;

	for (cpu = 0; cpu < self->cpus; cpu++) {
		EXPECT_EQ(armed ? LVT_NMI : self->before[cpu], lvtpc_read(cpu)) {
			TH_LOG("CPU %d", cpu);
		}
	}
}

/* Armed on every CPU from the configuration on, and after interrupts too. */
TEST_F(lvtpc, release)
{
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	expect_all(_metadata, self, true);
	ASSERT_EQ(0, sampled_loop(self->fd, 100000, PMC_IOC_START, PMC_IOC_STOP));
	expect_all(_metadata, self, true);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	expect_all(_metadata, self, false);
}

/* One CPU is sampled, or a thread: a context may follow it anywhere. */
TEST_F(lvtpc, thread)
{
	setup_thread_one(&self->setup, 0, 0);
	setup_period(&self->setup, 0, 10007);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	expect_all(_metadata, self, true);
	ASSERT_EQ(0, sampled_loop(self->fd, 100000, PMC_IOC_START, PMC_IOC_STOP));
	ASSERT_EQ(0, close(self->fd));
	expect_all(_metadata, self, false);
}

/* Nobody samples: it is left alone. */
TEST_F(lvtpc, without_a_period)
{
	setup_period(&self->setup, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, sampled_loop(self->fd, 100000, PMC_IOC_START, PMC_IOC_STOP));
	expect_all(_metadata, self, false);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	expect_all(_metadata, self, false);
}

/* Two contexts: the first to go leaves it to the other. */
TEST_F(lvtpc, two_contexts)
{
	int other = pmc_open();
	struct setup second;

	ASSERT_LE(0, other);
	second = self->setup;
	second.config.counters = (uintptr_t)second.counter;
	second.counter[0].counter = PMC_COUNTER_GENERAL(1);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, setup_configure(other, &second));
	ASSERT_EQ(0, close(other));
	expect_all(_metadata, self, true);
	ASSERT_EQ(0, sampled_loop(self->fd, 100000, PMC_IOC_START, PMC_IOC_STOP));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	expect_all(_metadata, self, false);
}

/* A process that samples every CPU is killed in the middle of it. 0 or a negative errno. */
static int sample_and_be_killed(struct setup *setup)
{
	int *started = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();

	if (pid == 0) {
		int fd = pmc_open();

		if (setup_configure(fd, setup) || pmc_call(fd, PMC_IOC_START, NULL))
			_exit(1);
		__atomic_store_n(started, 1, __ATOMIC_RELEASE);
		for (;;)
			asm volatile("");
	}
	while (!__atomic_load_n(started, __ATOMIC_ACQUIRE)) {
		if (waitpid(pid, NULL, WNOHANG))
			return -ECHILD;
	}
	munmap(started, 4096);
	usleep(2000);
	return kill(pid, SIGKILL) || waitpid(pid, NULL, 0) != pid ? -errno : 0;
}

/* Again and again */
TEST_F(lvtpc, killed)
{
	unsigned int i;

	for (i = 0; i < 10; i++) {
		setup_period(&self->setup, 0, i & 1 ? 10007 : 1);
		ASSERT_EQ(0, sample_and_be_killed(&self->setup));
		expect_all(_metadata, self, false);
	}
}

/* Refused when it is ours already: the answer cannot be written. */
TEST_F(lvtpc, after_faulting_configure_reply)
{
	ASSERT_EQ(-EFAULT, setup_unanswered(self->fd, &self->setup));
	expect_all(_metadata, self, false);
}

/* Loaded and unloaded: loading alone changes nothing. */
TEST_F(lvtpc, module)
{
	ASSERT_EQ(0, close(self->fd));
	ASSERT_EQ(0, module_unload());
	expect_all(_metadata, self, false);
	ASSERT_EQ(0, module_load());
	expect_all(_metadata, self, false);
	OPEN_DEVICE(self->fd);
	ASSERT_EQ(-EFAULT, setup_unanswered(self->fd, &self->setup));
	expect_all(_metadata, self, false);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, sampled_loop(self->fd, 100000, PMC_IOC_START, PMC_IOC_STOP));
	expect_all(_metadata, self, true);
	ASSERT_EQ(0, close(self->fd));
	expect_all(_metadata, self, false);
	ASSERT_EQ(0, sample_and_be_killed(&self->setup));
	expect_all(_metadata, self, false);
	ASSERT_EQ(0, module_unload());
	expect_all(_metadata, self, false);
	ASSERT_EQ(0, module_load());
}

/* A CPU that goes and comes: the kernel sets its entry anew, and so do we. */
TEST_F(lvtpc, cpu_offline_online)
{
	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, file_write(CPU1, "0"));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	expect_all(_metadata, self, true);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	/* what the kernel has set when the CPU came */
	self->before[1] = LVT_NMI;
	expect_all(_metadata, self, false);

	lvtpc_write(1, LVT_MASKED | LVT_NMI);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, file_write(CPU1, "0"));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	expect_all(_metadata, self, false);
}

/* The system is suspended: as it was found, the kernel suspends it and brings it back. */
TEST_F(lvtpc, suspended)
{
	static const struct sleep sleep = { "none", "mem" };
	const char *why = sleep_prepare(&sleep);

	if (why)
		SKIP(return, "%s", why);
	ASSERT_EQ(0, pin(0, 0));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, sleep_now(&sleep));
	expect_all(_metadata, self, true);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	/* what the kernel has set when the others came */
	self->before[1] = LVT_NMI;
	expect_all(_metadata, self, false);
}

TEST_HARNESS_MAIN
