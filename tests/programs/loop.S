/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop: the simplest program of known length (loop-1m, loop-10m; loop32-1m has 32 bits). The loop
 * has its own symbol, which separates its samples from those before and after it.
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
