/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * syscalls: enters the kernel 20001 times, the last time to end.
 *
 *				instructions	branches	kernel entries
 *	mov (rounds)		1		0		0
 *	each of 10000 rounds:
 *	  mov			1		0		0
 *	  syscall (getpid)	1		1		1
 *	  mov			1		0		0
 *	  mov			1		0		0
 *	  lea			1		0		0
 *	  xor			1		0		0
 *	  syscall (write)	1		1		1
 *	  dec			1		0		0
 *	  jnz			1		1		0
 *	  a round		9		3		2
 *	end_program		3		1		1
 *	together		90004		30001		20001
 *
 * The write is of no bytes, to standard output; whether it succeeds changes
 * nothing here. SYSCALL overwrites RCX and R11, so the rounds are in RBX.
 */
#include "program.h"

	.globl	_start
_start:
	mov	$10000, %ebx
1:	mov	$NR_getpid, %eax
	syscall
	mov	$NR_write, %eax
	mov	$1, %edi
	lea	_start(%rip), %rsi
	xor	%edx, %edx
	syscall
	dec	%ebx
	jnz	1b
	end_program
