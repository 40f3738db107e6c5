/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels: generic netlink
 */
#ifndef PMC_COMPAT_GENL_H
#define PMC_COMPAT_GENL_H

#include <net/genetlink.h>

/* Attributes of the request of a dump */
static inline struct nlattr **pmc_dump_attrs(struct netlink_callback *cb)
{
#ifdef PMC_HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

/* Capability for joining a multicast group; older kernels have another flag for it. */
#ifndef GENL_MCAST_CAP_NET_ADMIN
#define GENL_MCAST_CAP_NET_ADMIN	GENL_UNS_ADMIN_PERM
#endif

/* Is an attribute missing? Newer kernels name it in their answer. */
#ifndef GENL_REQ_ATTR_CHECK
#define GENL_REQ_ATTR_CHECK(info, attr)	(!(info)->attrs[attr])
#endif

#endif /* PMC_COMPAT_GENL_H */
