/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A loop of known length between START and STOP, for a thread that counts itself
 *
 * The system call that enters START executes before the counters run, so it is not counted.
 * Counting in user mode begins with the instruction after it. The system call that enters
 * STOP is the last instruction counted, and a branch. INT 80H of 32-bit programs counts as
 * SYSCALL does.
 */
#ifndef SELFTESTS_COUNTED_LOOP_H
#define SELFTESTS_COUNTED_LOOP_H

#include <sys/syscall.h>

#include "pmc.h"

/* The system call, the constraints of its operands, and the registers that it overwrites */
#ifdef __x86_64__
#define ENTER_KERNEL		"syscall"
#define ARGUMENT1		"D"
#define ARGUMENT2		"S"
#define ARGUMENT2_CHANGED	"+S"
#define ARGUMENT2_REGISTER	"%%esi"
#define ARGUMENT3_REGISTER	"%%rdx"
#define ANY_OPERAND		"r"
#define KERNEL_CLOBBERS		"rcx", "r11", "memory"
#else
#define ENTER_KERNEL		"int	$0x80"
#define ARGUMENT1		"b"
#define ARGUMENT2		"c"
#define ARGUMENT2_CHANGED	"+c"
#define ARGUMENT2_REGISTER	"%%ecx"
#define ARGUMENT3_REGISTER	"%%edx"
#define ANY_OPERAND		"m"
#define KERNEL_CLOBBERS		"memory"
#endif

#define COUNTED_LOOP								\
	"mov	%[rounds], %%ecx\n"						\
	"1:	dec	%%ecx\n\t"						\
	"jnz	1b\n\t"

#define COUNTED_STOP								\
	"mov	%[number], %%eax\n\t"						\
	"mov	%[stop], " ARGUMENT2_REGISTER "\n\t"				\
	ENTER_KERNEL

/*
 *					instructions	branches
 * (START)				0		0
 * mov (rounds)				1		0
 * dec					rounds		0
 * jnz					rounds		rounds
 * mov (number of ioctl)		1		0
 * mov (STOP)				1		0
 * syscall (STOP)			1		1
 * sum					2 rounds + 4	rounds + 1
 */
#define LOOP_INSTRUCTIONS(rounds)	(2ULL * (rounds) + 4)
#define LOOP_BRANCHES(rounds)		((rounds) + 1ULL)

static inline long loop_counted(int fd, unsigned int rounds)
{
	long result = SYS_ioctl, command = PMC_IOC_START;

	asm volatile(ENTER_KERNEL "\n\t" COUNTED_LOOP COUNTED_STOP
		     : "+a" (result), ARGUMENT2_CHANGED (command)
		     : ARGUMENT1 ((long)fd), "d" (0L), [rounds] "r" (rounds),
		       [number] "i" (SYS_ioctl), [stop] "i" (PMC_IOC_STOP)
		     : KERNEL_CLOBBERS);
	return result;
}

/* STOP directly after START: 3 instructions. */
static inline long nothing_counted(int fd)
{
	long result = SYS_ioctl, command = PMC_IOC_START;

	asm volatile(ENTER_KERNEL "\n\t" COUNTED_STOP
		     : "+a" (result), ARGUMENT2_CHANGED (command)
		     : ARGUMENT1 ((long)fd), "d" (0L),
		       [number] "i" (SYS_ioctl), [stop] "i" (PMC_IOC_STOP)
		     : KERNEL_CLOBBERS);
	return result;
}

#endif /* SELFTESTS_COUNTED_LOOP_H */
