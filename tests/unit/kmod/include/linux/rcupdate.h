/* SPDX-License-Identifier: GPL-2.0-only */
/* RCU, for the module's code in unit tests: each test that uses it defines synchronize_rcu() */
#ifndef TEST_LINUX_RCUPDATE_H
#define TEST_LINUX_RCUPDATE_H

#include <assert.h>
#include <linux/compiler.h>
#include <stdbool.h>

struct rcu_head {
	int unused;
};

static inline bool rcu_access_allowed(bool condition)
{
	assert(condition);
	return condition;
}

#define rcu_read_lock_any_held()		true
#define rcu_dereference_protected(p, condition)	(rcu_access_allowed(condition), (p))
#define rcu_dereference_check(p, condition)	(rcu_access_allowed(condition), (p))
#define rcu_dereference_raw(p)			(p)
#define rcu_assign_pointer(p, value)		((p) = (value))
#define RCU_INIT_POINTER(p, value)		((p) = (value))
#define rcu_read_lock()				((void)0)
#define rcu_read_unlock()			((void)0)

void synchronize_rcu(void);

#endif /* TEST_LINUX_RCUPDATE_H */
