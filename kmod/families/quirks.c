// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the quirks of a CPU
 *
 * One table for each vendor, in quirks_VENDOR.c, one row for each quirk and range of models. A
 * CPU's quirks are found each time that the CPU is described (at load, and when it comes online),
 * before its family examines it. The family's file has the workaround; a processor without the
 * quirk executes only the test of its bit. core.c looks up TSX_FORCE_ABORT again when a CPU's
 * counters are acquired: microcode may have been loaded since.
 *
 * Owns no data and takes no lock. Runs on the CPU in question.
 */
#include <linux/bits.h>
#include <linux/string.h>

#include "families/quirks.h"

static bool pmc_quirk_matches(const struct pmc_quirk *row, const struct pmc_query *query)
{
	return row->cpu_family == query->cpu_family &&
	       row->first_model <= query->cpu_model && query->cpu_model <= row->last_model &&
	       row->steppings & BIT(query->cpu_stepping) &&
	       (!row->applies || row->applies(query));
}

/* The vendor's table, or NULL */
static const struct pmc_quirk *pmc_quirks_of_vendor(const char *vendor)
{
	if (!memcmp(vendor, "GenuineIntel", 12))
		return pmc_quirks_intel;
	if (!memcmp(vendor, "AuthenticAMD", 12))
		return pmc_quirks_amd;
	return NULL;
}

/**
 * pmc_quirks_find - find the quirks of this CPU
 * @query:	has the vendor, family, model and stepping
 *
 * Return: a mask of PMC_QUIRK().
 */
u64 pmc_quirks_find(const struct pmc_query *query)
{
	const struct pmc_quirk *row = pmc_quirks_of_vendor(query->vendor);
	u64 quirks = 0;

	for (; row && row->quirk; row++) {
		if (pmc_quirk_matches(row, query))
			quirks |= row->quirk;
	}
	return quirks;
}
