// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests foreign NMIs during sampling: they reach their owners, also together with the driver's,
 * and the driver claims no unclaimed NMI
 *
 * The kernel warns of unclaimed NMIs, and the test sends NMIs through the local APIC without
 * the kernel (/dev/mem, iomem=relaxed), so `run` runs it only by name.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "process_tree.h"
#include "samples.h"
#include "user_read.h"

/* SDM Volume 3A, "Interrupt Command Register (ICR)" */
#define APIC_BASE	0xfee00000
#define APIC_ID		0x020
#define APIC_ICR_LOW	0x300
#define APIC_ICR_HIGH	0x310
#define APIC_LVTPC	0x340
#define ICR_NMI		0x400
#define ICR_PENDING	0x1000
#define ICR_ASSERT	0x4000
#define LVT_MASKED	0x10000

#define UNKNOWN		"NMI received for unknown reason"
#define BACKTRACE	"NMI backtrace for cpu 1"

FIXTURE(nmi) {
	SAMPLING_FIXTURE;
	volatile uint32_t *apic;
	unsigned int nmis[2];
	unsigned int unknown;
	int kmsg;
};

FIXTURE_SETUP(nmi)
{
	int mem;

	NEED_SAMPLING_AND_ROOT(&self->query);
	NEED_CPUS(2);
	ASSERT_EQ(0, pin(0, 0));
	mem = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
	ASSERT_LE(0, mem);
	self->apic = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, mem, APIC_BASE);
	if (self->apic == MAP_FAILED)
		SKIP(return, "the local APIC cannot be mapped (boot with iomem=relaxed)");
	self->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->kmsg);
	ASSERT_LE(0, lseek(self->kmsg, 0, SEEK_END));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_CLOSE(nmi)

/* The number of new lines of the kernel's log with @text. Those with UNKNOWN are added up, too. */
static unsigned int logged(struct _test_data_nmi *self, const char *text)
{
	unsigned int nr = 0;
	char line[8192];
	ssize_t length;

	for (;;) {
		length = read(self->kmsg, line, sizeof(line) - 1);
		if (length < 0 && errno == EPIPE)
			continue;
		if (length <= 0)
			return nr;
		line[length] = 0;
		nr += !!strstr(line, text);
		self->unknown += !!strstr(line, UNKNOWN);
	}
}

static void send_nmi(const struct _test_data_nmi *self, uint32_t apic_id)
{
	self->apic[APIC_ICR_HIGH / 4] = apic_id << 24;
	self->apic[APIC_ICR_LOW / 4] = ICR_NMI | ICR_ASSERT;
	while (self->apic[APIC_ICR_LOW / 4] & ICR_PENDING)
		;
}

static void begin(struct __test_metadata *_metadata, struct _test_data_nmi *self,
		  uint64_t period)
{
	setup_all_cpus_one(&self->setup);
	setup_period(&self->setup, 0, period);
	self->setup.config.ring_size = 1 << 22;
	BEGIN_SAMPLING();
	nmis_taken(self->nmis);
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
}

static void stop(struct __test_metadata *_metadata, struct _test_data_nmi *self)
{
	int cpu;

	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	tally_rings(&self->tally, &self->rings);
	for (cpu = 0; cpu < 2; cpu++) {
		ASSERT_EQ(0, reading_read_cpu(self->fd, cpu, &self->reading));
		EXPECT_EQ(self->reading.value[0] / self->setup.counter[0].period,
			  tally_of(&self->tally, cpu, 0));
	}
	EXPECT_LT(0, self->tally.samples);
}

static void end(struct __test_metadata *_metadata, struct _test_data_nmi *self)
{
	stop(_metadata, self);
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
}

static void wait_for_sample(const struct _test_data_nmi *self, int cpu)
{
	const uint32_t *head = &self->rings.ring[cpu].shared->head;
	uint32_t before = __atomic_load_n(head, __ATOMIC_RELAXED);

	while (__atomic_load_n(head, __ATOMIC_RELAXED) == before)
		;
}

/*
 * AMD's local APIC does not show which interrupts are the driver's: every NMI is treated as a
 * late one of them until 100 ms after an overflow was handled, and none later. A
 * local APIC that masks LVTPC, as KVM's did on AMD, shows it (PMCDRV_QUIRK=mask).
 */
static bool all_claimed(void)
{
	const char *quirk = getenv("PMCDRV_QUIRK");

	return is_amd() && !(quirk && !strcmp(quirk, "mask"));
}

/* After the last sampling context: twice as long */
static void wait_until_none_claimed(void)
{
	if (all_claimed())
		usleep(200000);
}

/* Do overflow interrupts come later than their overflows, as on hardware? */
static bool pmis_are_late(void)
{
	return getenv("PMCDRV_SKID");
}

/*
 * NMIs that @cpu took without an overflow are reported by the kernel, or the driver claimed
 * them as spurious (@claimed: or as late, because READ had handled their overflow). @sent were
 * sent there. The test cannot know how many the CPU took: an NMI pending at the same
 * instruction as another is none of its own. One that comes between an overflow and its
 * interrupt handles that overflow. The interrupt of that overflow is then
 *
 * - unclaimed, if it comes before the local APIC is armed: the kernel reports it as if it were
 * the other one;
 *
 * - spurious, if it comes later.
 *
 * Where interrupts are not late, there is nothing between.
 */
static void expect_foreign(struct __test_metadata *_metadata, struct _test_data_nmi *self,
			   int cpu, unsigned int sent, bool claimed)
{
	uint64_t spurious_nmi = spurious_now(self->fd) - self->spurious;
	unsigned int taken[2] = { 0 }, others;

	nmis_taken(taken);
	others = taken[cpu] - self->nmis[cpu] - tally_of(&self->tally, cpu, 0);
	EXPECT_GE(sent, others);
	EXPECT_LT(0, self->unknown);
	if (claimed && pmis_are_late()) {
		EXPECT_GE(others, self->unknown + spurious_nmi);
	} else {
		EXPECT_EQ(others, self->unknown + spurious_nmi);
	}
	if (pmis_are_late())
		self->spurious += spurious_nmi;
}

static void end_with_others(struct __test_metadata *_metadata, struct _test_data_nmi *self,
			    int cpu, unsigned int sent, bool claimed)
{
	stop(_metadata, self);
	logged(self, UNKNOWN);
	if (all_claimed()) {
		EXPECT_EQ(0, self->unknown);
	} else {
		expect_foreign(_metadata, self, cpu, sent, claimed);
	}
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
}

/* CPU 1 handles overflows, and reads the counts there if @fd is a file. */
static pid_t busy(int fd)
{
	struct reading reading;
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(0, 1);
		while (fd < 0 || !reading_read_cpu(fd, 1, &reading))
			asm volatile("");
		_exit(1);
	}
	return pid;
}

static void end_busy(struct __test_metadata *_metadata, pid_t pid)
{
	int status;

	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
}

/*
 * The kernel requests backtraces from the other CPU by NMIs. Each is answered, and none is
 * unclaimed: an NMI that comes before a late one of the driver and handles its overflow has two
 * claimants, and then the kernel swallows one that follows at once.
 */
TEST_F(nmi, backtraces)
{
	unsigned int i, answers = 0;
	pid_t pid = busy(-1);

	ASSERT_LT(0, pid);
	begin(_metadata, self, 5003);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, file_write("/proc/sysrq-trigger", "l"));
		answers += logged(self, BACKTRACE);
	}
	EXPECT_EQ(20, answers);
	stop(_metadata, self);
	EXPECT_EQ(0, logged(self, UNKNOWN));
	EXPECT_EQ(0, self->unknown);
	/* the driver's that then have no overflow: the emulator determines how many */
	if (pmis_are_late() && !all_claimed()) {
		EXPECT_GE(self->spurious + 20, spurious_now(self->fd));
		self->spurious = spurious_now(self->fd);
	}
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
	end_busy(_metadata, pid);
}

/* An unclaimed NMI to this CPU, during other work: the kernel reports it. */
TEST_F(nmi, unclaimed_nmi)
{
	uint32_t id = self->apic[APIC_ID / 4] >> 24;
	unsigned int i;

	/* the kernel does so without the driver */
	send_nmi(self, id);
	ASSERT_EQ(1, logged(self, UNKNOWN));
	begin(_metadata, self, 5003);
	for (i = 0; i < 20; i++) {
		/* just after a sample: long before the next */
		wait_for_sample(self, 0);
		send_nmi(self, id);
		EXPECT_EQ(!all_claimed(), logged(self, UNKNOWN));
	}
	end(_metadata, self);
	/* stopped, but still configured */
	wait_until_none_claimed();
	send_nmi(self, id);
	EXPECT_EQ(1, logged(self, UNKNOWN));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	send_nmi(self, id);
	EXPECT_EQ(1, logged(self, UNKNOWN));
}

/*
 * An NMI for which the local APIC masked its LVTPC, as it does when it delivers an overflow,
 * but without an overflow: the driver counts it as spurious.
 */
TEST_F(nmi, spurious_nmi)
{
	uint32_t id = self->apic[APIC_ID / 4] >> 24;
	unsigned int i;

	begin(_metadata, self, 5003);
	for (i = 0; i < 20; i++) {
		/* just after a sample: long before the next */
		wait_for_sample(self, 0);
		self->apic[APIC_LVTPC / 4] |= LVT_MASKED;
		send_nmi(self, id);
		EXPECT_EQ(0, self->apic[APIC_LVTPC / 4] & LVT_MASKED);
		EXPECT_EQ(0, logged(self, UNKNOWN));
		self->spurious += !all_claimed();
		EXPECT_EQ(self->spurious, spurious_now(self->fd));
	}
	end(_metadata, self);
}

/* Sampling is active, but no counter has overflowed for a long time. */
TEST_F(nmi, without_overflows)
{
	uint32_t id = self->apic[APIC_ID / 4] >> 24;
	unsigned int i;

	wait_until_none_claimed();
	begin(_metadata, self, 1ULL << 30);
	for (i = 0; i < 20; i++) {
		send_nmi(self, id);
		EXPECT_EQ(1, logged(self, UNKNOWN));
	}
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
	EXPECT_EQ(self->spurious, spurious_now(self->fd));
}

/*
 * The same after overflows in the kernel. Their PMIs may be late, because each of two counters
 * may overflow during the interrupt of the other. Nothing counts any more, so no NMI belongs to
 * the driver.
 */
TEST_F(nmi, after_kernel_nmi)
{
	uint32_t id = self->apic[APIC_ID / 4] >> 24;
	unsigned int i, j;

	setup_cpu(&self->setup, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	setup_period(&self->setup, 0, 20011);
	setup_period(&self->setup, 1, 10007);
	self->setup.config.ring_size = 1 << 20;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		for (j = 0; j < 2000; j++)
			syscall(SYS_getppid);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		EXPECT_EQ(0, logged(self, UNKNOWN));
		wait_until_none_claimed();
		send_nmi(self, id);
		EXPECT_EQ(1, logged(self, UNKNOWN));
	}
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_LT(100 * 10007, self->reading.value[1]);
}

/* About this many instructions in user mode */
static void spin(unsigned int instructions)
{
	for (; instructions > 1; instructions -= 2)
		asm volatile("");
}

/* On CPU 1: make system calls until @state is 1, then spin, and set it to 2. */
static pid_t calls_then_spins(int *state)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(0, 1);
		while (!__atomic_load_n(state, __ATOMIC_ACQUIRE))
			syscall(SYS_getppid);
		__atomic_store_n(state, 2, __ATOMIC_RELEASE);
		asm volatile("1: jmp 1b");
	}
	return pid;
}

/*
 * The same with two NMIs, the second at the instruction of the first, as an interrupt of the
 * driver that perf hid in the previous one would be; but these are not. At several distances:
 * while the first is handled, and afterwards.
 */
TEST_F(nmi, two_after_kernel_nmi)
{
	int *state = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int i, taken[2], twos = 0;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, state);
	setup_cpu(&self->setup, 1);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(1), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	setup_period(&self->setup, 0, 20011);
	setup_period(&self->setup, 1, 10007);
	self->setup.config.ring_size = 1 << 20;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	for (i = 0; i < 20; i++) {
		*state = 0;
		pid = calls_then_spins(state);
		ASSERT_LT(0, pid);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
		do {
			ASSERT_EQ(0, reading_read(self->fd, &self->reading));
		} while (self->reading.value[1] < (i + 1) * 1000000);
		ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_STOP, NULL));
		__atomic_store_n(state, 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(state, __ATOMIC_ACQUIRE) != 2)
			;
		wait_until_none_claimed();
		EXPECT_EQ(0, logged(self, UNKNOWN));
		nmis_taken(self->nmis);
		send_nmi(self, 1);
		spin(i * 400);
		send_nmi(self, 1);
		end_busy(_metadata, pid);
		nmis_taken(taken);
		EXPECT_EQ(taken[1] - self->nmis[1], logged(self, UNKNOWN));
		twos += taken[1] - self->nmis[1] == 2;
	}
	EXPECT_LT(15, twos);
}

#define STOPPED_ROUNDS	1000

/* Sample a known loop in both modes, and return what it counted until STOP stopped the counter. */
static uint64_t sample_stopped(struct __test_metadata *_metadata, struct _test_data_nmi *self,
			       uint64_t period)
{
	unsigned int taken[2];

	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
		  PMC_COUNT_USER | PMC_COUNT_KERNEL);
	setup_period(&self->setup, 0, period);
	BEGIN_SAMPLING();
	nmis_taken(self->nmis);
	ASSERT_EQ(0, sampled_loop(self->fd, STOPPED_ROUNDS, PMC_IOC_START, PMC_IOC_STOP));
	/* longer than the PMI is late */
	spin(5000);
	nmis_taken(taken);
	tally_rings(&self->tally, &self->rings);
	EXPECT_EQ(self->tally.samples, taken[0] - self->nmis[0])
		TH_LOG("period %llu", (unsigned long long)period);
	EXPECT_EQ(self->spurious, spurious_now(self->fd));
	EXPECT_EQ(0, logged(self, UNKNOWN));
	EXPECT_ALL_SEEN(self->fd, &self->tally, self->spurious);
	ASSERT_EQ(0, reading_read(self->fd, &self->reading));
	EXPECT_EQ(self->reading.value[0] / period, self->tally.samples);
	RELEASE_SAMPLING();
	return self->reading.value[0];
}

/*
 * An overflow shortly before STOP stops the counter, at several distances: its PMI, which the
 * emulator can delay, comes after STOP has handled the overflow. That PMI is expected, so it is
 * neither spurious nor unclaimed, and each overflow has exactly one NMI. The distances are from the
 * least count of ten runs: an interrupt can add to any of them.
 */
TEST_F(nmi, expected_after_stop)
{
	uint64_t counted = UINT64_MAX, once;
	unsigned int i, samples = 0;

	for (i = 0; i < 10; i++) {
		once = sample_stopped(_metadata, self, 1ULL << 30);
		counted = once < counted ? once : counted;
	}
	for (i = 1; i <= 60; i++) {
		sample_stopped(_metadata, self, counted - 10 * i);
		samples += self->tally.samples;
	}
	EXPECT_LT(50, samples);
}

/*
 * An NMI between an overflow and its own interrupt, which the emulator can delay: at every
 * distance. It handles the overflow; the driver claims the interrupt all the same.
 */
TEST_F(nmi, before_overflow_nmi)
{
	uint32_t id = self->apic[APIC_ID / 4] >> 24;
	unsigned int i;

	begin(_metadata, self, 5003);
	for (i = 0; i < 500; i++) {
		wait_for_sample(self, 0);
		spin(i * 10);
		send_nmi(self, id);
	}
	end_with_others(_metadata, self, 0, 500, false);
}

/*
 * The first overflow for a long time: its interrupt, which the emulator can delay, comes while
 * the counter is read, at another instruction each time.
 */
TEST_F(nmi, latched_while_blocked)
{
	const struct pmc_ring *ring;
	uint32_t before;
	unsigned int i;

	begin(_metadata, self, 5003);
	ring = self->rings.ring[0].shared;
	for (i = 0; i < 30; i++) {
		wait_until_none_claimed();
		before = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
		while (__atomic_load_n(&ring->head, __ATOMIC_RELAXED) == before) {
			ASSERT_EQ(0, reading_read_cpu(self->fd, 0, &self->reading));
			spin(800 + i * 14);
		}
	}
	EXPECT_EQ(0, logged(self, UNKNOWN));
	end(_metadata, self);
}

/* Send an NMI to CPU 0 during the time in which every NMI is treated as the driver's. */
static pid_t send_later(const struct _test_data_nmi *self, int ready)
{
	uint32_t id = self->apic[APIC_ID / 4] >> 24;
	pid_t pid = fork();
	char word;

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* this process must not be the last to close the file */
		close(self->fd);
		pin(0, 1);
		if (read(ready, &word, 1) != 1)
			_exit(1);
		usleep(70000);
		send_nmi(self, id);
		_exit(0);
	}
	return pid;
}

/*
 * An NMI during the last close is treated as a late one of the context; after the close, none
 * is.
 */
TEST_F(nmi, late_nmi_after_stop)
{
	uint32_t id = self->apic[APIC_ID / 4] >> 24;
	int pipes[2], status;
	pid_t pid;

	if (!all_claimed())
		SKIP(return, "the local APIC masks LVTPC: no NMI comes after the last");
	ASSERT_EQ(0, pipe(pipes));
	pid = send_later(self, pipes[0]);
	ASSERT_LT(0, pid);
	begin(_metadata, self, 5003);
	wait_for_sample(self, 0);
	end(_metadata, self);
	rings_unmap(&self->rings);
	ASSERT_EQ(1, write(pipes[1], "", 1));
	ASSERT_EQ(0, close(self->fd));
	self->fd = -1;
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, logged(self, UNKNOWN));
	send_nmi(self, id);
	EXPECT_EQ(1, logged(self, UNKNOWN));
}

/*
 * A flood of NMIs to a CPU that samples: no sample is lost or duplicated. An NMI that comes
 * together with the driver's may be attributed to it.
 */
static void flood(struct __test_metadata *_metadata, struct _test_data_nmi *self, bool reading)
{
	unsigned int i;
	pid_t pid;

	/* a reader spends less of its time in user mode */
	begin(_metadata, self, (reading ? 2003 : 20011) * slowness());
	pid = busy(reading ? self->fd : -1);
	ASSERT_LT(0, pid);
	wait_for_sample(self, 1);
	for (i = 0; i < 300; i++) {
		send_nmi(self, 1);
		if (i % 10 == 0)
			wait_for_sample(self, 1);
	}
	end_busy(_metadata, pid);
	end_with_others(_metadata, self, 1, 300, reading);
}

TEST_F(nmi, flood)
{
	flood(_metadata, self, false);
}

/* READ handles overflows before their PMIs are delivered. */
TEST_F(nmi, flood_while_reading)
{
	flood(_metadata, self, true);
}

TEST_HARNESS_MAIN
