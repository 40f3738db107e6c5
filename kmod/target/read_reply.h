/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reply to PMC_IOC_READ
 */
#ifndef PMC_READ_REPLY_H
#define PMC_READ_REPLY_H

#include <linux/uaccess.h>

#include "uapi/pmcdrv.h"

/**
 * struct pmc_read_reply - the fields of a reply besides the values
 * @cpu:	CPU where the counts were read, or -1
 * @nr:		number of values
 * @state:	PMC_STATE_*
 * @tsc:	time-stamp counter
 * @enabled:	time enabled, in ticks of the time-stamp counter
 * @counted:	time counted, likewise
 * @overflows:	overflows since the last reset
 */
struct pmc_read_reply {
	s32 cpu;
	u32 nr;
	u32 state;
	u64 tsc;
	u64 enabled;
	u64 counted;
	u64 overflows;
};

/*
 * Write @reply to user space; the caller writes the values. It is between
 * user_access_begin() and user_access_end(), so this is inlined and calls no function.
 * Returns false on a fault.
 */
static __always_inline bool pmc_read_reply_put(struct pmc_read __user *to,
					       const struct pmc_read_reply *reply)
{
	unsafe_put_user(reply->cpu, &to->cpu, fault);
	unsafe_put_user(reply->nr, &to->nr_counters, fault);
	unsafe_put_user(reply->state, &to->state, fault);
	unsafe_put_user(0, &to->reserved, fault);
	unsafe_put_user(reply->tsc, &to->tsc, fault);
	unsafe_put_user(reply->enabled, &to->time_enabled, fault);
	unsafe_put_user(reply->counted, &to->time_counted, fault);
	unsafe_put_user(reply->overflows, &to->overflows, fault);
	unsafe_put_user(0, &to->reserved2, fault);
	return true;
fault:
	return false;
}

#endif /* PMC_READ_REPLY_H */
