/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop: the simplest known length. Built for 64 bits and for 32.
 *
 *				instructions	branches
 *	mov (rounds)		1		0
 *	dec			ROUNDS		0
 *	jnz			ROUNDS		ROUNDS
 *	end_program, 64 bits	3		1
 *	end_program, 32 bits	3		1
 *	together		2 ROUNDS + 4	ROUNDS + 1
 */
#include "program.h"

	.globl	_start
_start:
	mov	$ROUNDS, %ecx
1:	dec	%ecx
	jnz	1b
	end_program
