/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bare PROGRAM [ARGUMENT...]: becomes PROGRAM, with an environment that is always
 * the same, whatever its own is; counting goes on.
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
