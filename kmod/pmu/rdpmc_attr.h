/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device's attribute pce: which processes may execute RDPMC in user mode
 */
#ifndef PMC_RDPMC_ATTR_H
#define PMC_RDPMC_ATTR_H

struct attribute_group;

extern const struct attribute_group pmc_rdpmc_group;

#endif /* PMC_RDPMC_ATTR_H */
