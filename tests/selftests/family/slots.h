/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Part of metrics.h: code with a known number of slots, and what slots and performance metrics
 * show for it in the emulator
 *
 * The emulator's rule of slots is that of tests/machine/pmu/README.md: a step has as many slots
 * as the processor is wide, the frontend loses one for each taken branch, all others retire.
 */
#ifndef SELFTESTS_SLOTS_H
#define SELFTESTS_SLOTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "pmc.h"

/* ---- the emulated registers ---- */

/**
 * struct slot_count - what should have been counted
 * @slots: in the current interval, by fixed counter 3
 * @lost: of these, to the frontend
 * @over: slots of past intervals
 * @share: for each field, the sum of its value times the slots, over past intervals
 */
struct slot_count {
	uint64_t slots;
	uint64_t lost;
	uint64_t over;
	uint64_t share[PMC_METRICS_FIELDS_MAX];
};

static unsigned int width;	/* slots of a step */
static unsigned int fields;	/* of the performance metrics */
static uint32_t core_type;	/* with several core types, the one that has them */

static inline void slots_run(struct slot_count *tally, uint64_t steps, uint64_t taken)
{
	tally->slots += steps * width;
	tally->lost += taken;
}

static inline uint64_t slots_fraction(const struct slot_count *tally)
{
	return tally->slots ? 255 * tally->lost / tally->slots : 0;
}

/* The register's value: of the current interval */
static inline uint64_t slots_register(const struct slot_count *tally)
{
	uint64_t fraction = slots_fraction(tally);
	uint64_t metrics = fraction << 8 * PMC_METRICS_FRONTEND_BOUND;

	if (!tally->slots)
		return 0;
	metrics |= (255 - fraction) << 8 * PMC_METRICS_RETIRING;
	if (fields > PMC_METRICS_FETCH_LATENCY)
		metrics |= fraction << 8 * PMC_METRICS_FETCH_LATENCY;
	return metrics;
}

static inline void slots_add_shares(const struct slot_count *tally, uint64_t *share)
{
	unsigned int i;

	for (i = 0; i < PMC_METRICS_FIELDS_MAX; i++)
		share[i] += (slots_register(tally) >> 8 * i & 0xff) * tally->slots;
}

/* The interval ends: another context gets the counters, and they restart at 0. */
static inline void slots_part(struct slot_count *tally)
{
	slots_add_shares(tally, tally->share);
	tally->over += tally->slots;
	tally->slots = 0;
	tally->lost = 0;
}

static inline uint64_t slots_slots(const struct slot_count *tally)
{
	return tally->over + tally->slots;
}

/* The value read: the mean of the fractions of all intervals, weighted by slots, truncated */
static inline uint64_t slots_metrics(const struct slot_count *tally)
{
	uint64_t share[PMC_METRICS_FIELDS_MAX], metrics = 0;
	unsigned int i;

	if (!slots_slots(tally))
		return 0;
	memcpy(share, tally->share, sizeof(share));
	slots_add_shares(tally, share);
	for (i = 0; i < PMC_METRICS_FIELDS_MAX; i++)
		metrics |= share[i] / slots_slots(tally) << 8 * i;
	return metrics;
}

/* ---- code of known length ---- */

/*
 * Loops of rounds in rcx, and what they count:
 *
 *		steps			taken branches
 * loop_plain	2 * rounds + 1		rounds
 * loop_jumps	4 * rounds + 1		3 * rounds
 * loop_nops	8 * rounds + 1		rounds
 */
void loop_plain(void), loop_jumps(void), loop_nops(void);

asm(".pushsection .text\n"
	"loop_plain:	dec	%rcx\n"
	"	jnz	loop_plain\n"
	"	ret\n"
	"loop_jumps:	jmp	1f\n"
	"1:	jmp	2f\n"
	"2:	dec	%rcx\n"
	"	jnz	loop_jumps\n"
	"	ret\n"
	"loop_nops:	nop; nop; nop; nop; nop; nop\n"
	"	dec	%rcx\n"
	"	jnz	loop_nops\n"
	"	ret\n"
	".popsection");

struct loop {
	void (*code)(void);
	unsigned int steps;
	unsigned int taken;
};

static const struct loop loops[] = {
	{ loop_plain, 2, 1 },
	{ loop_jumps, 4, 3 },
	{ loop_nops, 8, 1 },
};

static inline void slots_loop(struct slot_count *tally, const struct loop *loop, uint64_t rounds)
{
	slots_run(tally, loop->steps * rounds + 1, loop->taken * rounds);
}

/*
 * START, the loop, STOP. Besides the loop: mov, call, mov * 2, syscall. The compiler may use
 * memory below the stack pointer.
 */
static inline long run_counted(long fd, const struct loop *loop, uint64_t rounds)
{
	long result;

	asm volatile("lea	-128(%%rsp), %%rsp\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%[start], %%esi\n\t"
		     "xor	%%edx, %%edx\n\t"
		     "syscall\n\t"
		     /* counted from here */
		     "mov	%[rounds], %%rcx\n\t"
		     "call	*%[code]\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%[stop], %%esi\n\t"
		     "syscall\n\t"
		     /* to here */
		     "lea	128(%%rsp), %%rsp"
		     : "=&a" (result)
		     : "D" (fd), [rounds] "r" (rounds), [code] "r" (loop->code),
		       [ioctl] "i" (SYS_ioctl), [start] "i" (PMC_IOC_START),
		       [stop] "i" (PMC_IOC_STOP)
		     : "rcx", "r11", "rsi", "rdx", "memory", "cc");
	return result;
}

static inline void slots_counted(struct slot_count *tally, const struct loop *loop,
				 uint64_t rounds)
{
	slots_loop(tally, loop, rounds);
	slots_run(tally, 5, 2);
}

/*
 * The same with both registers read by RDPMC behind the loop: the slots after mov, call, the
 * loop and mov, the metrics four later, then rdpmc, mov * 4, xor and syscall.
 */
static inline long run_read(long fd, const struct loop *loop, uint64_t rounds, uint64_t *read)
{
	long result;

	asm volatile("lea	-128(%%rsp), %%rsp\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%[start], %%esi\n\t"
		     "xor	%%edx, %%edx\n\t"
		     "syscall\n\t"
		     /* counted from here */
		     "mov	%[rounds], %%rcx\n\t"
		     "call	*%[code]\n\t"
		     "mov	%[slots], %%ecx\n\t"
		     "rdpmc\n\t"
		     "mov	%%eax, (%[read])\n\t"
		     "mov	%%edx, 4(%[read])\n\t"
		     "mov	%[metrics], %%ecx\n\t"
		     "rdpmc\n\t"
		     "mov	%%eax, 8(%[read])\n\t"
		     "mov	%%edx, 12(%[read])\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%[stop], %%esi\n\t"
		     "xor	%%edx, %%edx\n\t"
		     "syscall\n\t"
		     /* to here */
		     "lea	128(%%rsp), %%rsp"
		     : "=&a" (result)
		     : "D" (fd), [rounds] "r" (rounds), [code] "r" (loop->code),
		       [read] "r" (read), [ioctl] "i" (SYS_ioctl), [start] "i" (PMC_IOC_START),
		       [stop] "i" (PMC_IOC_STOP), [slots] "i" (PMC_COUNTER_SLOTS),
		       [metrics] "i" (PMC_COUNTER_METRICS)
		     : "rcx", "r11", "rsi", "rdx", "memory", "cc");
	return result;
}

/*
 * START, the loop, PMC_IOC_READ, the loop again, STOP. READ returns the slots of mov, call, the
 * loop, mov * 3 and syscall; then come mov, call, the loop, mov * 2, xor and syscall.
 */
static inline long run_reading(long fd, const struct loop *loop, uint64_t rounds,
			       struct reading *reading)
{
	long result;

	reading_init(reading);
	asm volatile("lea	-128(%%rsp), %%rsp\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%[start], %%esi\n\t"
		     "xor	%%edx, %%edx\n\t"
		     "syscall\n\t"
		     /* counted from here */
		     "mov	%[rounds], %%rcx\n\t"
		     "call	*%[code]\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%[read], %%esi\n\t"
		     "mov	%[reading], %%rdx\n\t"
		     "syscall\n\t"
		     /* read to here */
		     "mov	%[rounds], %%rcx\n\t"
		     "call	*%[code]\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%[stop], %%esi\n\t"
		     "xor	%%edx, %%edx\n\t"
		     "syscall\n\t"
		     /* to here */
		     "lea	128(%%rsp), %%rsp"
		     : "=&a" (result)
		     : "D" (fd), [rounds] "r" (rounds), [code] "r" (loop->code),
		       [reading] "r" (reading), [ioctl] "i" (SYS_ioctl),
		       [start] "i" (PMC_IOC_START), [read] "i" (PMC_IOC_READ),
		       [stop] "i" (PMC_IOC_STOP)
		     : "rcx", "r11", "rsi", "rdx", "memory", "cc");
	return result;
}

static inline void slots_half_reading(struct slot_count *tally, const struct loop *loop,
				      uint64_t rounds)
{
	slots_loop(tally, loop, rounds);
	slots_run(tally, 6, 2);
}

struct turns {
	long fd;
	long from;
	long to;
	long turns;
	long rounds;
	void (*code)(void);
	char byte;
};

/* START, this many turns: read a byte, the loop, write it; STOP. */
static inline long run_turns(const struct turns *turns)
{
	register long left asm("r12") = turns->turns;
	register const struct turns *all asm("r13") = turns;
	long result;

	asm volatile("lea	-128(%%rsp), %%rsp\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%c[fd](%[all]), %%rdi\n\t"
		     "mov	%[start], %%esi\n\t"
		     "xor	%%edx, %%edx\n\t"
		     "syscall\n"
		     /* counted from here */
		     "1:	mov	$0, %%eax\n\t"
		     "mov	%c[from](%[all]), %%rdi\n\t"
		     "lea	%c[byte](%[all]), %%rsi\n\t"
		     "mov	$1, %%edx\n\t"
		     "syscall\n\t"
		     /* the other thread's turn was before this */
		     "mov	%c[rounds](%[all]), %%rcx\n\t"
		     "call	*%c[code](%[all])\n\t"
		     "mov	$1, %%eax\n\t"
		     "mov	%c[to](%[all]), %%rdi\n\t"
		     "syscall\n\t"
		     "dec	%[left]\n\t"
		     "jnz	1b\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%c[fd](%[all]), %%rdi\n\t"
		     "mov	%[stop], %%esi\n\t"
		     "xor	%%edx, %%edx\n\t"
		     "syscall\n\t"
		     /* to here */
		     "lea	128(%%rsp), %%rsp"
		     : "=&a" (result), [left] "+r" (left)
		     : [all] "r" (all), [fd] "i" (offsetof(struct turns, fd)),
		       [from] "i" (offsetof(struct turns, from)),
		       [to] "i" (offsetof(struct turns, to)),
		       [rounds] "i" (offsetof(struct turns, rounds)),
		       [code] "i" (offsetof(struct turns, code)),
		       [byte] "i" (offsetof(struct turns, byte)), [ioctl] "i" (SYS_ioctl),
		       [start] "i" (PMC_IOC_START), [stop] "i" (PMC_IOC_STOP)
		     : "rcx", "r11", "rdi", "rsi", "rdx", "memory", "cc");
	return result;
}

/* The slots of a turn until it waits for its byte; below, until it has passed it on */
static inline void slots_wait(struct slot_count *tally)
{
	slots_run(tally, 5, 1);
}

static inline void slots_turn(struct slot_count *tally, const struct loop *loop, uint64_t rounds,
			      bool last)
{
	slots_run(tally, 2, 1);
	slots_loop(tally, loop, rounds);
	slots_run(tally, 3 + 2, 1 + !last);
}

/* The first byte is already there: no other thread runs before the first turn. */
static inline void slots_turns(struct slot_count *tally, const struct loop *loop, uint64_t rounds,
			       unsigned int turns)
{
	unsigned int turn;

	for (turn = 0; turn < turns; turn++) {
		slots_wait(tally);
		if (turn)
			slots_part(tally);
		slots_turn(tally, loop, rounds, turn == turns - 1);
	}
	slots_run(tally, 5, 1);
}

#endif /* SELFTESTS_SLOTS_H */
