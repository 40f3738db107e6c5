// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module load and unload
 *
 * The module loads on every x86 CPU. On a CPU without counters the query reports the
 * reason, and the time-stamp counter can still be read.
 *
 * Owns the order of initialisation. Each part's exit function undoes its init function, in reverse
 * order; pmc_device_exit() comes first, so no file is open afterwards. Parts without an init
 * function are set up when they are first used.
 *
 * No lock. Context: module load and unload.
 */
#include <linux/module.h>

#include "sampling/intel_pt.h"
#include "api/device.h"
#include "pmu/perf_exclude.h"
#include "pmu/perf_rdpmc.h"
#include "system/hotplug.h"
#include "api/netlink.h"
#include "sampling/pmi.h"
#include "sampling/user_regs.h"
#include "pmu/rdpmc.h"
#include "pmu/rdpmc_mm.h"
#include "target/access.h"
#include "target/probes.h"
#include "target/task_table.h"
#include "system/reboot.h"
#include "system/suspend.h"
#include "base/task_work.h"
#include "base/tracepoints.h"

static int __init pmcdrv_init(void)
{
	int err;

	err = pmc_rdpmc_mm_check();
	if (err)
		return err;
	pmc_user_regs_init();
	err = pmc_probes_init();
	if (err)
		return err;
	err = pmc_task_table_init();
	if (err)
		return err;
	err = pmc_hotplug_init();
	if (err)
		goto task_table;
	pmc_suspend_init();
	pmc_perf_exclude_init();
	err = pmc_reboot_init();
	if (err)
		goto perf_exclude;
	err = pmc_intel_pt_init();
	if (err)
		goto reboot;
	err = pmc_netlink_init();
	if (err)
		goto intel_pt;
	pmc_perf_rdpmc_init();
	pmc_access_init();
	err = pmc_device_init();
	if (err)
		goto access;
	return 0;

access:
	pmc_access_exit();
	pmc_perf_rdpmc_exit();
	pmc_rdpmc_exit();
	pmc_netlink_exit();
intel_pt:
	pmc_intel_pt_exit();
reboot:
	pmc_reboot_exit();
perf_exclude:
	pmc_perf_exclude_exit();
	pmc_suspend_exit();
	pmc_hotplug_exit();
task_table:
	pmc_task_table_exit();
	return err;
}

static void __exit pmcdrv_exit(void)
{
	pmc_device_exit();
	pmc_access_exit();
	pmc_perf_rdpmc_exit();
	pmc_rdpmc_exit();
	pmc_netlink_exit();
	pmc_intel_pt_exit();
	pmc_reboot_exit();
	pmc_perf_exclude_exit();
	pmc_suspend_exit();
	pmc_hotplug_exit();
	pmc_tracepoints_exit();
	pmc_task_table_exit();
	pmc_pmi_exit();
	pmc_task_work_exit();
	/* RCU callbacks that free contexts are code of this module */
	rcu_barrier();
}

module_init(pmcdrv_init);
module_exit(pmcdrv_exit);

MODULE_DESCRIPTION("Exact hardware event counts through /dev/pmc");
MODULE_AUTHOR("pmcdrv developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(PMC_RELEASE);
