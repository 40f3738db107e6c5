/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of the user: configuration and data */
#ifndef UTIL_USER_FILE_H
#define UTIL_USER_FILE_H

/*
 * The path of the user's configuration file @name, below $XDG_CONFIG_HOME/pmcdrv or
 * ~/.config/pmcdrv. Return: the path, to be freed, or NULL without a home.
 */
char *user_file_path(const char *name);

/*
 * The path of the user's data @name, below $XDG_DATA_HOME/pmcdrv or ~/.local/share/pmcdrv.
 * Return: as user_file_path().
 */
char *user_data_path(const char *name);

#endif /* UTIL_USER_FILE_H */
