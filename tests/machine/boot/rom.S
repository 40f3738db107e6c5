/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Boot ROM: starts a Linux kernel that Bochs has loaded into memory
 *
 * Reading the kernel by the BIOS and unpacking it in the guest costs more than the rest of the
 * boot. Here the host unpacks the kernel, image.c lays it out with the initramfs in one file,
 * and Bochs' optramimage loads that file at address 0. This option ROM at D0000H has two
 * entries:
 *
 * - `first`, the reset vector in the patched copy of the BIOS. Bochs allocates blocks of guest
 *   memory in the order of their first use, but optramimage fills them in the order of their
 *   addresses. Touching every block once, from the lowest to the highest, before anything else
 *   runs makes the two agree. Then the BIOS starts normally.
 * - `boot`, which the BIOS calls when it starts option ROMs, after ACPI tables, PCI and the
 *   other CPUs are set up. It adds the memory map to the boot parameters and enters the kernel
 *   as its decompressor would: Documentation/arch/x86/boot.rst, "64-bit boot protocol".
 *
 * A suspend to RAM is a reset too. Bochs' ACPI controller records it in the CMOS, and the BIOS
 * jumps to the kernel's wake-up address.
 */
#include "layout.h"

	.code16
	.globl	_start
_start:
	.byte	0x55, 0xaa
	.byte	ROM_BYTES / 512
	jmp	boot			/* the BIOS calls offset 3 */

	.org	ROM_FIRST
first:
	cli
	cld
	movb	$CMOS_SHUTDOWN, %al
	outb	%al, $0x70
	inb	$0x71, %al
	cmpb	$CMOS_RESUME, %al
	je	to_bios
	lgdtl	%cs:gdt_pointer
	movl	%cr0, %ecx
	movl	%ecx, %eax
	orb	$1, %al
	movl	%eax, %cr0
	movw	$FLAT_DATA, %ax
	movw	%ax, %fs		/* keeps its 4 GB limit in real mode */
	movl	%ecx, %cr0
	xorw	%ax, %ax
	movw	%ax, %ss
	movl	$PARAMS_ADDRESS, %ebx

	/* A second reset is a reboot of the guest: shut the emulator down. */
	cmpl	$0, %fs:PARAMS_BOOTED(%ebx)
	jne	end_machine
	movl	$1, %fs:PARAMS_BOOTED(%ebx)

	movl	%fs:PARAMS_MEMORY(%ebx), %ecx
	xorl	%esi, %esi
touch:
	movl	%fs:(%esi), %eax
	addl	$MEMORY_BLOCK, %esi
	cmpl	%ecx, %esi
	jb	touch
to_bios:
	ljmp	$BIOS_ENTRY_SEGMENT, $BIOS_ENTRY_OFFSET

end_machine:
	movw	%cs, %ax
	movw	%ax, %ds
	movw	$farewell, %si
	movw	$0x8900, %dx		/* Bochs' shutdown port */
	movw	$8, %cx
	rep outsb
halt:	hlt
	jmp	halt
farewell:
	.ascii	"Shutdown"

boot:
	cli
	cld
	xorw	%ax, %ax
	movw	%ax, %ds
	movw	%ax, %ss
	movw	%ax, %es
	movw	$0x7c00, %sp

	/* INT 15H E820H: entries of 20 bytes, written to E820_BUFFER. */
	movw	$E820_BUFFER, %di
	xorl	%ebx, %ebx
	xorw	%bp, %bp
memory_map:
	movl	$0xe820, %eax
	movl	$0x534d4150, %edx
	movl	$20, %ecx
	int	$0x15
	jc	memory_map_end
	incw	%bp
	addw	$20, %di
	testl	%ebx, %ebx
	jz	memory_map_end
	cmpw	$E820_MAX, %bp
	jb	memory_map
memory_map_end:
	cli
	lgdtl	%cs:gdt_pointer
	movl	%cr0, %eax
	orb	$1, %al
	movl	%eax, %cr0
	ljmpl	$FLAT_CODE32, $(ROM_ADDRESS + protected)

	.code32
protected:
	movl	$FLAT_DATA, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	movl	%eax, %fs
	movl	%eax, %gs

	movl	$ZERO_PAGE, %edi
	movzwl	%bp, %eax
	movb	%al, ZERO_PAGE_E820_ENTRIES(%edi)
	imull	$5, %eax, %ecx
	leal	ZERO_PAGE_E820_TABLE(%edi), %edi
	movl	$E820_BUFFER, %esi
	rep movsl

	movl	$ZERO_PAGE, %esi
	cmpl	$64, PARAMS_ADDRESS + PARAMS_BITS
	je	to_long_mode
	xorl	%ebp, %ebp
	xorl	%edi, %edi
	xorl	%ebx, %ebx
	jmpl	*PARAMS_ADDRESS + PARAMS_ENTRY

to_long_mode:
	/* Identity-map the first 4 GB with pages of 2 MB. */
	movl	$PAGE_TABLES, %edi
	movl	$(6 * 1024), %ecx
	xorl	%eax, %eax
	rep stosl
	movl	$(PAGE_TABLES + 0x1003), PAGE_TABLES
	movl	$(PAGE_TABLES + 0x2003), PAGE_TABLES + 0x1000
	movl	$(PAGE_TABLES + 0x3003), PAGE_TABLES + 0x1008
	movl	$(PAGE_TABLES + 0x4003), PAGE_TABLES + 0x1010
	movl	$(PAGE_TABLES + 0x5003), PAGE_TABLES + 0x1018
	movl	$(PAGE_TABLES + 0x2000), %edi
	movl	$0x83, %eax
	movl	$2048, %ecx
map:	movl	%eax, (%edi)
	addl	$0x200000, %eax
	addl	$8, %edi
	decl	%ecx
	jnz	map

	movl	$0x20, %eax		/* CR4.PAE */
	movl	%eax, %cr4
	movl	$PAGE_TABLES, %eax
	movl	%eax, %cr3
	movl	$0xc0000080, %ecx	/* EFER.LME */
	rdmsr
	orl	$0x100, %eax
	wrmsr
	movl	%cr0, %eax
	orl	$0x80000000, %eax	/* CR0.PG */
	movl	%eax, %cr0
	ljmpl	$FLAT_CODE64, $(ROM_ADDRESS + long_mode)

	.code64
long_mode:
	movl	$ZERO_PAGE, %esi
	xorl	%ebp, %ebp
	xorl	%edi, %edi
	xorl	%ebx, %ebx
	movl	$(PARAMS_ADDRESS + PARAMS_ENTRY), %eax
	jmpq	*(%rax)

	.balign	16
gdt:
	.quad	0
	.quad	0x00cf9b000000ffff	/* FLAT_CODE32 */
	.quad	0x00af9b000000ffff	/* FLAT_CODE64, Linux' __BOOT_CS */
	.quad	0x00cf93000000ffff	/* FLAT_DATA, Linux' __BOOT_DS */
gdt_pointer:
	.word	4 * 8 - 1
	.long	ROM_ADDRESS + gdt

	.org	ROM_BYTES - 1
	.byte	0			/* the checksum, filled in by image.c */
