/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The performance metrics: an event that needs the event slots */
#ifndef PMC_PERF_METRICS_H
#define PMC_PERF_METRICS_H

#include "event_set.h"

/*
 * Check the conditions of the performance metrics and move slots to its fixed counter.
 * Return: 0, or -1 after pmc_fail().
 */
int pmc_perf_metrics_check(struct pmc_event_set *set, const struct pmc_context *context);

#endif /* PMC_PERF_METRICS_H */
