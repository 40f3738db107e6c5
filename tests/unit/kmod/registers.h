/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of a simulated CPU, RDPMC and the kernel's reservations, for tests of families
 *
 * A register exists once a test has named it with reg(). The driver's access to any other one
 * faults.
 */
#ifndef TEST_REGISTERS_H
#define TEST_REGISTERS_H

#include "unit.h"

#include <linux/kernel.h>
#include <asm/processor.h>

#include "families/families.h"
#include "pmu/pmu.h"

/* Forget all registers and reservations, and start without faults. */
void registers_reset(void);

/* Return: the register, 0 if the test names it for the first time */
u64 *reg(u32 address);
void reg_faults(u32 address, bool faults);
/* Writes are lost. */
void reg_ignores(u32 address, bool ignores);

/* The driver's accesses since reg_forget() were these, in this order. */
void reg_forget(void);
void reg_accessed(const u32 *addresses, u32 number);

/* Called before each access of the driver; NULL: nothing */
extern void (*reg_watch)(u32 address);

struct simulated_rdpmc {
	u32 counter0;	/* register that RDPMC of counter 0 reads */
	u32 step;	/* from there to that of counter 1 */
	u64 faulting;	/* mask of counters */
	u64 tried;
};

extern struct simulated_rdpmc rdpmc;

/* What pmc_registers_can_be_lost() returns */
extern bool registers_can_be_lost;

struct reservation {
	u64 mask;
	u32 counter_msr;
	u32 select_msr;
};

extern struct reservation reservations[8];
extern u32 reservation_count;
/* A counter's register that other software has reserved, 0 for none */
extern u32 reserved_by_others;

/* The family has no such counter: nothing is described. */
void describes_no_counter(const struct pmc_family *family, const struct pmc_query *query,
			  u32 counter);
/*
 * Of two counters, in registers from @counter0 on, those that have counted and are selected are set
 * to 0.
 */
void clears_two_counters(const struct pmc_family *family, u32 counter0);

#endif /* TEST_REGISTERS_H */
