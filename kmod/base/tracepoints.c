// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registration of probes on the scheduler's tracepoints
 *
 * Owns the registration of one probe for each of sched_switch, task_newtask,
 * sched_process_exec and sched_process_exit, and of a second one on sched_switch, which runs
 * before the first. A probe is registered only while it has
 * users, so the scheduler has no overhead without a context that follows a thread. The
 * probe functions are target/probes.c's, which passes them to pmc_tracepoints_init().
 *
 * Context: task context. pmc_tracepoints_lock guards the registration. It is never taken
 * inside cpus_read_lock(), because registering a probe takes cpus_read_lock() itself.
 */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "base/tracepoints.h"

static DEFINE_MUTEX(pmc_tracepoints_lock); /* the registration */

/* Found by name: the kernel exports the registration, not the tracepoints. */
static struct pmc_tracepoint {
	const char *name;
	int priority; /* of several on one tracepoint the highest runs first */
	void *function;
	struct tracepoint *tracepoint;
	u32 users; /* pmc_tracepoints_lock */
} pmc_tracepoints[] = {
	[PMC_TRACEPOINT_SWITCH] = { "sched_switch", TRACEPOINT_DEFAULT_PRIO },
	[PMC_TRACEPOINT_RDPMC] = { "sched_switch", TRACEPOINT_DEFAULT_PRIO + 1 },
	[PMC_TRACEPOINT_FORK] = { "task_newtask", TRACEPOINT_DEFAULT_PRIO },
	[PMC_TRACEPOINT_EXEC] = { "sched_process_exec", TRACEPOINT_DEFAULT_PRIO },
	[PMC_TRACEPOINT_EXIT] = { "sched_process_exit", TRACEPOINT_DEFAULT_PRIO },
};

static int pmc_tracepoint_get(struct pmc_tracepoint *probe)
{
	int err = 0;

	if (!probe->users)
		err = tracepoint_probe_register_prio(probe->tracepoint, probe->function, NULL,
						     probe->priority);
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
 * pmc_tracepoints_get - add a user to some probes
 * @mask:	mask of BIT(PMC_TRACEPOINT_...)
 *
 * Context: task context, without cpus_read_lock().
 *
 * Return: 0, -ENOMEM.
 */
int pmc_tracepoints_get(unsigned long mask)
{
	unsigned int i, j;
	int err = 0;

	mutex_lock(&pmc_tracepoints_lock);
	for_each_set_bit(i, &mask, PMC_TRACEPOINTS) {
		err = pmc_tracepoint_get(&pmc_tracepoints[i]);
		if (err)
			break;
	}
	if (err) {
		for_each_set_bit(j, &mask, i)
			pmc_tracepoint_put(&pmc_tracepoints[j]);
	}
	mutex_unlock(&pmc_tracepoints_lock);
	return err;
}

/**
 * pmc_tracepoints_put - remove a user from some probes
 * @mask:	mask of BIT(PMC_TRACEPOINT_...) that pmc_tracepoints_get() was called with
 *
 * Context: task context, without cpus_read_lock(). A probe may still run when this
 * returns; tracepoint_synchronize_unregister() waits for it.
 */
void pmc_tracepoints_put(unsigned long mask)
{
	unsigned int i;

	mutex_lock(&pmc_tracepoints_lock);
	for_each_set_bit(i, &mask, PMC_TRACEPOINTS)
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
 * @functions:	the probe of each, by &enum pmc_tracepoint_id
 *
 * Return: 0, or -EOPNOTSUPP where the kernel lacks a tracepoint.
 */
int pmc_tracepoints_init(void *const functions[PMC_TRACEPOINTS])
{
	size_t i;

	for_each_kernel_tracepoint(pmc_tracepoint_find, NULL);
	for (i = 0; i < ARRAY_SIZE(pmc_tracepoints); i++) {
		if (!pmc_tracepoints[i].tracepoint) {
			pr_err("this kernel has no tracepoint %s\n", pmc_tracepoints[i].name);
			return -EOPNOTSUPP;
		}
		pmc_tracepoints[i].function = functions[i];
	}
	return 0;
}

/**
 * pmc_tracepoints_exit - wait until no probe of this module runs; at unload
 */
void pmc_tracepoints_exit(void)
{
	tracepoint_synchronize_unregister();
}
