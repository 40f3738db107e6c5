// SPDX-License-Identifier: LGPL-2.1-or-later
/* The processor that names are looked up for */
#include "name_processor.h"
#include "pfm.h"

struct pmc_processor pmc_name_processor(uint32_t core_type)
{
	struct pmc_processor processor = pmc_processor_current(core_type);

	pmc_pfm_forced_processor(&processor);
	return processor;
}
