/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * strings: string instructions with REP prefixes over several pages that are not yet
 * mapped (so that they fault in the middle and continue), and conditional branches that
 * are taken, not taken, and alternating.
 *
 *				instructions	branches	of these taken
 *	mov (rounds)		1		0		0
 *	cld			1		0		0
 *	each of 100 rounds:
 *	  lea, mov, xor, rep stosb	4	0		0
 *	  lea, lea, mov, rep movs_word	4	0		0
 *	  lea, lea, mov, repe cmpsb	4	0		0
 *	  jne (not taken)	1		1		0
 *	  je (taken)		1		1		1
 *	  lea, mov, mov, repne scasb	4	0		0
 *	  xor, rep stosb (none)	2		0		0
 *	  test			1		0		0
 *	  jz (in turn)		1		1		0 or 1
 *	  nop (jumped over in turn)	0 or 1	0		0
 *	  dec			1		0		0
 *	  jnz			1		1		1 (last: 0)
 *	  an even round		24		4
 *	  an odd round		25		4
 *	end_program		3		1
 *	together	2 + 50 * 49 + 3 = 2455	401
 *
 * The rounds count down from 100 to 1: 50 are even, 50 odd.
 */
#include "program.h"

#define LENGTH	9000

#ifdef __x86_64__
#define movs_word	movsq
#else
#define movs_word	movsl
#endif

	.globl	_start
_start:
	mov	$ROUNDS, %ebx
	cld
1:	address	one, %xdi
	mov	$LENGTH, %ecx
	xor	%eax, %eax
	rep stosb

	address	one, %xsi
	address	two, %xdi
	mov	$(LENGTH / WORD), %ecx
	rep movs_word

	address	one, %xsi
	address	two, %xdi
	mov	$LENGTH, %ecx
	repe cmpsb
	jne	3f
	je	2f
	nop

	/* No byte there is 1: the scan goes to the end. */
2:	address	one, %xdi
	mov	$LENGTH, %ecx
	mov	$1, %eax
	repne scasb

	xor	%ecx, %ecx
	rep stosb

	test	$1, %bl
	jz	3f
	nop
3:	dec	%ebx
	jnz	1b
	end_program

	.bss
	.balign	4096
one:	.skip	LENGTH
	.balign	4096
two:	.skip	LENGTH
