/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that cause certain events a known number of times in each round; events_p5.c has the
 * numbers, and those of the P6 are in events_p6.c
 */
#include "events_rounds.h"

/* int counted(int fd, void (*program)(void), unsigned int rounds, void *buffer,
 *	       unsigned int start, unsigned int stop): between two ioctls
 */
PROGRAM counted
	push	%ebx
	push	%esi
	push	%edi
	push	%ebp
	mov	20(%esp), %ebx
	mov	36(%esp), %ecx
	xor	%edx, %edx
	mov	$SYS_ioctl, %eax
	int	$0x80
	mov	28(%esp), %ecx
	mov	32(%esp), %esi
	call	*24(%esp)
	mov	40(%esp), %ecx
	xor	%edx, %edx
	mov	$SYS_ioctl, %eax
	int	$0x80
	pop	%ebp
	pop	%edi
	pop	%esi
	pop	%ebx
	ret

/* 2 reads, 2 writes; 5 instructions, 1 branch, which is taken */
PROGRAM run_data
	ROUND
	mov	(%esi), %eax
	mov	%eax, 4(%esi)
	addl	$1, 8(%esi)
	END_ROUND

/* 1 read across 4 bytes, in 2 parts */
PROGRAM run_misaligned
	ROUND
	mov	2(%esi), %eax
	END_ROUND

/* a read on each page in turn: when the first page comes again, its entry is evicted */
PROGRAM run_pages
	ROUND
	mov	%esi, %edi
	mov	$PASS_PAGES, %edx
2:	mov	(%edi), %eax
	add	$PAGE, %edi
	dec	%edx
	jnz	2b
	END_ROUND

/* the same for lines; two and a half times the largest cache */
PROGRAM run_lines
	ROUND
	mov	%esi, %edi
	mov	$PASS_LINES, %edx
2:	mov	(%edi), %eax
	add	$LINE, %edi
	dec	%edx
	jnz	2b
	END_ROUND

/* The same, and then writes to as many lines that were not read */
PROGRAM run_lines_written
	ROUND
	mov	%esi, %edi
	mov	$PASS_LINES, %edx
2:	mov	(%edi), %eax
	add	$LINE, %edi
	dec	%edx
	jnz	2b
	mov	$PASS_LINES, %edx
3:	mov	%eax, PASS_BYTES(%edi)
	add	$LINE, %edi
	dec	%edx
	jnz	3b
	END_ROUND

/* 3 loads of segment registers */
PROGRAM run_segments
	mov	%ds, %eax
	push	%es
	ROUND
	mov	%eax, %es
	mov	%eax, %es
	mov	%eax, %ds
	dec	%ecx
	jnz	1b
	pop	%es
	ret

/* 2 locked reads */
PROGRAM run_locked
	ROUND
	lock incl (%esi)
	xchg	%eax, (%esi)
	END_ROUND

/* 1 read and 1 write of a port */
PROGRAM run_io
	ROUND
	in	$0x80, %al
	out	%al, $0x80
	END_ROUND

/* 2 floating point operations and an integer multiplication */
PROGRAM run_flops
	fldz
	fld1
	ROUND
	fadd	%st(1), %st
	fmul	%st(1), %st
	imul	%eax, %edx
	dec	%ecx
	jnz	1b
	fstp	%st
	fstp	%st
	ret

/* an indirect jump to another address than the last time */
PROGRAM run_flushes
	mov	$2f, %eax
	mov	$(2f - 3f), %edx
	ROUND
	jmp	*%eax
	hlt
2:	nop
3:	sub	%edx, %eax
	neg	%edx
	END_ROUND

/* 1 call, 1 return; 5 instructions, 3 branches, all taken */
PROGRAM run_calls
	ROUND
	call	2f
	END_ROUND
2:	nop
	ret

/* 1025 lines of code: more than the largest code cache */
	.balign	LINE
PROGRAM run_code
	.rept	1024
	jmp	2f
	.balign	LINE
2:
	.endr
	dec	%ecx
	jz	3f
	jmp	run_code
3:	ret

/*
 * 6 MMX instructions: a read, a write, one that can saturate and does; EMMS. PXOR is in V behind
 * the store, which waits a clock for MM0
 */
PROGRAM run_mmx
	movl	$0x7f7f7f7f, (%esi)
	movl	$0x7f7f7f7f, 4(%esi)
	ROUND
	movq	(%esi), %mm0
	movq	%mm0, %mm1
	paddsb	%mm1, %mm0
	movq	%mm0, 8(%esi)
	pxor	%mm0, %mm0
	emms
	END_ROUND

/* 1 read by MMX across 8 bytes */
PROGRAM run_mmx_misaligned
	ROUND
	movq	4(%esi), %mm0
	dec	%ecx
	jnz	1b
	emms
	ret

/*
 * Pairs. The rules: "Pentium Processor User's Manual", Volume 1, "Data Book", section 3.1.2,
 * "Instruction Pairing Rules"; SDM Vol. 3B, event 1FH, for AGI; "MMX Instruction Pairing
 * Guidelines" of the Intel Architecture Optimization Manual (242816). Column: the pipe; a round
 * begins in U, because a branch in V ends its pair and one in U has none.
 */

/* 8 instructions, 4 in V */
PROGRAM run_pairs
	ROUND
	mov	%esi, %eax	/* U */
	mov	%esi, %edx	/* V: independent */
	push	%eax		/* U */
	push	%edx		/* V: both change ESP, as the rule allows for PUSH, PUSH */
	pop	%edx		/* U */
	pop	%eax		/* V: and for POP, POP */
	END_ROUND		/* U, V: flags from DEC to JNZ are allowed */

/* 11 instructions, 3 in V */
PROGRAM run_no_pairs
	ROUND
	mov	%esi, %eax	/* U */
	mov	%eax, %edx	/* U: reads EAX */
	shl	$2, %edi	/* U: a shift does not go to V */
	mov	$1, %edx	/* V: with the shift */
	adc	%eax, %edi	/* U */
	adc	%eax, %ebp	/* U: ADC does not go to V */
	jmp	2f		/* V */
2:	xchg	%eax, %edx	/* U: does not pair */
	neg	%eax		/* U: does not pair */
	END_ROUND		/* U, V */

/* 6 instructions; in V 2 on the Pentium, 3 with MMX technology */
PROGRAM run_prefixes
	ROUND
	movl	$1, 4(%esi)	/* U: displacement and immediate pair with MMX alone */
	mov	%esi, %eax	/* U; MMX: V */
	mov	%esi, %edi	/* V; MMX: U */
	mov	%bp, %dx	/* U: an operand-size prefix; MMX: V */
	END_ROUND		/* V, U; MMX: U, V */

/* 10 instructions, 3 in V; 3 AGI stalls */
PROGRAM run_agi
	ROUND
	mov	%esi, %edi	/* U */
	mov	(%edi), %eax	/* U: reads EDI; AGI */
	lea	4(%esi), %edx	/* V */
	mov	(%edx), %ebp	/* U: AGI from V to U */
	sub	$4, %esp	/* V */
	pop	%eax		/* U: AGI by ESP */
	push	%eax		/* U: POP and PUSH do not pair; no AGI by the ESP of POP */
	add	$4, %esp	/* U: changes ESP */
	END_ROUND		/* V, U */

/* A register and its use: 1 AGI stall; on the Pentium the prefix is decoded meanwhile */
PROGRAM run_agi_prefix
	ROUND
	mov	%esi, %edi	/* U */
	mov	(%edi), %ax	/* U */
	END_ROUND

/* 8 instructions, 4 in V; 2 pairs access data, 1 of them the same bank (address bits 4:2) */
PROGRAM run_both_pipes
	ROUND
	mov	(%esi), %eax	/* U */
	mov	4(%esi), %edx	/* V: another bank */
	mov	%eax, 32(%esi)	/* U */
	mov	%edx, 64(%esi)	/* V: the same bank */
	mov	%esi, %eax	/* U: no access */
	mov	(%esi), %edx	/* V */
	END_ROUND		/* U, V */

/* 5 instructions, 2 in V: FXCH and JNZ */
PROGRAM run_fxch
	fldz
	fld1
	ROUND
	fadd	%st(1), %st	/* U */
	fxch	%st(1)		/* V */
	fadd	%st(1), %st	/* U: does not pair with an integer instruction */
	dec	%ecx		/* U */
	jnz	1b		/* V */
	fstp	%st
	fstp	%st
	ret

/* 6 instructions, 2 in V: the third one continues in the next page */
	.balign	PAGE
	.skip	PAGE - 6
	.globl	run_crossing
run_crossing:
	ROUND
	mov	%esi, %eax	/* U */
	mov	%esi, %edx	/* V */
	imul	$0x1234, %esi, %eax	/* U: does not pair */
	mov	%esi, %edx	/* U */
	END_ROUND		/* V, U */

/* 1024 taken conditional branches that the BTB does not hold, half of them in V */
	.balign	LINE
PROGRAM run_mispredicted
	xor	%eax, %eax	/* U */
	jmp	2f		/* V */
	.balign	LINE
2:
	.rept	512
	nop			/* U */
	jz	2f		/* V */
	.balign	LINE
2:	jz	3f		/* U */
	.balign	LINE
3:
	.endr
	dec	%ecx		/* U */
	jz	4f		/* V */
	jmp	run_mispredicted
4:	ret

/* 2 MMX instructions in U: 1 stall of 2 clocks for the product */
PROGRAM run_mmx_multiply
	ROUND
	pmullw	%mm1, %mm0	/* U */
	paddw	%mm0, %mm2	/* U: waits for MM0 */
	dec	%ecx		/* V */
	jnz	1b		/* U */
	emms
	ret

/* 5 MMX instructions, 1 of them in V */
PROGRAM run_mmx_pairs
	ROUND
	paddw	%mm1, %mm0	/* U */
	paddw	%mm3, %mm2	/* V */
	psllw	%mm1, %mm0	/* U */
	punpcklbw %mm3, %mm2	/* U: one shifter */
	movd	%eax, %mm4	/* U: from an integer register */
	dec	%ecx		/* U: MOVD does not pair with an integer instruction */
	jnz	1b		/* V */
	emms
	ret

	.section .note.GNU-stack, "", @progbits
