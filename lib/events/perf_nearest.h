/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Refuse a name of perf that this processor lacks, with the nearest that it has */
#ifndef PMC_PERF_NEAREST_H
#define PMC_PERF_NEAREST_H

#include "pfm.h"

/* Write the message of a NAME_LACKING failure. @text: the event's text. Return: -1. */
int pmc_perf_fail_lacking(const struct pmc_name_failure *failure, const char *text, int len);

#endif /* PMC_PERF_NEAREST_H */
