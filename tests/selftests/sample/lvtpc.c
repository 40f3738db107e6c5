// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the LVTPC of the local APIC: on every CPU the driver's from the CONFIGURE of a context with
 * a period to its release, and afterwards what it was before, however the sampling ended
 *
 * The test reads it through /dev/mem, which needs a kernel booted with iomem=relaxed, so `run`
 * runs it only by name.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest_harness.h"
#include "fixture.h"
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

/* A different value on each CPU, so that a mix-up shows */
FIXTURE_SETUP(lvtpc)
{
	int mem, cpu;

	NEED_SAMPLING_AND_ROOT(&self->query);
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

/* Armed on every CPU from CONFIGURE on, and after interrupts too */
TEST_F(lvtpc, release)
{
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	expect_all(_metadata, self, true);
	ASSERT_EQ(0, sampled_loop(self->fd, 100000, PMC_IOC_START, PMC_IOC_STOP));
	expect_all(_metadata, self, true);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	expect_all(_metadata, self, false);
}

/* Also if one thread is sampled: it can run on any CPU. */
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

/* Without a sampling context it is left alone. */
TEST_F(lvtpc, without_a_period)
{
	setup_period(&self->setup, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, sampled_loop(self->fd, 100000, PMC_IOC_START, PMC_IOC_STOP));
	expect_all(_metadata, self, false);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	expect_all(_metadata, self, false);
}

/* Two contexts: the first to be released leaves it to the other. */
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

/* Sample every CPU in a process and kill it. Returns 0 or a negative errno. */
static int sample_and_be_killed(struct setup *setup)
{
	int *started = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();

	if (pid == 0) {
		int fd = pmc_open();

		if (setup_configure(fd, setup) || pmc_call(fd, PMC_IOC_START, NULL))
			_exit(1);
		__atomic_store_n(started, 1, __ATOMIC_RELEASE);
		spin_forever();
	}
	while (!__atomic_load_n(started, __ATOMIC_ACQUIRE)) {
		if (waitpid(pid, NULL, WNOHANG))
			return -ECHILD;
	}
	munmap(started, 4096);
	usleep(2000);
	return kill(pid, SIGKILL) || waitpid(pid, NULL, 0) != pid ? -errno : 0;
}

/* Killed repeatedly */
TEST_F(lvtpc, killed)
{
	unsigned int i;

	for (i = 0; i < 10; i++) {
		setup_period(&self->setup, 0, i & 1 ? 10007 : 1);
		ASSERT_EQ(0, sample_and_be_killed(&self->setup));
		expect_all(_metadata, self, false);
	}
}

/* CONFIGURE fails after the driver has set the LVTPC: the reply cannot be written. */
TEST_F(lvtpc, after_faulting_configure_reply)
{
	ASSERT_EQ(-EFAULT, setup_unanswered(self->fd, &self->setup));
	expect_all(_metadata, self, false);
}

/* Loading and unloading alone change nothing. */
TEST_F(lvtpc, module)
{
	if (getenv("PMCDRV_KEEP"))
		SKIP(return, "the module is to stay loaded");
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

/* A CPU goes offline and comes back: the kernel sets its LVTPC again, and so does the driver. */
TEST_F(lvtpc, cpu_offline_online)
{
	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	CONFIGURE_AND_START(self->fd, &self->setup);
	ASSERT_EQ(0, file_write(CPU1, "0"));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	expect_all(_metadata, self, true);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	/* what the kernel set when the CPU came online */
	self->before[1] = LVT_NMI;
	expect_all(_metadata, self, false);

	lvtpc_write(1, LVT_MASKED | LVT_NMI);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	ASSERT_EQ(0, file_write(CPU1, "0"));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, file_write(CPU1, "1"));
	expect_all(_metadata, self, false);
}

/* The system is suspended: the kernel saves the value that was found and restores it. */
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
	/* what the kernel set when the other CPUs came online */
	self->before[1] = LVT_NMI;
	expect_all(_metadata, self, false);
}

TEST_HARNESS_MAIN
