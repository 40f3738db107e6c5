// SPDX-License-Identifier: GPL-2.0-only
/*
 * The limit on the memory of sample rings, per user and per process
 *
 * Rings are charged as perf's are, to the same two accounts: to the user (user_struct.locked_vm)
 * up to an allowance, which is the module parameter ring_kb times the possible CPUs, and beyond it
 * to the process (mm_struct.pinned_vm) up to RLIMIT_MEMLOCK. CAP_IPC_LOCK lifts both limits.
 *
 * Owns the module parameter and struct pmc_ring_charge. Takes no lock: the accounts are atomic,
 * and what was added is taken back if it is too much. Context: task context.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>

#include "sampling/ring_charge.h"

/* perf's default of kernel.perf_event_mlock_kb: two rings of 256 KiB and their headers */
static unsigned int ring_kb = 512 + PAGE_SIZE / 1024;
module_param(ring_kb, uint, 0644);
MODULE_PARM_DESC(ring_kb, "KiB of sample rings for each user and CPU, beside RLIMIT_MEMLOCK");

/* Pages that a user may have before RLIMIT_MEMLOCK counts */
static unsigned long pmc_ring_allowance(void)
{
	return (unsigned long)(READ_ONCE(ring_kb) >> (PAGE_SHIFT - 10)) * num_possible_cpus();
}

/*
 * Split @pages between the accounts. Two processes of a user that do so at the same time can
 * each find the allowance used by the other and charge more to themselves, never less.
 */
static void pmc_ring_charge_split(struct pmc_ring_charge *charge, unsigned long pages)
{
	unsigned long allowance = pmc_ring_allowance();
	unsigned long used = atomic_long_add_return(pages, &charge->cred->user->locked_vm);

	charge->mm_pages = used > allowance ? min(used - allowance, pages) : 0;
	charge->user_pages = pages - charge->mm_pages;
	atomic_long_sub(charge->mm_pages, &charge->cred->user->locked_vm);
}

/**
 * pmc_ring_charge - charge the caller for the rings of a context
 * @charge:	receives what was charged; zeroed by the caller
 * @pages:	pages of all rings together
 *
 * Return: 0; -ENOMEM if the rings take more than a quarter of the memory; -ENOBUFS if the user
 * and the process may not have as much. pmc_ring_uncharge() is needed only after 0.
 */
int pmc_ring_charge(struct pmc_ring_charge *charge, unsigned long pages)
{
	u64 pinned;

	if (pages > totalram_pages() / 4)
		return -ENOMEM;
	charge->cred = get_current_cred();
	charge->mm = current->mm;
	mmgrab(charge->mm);
	pmc_ring_charge_split(charge, pages);
	if (!charge->mm_pages)
		return 0;
	pinned = atomic64_add_return(charge->mm_pages, &charge->mm->pinned_vm);
	if (pinned <= rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT || capable(CAP_IPC_LOCK))
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
	atomic64_sub(charge->mm_pages, &charge->mm->pinned_vm);
	atomic_long_sub(charge->user_pages, &charge->cred->user->locked_vm);
	mmdrop(charge->mm);
	put_cred(charge->cred);
	charge->cred = NULL;
}
