// SPDX-License-Identifier: GPL-2.0-only
/* Tests of target_state.c and target_state.h: flags, notifications and the time enabled */
#include "unit.h"

#include <linux/kernel.h>

#include "base/notify.h"
#include "clock.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "target/context.h"
#include "target/target_state.h"

static struct pmc_context *context;
static struct pmc_target *target;
static struct pmc_sample_config sampling;
static int event, rings_set;
static bool idle_set, ended_set;
bool pmc_notify_listening;

void pmc_notify_context(const struct pmc_identity *identity, enum pmc_netlink_command command)
{
	assert_ptr_equal(&context->identity, identity);
	assert_int_equal(-1, event);
	event = command;
}

void pmc_rings_set_idle(struct pmc_rings *rings, bool idle, bool ended)
{
	assert_ptr_equal(&sampling, rings);
	idle_set = idle;
	ended_set = ended;
	rings_set++;
}

static int set_up(void **state)
{
	context = calloc(1, sizeof(*context));
	assert_non_null(context);
	target = &context->target;
	target->nr = 1;
	context->identity.id = 5;
	context->numbered = true;
	sampling.rings = (void *)&sampling;
	pmc_notify_listening = true;
	event = -1;
	rings_set = 0;
	now = 1000;
	return 0;
}

static int tear_down(void **state)
{
	free(context);
	return 0;
}

static void notified(int expected)
{
	assert_int_equal(expected, event);
	event = -1;
}

/* Not before the context has a number, nor while it is released */
static void notifications(void **state)
{
	pmc_target_notify(target, PMC_NETLINK_STARTED);
	notified(PMC_NETLINK_STARTED);
	target->closing = true;
	pmc_target_notify(target, PMC_NETLINK_STARTED);
	notified(-1);
	target->closing = false;
	context->numbered = false;
	pmc_target_notify(target, PMC_NETLINK_STARTED);
	notified(-1);
}

static void notifications_of_states(void **state)
{
	pmc_target_notify_state(target, PMC_TARGET_STOPPED);
	notified(PMC_NETLINK_STOPPED);
	pmc_target_notify_state(target, PMC_TARGET_ARMED);
	notified(PMC_NETLINK_ARMED);
	pmc_target_notify_state(target, PMC_TARGET_RUNNING);
	notified(PMC_NETLINK_STARTED);
}

static void idle(void **state)
{
	pmc_target_set_idle(target, true);
	assert_int_equal(0, rings_set);
	context->sampling = &sampling;
	pmc_target_set_idle(target, true);
	assert_int_equal(1, rings_set);
	assert_true(idle_set);
	assert_false(ended_set);
	target->nr = 0;
	pmc_target_set_idle(target, false);
	assert_int_equal(2, rings_set);
	assert_false(idle_set);
	assert_true(ended_set);
}

static void flags(void **state)
{
	assert_int_equal(0, pmc_target_state_flags(target));
	target->state = PMC_TARGET_ARMED;
	assert_int_equal(PMC_STATE_ARMED, pmc_target_state_flags(target));
	target->state = PMC_TARGET_RUNNING;
	assert_int_equal(PMC_STATE_RUNNING, pmc_target_state_flags(target));
	target->nr = 0;
	assert_int_equal(PMC_STATE_RUNNING | PMC_STATE_ENDED, pmc_target_state_flags(target));
	target->missed = 1ULL << 32;
	target->uncounted = PMC_STATE_UNCOUNTED | PMC_STATE_REWRITTEN;
	target->state = PMC_TARGET_STOPPED;
	assert_int_equal(PMC_STATE_ENDED | PMC_STATE_INCOMPLETE | PMC_STATE_UNCOUNTED |
			 PMC_STATE_REWRITTEN, pmc_target_state_flags(target));
	target->nr = 2;
	assert_int_equal(PMC_STATE_INCOMPLETE | PMC_STATE_UNCOUNTED | PMC_STATE_REWRITTEN,
			 pmc_target_state_flags(target));
}

/* From START to STOP; a reader adds the clock to the time-stamp counter. */
static void times(void **state)
{
	assert_true(pmc_target_set_started(target));
	assert_int_equal(PMC_TARGET_RUNNING, target->state);
	notified(PMC_NETLINK_STARTED);
	assert_int_equal(0, target->enabled);
	now = 1300;
	assert_int_equal(300, now + target->clock);
	pmc_target_update_clock(target, now);
	assert_int_equal(300, target->enabled);
	now = 1500;
	pmc_notify_listening = false;
	pmc_target_set_state(target, PMC_TARGET_STOPPED);
	notified(-1);
	assert_int_equal(500, target->enabled);
	now = 1700;
	pmc_target_update_clock(target, now);
	assert_int_equal(500, target->enabled);
	/* the same state again is no event */
	pmc_notify_listening = true;
	pmc_target_set_state(target, PMC_TARGET_STOPPED);
	notified(-1);
}

/* It waits for the exec, unless that has happened. */
static void armed(void **state)
{
	target->on_exec = true;
	assert_false(pmc_target_set_started(target));
	assert_int_equal(PMC_TARGET_ARMED, target->state);
	notified(PMC_NETLINK_ARMED);
	now = 1400;
	pmc_target_update_clock(target, now);
	assert_int_equal(0, target->enabled);
	target->exec_done = true;
	assert_true(pmc_target_set_started(target));
	assert_int_equal(PMC_TARGET_RUNNING, target->state);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(notifications), TEST(notifications_of_states), TEST(idle), TEST(flags),
		TEST(times), TEST(armed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
