// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probes on the scheduler's tracepoints
 *
 * Owns the registration of four probes: sched_switch, task_newtask,
 * sched_process_exec and _exit. Each is registered only while somebody needs it;
 * without a context that follows a thread the scheduler runs as if this module were
 * not there.
 *
 * task_newtask and not sched_process_fork: threads that the kernel makes for a
 * process (io_uring's and vhost's) pass that one alone. It stands at the end of all
 * that may fail; the new task is in the lists, and has not been woken.
 *
 * pmc_tracepoints_lock guards the registration. It is never taken inside
 * cpus_read_lock(), which registering takes itself. The switch probe runs with
 * interrupts off and the run queue's lock held; the others in the task concerned
 * with preemption off, and turn interrupts off themselves, which makes each of
 * them an RCU reader whatever the kernel's tracepoints use.
 */
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "compat/compat.h"
#include "pmu/rdpmc.h"
#include "target/tracepoints.h"
#include "target/thread.h"

static void pmc_probe_switch(void *data, bool preempt, struct task_struct *prev,
			     struct task_struct *next, unsigned int prev_state)
{
	pmc_threads_switch(next);
}

static void pmc_probe_fork(PMC_NEWTASK_ARGS)
{
	unsigned long flags;

	/* in its process' list before the look into the table: pairs with pmc_thread_follow() */
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

	/* the new credentials before the look into the table: pairs with pmc_thread_follow() */
	smp_mb();
	local_irq_save(flags);
	pmc_threads_exec();
	pmc_rdpmc_exec();
	local_irq_restore(flags);
}

static void pmc_probe_exit(PMC_PROCESS_EXIT_ARGS)
{
	unsigned long flags;

	/* PF_EXITING before the look into the table: pairs with pmc_thread_follow() */
	smp_mb();
	local_irq_save(flags);
	pmc_threads_end();
	local_irq_restore(flags);
}

static DEFINE_MUTEX(pmc_tracepoints_lock); /* the registration */

/* Found by name: the kernel exports the registering, not the tracepoints. */
static struct pmc_tracepoint {
	const char *name;
	void *function;
	struct tracepoint *tracepoint;
	u32 users; /* pmc_tracepoints_lock */
} pmc_tracepoints[] = {
	[PMC_TRACEPOINT_SWITCH] = { "sched_switch", pmc_probe_switch },
	[PMC_TRACEPOINT_FORK] = { "task_newtask", pmc_probe_fork },
	[PMC_TRACEPOINT_EXEC] = { "sched_process_exec", pmc_probe_exec },
	[PMC_TRACEPOINT_EXIT] = { "sched_process_exit", pmc_probe_exit },
};

static void __maybe_unused pmc_probe_types(void)
{
	check_trace_callback_type_sched_switch(pmc_probe_switch);
	check_trace_callback_type_task_newtask(pmc_probe_fork);
	check_trace_callback_type_sched_process_exec(pmc_probe_exec);
	check_trace_callback_type_sched_process_exit(pmc_probe_exit);
}

static int pmc_tracepoint_get(struct pmc_tracepoint *probe)
{
	int err = 0;

	if (!probe->users)
		err = tracepoint_probe_register(probe->tracepoint, probe->function, NULL);
	if (!err)
		probe->users++;
	return err;
}

static void pmc_tracepoint_put(struct pmc_tracepoint *probe)
{
	if (!--probe->users)
		tracepoint_probe_unregister(probe->tracepoint, probe->function, NULL);
}

/**
 * pmc_tracepoints_get - some probes are needed
 * @wanted:	mask of BIT(PMC_PROBE_...)
 *
 * Return: 0, -ENOMEM.
 */
int pmc_tracepoints_get(unsigned long wanted)
{
	unsigned int i, j;
	int err = 0;

	mutex_lock(&pmc_tracepoints_lock);
	for_each_set_bit(i, &wanted, PMC_TRACEPOINTS) {
		err = pmc_tracepoint_get(&pmc_tracepoints[i]);
		if (err)
			break;
	}
	if (err) {
		for_each_set_bit(j, &wanted, i)
			pmc_tracepoint_put(&pmc_tracepoints[j]);
	}
	mutex_unlock(&pmc_tracepoints_lock);
	return err;
}

/**
 * pmc_tracepoints_put - they are no longer needed
 * @wanted:	as in pmc_tracepoints_get()
 */
void pmc_tracepoints_put(unsigned long wanted)
{
	unsigned int i;

	mutex_lock(&pmc_tracepoints_lock);
	for_each_set_bit(i, &wanted, PMC_TRACEPOINTS)
		pmc_tracepoint_put(&pmc_tracepoints[i]);
	mutex_unlock(&pmc_tracepoints_lock);
}

static void pmc_tracepoint_find(struct tracepoint *tracepoint, void *data)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pmc_tracepoints); i++) {
		if (!strcmp(tracepoint->name, pmc_tracepoints[i].name))
			pmc_tracepoints[i].tracepoint = tracepoint;
	}
}

/**
 * pmc_tracepoints_init - find the tracepoints; at load
 *
 * Return: 0, or -EOPNOTSUPP where the kernel lacks one.
 */
int pmc_tracepoints_init(void)
{
	size_t i;

	for_each_kernel_tracepoint(pmc_tracepoint_find, NULL);
	for (i = 0; i < ARRAY_SIZE(pmc_tracepoints); i++) {
		if (!pmc_tracepoints[i].tracepoint) {
			pr_err("this kernel has no tracepoint %s\n", pmc_tracepoints[i].name);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

/**
 * pmc_tracepoints_exit - wait until no probe of ours can still run; at unload
 */
void pmc_tracepoints_exit(void)
{
	tracepoint_synchronize_unregister();
}
