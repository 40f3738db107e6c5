// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guard: perf is kept out where the kernel's reservations don't know the counters
 *
 * The kernel keeps a reservation for each general counter, and perf takes all of them
 * with its first hardware event. But it knows counters by their old addresses alone.
 * Where perf calls them by others (perfmon version 6: kernels from 6.12 on) it gets every
 * reservation, whoever holds them (arch/x86/kernel/cpu/perfctr-watchdog.c: "not managed
 * by the allocator").
 *
 * So while the counters are ours a kprobe hands the reservation another address: that of
 * an event select which it knows, and which is taken, by us. perf's first hardware event
 * then fails with EBUSY, as it does everywhere else. Has perf had its first one before?
 * It has if one more of its events can be made now: only the first asks. That is tried,
 * with an event that never runs, whenever the counters are taken. perf decides under a
 * lock of its own, so one of the two has them, never both.
 *
 * Owns the probe, and @pmc_perf_exclude, written under pmc_claims_lock with cpus_read_lock()
 * held; the probe reads it without a lock, wherever perf asks. Where there is no kprobe
 * claim.c has the registers alone to tell who is there.
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
	const struct pmc_family *family; /* NULL: nothing is kept from anybody */
	u64 mask;
	const struct task_struct *asker; /* not NULL: only this one's attempts fail */
} pmc_perf_exclude;

static bool pmc_perf_exclude_needed;
static bool pmc_perf_exclude_registered;

static int pmc_perf_exclude_reserve(struct kprobe *probe, struct pt_regs *regs)
{
	/* pairs with the smp_store_release() in pmc_perf_exclude_begin() */
	const struct pmc_family *family = smp_load_acquire(&pmc_perf_exclude.family);
	const struct task_struct *asker;
	u32 known;

	if (!family)
		return 0;
	asker = READ_ONCE(pmc_perf_exclude.asker);
	if (asker && asker != current)
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
 * pmc_perf_exclude_init - be able to keep perf out, if that takes more than reservations
 *
 * Every CPU has been described.
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
 * pmc_perf_exclude_exit - undo pmc_perf_exclude_init(); nothing is taken any more
 */
void pmc_perf_exclude_exit(void)
{
	if (pmc_perf_exclude_registered)
		unregister_kprobe(&pmc_perf_exclude_kprobe);
}

/**
 * pmc_perf_exclude_unavailable - reservations do not keep perf out, and nothing else does
 */
bool pmc_perf_exclude_unavailable(void)
{
	return pmc_perf_exclude_needed && !pmc_perf_exclude_registered;
}

/*
 * Can perf have one more hardware event now? 0 if not: the reservation is refused, or
 * perf has no counters at all. -ENOMEM; -EBUSY if it can, and if it fails for a reason
 * that says nothing of the counters.
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

	/* with several kinds of core an event of this type is for the CPUs of one */
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
 * pmc_perf_exclude_begin - keep perf from now on from counters that are reserved
 * @family:	whose counters
 * @mask:	general counters that are reserved
 * @asker:	current, if that is only to know whether perf has them: others' events are
 *		none of its business, and the watchdog's would not be tried again; or NULL
 *
 * cpus_read_lock() and the claims' lock are held.
 *
 * Return: 0, -EBUSY (perf has them already), -ENOMEM.
 */
int pmc_perf_exclude_begin(const struct pmc_family *family, u64 mask,
		   const struct task_struct *asker)
{
	int err;

	if (!pmc_perf_exclude_registered)
		return 0;
	WRITE_ONCE(pmc_perf_exclude.mask, mask);
	WRITE_ONCE(pmc_perf_exclude.asker, asker);
	/* those before this: pairs with the smp_load_acquire() in the probe */
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
