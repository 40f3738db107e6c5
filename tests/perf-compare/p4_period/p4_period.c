// SPDX-License-Identifier: GPL-2.0-only
/*
 * p4_period.ko: Linux's own driver for NetBurst, mended while the kernel runs
 *
 * Because of a processor erratum (N15) that driver writes each counter twice. It looks
 * up what to write the second time before the first write has set it, so the second
 * writes the period of whatever had that counter before. With the look-up after the
 * first write perf counts right, and can be compared with. A live patch, or where the
 * kernel has none (32 bits) a probe that leads to the right function, so that no kernel
 * has to be built for it. Only for the tests.
 */
#include <linux/kprobes.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <asm/msr.h>

#define COUNTER_MASK	GENMASK_ULL(39, 0)

/* x86_perf_event_set_period(), which the kernel does not export */
static int (*set_period)(struct perf_event *event);

/* What the first write has written is what the count is the distance from. */
static int p4_period_set(struct perf_event *event)
{
	int ret = set_period(event);

	if (event->hw.event_base)
		wrmsrl(event->hw.event_base,
		       local64_read(&event->hw.prev_count) & COUNTER_MASK);
	return ret;
}

#ifdef CONFIG_LIVEPATCH

static struct klp_func functions[] = {
	{ .old_name = "p4_pmu_set_period", .new_func = p4_period_set },
	{ }
};

/* of the kernel itself */
static struct klp_object objects[] = {
	{ .funcs = functions },
	{ }
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objects,
};

static int p4_period_mend(void)
{
	return klp_enable_patch(&patch);
}

MODULE_INFO(livepatch, "Y");

#else

/* Go on with the function that is right, as if that had been called. */
static int p4_period_called(struct kprobe *probe, struct pt_regs *regs)
{
	regs->ip = (unsigned long)p4_period_set;
	return 1;
}

/* One that is made a jump could not go anywhere else: a probe with this is not. */
static void p4_period_after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe entry = {
	.symbol_name = "p4_pmu_set_period",
	.pre_handler = p4_period_called,
	.post_handler = p4_period_after,
};

static int p4_period_mend(void)
{
	return register_kprobe(&entry);
}

#endif

static int __init p4_period_init(void)
{
	struct kprobe probe = { .symbol_name = "x86_perf_event_set_period" };
	int err = register_kprobe(&probe);

	if (err)
		return err;
	set_period = (void *)probe.addr;
	unregister_kprobe(&probe);
	return p4_period_mend();
}
module_init(p4_period_init);

/* What is mended stays so: without a function for the exit it can't be unloaded. */
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For tests of pmcdrv: perf's driver for NetBurst, mended");
