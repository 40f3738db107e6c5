/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * threads: a process of nine threads. The first makes four; each of these makes
 * one more. All execute the same loop and end; none waits for another.
 *
 *				instructions	branches
 *	first:
 *	  mov (children)	1		0
 *	  each of 4:
 *	    make_thread		5		1
 *	    test, jz		2		1
 *	    dec, jnz		2		1
 *	  work			2 ROUNDS + 4	ROUNDS + 1
 *	  together		2 ROUNDS + 41	ROUNDS + 13
 *	each of its 4:
 *	  test, jz		2		1
 *	  make_thread		5		1
 *	  jmp			1		1
 *	  work			2 ROUNDS + 4	ROUNDS + 1
 *	each of theirs:
 *	  jmp			1		1
 *	  work			2 ROUNDS + 4	ROUNDS + 1
 *	all together		18 ROUNDS + 109	9 ROUNDS + 37
 */
#include "program.h"

	.globl	_start
_start:
	mov	$4, %ebx
1:	make_thread
	test	%eax, %eax
	jz	thread
	dec	%ebx
	jnz	1b
work:	mov	$ROUNDS, %ecx
1:	dec	%ecx
	jnz	1b
	end_program

thread:	make_thread
	jmp	work
