// SPDX-License-Identifier: GPL-2.0-only
/*
 * firmware.ko: simulates a firmware that uses the counters and leaves them running at wakeup,
 * or a previous kernel that did so before it loaded the hibernation image. Only for the tests,
 * for Intel's architectural counters and kernels 6.1.
 *
 * Load it before pmcdrv: resume callbacks run in the order of registration.
 */
#include <linux/bits.h>
#include <linux/module.h>
#include <linux/syscore_ops.h>
#include <asm/msr.h>

/* SDM Volume 3B, "Architectural Performance Monitoring" */
#define SELECT_INSTRUCTIONS	0x4300c0	/* enabled, in user and kernel mode */
#define FIXED_INSTRUCTIONS	0x3		/* likewise */
#define GLOBAL_FIXED_SHIFT	32

static void firmware_resume(void)
{
	wrmsrl(MSR_P6_EVNTSEL0, SELECT_INSTRUCTIONS);
	wrmsrl(MSR_P6_EVNTSEL0 + 1, SELECT_INSTRUCTIONS);
	wrmsrl(MSR_IA32_PERFCTR0, 0x12345);
	wrmsrl(MSR_CORE_PERF_FIXED_CTR0, 0x54321);
	wrmsrl(MSR_CORE_PERF_FIXED_CTR_CTRL, FIXED_INSTRUCTIONS);
	/* the second one is enabled and does not run */
	wrmsrl(MSR_CORE_PERF_GLOBAL_CTRL, BIT_ULL(GLOBAL_FIXED_SHIFT) | BIT_ULL(0));
}

static struct syscore_ops firmware_ops = {
	.resume = firmware_resume,
};

static int __init firmware_init(void)
{
	register_syscore_ops(&firmware_ops);
	return 0;
}
module_init(firmware_init);

static void __exit firmware_exit(void)
{
	unregister_syscore_ops(&firmware_ops);
}
module_exit(firmware_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("For tests of pmcdrv: leaves counters running when the system wakes up");
