// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests a host of virtual machines
 *
 * The instructions of a KVM guest are counted for the thread that runs it, in user mode if the
 * guest is in user mode, else in kernel mode. KVM's counters for guests belong to perf, and
 * perf and the driver exclude each other.
 *
 * The guest runs a short loop in flat 32-bit mode without paging. What the host executes around it
 * is unknown but the same in each round, so only the difference of two rounds is known.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "samples.h"

#define CODE		0x1000		/* address of the guest's code, in the guest */
#define PORT		0x10
#define ROUNDS		1000
#define MORE		250000
#define LOOP		2		/* instructions of one iteration of the guest's loop */

#define FLAGS_FIXED	2
#define FLAGS_IOPL	0x3000		/* user mode may execute OUT */
#define CR0_PE		1

/* ecx: iterations */
static const uint8_t guest_loop[] = {
	0x49,				/* dec ecx */
	0x75, 0xfd,			/* jnz the above */
	0xe7, PORT,			/* out PORT, eax */
};

/* The guest counts ebx iterations itself and reports the count in eax. */
static const uint8_t guest_counts[] = {
	0xb9, 0xc1, 0x00, 0x00, 0x00,	/* mov ecx, IA32_PMC0 */
	0x31, 0xc0,			/* xor eax, eax */
	0x31, 0xd2,			/* xor edx, edx */
	0x0f, 0x30,			/* wrmsr */
	0xb9, 0x86, 0x01, 0x00, 0x00,	/* mov ecx, IA32_PERFEVTSEL0 */
	0xb8, 0xc0, 0x00, 0x43, 0x00,	/* mov eax, instructions, both modes, enable */
	0x0f, 0x30,			/* wrmsr */
	0xb9, 0x8f, 0x03, 0x00, 0x00,	/* mov ecx, IA32_PERF_GLOBAL_CTRL */
	0xb8, 0x01, 0x00, 0x00, 0x00,	/* mov eax, 1 */
	0x0f, 0x30,			/* wrmsr */
	0x89, 0xd9,			/* mov ecx, ebx */
	0x49,				/* dec ecx */
	0x75, 0xfd,			/* jnz the above */
	0xb9, 0xc1, 0x00, 0x00, 0x00,	/* mov ecx, IA32_PMC0 */
	0x0f, 0x32,			/* rdmsr */
	0xe7, PORT,			/* out PORT, eax */
};

/** struct guest - a virtual machine with one processor and a page of memory */
struct guest {
	int kvm;
	int vm;
	int cpu;
	uint8_t *memory;
	struct kvm_run *run;
	size_t run_size;
};

FIXTURE(kvm) {
	BASE_FIXTURE;
	struct guest guest;
};

/* Give the guest every CPU feature that KVM supports, counters included. */
static int guest_describe(struct guest *guest)
{
	static struct {
		struct kvm_cpuid2 head;
		struct kvm_cpuid_entry2 entry[256];
	} cpuid;

	cpuid.head.nent = 256;
	return ioctl(guest->kvm, KVM_GET_SUPPORTED_CPUID, &cpuid) ||
	       ioctl(guest->cpu, KVM_SET_CPUID2, &cpuid);
}

static int guest_make(struct guest *guest)
{
	struct kvm_userspace_memory_region region = {
		.guest_phys_addr = CODE, .memory_size = 0x1000,
	};

	guest->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (guest->kvm < 0)
		return -errno;
	guest->vm = ioctl(guest->kvm, KVM_CREATE_VM, 0);
	guest->memory = mmap(NULL, 0x1000, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	region.userspace_addr = (uintptr_t)guest->memory;
	if (guest->vm < 0 || guest->memory == MAP_FAILED ||
	    ioctl(guest->vm, KVM_SET_TSS_ADDR, 0xfffbd000) ||
	    ioctl(guest->vm, KVM_SET_USER_MEMORY_REGION, &region))
		return -errno;
	guest->cpu = ioctl(guest->vm, KVM_CREATE_VCPU, 0);
	guest->run_size = ioctl(guest->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	guest->run = mmap(NULL, guest->run_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			  guest->cpu, 0);
	if (guest->cpu < 0 || guest->run == MAP_FAILED || guest_describe(guest))
		return -errno;
	return 0;
}

static void guest_end(struct guest *guest)
{
	munmap(guest->run, guest->run_size);
	munmap(guest->memory, 0x1000);
	close(guest->cpu);
	close(guest->vm);
	close(guest->kvm);
}

/* A flat segment of 4 GiB for privilege @level */
static struct kvm_segment flat(uint16_t selector, uint8_t type, uint8_t level)
{
	return (struct kvm_segment){
		.limit = 0xffffffff, .selector = selector | level, .type = type, .present = 1,
		.dpl = level, .db = 1, .s = 1, .g = 1,
	};
}

/* Copy @code into the guest, to run at privilege @level. */
static int guest_load(struct guest *guest, const uint8_t *code, size_t size, uint8_t level)
{
	struct kvm_sregs sregs;

	memcpy(guest->memory, code, size);
	if (ioctl(guest->cpu, KVM_GET_SREGS, &sregs))
		return -errno;
	sregs.cr0 |= CR0_PE;
	sregs.cs = flat(0x08, 0xb, level);
	sregs.ss = flat(0x10, 0x3, level);
	sregs.ds = sregs.ss;
	sregs.es = sregs.ss;
	return ioctl(guest->cpu, KVM_SET_SREGS, &sregs) ? -errno : 0;
}

/* Run the guest from its first instruction to its OUT. */
static int guest_run(struct guest *guest, uint32_t turns)
{
	struct kvm_regs regs = {
		.rip = CODE, .rcx = turns, .rbx = turns, .rflags = FLAGS_FIXED | FLAGS_IOPL,
	};

	if (ioctl(guest->cpu, KVM_SET_REGS, &regs) || ioctl(guest->cpu, KVM_RUN, 0))
		return -errno;
	return guest->run->exit_reason;
}

/* The value that OUT wrote */
static uint32_t guest_value(const struct guest *guest)
{
	return *(const uint32_t *)((const uint8_t *)guest->run + guest->run->io.data_offset);
}

FIXTURE_SETUP(kvm)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	if (access("/dev/kvm", R_OK | W_OK))
		SKIP(return, "no KVM here");
	ASSERT_EQ(0, guest_make(&self->guest));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(kvm)
{
	guest_end(&self->guest);
	close(self->fd);
}

/* Run the guest's loop with this many iterations, counted from START to STOP. */
static void round_of(struct __test_metadata *_metadata, struct _test_data_kvm *self,
		     uint32_t turns)
{
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RESET, NULL));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_START, NULL));
	ASSERT_EQ(KVM_EXIT_IO, guest_run(&self->guest, turns));
	STOP_AND_READ(self->fd, &self->reading);
}

/* Each counter's difference between two rounds with different numbers of iterations */
static void expect_more(struct __test_metadata *_metadata, struct _test_data_kvm *self,
			uint64_t more)
{
	struct reading before;
	unsigned int i;

	setup_thread_all(&self->setup, &self->query, 0, 0);
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	/* once before, for what only the first round executes */
	round_of(_metadata, self, ROUNDS);
	round_of(_metadata, self, ROUNDS);
	before = self->reading;
	round_of(_metadata, self, ROUNDS + MORE);
	ASSERT_LT(0, self->reading.nr_counters);
	for (i = 0; i < self->reading.nr_counters; i++)
		EXPECT_COUNT(more, self->reading.value[i] - before.value[i]);
}

TEST_F(kvm, guest_user_counts_as_user)
{
	ASSERT_EQ(0, guest_load(&self->guest, guest_loop, sizeof(guest_loop), 3));
	expect_more(_metadata, self, LOOP * MORE);
}

TEST_F(kvm, guest_kernel_counts_as_kernel)
{
	ASSERT_EQ(0, guest_load(&self->guest, guest_loop, sizeof(guest_loop), 0));
	expect_more(_metadata, self, 0);
}

/* The same round counted by perf */
static uint64_t perf_round(struct __test_metadata *_metadata, struct _test_data_kvm *self,
			   int perf, uint32_t turns)
{
	uint64_t value;

	ASSERT_EQ(0, ioctl(perf, PERF_EVENT_IOC_RESET, 0));
	ASSERT_EQ(0, ioctl(perf, PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(KVM_EXIT_IO, guest_run(&self->guest, turns));
	ASSERT_EQ(0, ioctl(perf, PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(sizeof(value), read(perf, &value, sizeof(value)));
	return value;
}

TEST_F(kvm, perf_counts_the_same)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .disabled = 1, .exclude_kernel = 1,
	};
	uint64_t less, more;
	int perf;

	ASSERT_EQ(0, guest_load(&self->guest, guest_loop, sizeof(guest_loop), 3));
	perf = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	ASSERT_LE(0, perf);
	perf_round(_metadata, self, perf, ROUNDS);
	less = perf_round(_metadata, self, perf, ROUNDS);
	more = perf_round(_metadata, self, perf, ROUNDS + MORE);
	EXPECT_EQ(LOOP * MORE, more - less);
	close(perf);
}

/*
 * A guest counts while the driver holds the counters: the guest's counters only count what KVM
 * adds for emulated instructions; the driver's are exact.
 */
TEST_F(kvm, guest_counters_denied_while_claimed)
{
	uint32_t emulated;

	ASSERT_EQ(0, guest_load(&self->guest, guest_loop, sizeof(guest_loop), 3));
	expect_more(_metadata, self, LOOP * MORE);
	ASSERT_EQ(0, guest_load(&self->guest, guest_counts, sizeof(guest_counts), 0));
	/* the first run enables the guest's counters, the next ones find them enabled */
	ASSERT_EQ(KVM_EXIT_IO, guest_run(&self->guest, ROUNDS));
	ASSERT_EQ(KVM_EXIT_IO, guest_run(&self->guest, ROUNDS));
	emulated = guest_value(&self->guest);
	EXPECT_GT(ROUNDS, emulated);
	ASSERT_EQ(KVM_EXIT_IO, guest_run(&self->guest, ROUNDS + MORE));
	EXPECT_EQ(emulated, guest_value(&self->guest));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	ASSERT_EQ(0, guest_load(&self->guest, guest_loop, sizeof(guest_loop), 3));
	expect_more(_metadata, self, LOOP * MORE);
}

/* Samples of the guest have no address, those of the host have. Returns how many have none. */
static unsigned int guest_samples(struct __test_metadata *_metadata, struct _test_data_kvm *self)
{
	const struct pmc_record *record;
	unsigned int samples = 0;
	struct ring ring;
	int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		EXPECT_EQ(0, ring_map(&ring, self->fd, &self->setup, cpu));
		while ((record = ring_next(&ring))) {
			const struct pmc_sample *sample = (const void *)record;

			if (record->type == PMC_RECORD_SAMPLE) {
				bool guest = sample->flags & PMC_SAMPLE_GUEST;

				samples += guest;
				EXPECT_EQ(guest, !sample->ip);
				EXPECT_TRUE(!guest || !(sample->rflags | sample->cs |
							sample->privilege |
							sample->nr_kernel_frames |
							sample->nr_user_frames));
			}
			ring_done(&ring, record);
		}
		ring_unmap(&ring);
	}
	return samples;
}

#define PERIOD		1000003
#define PERIODS		10

static void sample_guest(struct __test_metadata *_metadata, struct _test_data_kvm *self,
			 uint32_t mode, uint8_t level)
{
	ASSERT_EQ(0, guest_load(&self->guest, guest_loop, sizeof(guest_loop), level));
	/* once before, for what only the first round executes */
	ASSERT_EQ(KVM_EXIT_IO, guest_run(&self->guest, ROUNDS));
	setup_thread(&self->setup, 0, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, mode);
	self->setup.counter[0].period = PERIOD;
	self->setup.config.sample_flags = PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN;
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));
	round_of(_metadata, self, PERIODS * PERIOD / LOOP);
}

/*
 * The host executes less than a period in user mode: each overflow is the guest's. In kernel mode
 * it executes less than a period before it enters the guest, and more after it. (A slow kernel
 * executes periods of its own between the guest's.)
 */
TEST_F(kvm, samples_of_the_guest_have_no_address)
{
	unsigned int samples;

	sample_guest(_metadata, self, PMC_COUNT_USER, 3);
	EXPECT_EQ(PERIODS, self->reading.overflows);
	EXPECT_EQ(PERIODS, guest_samples(_metadata, self));
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));
	sample_guest(_metadata, self, PMC_COUNT_KERNEL, 0);
	EXPECT_LE(PERIODS, self->reading.overflows);
	samples = guest_samples(_metadata, self);
	EXPECT_LT(0, samples);
	EXPECT_EQ(slowness() > 1 ? samples : PERIODS, samples);
}

/*
 * A counting guest has perf's counters until it ends, so CONFIGURE is refused. (The guest's
 * count is not checked: in the emulator, entering a guest does not load the counters'
 * registers, so it is 0.)
 */
TEST_F(kvm, claim_denied_while_guest_counts)
{
	ASSERT_EQ(0, guest_load(&self->guest, guest_counts, sizeof(guest_counts), 0));
	ASSERT_EQ(KVM_EXIT_IO, guest_run(&self->guest, ROUNDS));
	setup_thread_one(&self->setup, 0, 0);
	EXPECT_EQ(-EBUSY, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(PMC_HOLDER_KERNEL, self->setup.config.holder.kind);
	guest_end(&self->guest);
	ASSERT_EQ(0, guest_make(&self->guest));
	ASSERT_EQ(0, guest_load(&self->guest, guest_loop, sizeof(guest_loop), 3));
	expect_more(_metadata, self, LOOP * MORE);
}

TEST_HARNESS_MAIN
