/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exec PROGRAM [ARGUMENT...]: becomes PROGRAM; counting goes on.
 *
 *				instructions	branches
 *	lea			1		0
 *	mov			1		0
 *	mov (load argc)		1		0
 *	lea			1		0
 *	mov			1		0
 *	syscall (execve)	1		1
 *	together		6		1	and PROGRAM's own
 *
 * When PROGRAM cannot be executed, it ends with status 127.
 */
#include "program.h"

	.globl	_start
_start:
	lea	16(%rsp), %rsi			/* &argv[1] */
	mov	(%rsi), %rdi			/* argv[1] */
	mov	(%rsp), %rcx			/* argc */
	lea	16(%rsp, %rcx, 8), %rdx		/* envp: after argv[argc], NULL */
	mov	$NR_execve, %eax
	syscall
	mov	$127, %edi
	mov	$NR_exit, %eax
	syscall
