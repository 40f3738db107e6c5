/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl record: choose periods from a first count, and explain why there is no sample */
#ifndef RECORD_PERIOD_H
#define RECORD_PERIOD_H

#include <libpmcevents.h>

#include "util/session.h"

/*
 * Set the period of each event for @hz samples in a second of counted time, and print it.
 * @snapshot: a count of the events
 * @tsc_khz: rate of its ticks
 * Return: 0, or EXIT_TROUBLE after a message.
 */
int periods_choose(struct pmc_event *const *event, size_t num, const struct pmc_snapshot *snapshot,
		   uint32_t tsc_khz, uint64_t hz);

/* Print for each event how often it occurred, and which period gives a sample. */
void periods_explain(const struct session *session, struct pmc_event *const *event, size_t num,
		     const struct pmc_snapshot *snapshot);

#endif /* RECORD_PERIOD_H */
