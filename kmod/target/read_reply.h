/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reply to PMC_IOC_READ
 */
#ifndef PMC_READ_REPLY_H
#define PMC_READ_REPLY_H

#include <linux/uaccess.h>

#include "uapi/pmcdrv.h"

/**
 * unsafe_put_read_reply() - write all of a reply but the values
 * @to:		struct pmc_read in user space
 * @at:		CPU where the counts were read, or -1
 * @nr:		number of values
 * @flags:	PMC_STATE_*
 * @now:	time-stamp counter
 * @enabled:	time enabled, in ticks of the time-stamp counter
 * @counted:	time counted, likewise
 * @overflow:	overflows since the last RESET
 * @label:	where to go on a fault
 *
 * The caller is between user_access_begin() and user_access_end(). A macro, like
 * unsafe_put_user(): each argument is evaluated just before it is written. With a function
 * that takes a structure, gcc spills registers in the caller's loop over the values.
 */
#define unsafe_put_read_reply(to, at, nr, flags, now, enabled, counted, overflow, label)	\
do {											\
	struct pmc_read __user *__to = (to);						\
											\
	unsafe_put_user(at, &__to->cpu, label);						\
	unsafe_put_user(nr, &__to->nr_counters, label);					\
	unsafe_put_user(flags, &__to->state, label);					\
	unsafe_put_user(0, &__to->reserved, label);					\
	unsafe_put_user(now, &__to->tsc, label);					\
	unsafe_put_user(enabled, &__to->time_enabled, label);				\
	unsafe_put_user(counted, &__to->time_counted, label);				\
	unsafe_put_user(overflow, &__to->overflows, label);				\
	unsafe_put_user(0, &__to->reserved2, label);					\
} while (0)

#endif /* PMC_READ_REPLY_H */
