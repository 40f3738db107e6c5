/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * syscalls: enters the kernel 20001 times, the last time to exit.
 *
 *				instructions	branches	kernel entries
 *	mov (rounds)		1		0		0
 *	each of 10000 rounds:
 *	  mov			1		0		0
 *	  system_call (getpid)	1		1		1
 *	  mov			1		0		0
 *	  mov			1		0		0
 *	  lea			1		0		0
 *	  xor			1		0		0
 *	  system_call (write)	1		1		1
 *	  dec			1		0		0
 *	  jnz			1		1		0
 *	  a round		9		3		2
 *	end_program		3		1		1
 *	together		90004		30001		20001
 *
 * The write is of no bytes, to standard output; whether it succeeds changes
 * nothing here. SYSCALL overwrites RCX and R11, INT 80H takes its arguments in
 * EBX, ECX and EDX: so the rounds are in EBP.
 */
#include "program.h"

	.globl	_start
_start:
	mov	$ROUNDS, %ebp
1:	mov	$NR_getpid, %eax
	system_call
	mov	$NR_write, %eax
	mov	$1, %argument1_32
	address	_start, %argument2
	xor	%argument3_32, %argument3_32
	system_call
	dec	%ebp
	jnz	1b
	end_program
