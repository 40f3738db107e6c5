/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the selftests count, to the instruction: a family of processes and
 * threads, and a task that gives way again and again. Neither uses a stack, so
 * that any kind of clone() will do. The sums are in known.h.
 *
 * The same instructions for 64 and 32 bits; but for the ways into the kernel
 * only the registers' names differ. Built with KNOWN_PROGRAM this is a program
 * of its own: "launch WORD...", a process that makes one child for each WORD,
 * all of them the measured loop.
 */
#ifdef __x86_64__
#define WORD		8
#define A1		%rdi
#define A2		%rsi
#define A3		%rdx
#define BASE		%rbp
#define DEPTH		%r12
#define COUNT		%r13
#define CX		%rcx
#define KERNEL		syscall
#define NR_read		0
#define NR_sched_yield	24
#define NR_clone	56
#define NR_execve	59
#define NR_exit		60
#define NR_wait		61
#define NR_gettid	186
#define LOOP		"./loop-1m"
#else
#define WORD		4
#define A1		%ebx
#define A2		%ecx
#define A3		%edx
#define BASE		%ebp
#define DEPTH		%esi
#define COUNT		%edi
#define CX		%ecx
#define KERNEL		int $0x80
#define NR_exit		1
#define NR_read		3
#define NR_wait		7
#define NR_execve	11
#define NR_clone	120
#define NR_sched_yield	158
#define NR_gettid	224
#define LOOP		"./loop32-1m"
#endif

/* struct family of known.h, in words */
#define BYTE	(0 * WORD)(BASE)
#define GO	(1 * WORD)(BASE)
#define LEVELS	(2 * WORD)(BASE)
#define PATH	(3 * WORD)(BASE)
#define ARGV	(4 * WORD)(BASE)
#define ENVP	(5 * WORD)(BASE)
#define ROLL	(6 * WORD)(BASE)
#define PHASES	(7 * WORD)(BASE)
#define ROUNDS	(8 * WORD)(BASE)
#define REAP	(9 * WORD)(BASE)
#define HOLD	(10 * WORD)(BASE)
#define WIDTH	(11 * WORD)(BASE, DEPTH, WORD)
#define FLAGS	(15 * WORD)(BASE, DEPTH, WORD)
#define PHASE	(19 * WORD)(BASE, COUNT, WORD)

	.text

#ifdef KNOWN_PROGRAM
	/* 5 instructions, 1 branch before the family begins */
	.globl	_start
_start:
	mov	$family, BASE
#ifdef __x86_64__
	mov	(%rsp), %rax
	dec	%rax
	mov	%rax, 12 * WORD(BASE)		/* width[1] */
#else
	mov	(%esp), %eax
	dec	%eax
	mov	%eax, 12 * WORD(BASE)
#endif
	jmp	family_begins

	.data
	.balign	WORD
#ifdef __x86_64__
#define DATA	.quad
#else
#define DATA	.long
#endif
family:	DATA	0, 0, 1, path, argv, envp, 0, 0, 0, 1, 0
	DATA	0, 0, 0, 0
	DATA	0, 17, 0, 0			/* SIGCHLD */
	DATA	0, 0, 0, 0
argv:	DATA	path
envp:	DATA	0
path:	.asciz	LOOP
	.text
#else
	/* void family_run(struct family *family): never returns */
	.globl	family_run
	.type	family_run, @function
family_run:
#ifdef __x86_64__
	mov	%rdi, BASE
	xor	%r8d, %r8d			/* clone's and wait's other arguments */
	xor	%r10d, %r10d
#else
	mov	4(%esp), BASE
#endif
	mov	GO, A1
	mov	BASE, A2
	mov	$1, A3
	mov	$NR_read, %eax
	KERNEL
#endif

	/* known from here */
family_begins:
	mov	LEVELS, DEPTH
node:	mov	WIDTH, COUNT
spawn:	mov	$NR_clone, %eax
	mov	FLAGS, A1
	xor	A2, A2
	xor	A3, A3
	KERNEL
	test	%eax, %eax
	jz	child
	dec	COUNT
	jnz	spawn
	cmpl	$0, REAP
	je	reaped
reap:	mov	$NR_wait, %eax
	mov	$-1, A1
	xor	A2, A2
	xor	A3, A3
	KERNEL
	test	%eax, %eax
	jns	reap
reaped:	cmpl	$0, HOLD
	je	end
	mov	HOLD, A1
	mov	BASE, A2
	mov	$1, A3
	mov	$NR_read, %eax
	KERNEL
end:	mov	$NR_exit, %eax
	xor	A1, A1
	KERNEL

child:	dec	DEPTH
	jnz	node
	mov	PATH, A1
	test	A1, A1
	jz	leaf
	mov	ARGV, A2
	mov	ENVP, A3
	mov	$NR_execve, %eax
	KERNEL
	hlt

leaf:	mov	$NR_gettid, %eax
	KERNEL
	mov	ROLL, A1
	mov	$1, A3
	lock xadd %edx, (A1)
	mov	%eax, 4(A1, A3, 4)
	mov	PHASES, COUNT
phase:	mov	PHASE, A1
	mov	BASE, A2
	mov	$1, A3
	mov	$NR_read, %eax
	KERNEL
	mov	ROUNDS, CX
1:	dec	CX
	jnz	1b
	dec	COUNT
	jnz	phase
	jmp	end

#ifndef KNOWN_PROGRAM
	/* void storm_run(int go, unsigned long yields): never returns */
	.globl	storm_run
	.type	storm_run, @function
storm_run:
#ifdef __x86_64__
	mov	A2, COUNT
#else
	mov	4(%esp), A1
	mov	8(%esp), COUNT
#endif
	lea	byte, A2
	mov	$1, A3
	mov	$NR_read, %eax
	KERNEL
	/* known from here */
2:	mov	$NR_sched_yield, %eax
	KERNEL
	mov	COUNT, CX
1:	dec	CX
	jnz	1b
	dec	COUNT
	jnz	2b
	jmp	end

	.bss
byte:	.skip	8
#endif

	.section .note.GNU-stack, "", @progbits
