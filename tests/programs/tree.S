/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree PROGRAM [ARGUMENT...]: a process that forks three children; each of these creates
 * three by vfork, and each of those executes PROGRAM. Parents reap all their children.
 *
 *				instructions	branches
 *	mov (generations)	1		0
 *	each of 4 parents:
 *	  mov (children)	1		0
 *	  each of 3:
 *	    mov * 2, xor * 2	4		0
 *	    syscall (clone)	1		1
 *	    test, jz		2		1
 *	    dec, jnz		2		1
 *	  each of 4 tries:
 *	    mov * 2, xor * 2	4		0
 *	    syscall (wait4)	1		1
 *	    test, jns		2		1
 *	  end_program		3		1
 *	  together		59		18
 *	each of 12 children:
 *	  test, jz, dec, jnz	4		2
 *	each of 9 of them:
 *	  become_program	6		1	and PROGRAM's own
 *	first alone		60		18
 *	all together		339		105	and 9 times PROGRAM's own
 */
#include "program.h"

	.globl	_start
_start:
	mov	$2, %ebp
parent:	mov	$3, %ebx
1:	mov	$NR_clone, %eax
	mov	flags(, %rbp, 8), %rdi
	xor	%esi, %esi
	xor	%edx, %edx
	syscall
	test	%eax, %eax
	jz	child
	dec	%ebx
	jnz	1b
1:	mov	$NR_wait4, %eax
	mov	$-1, %rdi
	xor	%esi, %esi
	xor	%edx, %edx
	syscall
	test	%eax, %eax
	jns	1b
	end_program

child:	dec	%ebp
	jnz	parent
	become_program

	.section .rodata
	.balign	8
flags:	.quad	0, LIKE_VFORK, LIKE_FORK
