/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu1: moves itself to CPU 1, executes a million rounds of a loop, and ends
 *
 * sched_setaffinity() begins on another CPU and returns on CPU 1. If no other program runs there,
 * CPU 1 counts in user mode:
 *
 *				instructions	branches
 *	mov			1		0
 *	dec, jnz		2 ROUNDS	ROUNDS
 *	end_program		3		1
 *	together		2000004		1000001
 */
#include "../../programs/program.h"

#define ROUNDS			1000000
#define NR_sched_setaffinity	203

	.globl	_start
_start:
	mov	$NR_sched_setaffinity, %eax
	xor	%edi, %edi
	mov	$8, %esi
	lea	cpus(%rip), %rdx
	syscall
	mov	$ROUNDS, %ecx
1:	dec	%ecx
	jnz	1b
	end_program

	.section .rodata
cpus:	.quad	2
