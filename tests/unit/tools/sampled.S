/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program to be sampled in tests: functions of 16 bytes each from 401000H on, in
 * the order of their names here. It is never executed.
 */
	.macro	function name
	.globl	\name
	.type	\name, @function
\name:
	.skip	15, 0x90
	ret
	.size	\name, . - \name
	.endm

	.text
	.globl	_start
	function _start				/* 401000 */
	function outer				/* 401010 */
	function middle				/* 401020 */
	function inner				/* 401030 */
	function _ZN5space4nameEiRKSs		/* 401040 */
	function _Znotmangled			/* 401050 */
	.skip	16, 0x90			/* 401060: of no function */
	function last				/* 401070 */
sizeless:					/* 401080 */
	.skip	16, 0x90
	.section .note.GNU-stack, "", @progbits
