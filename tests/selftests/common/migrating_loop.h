/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread of known length that migrates between two CPUs */
#ifndef SELFTESTS_MIGRATING_LOOP_H
#define SELFTESTS_MIGRATING_LOOP_H

#ifdef __x86_64__

#include <sched.h>
#include <sys/syscall.h>

#include "pmc.h"

#define MOVING_ROUNDS	200

/*
 * The thread moves itself: START, then MOVING_ROUNDS times to CPU 0 and to CPU 1 with
 * a loop of 1000 rounds on each, STOP. Counted of it:
 *
 *				instructions	branches
 *	(START)			0		0
 *	mov (rounds)		1		0
 *	each round, twice:
 *	  mov * 4		4		0
 *	  syscall		1		1
 *	  mov (1000)		1		0
 *	  dec, jnz		2000		1000
 *	dec, jnz		2		1
 *	mov * 4 (STOP)		4		0
 *	syscall			1		1
 */
#define MOVING_INSTRUCTIONS	(1 + MOVING_ROUNDS * (2 * 2006 + 2) + 5)
#define MOVING_BRANCHES		(MOVING_ROUNDS * (2 * 1001 + 1) + 1)

/*
 * What of it is executed on the second CPU, each round: mov (1000), its loop, dec and jnz,
 * and mov * 4 and the syscall that end it, those of the next move or of STOP.
 */
#define MOVING_SECOND_INSTRUCTIONS	(MOVING_ROUNDS * (1 + 2000 + 2 + 5))
#define MOVING_SECOND_BRANCHES		(MOVING_ROUNDS * (1000 + 1 + 1))

static inline long move_counted(long fd, const cpu_set_t *first, const cpu_set_t *second)
{
	register long file asm("r12") = fd;
	register const cpu_set_t *cpu0 asm("r13") = first;
	register const cpu_set_t *cpu1 asm("r14") = second;
	long result;

	asm volatile("mov	%[ioctl], %%eax\n\t"
		     "mov	%[file], %%rdi\n\t"
		     "mov	%[start], %%esi\n\t"
		     "mov	$0, %%edx\n\t"
		     "syscall\n\t"
		     /* counted from here */
		     "mov	%[rounds], %%ebx\n"
		     "1:	mov	%[affinity], %%eax\n\t"
		     "mov	$0, %%edi\n\t"
		     "mov	%[size], %%esi\n\t"
		     "mov	%[cpu0], %%rdx\n\t"
		     "syscall\n\t"
		     "mov	$1000, %%ecx\n"
		     "2:	dec	%%ecx\n\t"
		     "jnz	2b\n\t"
		     "mov	%[affinity], %%eax\n\t"
		     "mov	$0, %%edi\n\t"
		     "mov	%[size], %%esi\n\t"
		     "mov	%[cpu1], %%rdx\n\t"
		     "syscall\n\t"
		     "mov	$1000, %%ecx\n"
		     "3:	dec	%%ecx\n\t"
		     "jnz	3b\n\t"
		     "dec	%%ebx\n\t"
		     "jnz	1b\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%[file], %%rdi\n\t"
		     "mov	%[stop], %%esi\n\t"
		     "mov	$0, %%edx\n\t"
		     "syscall\n\t"
		     /* to here */
		     : "=&a" (result)
		     : [file] "r" (file), [cpu0] "r" (cpu0), [cpu1] "r" (cpu1),
		       [ioctl] "i" (SYS_ioctl), [affinity] "i" (SYS_sched_setaffinity),
		       [size] "i" (sizeof(cpu_set_t)), [rounds] "i" (MOVING_ROUNDS),
		       [start] "i" (PMC_IOC_START), [stop] "i" (PMC_IOC_STOP)
		     : "rbx", "rcx", "r11", "rdi", "rsi", "rdx", "memory");
	return result;
}

#endif /* __x86_64__ */

#endif /* SELFTESTS_MIGRATING_LOOP_H */
