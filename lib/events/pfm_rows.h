/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of libpfm4 as rows of a list */
#ifndef PMC_PFM_ROWS_H
#define PMC_PFM_ROWS_H

#include "pfm_table.h"

/* A row of the event with its unit masks. Return: NULL after pmc_fail() without memory. */
struct pmc_event_row *pmc_pfm_make_row(const struct pmc_processor *processor,
				       struct pmc_pfm_event *event);
void pmc_pfm_free_row(struct pmc_event_row *row);

/* The same row, made once. Return: NULL after pmc_fail() without memory. */
const struct pmc_event_row *pmc_pfm_row(const struct pmc_processor *processor,
					struct pmc_pfm_event *event);

#endif /* PMC_PFM_ROWS_H */
