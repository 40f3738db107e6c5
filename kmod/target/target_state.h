/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counting state of a target: stopped, armed or running
 */
#ifndef PMC_TARGET_STATE_H
#define PMC_TARGET_STATE_H

#include <linux/compiler.h>
#include <asm/tsc.h>

#include "base/notify.h"
#include "target/target_types.h"

void pmc_target_notify(struct pmc_target *target, enum pmc_netlink_command event);
void pmc_target_notify_state(struct pmc_target *target, enum pmc_target_state state);
void pmc_target_set_idle(struct pmc_target *target, bool idle);
u32 pmc_target_state_flags(const struct pmc_target *target);

/* Bring the time enabled up to @now, in ticks. The target's lock is held, or see self.c. */
static inline void pmc_target_update_clock(struct pmc_target *target, u64 now)
{
	if (target->state == PMC_TARGET_RUNNING)
		target->enabled += now - target->since;
	target->since = now;
	WRITE_ONCE(target->clock, target->enabled - now);
}

/* Change the state. The target's lock is held, or see self.c. */
static inline void pmc_target_set_state(struct pmc_target *target, enum pmc_target_state state)
{
	if (pmc_notify_is_listening() && target->state != state)
		pmc_target_notify_state(target, state);
	pmc_target_update_clock(target, rdtsc());
	/* pairs with the READ_ONCE() in pmc_thread_sched_in() */
	WRITE_ONCE(target->state, state);
}

/*
 * START of a stopped target: it runs, or is armed until the exec. Returns true if it runs.
 * The target's lock is held, or see self.c.
 */
static inline bool pmc_target_set_started(struct pmc_target *target)
{
	bool now = !target->on_exec || target->exec_done;

	pmc_target_set_state(target, now ? PMC_TARGET_RUNNING : PMC_TARGET_ARMED);
	return now;
}

#endif /* PMC_TARGET_STATE_H */
