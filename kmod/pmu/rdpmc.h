/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which processes may execute RDPMC in user mode
 */
#ifndef PMC_RDPMC_H
#define PMC_RDPMC_H

#include "pmu/rdpmc_types.h"

/**
 * enum pmc_rdpmc_setting - which processes may execute RDPMC: the attribute pce
 * @PMC_RDPMC_NONE:	none
 * @PMC_RDPMC_REQUESTED: processes with a context that requests it
 * @PMC_RDPMC_EVERY:	every process
 */
enum pmc_rdpmc_setting {
	PMC_RDPMC_NONE,
	PMC_RDPMC_REQUESTED,
	PMC_RDPMC_EVERY,
};

/**
 * enum pmc_rdpmc_override - what overrides the setting
 * @PMC_RDPMC_EFFECTIVE:	nothing, or it was not determined
 * @PMC_RDPMC_MISSING:		this CPU or kernel has no RDPMC for user mode
 * @PMC_RDPMC_UNSHOWN:		no permission has had an effect yet: PMC_RDPMC_PERF_NEVER, or the
 *				module was built for another kernel
 * @PMC_RDPMC_PERF_NEVER:	perf's file rdpmc contains 0
 * @PMC_RDPMC_PERF_ALWAYS:	perf's file rdpmc contains 2
 */
enum pmc_rdpmc_override {
	PMC_RDPMC_EFFECTIVE,
	PMC_RDPMC_MISSING,
	PMC_RDPMC_UNSHOWN,
	PMC_RDPMC_PERF_NEVER,
	PMC_RDPMC_PERF_ALWAYS,
};

enum pmc_rdpmc_setting pmc_rdpmc_get(enum pmc_rdpmc_override *override);
int pmc_rdpmc_set(enum pmc_rdpmc_setting setting);

int pmc_rdpmc_watch_forks(void);
int pmc_rdpmc_watch_copies(void);
int pmc_rdpmc_watch_late_copies(void);
void pmc_rdpmc_unwatch_copies(void);
int pmc_rdpmc_request(struct pmc_rdpmc_access *access,
		      void (*open_user_page)(struct pmc_rdpmc_access *access, bool open));
void pmc_rdpmc_withdraw(struct pmc_rdpmc_access *access);
void pmc_rdpmc_pause(struct pmc_rdpmc_access *access);
void pmc_rdpmc_resume(struct pmc_rdpmc_access *access);
int pmc_rdpmc_recheck(void);

void pmc_rdpmc_exit(void);

#endif /* PMC_RDPMC_H */
