/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting, for the module's code in unit tests */
#ifndef TEST_LINUX_WAIT_H
#define TEST_LINUX_WAIT_H

struct wait_queue_head {
	int unused;
};

#define wait_queue_head_t	struct wait_queue_head

#endif /* TEST_LINUX_WAIT_H */
