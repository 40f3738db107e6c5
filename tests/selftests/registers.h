/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every register of the PMU, through the kernel's own /dev/cpu/N/msr: to tell
 * whether they are afterwards what they were before.
 */
#ifndef SELFTESTS_REGISTERS_H
#define SELFTESTS_REGISTERS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "kselftest.h"
#include "netburst.h"
#include "pmc.h"

#define MSR_PERF_METRICS	0x329
#define IA32_FIXED_CTR_CTRL	0x38d
#define IA32_GLOBAL_STATUS	0x38e
#define IA32_GLOBAL_CTRL	0x38f
#define IA32_GLOBAL_STATUS_RESET	0x390
#define IA32_GLOBAL_STATUS_SET	0x391
#define GLOBAL_STATUS_FROZEN	(1ULL << 59)

/* PerfCntrGlobalStatus, PerfCntrGlobalCtl (AMD, PerfMonV2) */
#define AMD_GLOBAL_STATUS	0xc0000300
#define AMD_GLOBAL_CTRL		0xc0000301

#define REGISTERS_CPUS	8
#define REGISTERS_MAX	96

struct registers {
	unsigned int nr;
	uint32_t address[REGISTERS_MAX];
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

static inline void registers_list_escrs(struct registers *registers, const struct pmc_query *query)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(netburst_escrs); i++) {
		uint32_t escr = netburst_escrs[i];

		if (query->cpu_model < 3 || (escr != MSR_IQ_ESCR0 && escr != MSR_IQ_ESCR1))
			registers->address[registers->nr++] = escr;
	}
}

static inline uint32_t global_ctrl(void)
{
	return is_amd() ? AMD_GLOBAL_CTRL : IA32_GLOBAL_CTRL;
}

static inline void registers_list(struct registers *registers, const struct pmc_query *query)
{
	unsigned int i;

	registers->nr = 0;
	if (query->family == PMC_FAMILY_NETBURST)
		registers_list_escrs(registers, query);
	for (i = 0; i < 64; i++) {
		if (query->general_counters & 1ULL << i) {
			registers->address[registers->nr++] = msr_counter(query, i);
			registers->address[registers->nr++] = msr_select(query, i);
		}
		if (query->fixed_counters & 1ULL << i)
			registers->address[registers->nr++] = msr_fixed(query, i);
	}
	if (query->features & PMC_FEATURE(METRICS))
		registers->address[registers->nr++] = MSR_PERF_METRICS;
	if (query->features & PMC_FEATURE(GLOBAL_CTRL)) {
		if (!is_amd())
			registers->address[registers->nr++] = IA32_FIXED_CTR_CTRL;
		registers->address[registers->nr++] = is_amd() ? AMD_GLOBAL_STATUS :
								 IA32_GLOBAL_STATUS;
		registers->address[registers->nr++] = global_ctrl();
	}
}

/* Everything that there is, in user and kernel mode, on every CPU. */
static inline int claim_all(int fd, const struct pmc_query *query)
{
	struct setup setup;
	unsigned int i;

	setup_all_cpus(&setup);
	setup_add_all(&setup, query, EVENT_BRANCHES, PMC_COUNT_USER | PMC_COUNT_KERNEL);
	for (i = 0; i < 16; i++) {
		if (query->fixed_counters & 1ULL << i) {
			setup_add(&setup, PMC_COUNTER_FIXED(i), 0,
				  PMC_COUNT_USER | PMC_COUNT_KERNEL);
		}
	}
	return setup_configure(fd, &setup);
}

#endif /* SELFTESTS_REGISTERS_H */
