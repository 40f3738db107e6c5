// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call chains, from NMI context
 *
 * Kernel call chains come from the kernel's unwinder. User call chains follow frame pointers:
 * each frame begins with the caller's frame pointer and the return address.
 *
 * Owns no data and takes no lock. Context: NMI, or interrupts off; nothing here faults or
 * sleeps.
 */
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#include <asm/unwind.h>

#include "sampling/callchain.h"
#include "sampling/user_regs.h"

/**
 * pmc_callchain_kernel - unwind the kernel stack
 * @regs:	interrupted registers, of kernel mode
 * @frames:	out: instruction pointers, innermost first
 * @max:	room in @frames, in frames
 *
 * During a context switch, when the stack is the next task's and current still the previous
 * task, the unwinder finds no caller.
 *
 * Return: the number of frames.
 */
u32 pmc_callchain_kernel(struct pt_regs *regs, u64 *frames, u32 max)
{
	struct unwind_state state;
	unsigned long address;
	u32 nr = 0;

	/* the unwinder starts with the caller */
	if (nr < max)
		frames[nr++] = regs->ip;
	for (unwind_start(&state, current, regs, NULL); !unwind_done(&state) && nr < max;
	     unwind_next_frame(&state)) {
		address = unwind_get_return_address(&state);
		if (!address)
			break;
		frames[nr++] = address;
	}
	return nr;
}

/* Read the frame at a user address: { caller's frame pointer, return address } */
static bool pmc_callchain_fetch(unsigned long address, bool is_64bit, unsigned long frame[2])
{
	u32 frame32[2];

	if (is_64bit)
		return !copy_from_user_nmi(frame, (void __user *)address, 2 * sizeof(*frame));
	if (copy_from_user_nmi(frame32, (void __user *)address, sizeof(frame32)))
		return false;
	frame[0] = frame32[0];
	frame[1] = frame32[1];
	return true;
}

/* user_64bit_mode() also knows the second 64-bit code segment, Xen's. */
static bool pmc_user_regs_are_64bit(const struct pmc_user_regs *user)
{
	struct pt_regs regs = { .cs = user->cs };

	return IS_ENABLED(CONFIG_X86_64) && user_64bit_mode(&regs);
}

/**
 * pmc_callchain_user - follow the frame pointers of user mode
 * @user:	user registers of current
 * @frames:	out: instruction pointers, innermost first
 * @max:	room in @frames, in frames
 *
 * A caller's frame is aligned and at a higher address, and its return address is in user
 * space. The chain ends at the first frame that is not: this keeps kernel addresses that a
 * program has put on its stack out of the record. Virtual-8086 mode has no call chain.
 *
 * Return: the number of frames, including @user's instruction pointer.
 */
u32 pmc_callchain_user(const struct pmc_user_regs *user, u64 *frames, u32 max)
{
	bool is_64bit = pmc_user_regs_are_64bit(user);
	unsigned long word = is_64bit ? sizeof(u64) : sizeof(u32);
	unsigned long bp = user->bp, frame[2];
	u32 nr = 0;

	if (!user->ip)
		return 0;
	if (nr < max)
		frames[nr++] = user->ip;
	if (user->flags & X86_VM_MASK)
		return nr;
	while (nr < max && bp && !(bp % word) && pmc_callchain_fetch(bp, is_64bit, frame)) {
		if (!frame[1] || frame[1] >= TASK_SIZE_MAX)
			break;
		frames[nr++] = frame[1];
		if (frame[0] <= bp)
			break;
		bp = frame[0];
	}
	return nr;
}
