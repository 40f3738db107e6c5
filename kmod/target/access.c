// SPDX-License-Identifier: GPL-2.0-only
/*
 * Permission to follow a thread
 *
 * Following needs ptrace's read access (PTRACE_MODE_READ_REALCREDS), or CAP_PERFMON. The
 * kernel's ptrace_may_access() is not exported: this is the part of it that does not call
 * security modules. Owns no data and takes no lock. Context: task context and the exec
 * probe.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched/signal.h>

#include "compat/dumpable.h"
#include "target/access.h"
#include "target/target_types.h"

/* Do the credentials @cred give read access to a task with the credentials @task? */
static bool pmc_same_user(const struct cred *cred, const struct cred *task)
{
	return uid_eq(cred->uid, task->euid) && uid_eq(cred->uid, task->suid) &&
	       uid_eq(cred->uid, task->uid) && gid_eq(cred->gid, task->egid) &&
	       gid_eq(cred->gid, task->sgid) && gid_eq(cred->gid, task->gid) &&
	       cred->user_ns == task->user_ns &&
	       cap_issubset(task->cap_permitted, cred->cap_permitted);
}

/**
 * pmc_may_follow - may current follow @task?
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
	/* read the credentials before the dumpable flag, as __ptrace_may_access() does */
	smp_rmb();
	return may && pmc_dumpable_by_user(task) ? 0 : -EACCES;
}

/**
 * pmc_may_follow_exec - current has exec'ed: may a target still follow it?
 * @target:	the target
 */
bool pmc_may_follow_exec(const struct pmc_target *target)
{
	return target->privileged || (pmc_same_user(target->cred, current_cred()) &&
				      pmc_current_dumpable());
}
