/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs of known micro-ops, divisions, assists and locked accesses; events_p6.c has the numbers
 *
 * Column: micro-ops, from Agner Fog's list for PPro, PII and PIII. END_ROUND has 2.
 */
#include "events_rounds.h"

/* 15 instructions, 26 micro-ops: only instructions of the i586 */
PROGRAM run_uops
	ROUND
	mov	%esi, %eax		/* 1 */
	lea	8(%esi,%eax,2), %edx	/* 1 */
	add	(%esi), %eax		/* 2 */
	sub	%eax, 4(%esi)		/* 4 */
	adc	%edx, %eax		/* 2 */
	cmpl	$1, (%esi)		/* 2 */
	xchg	%eax, %edx		/* 3 */
	shr	$4, %eax		/* 1 */
	bsr	%esi, %eax		/* 2 */
	setz	%al			/* 1 */
	setz	8(%esi)			/* 3 */
	movzbl	(%esi), %edi		/* 1 */
	imul	%esi, %edi		/* 1 */
	test	%edi, %edi		/* 1 */
	nop				/* 1 */
	END_ROUND

/* 15 instructions, 45 micro-ops */
PROGRAM run_uops_stack
	ROUND
	push	%eax			/* 3 */
	pop	%eax			/* 2 */
	pushl	(%esi)			/* 4 */
	popl	4(%esi)			/* 8 */
	pushl	$1			/* 3 */
	lea	4(%esp), %esp		/* 1 */
	push	%ebp			/* 3 */
	mov	%esp, %ebp		/* 1 */
	leave				/* 3 */
	call	2f			/* 4 */
	jmp	3f			/* 1 */
2:	ret	$0			/* 5 */
3:	jecxz	4f			/* 2 */
4:	push	%es			/* 4 */
	lea	4(%esp), %esp		/* 1 */
	END_ROUND

/* 100 iterations of a copy, 50 of a fill, 7 others: 857 micro-ops */
PROGRAM run_uops_strings
	ROUND
	mov	%ecx, %ebp		/* 1 */
	mov	%esi, %eax		/* 1 */
	lea	1024(%esi), %edi	/* 1 */
	mov	$100, %ecx		/* 1 */
	rep movsb			/* 600 */
	mov	$50, %ecx		/* 1 */
	mov	%eax, %esi		/* 1 */
	rep stosl			/* 250 */
	mov	%ebp, %ecx		/* 1 */
	END_ROUND

/* 12 x87 instructions, 19 micro-ops; a division of 37 clocks, a root of 69 */
PROGRAM run_uops_x87
	movl	$0x40400000, (%esi)
	ROUND
	fld1				/* 2 */
	flds	(%esi)			/* 1 */
	fxch				/* 0 */
	fadds	(%esi)			/* 2 */
	fmul	%st(1), %st		/* 1 */
	fsqrt				/* 1 */
	fdivp				/* 1 */
	fsts	4(%esi)			/* 2 */
	fistpl	8(%esi)			/* 4 */
	fnstcw	12(%esi)		/* 3 */
	fldz				/* 1 */
	fstp	%st			/* 1 */
	END_ROUND

/* Divisions by 8, 16 and 32 bits: 12, 21 and 37 clocks; 17 micro-ops */
PROGRAM run_divide
	mov	$3, %edi
	movl	$3, (%esi)
	ROUND
	mov	$7, %eax		/* 1 */
	divb	(%esi)			/* 4 */
	mov	$7, %eax		/* 1 */
	cwd				/* 1 */
	div	%di			/* 4 */
	mov	$7, %eax		/* 1 */
	cdq				/* 1 */
	idiv	%edi			/* 4 */
	END_ROUND

/* Two assists: a division by 0 and an invalid operation. The inexact division is not an assist. */
PROGRAM run_assists
	fninit
	fldz
	fld1
	movl	$0x40400000, (%esi)
	ROUND
	fld1
	fdiv	%st(2), %st		/* by 0 */
	fsub	%st, %st		/* infinity less infinity */
	fstp	%st
	fld1
	fdivs	(%esi)
	fstp	%st
	dec	%ecx
	jnz	1b
	fninit
	ret

/* Across a line: 2 reads and 2 writes with the bus locked; within a line the cache is locked */
PROGRAM run_lock_across
	ROUND
	lock incl 30(%esi)
	lock incl (%esi)
	END_ROUND

	.section .note.GNU-stack, "", @progbits
