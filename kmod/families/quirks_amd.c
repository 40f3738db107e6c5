// SPDX-License-Identifier: GPL-2.0-only
/*
 * AMD's quirks
 *
 * Each row's comment names its source: a revision guide, or rr. No row was verified on a real
 * processor.
 *
 * Owns the table, which is constant. Context: as quirks.c.
 */
#include <linux/types.h>

#include "families/quirks.h"

const struct pmc_quirk pmc_quirks_amd[] = {
	/*
	 * Revision Guide for AMD Family 17h Models 00h-0Fh Processors (55449), erratum 1023, as
	 * rr's issue 2034 cites it. The driver looks at all counters in every NMI, READ, switch
	 * and STOP.
	 */
	{ PMC_QUIRK(LOST_PMI), 23, 0, 15, PMC_QUIRK_ANY },
	{ }
};
