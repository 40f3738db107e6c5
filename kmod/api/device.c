// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device /dev/pmc and its file operations
 *
 * Owns the device node. open() and release() create and free struct pmc_file; ioctl() is in
 * ioctl.c, mmap() in file_mmap.c. poll() and read() pass on to the sample rings and take a
 * reference to them instead of the file's lock. No lock of its own. Context: task context.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "api/device.h"
#include "api/file.h"
#include "api/file_mmap.h"
#include "api/ioctl.h"
#include "api/throttle_attr.h"
#include "pmu/rdpmc_attr.h"
#include "sampling/pmi.h"
#include "sampling/ring.h"
#include "base/tracepoints.h"

static int pmc_open(struct inode *inode, struct file *filp)
{
	struct pmc_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return -ENOMEM;
	mutex_init(&file->lock);
	spin_lock_init(&file->page_lock);
	init_waitqueue_head(&file->wait);
	filp->private_data = file;
	return nonseekable_open(inode, filp);
}

static int pmc_close(struct inode *inode, struct file *filp)
{
	struct pmc_file *file = filp->private_data;

	if (file->context)
		pmc_file_release(file);
	pmc_tracepoints_put(file->probes);
	if (file->interrupts)
		pmc_pmi_put();
	mutex_destroy(&file->lock);
	kfree(file);
	return 0;
}

static __poll_t pmc_poll(struct file *filp, struct poll_table_struct *table)
{
	struct pmc_file *file = filp->private_data;
	struct pmc_rings *rings;
	__poll_t events;

	/* before looking at the rings: a later record wakes this task */
	poll_wait(filp, &file->wait, table);
	rings = pmc_file_rings(file);
	if (!rings)
		return EPOLLERR;
	events = pmc_rings_poll(rings);
	pmc_rings_put(rings);
	return events;
}

static ssize_t pmc_read(struct file *filp, char __user *to, size_t size, loff_t *position)
{
	struct pmc_rings *rings = pmc_file_rings(filp->private_data);
	ssize_t done;

	if (!rings)
		return -EBADFD;
	done = pmc_rings_read(rings, to, size, !(filp->f_flags & O_NONBLOCK));
	pmc_rings_put(rings);
	return done;
}

static const struct file_operations pmc_file_operations = {
	.owner = THIS_MODULE,
	.open = pmc_open,
	.release = pmc_close,
	.unlocked_ioctl = pmc_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = pmc_file_mmap,
	.read = pmc_read,
	.poll = pmc_poll,
};

static const struct attribute_group *pmc_device_groups[] = {
	&pmc_rdpmc_group,
	&pmc_throttle_group,
	NULL,
};

static struct miscdevice pmc_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "pmc",
	.fops = &pmc_file_operations,
	.mode = 0600,
	.groups = pmc_device_groups,
};

/**
 * pmc_device_init - create /dev/pmc
 *
 * Return: 0 or a negative errno.
 */
int pmc_device_init(void)
{
	int err;

	err = pmc_file_mmap_init();
	if (err)
		return err;
	err = misc_register(&pmc_device);
	if (err)
		pmc_file_mmap_exit();
	return err;
}

/**
 * pmc_device_exit - remove /dev/pmc; no file is open
 */
void pmc_device_exit(void)
{
	misc_deregister(&pmc_device);
	pmc_file_mmap_exit();
}
