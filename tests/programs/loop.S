/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop: the simplest known length. Built for 64 bits and for 32 on each computer. The
 * loop has a name of its own, so that samples in it are told from those before and
 * behind it.
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
