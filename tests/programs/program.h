/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the measured programs share. They have no libc and no start-up code, so
 * that each instruction they execute in user mode stands in their source. None
 * looks at its arguments or environment but exec, and that always executes the
 * same instructions.
 *
 * How they are counted (the table "counts" and the sums in each program):
 *
 * - instructions: each instruction that completes at privilege level 3. One
 *   that ends at another level (SYSCALL, INT) belongs to the level it started
 *   in, and so does not what returns from the kernel. An instruction that
 *   faults and is executed again counts once. A string instruction with a REP
 *   prefix counts once, however often it repeats, also for no repetition.
 * - branches: of these, each jump, conditional jump (taken or not), LOOP, call
 *   and return, and each SYSCALL and INT, which are far branches.
 */
#define NR_write	1
#define NR_getpid	39
#define NR_execve	59
#define NR_exit		60
#define NR_exit_32	1

/* 3 instructions, the last of them a branch; no instruction after it. */
	.macro	end_program
#ifdef __x86_64__
	xor	%edi, %edi
	mov	$NR_exit, %eax
	syscall
#else
	xor	%ebx, %ebx
	mov	$NR_exit_32, %eax
	int	$0x80
#endif
	.endm

	.section .note.GNU-stack, "", @progbits
	.text
