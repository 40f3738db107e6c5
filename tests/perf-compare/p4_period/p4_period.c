// SPDX-License-Identifier: GPL-2.0-only
/*
 * p4_period.ko: patches Linux's perf driver for NetBurst in the running kernel
 *
 * Because of a processor erratum (N15) that driver writes each counter twice. It looks up the
 * second value before the first write has set it, so the second write has the period of the
 * counter's previous user. With the look-up after the first write, perf counts correctly and
 * can be compared with. The module uses a live patch, or on kernels without live patching (32
 * bits) a probe that jumps to the correct function, so that no kernel has to be built. Only for
 * the tests.
 */
#include <linux/kprobes.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <asm/msr.h>

#define COUNTER_MASK	GENMASK_ULL(39, 0)

/* x86_perf_event_set_period(), which the kernel does not export */
static int (*set_period)(struct perf_event *event);

/* A count is the distance from the value of the first write. */
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

static int p4_period_patch(void)
{
	return klp_enable_patch(&patch);
}

MODULE_INFO(livepatch, "Y");

#else

/* Continue with the correct function, as if it had been called. */
static int p4_period_called(struct kprobe *probe, struct pt_regs *regs)
{
	regs->ip = (unsigned long)p4_period_set;
	return 1;
}

/* With a post handler the probe is not optimised into a jump, which could not go elsewhere. */
static void p4_period_after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe entry = {
	.symbol_name = "p4_pmu_set_period",
	.pre_handler = p4_period_called,
	.post_handler = p4_period_after,
};

static int p4_period_patch(void)
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
	return p4_period_patch();
}
module_init(p4_period_init);

/* The patch stays: without an exit function the module cannot be unloaded. */
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For tests of pmcdrv: perf's driver for NetBurst, patched");
