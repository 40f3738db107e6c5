// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's system call entries: where RCX has the user-mode address, and where nothing has it
 *
 * SYSCALL leaves the return address in RCX and the flags in R11, and user mode's stack pointer in
 * RSP. The entry pushes them with the segment selectors, as the frame that an interrupt has; the
 * exit loads them again. The code is searched for these instructions, because a kernel can have
 * others before and between them.
 *
 * SYSENTER leaves no return address, and begins on the stack of the gates. The entry switches to
 * the task's stack and begins a frame there.
 *
 * Owns no data. No lock: called at load.
 */
#include <linux/string.h>

#include "sampling/entry_code.h"

/* Offset behind the first @size bytes from @from on that are equal to @bytes, or 0 */
static unsigned long pmc_entry_code_search(const u8 *code, unsigned long from, const u8 *bytes,
					   unsigned long size)
{
	for (; from + size <= PMC_ENTRY_CODE_SIZE; from++) {
		if (!memcmp(code + from, bytes, size))
			return from + size;
	}
	return 0;
}

/**
 * pmc_entry_code_find - find the parts of a SYSCALL entry
 * @found:	out: the parts; without an exit by SYSRET, @found->exit is above @found->exit_end
 * @code:	PMC_ENTRY_CODE_SIZE bytes of its code
 * @cs:		the code segment selector that it pushes
 *
 * Return: false if the code does not push the registers in the order of struct pt_regs.
 */
bool pmc_entry_code_find(struct pmc_entry_code *found, const u8 *code, u8 cs)
{
	/* push %r11; push $cs; push %rcx */
	const u8 pushes[] = { 0x41, 0x53, 0x6a, cs, 0x51 };
	/* pop %rdi; pop %rsp; swapgs */
	static const u8 pops[] = { 0x5f, 0x5c, 0x0f, 0x01, 0xf8 };
	static const u8 sysret[] = { 0x48, 0x0f, 0x07 };
	unsigned long end;

	end = pmc_entry_code_search(code, 0, pushes, sizeof(pushes));
	if (!end)
		return false;
	found->pushed = end - 1;
	found->exit = 1;
	found->exit_end = 0;
	end = pmc_entry_code_search(code, end, pops, sizeof(pops));
	if (!end)
		return true;
	found->exit_end = pmc_entry_code_search(code, end, sysret, sizeof(sysret));
	if (!found->exit_end)
		return true;
	found->exit_end -= sizeof(sysret);
	found->exit = end - 3;
	return true;
}

/**
 * pmc_entry_code_find_sysenter - find the first pushes of a SYSENTER entry to the task's stack
 * @code:	PMC_ENTRY_CODE_SIZE bytes of its code
 * @ds:		the stack segment selector that it pushes
 *
 * Return: the offset behind its first pushes to that stack, 0 if there are none.
 */
unsigned long pmc_entry_code_find_sysenter(const u8 *code, u8 ds)
{
	/* push $ds; push $0, for the stack pointer; pushf */
	const u8 pushes[] = { 0x6a, ds, 0x6a, 0x00, 0x9c };

	return pmc_entry_code_search(code, 0, pushes, sizeof(pushes));
}
