/* SPDX-License-Identifier: GPL-2.0-only */
/* Wait queues, for the module's code in unit tests */
#ifndef TEST_LINUX_WAIT_H
#define TEST_LINUX_WAIT_H

#define wait_queue_head_t	struct test_wait_queue_head

struct test_wait_queue_head {
	unsigned int woken;
};

/* Each test of a file that uses them defines them. */
void wake_up(wait_queue_head_t *queue);
void wake_up_poll(wait_queue_head_t *queue, unsigned int events);
/* Something has happened, or a signal has come: then not 0 is returned. */
int wait_once(void);

#define wait_event_interruptible(queue, condition) ({			\
	int waited = 0;							\
									\
	(void)(queue);							\
	while (!waited && !(condition))					\
		waited = wait_once();					\
	waited;								\
})

#endif /* TEST_LINUX_WAIT_H */
