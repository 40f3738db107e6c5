/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generic netlink family: requests about the driver, CPUs and contexts
 */
#ifndef PMC_NETLINK_H
#define PMC_NETLINK_H

#ifdef CONFIG_NET
int pmc_netlink_init(void);
void pmc_netlink_exit(void);
#else
static inline int pmc_netlink_init(void)
{
	return 0;
}

static inline void pmc_netlink_exit(void) {}
#endif

#endif /* PMC_NETLINK_H */
