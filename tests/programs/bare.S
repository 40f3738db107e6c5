/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bare PROGRAM [ARGUMENT...]: executes PROGRAM with a fixed environment; counting
 * continues.
 *
 *				instructions	branches
 *	become_program		6		1	and PROGRAM's own
 */
#include "program.h"

	.globl	_start
_start:
	become_program environment

	.data
	.balign	WORD
environment:
	WORDS	path, locale, 0
path:	.asciz	"PATH=/usr/bin:/bin"
locale:	.asciz	"LC_ALL=C"
