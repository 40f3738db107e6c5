/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The families, a line each: the first that recognises a CPU has it. Included where
 * PMC_FAMILY() is what the lines are to become.
 */
PMC_FAMILY(core);
PMC_FAMILY(p6);
PMC_FAMILY(p5);
PMC_FAMILY(p5_mmx);
PMC_FAMILY(netburst);
PMC_FAMILY(amd);
