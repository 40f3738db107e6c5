// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device's attribute pce: which processes may execute RDPMC in user mode
 *
 * Values: 0 none, 1 processes with a context that requests it, 2 every process. Reading
 * returns the value and, for a reader with CAP_PERFMON, what overrides it.
 *
 * Owns the attribute's text; the setting is rdpmc.c's. No lock of its own.
 * Context: task context.
 */
#include <linux/capability.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/sysfs.h>

#include "base/user_mode.h"
#include "pmu/rdpmc.h"
#include "pmu/rdpmc_attr.h"

static const char *const pce_overrides[] = {
	[PMC_RDPMC_EFFECTIVE] = "",
	[PMC_RDPMC_MISSING] = " (no effect: this CPU or kernel has no RDPMC for user mode)",
	[PMC_RDPMC_UNSHOWN] =
		" (no effect: perf's rdpmc file contains 0, or the module was built for another kernel)",
	[PMC_RDPMC_PERF_NEVER] = " (overridden: perf's rdpmc file contains 0, no process)",
	[PMC_RDPMC_PERF_ALWAYS] = " (overridden: perf's rdpmc file contains 2, every process)",
};

static ssize_t pce_show(struct device *device, struct device_attribute *attribute, char *text)
{
	enum pmc_rdpmc_override override = PMC_RDPMC_EFFECTIVE;
	enum pmc_rdpmc_setting setting;
	bool probe;

	/* determining the override waits for a worker, which a kernel thread may not be able to */
	probe = pmc_has_user_mode(current) && perfmon_capable();
	setting = pmc_rdpmc_get(probe ? &override : NULL);
	return sysfs_emit(text, "%d%s\n", setting, pce_overrides[override]);
}

static ssize_t pce_store(struct device *device, struct device_attribute *attribute,
			 const char *text, size_t length)
{
	unsigned int setting;
	int err;

	err = kstrtouint(text, 10, &setting);
	if (err)
		return err;
	if (setting > PMC_RDPMC_EVERY)
		return -EINVAL;
	/* not from a kernel thread, nor from an exiting task that writes its accounting record */
	if (!pmc_has_user_mode(current))
		return -EACCES;
	err = pmc_rdpmc_set(setting);
	return err ? err : length;
}

static DEVICE_ATTR_RW(pce);

static struct attribute *pmc_rdpmc_attributes[] = {
	&dev_attr_pce.attr,
	NULL,
};

const struct attribute_group pmc_rdpmc_group = {
	.attrs = pmc_rdpmc_attributes,
};
