// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sources of event names besides the architectural names and the tables of the documents */
#include "name_source.h"

const struct pmc_name_source *const pmc_name_sources[] = {
	&pmc_json_source,
	&pmc_intel_source,
	&pmc_pfm_source,
	NULL,
};
