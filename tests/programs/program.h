/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common macros of the measured programs. They have no libc and no start-up code, so
 * every user-mode instruction is in their source. Only the programs exec, bare and tree read their
 * arguments, and they always execute the same instructions.
 *
 * Counting rules (of the table "counts" and the sums in each program):
 *
 * - instructions: each instruction that completes, if it started at privilege level 3. So
 *   SYSCALL and INT count, although they end in the kernel; the instruction that returns from
 *   the kernel does not count. An instruction that faults and is executed again counts once. A
 *   string instruction with a REP prefix counts once, with any number of repetitions or none.
 * - branches: of these, each jump, conditional jump (taken or not), LOOP, call
 *   and return, and each SYSCALL and INT, which are far branches.
 */

/*
 * Most sources make programs of 64 and of 32 bits with the same counts: xax and similar names
 * are registers of the width of an address, argument1 to argument3 those of a system call.
 */
#ifdef __x86_64__
#define WORD		8
#define WORDS		.quad
#define NR_read		0
#define NR_write	1
#define NR_getpid	39
#define NR_clone	56
#define NR_execve	59
#define NR_exit		60
#define NR_wait4	61
#define xax		rax
#define xbx		rbx
#define xdx		rdx
#define xsi		rsi
#define xdi		rdi
#define xbp		rbp
#define xsp		rsp
#define argument1	rdi
#define argument1_32	edi
#define argument2	rsi
#define argument3	rdx
#define argument3_32	edx
#else
#define WORD		4
#define WORDS		.long
#define NR_exit		1
#define NR_write	4
#define NR_execve	11
#define NR_getpid	20
#define xax		eax
#define xbx		ebx
#define xdx		edx
#define xsi		esi
#define xdi		edi
#define xbp		ebp
#define xsp		esp
#define argument1	ebx
#define argument1_32	ebx
#define argument2	ecx
#define argument3	edx
#define argument3_32	edx
#endif

/* CLONE_VM, _FS, _FILES, _SIGHAND, _THREAD, _SYSVSEM */
#define LIKE_THREAD	0x50f00
/* CLONE_VM, _VFORK; SIGCHLD */
#define LIKE_VFORK	0x4111
/* SIGCHLD */
#define LIKE_FORK	0x11

/* 1 instruction, a branch. */
	.macro	system_call
#ifdef __x86_64__
	syscall
#else
	int	$0x80
#endif
	.endm

/* 1 instruction. */
	.macro	address symbol, register
#ifdef __x86_64__
	lea	\symbol(%rip), \register
#else
	lea	\symbol, \register
#endif
	.endm

/* 3 instructions, the last of them a branch; no instruction after it. */
	.macro	end_program
	xor	%argument1_32, %argument1_32
	mov	$NR_exit, %eax
	system_call
	.endm

#ifdef __x86_64__
/*
 * 5 instructions, the last of them a branch. The new thread continues behind it with 0 in EAX.
 * No thread has a stack, or needs one.
 */
	.macro	make_thread
	mov	$NR_clone, %eax
	mov	$LIKE_THREAD, %edi
	xor	%esi, %esi
	xor	%edx, %edx
	syscall
	.endm
#endif

/*
 * 6 instructions, the last of them a branch: the process executes the program named by its
 * first argument, with the following arguments, and with its own environment or another one. If
 * that fails: status 127.
 */
	.macro	become_program environment
	lea	(2 * WORD)(%xsp), %argument2	/* &argv[1] */
	mov	(%argument2), %argument1	/* argv[1] */
	mov	(%xsp), %argument3		/* argc */
	.ifb \environment
	/* after argv[argc], NULL */
	lea	(2 * WORD)(%xsp, %argument3, WORD), %argument3
	.else
	address \environment, %argument3
	.endif
	mov	$NR_execve, %eax
	system_call
	mov	$127, %argument1_32
	mov	$NR_exit, %eax
	system_call
	.endm

	.section .note.GNU-stack, "", @progbits
	.text
