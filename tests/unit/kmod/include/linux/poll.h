/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of poll(), for the module's code in unit tests */
#ifndef TEST_LINUX_POLL_H
#define TEST_LINUX_POLL_H

#include <sys/epoll.h>
#include <linux/types.h>
#include <linux/wait.h>

struct vm_area_struct;

#endif /* TEST_LINUX_POLL_H */
