// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where a dump has a struct genl_info. */
#include <net/genetlink.h>

struct nlattr **test(struct netlink_callback *cb);
struct nlattr **test(struct netlink_callback *cb)
{
	return genl_info_dump(cb)->attrs;
}
