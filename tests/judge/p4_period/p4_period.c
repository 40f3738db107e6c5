// SPDX-License-Identifier: GPL-2.0-only
/*
 * p4_period.ko: Linux's own driver for NetBurst, mended while the kernel runs
 *
 * Because of a processor erratum (N15) that driver writes each counter twice. It looks
 * up what to write the second time before the first write has set it, so the second
 * writes the period of whatever had that counter before. With the look-up after the
 * first write perf counts right, and can be compared with. A live patch, so that no
 * kernel has to be built for it. Only for the tests.
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

static int __init p4_period_init(void)
{
	struct kprobe probe = { .symbol_name = "x86_perf_event_set_period" };
	int err = register_kprobe(&probe);

	if (err)
		return err;
	set_period = (void *)probe.addr;
	unregister_kprobe(&probe);
	return klp_enable_patch(&patch);
}
module_init(p4_period_init);

/* A live patch stays. */
static void __exit p4_period_exit(void)
{
}
module_exit(p4_period_exit);

MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("For tests of pmcdrv: perf's driver for NetBurst, mended");
