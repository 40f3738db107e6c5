// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where a mapping of a file on overlayfs has the file of the layer. */
#include <linux/fs.h>

const struct path *test(struct file *file);
const struct path *test(struct file *file)
{
	return file_user_inode(file) ? file_user_path(file) : NULL;
}
