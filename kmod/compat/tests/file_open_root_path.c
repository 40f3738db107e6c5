// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where file_open_root() takes a path. */
#include <linux/fs.h>

struct file *test(const struct path *root);
struct file *test(const struct path *root)
{
	return file_open_root(root, "", 0, 0);
}
