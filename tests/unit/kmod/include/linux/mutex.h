/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks, for the module's code in unit tests, which are single-threaded */
#ifndef TEST_LINUX_MUTEX_H
#define TEST_LINUX_MUTEX_H

struct mutex {
	int held;
	int initialised;
};

#define DEFINE_MUTEX(name)	struct mutex name
#define mutex_init(mutex)	((mutex)->initialised = 1)
#define mutex_destroy(mutex)	((void)(mutex))
#define mutex_lock(mutex)	((mutex)->held++)
int mutex_lock_interruptible(struct mutex *mutex);
#define mutex_unlock(mutex)	((mutex)->held--)

#endif /* TEST_LINUX_MUTEX_H */
