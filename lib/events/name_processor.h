/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processor that names are looked up for */
#ifndef PMC_NAME_PROCESSOR_H
#define PMC_NAME_PROCESSOR_H

#include "processor.h"

/*
 * The processor that runs this thread, or the one that LIBPFM_FORCE_PMU in the environment
 * chooses. @core_type: 0 for all
 */
struct pmc_processor pmc_name_processor(uint32_t core_type);

#endif /* PMC_NAME_PROCESSOR_H */
