/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code with known instruction counts: trees of processes and threads and yielding tasks, which
 * use no stack (process_tree.h); loops, calls and an exec between START and STOP (samples.h,
 * call_depth.h); a loop with given flags (rflags_loop.h).
 *
 * The instructions are the same for 64 and 32 bits; only the system call instruction and the
 * names of registers differ. Built with KNOWN_PROGRAM, this is the program "launch WORD...":
 * a process that creates one child for each WORD, which executes the measured loop.
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
#define NR_ioctl	16
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
#define NR_ioctl	54
#define NR_clone	120
#define NR_sched_yield	158
#define NR_gettid	224
#define LOOP		"./loop32-1m"
#endif

/* struct tree_shape of process_tree.h, in words */
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
	/* 5 instructions, 1 branch before the tree begins */
	.globl	_start
_start:
	mov	$tree, BASE
#ifdef __x86_64__
	mov	(%rsp), %rax
	dec	%rax
	mov	%rax, 12 * WORD(BASE)		/* width[1] */
#else
	mov	(%esp), %eax
	dec	%eax
	mov	%eax, 12 * WORD(BASE)
#endif
	jmp	tree_begins

	.data
	.balign	WORD
#ifdef __x86_64__
#define DATA	.quad
#else
#define DATA	.long
#endif
tree:	DATA	0, 0, 1, path, argv, envp, 0, 0, 0, 1, 0
	DATA	0, 0, 0, 0
	DATA	0, 17, 0, 0			/* SIGCHLD */
	DATA	0, 0, 0, 0
argv:	DATA	path
envp:	DATA	0
path:	.asciz	LOOP
	.text
#else
	/* void tree_shape_run(struct tree_shape *shape): never returns */
	.globl	tree_shape_run
	.type	tree_shape_run, @function
tree_shape_run:
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

	/* counting begins */
tree_begins:
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
	/* counting begins */
2:	mov	$NR_sched_yield, %eax
	KERNEL
	mov	COUNT, CX
1:	dec	CX
	jnz	1b
	dec	COUNT
	jnz	2b
	jmp	end

	/* void yields_run(unsigned long frame, unsigned long yields): never returns */
	.globl	yields_run, yields_begin, yields_end
	.type	yields_run, @function
yields_run:
#ifdef __x86_64__
	mov	A1, BASE
	mov	A2, COUNT
#else
	mov	4(%esp), BASE
	mov	8(%esp), COUNT
#endif
yields_begin:
	mov	$NR_sched_yield, %eax
	KERNEL
	dec	COUNT
	jnz	yields_begin
yields_end:
	jmp	end

	/*
	 * long sampled_loop(long fd, unsigned long rounds, unsigned long start,
	 *		     unsigned long stop)
	 * The ioctls START and STOP; between them 1 instruction, 2 * rounds, and 5.
	 */
	.globl	sampled_loop, sampled_loop_begin, sampled_loop_end, sampled_loop_stopped
	.type	sampled_loop, @function
sampled_loop:
#ifdef __x86_64__
	mov	%rcx, %r10			/* SYSCALL takes rcx and r11 */
	mov	%rsi, %r9
	mov	%rdx, %rsi
	xor	%edx, %edx
	mov	$NR_ioctl, %eax
	syscall
	/* counting begins */
	mov	%r9, %rcx
sampled_loop_begin:
	dec	%rcx
	jnz	sampled_loop_begin
sampled_loop_end:
	xor	%edx, %edx
	nop
	mov	%r10, %rsi
	mov	$NR_ioctl, %eax
	syscall
	/* counting ends */
sampled_loop_stopped:
	ret
#else
	push	%ebx
	mov	8(%esp), %ebx
	mov	16(%esp), %ecx
	xor	%edx, %edx
	mov	$NR_ioctl, %eax
	int	$0x80
	/* counting begins */
	mov	12(%esp), %ecx
sampled_loop_begin:
	dec	%ecx
	jnz	sampled_loop_begin
sampled_loop_end:
	xor	%edx, %edx
	nop
	mov	20(%esp), %ecx
	mov	$NR_ioctl, %eax
	int	$0x80
	/* counting ends */
sampled_loop_stopped:
	pop	%ebx
	ret
#endif

	/*
	 * long sampled_exec(long fd, char **argv, unsigned long odd, unsigned long start):
	 * START, and the exec of argv[0] without an environment: 8 instructions with the
	 * exec's own, or 9 if odd is 1.
	 */
	.globl	sampled_exec, sampled_exec_begin, sampled_exec_end
	.type	sampled_exec, @function
sampled_exec:
#ifdef __x86_64__
	mov	%rsi, %r9
	mov	%rdx, %r10
	mov	%rcx, %rsi
	xor	%edx, %edx
	mov	$NR_ioctl, %eax
	syscall
sampled_exec_begin:
	/* counting begins */
	test	%r10, %r10
	jz	1f
	nop
1:	mov	%r9, %rsi
	mov	(%r9), %rdi
	mov	$NR_execve, %eax
	xor	%edx, %edx
	nop
	syscall
	/* counting ends */
sampled_exec_end:
	ret
#else
	push	%ebx
	push	%esi
	push	%edi
	mov	16(%esp), %ebx
	mov	20(%esp), %esi
	mov	24(%esp), %edi
	mov	28(%esp), %ecx
	xor	%edx, %edx
	mov	$NR_ioctl, %eax
	int	$0x80
sampled_exec_begin:
	/* counting begins */
	test	%edi, %edi
	jz	1f
	nop
1:	mov	%esi, %ecx
	mov	(%esi), %ebx
	mov	$NR_execve, %eax
	xor	%edx, %edx
	nop
	int	$0x80
	/* counting ends */
sampled_exec_end:
	pop	%edi
	pop	%esi
	pop	%ebx
	ret
#endif

	/*
	 * long sampled_calls(...): as sampled_loop(), but a round has six instructions, two
	 * of them system calls: between the ioctls 1 + 6 * rounds + 5.
	 * sampled_calls_at[] has the addresses of the six, and of a seventh.
	 */
	.globl	sampled_calls, sampled_calls_at
	.type	sampled_calls, @function
sampled_calls:
#ifdef __x86_64__
	push	%rbx
	mov	%rsi, %rbx
	mov	%rcx, %r10
	mov	%rdx, %rsi
	xor	%edx, %edx
	mov	$NR_ioctl, %eax
	syscall
	/* counting begins */
	xor	%edx, %edx
3:	mov	$NR_gettid, %eax
4:	syscall
5:	mov	$NR_gettid, %eax
6:	syscall
7:	dec	%rbx
8:	jnz	3b
9:	mov	%r10, %rsi
	nop
	nop
	mov	$NR_ioctl, %eax
	syscall
	/* counting ends */
	pop	%rbx
	ret
#else
	push	%ebx
	push	%esi
	mov	12(%esp), %ebx
	mov	16(%esp), %esi
	mov	20(%esp), %ecx
	xor	%edx, %edx
	mov	$NR_ioctl, %eax
	int	$0x80
	/* counting begins */
	xor	%edx, %edx
3:	mov	$NR_gettid, %eax
4:	int	$0x80
5:	mov	$NR_gettid, %eax
6:	int	$0x80
7:	dec	%esi
8:	jnz	3b
9:	mov	24(%esp), %ecx
	nop
	nop
	mov	$NR_ioctl, %eax
	int	$0x80
	/* counting ends */
	pop	%esi
	pop	%ebx
	ret
#endif

	/*
	 * long sampled_descent(const struct descent *): START, calls with frame
	 * pointers down to this depth, the loop or system calls there, the returns,
	 * STOP. The outermost frame pointer is 0.
	 *
	 * long sampled_frame(const struct descent *): the loop between START and
	 * STOP with any frame pointer.
	 */
#ifdef __x86_64__
#define ABOUT	%rbx
#define TIMES	%r12
#define SP	%rsp
#else
#define ABOUT	%edi
#define TIMES	%esi
#define SP	%esp
#endif
#define ABOUT_FD	(0 * WORD)(ABOUT)
#define ABOUT_START	(1 * WORD)(ABOUT)
#define ABOUT_STOP	(2 * WORD)(ABOUT)
#define ABOUT_DEPTH	(3 * WORD)(ABOUT)
#define ABOUT_ROUNDS	(4 * WORD)(ABOUT)
#define ABOUT_CALLS	(5 * WORD)(ABOUT)
#define ABOUT_FRAME	(6 * WORD)(ABOUT)

	.macro	enter_known
	push	BASE
	push	ABOUT
	push	TIMES
#ifdef __x86_64__
	mov	%rdi, ABOUT
#else
	push	%ebx
	mov	20(%esp), ABOUT
#endif
	.endm

	.macro	leave_known
#ifndef __x86_64__
	pop	%ebx
#endif
	pop	TIMES
	pop	ABOUT
	pop	BASE
	ret
	.endm

	.macro	known_ioctl what
	mov	ABOUT_FD, A1
	mov	\what, A2
	xor	A3, A3
	mov	$NR_ioctl, %eax
	KERNEL
	.endm

	.globl	sampled_descent, sampled_descent_return, sampled_descent_level
	.globl	sampled_descent_begin, sampled_descent_end, sampled_descent_call
	.type	sampled_descent, @function
sampled_descent:
	enter_known
	xor	BASE, BASE
	known_ioctl ABOUT_START
	mov	ABOUT_DEPTH, TIMES
	call	descend
sampled_descent_return:
	known_ioctl ABOUT_STOP
	leave_known

descend:
	push	BASE
	mov	SP, BASE
	dec	TIMES
	jz	bottom
	call	descend
sampled_descent_level:
	pop	BASE
	ret
bottom:	mov	ABOUT_ROUNDS, TIMES
#ifdef __x86_64__
	cmpq	$0, ABOUT_CALLS
#else
	cmpl	$0, ABOUT_CALLS
#endif
	jne	calls
sampled_descent_begin:
	dec	TIMES
	jnz	sampled_descent_begin
sampled_descent_end:
	pop	BASE
	ret
calls:	mov	$NR_gettid, %eax
	KERNEL
sampled_descent_call:
	dec	TIMES
	jnz	calls
	pop	BASE
	ret

	.globl	sampled_frame, sampled_frame_begin, sampled_frame_end
	.type	sampled_frame, @function
sampled_frame:
	enter_known
	mov	ABOUT_FRAME, BASE
	known_ioctl ABOUT_START
	mov	ABOUT_ROUNDS, TIMES
sampled_frame_begin:
	dec	TIMES
	jnz	sampled_frame_begin
sampled_frame_end:
	known_ioctl ABOUT_STOP
	leave_known

	/*
	 * void flagged_loop(unsigned long rounds, unsigned long flags): on return the
	 * flags are as the C ABI requires.
	 */
	.globl	flagged_loop, flagged_begin, flagged_end
	.type	flagged_loop, @function
flagged_loop:
#ifdef __x86_64__
	mov	%rdi, %rcx
	push	%rsi
	popf
#else
	mov	4(%esp), %ecx
	pushl	8(%esp)
	popf
#endif
flagged_begin:
	dec	CX
	jnz	flagged_begin
flagged_end:
	push	$0x202
	popf
	ret

	.section .rodata
	.balign	WORD
#ifdef __x86_64__
sampled_calls_at:	.quad	3b, 4b, 5b, 6b, 7b, 8b, 9b
#else
sampled_calls_at:	.long	3b, 4b, 5b, 6b, 7b, 8b, 9b
#endif

	.bss
byte:	.skip	8
#endif

	.section .note.GNU-stack, "", @progbits
