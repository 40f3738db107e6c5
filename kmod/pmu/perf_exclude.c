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
 * driver gets the counters. In the same way a query finds out whether perf has counters.
 *
 * The kprobe may be registered and never run for perf: where kprobes are disabled, or where the
 * kernel's compiler inlined the reservation into perf (CONFIG_LTO_CLANG). So the question is asked
 * once when the module is loaded, and until the kprobe has run its answers are checked.
 *
 * Owns the kprobe, pmc_perf_exclude, pmc_perf_question and the reservation of an event select
 * that no processor has. Without the kprobe, claim.c can only compare the registers to find other
 * users.
 * Locks: both structs and pmc_perf_exclude_bypassed are written under pmc_claims_lock with
 * cpus_read_lock() held, or while the module is loaded. The kprobe reads the structs without a
 * lock, in the context of perf's reservation.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "compat/compat.h"
#include "compat/reserve.h"
#include "pmu/perf_exclude.h"
#include "pmu/pmu.h"

static struct {
	const struct pmc_family *family; /* NULL: perf is not excluded */
	u64 mask;
} pmc_perf_exclude;

/* A question whether perf has counters; only the reservations of @task fail */
static struct {
	u32 spare_select; /* reserved while the module is loaded, or 0 */
	const struct task_struct *task; /* NULL: no question */
	bool reserving; /* @task tried to reserve event selects */
} pmc_perf_question;

static bool pmc_perf_exclude_needed;
static bool pmc_perf_exclude_registered;
static bool pmc_perf_exclude_proven; /* the kprobe has run for perf; set by it */
static bool pmc_perf_exclude_bypassed; /* perf has reserved counters without the kprobe */

static int pmc_perf_exclude_reserve(struct kprobe *probe, struct pt_regs *regs)
{
	const struct pmc_family *family;
	u32 known;

	if (READ_ONCE(pmc_perf_question.task) == current) {
		pmc_perf_question.reserving = true;
		WRITE_ONCE(pmc_perf_exclude_proven, true);
		pmc_set_first_argument(regs, pmc_perf_question.spare_select);
		return 0;
	}
	/* pairs with the smp_store_release() in pmc_perf_exclude_begin() */
	family = smp_load_acquire(&pmc_perf_exclude.family);
	if (!family || !family->reserved_as)
		return 0;
	known = family->reserved_as(pmc_first_argument(regs), READ_ONCE(pmc_perf_exclude.mask));
	if (known) {
		WRITE_ONCE(pmc_perf_exclude_proven, true);
		pmc_set_first_argument(regs, known);
	}
	return 0;
}

static struct kprobe pmc_perf_exclude_kprobe = {
	.symbol_name = "reserve_evntsel_nmi",
	.pre_handler = pmc_perf_exclude_reserve,
};

/* The counters' operations; the CPUs of a hybrid processor have the same reservations. */
static const struct pmc_family *pmc_perf_exclude_family(void)
{
	int cpu;

	for_each_online_cpu(cpu) {
		if (per_cpu(pmc_pmus, cpu).description.family)
			return per_cpu(pmc_pmus, cpu).description.family;
	}
	return NULL;
}

static u32 pmc_reserve_spare_select(void)
{
	const struct pmc_family *family = pmc_perf_exclude_family();
	u32 spare = family && family->spare_select ? family->spare_select() : 0;

	return spare && pmc_reserve_select(spare) ? spare : 0;
}

/**
 * pmc_perf_exclude_init - register the kprobe, where perf has counters
 *
 * Every online CPU has been described.
 */
void pmc_perf_exclude_init(void)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		pmc_perf_exclude_needed |= per_cpu(pmc_pmus, cpu).description.unreserved;
	pmc_perf_question.spare_select = pmc_reserve_spare_select();
	cpus_read_unlock();
	if (pmc_perf_exclude_needed || pmc_perf_question.spare_select)
		pmc_perf_exclude_registered = !register_kprobe(&pmc_perf_exclude_kprobe);
	/* the answer is not used, but the kprobe is checked */
	cpus_read_lock();
	pmc_perf_has_counters();
	cpus_read_unlock();
	if (pmc_perf_exclude_registered && pmc_perf_exclude_unavailable())
		pr_warn("the kprobe on reserve_evntsel_nmi() has not run for perf: until it has, perf may use the driver's counters\n");
}

/**
 * pmc_perf_exclude_exit - undo pmc_perf_exclude_init(); no counter is claimed any more
 */
void pmc_perf_exclude_exit(void)
{
	if (pmc_perf_exclude_registered)
		unregister_kprobe(&pmc_perf_exclude_kprobe);
	if (pmc_perf_question.spare_select)
		pmc_unreserve_select(pmc_perf_question.spare_select);
}

/**
 * pmc_perf_exclude_unavailable - is the kprobe needed, but not registered, or useless?
 *
 * Where the reservation may have been inlined, it is not relied on before it has run.
 *
 * Return: true if the driver cannot keep perf from the counters.
 */
bool pmc_perf_exclude_unavailable(void)
{
	if (IS_ENABLED(CONFIG_LTO_CLANG) && !READ_ONCE(pmc_perf_exclude_proven))
		return pmc_perf_exclude_needed;
	return pmc_perf_exclude_needed && !pmc_perf_exclude_registered;
}

/* Try to create one more hardware event of perf. Returns 0 or an error. */
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
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

/**
 * pmc_perf_exclude_begin - keep perf from reserved counters from now on
 * @family:	the family of the counters
 * @mask:	mask of the general counters that the driver has reserved
 *
 * Context: task context; cpus_read_lock() and pmc_claims_lock are held.
 *
 * Return: 0, -EBUSY (perf has them already), -ENOMEM.
 */
int pmc_perf_exclude_begin(const struct pmc_family *family, u64 mask)
{
	int err;

	if (!pmc_perf_exclude_needed || !pmc_perf_exclude_registered)
		return 0;
	WRITE_ONCE(pmc_perf_exclude.mask, mask);
	/* after the mask: pairs with the smp_load_acquire() in the kprobe */
	smp_store_release(&pmc_perf_exclude.family, family);
	err = pmc_perf_exclude_try_event();
	/* the reservation is refused, or perf has no counters */
	if (err == -EBUSY || err == -ENOENT || err == -ENODEV)
		return 0;
	pmc_perf_exclude_end();
	if (!err && pmc_perf_exclude_unavailable())
		return 0;
	return err == -ENOMEM ? -ENOMEM : -EBUSY;
}

/**
 * pmc_perf_exclude_end - undo pmc_perf_exclude_begin()
 */
void pmc_perf_exclude_end(void)
{
	WRITE_ONCE(pmc_perf_exclude.family, NULL);
}

/* Let perf reserve counters for an event of this task; the kprobe makes that fail. */
static int pmc_perf_ask(void)
{
	int err;

	pmc_perf_question.reserving = false;
	WRITE_ONCE(pmc_perf_question.task, current);
	err = pmc_perf_exclude_try_event();
	WRITE_ONCE(pmc_perf_question.task, NULL);
	return err;
}

/*
 * perf has created an event without the kprobe: it had counters, or the kprobe does not run for
 * perf. It is the latter if the counters are free, perf can do so again, and they are still free.
 * Of the counters of perfmon version 6, the reservations do not show whether they are free.
 */
static void pmc_perf_exclude_check(void)
{
	const struct pmc_family *family = pmc_perf_exclude_family();

	if (READ_ONCE(pmc_perf_exclude_proven) || pmc_perf_exclude_needed || family->reserve(1))
		return;
	family->unreserve(1);
	if (pmc_perf_ask() || family->reserve(1))
		return;
	family->unreserve(1);
	pmc_perf_exclude_bypassed = true;
	pr_warn("the kprobe on reserve_evntsel_nmi() does not run for perf: perf is not reported as the holder of counters\n");
}

/**
 * pmc_perf_has_counters - does perf or another user of the kernel's reservations have counters?
 *
 * Reserves no counter: an event that another task creates meanwhile is not refused. perf
 * reserves counters for its first event only, so if it reserves them for an event of this task,
 * it had none. The kprobe makes that reservation fail. (Until the kprobe has run once, a counter
 * may be reserved for a moment: pmc_perf_exclude_check().)
 *
 * Context: task context; cpus_read_lock() and pmc_claims_lock are held, and the driver has no
 * counters.
 *
 * Return: true if so; false also where it cannot be found out.
 */
bool pmc_perf_has_counters(void)
{
	int err;

	if (!pmc_perf_exclude_registered || pmc_perf_exclude_bypassed ||
	    !pmc_perf_question.spare_select)
		return false;
	err = pmc_perf_ask();
	if (!err) {
		pmc_perf_exclude_check();
		return !pmc_perf_exclude_bypassed && !pmc_perf_exclude_unavailable();
	}
	/* refused before it came to the event selects: the counters are another user's */
	return err == -EBUSY && !pmc_perf_question.reserving;
}
