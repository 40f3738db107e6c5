/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The context of an open file
 */
#ifndef PMC_FILE_H
#define PMC_FILE_H

#include "api/file_types.h"
#include "uapi/pmcdrv.h"

int pmc_file_configure(struct pmc_file *file, struct pmc_config *config,
		       const struct pmc_counter_config *counters);
void pmc_file_release(struct pmc_file *file);
struct pmc_rings *pmc_file_rings(struct pmc_file *file);

#endif /* PMC_FILE_H */
