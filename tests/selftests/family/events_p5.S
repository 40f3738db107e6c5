/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that cause certain events a known number of times in each round; events_p5.c has the
 * numbers
 *
 * In: ECX rounds, ESI a buffer of pages. They may change EAX, EDX, EDI, EBP and ECX. Each ends
 * a round with DEC ECX and JNZ.
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

/* 6 MMX instructions: a read, a write, one that can saturate and does; EMMS */
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

	.section .note.GNU-stack, "", @progbits
