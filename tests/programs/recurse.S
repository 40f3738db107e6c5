/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recurse: a recursion of known depth with frame pointers; almost all instructions
 * are executed in a loop that the innermost call executes
 *
 *				instructions	branches
 *	_start			3		1
 *	recurse, DEPTH times	7		3
 *	spin			2 ROUNDS + 5	ROUNDS + 1
 *	end_program		3		1
 *	together		2 ROUNDS + 81	ROUNDS + 33
 */
#include "program.h"

#define DEPTH	10

	.macro	function name
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.macro	end_function name
	.size	\name, . - \name
	.endm

	function _start
	xor	%ebp, %ebp
	mov	$DEPTH, %edi
	call	recurse
	end_program
	end_function _start

	function recurse
	push	%xbp
	mov	%xsp, %xbp
	dec	%edi
	jz	1f
	call	recurse
	pop	%xbp
	ret
1:	call	spin
	pop	%xbp
	ret
	end_function recurse

	function spin
	push	%xbp
	mov	%xsp, %xbp
	mov	$ROUNDS, %ecx
1:	dec	%ecx
	jnz	1b
	pop	%xbp
	ret
	end_function spin
