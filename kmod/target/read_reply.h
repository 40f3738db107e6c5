/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reply to PMC_IOC_READ
 */
#ifndef PMC_READ_REPLY_H
#define PMC_READ_REPLY_H

#include <linux/uaccess.h>

#include "uapi/pmcdrv.h"

/**
 * pmc_read_reply_put() - write all of a reply but the values
 * @to:		the reply in user space
 * @cpu:	CPU where the counts were read, or -1
 * @nr:		number of values
 * @state:	PMC_STATE_*
 * @tsc:	time-stamp counter
 * @enabled:	time enabled, in ticks of the time-stamp counter
 * @counted:	time counted, likewise
 * @overflows:	overflows since the last RESET
 *
 * Inlined: the caller is between user_access_begin() and user_access_end(), where no function
 * may be called. It takes no structure: gcc would clear that on the stack and spill registers
 * in the caller's loop over the values.
 *
 * Return: false on a fault.
 */
static __always_inline bool pmc_read_reply_put(struct pmc_read __user *to, s32 cpu, u32 nr,
					       u32 state, u64 tsc, u64 enabled, u64 counted,
					       u64 overflows)
{
	unsafe_put_user(cpu, &to->cpu, fault);
	unsafe_put_user(nr, &to->nr_counters, fault);
	unsafe_put_user(state, &to->state, fault);
	unsafe_put_user(0, &to->reserved, fault);
	unsafe_put_user(tsc, &to->tsc, fault);
	unsafe_put_user(enabled, &to->time_enabled, fault);
	unsafe_put_user(counted, &to->time_counted, fault);
	unsafe_put_user(overflows, &to->overflows, fault);
	unsafe_put_user(0, &to->reserved2, fault);
	return true;
fault:
	return false;
}

#endif /* PMC_READ_REPLY_H */
