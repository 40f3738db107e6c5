/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exec PROGRAM [ARGUMENT...]: executes PROGRAM; counting continues.
 *
 *				instructions	branches
 *	lea			1		0
 *	mov			1		0
 *	mov (load argc)		1		0
 *	lea			1		0
 *	mov			1		0
 *	system_call (execve)	1		1
 *	together		6		1	and PROGRAM's own
 *
 * When PROGRAM cannot be executed, it ends with status 127.
 */
#include "program.h"

	.globl	_start
_start:
	become_program
