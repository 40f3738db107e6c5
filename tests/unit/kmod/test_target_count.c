// SPDX-License-Identifier: GPL-2.0-only
/* Tests of target_count.c: start, stop and snapshot of one thread and of several */
#include "unit.h"

#include <linux/kernel.h>
#include <linux/sched.h>

#include "calls.h"
#include "clock.h"
#include "irqs.h"
#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"
#include "target/context.h"
#include "target/snapshot.h"
#include "target/target.h"
#include "target/target_count.h"
#include "target/target_state.h"
#include "target/thread.h"

static int rescheduled;
static bool has_intervals;
static struct pmc_sample_config *const sampling = (void *)&calls;
static struct pmc_program program = { .nr = 2 };
static struct task_struct task_1, task_2;
static struct pmc_context *context;
static struct pmc_target *target;
static struct pmc_thread *thread_1, *thread_2, *picked;
static struct pmc_user_page page;
static struct pmc_snapshot snapshot;
struct task_struct *current;
bool pmc_notify_listening;

static void call_for(const char *name, const struct pmc_thread *thread)
{
	call("%s-%d", name, thread == thread_1 ? 1 : 2);
}

void cond_resched(void)
{
	assert_false(irqs_off);
	rescheduled++;
}

void pmc_target_notify_state(struct pmc_target *notified, enum pmc_target_state state)
{
	assert_non_null(notified);
	assert_int_equal(0, state);
}

void pmc_target_set_idle(struct pmc_target *set, bool idle)
{
	assert_ptr_equal(target, set);
	assert_true(target->lock.held && irqs_off);
	call(idle ? "idle" : "busy");
}

u32 pmc_target_state_flags(const struct pmc_target *asked)
{
	assert_ptr_equal(target, asked);
	assert_true(target->lock.held);
	return target->state == PMC_TARGET_RUNNING ? PMC_STATE_RUNNING : 0;
}

void pmc_thread_sched_in(struct pmc_thread *thread)
{
	call_for("in", thread);
}

void pmc_thread_stop_here(struct pmc_thread *thread)
{
	assert_true(thread->lock.held);
	call_for("stop", thread);
}

void pmc_thread_put(struct pmc_thread *thread)
{
	call_for("put", thread);
}

/* On the CPU where @current is the task that the test has set */
void pmc_call_on_cpu(int cpu, void (*function)(void *), void *data)
{
	struct task_struct *before = current;
	struct pmc_thread *thread = data;

	assert_int_equal(thread->task->cpu, cpu);
	call_for("call", thread);
	current = thread->task->flags ? NULL : thread->task;
	function(data);
	current = before;
}

void pmc_thread_call(struct pmc_thread *thread,
		     void (*function)(struct pmc_thread *, struct pmc_snapshot *),
		     struct pmc_snapshot *argument)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&thread->lock, flags);
	function(thread, argument);
	raw_spin_unlock_irqrestore(&thread->lock, flags);
}

struct pmc_thread *pmc_target_next(struct pmc_target *walked)
{
	assert_ptr_equal(target, walked);
	picked = !picked ? thread_1 : picked == thread_1 ? thread_2 : NULL;
	return picked;
}

void pmc_target_walk(struct pmc_target *walked,
		     void (*function)(struct pmc_thread *, struct pmc_snapshot *),
		     struct pmc_snapshot *argument)
{
	assert_ptr_equal(target, walked);
	assert_false(target->lock.held);
	assert_ptr_equal(argument, target->reader);
	call("walk");
	pmc_thread_call(thread_1, function, argument);
	pmc_thread_call(thread_2, function, argument);
}

void pmc_snapshot_add_run(struct pmc_snapshot *added_to, struct pmc_run *run)
{
	assert_ptr_equal(&snapshot, added_to);
	call_for("add", container_of(run, struct pmc_thread, run));
	assert_true(target->lock.held);
	added_to->value[0] += run->count[0].value;
	added_to->value[1] += run->count[1].value;
	added_to->counted += run->counted;
	/* it found registers that other software has written */
	target->uncounted |= PMC_STATE_REWRITTEN;
}

void pmc_snapshot_add_values(u64 *values, struct pmc_run *run)
{
	assert_ptr_equal(snapshot.value, values);
	call_for("values", container_of(run, struct pmc_thread, run));
	values[0] += run->count[0].value;
	values[1] += run->count[1].value;
}

bool pmc_perf_metrics_has_intervals(const struct pmc_run *run)
{
	assert_ptr_equal(&thread_1->run, run);
	return has_intervals;
}

void pmc_run_show(struct pmc_run *run)
{
	assert_ptr_equal(&thread_1->run, run);
	call("show");
}

void pmc_run_hide(struct pmc_run *run)
{
	assert_ptr_equal(&thread_1->run, run);
	call("hide");
}

static struct pmc_thread *make_thread(struct task_struct *task, u64 first, u64 second)
{
	struct pmc_thread *thread;

	thread = calloc(1, sizeof(*thread) + 2 * sizeof(thread->run.count[0]));
	assert_non_null(thread);
	thread->context = context;
	thread->task = task;
	thread->cpu = -1;
	thread->run.program = &program;
	thread->run.count[0].value = first;
	thread->run.count[1].value = second;
	thread->run.counted = first + second;
	return thread;
}

/* Two threads: the first is current. Others have exited, with counts. */
static int set_up(void **state)
{
	calls[0] = '\0';
	now = 1000;
	rescheduled = 0;
	has_intervals = false;
	picked = NULL;
	context = calloc(1, sizeof(*context));
	assert_non_null(context);
	context->program = &program;
	target = &context->target;
	target->nr = 2;
	target->ended[0] = 1000;
	target->ended[1] = 2000;
	target->ended_counted = 5000;
	task_1 = (struct task_struct){};
	task_2 = (struct task_struct){ .cpu = 3, .on_rq = 1 };
	current = &task_1;
	thread_1 = make_thread(&task_1, 10, 20);
	thread_2 = make_thread(&task_2, 100, 200);
	page = (struct pmc_user_page){};
	thread_1->run.user_page = &page;
	pmc_snapshot_begin(&snapshot, 7, 2);
	return 0;
}

static int tear_down(void **state)
{
	assert_false(irqs_off);
	assert_false(target->lock.held || thread_1->lock.held || thread_2->lock.held);
	free(thread_1);
	free(thread_2);
	free(context);
	return 0;
}

static void start_threads(void **state)
{
	assert_int_equal(0, pmc_target_start(context));
	expect_calls("busy;in-1;put-1;call-2;in-2;put-2;");
	assert_int_equal(2, rescheduled);
	assert_int_equal(PMC_TARGET_RUNNING, target->state);
	assert_int_equal(1, target->visit);
	/* it runs */
	assert_int_equal(0, pmc_target_start(context));
	expect_calls("");
	assert_int_equal(1, target->visit);
	target->state = PMC_TARGET_STOPPED;
	target->nr = 0;
	assert_int_equal(-ESRCH, pmc_target_start(context));
	expect_calls("");
	assert_int_equal(PMC_TARGET_STOPPED, target->state);
}

/* A thread that sleeps, or has left its CPU meanwhile */
static void start_others(void **state)
{
	task_2.on_rq = 0;
	target->only = thread_2;
	assert_int_equal(0, pmc_target_start(context));
	expect_calls("busy;");
	target->state = PMC_TARGET_STOPPED;
	task_2.on_rq = 1;
	task_2.flags = 1;
	assert_int_equal(0, pmc_target_start(context));
	expect_calls("busy;call-2;");
	target->state = PMC_TARGET_STOPPED;
	target->only = thread_1;
	assert_int_equal(0, pmc_target_start(context));
	expect_calls("busy;in-1;");
	/* it waits for the exec */
	target->state = PMC_TARGET_STOPPED;
	target->on_exec = true;
	assert_int_equal(0, pmc_target_start(context));
	expect_calls("busy;");
	assert_int_equal(PMC_TARGET_ARMED, target->state);
}

static void stop_threads(void **state)
{
	target->state = PMC_TARGET_RUNNING;
	target->since = 400;
	pmc_target_stop(context);
	expect_calls("walk;stop-1;stop-2;");
	assert_int_equal(PMC_TARGET_STOPPED, target->state);
	assert_int_equal(600, target->enabled);
	assert_int_equal(1, target->visit);
	target->state = PMC_TARGET_ARMED;
	context->sampling = sampling;
	pmc_target_stop(context);
	expect_calls("idle;");
	assert_int_equal(PMC_TARGET_STOPPED, target->state);
	assert_int_equal(600, target->enabled);
	assert_int_equal(2, target->visit);
}

static void stop_only(void **state)
{
	target->state = PMC_TARGET_RUNNING;
	target->only = thread_2;
	pmc_target_stop(context);
	expect_calls("stop-2;");
	assert_int_equal(PMC_TARGET_STOPPED, target->state);
	assert_int_equal(0, pmc_target_get_state(context));
	target->state = PMC_TARGET_RUNNING;
	assert_int_equal(PMC_STATE_RUNNING, pmc_target_get_state(context));
}

static void has(u64 first, u64 second, u64 counted)
{
	assert_int_equal(first, snapshot.value[0]);
	assert_int_equal(second, snapshot.value[1]);
	assert_int_equal(counted, snapshot.counted);
}

static void snapshot_of_threads(void **state)
{
	target->state = PMC_TARGET_RUNNING;
	target->since = 400;
	target->reader = &snapshot;
	/* beyond the counters of the context */
	target->ended[2] = 1;
	snapshot.value[2] = 7;
	pmc_target_snapshot(context, &snapshot);
	expect_calls("walk;add-1;add-2;");
	has(1110, 2220, 5330);
	assert_int_equal(7, snapshot.value[2]);
	assert_int_equal(-1, snapshot.cpu);
	assert_int_equal(1000, snapshot.tsc);
	assert_int_equal(600, snapshot.enabled);
	assert_int_equal(PMC_STATE_RUNNING | PMC_STATE_REWRITTEN, snapshot.state);
	assert_null(target->reader);
	assert_int_equal(1, target->visit);
	assert_int_equal(1000, target->ended[0]);
	assert_int_equal(5000, target->ended_counted);
	assert_int_equal(600, target->enabled);
}

static void clear(void **state)
{
	target->state = PMC_TARGET_RUNNING;
	target->since = 400;
	snapshot.clear_values = true;
	pmc_target_snapshot(context, &snapshot);
	has(1110, 2220, 5330);
	assert_int_equal(0, target->ended[0]);
	assert_int_equal(0, target->ended[1]);
	assert_int_equal(5000, target->ended_counted);
	assert_int_equal(600, target->enabled);
	pmc_snapshot_begin(&snapshot, 7, 2);
	snapshot.clear_times = true;
	target->ended[0] = 3;
	now = 1100;
	pmc_target_snapshot(context, &snapshot);
	has(113, 220, 5330);
	assert_int_equal(700, snapshot.enabled);
	assert_int_equal(3, target->ended[0]);
	assert_int_equal(0, target->ended_counted);
	assert_int_equal(0, target->enabled);
	/* the time-stamp counter + the clock */
	assert_int_equal(0, now + target->clock);
}

/* It left while the walk was about to come to it: its counts were in the target's. */
static void left_in_between(void **state)
{
	thread_2->detached = true;
	pmc_target_snapshot(context, &snapshot);
	expect_calls("walk;add-1;values-2;");
	has(1110, 2220, 5330);
	assert_int_equal(1000, target->ended[0]);
	pmc_snapshot_begin(&snapshot, 7, 2);
	snapshot.clear_values = true;
	pmc_target_snapshot(context, &snapshot);
	/* the next READ adds its counts, which were added to the cleared ones, and is 0 */
	assert_int_equal(-100, (s64)target->ended[0]);
	assert_int_equal(-200, (s64)target->ended[1]);
	assert_int_equal(5000, target->ended_counted);
	snapshot.clear_values = false;
	snapshot.clear_times = true;
	pmc_target_snapshot(context, &snapshot);
	assert_int_equal(-100, (s64)target->ended[0]);
	assert_int_equal(-300, (s64)target->ended_counted);
}

static void snapshot_of_only(void **state)
{
	target->only = thread_2;
	thread_2->cpu = 3;
	pmc_target_snapshot(context, &snapshot);
	expect_calls("add-2;");
	has(1100, 2200, 5300);
	assert_int_equal(3, snapshot.cpu);
	assert_int_equal(0, target->visit);
	/* its counts are the target's */
	thread_2->detached = true;
	thread_2->cpu = -1;
	pmc_snapshot_begin(&snapshot, 7, 2);
	pmc_target_snapshot(context, &snapshot);
	expect_calls("");
	has(1000, 2000, 5000);
	assert_int_equal(-1, snapshot.cpu);
}

static void user_page(void **state)
{
	target->only = thread_1;
	pmc_target_open_user_page(context, true);
	expect_calls("");
	assert_true(page.open);
	assert_true(page.stale);
	thread_1->cpu = 0;
	pmc_target_open_user_page(context, true);
	expect_calls("show;");
	pmc_target_open_user_page(context, false);
	expect_calls("hide;");
	assert_false(page.open);
	/* a read in user mode could not report it */
	has_intervals = true;
	pmc_target_open_user_page(context, true);
	assert_false(page.open);
	has_intervals = false;
	target->uncounted = PMC_STATE_UNCOUNTED;
	pmc_target_open_user_page(context, true);
	assert_false(page.open);
	expect_calls("");
}

static void clock_back(void **state)
{
	target->since = 900;
	target->enabled = 50;
	pmc_target_set_clock_back(context, 800);
	assert_int_equal(100, target->since);
	assert_int_equal(50, 100 + target->clock);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(start_threads), TEST(start_others), TEST(stop_threads), TEST(stop_only),
		TEST(snapshot_of_threads), TEST(clear), TEST(left_in_between),
		TEST(snapshot_of_only), TEST(user_page), TEST(clock_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
