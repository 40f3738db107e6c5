/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's system call entries: where RCX has the user-mode address, and where nothing has it
 */
#ifndef PMC_ENTRY_CODE_H
#define PMC_ENTRY_CODE_H

#include <linux/types.h>

/* Bytes of the entry's code that are searched: entry and exit are shorter in all kernels tried. */
#define PMC_ENTRY_CODE_SIZE	384

/**
 * struct pmc_entry_code - parts of a SYSCALL entry, as offsets from its beginning
 * @pushed:	of the instruction that pushes RCX: up to there RCX has the address
 * @exit:	of the first instruction after the exit has loaded user mode's stack pointer
 * @exit_end:	of SYSRET: from @exit to there RCX has it, too
 */
struct pmc_entry_code {
	unsigned long pushed;
	unsigned long exit;
	unsigned long exit_end;
};

bool pmc_entry_code_find(struct pmc_entry_code *found, const u8 *code, u8 cs);
unsigned long pmc_entry_code_find_sysenter(const u8 *code, u8 ds);

#endif /* PMC_ENTRY_CODE_H */
