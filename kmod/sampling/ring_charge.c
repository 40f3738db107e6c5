// SPDX-License-Identifier: GPL-2.0-only
/*
 * The limit on the memory of a user's sample rings
 *
 * Rings are charged to the user (user_struct.locked_vm), to which perf and io_uring charge, too.
 * The limit is the module parameter ring_kb times the possible CPUs, plus the caller's
 * RLIMIT_MEMLOCK. CAP_IPC_LOCK lifts it. Nothing is charged to a process, because a ring outlives
 * an exec of its process, and belongs to the file.
 *
 * Owns the module parameter and struct pmc_ring_charge. Takes no lock: the account is atomic,
 * and what was added is taken back if it is too much. Context: task context.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>

#include "sampling/ring_charge.h"

/* perf's default of kernel.perf_event_mlock_kb: two rings of 256 KiB and their headers */
static unsigned int ring_kb = 512 + PAGE_SIZE / 1024;
module_param(ring_kb, uint, 0644);
MODULE_PARM_DESC(ring_kb, "KiB of sample rings for each user and CPU, beside RLIMIT_MEMLOCK");

/* Pages that the caller's user may have */
static u64 pmc_ring_limit(void)
{
	u64 allowance = (u64)(READ_ONCE(ring_kb) >> (PAGE_SHIFT - 10)) * num_possible_cpus();

	return allowance + (rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT);
}

/**
 * pmc_ring_charge - charge the caller for the rings of a context
 * @charge:	receives what was charged; zeroed by the caller
 * @pages:	pages of all rings together
 *
 * Return: 0; -ENOMEM if the rings take more than a quarter of the memory; -ENOBUFS if the user
 * may not have as much. pmc_ring_uncharge() is needed only after 0.
 */
int pmc_ring_charge(struct pmc_ring_charge *charge, unsigned long pages)
{
	unsigned long used;

	if (pages > totalram_pages() / 4)
		return -ENOMEM;
	charge->cred = get_current_cred();
	charge->pages = pages;
	used = atomic_long_add_return(pages, &charge->cred->user->locked_vm);
	if (used <= pmc_ring_limit() || capable(CAP_IPC_LOCK))
		return 0;
	pmc_ring_uncharge(charge);
	return -ENOBUFS;
}

/**
 * pmc_ring_uncharge - undo pmc_ring_charge()
 * @charge:	charged, or zeroed: then there is nothing to do
 */
void pmc_ring_uncharge(struct pmc_ring_charge *charge)
{
	if (!charge->cred)
		return;
	atomic_long_sub(charge->pages, &charge->cred->user->locked_vm);
	put_cred(charge->cred);
	charge->cred = NULL;
}
