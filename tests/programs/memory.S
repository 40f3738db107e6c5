/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory: loads, stores and calls.
 *
 *				instructions	branches	loads	stores
 *	mov (rounds)		1		0		0	0
 *	lea			1		0		0	0
 *	each of 100000 rounds:
 *	  mov (load)		1		0		1	0
 *	  mov (store)		1		0		0	1
 *	  add (load, store)	1		0		1	1
 *	  call			1		1		0	1
 *	  push			1		0		0	1
 *	  pop			1		0		1	0
 *	  ret			1		1		1	0
 *	  dec			1		0		0	0
 *	  jnz			1		1		0	0
 *	  a round		9		3		4	4
 *	end_program		3		1		0	0
 *	together		900005		300001		400000	400000
 */
#include "program.h"

	.globl	_start
_start:
	mov	$ROUNDS, %ecx
	address	data, %xsi
1:	mov	(%xsi), %xax
	mov	%xax, 8(%xsi)
	addl	$1, 16(%xsi)
	call	function
	dec	%ecx
	jnz	1b
	end_program

function:
	push	%xax
	pop	%xdx
	ret

	.bss
	.balign	64
data:	.skip	64
