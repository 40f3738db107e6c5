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
#define NR_read		0
#define NR_write	1
#define NR_getpid	39
#define NR_clone	56
#define NR_execve	59
#define NR_exit		60
#define NR_wait4	61
#define NR_exit_32	1

/* CLONE_VM, _FS, _FILES, _SIGHAND, _THREAD, _SYSVSEM */
#define LIKE_THREAD	0x50f00
/* CLONE_VM, _VFORK; SIGCHLD */
#define LIKE_VFORK	0x4111
/* SIGCHLD */
#define LIKE_FORK	0x11

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

#ifdef __x86_64__
/*
 * 5 instructions, the last of them a branch: another thread goes on behind it,
 * with 0 in EAX. Nobody has a stack, or needs one.
 */
	.macro	make_thread
	mov	$NR_clone, %eax
	mov	$LIKE_THREAD, %edi
	xor	%esi, %esi
	xor	%edx, %edx
	syscall
	.endm

/*
 * 6 instructions, the last of them a branch: the process becomes the program that
 * its first argument names, with those that follow, and with its own environment
 * or another one. If it cannot: status 127.
 */
	.macro	become_program environment="16(%rsp, %rcx, 8)" /* after argv[argc], NULL */
	lea	16(%rsp), %rsi			/* &argv[1] */
	mov	(%rsi), %rdi			/* argv[1] */
	mov	(%rsp), %rcx			/* argc */
	lea	\environment, %rdx
	mov	$NR_execve, %eax
	syscall
	mov	$127, %edi
	mov	$NR_exit, %eax
	syscall
	.endm
#endif

	.section .note.GNU-stack, "", @progbits
	.text
