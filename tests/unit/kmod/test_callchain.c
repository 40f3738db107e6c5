// SPDX-License-Identifier: GPL-2.0-only
/* Tests of callchain.c: where a call chain ends, in the kernel and in user mode */
#include "sampling.h"

#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/pgtable.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/unwind.h>

#include "sampling/callchain.h"
#include "sampling/user_regs.h"

#define MAX	16

static struct task_struct task;
struct task_struct *current = &task;
static struct pt_regs regs = { .ip = 0xffff8000 };
/* Return addresses that the unwinder finds, up to the first that is 1 */
static unsigned long returns[MAX + 1];
/* User mode's memory at 0x1000: words of 32 bits */
static u32 memory[64];
static u64 frames[MAX];

void unwind_start(struct unwind_state *state, struct task_struct *of, struct pt_regs *from,
		  unsigned long *first)
{
	assert_ptr_equal(&task, of);
	assert_ptr_equal(&regs, from);
	assert_null(first);
	state->frame = 0;
}

bool unwind_done(struct unwind_state *state)
{
	return returns[state->frame] == 1;
}

bool unwind_next_frame(struct unwind_state *state)
{
	state->frame++;
	return true;
}

unsigned long unwind_get_return_address(struct unwind_state *state)
{
	return returns[state->frame];
}

unsigned long copy_from_user_nmi(void *to, const void *from, unsigned long size)
{
	unsigned long address = (unsigned long)from;

	if (address < 0x1000 || address + size > 0x1000 + sizeof(memory))
		return size;
	memcpy(to, (char *)memory + (address - 0x1000), size);
	return 0;
}

static int begin(void **state)
{
	memset(memory, 0, sizeof(memory));
	memset(frames, 0xee, sizeof(frames));
	return 0;
}

static void kernel(void **state)
{
	u32 i;

	for (i = 0; i < MAX; i++)
		returns[i] = 0x100 + i;
	returns[3] = 1;
	assert_int_equal(4, pmc_callchain_kernel(&regs, frames, MAX));
	assert_int_equal(0xffff8000, frames[0]);
	assert_int_equal(0x100, frames[1]);
	assert_int_equal(0x102, frames[3]);
	assert_int_equal(~0ULL / 0xff * 0xee, frames[4]);
	/* an address that is not known */
	returns[2] = 0;
	assert_int_equal(3, pmc_callchain_kernel(&regs, frames, MAX));
	/* no room */
	memset(frames, 0xee, sizeof(frames));
	assert_int_equal(2, pmc_callchain_kernel(&regs, frames, 2));
	assert_int_equal(~0ULL / 0xff * 0xee, frames[2]);
	assert_int_equal(1, pmc_callchain_kernel(&regs, frames, 1));
	memset(frames, 0xee, sizeof(frames));
	assert_int_equal(0, pmc_callchain_kernel(&regs, frames, 0));
	assert_int_equal(~0ULL / 0xff * 0xee, frames[0]);
	returns[0] = 1;
	assert_int_equal(1, pmc_callchain_kernel(&regs, frames, MAX));
}

/* The frame at @at: the caller's frame pointer and the return address */
static void frame64(unsigned long at, u64 caller, u64 address)
{
	memcpy((char *)memory + (at - 0x1000), &caller, 8);
	memcpy((char *)memory + (at - 0x1000) + 8, &address, 8);
}

static void frame32(unsigned long at, u32 caller, u32 address)
{
	memory[(at - 0x1000) / 4] = caller;
	memory[(at - 0x1000) / 4 + 1] = address;
}

static u32 user(unsigned long bp, u16 cs, u32 max)
{
	struct pmc_user_regs regs_of_user = { .ip = 0x500, .bp = bp, .cs = cs, .flags = 2 };

	memset(frames, 0xee, sizeof(frames));
	return pmc_callchain_user(&regs_of_user, frames, max);
}

static void user_64(void **state)
{
	frame64(0x1008, 0x1018, 0x600);
	frame64(0x1018, 0x1080, TASK_SIZE_MAX - 1);
	frame64(0x1080, 0x10f0, 0x700);
	frame64(0x10f0, 0x1100, 0x800);	/* its caller's is not mapped */
	assert_int_equal(5, user(0x1008, __USER_CS, MAX));
	assert_int_equal(0x500, frames[0]);
	assert_int_equal(0x600, frames[1]);
	assert_int_equal(TASK_SIZE_MAX - 1, frames[2]);
	assert_int_equal(0x700, frames[3]);
	assert_int_equal(0x800, frames[4]);
	assert_int_equal(3, user(0x1008, __USER_CS, 3));
	assert_int_equal(~0ULL / 0xff * 0xee, frames[3]);
	assert_int_equal(1, user(0x1008, __USER_CS, 1));
	assert_int_equal(0, user(0x1008, __USER_CS, 0));
	assert_int_equal(~0ULL / 0xff * 0xee, frames[0]);
	/* no address of user mode */
	frame64(0x1018, 0x1080, TASK_SIZE_MAX);
	assert_int_equal(2, user(0x1008, __USER_CS, MAX));
	frame64(0x1018, 0x1080, 0);
	assert_int_equal(2, user(0x1008, __USER_CS, MAX));
	/* a caller's frame is at a higher address, and aligned */
	frame64(0x1018, 0x1018, 0x601);
	assert_int_equal(3, user(0x1008, __USER_CS, MAX));
	frame64(0x1018, 0x1008, 0x601);
	assert_int_equal(3, user(0x1008, __USER_CS, MAX));
	frame64(0x1018, 0x1084, 0x601);
	assert_int_equal(3, user(0x1008, __USER_CS, MAX));
	assert_int_equal(1, user(0, __USER_CS, MAX));
	assert_int_equal(1, user(0x100c, __USER_CS, MAX));
	assert_int_equal(1, user(0xff8, __USER_CS, MAX));
}

static void user_32(void **state)
{
	frame32(0x1004, 0x100c, 0x600);
	frame32(0x100c, 0x1014, 0x700);
	frame32(0x1014, 0x10f8, 0xffffffff);
	frame32(0x10f8, 0, 0x900);
	assert_int_equal(3, user(0x1004, __USER32_CS, MAX));
	assert_int_equal(0x600, frames[1]);
	assert_int_equal(0x700, frames[2]);
	frame32(0x1014, 0x10f8, 0x800);
	assert_int_equal(5, user(0x1004, __USER32_CS, MAX));
	assert_int_equal(0x900, frames[4]);
	frame32(0x1014, 0x1100, 0x800);
	assert_int_equal(4, user(0x1004, __USER32_CS, MAX));
	assert_int_equal(1, user(0x1006, __USER32_CS, MAX));
}

static void no_chain(void **state)
{
	struct pmc_user_regs user_regs = { .bp = 0x1008, .cs = __USER_CS };

	frame64(0x1008, 0, 0x600);
	assert_int_equal(0, pmc_callchain_user(&user_regs, frames, MAX));
	assert_int_equal(~0ULL / 0xff * 0xee, frames[0]);
	user_regs.ip = 0x500;
	user_regs.flags = ~(unsigned long)X86_VM_MASK;
	assert_int_equal(2, pmc_callchain_user(&user_regs, frames, MAX));
	user_regs.flags = X86_VM_MASK;
	assert_int_equal(1, pmc_callchain_user(&user_regs, frames, MAX));
}

#define TEST(name)	cmocka_unit_test_setup(name, begin)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(kernel), TEST(user_64), TEST(user_32), TEST(no_chain),
	};

	return cmocka_run_group_tests_name("callchain", tests, NULL, NULL);
}
