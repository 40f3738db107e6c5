/* SPDX-License-Identifier: GPL-2.0-only */
/* Copy files into a new folder, and replace an old folder by it */
#ifndef UTIL_FILE_TREE_H
#define UTIL_FILE_TREE_H

/*
 * Copy the file @name, a path below folder @from, to the same path below @to, and create the
 * folders above it. The copy is on disk when this returns.
 * Return: 0, or EXIT_TROUBLE after a message.
 */
int file_tree_copy(const char *from, const char *to, const char *name);

/*
 * Give folder @new the name @old in one step, and remove the folder that had it.
 * Return: 0, or EXIT_TROUBLE after a message; then the old folder is as before.
 */
int file_tree_replace(const char *new, const char *old);

/* Remove a folder with all files; one that does not exist is no error. Return: likewise. */
int file_tree_remove(const char *folder);

#endif /* UTIL_FILE_TREE_H */
