// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probe functions on the scheduler's tracepoints
 *
 * The probes call the hooks of thread.c, of RDPMC's permissions (pmu/rdpmc_tasks.c) and of
 * pmu/leftovers.c. sched_switch has two probes.
 * Owns no data; base/tracepoints.c registers the probes while they have users.
 *
 * The fork probe is on task_newtask and not on sched_process_fork: threads that the kernel creates
 * for a process (io_uring's and vhost's) pass only the former. It comes after
 * everything in a fork that may fail; the new task is in the task lists and has not been
 * woken.
 *
 * Context: the switch probes run with interrupts off under the run queue lock. The other
 * probes run in the task concerned with preemption off. They turn interrupts off
 * themselves, which makes each of them an RCU reader with every kind of RCU that a kernel's
 * tracepoints use.
 */
#include <linux/irqflags.h>
#include <linux/mm_types.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "base/tracepoints.h"
#include "compat/compat.h"
#include "pmu/leftovers.h"
#include "pmu/rdpmc_tasks.h"
#include "target/probes.h"
#include "target/thread.h"

static void pmc_probe_switch(PMC_SCHED_SWITCH_ARGS)
{
	pmc_threads_switch(next);
}

/* Runs before pmc_probe_switch(); registered while a task may execute RDPMC */
static void pmc_probe_rdpmc(PMC_SCHED_SWITCH_ARGS)
{
	if (pmc_leftovers_readable(next))
		pmc_threads_hide_counts(prev, next);
}

static void pmc_probe_fork(PMC_NEWTASK_ARGS)
{
	unsigned long flags;

	/* the child is listed in its process before the table is read: pmc_thread_follow() */
	smp_mb();
	local_irq_save(flags);
	pmc_threads_fork(task);
	pmc_rdpmc_fork(task);
	local_irq_restore(flags);
}

static void pmc_probe_exec(void *data, struct task_struct *task, pid_t old_pid,
			   struct linux_binprm *bprm)
{
	unsigned long flags;

	/* the new credentials are set before the table is read: pmc_thread_follow() */
	smp_mb();
	local_irq_save(flags);
	pmc_threads_exec();
	pmc_rdpmc_exec();
	local_irq_restore(flags);
}

static void pmc_probe_exit(PMC_PROCESS_EXIT_ARGS)
{
	unsigned long flags;

	/* PF_EXITING is set before the table is read: pmc_thread_follow() */
	smp_mb();
	local_irq_save(flags);
	pmc_threads_end();
	local_irq_restore(flags);
}

static void __maybe_unused pmc_probe_types(void)
{
	check_trace_callback_type_sched_switch(pmc_probe_switch);
	check_trace_callback_type_sched_switch(pmc_probe_rdpmc);
	check_trace_callback_type_task_newtask(pmc_probe_fork);
	check_trace_callback_type_sched_process_exec(pmc_probe_exec);
	check_trace_callback_type_sched_process_exit(pmc_probe_exit);
}

static void *const pmc_probe_functions[PMC_TRACEPOINTS] = {
	[PMC_TRACEPOINT_SWITCH] = pmc_probe_switch,
	[PMC_TRACEPOINT_RDPMC] = pmc_probe_rdpmc,
	[PMC_TRACEPOINT_FORK] = pmc_probe_fork,
	[PMC_TRACEPOINT_EXEC] = pmc_probe_exec,
	[PMC_TRACEPOINT_EXIT] = pmc_probe_exit,
};

/**
 * pmc_probes_init - find the tracepoints; at load
 *
 * No probe is registered yet. pmc_tracepoints_exit() undoes this.
 *
 * Return: 0, or -EOPNOTSUPP where the kernel lacks a tracepoint.
 */
int pmc_probes_init(void)
{
	return pmc_tracepoints_init(pmc_probe_functions);
}
