/* SPDX-License-Identifier: GPL-2.0-only */
/* Spinlocks, for the module's code in unit tests: whether they are held */
#ifndef TEST_LINUX_SPINLOCK_H
#define TEST_LINUX_SPINLOCK_H

#include <assert.h>
#include <linux/irqflags.h>
#include <stdbool.h>

struct raw_spinlock {
	bool held;
};

#define raw_spinlock_t	struct raw_spinlock

#define DEFINE_RAW_SPINLOCK(name)	raw_spinlock_t name

static inline void raw_spin_lock(raw_spinlock_t *lock)
{
	assert(!lock->held);
	lock->held = true;
}

static inline void raw_spin_unlock(raw_spinlock_t *lock)
{
	assert(lock->held);
	lock->held = false;
}

#define raw_spin_lock_irq(lock)			raw_spin_lock(lock)
#define raw_spin_unlock_irq(lock)		raw_spin_unlock(lock)
#define raw_spin_lock_irqsave(lock, flags)	(local_irq_save(flags), raw_spin_lock(lock))
#define raw_spin_unlock_irqrestore(lock, flags)	(raw_spin_unlock(lock), local_irq_restore(flags))
#define lockdep_is_held(lock)			((lock)->held)

#endif /* TEST_LINUX_SPINLOCK_H */
