/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assembly: the frame of the programs of events_p5.S and events_p6.S, and sizes
 *
 * In: ECX rounds, ESI a buffer of pages. A program may change EAX, EDX, EDI, EBP and ECX, and
 * ends a round with DEC ECX and JNZ.
 */
#define PASS_LINES	2048		/* 64 KB: more than the caches */
#define PASS_PAGES	128		/* more than the TLBs */
#define PASS_BYTES	0x10000
#define LINE		32
#define PAGE		4096

#define SYS_ioctl	54

	.text

	.macro	PROGRAM name
	.globl	\name
	.balign	64
\name:
	.endm

	.macro	ROUND
1:
	.endm

	.macro	END_ROUND
	dec	%ecx
	jnz	1b
	ret
	.endm
