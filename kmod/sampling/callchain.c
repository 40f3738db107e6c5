// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call chains, from NMI context
 *
 * The kernel's by the kernel's own unwinder, user mode's by frame pointers: each
 * frame begins with the caller's frame pointer and the return address. Owns no
 * data, takes no lock; nothing here faults or sleeps.
 */
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#include <asm/unwind.h>

#include "sampling/callchain.h"
#include "sampling/user_regs.h"

/**
 * pmc_callchain_kernel - the call chain in kernel mode
 * @regs:	where, in kernel mode
 * @frames:	instruction pointers, the innermost first
 * @max:	room
 *
 * Return: the number of frames. In the middle of a switch, where the stack is the
 * next task's and current still the previous one, the unwinder finds no caller.
 */
u32 pmc_callchain_kernel(struct pt_regs *regs, u64 *frames, u32 max)
{
	struct unwind_state state;
	unsigned long address;
	u32 nr = 0;

	/* the unwinder begins with the caller */
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

/* The frame at @address, of a program of this width. */
static bool pmc_callchain_fetch(unsigned long address, bool wide, unsigned long frame[2])
{
	u32 narrow[2];

	if (wide)
		return !copy_from_user_nmi(frame, (void __user *)address, 2 * sizeof(*frame));
	if (copy_from_user_nmi(narrow, (void __user *)address, sizeof(narrow)))
		return false;
	frame[0] = narrow[0];
	frame[1] = narrow[1];
	return true;
}

/* A program of 64 bits? Where there are other code segments for them: Xen's. */
static bool pmc_user_regs_are_64bit(const struct pmc_user_regs *user)
{
	struct pt_regs regs = { .cs = user->cs };

	return IS_ENABLED(CONFIG_X86_64) && user_64bit_mode(&regs);
}

/**
 * pmc_callchain_user - the call chain in user mode
 * @user:	where, in user mode
 * @frames:	instruction pointers, the innermost first
 * @max:	room
 *
 * Return: the number of frames. Caller frames lie higher and are aligned, and callers are
 * in user mode: what is not like that is no chain, and its words are not told as addresses
 * of the kernel. In virtual-8086 mode there is none.
 */
u32 pmc_callchain_user(const struct pmc_user_regs *user, u64 *frames, u32 max)
{
	bool wide = pmc_user_regs_are_64bit(user);
	unsigned long word = wide ? sizeof(u64) : sizeof(u32);
	unsigned long at = user->bp, frame[2];
	u32 nr = 0;

	if (!user->ip)
		return 0;
	if (nr < max)
		frames[nr++] = user->ip;
	if (user->flags & X86_VM_MASK)
		return nr;
	while (nr < max && at && !(at % word) && pmc_callchain_fetch(at, wide, frame)) {
		if (!frame[1] || frame[1] >= TASK_SIZE_MAX)
			break;
		frames[nr++] = frame[1];
		if (frame[0] <= at)
			break;
		at = frame[0];
	}
	return nr;
}
