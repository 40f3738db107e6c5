// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counting state of a target: stopped, armed or running
 *
 * Owns &pmc_target.state and what depends on it: the time enabled, notifications, and
 * whether readers of the rings still wait.
 *
 * Locking: pmc_target.lock is held with interrupts off, in task context, in the probes and
 * in IPIs. Nothing here sleeps or wakes a task directly.
 */
#include <linux/kernel.h>

#include "pmu/pmu.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "target/context.h"
#include "target/target_state.h"

/**
 * pmc_target_notify - notify listeners of an event of a target's context
 * @target:	no other CPU changes it meanwhile
 * @event:	PMC_NETLINK_...
 *
 * Nothing is sent before the context is configured nor while it is released.
 */
void pmc_target_notify(struct pmc_target *target, enum pmc_netlink_command event)
{
	struct pmc_context *context = container_of(target, struct pmc_context, target);

	if (pmc_context_id(context) && !target->closing)
		pmc_notify_context(&context->identity, event);
}

/**
 * pmc_target_notify_state - notify listeners that a target's state changes
 * @target:	no other CPU changes it meanwhile
 * @state:	the new state
 */
void pmc_target_notify_state(struct pmc_target *target, enum pmc_target_state state)
{
	static const u8 events[] = {
		[PMC_TARGET_STOPPED] = PMC_NETLINK_STOPPED,
		[PMC_TARGET_ARMED] = PMC_NETLINK_ARMED,
		[PMC_TARGET_RUNNING] = PMC_NETLINK_STARTED,
	};

	pmc_target_notify(target, events[state]);
}

/**
 * pmc_target_set_idle - end or resume the waiting of readers of the rings
 * @target:	its lock is held
 * @idle:	nothing is counted and all records are in the rings
 */
void pmc_target_set_idle(struct pmc_target *target, bool idle)
{
	struct pmc_context *context = container_of(target, struct pmc_context, target);

	if (context->sampling)
		pmc_rings_set_idle(context->sampling->rings, idle, !target->nr);
}

/**
 * pmc_target_state_flags - PMC_STATE_* of a target
 * @target:	its lock is held
 */
u32 pmc_target_state_flags(const struct pmc_target *target)
{
	u32 state = READ_ONCE(target->uncounted);

	if (target->state == PMC_TARGET_RUNNING)
		state |= PMC_STATE_RUNNING;
	if (target->state == PMC_TARGET_ARMED)
		state |= PMC_STATE_ARMED;
	if (!target->nr)
		state |= PMC_STATE_ENDED;
	if (target->missed)
		state |= PMC_STATE_INCOMPLETE;
	return state;
}
