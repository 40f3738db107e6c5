// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dispatch of the ioctls of /dev/pmc
 *
 * Decides for each ioctl which lock it needs: none, the file's lock, or, for READ by the
 * thread that is counted, the protocol of pmc_file.settled (target/self.c).
 *
 * Owns no data. The file's lock is the outermost lock of the module. Context: task context.
 */
#include <linux/fs.h>
#include <linux/mutex.h>

#include "api/file_types.h"
#include "api/ioctl.h"
#include "api/ioctl_context.h"
#include "api/ioctl_query.h"
#include "api/ioctl_read.h"
#include "base/notify.h"
#include "target/self.h"

static int pmc_ioctl_read_locked(struct pmc_file *file, struct pmc_read __user *argument)
{
	int err;

	if (pmc_self_read(&file->settled, argument))
		return 0;
	/* the holder may wait without limit: for a page of its memory, say */
	if (mutex_lock_killable(&file->lock))
		return -EINTR;
	err = pmc_ioctl_read(file->context, argument);
	mutex_unlock(&file->lock);
	return err;
}

/* An ioctl that may change the context: lockless reads are disabled meanwhile. */
static noinline_for_stack int pmc_ioctl_settled(struct pmc_file *file, unsigned int command,
						unsigned long argument)
{
	int err;

	WRITE_ONCE(file->settled, NULL);
	err = pmc_ioctl_context(file, command, argument);
	/* pairs with the smp_load_acquire() in pmc_self_read() */
	smp_store_release(&file->settled, file->only);
	return err;
}

/*
 * Fast path: START and STOP of the caller's own context. They leave pmc_file.settled alone,
 * because the only lockless reader is the caller.
 */
static int pmc_ioctl_locked(struct pmc_file *file, unsigned int command, unsigned long argument)
{
	struct pmc_thread *only;
	int err = 0;

	/* the holder may wait without limit, as above, or for an exec of a process to follow */
	if (mutex_lock_killable(&file->lock))
		return -EINTR;
	only = file->only;
	if (argument || !pmc_self_is_current(only))
		err = pmc_ioctl_settled(file, command, argument);
	else if (command == PMC_IOC_START)
		err = pmc_self_start(only);
	else if (command == PMC_IOC_STOP)
		pmc_self_stop(only);
	else
		err = pmc_ioctl_settled(file, command, argument);
	mutex_unlock(&file->lock);
	pmc_notify_flush();
	return err;
}

static bool pmc_is_context_ioctl(unsigned int command)
{
	return command >= PMC_IOC_CONFIGURE && command <= PMC_IOC_STATISTICS;
}

/**
 * pmc_ioctl - &file_operations.unlocked_ioctl
 * @filp:	an open /dev/pmc
 * @command:	PMC_IOC_...
 * @argument:	address of the command's structure, or 0
 *
 * Return: 0 or a negative errno, as documented for the command in uapi/pmcdrv.h.
 */
long pmc_ioctl(struct file *filp, unsigned int command, unsigned long argument)
{
	struct pmc_file *file = filp->private_data;
	void __user *user = (void __user *)argument;

	if (command == PMC_IOC_READ)
		return pmc_ioctl_read_locked(file, user);
	if (pmc_is_context_ioctl(command))
		return pmc_ioctl_locked(file, command, argument);
	switch (command) {
	case PMC_IOC_QUERY:
		return pmc_ioctl_query(user);
	case PMC_IOC_COUNTER:
		return pmc_ioctl_counter(user);
	case PMC_IOC_TSC:
		return pmc_ioctl_tsc(user);
	}
	return -ENOTTY;
}
