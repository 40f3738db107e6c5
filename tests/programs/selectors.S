/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selectors: print the code segment selector and the task-register selector of the program
 * itself, as MOV and STR read them in user mode: two hexadecimal numbers of four digits
 */
#include "program.h"

	/* Store the low half of \source as four digits at line + \at. */
	.macro	put_number source, at
	mov	\source, %edx
	mov	$line + \at, %edi
	mov	$4, %ecx
1:	rol	$4, %dx
	mov	%edx, %ebx
	and	$15, %ebx
	mov	digits(%xbx), %al
	stosb
	dec	%ecx
	jnz	1b
	.endm

	.globl	_start
_start:
	mov	%cs, %eax
	put_number %eax, 0
	str	%eax
	put_number %eax, 5
	mov	$1, %argument1_32
	mov	$line, %argument2
	mov	$10, %argument3
	mov	$NR_write, %eax
	system_call
	end_program

digits:	.ascii	"0123456789abcdef"

	.data
line:	.ascii	"0000 0000\n"
