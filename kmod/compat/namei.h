/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels: the lookup of a path in a mount
 */
#ifndef PMC_COMPAT_NAMEI_H
#define PMC_COMPAT_NAMEI_H

#include <linux/namei.h>

/* linux/namei.h of 6.1 does not declare it. */
int vfs_path_lookup(struct dentry *dentry, struct vfsmount *mnt, const char *name,
		    unsigned int flags, struct path *path);

#endif /* PMC_COMPAT_NAMEI_H */
