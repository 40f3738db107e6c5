// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may follow whom
 *
 * The rights of ptrace's read access, or CAP_PERFMON. The kernel's own check is
 * not exported: this is the part of it that does not ask security modules. Owns
 * no data, takes no lock; task context, and the exec probe.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched/signal.h>

#include "compat/dumpable.h"
#include "target/access.h"
#include "target/thread.h"

/* May one with @cred look at one with @task's? */
static bool pmc_same_user(const struct cred *cred, const struct cred *task)
{
	return uid_eq(cred->uid, task->euid) && uid_eq(cred->uid, task->suid) &&
	       uid_eq(cred->uid, task->uid) && gid_eq(cred->gid, task->egid) &&
	       gid_eq(cred->gid, task->sgid) && gid_eq(cred->gid, task->gid) &&
	       cred->user_ns == task->user_ns &&
	       cap_issubset(task->cap_permitted, cred->cap_permitted);
}

/**
 * pmc_may_follow - may the caller follow @task?
 * @task:	a thread
 *
 * Return: 0, -EACCES.
 */
int pmc_may_follow(struct task_struct *task)
{
	bool may;

	if (same_thread_group(task, current) || perfmon_capable())
		return 0;
	rcu_read_lock();
	may = pmc_same_user(current_cred(), __task_cred(task));
	rcu_read_unlock();
	/* the credentials before the dumpability: as in the kernel's ptrace check */
	smp_rmb();
	return may && pmc_dumpable_by_user(task) ? 0 : -EACCES;
}

/**
 * pmc_may_follow_exec - current has exec'ed: may it still be followed?
 * @target:	who follows it
 */
bool pmc_may_follow_exec(const struct pmc_target *target)
{
	return target->privileged || (pmc_same_user(target->cred, current_cred()) &&
				     pmc_current_dumpable());
}
