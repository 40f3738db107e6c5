// SPDX-License-Identifier: GPL-2.0-only
/* Paths of the user's configuration and data files */
#include <stdlib.h>

#include "util/user-file.h"
#include "util/xalloc.h"

/* @variable: has the folder, or is not set; then it is @below home */
static char *path_below(const char *variable, const char *below, const char *name)
{
	const char *folder = getenv(variable), *home = getenv("HOME");

	if (folder && folder[0] == '/')
		return xasprintf("%s/pmcdrv/%s", folder, name);
	if (home && home[0])
		return xasprintf("%s/%s/pmcdrv/%s", home, below, name);
	return NULL;
}

char *user_file_path(const char *name)
{
	return path_below("XDG_CONFIG_HOME", ".config", name);
}

char *user_data_path(const char *name)
{
	return path_below("XDG_DATA_HOME", ".local/share", name);
}
