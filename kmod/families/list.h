/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The families, one on each line, in the order in which they are tried. The including file
 * defines PMC_FAMILY().
 */
PMC_FAMILY(core);
PMC_FAMILY(p6);
PMC_FAMILY(p5);
PMC_FAMILY(p5_mmx);
PMC_FAMILY(netburst);
PMC_FAMILY(amd);
