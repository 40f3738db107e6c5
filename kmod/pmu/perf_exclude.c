// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeping perf from counters that the kernel's reservations do not cover
 *
 * The kernel has a reservation for each general counter, and perf takes all of them with
 * its first hardware event. The reservations know only the counters' old addresses. With
 * perfmon version 6, kernels from 6.12 on reserve the new addresses. That always succeeds,
 * whatever is reserved (arch/x86/kernel/cpu/perfctr-watchdog.c: "not managed by the
 * allocator").
 *
 * So while the driver has the counters, a kprobe on the reservation replaces the address by
 * that of an event select which the driver has reserved. perf's first hardware event then
 * fails with EBUSY, as on other processors. perf reserves only for its first event, so if
 * another perf event can be created, perf had the counters before. Each claim tries that
 * with an event that never runs. perf decides under a lock of its own, so either perf or the
 * driver gets the counters.
 *
 * Owns the kprobe and pmc_perf_exclude. Without the kprobe, claim.c can only compare the
 * registers to find other users.
 * Locks: pmc_perf_exclude is written under pmc_claims_lock with cpus_read_lock() held. The
 * kprobe reads it without a lock, in the context of perf's reservation.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "compat/compat.h"
#include "pmu/perf_exclude.h"
#include "pmu/pmu.h"

static struct {
	const struct pmc_family *family; /* NULL: perf is not excluded */
	u64 mask;
	const struct task_struct *requester; /* not NULL: only this task's reservations fail */
} pmc_perf_exclude;

static bool pmc_perf_exclude_needed;
static bool pmc_perf_exclude_registered;

static int pmc_perf_exclude_reserve(struct kprobe *probe, struct pt_regs *regs)
{
	/* pairs with the smp_store_release() in pmc_perf_exclude_begin() */
	const struct pmc_family *family = smp_load_acquire(&pmc_perf_exclude.family);
	const struct task_struct *requester;
	u32 known;

	if (!family)
		return 0;
	requester = READ_ONCE(pmc_perf_exclude.requester);
	if (requester && requester != current)
		return 0;
	known = family->reserved_as(pmc_first_argument(regs), READ_ONCE(pmc_perf_exclude.mask));
	if (known)
		pmc_set_first_argument(regs, known);
	return 0;
}

static struct kprobe pmc_perf_exclude_kprobe = {
	.symbol_name = "reserve_evntsel_nmi",
	.pre_handler = pmc_perf_exclude_reserve,
};

/**
 * pmc_perf_exclude_init - register the kprobe, if some CPU needs it
 *
 * Every online CPU has been described.
 */
void pmc_perf_exclude_init(void)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		pmc_perf_exclude_needed |= per_cpu(pmc_pmus, cpu).description.unreserved;
	cpus_read_unlock();
	if (pmc_perf_exclude_needed)
		pmc_perf_exclude_registered = !register_kprobe(&pmc_perf_exclude_kprobe);
}

/**
 * pmc_perf_exclude_exit - undo pmc_perf_exclude_init(); no counter is claimed any more
 */
void pmc_perf_exclude_exit(void)
{
	if (pmc_perf_exclude_registered)
		unregister_kprobe(&pmc_perf_exclude_kprobe);
}

/**
 * pmc_perf_exclude_unavailable - is the kprobe needed, but not registered?
 *
 * Return: true if the driver cannot keep perf from the counters.
 */
bool pmc_perf_exclude_unavailable(void)
{
	return pmc_perf_exclude_needed && !pmc_perf_exclude_registered;
}

/*
 * Try to create one more hardware event of perf. Returns 0 if that fails because the
 * reservation is refused or perf has no counters; -ENOMEM; -EBUSY if it succeeds, or fails
 * for a reason that is not about the counters.
 */
static int pmc_perf_exclude_try_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.size = sizeof(attr),
		.disabled = 1,
	};
	struct perf_event *event = ERR_PTR(-ENOENT);
	int cpu;

	/* on a hybrid processor an event of this type works on the CPUs of one core type only */
	for_each_online_cpu(cpu) {
		event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
		if (event != ERR_PTR(-ENOENT))
			break;
	}
	if (!IS_ERR(event)) {
		perf_event_release_kernel(event);
		return -EBUSY;
	}
	switch (PTR_ERR(event)) {
	case -EBUSY:
	case -ENOENT:
	case -ENODEV:
		return 0;
	case -ENOMEM:
		return -ENOMEM;
	default:
		return -EBUSY;
	}
}

/**
 * pmc_perf_exclude_begin - keep perf from reserved counters from now on
 * @family:	the family of the counters
 * @mask:	mask of the general counters that the driver has reserved
 * @requester:	NULL for a claim. current to test only whether perf has the counters: then
 *		only current's reservations fail. Other tasks' events are unaffected; the
 *		kernel would not retry the watchdog's.
 *
 * Context: task context; cpus_read_lock() and pmc_claims_lock are held.
 *
 * Return: 0, -EBUSY (perf has them already), -ENOMEM.
 */
int pmc_perf_exclude_begin(const struct pmc_family *family, u64 mask,
			   const struct task_struct *requester)
{
	int err;

	if (!pmc_perf_exclude_registered)
		return 0;
	WRITE_ONCE(pmc_perf_exclude.mask, mask);
	WRITE_ONCE(pmc_perf_exclude.requester, requester);
	/* after the other fields: pairs with the smp_load_acquire() in the kprobe */
	smp_store_release(&pmc_perf_exclude.family, family);
	err = pmc_perf_exclude_try_event();
	if (err)
		pmc_perf_exclude_end();
	return err;
}

/**
 * pmc_perf_exclude_end - undo pmc_perf_exclude_begin()
 */
void pmc_perf_exclude_end(void)
{
	WRITE_ONCE(pmc_perf_exclude.family, NULL);
}
