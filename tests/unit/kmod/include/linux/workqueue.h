/* SPDX-License-Identifier: GPL-2.0-only */
/* Work items, for the module's code in unit tests: each test that uses one defines what happens */
#ifndef TEST_LINUX_WORKQUEUE_H
#define TEST_LINUX_WORKQUEUE_H

struct work_struct {
	void (*function)(struct work_struct *work);
};

#define DECLARE_WORK(name, f)	struct work_struct name = { .function = (f) }

void queue_work(int queue, struct work_struct *work);
void flush_work(struct work_struct *work);
void cancel_work_sync(struct work_struct *work);

#endif /* TEST_LINUX_WORKQUEUE_H */
