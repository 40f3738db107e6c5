/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RDPMC with all bits of EDX and EAX, or the exception that it raises
 *
 * A program that includes this calls catch_faults() or RDPMC_SETUP() first.
 */
#ifndef SELFTESTS_RDPMC_FAULTS_H
#define SELFTESTS_RDPMC_FAULTS_H

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>
#include <unistd.h>

#include "pmc.h"
#include "registers.h"

/* detects what RDPMC does not overwrite */
#define GARBAGE		(~0UL)

/* exceptions */
#define NONE		0
#define X86_UD		6
#define X86_GP		13

/* Members of a fixture. @first, @second: RDPMC's numbers of the first two counters */
#define RDPMC_FIXTURE								\
	BASE_FIXTURE;								\
	uint32_t first;								\
	uint32_t second

/* The tests write MSRs of CPU 0, so they run on CPU 0. */
#define RDPMC_SETUP() do {							\
	BASE_SETUP();								\
	ASSERT_EQ(0, clear_what_perf_left(&self->query));			\
	ASSERT_EQ(0, pin(0, 0));						\
	self->first = counter_placed(0);					\
	self->second = counter_placed(1);					\
	catch_faults();								\
} while (0)

#define NEED_RDPMC()	do {							\
	if (!(self->query.features & PMC_FEATURE(RDPMC)))			\
		SKIP(return, "this CPU has no RDPMC");				\
} while (0)

static sigjmp_buf escape;
static volatile sig_atomic_t trap;

/* The exception and its error code, from the signal frame */
static inline void faulted(int signal, siginfo_t *info, void *data)
{
	const ucontext_t *context = data;

	trap = context->uc_mcontext.gregs[REG_TRAPNO];
	if (context->uc_mcontext.gregs[REG_ERR])
		trap = -trap;
	siglongjmp(escape, 1);
}

static inline void catch_faults(void)
{
	struct sigaction action = {
		.sa_sigaction = faulted,
		.sa_flags = SA_NODEFER | SA_SIGINFO,
	};

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGILL, &action, NULL);
}

/** struct value - EDX and EAX as RDPMC left them, with all their bits */
struct value {
	unsigned long low;
	unsigned long high;
};

static inline uint64_t whole(const struct value *value)
{
	return (uint64_t)(uint32_t)value->high << 32 | (uint32_t)value->low;
}

/* In this program's own mode. Returns the exception, with error code 0, or NONE. */
static inline int read_here(uint32_t index, struct value *value)
{
	value->low = GARBAGE;
	value->high = GARBAGE;
	if (sigsetjmp(escape, 0))
		return trap;
	asm volatile("rdpmc" : "+a" (value->low), "+d" (value->high) : "c" (index) : "memory");
	return NONE;
}

/* On 5.10 perf leaves its own counts in the counters, where RDPMC reads them. */
static inline int clear_what_perf_left(const struct pmc_query *query)
{
	struct registers registers = { 0 };

	if (linux_is_from(5, 11) || geteuid() || access("/dev/cpu/0/msr", W_OK))
		return 0;
	registers_add_counters(&registers, query);
	return registers_put(&registers);
}

#endif
