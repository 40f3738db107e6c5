/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waits: a process of three threads, each of which waits for a byte from standard input.
 * Then the first creates one more; all four execute the same loop and end. The process is
 * counted from the wait on.
 *
 *				instructions	branches
 *	first:
 *	  make_thread		5		1
 *	  work			2 ROUNDS + 4	ROUNDS + 1
 *	the new thread:
 *	  work			2 ROUNDS + 4	ROUNDS + 1
 *	each of the other 2:
 *	  jmp			1		1
 *	  work			2 ROUNDS + 4	ROUNDS + 1
 *	all together		8 ROUNDS + 23	4 ROUNDS + 7
 */
#include "program.h"

	.macro	wait_for_byte
	mov	$NR_read, %eax
	xor	%edi, %edi
	lea	byte(%rip), %rsi
	mov	$1, %edx
	syscall
	.endm

	.globl	_start
_start:
	mov	$2, %ebx
1:	make_thread
	test	%eax, %eax
	jz	thread
	dec	%ebx
	jnz	1b
	wait_for_byte
	/* counting begins */
	make_thread
work:	mov	$ROUNDS, %ecx
1:	dec	%ecx
	jnz	1b
	end_program

thread:	wait_for_byte
	/* and here */
	jmp	work

	.bss
byte:	.skip	1
