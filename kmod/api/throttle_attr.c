// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device's attribute throttle_percent: how much of each CPU's time overflows may take
 *
 * Owns the attribute's text; the setting is claim.c's. No lock of its own. Context: task context.
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/sysfs.h>

#include "api/claim.h"
#include "api/throttle_attr.h"

static ssize_t throttle_percent_show(struct device *device, struct device_attribute *attribute,
				     char *text)
{
	return sysfs_emit(text, "%u\n", pmc_claims_throttle_percent());
}

static ssize_t throttle_percent_store(struct device *device, struct device_attribute *attribute,
				      const char *text, size_t length)
{
	unsigned int percent;
	int err;

	err = kstrtouint(text, 10, &percent);
	if (err)
		return err;
	if (!percent || percent > PMC_THROTTLE_PERCENT_MAX)
		return -EINVAL;
	pmc_claims_set_throttle_percent(percent);
	return length;
}

static DEVICE_ATTR_RW(throttle_percent);

static struct attribute *pmc_throttle_attributes[] = {
	&dev_attr_throttle_percent.attr,
	NULL,
};

const struct attribute_group pmc_throttle_group = {
	.attrs = pmc_throttle_attributes,
};
