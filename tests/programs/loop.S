/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop: the simplest known length. Built for 64 and for 32 bits on each computer. The loop
 * has its own symbol, which separates its samples from those before and behind it.
 *
 *				instructions	branches
 *	mov (rounds)		1		0
 *	dec			ROUNDS		0
 *	jnz			ROUNDS		ROUNDS
 *	end_program		3		1
 *	together		2 ROUNDS + 4	ROUNDS + 1
 */
#include "program.h"

	.globl	_start
_start:
	mov	$ROUNDS, %ecx
	.type	loop, @function
loop:	dec	%ecx
	jnz	loop
	.size	loop, . - loop
	end_program
