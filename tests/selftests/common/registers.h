/* SPDX-License-Identifier: GPL-2.0-only */
/* Every PMU register, through /dev/cpu/N/msr, to compare values before and after */
#ifndef SELFTESTS_REGISTERS_H
#define SELFTESTS_REGISTERS_H

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "kselftest.h"
#include "claim_all.h"
#include "netburst.h"
#include "pmc.h"

#define MSR_PERF_METRICS	0x329
#define IA32_FIXED_CTR_CTRL	0x38d
#define IA32_GLOBAL_STATUS	0x38e
#define IA32_GLOBAL_CTRL	0x38f
#define IA32_GLOBAL_STATUS_RESET	0x390
#define IA32_GLOBAL_STATUS_SET	0x391
#define GLOBAL_STATUS_FROZEN	(1ULL << 59)
#define IA32_A_PMC0		0x4c1
#define IA32_DEBUGCTL		0x1d9
#define DEBUGCTL_FREEZE		(1ULL << 12)

/* IA32_PMC_GPn_CFG_B and _C, by the address of the counter; the same for fixed ones */
#define MSR_V6_CONFIG_B(counter)	((counter) + 2)
#define MSR_V6_CONFIG_C(counter)	((counter) + 3)

#define SELECT_USER		(1U << 16)
#define SELECT_KERNEL		(1U << 17)
#define SELECT_INTERRUPT	(1U << 20)
#define SELECT_ENABLE		(1U << 22)
#define FIXED_INTERRUPT		8U

/* CESR has a half for each counter */
#define CESR_SHIFT(counter)	(16 * (counter))
#define CESR_HALF(counter)	(0xffffULL << CESR_SHIFT(counter))
#define CESR_USER		(1U << 7)
#define CESR_RESERVED		0xfc00

/* PerfCntrGlobalStatus, PerfCntrGlobalCtl (AMD, PerfMonV2) */
#define AMD_GLOBAL_STATUS	0xc0000300
#define AMD_GLOBAL_CTRL		0xc0000301

#define REGISTERS_CPUS	8
#define REGISTERS_MAX	128

/**
 * struct registers - the registers of the PMU on every CPU
 * @nr:		their number
 * @address:	addresses to read
 * @written:	addresses to write, 0: not writable
 * @mask:	the writable bits
 * @idle:	those of them that may have any value while nothing counts
 * @must:	those that must be set
 * @value:	the values on each CPU
 */
struct registers {
	unsigned int nr;
	uint32_t address[REGISTERS_MAX];
	uint32_t written[REGISTERS_MAX];
	uint64_t mask[REGISTERS_MAX];
	uint64_t idle[REGISTERS_MAX];
	uint64_t must[REGISTERS_MAX];
	uint64_t value[REGISTERS_CPUS][REGISTERS_MAX];
};

static inline int msr_open(int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	return open(path, O_RDWR | O_CLOEXEC);
}

static inline int msr_write(int cpu, uint32_t address, uint64_t value)
{
	int fd = msr_open(cpu);
	int err = pwrite(fd, &value, sizeof(value), address) == sizeof(value) ? 0 : -errno;

	close(fd);
	return err;
}

static inline int msr_read(int cpu, uint32_t address, uint64_t *value)
{
	int fd = msr_open(cpu);
	int err = pread(fd, value, sizeof(*value), address) == sizeof(*value) ? 0 : -errno;

	close(fd);
	return err;
}

static inline int registers_read(struct registers *registers)
{
	unsigned int i;
	int cpu, fd;

	for (cpu = 0; cpu < cpus_online() && cpu < REGISTERS_CPUS; cpu++) {
		fd = msr_open(cpu);
		for (i = 0; i < registers->nr; i++) {
			if (pread(fd, &registers->value[cpu][i], 8, registers->address[i]) != 8)
				return -errno;
		}
		close(fd);
	}
	return 0;
}

/* Write the values in @registers. */
static inline int registers_put(const struct registers *registers)
{
	unsigned int i;
	uint64_t value;
	int cpu, fd;

	for (cpu = 0; registers->nr && cpu < cpus_online() && cpu < REGISTERS_CPUS; cpu++) {
		fd = msr_open(cpu);
		for (i = 0; i < registers->nr; i++) {
			value = registers->value[cpu][i] & registers->mask[i];
			if (registers->written[i] &&
			    pwrite(fd, &value, sizeof(value), registers->written[i]) != 8)
				return -errno;
		}
		close(fd);
	}
	return 0;
}

/* A different value for each register, and its complement on the next CPU */
static inline uint64_t registers_pattern(int cpu, unsigned int i)
{
	uint64_t pattern = 0x9e3779b97f4a7c15 * (1 + i + (unsigned int)(cpu / 2) * REGISTERS_MAX);

	pattern ^= pattern >> 29;
	return cpu & 1 ? ~pattern : pattern;
}

/*
 * Write values that a previous user may have left. @found: the current values; @left: the
 * values afterwards.
 */
static inline int registers_fill(const struct registers *found, struct registers *left)
{
	unsigned int i;
	int cpu, err;

	*left = *found;
	for (cpu = 0; cpu < REGISTERS_CPUS; cpu++) {
		for (i = 0; i < found->nr; i++) {
			left->value[cpu][i] &= ~found->idle[i];
			left->value[cpu][i] |= registers_pattern(cpu, i) & found->idle[i];
			left->value[cpu][i] |= found->must[i];
		}
	}
	err = registers_put(left);
	return err ? err : registers_read(left);
}

/* The number of registers that differ */
static inline unsigned int registers_count(const struct registers *before,
					   const struct registers *after)
{
	unsigned int i, differ = 0;
	int cpu;

	for (cpu = 0; cpu < cpus_online() && cpu < REGISTERS_CPUS; cpu++) {
		for (i = 0; i < before->nr; i++)
			differ += before->value[cpu][i] != after->value[cpu][i];
	}
	return differ;
}

static inline void registers_print(const struct registers *before,
				   const struct registers *after, int cpu, unsigned int i)
{
	fprintf(stderr, "# CPU %d, register %#x: %#llx, was %#llx\n", cpu, before->address[i],
		(unsigned long long)after->value[cpu][i],
		(unsigned long long)before->value[cpu][i]);
}

/* Print the registers that differ, and return their number. */
static inline unsigned int registers_differ(const struct registers *before,
					    const struct registers *after)
{
	unsigned int i;
	int cpu;

	for (cpu = 0; cpu < cpus_online() && cpu < REGISTERS_CPUS; cpu++) {
		for (i = 0; i < before->nr; i++) {
			if (before->value[cpu][i] != after->value[cpu][i])
				registers_print(before, after, cpu, i);
		}
	}
	return registers_count(before, after);
}

static inline uint32_t global_ctrl(void)
{
	return is_amd() ? AMD_GLOBAL_CTRL : IA32_GLOBAL_CTRL;
}

/* Returns its index. */
static inline unsigned int registers_add(struct registers *registers, uint32_t address,
					 uint64_t idle)
{
	unsigned int i = registers->nr++;

	registers->address[i] = address;
	registers->written[i] = address;
	registers->mask[i] = UINT64_MAX;
	registers->idle[i] = idle;
	registers->must[i] = 0;
	return i;
}

static inline void registers_add_escrs(struct registers *registers, const struct pmc_query *query)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(netburst_escrs); i++) {
		uint32_t escr = netburst_escrs[i];

		if (query->cpu_model < 3 || (escr != MSR_IQ_ESCR0 && escr != MSR_IQ_ESCR1))
			registers_add(registers, escr,
				      ESCR_OF(query->event_select_mask) | ESCR_USER | ESCR_KERNEL);
	}
}

/*
 * Without full-width writes, 32 bits can be written, and the hardware extends their sign. With
 * them, Intel's counters have other addresses for writing up to version 5.
 */
static inline void registers_add_counter(struct registers *registers,
					 const struct pmc_query *query, unsigned int counter)
{
	bool wide = query->features & PMC_FEATURE(FULL_WIDTH);
	uint32_t address = msr_counter(query, counter);
	unsigned int i;

	i = registers_add(registers, address,
			  wide ? UINT64_MAX >> (64 - query->general_width) : UINT32_MAX);
	if (!wide)
		registers->mask[i] = UINT32_MAX;
	else if (address == MSR_COUNTER0 + counter)
		registers->written[i] = IA32_A_PMC0 + counter;
}

static inline void registers_add_select(struct registers *registers,
					const struct pmc_query *query, unsigned int counter)
{
	uint32_t address = msr_select(query, counter);
	uint64_t allowed = query->event_select_mask;

	switch (query->family) {
	case PMC_FAMILY_P5:
		/* one register for both, with reserved bits, which are kept */
		if (!counter)
			registers_add(registers, address, (allowed | CESR_RESERVED) *
				      (1 | 1 << CESR_SHIFT(1)));
		break;
	case PMC_FAMILY_NETBURST:
		/* a cascaded counter might start */
		allowed &= UINT32_MAX & ~CCCR_CASCADE;
		registers->must[registers_add(registers, address, allowed | CCCR_OVF_PMI)] =
			CCCR_MUST;
		break;
	case PMC_FAMILY_P6:
		/*
		 * perf leaves the single enable bit set: a counter that counts has a privilege
		 * level
		 */
		registers_add(registers, address, allowed | SELECT_INTERRUPT);
		break;
	default:
		registers_add(registers, address,
			      allowed | SELECT_USER | SELECT_KERNEL | SELECT_INTERRUPT);
	}
}

/* The counters that can reload another counter when they overflow (CPUID.23H.2) */
static inline uint64_t reload_causes(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid_count(0x23, 2, &a, &b, &c, &d) ? c | (uint64_t)d << 32 : 0;
}

/* A counter's registers from version 6 on, if present. PEBS is the upper half of CFG_C. */
static inline void registers_add_config(struct registers *registers,
					const struct pmc_query *query, uint32_t counter)
{
	uint64_t value;

	if (is_amd() || query->perfmon_version < 6 || counter < MSR_V6_COUNTER0)
		return;
	if (!msr_read(0, MSR_V6_CONFIG_B(counter), &value))
		registers_add(registers, MSR_V6_CONFIG_B(counter), reload_causes());
	if (!msr_read(0, MSR_V6_CONFIG_C(counter), &value))
		registers_add(registers, MSR_V6_CONFIG_C(counter), UINT32_MAX);
}

static inline void registers_add_counters(struct registers *registers,
					  const struct pmc_query *query)
{
	uint64_t general = query->general_counters;
	unsigned int i;

	/* those of the other logical processor, too; the L3's are in netburst_l3 */
	if (query->family == PMC_FAMILY_NETBURST)
		general = NETBURST_ALL;
	for (i = 0; i < 64; i++) {
		if (general & 1ULL << i) {
			registers_add_counter(registers, query, i);
			registers_add_select(registers, query, i);
			registers_add_config(registers, query, msr_counter(query, i));
		}
		if (query->fixed_counters & 1ULL << i) {
			registers_add(registers, msr_fixed(query, i),
				      UINT64_MAX >> (64 - query->fixed_width));
			registers_add_config(registers, query, msr_fixed(query, i));
		}
	}
}

static inline void registers_add_controls(struct registers *registers,
					  const struct pmc_query *query)
{
	uint64_t interrupts = 0;
	unsigned int i;

	for (i = 0; i < 16; i++) {
		if (query->fixed_counters & 1ULL << i)
			interrupts |= (uint64_t)FIXED_INTERRUPT << 4 * i;
	}
	if (!is_amd())
		registers_add(registers, IA32_FIXED_CTR_CTRL, interrupts);
	i = registers_add(registers, is_amd() ? AMD_GLOBAL_STATUS : IA32_GLOBAL_STATUS, 0);
	registers->written[i] = 0;
	registers_add(registers, global_ctrl(),
		      query->general_counters | query->fixed_counters << 32);
}

/* Not every processor has it, or supports freezing on overflow. */
static inline void registers_add_debugctl(struct registers *registers)
{
	uint64_t value;
	unsigned int i;

	if (msr_read(0, IA32_DEBUGCTL, &value))
		return;
	i = registers_add(registers, IA32_DEBUGCTL, 0);
	if (msr_write(0, IA32_DEBUGCTL, value ^ DEBUGCTL_FREEZE))
		registers->written[i] = 0;
	else if (!msr_write(0, IA32_DEBUGCTL, value))
		registers->idle[i] = DEBUGCTL_FREEZE;
}

static inline void registers_list(struct registers *registers, const struct pmc_query *query)
{
	registers->nr = 0;
	if (query->family == PMC_FAMILY_NETBURST)
		registers_add_escrs(registers, query);
	registers_add_counters(registers, query);
	if (query->features & PMC_FEATURE(METRICS))
		registers_add(registers, MSR_PERF_METRICS, UINT32_MAX);
	if (query->features & PMC_FEATURE(GLOBAL_CTRL))
		registers_add_controls(registers, query);
	if (query->family == PMC_FAMILY_CORE || query->family == PMC_FAMILY_AMD)
		registers_add_debugctl(registers);
}

#endif /* SELFTESTS_REGISTERS_H */
