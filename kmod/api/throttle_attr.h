/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device's attribute throttle_percent: how much of each CPU's time overflows may take
 */
#ifndef PMC_THROTTLE_ATTR_H
#define PMC_THROTTLE_ATTR_H

struct attribute_group;

extern const struct attribute_group pmc_throttle_group;

#endif /* PMC_THROTTLE_ATTR_H */
