// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module life
 *
 * The module loads on every x86 CPU. Where there are no counters the query
 * tells the reason, and the time-stamp counter can be read.
 */
#include <linux/module.h>

#include "sampling/intel_pt.h"
#include "api/device.h"
#include "pmu/perf_exclude.h"
#include "system/hotplug.h"
#include "api/netlink.h"
#include "sampling/overflow.h"
#include "pmu/rdpmc.h"
#include "target/tracepoints.h"
#include "system/reboot.h"
#include "system/suspend.h"
#include "base/task_work.h"

static int __init pmcdrv_init(void)
{
	int err;

	err = pmc_tracepoints_init();
	if (err)
		return err;
	err = pmc_hotplug_init();
	if (err)
		return err;
	pmc_suspend_init();
	pmc_perf_exclude_init();
	err = pmc_reboot_init();
	if (err)
		goto guard;
	err = pmc_intel_pt_init();
	if (err)
		goto reboot;
	err = pmc_netlink_init();
	if (err)
		goto control;
	pmc_rdpmc_init();
	err = pmc_device_init();
	if (err)
		goto pce;
	return 0;

pce:
	pmc_rdpmc_exit();
	pmc_netlink_exit();
control:
	pmc_intel_pt_exit();
reboot:
	pmc_reboot_exit();
guard:
	pmc_perf_exclude_exit();
	pmc_suspend_exit();
	pmc_hotplug_exit();
	return err;
}

static void __exit pmcdrv_exit(void)
{
	pmc_device_exit();
	pmc_rdpmc_exit();
	pmc_netlink_exit();
	pmc_intel_pt_exit();
	pmc_reboot_exit();
	pmc_perf_exclude_exit();
	pmc_suspend_exit();
	pmc_hotplug_exit();
	pmc_tracepoints_exit();
	pmc_overflow_exit();
	pmc_task_work_exit();
	/* contexts are freed by RCU callbacks, whose code is this module's */
	rcu_barrier();
}

module_init(pmcdrv_init);
module_exit(pmcdrv_exit);

MODULE_DESCRIPTION("Exact hardware event counts through /dev/pmc");
MODULE_AUTHOR("pmcdrv developers");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.2.0");
