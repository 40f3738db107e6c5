// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of sample.c: what a sample record has for each place that a PMI can interrupt, and what is
 * kept out of it
 */
#include "sampled_run.h"

#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <asm/ptrace.h>

#include "base/notify.h"
#include "sampling/callchain.h"
#include "sampling/mmap_request.h"
#include "sampling/sample.h"
#include "sampling/user_regs.h"

#define NR	2
#define USER_IP	0x1234UL	/* which a PMI of user mode interrupts */
#define LEFT_IP	0x2345UL	/* with which user mode was left */

unsigned long preempt_count;
static bool softirq;
static struct task_struct task, thread;
struct task_struct *current;
struct pid_namespace init_pid_ns;
static struct pid_namespace other_ns;
static int mm, new_mm;

static struct pmc_rings rings;
static struct pmc_sample *sample;
static struct pmc_counter_setup *setup;

static struct pt_regs user_regs = { .ip = USER_IP, .cs = __USER_CS, .flags = 0x202, .bp = 0x88 };
static struct pt_regs kernel_regs = { .ip = ~0xfffUL, .cs = __KERNEL_CS, .flags = 2, .bp = 0x99 };

bool in_serving_softirq(void)
{
	return softirq;
}

int task_pid_nr_ns(struct task_struct *of, struct pid_namespace *ns)
{
	assert_ptr_equal(&other_ns, ns);
	return of->pid + 1000;
}

int task_tgid_nr_ns(struct task_struct *of, struct pid_namespace *ns)
{
	assert_ptr_equal(&other_ns, ns);
	return of->tgid + 1000;
}

void pmc_user_regs_find(struct pmc_user_regs *user, struct task_struct *of,
			const struct pt_regs *regs)
{
	call("find%s%s", of == current ? "" : " other", regs ? "" : " late");
	*user = (struct pmc_user_regs){ .ip = LEFT_IP, .flags = 0x246, .bp = 0x77,
		.cs = __USER_CS };
}

u32 pmc_callchain_kernel(struct pt_regs *regs, u64 *frames, u32 max)
{
	assert_ptr_equal(&kernel_regs, regs);
	call("kernel chain %ld %u", (long)(frames - (u64 *)sample->data), max);
	frames[0] = 0xaa;
	frames[1] = 0xab;
	return 2;
}

u32 pmc_callchain_user(const struct pmc_user_regs *user, u64 *frames, u32 max)
{
	call("user chain %lx %lx %ld %u", user->ip, user->bp,
	     (long)(frames - (u64 *)sample->data), max);
	frames[0] = 0xba;
	frames[1] = 0xbb;
	frames[2] = 0xbc;
	return 3;
}

void pmc_mmap_request_all(struct pmc_sampler *of, unsigned long ip, const u64 *frames, u32 nr)
{
	assert_ptr_equal(sampler, of);
	call("mmaps %lx %ld %u%s", ip, (long)(frames - (u64 *)sample->data), nr,
	     shared->head ? " committed" : "");
}

static const struct pmc_identity *identity = (void *)&mm;

void pmc_notify_throttle(const struct pmc_identity *of, enum pmc_record_type record, u32 counter,
			 u64 overflows)
{
	assert_ptr_equal(identity, of);
	call("notify %u %x %llu", record, counter, overflows);
}

void *pmc_ring_reserve_slow(struct pmc_cpu_ring *of, u32 size)
{
	assert_ptr_equal(&ring, of);
	call("full %u", size);
	return NULL;
}

void pmc_ring_drop(struct pmc_cpu_ring *of, u64 overflows)
{
	assert_ptr_equal(&ring, of);
	call("drop %llu", overflows);
}

/* Counter 1 counts user mode. The owner is in the first namespace, and samples its own task. */
static int begin(void **state)
{
	reset_cpu();
	alloc_sampled_run(NR);
	sample = ring.data;
	memset(sample, 0xee, 4096);
	rings = (struct pmc_rings){ .ns = &init_pid_ns, .identity = identity };
	sampling = (struct pmc_sample_config){ .rings = &rings, .record_max = 1000, .frames = 9 };
	setup = &program->setup[1];
	setup->number = 1;
	setup->rdpmc = 0x40000001;
	setup->user = true;
	run->count[0].value = 70;
	run->count[1].value = 71;
	sampler->mm = (void *)&mm;
	task = (struct task_struct){ .mm = &mm, .pid = 11, .tgid = 10, .comm = "current" };
	thread = (struct task_struct){ .mm = &mm, .pid = 21, .tgid = 20, .comm = "thread" };
	current = &task;
	preempt_count = 0;
	softirq = false;
	return 0;
}

/* Write a sample; the ring is empty before. */
static void write_sample(struct pt_regs *regs)
{
	ring.written = 0;
	ring.visible = 0;
	shared->head = 0;
	memset(sample, 0xee, 4096);
	pmc_sample_write(sampler, setup, 3, regs, 5555);
}

#define expect_location(ip_, cs_, rflags_, privilege_, flags_) do {	\
	assert_int_equal(ip_, sample->ip);				\
	assert_int_equal(cs_, sample->cs);				\
	assert_int_equal(rflags_, sample->rflags);			\
	assert_int_equal(privilege_, sample->privilege);		\
	assert_int_equal(flags_, sample->flags);			\
} while (0)

#define expect_user(flags_)	expect_location(USER_IP, __USER_CS, 0x202, 3, flags_)
#define expect_kernel(flags_)	expect_location(~0xfffUL, __KERNEL_CS, 2, 0, flags_)
#define expect_left(flags_)	expect_location(LEFT_IP, __USER_CS, 0x246, 3, flags_)
#define expect_unknown(flags_)	expect_location(0, __USER_CS, 0, 3, flags_)
#define expect_guest()		expect_location(0, 0, 0, 0, PMC_SAMPLE_GUEST)

static void record(void **state)
{
	write_sample(&user_regs);
	expect_calls("");
	expect_user(0);
	assert_int_equal(PMC_RECORD_SAMPLE, sample->record.type);
	assert_int_equal(88 + 16, sample->record.size);
	assert_int_equal(88 + 16, shared->head);
	assert_int_equal(1, sample->counter);
	assert_int_equal(3, sample->overflows);
	assert_int_equal(5555, sample->tsc);
	assert_int_equal(NR, sample->nr_counters);
	assert_int_equal(0, sample->nr_kernel_frames);
	assert_int_equal(0, sample->nr_user_frames);
	assert_int_equal(0, sample->reserved);
	assert_int_equal(0, sample->cpu);
	assert_int_equal(10, sample->pid);
	assert_int_equal(11, sample->tid);
	assert_string_equal("current", sample->comm);
	assert_int_equal(70, sample->data[0]);
	assert_int_equal(71, sample->data[1]);
	assert_int_equal(1, ring.records.value);
	assert_int_equal(3, ring.sampled.value);
}

/* The sampled thread is not current yet, and the owner sees the numbers of its namespace. */
static void ids(void **state)
{
	sampler->task = &thread;
	write_sample(&user_regs);
	assert_int_equal(20, sample->pid);
	assert_int_equal(21, sample->tid);
	assert_string_equal("thread", sample->comm);
	rings.ns = &other_ns;
	write_sample(&user_regs);
	assert_int_equal(1020, sample->pid);
	assert_int_equal(1021, sample->tid);
}

static void no_room(void **state)
{
	sampling.record_max = 4096;
	write_sample(&user_regs);
	expect_calls("full 4096;drop 3;");
	assert_int_equal(0, shared->head);
	assert_int_equal(0, ring.records.value);
}

/* The counter counts user mode, the kernel, or both. */
static void locations(void **state)
{
	write_sample(&kernel_regs);
	expect_left(PMC_SAMPLE_SKID);
	expect_calls("find;");
	write_sample(NULL);
	expect_left(PMC_SAMPLE_LATE);
	expect_calls("find late;");
	setup->kernel = true;
	write_sample(&user_regs);
	expect_user(0);
	write_sample(&kernel_regs);
	expect_kernel(0);
	expect_calls("");
	setup->user = false;
	write_sample(&user_regs);
	expect_user(PMC_SAMPLE_SKID);
	write_sample(&kernel_regs);
	expect_kernel(0);
	write_sample(NULL);
	assert_int_equal(__KERNEL_CS, sample->cs);
	assert_int_equal(0, sample->privilege);
	assert_int_equal(0, sample->rflags);
	assert_int_equal(PMC_SAMPLE_LATE, sample->flags);
	assert_in_range(sample->ip, (uintptr_t)pmc_sample_write - 8192,
			(uintptr_t)pmc_sample_write + 8192);
	expect_calls("");
}

/* A counter that was loaded to overflow later */
static void skid(void **state)
{
	sampler->due[1].skid = true;
	write_sample(&user_regs);
	expect_user(0);
	setup->delayed = true;
	write_sample(&user_regs);
	expect_user(PMC_SAMPLE_SKID);
	write_sample(NULL);
	expect_left(PMC_SAMPLE_LATE);
	sampler->due[1].skid = false;
	sampler->due[0].skid = true;
	write_sample(&user_regs);
	expect_user(0);
}

/* Exec has changed the memory of the sampled thread: nothing of the new program is shown. */
static void execed(void **state)
{
	sampler->task = &task;
	sampling.flags = PMC_SAMPLE_USER_CALLCHAIN;
	task.mm = &new_mm;
	write_sample(&kernel_regs);
	expect_unknown(PMC_SAMPLE_SKID);
	assert_string_equal("", sample->comm);
	assert_int_equal(0, sample->comm[15]);
	expect_calls("");
	write_sample(NULL);
	expect_unknown(PMC_SAMPLE_LATE);
	assert_string_equal("", sample->comm);
	/* in user mode it is the new program */
	write_sample(&user_regs);
	expect_user(0);
	assert_string_equal("current", sample->comm);
	/* a counter of the kernel too */
	setup->kernel = true;
	write_sample(&kernel_regs);
	assert_string_equal("current", sample->comm);
	setup->kernel = false;
	calls[0] = '\0';
	sampling.flags = 0;
	/* a thread that exits has no memory; a CPU's run has no thread */
	task.mm = NULL;
	write_sample(&kernel_regs);
	expect_left(PMC_SAMPLE_SKID);
	assert_string_equal("current", sample->comm);
	task.mm = &new_mm;
	sampler->task = NULL;
	write_sample(&kernel_regs);
	expect_left(PMC_SAMPLE_SKID);
	assert_string_equal("current", sample->comm);
	sampler->task = &task;
	task.mm = &mm;
	write_sample(&kernel_regs);
	expect_left(PMC_SAMPLE_SKID);
}

/* A PMI while the thread executes a KVM guest: not in an interrupt that the host handles */
static void guest(void **state)
{
	setup->kernel = true;
	sampling.flags = PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN;
	task.flags = PF_VCPU;
	write_sample(&kernel_regs);
	expect_guest();
	assert_int_equal(0, sample->nr_kernel_frames);
	assert_int_equal(88 + 16, sample->record.size);
	expect_calls("");
	preempt_count = HARDIRQ_OFFSET;
	write_sample(&kernel_regs);
	expect_guest();
	preempt_count = 2 * HARDIRQ_OFFSET;
	write_sample(&kernel_regs);
	expect_kernel(0);
	preempt_count = 0;
	softirq = true;
	write_sample(&kernel_regs);
	expect_kernel(0);
	softirq = false;
	write_sample(&user_regs);
	expect_user(0);
	write_sample(NULL);
	assert_int_equal(PMC_SAMPLE_LATE, sample->flags);
	sampler->task = &thread;
	thread.flags = PF_VCPU;
	write_sample(&kernel_regs);
	expect_kernel(0);
	sampler->task = NULL;
	task.flags = ~PF_VCPU;
	write_sample(&kernel_regs);
	expect_kernel(0);
	calls[0] = '\0';
}

/* Chains follow the values of the counters. */
static void expect_chains(u32 kernel, u32 user)
{
	assert_int_equal(kernel, sample->nr_kernel_frames);
	assert_int_equal(user, sample->nr_user_frames);
	assert_int_equal(88 + 16 + 8 * (kernel + user), sample->record.size);
	if (kernel)
		assert_int_equal(0xaa, sample->data[2]);
	if (user)
		assert_int_equal(0xba, sample->data[2 + kernel]);
}

static void callchains(void **state)
{
	setup->kernel = true;
	sampling.flags = PMC_SAMPLE_KERNEL_CALLCHAIN;
	write_sample(&kernel_regs);
	expect_calls("kernel chain 2 9;");
	expect_chains(2, 0);
	write_sample(&user_regs);
	expect_calls("");
	expect_chains(0, 0);
	write_sample(NULL);
	expect_calls("");
	sampling.flags |= PMC_SAMPLE_USER_CALLCHAIN;
	write_sample(&kernel_regs);
	expect_calls("kernel chain 2 9;find;user chain 2345 77 4 9;");
	expect_chains(2, 3);
	sampling.flags = PMC_SAMPLE_USER_CALLCHAIN;
	write_sample(&kernel_regs);
	expect_calls("find;user chain 2345 77 2 9;");
	expect_chains(0, 3);
	write_sample(&user_regs);
	expect_calls("user chain 1234 88 2 9;");
	expect_chains(0, 3);
	write_sample(NULL);
	expect_calls("find late;user chain 2345 77 2 9;");
	/* the kernel's registers are not shown to a counter of user mode */
	setup->kernel = false;
	sampling.flags |= PMC_SAMPLE_KERNEL_CALLCHAIN;
	write_sample(&kernel_regs);
	expect_calls("find;find;user chain 2345 77 2 9;");
	expect_chains(0, 3);
}

/* A user call chain needs current's memory. */
static void no_user_callchain(void **state)
{
	sampling.flags = PMC_SAMPLE_USER_CALLCHAIN;
	sampler->task = &thread;
	write_sample(&user_regs);
	expect_calls("");
	expect_chains(0, 0);
	sampler->task = &task;
	task.flags = PF_EXITING;
	write_sample(&user_regs);
	expect_calls("");
	task.flags = 0;
	task.mm = &new_mm;
	write_sample(&user_regs);
	expect_calls("");
	sampler->task = NULL;
	write_sample(&user_regs);
	expect_calls("user chain 1234 88 2 9;");
}

/* Mappings are requested of samples in user mode, before a reader may release the frames. */
static void requests_mappings(void **state)
{
	sampling.flags = PMC_SAMPLE_MMAPS;
	write_sample(&user_regs);
	expect_calls("mmaps 1234 2 0;");
	write_sample(&kernel_regs);
	expect_calls("find;");
	write_sample(NULL);
	expect_calls("find late;");
	sampling.flags |= PMC_SAMPLE_USER_CALLCHAIN;
	write_sample(&user_regs);
	expect_calls("user chain 1234 88 2 9;mmaps 1234 2 3;");
	sampling.flags = ~PMC_SAMPLE_MMAPS;
	write_sample(&user_regs);
	expect_calls("user chain 1234 88 2 9;");
}

static void throttle_records(void **state)
{
	const struct pmc_throttle *throttle = (void *)sample;

	sampler->due[1].skipped = 12;
	pmc_sample_throttle(sampler, PMC_RECORD_UNTHROTTLE, 1, 777);
	expect_calls("notify 4 40000001 12;");
	assert_int_equal(PMC_RECORD_UNTHROTTLE, throttle->record.type);
	assert_int_equal(32, throttle->record.size);
	assert_int_equal(1, throttle->counter);
	assert_int_equal(0, throttle->cpu);
	assert_int_equal(777, throttle->tsc);
	assert_int_equal(12, throttle->overflows);
	assert_int_equal(32, shared->head);
	pmc_sample_throttle(sampler, PMC_RECORD_THROTTLE, 0, 778);
	expect_calls("notify 3 0 0;");
	assert_int_equal(64, shared->head);
	ring.unreported = 1;
	pmc_sample_throttle(sampler, PMC_RECORD_THROTTLE, 0, 778);
	expect_calls("notify 3 0 0;full 32;");
	assert_int_equal(64, shared->head);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, free_sampled_run)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(record), TEST(ids), TEST(no_room), TEST(locations), TEST(skid),
		TEST(execed), TEST(guest), TEST(callchains), TEST(no_user_callchain),
		TEST(requests_mappings), TEST(throttle_records),
	};

	return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
