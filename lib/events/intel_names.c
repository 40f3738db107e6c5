// SPDX-License-Identifier: LGPL-2.1-or-later
/* Intel's names of architectural events as a source of events */
#include <string.h>

#include "common.h"
#include "name_source.h"

static const struct {
	const char *name;
	const char *mask;
	const char *arch;
	bool general;
	uint64_t bits;
} intel_names[] = {
#define PMC_INTEL_NAME(name, mask, arch, general, bits) { name, mask, arch, general, bits },
#include "tables/intel-names.def"
#undef PMC_INTEL_NAME
};

static const struct pmc_arch_event *arch_event(const char *name)
{
	const struct pmc_arch_event *arch = pmc_arch_events;

	while (strcmp(arch->name, name))
		arch++;
	return arch;
}

static int find(struct pmc_event *event, const struct pmc_processor *processor,
		const struct pmc_token *name, const struct pmc_token *masks, size_t num_masks,
		struct pmc_name_failure *failure)
{
	const struct pmc_arch_event *arch;
	size_t i;

	(void)failure;
	for (i = 0; i < ARRAY_SIZE(intel_names); i++) {
		if (processor->layout != PMC_LAYOUT_CORE || num_masks != 1 ||
		    !pmc_token_equals_name(name, intel_names[i].name) ||
		    !pmc_token_equals_name(&masks[0], intel_names[i].mask))
			continue;
		arch = arch_event(intel_names[i].arch);
		event->arch = intel_names[i].general ? NULL : arch;
		event->select = arch->select;
		event->extra |= intel_names[i].bits;
		return 0;
	}
	return 1;
}

/* Lists have these events under their architectural names. */
const struct pmc_name_source pmc_intel_source = {
	.find = find,
};
