// SPDX-License-Identifier: GPL-2.0-only
/*
 * Permission to count at all, and to follow a thread
 *
 * Following needs ptrace's read access (PTRACE_MODE_READ_REALCREDS), or CAP_PERFMON. The
 * kernel's ptrace_may_access() is not exported. This file compares credentials as it does, and has
 * it ask the security modules: opening a link in /proc/TID/ns calls it. perf_event_paranoid is not
 * exported, either.
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
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>

#include "compat/dumpable.h"
#include "target/access.h"
#include "target/target_types.h"

/* NULL: there is none */
static struct vfsmount *pmc_access_proc;
/*
 * The mount has the PIDs of the initial namespace: those of the process that loaded the module.
 * Without them processes without CAP_PERFMON follow only themselves.
 */
static bool pmc_access_init_pids;
/* kernel.perf_event_paranoid; NULL if the kernel has no such file */
static struct file *pmc_access_paranoid;

static bool ignore_perf_event_paranoid;
module_param(ignore_perf_event_paranoid, bool, 0644);
MODULE_PARM_DESC(ignore_perf_event_paranoid,
		 "let processes without CAP_PERFMON count although kernel.perf_event_paranoid is above 2");

/* A file of the mount; its errors */
static struct file *pmc_access_open(const char *path, int flags)
{
	struct path root = {
		.mnt = pmc_access_proc,
		.dentry = pmc_access_proc->mnt_root,
	};

	return file_open_root(&root, path, flags, 0);
}

/* pmc_access_init - at load: the mount and the file */
void pmc_access_init(void)
{
	struct file_system_type *type = get_fs_type("proc");
	struct vfsmount *proc;
	struct file *file;

	if (!type)
		return;
	proc = kern_mount(type);
	module_put(type->owner);
	if (IS_ERR(proc))
		return;
	pmc_access_proc = proc;
	pmc_access_init_pids = task_active_pid_ns(current) == &init_pid_ns;
	file = pmc_access_open("sys/kernel/perf_event_paranoid", O_RDONLY);
	if (!IS_ERR(file))
		pmc_access_paranoid = file;
}

void pmc_access_exit(void)
{
	if (pmc_access_paranoid)
		fput(pmc_access_paranoid);
	if (pmc_access_proc)
		kern_unmount(pmc_access_proc);
}

/**
 * pmc_may_count - does kernel.perf_event_paranoid let current count anything?
 *
 * At levels above 2 (kernels of Debian and Ubuntu) perf needs CAP_PERFMON for everything; so does
 * this driver, unless the module parameter turns that off. At the other levels this driver refuses
 * no less than perf.
 *
 * Return: 0, -EACCES.
 */
int pmc_may_count(void)
{
	const struct cred *saved;
	char text[16] = "";
	loff_t position = 0;
	ssize_t length;
	int level;

	if (!pmc_access_paranoid || READ_ONCE(ignore_perf_event_paranoid) || perfmon_capable())
		return 0;
	/* as the process that loaded the module: a profile of AppArmor may not name the file */
	saved = override_creds(pmc_access_paranoid->f_cred);
	length = kernel_read(pmc_access_paranoid, text, sizeof(text) - 1, &position);
	revert_creds(saved);
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

/* Do the security modules let current have ptrace's read access to @task? */
static int pmc_security_may_follow(struct task_struct *task)
{
	const struct cred *saved;
	struct file *link;
	struct cred *cred;
	char name[24];

	if (!IS_ENABLED(CONFIG_SECURITY))
		return 0;
	if (!pmc_access_init_pids)
		return -EACCES;
	cred = pmc_access_cred();
	if (!cred)
		return -ENOMEM;
	snprintf(name, sizeof(name), "%d/ns/mnt", task_pid_nr(task));
	saved = override_creds(cred);
	/* O_PATH: nothing but the link is accessed */
	link = pmc_access_open(name, O_PATH);
	revert_creds(saved);
	put_cred(cred);
	if (!IS_ERR(link)) {
		fput(link);
		return 0;
	}
	/* pmc_thread_follow() refuses a thread that exits, with an error for that reason */
	if (PTR_ERR(link) == -ENOENT || !pid_alive(task))
		return 0;
	return PTR_ERR(link) == -ENOMEM ? -ENOMEM : -EACCES;
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
