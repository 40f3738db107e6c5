/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of a processor of family core, in unit tests
 *
 * A register that the test has not given faults. Each access is recorded, whether it reads or
 * writes. Addresses in the tests are those of Intel's Volume 4, table 2-2.
 */
#ifndef TEST_CORE_REGISTERS_H
#define TEST_CORE_REGISTERS_H

#include "unit.h"

#include <linux/kernel.h>
#include <asm/processor.h>

#include "compat/compat.h"
#include "families/core.h"
#include "families/families.h"
#include "pmu/pmu.h"

#define SELECT0		0x186	/* IA32_PERFEVTSEL0 */
#define SELECT1		0x187
#define SELECT3		0x189
#define PMC0		0x0c1
#define PMC1		0x0c2
#define A_PMC0		0x4c1
#define A_PMC1		0x4c2
#define FIXED0		0x309
#define FIXED1		0x30a
#define METRICS		0x329
#define FIXED_CTRL	0x38d
#define GLOBAL_STATUS	0x38e
#define GLOBAL_CTRL	0x38f
#define OVF_CTRL	0x390
#define STATUS_SET	0x391
#define DEBUGCTL	0x1d9
#define CONFIG_B1	0x1906	/* IA32_PMC_GP1_CFG_B */

#define ENABLE		(1ULL << 22)	/* of an event select */
#define ANY_THREAD	(1ULL << 21)
#define FROZEN		(1ULL << 59)	/* of GLOBAL_STATUS */
#define FREEZE		(1ULL << 12)	/* of DEBUGCTL: the counters stop at a PMI */
#define FREEZE_IN_SMM	(1ULL << 14)	/* of DEBUGCTL: the counters stop in SMM */

#define FULL		PMC_FEATURE(FULL_WIDTH)
#define BOTH		(PMC_COUNT_USER | PMC_COUNT_KERNEL)

static struct core_register {
	u32 address;
	u64 value;
	u32 accesses;
	u32 faults;	/* bit n: access n faults */
	u32 of;		/* another address of that register; or 0 */
} core_registers[256];

static u32 nr_core_registers, nr_accessed, accessed[256];

/* What each access has left in its register */
static u64 left[256];

/* The accesses to registers that the processor lacks */
static u32 nr_missing;

/* What pmc_registers_can_be_lost() returns */
static bool registers_can_be_lost;

bool pmc_registers_can_be_lost(void)
{
	return registers_can_be_lost;
}

static struct core_register *core_register(u32 address)
{
	u32 i;

	for (i = 0; i < nr_core_registers; i++) {
		if (core_registers[i].address == address)
			return &core_registers[i];
	}
	return NULL;
}

static u64 *core_value(struct core_register *which)
{
	return which->of ? &core_register(which->of)->value : &which->value;
}

static void record_value(void)
{
	struct core_register *last = nr_accessed ? core_register(accessed[nr_accessed - 1]) : NULL;

	if (last)
		left[nr_accessed - 1] = *core_value(last);
}

/* An access, or another step, with a number that is no address */
static void record(u32 what)
{
	record_value();
	if (nr_accessed < ARRAY_SIZE(accessed))
		accessed[nr_accessed++] = what;
}

u64 *msr(u32 address)
{
	struct core_register *found = core_register(address);

	record(address);
	if (!found || found->faults >> found->accesses++ & 1) {
		nr_missing++;
		return NULL;
	}
	return core_value(found);
}

static inline void give_register(u32 address, u64 value)
{
	struct core_register *found = core_register(address);

	if (!found)
		found = &core_registers[nr_core_registers++];
	*found = (struct core_register){ .address = address, .value = value };
}

/* IA32_A_PMCx is another address of IA32_PMCx. */
static inline void give_address(u32 address, u32 of)
{
	give_register(address, 0);
	core_register(address)->of = of;
}

/* The register faults from now on. */
static inline void take_register(u32 address)
{
	core_register(address)->address = 0;
}

static inline u64 register_value(u32 address)
{
	return core_register(address)->value;
}

static inline void no_accesses_yet(void)
{
	u32 i;

	for (i = 0; i < nr_core_registers; i++)
		core_registers[i].accesses = 0;
	nr_accessed = 0;
	nr_missing = 0;
}

static inline void no_registers_yet(void)
{
	nr_core_registers = 0;
	no_accesses_yet();
}

/* Each register that the test has given was accessed once, and no other. */
static inline void assert_each_accessed_once(void)
{
	u32 i;

	for (i = 0; i < nr_core_registers; i++) {
		if (core_registers[i].address && core_registers[i].accesses != 1)
			fail_msg("register %#x: %u accesses", core_registers[i].address,
				 core_registers[i].accesses);
	}
	assert_int_equal(0, nr_missing);
	no_accesses_yet();
}

static inline void assert_accesses(u32 nr, const u32 *addresses)
{
	u32 i;

	for (i = 0; i < nr && i < nr_accessed; i++) {
		if (accessed[i] != addresses[i])
			fail_msg("access %u: register %#x, not %#x", i, accessed[i], addresses[i]);
	}
	assert_int_equal(nr, nr_accessed);
	no_accesses_yet();
}

/* These registers were accessed, in this order; without arguments: none */
#define assert_accessed(...)						\
	assert_accesses(sizeof((u32[]){ 0, ##__VA_ARGS__ }) / sizeof(u32) - 1,	\
			(u32[]){ 0, ##__VA_ARGS__ } + 1)

/* The same with what each of them has left: address, value... */
static inline void assert_values(u32 nr, const u64 (*steps)[2])
{
	u32 i;

	record_value();
	for (i = 0; i < nr && i < nr_accessed; i++) {
		if (accessed[i] != steps[i][0] || left[i] != steps[i][1])
			fail_msg("access %u: register %#x has %#llx", i, accessed[i],
				 (unsigned long long)left[i]);
	}
	assert_int_equal(nr, nr_accessed);
	memset(left, 0, sizeof(left));
	no_accesses_yet();
}

#endif /* TEST_CORE_REGISTERS_H */
