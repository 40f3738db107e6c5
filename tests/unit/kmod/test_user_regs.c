// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of user_regs.c: the registers of user mode for each place in the kernel's entry code, or
 * none
 *
 * Built for 64-bit kernels, and for 32-bit kernels, which have no SYSCALL. Addresses of user mode
 * are below TASK_SIZE_MAX of include/asm/pgtable.h.
 */
#include "unit.h"

#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/pgtable.h>
#include <asm/ptrace.h>

#include "compat/compat.h"
#include "sampling/entry_code.h"
#include "sampling/user_regs.h"

#ifdef CONFIG_X86_64
#define IS_64	true
#else
#define IS_64	false
#endif

#define WORD	sizeof(long)
#define FIXED	0x2UL		/* bit 1 of the flags */
#define VM	(1UL << 17)

static struct task_struct task;
struct task_struct *current = &task;
struct tss_struct cpu_tss_rw;

static unsigned char task_stack[THREAD_SIZE] __attribute__((aligned(16)));
static unsigned char entry_stack[2 * PAGE_SIZE] __attribute__((aligned(16)));
static unsigned int warnings;

/* endbr64; swapgs; push %rax; pop %rax; 16 NOPs; push $__USER_DS; push $0; pushf */
static const u8 sysenter_code[PMC_ENTRY_CODE_SIZE] = {
	0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0x01, 0xf8, 0x50, 0x58,
	[25] = 0x6a, __USER_DS, 0x6a, 0x00, 0x9c,
};

#define SYSENTER_SIZE	30

/* 16 NOPs; push %r11; push $__USER_CS; push %rcx; pop %rdi; pop %rsp; swapgs; sysretq */
static const u8 syscall_code[PMC_ENTRY_CODE_SIZE] = {
	[16] = 0x41, 0x53, 0x6a, __USER_CS, 0x51,
	[40] = 0x5f, 0x5c, 0x0f, 0x01, 0xf8, 0x48, 0x0f, 0x07,
};

#define SYSCALL_PUSHED	20
#define SYSCALL_EXIT	42
#define SYSCALL_END	45

static const u8 no_code[PMC_ENTRY_CODE_SIZE];
static u64 sysenter, syscall64, syscall32;

u64 *msr(u32 address)
{
	switch (address) {
	case MSR_IA32_SYSENTER_EIP:
		return &sysenter;
	case MSR_LSTAR:
		return &syscall64;
	case MSR_CSTAR:
		return &syscall32;
	default:
		return NULL;
	}
}

void warn(const char *format)
{
	warnings++;
}

/* Address 1 cannot be read. */
long copy_from_kernel_nofault(void *to, const void *from, size_t size)
{
	if (from == (void *)1)
		return -14;
	memcpy(to, from, size);
	return 0;
}

/* What the task's stack and the entry stack have of user mode */
static const struct pt_regs saved = { .ip = 0x1000, .cs = __USER_CS, .flags = FIXED, .bp = 0x1008 };
static const struct pt_regs gate = { .ip = 0x2000, .cs = __USER_CS, .flags = FIXED, .bp = 0x2008 };

static unsigned long task_top(void)
{
	return (unsigned long)(task_stack + sizeof(task_stack));
}

static unsigned long entry_top(void)
{
	return (unsigned long)(entry_stack + sizeof(entry_stack));
}

static int begin(void **state)
{
	task = (struct task_struct){ .mm = &task, .stack = task_stack };
	task.thread.sp0 = task_top();
	cpu_tss_rw.x86_tss.sp0 = entry_top();
	memcpy((void *)(task_top() - sizeof(saved)), &saved, sizeof(saved));
	memcpy((void *)(entry_top() - sizeof(gate)), &gate, sizeof(gate));
	memset(cpu_has_feature, 0, sizeof(cpu_has_feature));
	cpu_has_feature[X86_FEATURE_SEP] = true;
	sysenter = (uintptr_t)sysenter_code;
	syscall64 = (uintptr_t)syscall_code;
	syscall32 = 0;
	warnings = 0;
	pmc_user_regs_init();
	return 0;
}

/* The registers found if an NMI interrupts the kernel at @ip with the stack pointer @sp */
static struct pmc_user_regs find(unsigned long ip, unsigned long sp)
{
	const struct pt_regs regs = {
		.ip = ip, .sp = sp, .bp = 0x3008, .cx = 0x3000, .r11 = FIXED,
	};
	struct pmc_user_regs found;

	pmc_user_regs_find(&found, &task, &regs);
	return found;
}

#define ELSEWHERE	0xffffffff81000000UL	/* in the kernel, not in an entry */

#define expect(ip_, bp_, found) do {							\
	struct pmc_user_regs is = (found);						\
											\
	assert_int_equal(ip_, is.ip);							\
	assert_int_equal(bp_, is.bp);							\
	assert_int_equal((ip_) != 0 ? FIXED : 0, is.flags);				\
	assert_int_equal(__USER_CS, is.cs);						\
} while (0)

#define expect_unknown(found)	expect(0, 0, found)
/* An exit on the entry stack. On 32 bits the NMI overwrites what the task's stack has. */
#define expect_exit(found)	expect(IS_64 ? saved.ip : 0, IS_64 ? saved.bp : 0, found)

/* The saved registers of a task that is not in the entry code */
static struct pmc_user_regs find_frame(unsigned long ip, unsigned long cs, unsigned long flags)
{
	struct pt_regs frame = { .ip = ip, .cs = cs, .flags = flags };
	struct pmc_user_regs found;

	memcpy((void *)(task_top() - sizeof(frame)), &frame, sizeof(frame));
	pmc_user_regs_find(&found, &task, NULL);
	return found;
}

static void address_of_user_mode(void **state)
{
	static const unsigned long none[] = {
		TASK_SIZE_MAX, 1UL << 47, 1UL << 63, ELSEWHERE, ~0UL,
	};
	size_t i;

	assert_int_equal(1, find_frame(1, __USER_CS, FIXED).ip);
	assert_int_equal(TASK_SIZE_MAX - 1, find_frame(TASK_SIZE_MAX - 1, __USER_CS, FIXED).ip);
	for (i = 0; i < ARRAY_SIZE(none); i++)
		expect_unknown(find_frame(none[i], __USER_CS, FIXED));
}

/* Any segment of privilege level 3, such as one of modify_ldt() */
static void code_segment_of_user_mode(void **state)
{
	unsigned long cs;

	for (cs = 0; cs < 0x100; cs++) {
		struct pmc_user_regs found = find_frame(0x1000, cs, FIXED);

		if (cs % 4 == 3) {
			assert_int_equal(0x1000, found.ip);
			assert_int_equal(cs, found.cs);
		} else {
			expect_unknown(found);
		}
	}
}

/* Intel SDM, volume 1, figure 3-8: bits 3, 5, 15, and those above 21 are 0, bit 1 is 1. */
static void flags_of_user_mode(void **state)
{
	const unsigned long valid = 0x3d7fd7 | (IS_64 ? 0 : VM);
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		struct pmc_user_regs found = find_frame(0x1000, __USER_CS, FIXED | 1UL << bit);

		if (valid >> bit & 1) {
			assert_int_equal(0x1000, found.ip);
			assert_int_equal(FIXED | 1UL << bit, found.flags);
		} else {
			expect_unknown(found);
		}
		if (bit != 1)
			expect_unknown(find_frame(0x1000, __USER_CS, 1UL << bit));
	}
	assert_int_equal(valid, find_frame(0x1000, __USER_CS, valid).flags);
}

/* In virtual-8086 mode, of 32-bit kernels, CS has no privilege level. */
static void virtual_8086_mode(void **state)
{
	struct pmc_user_regs found = find_frame(0x1000, 0xf000, FIXED | VM);

	if (IS_64) {
		expect_unknown(found);
		return;
	}
	assert_int_equal(0x1000, found.ip);
	assert_int_equal(0xf000, found.cs);
	expect_unknown(find_frame(0x1000, 0xf000, VM));
}

static void tasks_without_user_mode(void **state)
{
	task.mm = NULL;
	expect_unknown(find(ELSEWHERE, task_top() - 1024));
	task.mm = &task;
	task.flags = PF_KTHREAD;
	expect_unknown(find(ELSEWHERE, task_top() - 1024));
	task.flags = PF_EXITING;
	expect_unknown(find(ELSEWHERE, task_top() - 1024));
}

/* The frame of a gate is on the entry stack up to where its instruction pointer is. */
static void gates(void **state)
{
	unsigned long frame = entry_top() - sizeof(gate);
	unsigned long ip = frame + offsetof(struct pt_regs, ip);
	unsigned long bp = frame + offsetof(struct pt_regs, bp), sp;

	for (sp = entry_top() - PAGE_SIZE; sp <= entry_top(); sp += WORD) {
		if (sp > ip)
			expect_exit(find(ELSEWHERE, sp));
		else
			expect(gate.ip, sp > bp ? 0x3008 : gate.bp, find(ELSEWHERE, sp));
	}
}

/* A gate was entered from another code segment. */
static void segment_of_gate(void **state)
{
	unsigned long frame = entry_top() - sizeof(gate);
	struct pt_regs other = gate;

	other.cs = 0x37;
	memcpy((void *)frame, &other, sizeof(other));
	assert_int_equal(0x37, find(ELSEWHERE, frame).cs);
}

/* Registers are saved on the task's stack, the stack segment selector first. */
static void task_stack_of_kernel(void **state)
{
	unsigned long frame = task_top() - sizeof(saved);
	unsigned long ip = frame + offsetof(struct pt_regs, ip);
	unsigned long bp = frame + offsetof(struct pt_regs, bp), sp;

	for (sp = (unsigned long)task_stack; sp <= task_top(); sp += WORD) {
		if (sp > ip)
			expect_unknown(find(ELSEWHERE, sp));
		else
			expect(saved.ip, sp > bp ? 0x3008 : saved.bp, find(ELSEWHERE, sp));
	}
	/* an interrupt's stack; user mode's */
	expect(saved.ip, saved.bp, find(ELSEWHERE, ELSEWHERE));
	expect(saved.ip, saved.bp, find(ELSEWHERE, TASK_SIZE_MAX));
	expect_unknown(find(ELSEWHERE, TASK_SIZE_MAX - WORD));
}

/* SYSENTER leaves no trace until the entry has saved something on the task's stack. */
static void sysenter_entry(void **state)
{
	unsigned long at, sp;

	assert_int_equal(0, warnings);
	for (sp = entry_top() - PAGE_SIZE; sp <= entry_top(); sp += WORD) {
		for (at = 0; at < SYSENTER_SIZE; at++)
			expect_unknown(find(sysenter + at, sp));
	}
	for (; at < PMC_ENTRY_CODE_SIZE; at++)
		expect_exit(find(sysenter + at, entry_top()));
	expect_exit(find(sysenter - 1, entry_top()));
}

/* On the stack of an unknown entry nothing can be relied on. */
static void expect_unknown_sysenter(void)
{
	unsigned long sp;

	warnings = 0;
	pmc_user_regs_init();
	assert_int_equal(1, warnings);
	for (sp = entry_top() - PAGE_SIZE; sp <= entry_top(); sp += WORD) {
		expect_unknown(find(ELSEWHERE, sp));
		expect_unknown(find(sysenter, sp));
	}
	expect(saved.ip, saved.bp, find(ELSEWHERE, task_top() - sizeof(saved)));
}

static void unknown_sysenter_entry(void **state)
{
	/* cannot be read */
	sysenter = 1;
	expect_unknown_sysenter();
	sysenter = (uintptr_t)no_code;
	expect_unknown_sysenter();
}

static void no_sysenter_entry(void **state)
{
	static const unsigned int features[] = { X86_FEATURE_SEP, X86_FEATURE_XENPV };
	size_t i;

	sysenter = 0;
	pmc_user_regs_init();
	expect_exit(find(0, entry_top()));
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		begin(NULL);
		sysenter = (uintptr_t)no_code;
		cpu_has_feature[features[i]] ^= true;
		warnings = 0;
		pmc_user_regs_init();
		assert_int_equal(0, warnings);
	}
}

#ifdef CONFIG_X86_64

/* An exception's stack can have a frame of its own; with FRED it is on the task's. */
static void exception_stacks(void **state)
{
	expect_unknown(find(ELSEWHERE, CPU_ENTRY_AREA_BASE + PAGE_SIZE));
	cpu_has_feature[X86_FEATURE_FRED] = true;
	expect(saved.ip, saved.bp, find(ELSEWHERE, CPU_ENTRY_AREA_BASE + PAGE_SIZE));
	expect(saved.ip, saved.bp, find(sysenter, entry_top()));
}

/* RCX is the address in the entry up to its push, and in the exit from POP RSP to SYSRET. */
static void syscall_entry(void **state)
{
	unsigned long at;

	for (at = 0; at < PMC_ENTRY_CODE_SIZE; at++) {
		bool in_rcx = at <= SYSCALL_PUSHED || (at >= SYSCALL_EXIT && at <= SYSCALL_END);

		/* user mode's stack pointer can be an address of the kernel's stacks */
		expect(in_rcx ? 0x3000 : saved.ip, in_rcx ? 0x3008 : saved.bp,
		       find(syscall64 + at, task_top() - sizeof(saved)));
		if (in_rcx)
			expect(0x3000, 0x3008, find(syscall64 + at, entry_top() - 512));
	}
	expect(saved.ip, saved.bp, find(syscall64 - 1, task_top() - sizeof(saved)));
	expect(saved.ip, saved.bp, find(syscall64 + at, task_top() - sizeof(saved)));
}

/* 32-bit programs on AMD: the entry pushes their code segment. */
static void syscall_entry_of_32_bits(void **state)
{
	static u8 code[PMC_ENTRY_CODE_SIZE];
	unsigned long sp = task_top() - sizeof(saved);

	memcpy(code, syscall_code, sizeof(code));
	code[19] = __USER32_CS;
	syscall32 = (uintptr_t)code;
	pmc_user_regs_init();
	expect(saved.ip, saved.bp, find(syscall32, sp));
	cpu_has_feature[X86_FEATURE_SYSCALL32] = true;
	pmc_user_regs_init();
	assert_int_equal(0, warnings);
	assert_int_equal(0x3000, find(syscall32, sp).ip);
	assert_int_equal(__USER32_CS, find(syscall32, sp).cs);
	expect(0x3000, 0x3008, find(syscall64, sp));
	/* none */
	syscall32 = 0;
	pmc_user_regs_init();
	assert_int_equal(0, warnings);
	expect(saved.ip, saved.bp, find(0, sp));
}

static void unknown_syscall_entry(void **state)
{
	unsigned long at;

	syscall64 = (uintptr_t)no_code;
	pmc_user_regs_init();
	assert_int_equal(1, warnings);
	for (at = 0; at < PMC_ENTRY_CODE_SIZE; at++)
		expect_unknown(find(syscall64 + at, task_top() - sizeof(saved)));
	expect(saved.ip, saved.bp, find(syscall64 + at, task_top() - sizeof(saved)));
	/* cannot be read */
	syscall64 = 1;
	pmc_user_regs_init();
	assert_int_equal(2, warnings);
	expect_unknown(find(1, task_top() - sizeof(saved)));
}

#endif /* CONFIG_X86_64 */

#define TEST(name)	cmocka_unit_test_setup(name, begin)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(address_of_user_mode), TEST(code_segment_of_user_mode),
		TEST(flags_of_user_mode), TEST(virtual_8086_mode),
		TEST(tasks_without_user_mode), TEST(gates), TEST(segment_of_gate),
		TEST(task_stack_of_kernel), TEST(sysenter_entry), TEST(unknown_sysenter_entry),
		TEST(no_sysenter_entry),
#ifdef CONFIG_X86_64
		TEST(exception_stacks), TEST(syscall_entry), TEST(syscall_entry_of_32_bits),
		TEST(unknown_syscall_entry),
#endif
	};

	return cmocka_run_group_tests_name("user_regs", tests, NULL, NULL);
}
