// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processes may execute RDPMC in user mode
 *
 * Owns the setting (the attribute pce, rdpmc_attr.c) and the list of requests, one for each
 * context with PMC_CONFIG_USER_READ. Granting a request raises the permission count of the
 * process' address space (rdpmc_mm.c); setting 2 raises that of every process
 * (rdpmc_tasks.c). perf's own file rdpmc overrides both: perf_rdpmc.c watches it.
 *
 * A user page is open only while RDPMC works for its process. So a page is closed before
 * permission is revoked, and opened after permission is granted.
 *
 * Locks: pmc_rdpmc_lock guards the setting (read without it, too), the list and the grants. It is
 * taken inside a file's lock, and outside pmc_tracepoints_lock, cpus_read_lock() and
 * pmc_thread.lock.
 * Context: task context.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>

#include "base/notify.h"
#include "pmu/leftovers.h"
#include "pmu/pmu.h"
#include "pmu/rdpmc.h"
#include "pmu/rdpmc_mm.h"
#include "pmu/rdpmc_tasks.h"
#include "pmu/user_page.h"

static DEFINE_MUTEX(pmc_rdpmc_lock); /* the setting, the list, the grants */
static enum pmc_rdpmc_setting pmc_rdpmc_setting = PMC_RDPMC_REQUESTED;
static LIST_HEAD(pmc_rdpmc_requests);

static struct cpumask pmc_rdpmc_revoked; /* the CPUs that setting 0 visits; pmc_rdpmc_lock */

static bool pmc_rdpmc_perf_known; /* perf's file was looked at; pmc_rdpmc_lock */
static bool pmc_rdpmc_perf_always; /* it contains 2: every task may; pmc_rdpmc_lock */
static u32 pmc_rdpmc_contexts; /* configured, or about to claim; pmc_rdpmc_lock */
static bool pmc_rdpmc_copies_watched; /* tasks may have copied permissions; pmc_rdpmc_lock */

/*
 * Look whether perf's file permits RDPMC to every task. Setting 2 hides that, and permits the
 * same. Forks are watched. Returns 0, -ENOMEM.
 */
static int pmc_rdpmc_look_at_perf(void)
{
	bool always;
	int err;

	if (!pmc_rdpmc_exists() || pmc_rdpmc_setting == PMC_RDPMC_EVERY)
		return 0;
	always = pmc_rdpmc_works_for_all();
	err = always && !pmc_rdpmc_perf_always ? pmc_leftovers_watch(NULL) : 0;
	pmc_rdpmc_perf_known = !err;
	if (err)
		return err;
	if (!always && pmc_rdpmc_perf_always)
		pmc_leftovers_unwatch(true);
	pmc_rdpmc_perf_always = always;
	return 0;
}

/*
 * Hide counts of stopped runs from tasks with a copy of perf's permission, if there may be any.
 * Forks are watched. Returns 0, -ENOMEM.
 */
static int pmc_rdpmc_look_at_copies(void)
{
	int err;

	if (!pmc_rdpmc_contexts || pmc_rdpmc_copies_watched || !pmc_rdpmc_exists() ||
	    !pmc_rdpmc_tasks_copied())
		return 0;
	err = pmc_leftovers_watch_permitted();
	pmc_rdpmc_copies_watched = !err;
	return err;
}

static void pmc_rdpmc_unwatch_copies_locked(void)
{
	if (--pmc_rdpmc_contexts || !pmc_rdpmc_copies_watched)
		return;
	pmc_rdpmc_copies_watched = false;
	pmc_leftovers_unwatch(false);
}

/**
 * pmc_rdpmc_watch_copies - count a context, and search for copies; before it claims counters
 *
 * Context: task context, without cpus_read_lock(); forks are watched.
 *
 * Return: 0, -ENOMEM; -EINTR if the task is killed while it waits.
 */
int pmc_rdpmc_watch_copies(void)
{
	int err;

	err = mutex_lock_killable(&pmc_rdpmc_lock);
	if (err)
		return err;
	pmc_rdpmc_contexts++;
	err = pmc_rdpmc_look_at_copies();
	if (err)
		pmc_rdpmc_unwatch_copies_locked();
	mutex_unlock(&pmc_rdpmc_lock);
	return err;
}

/**
 * pmc_rdpmc_watch_late_copies - search for copies made before a context had claimed counters
 *
 * Before the claim perf can open an event, and a fork can copy its permission. After the claim
 * pmc_rdpmc_fork() removes copies, if perf is excluded.
 *
 * Context: task context, without cpus_read_lock(); after pmc_rdpmc_watch_copies().
 *
 * Return: 0, -ENOMEM; -EINTR if the task is killed while it waits.
 */
int pmc_rdpmc_watch_late_copies(void)
{
	int err;

	err = mutex_lock_killable(&pmc_rdpmc_lock);
	if (err)
		return err;
	err = pmc_rdpmc_look_at_copies();
	mutex_unlock(&pmc_rdpmc_lock);
	return err;
}

/**
 * pmc_rdpmc_unwatch_copies - undo pmc_rdpmc_watch_copies(); after the counters are released
 *
 * Context: task context, without cpus_read_lock().
 */
void pmc_rdpmc_unwatch_copies(void)
{
	mutex_lock(&pmc_rdpmc_lock);
	pmc_rdpmc_unwatch_copies_locked();
	mutex_unlock(&pmc_rdpmc_lock);
}

/**
 * pmc_rdpmc_watch_forks - call this before the permission count of an mm is raised
 *
 * Registers the fork probe until unload.
 *
 * Context: task context, without cpus_read_lock().
 *
 * Return: 0, -ENOMEM; -EINTR if the task is killed while it waits.
 */
int pmc_rdpmc_watch_forks(void)
{
	int err;

	err = mutex_lock_killable(&pmc_rdpmc_lock);
	if (err)
		return err;
	err = pmc_rdpmc_tasks_watch_forks();
	if (!err && !pmc_rdpmc_perf_known)
		err = pmc_rdpmc_look_at_perf();
	mutex_unlock(&pmc_rdpmc_lock);
	return err;
}

static void pmc_rdpmc_grant(struct pmc_rdpmc_access *access)
{
	/* without memory it is not granted, and the user page stays closed */
	if (access->granted || !pmc_rdpmc_exists() || pmc_leftovers_watch(access->mm))
		return;
	pmc_rdpmc_mm_grant(access->mm);
	pmc_leftovers_granted();
	access->granted = true;
}

static void pmc_rdpmc_revoke(struct pmc_rdpmc_access *access)
{
	if (!access->granted)
		return;
	access->granted = false;
	pmc_rdpmc_mm_revoke(access->mm);
	pmc_leftovers_unwatch(false);
}

/**
 * pmc_rdpmc_request - request RDPMC in user mode for current's address space
 * @access:	zeroed
 * @open_user_page: for &struct pmc_rdpmc_access.open_user_page
 *
 * A request that is not granted now may be granted later; the user page shows it. Forks
 * are watched, pmc_rdpmc_watch_forks().
 *
 * Return: 0, -ENOSPC (too many contexts of one process), -EINTR (the task is killed while it
 * waits).
 */
int pmc_rdpmc_request(struct pmc_rdpmc_access *access,
		      void (*open_user_page)(struct pmc_rdpmc_access *access, bool open))
{
	struct mm_struct *mm = current->mm;

	if (pmc_rdpmc_mm_is_full(mm))
		return -ENOSPC;
	if (mutex_lock_killable(&pmc_rdpmc_lock))
		return -EINTR;
	mmgrab(mm);
	access->mm = mm;
	access->open_user_page = open_user_page;
	list_add(&access->node, &pmc_rdpmc_requests);
	if (pmc_rdpmc_setting != PMC_RDPMC_NONE && pmc_rdpmc_exists() && pmc_rdpmc_works()) {
		pmc_rdpmc_grant(access);
		access->open_user_page(access, access->granted);
	}
	mutex_unlock(&pmc_rdpmc_lock);
	return 0;
}

/**
 * pmc_rdpmc_withdraw - undo pmc_rdpmc_request()
 * @access:	with or without a request
 */
void pmc_rdpmc_withdraw(struct pmc_rdpmc_access *access)
{
	if (!access->mm)
		return;
	mutex_lock(&pmc_rdpmc_lock);
	list_del(&access->node);
	pmc_rdpmc_revoke(access);
	mutex_unlock(&pmc_rdpmc_lock);
	mmdrop(access->mm);
	access->mm = NULL;
}

/**
 * pmc_rdpmc_pause - close the user page before its contents become invalid
 * @access:	with or without a request; pass it to pmc_rdpmc_resume() afterwards
 *
 * Returns with pmc_rdpmc_lock held if there is a request.
 */
void pmc_rdpmc_pause(struct pmc_rdpmc_access *access)
{
	if (!access->mm)
		return;
	mutex_lock(&pmc_rdpmc_lock);
	access->open_user_page(access, false);
}

/**
 * pmc_rdpmc_resume - open the user page again, if permission is granted
 * @access:	was passed to pmc_rdpmc_pause()
 */
void pmc_rdpmc_resume(struct pmc_rdpmc_access *access)
{
	if (!access->mm)
		return;
	access->open_user_page(access, access->granted);
	mutex_unlock(&pmc_rdpmc_lock);
}

/* Setting 0 begins. All pages are closed, then permission is revoked in one visit of the CPUs. */
static void pmc_rdpmc_revoke_all(void)
{
	struct pmc_rdpmc_access *access;
	u32 revoked = 0;

	list_for_each_entry(access, &pmc_rdpmc_requests, node)
		access->open_user_page(access, false);
	/* until the refresh, switches do not hide counts from these processes */
	cpumask_clear(&pmc_rdpmc_revoked);
	list_for_each_entry(access, &pmc_rdpmc_requests, node) {
		if (!access->granted)
			continue;
		access->granted = false;
		pmc_rdpmc_mm_uncount(access->mm, &pmc_rdpmc_revoked);
		revoked++;
	}
	if (revoked)
		pmc_rdpmc_refresh(&pmc_rdpmc_revoked);
	while (revoked--)
		pmc_leftovers_unwatch(false);
}

/* Setting 0 ends. */
static void pmc_rdpmc_grant_all(void)
{
	struct pmc_rdpmc_access *access;

	if (list_empty(&pmc_rdpmc_requests) || !pmc_rdpmc_works())
		return;
	list_for_each_entry(access, &pmc_rdpmc_requests, node) {
		pmc_rdpmc_grant(access);
		access->open_user_page(access, access->granted);
	}
}

static int pmc_rdpmc_grant_every(void)
{
	int err = pmc_rdpmc_tasks_watch_forks();

	/* with another mm_context_t this would change something else in every address space */
	if (!err && !pmc_rdpmc_shown_to_work() && !pmc_rdpmc_works())
		err = -ENOEXEC;
	if (!err)
		err = pmc_leftovers_watch(NULL);
	if (err)
		return err;
	err = pmc_rdpmc_tasks_grant();
	if (err)
		pmc_leftovers_unwatch(true);
	return err;
}

static int pmc_rdpmc_set_locked(enum pmc_rdpmc_setting setting)
{
	enum pmc_rdpmc_setting before = pmc_rdpmc_setting;
	int err = 0;

	if (setting == before)
		return 0;
	if (setting == PMC_RDPMC_EVERY)
		err = pmc_rdpmc_grant_every();
	else if (before == PMC_RDPMC_EVERY)
		pmc_rdpmc_tasks_revoke();
	if (err)
		return err;
	WRITE_ONCE(pmc_rdpmc_setting, setting);
	if (before == PMC_RDPMC_EVERY) {
		/* perf may permit it, too; without memory the next request tries again */
		pmc_rdpmc_look_at_perf();
		pmc_leftovers_unwatch(true);
	}
	if (setting == PMC_RDPMC_NONE)
		pmc_rdpmc_revoke_all();
	else if (before == PMC_RDPMC_NONE)
		pmc_rdpmc_grant_all();
	pmc_notify_pce(setting, before);
	return 0;
}

/**
 * pmc_rdpmc_set - change the setting; effective when this returns
 * @setting:	the new one
 *
 * Return: 0, -EOPNOTSUPP (no RDPMC for user mode here), -ENOMEM; -ENOEXEC (it is not known whether
 * the kernel acts on a permission).
 */
int pmc_rdpmc_set(enum pmc_rdpmc_setting setting)
{
	int err;

	if (!pmc_rdpmc_exists())
		return -EOPNOTSUPP;
	mutex_lock(&pmc_rdpmc_lock);
	err = pmc_rdpmc_set_locked(setting);
	mutex_unlock(&pmc_rdpmc_lock);
	return err;
}

static enum pmc_rdpmc_override pmc_rdpmc_find_override(void)
{
	bool works;

	if (pmc_rdpmc_tasks_watch_forks())
		return PMC_RDPMC_EFFECTIVE;
	if (!pmc_rdpmc_exists())
		return PMC_RDPMC_MISSING;
	if (pmc_rdpmc_works_for_all())
		return PMC_RDPMC_PERF_ALWAYS;
	/*
	 * A context that requests it keeps perf off the counters. current's address space is not
	 * changed before the field is known.
	 */
	works = list_empty(&pmc_rdpmc_requests) && pmc_rdpmc_shown_to_work() ?
		pmc_rdpmc_works_beside_perf() : pmc_rdpmc_works();
	if (works)
		return PMC_RDPMC_EFFECTIVE;
	return pmc_rdpmc_shown_to_work() ? PMC_RDPMC_PERF_NEVER : PMC_RDPMC_UNSHOWN;
}

/**
 * pmc_rdpmc_get - read the setting
 * @override:	out: what keeps it from having its effect; or NULL. Determining that waits for
 *		a kernel worker.
 *
 * Return: the setting.
 */
enum pmc_rdpmc_setting pmc_rdpmc_get(enum pmc_rdpmc_override *override)
{
	enum pmc_rdpmc_setting setting;

	/* the lock can be held for long; pairs with the WRITE_ONCE() in pmc_rdpmc_set_locked() */
	if (!override)
		return READ_ONCE(pmc_rdpmc_setting);
	mutex_lock(&pmc_rdpmc_lock);
	*override = pmc_rdpmc_find_override();
	setting = pmc_rdpmc_setting;
	mutex_unlock(&pmc_rdpmc_lock);
	return setting;
}

static void pmc_rdpmc_recheck_request(struct pmc_rdpmc_access *access, bool works)
{
	/* a process without an address space reads nothing */
	if (!mmget_not_zero(access->mm))
		return;
	if (works) {
		pmc_rdpmc_grant(access);
		access->open_user_page(access, access->granted);
	} else {
		pmc_rdpmc_revoke(access);
	}
	mmput_async(access->mm);
}

/**
 * pmc_rdpmc_recheck - adapt the grants and user pages to the value of perf's file
 *
 * Context: perf_rdpmc.c's work, after pmc_user_pages_disabled was set.
 *
 * Return: 0, -ENOMEM: the switches do not hide counts from every task, although the file may permit
 * RDPMC to it.
 */
int pmc_rdpmc_recheck(void)
{
	struct pmc_rdpmc_access *access;
	bool works;
	int err;

	mutex_lock(&pmc_rdpmc_lock);
	list_for_each_entry(access, &pmc_rdpmc_requests, node)
		access->open_user_page(access, false);
	/* a later write of perf's file sets it again, and queues another recheck */
	WRITE_ONCE(pmc_user_pages_disabled, false);
	err = pmc_rdpmc_tasks_watch_forks();
	if (!err) {
		err = pmc_rdpmc_look_at_perf();
		pmc_leftovers_forget();
		/* until RDPMC has worked once, pmc_rdpmc_mm_reset() leaves the copies */
		pmc_rdpmc_look_at_copies();
	}
	if (pmc_rdpmc_setting != PMC_RDPMC_NONE && !list_empty(&pmc_rdpmc_requests)) {
		works = pmc_rdpmc_exists() && pmc_rdpmc_works();
		list_for_each_entry(access, &pmc_rdpmc_requests, node)
			pmc_rdpmc_recheck_request(access, works);
	}
	mutex_unlock(&pmc_rdpmc_lock);
	return err;
}

/**
 * pmc_rdpmc_exit - restore the permission of every process; at unload
 *
 * No file is open, the attribute is gone and perf_rdpmc.c has ended: no other caller remains.
 */
void pmc_rdpmc_exit(void)
{
	mutex_lock(&pmc_rdpmc_lock);
	if (pmc_rdpmc_setting == PMC_RDPMC_EVERY) {
		pmc_rdpmc_tasks_revoke();
		pmc_leftovers_unwatch(true);
	}
	if (pmc_rdpmc_perf_always)
		pmc_leftovers_unwatch(true);
	pmc_rdpmc_tasks_unwatch();
	mutex_unlock(&pmc_rdpmc_lock);
	pmc_rdpmc_tasks_exit();
}
