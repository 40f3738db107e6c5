/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layout of the guest's memory at start, for the boot ROM (rom.S) and the program that creates
 * the image (image.c)
 */
#ifndef MACHINE_BOOT_LAYOUT_H
#define MACHINE_BOOT_LAYOUT_H

/* The ROM: an option ROM in a segment that no other ROM uses. */
#define ROM_ADDRESS		0xd0000
#define ROM_SEGMENT		0xd000
#define ROM_BYTES		2048
#define ROM_FIRST		8	/* offset of the reset entry */

/* The original reset vector of the BIOS (checked by image.c). */
#define BIOS_ENTRY_SEGMENT	0xf000
#define BIOS_ENTRY_OFFSET	0xe05b

/* The CMOS byte with the reason of a reset, and its value for a suspend to RAM. */
#define CMOS_SHUTDOWN		0x0f
#define CMOS_RESUME		0xfe

/* Bochs' largest block_size in bytes. */
#define MEMORY_BLOCK		(8 * 1024 * 1024)

/* The ROM's parameters, at the start of the second megabyte. */
#define PARAMS_ADDRESS		0x100000
#define PARAMS_BOOTED		0	/* 32 bits: set at the first reset; others are reboots */
#define PARAMS_MEMORY		4	/* 32 bits: bytes of guest memory, with the disk */
#define PARAMS_BITS		8	/* 32 bits: 32 or 64 */
#define PARAMS_ENTRY		16	/* 64 bits: the kernel's entry point */

/* Linux' struct boot_params, and its command line. */
#define ZERO_PAGE		(PARAMS_ADDRESS + 0x1000)
#define COMMAND_LINE		(PARAMS_ADDRESS + 0x2000)
#define COMMAND_LINE_BYTES	2048
#define ZERO_PAGE_E820_ENTRIES	0x1e8
#define ZERO_PAGE_E820_TABLE	0x2d0

/* Scratch memory of the ROM. */
#define E820_BUFFER		0x8000
#define E820_MAX		32
#define PAGE_TABLES		0x10000

/* Selectors of the ROM's GDT; the last two are the ones Linux expects. */
#define FLAT_CODE32		0x08
#define FLAT_CODE64		0x10
#define FLAT_DATA		0x18

#endif
