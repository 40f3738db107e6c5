/* SPDX-License-Identifier: GPL-2.0-only */
/* Notifications, in unit tests: each test of a file that uses them defines them */
#ifndef TEST_BASE_NOTIFY_H
#define TEST_BASE_NOTIFY_H

#include "base/identity_types.h"
#include "uapi/pmcdrv-netlink.h"

void pmc_notify_context(const struct pmc_identity *identity, enum pmc_netlink_command event);
bool pmc_notify_is_listening(void);

#endif /* TEST_BASE_NOTIFY_H */
