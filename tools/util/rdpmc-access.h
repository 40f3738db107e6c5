/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes may read counters in user mode: the driver's attribute pce */
#ifndef UTIL_RDPMC_ACCESS_H
#define UTIL_RDPMC_ACCESS_H

#define RDPMC_ACCESS_ATTRIBUTE	"/sys/class/misc/pmc/pce"

struct rdpmc_access {
	int setting;		/* 0, 1 or 2 */
	/* what overrides the setting, or "": also without CAP_PERFMON */
	char override[200];
};

/*
 * Read the attribute.
 * Return: 0, or an errno; EPROTO: the attribute has another value, in @override.
 */
int rdpmc_access_read(struct rdpmc_access *access);

/* A sentence for a setting */
const char *rdpmc_access_text(int setting);

#endif /* UTIL_RDPMC_ACCESS_H */
