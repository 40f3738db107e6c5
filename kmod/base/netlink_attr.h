/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Add a 64-bit attribute to a netlink message
 */
#ifndef PMC_NETLINK_ATTR_H
#define PMC_NETLINK_ATTR_H

#include <net/netlink.h>

#include "uapi/pmcdrv-netlink.h"

static inline int pmc_put_u64(struct sk_buff *skb, enum pmc_netlink_attribute attribute,
			      u64 value)
{
	return nla_put_u64_64bit(skb, attribute, value, PMC_NETLINK_A_PAD);
}

#endif /* PMC_NETLINK_ATTR_H */
