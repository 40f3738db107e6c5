/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The address ranges of the kernel's code, for selftests that sample it
 *
 * Read once before all tests, because /proc/kallsyms is slow, and after the module is loaded.
 */
#ifndef SELFTESTS_KERNEL_SYMBOLS_H
#define SELFTESTS_KERNEL_SYMBOLS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "main.h"
#include "samples.h"

#undef SELFTEST_PREPARE
#define SELFTEST_PREPARE	kernel_symbols

/* The kernel's own code, then its modules' */
static struct range kernel_text[2];
/* Of the former, the entry code: system calls, interrupts, exceptions */
static struct range kernel_entry;
/* The first code of a new thread */
static struct range kernel_fork;
/* FRED's entries: they lie in .noinstr.text, not in the entry code */
static struct range kernel_fred;
/* SYSENTER's entry */
static uint64_t kernel_sysenter;
/*
 * The code of the context switch and what it calls before the kernel's current task changes: no
 * caller is found on the stack.
 */
static const char *const kernel_switch_names[] = {
	" __switch_to_asm\n", " __switch_to\n", " save_fpregs_to_fpstate\n",
	" __rdgsbase_inactive\n", " __wrgsbase_inactive\n", " native_load_gs_index\n",
	" asm_load_gs_index\n", " native_load_tls\n",
	/* the bases, of a processor without FSGSBASE */
	" native_write_msr\n",
};

static struct range kernel_switch[ARRAY_SIZE(kernel_switch_names)];

/*
 * Does the kernel have unwind tables (ORC)? With frame pointers alone, the caller of a function
 * that has not yet set up its frame is missing.
 */
static bool kernel_has_orc;

/* A line of /proc/kallsyms: address, a letter, a name */
static void kernel_symbol(const char *line)
{
	static bool in_fork, in_fred;
	const struct {
		const char *name;
		uint64_t *address;
	} wanted[] = {
		{ " _stext\n", &kernel_text[0].begin },
		{ " _etext\n", &kernel_text[0].end },
		{ " __entry_text_start\n", &kernel_entry.begin },
		{ " __entry_text_end\n", &kernel_entry.end },
		{ " entry_SYSENTER_32\n", &kernel_sysenter },
		{ " entry_SYSENTER_compat\n", &kernel_sysenter },
	};
	char *name;
	uint64_t address = strtoull(line, &name, 16);
	unsigned int i;

	/* 64-bit kernels print 16 digits, others 8 */
	if (strlen(name) < 3)
		return;
	name += 2;
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!strcmp(name, wanted[i].name))
			*wanted[i].address = address;
	}
	for (i = 0; i < ARRAY_SIZE(kernel_switch); i++) {
		if (kernel_switch[i].begin && !kernel_switch[i].end &&
		    address > kernel_switch[i].begin)
			kernel_switch[i].end = address;
		if (!strcmp(name, kernel_switch_names[i]))
			kernel_switch[i].begin = address;
	}
	if (!strcmp(name, " unwind_module_init\n"))
		kernel_has_orc = true;
	if (in_fred && address >= kernel_fred.begin + 0x100 &&
	    strcmp(name, " asm_fred_entrypoint_kernel\n")) {
		kernel_fred.end = address;
		in_fred = false;
	}
	if (!strcmp(name, " asm_fred_entrypoint_user\n")) {
		kernel_fred.begin = address;
		in_fred = true;
	}
	/* there are two of them, side by side or not */
	if (in_fork && address > kernel_fork.begin) {
		kernel_fork.end = address;
		in_fork = false;
	}
	if (!strcmp(name, " ret_from_fork_asm\n") ||
	    (!strcmp(name, " ret_from_fork\n") && !kernel_fork.end)) {
		kernel_fork.begin = address;
		in_fork = true;
	}
}

static void kernel_symbols(void)
{
	unsigned long long address, size;
	char line[512];
	FILE *file;

	file = fopen("/proc/kallsyms", "r");
	while (file && !kernel_text[0].end && fgets(line, sizeof(line), file))
		kernel_symbol(line);
	if (file)
		fclose(file);
	file = fopen("/proc/modules", "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*s %llu %*s %*s %*s %llx", &size, &address) != 2)
			continue;
		if (!kernel_text[1].begin || address < kernel_text[1].begin)
			kernel_text[1].begin = address;
		if (address + size > kernel_text[1].end)
			kernel_text[1].end = address + size;
	}
	if (file)
		fclose(file);
}

static inline bool kernel_switches_at(uint64_t address)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kernel_switch); i++) {
		if (range_has(&kernel_switch[i], address))
			return true;
	}
	return false;
}

static inline bool kernel_has(uint64_t address)
{
	return range_has(&kernel_text[0], address) || range_has(&kernel_text[1], address);
}

/* A caller may also be init code of the kernel; the memory of that code has been freed. */
static inline bool kernel_has_caller(uint64_t address)
{
	return kernel_has(address) ||
	       (address >= kernel_text[0].end && address < kernel_text[1].begin);
}

#endif /* SELFTESTS_KERNEL_SYMBOLS_H */
