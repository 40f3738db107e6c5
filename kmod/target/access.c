// SPDX-License-Identifier: GPL-2.0-only
/*
 * Permission to count, and permission to follow a thread
 *
 * Following a thread needs ptrace's read access (PTRACE_MODE_READ_REALCREDS) or CAP_PERFMON.
 * ptrace_may_access() is not exported. pmc_same_user() compares the credentials as it does. To ask
 * the security modules, pmc_access_ask() looks up /proc/TID/ns/mnt, for which procfs calls
 * ptrace_may_access(). The value of kernel.perf_event_paranoid is not exported either: it is read
 * from procfs.
 *
 * Owns an internal mount of procfs, a file of it, and the module parameter. No lock: what
 * pmc_access_init() sets does not change. Context: task context and, for pmc_may_follow_exec(),
 * the exec probe.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/path.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>

#include "compat/compat.h"
#include "compat/dumpable.h"
#include "compat/namei.h"
#include "target/access.h"
#include "target/target_types.h"

/* NULL: there is none */
static struct vfsmount *pmc_access_proc;
/*
 * The mount has the PIDs of the initial namespace: those of the process that loaded the module.
 * Without them processes without CAP_PERFMON follow only themselves.
 */
static bool pmc_access_init_pids;
/* kernel.perf_event_paranoid, or an error; -ENOENT: this kernel has none */
static struct file *pmc_access_paranoid;

static bool ignore_perf_event_paranoid;
module_param(ignore_perf_event_paranoid, bool, 0644);
MODULE_PARM_DESC(ignore_perf_event_paranoid,
		 "count without CAP_PERFMON even if kernel.perf_event_paranoid is above 2");

/* Return: the file, or an error. Without the mount the level is unknown. */
static struct file *pmc_access_open_paranoid(void)
{
	struct path root = { .mnt = pmc_access_proc };

	if (!root.mnt)
		return ERR_PTR(-EIO);
	root.dentry = root.mnt->mnt_root;
	return pmc_file_open_root(&root, "sys/kernel/perf_event_paranoid", O_RDONLY);
}

/* pmc_access_init - at load: the mount and the file */
void pmc_access_init(void)
{
	struct file_system_type *type = get_fs_type("proc");
	struct vfsmount *proc = type ? kern_mount(type) : ERR_PTR(-ENODEV);

	if (type)
		module_put(type->owner);
	if (IS_ERR(proc)) {
		pr_warn("pmcdrv: procfs cannot be mounted (%ld): counting needs CAP_PERFMON\n",
			PTR_ERR(proc));
	} else {
		pmc_access_proc = proc;
		pmc_access_init_pids = task_active_pid_ns(current) == &init_pid_ns;
	}
	pmc_access_paranoid = pmc_access_open_paranoid();
}

void pmc_access_exit(void)
{
	if (!IS_ERR(pmc_access_paranoid))
		fput(pmc_access_paranoid);
	if (pmc_access_proc)
		kern_unmount(pmc_access_proc);
}

/**
 * pmc_may_count - does kernel.perf_event_paranoid allow current to count?
 *
 * At levels above 2 (kernels of Debian and Ubuntu) counting needs CAP_PERFMON, as with perf, unless
 * the module parameter ignore_perf_event_paranoid is set. At each lower level the driver refuses
 * what perf refuses at level 2.
 *
 * Return: 0, -EACCES, -ENOMEM.
 */
int pmc_may_count(void)
{
	const struct cred *saved;
	char text[16] = "";
	loff_t position = 0;
	ssize_t length;
	int level;

	if (READ_ONCE(ignore_perf_event_paranoid) || perfmon_capable())
		return 0;
	if (IS_ERR(pmc_access_paranoid))
		return PTR_ERR(pmc_access_paranoid) == -ENOENT ? 0 : -EACCES;
	/* as the process that loaded the module: a profile of AppArmor may not name the file */
	saved = override_creds(pmc_access_paranoid->f_cred);
	length = kernel_read(pmc_access_paranoid, text, sizeof(text) - 1, &position);
	revert_creds(saved);
	if (length == -ENOMEM)
		return length;
	if (length <= 0 || kstrtoint(text, 10, &level))
		return -EACCES;
	return level > 2 ? -EACCES : 0;
}

/*
 * Credentials of current with which procfs' check, which is for the file system IDs and the
 * effective capabilities (PTRACE_MODE_READ_FSCREDS), is that for the real IDs and the permitted
 * capabilities.
 */
static struct cred *pmc_access_cred(void)
{
	struct cred *cred = prepare_creds();

	if (cred) {
		cred->fsuid = cred->uid;
		cred->fsgid = cred->gid;
		cred->cap_effective = cred->cap_permitted;
	}
	return cred;
}

/*
 * Look the link of a thread up. Not by opening it: a file is closed only on the way to user mode.
 */
static int pmc_access_ask(pid_t tid)
{
	struct path target;
	char name[24];
	int err;

	snprintf(name, sizeof(name), "%d/ns/mnt", tid);
	err = vfs_path_lookup(pmc_access_proc->mnt_root, pmc_access_proc, name, LOOKUP_FOLLOW,
			      &target);
	if (!err)
		path_put(&target);
	return err;
}

/* Do the security modules let current have ptrace's read access to @task? 0, -EACCES, -ENOMEM */
static int pmc_security_may_follow(struct task_struct *task)
{
	const struct cred *saved;
	struct cred *cred;
	pid_t tid;
	int err;

	if (!IS_ENABLED(CONFIG_SECURITY))
		return 0;
	if (!pmc_access_init_pids)
		return -EACCES;
	cred = pmc_access_cred();
	if (!cred)
		return -ENOMEM;
	saved = override_creds(cred);
	do {
		tid = task_pid_nr(task);
		err = pmc_access_ask(tid);
		/* An exec changes a TID, once. One that is the same afterwards was @task's. */
	} while (tid != task_pid_nr(task) && pid_alive(task));
	revert_creds(saved);
	put_cred(cred);
	/* pmc_thread_follow() refuses a thread that exits, with an error for that reason */
	if (!err || !pid_alive(task) || READ_ONCE(task->flags) & PF_EXITING)
		return 0;
	/* without memory procfs returns ENOENT, too */
	return err == -ENOMEM || err == -ENOENT ? -ENOMEM : -EACCES;
}

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
 * Return: 0, -EACCES, -ENOMEM.
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
	if (!may || !pmc_dumpable_by_user(task))
		return -EACCES;
	return pmc_security_may_follow(task);
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
