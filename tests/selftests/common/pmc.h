/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ABI of /dev/pmc in short functions, and child processes to count
 *
 * Nothing here checks results; the tests do.
 */
#ifndef SELFTESTS_PMC_H
#define SELFTESTS_PMC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

#include "pmcdrv.h"

/*
 * The harness's default is meant for hardware: a test that claims and releases counters a
 * hundred times waits for as many grace periods.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	900

/*
 * The counted events, by the numbers of the architectural events (SDM Volume 3B). setup_add()
 * replaces them with the event selects of the processor's family.
 */
#define EVENT_INSTRUCTIONS	0x00c0
#define EVENT_BRANCHES		0x00c4
/* AMD's own number; the one for instructions is the same (libpfm4's lists). */
#define EVENT_BRANCHES_AMD	0x00c2
/* Instructions with the highest field of the event select set: counts nothing */
#define EVENT_IMPOSSIBLE	0xff0000c0

/* Fixed counter 0 counts instructions retired. */
#define FIXED_INSTRUCTIONS	PMC_COUNTER_FIXED(0)

/* IA32_PERFEVTSEL0, IA32_PMC0, and the Pentium's CESR, CTR0 (SDM Volume 4) */
#define MSR_SELECT0		0x186
#define MSR_COUNTER0		0x0c1
#define MSR_FIXED0		0x309

/*
 * The same from perfmon version 6 on: IA32_PMC_GP0_CFG_A, _CTR, IA32_PMC_FX0_CTR, with a stride
 * of 4
 */
#define MSR_V6_SELECT0		0x1901
#define MSR_V6_COUNTER0		0x1900
#define MSR_V6_FIXED0		0x1980
#define MSR_V6_STEP		4
#define MSR_CESR		0x11
#define MSR_CTR0		0x12

/* NetBurst's first counter and CCCR */
#define MSR_BPU_COUNTER0	0x300
#define MSR_CCCR0		0x360

#define USER_NOBODY		65534

/** struct setup - a PMC_IOC_CONFIGURE in preparation */
struct setup {
	struct pmc_config config;
	struct pmc_counter_config counter[PMC_COUNTERS_MAX + 1];
};

/** struct reading - a PMC_IOC_READ with room for all values */
struct reading {
	__u32 size;
	__u32 flags;
	__s32 cpu;
	__u32 nr_counters;
	__u32 state;
	__u32 reserved;
	__aligned_u64 tsc;
	__aligned_u64 time_enabled;
	__aligned_u64 time_counted;
	__aligned_u64 overflows;
	__aligned_u64 reserved2;
	__aligned_u64 value[PMC_COUNTERS_MAX];
};

_Static_assert(offsetof(struct reading, value) == sizeof(struct pmc_read),
	       "struct reading begins like struct pmc_read");

#define PROGRAMS_MAX	32
#define WORDS_MAX	16

/** struct program - a line of the table of measured programs */
struct program {
	uint64_t instructions;
	uint64_t branches;
	char *argv[WORDS_MAX + 1];
};

/** struct child - a process that waits for a byte before it continues */
struct child {
	pid_t pid;
	int go;
};

int pmc_open(void);
int pmc_call(int fd, unsigned int command, void *argument);

int pmc_query(int cpu, struct pmc_query *query);
int pmc_describe(int cpu, uint32_t counter, struct pmc_counter *answer);
bool is_netburst(void);
unsigned int least_period(void);
bool is_amd(void);
bool amd_has_extension(void);
void counters_described(uint64_t *general, uint64_t *fixed);

uint64_t event_select(uint64_t event);
uint64_t netburst_select(uint64_t event);

uint32_t msr_select(const struct pmc_query *query, unsigned int counter);
uint32_t msr_counter(const struct pmc_query *query, unsigned int counter);
uint32_t msr_fixed(const struct pmc_query *query, unsigned int counter);

void setup_thread(struct setup *setup, pid_t tid, uint32_t flags);
void setup_cpu(struct setup *setup, int cpu);
void setup_all_cpus(struct setup *setup);
void setup_add(struct setup *setup, uint32_t counter, uint64_t event, uint32_t flags);
unsigned int last_general(const struct pmc_query *query);
void setup_add_all(struct setup *setup, const struct pmc_query *query, uint64_t event,
		   uint32_t flags);
void setup_thread_one(struct setup *setup, pid_t tid, uint32_t flags);
void setup_thread_all(struct setup *setup, const struct pmc_query *query, pid_t tid,
		      uint32_t flags);
void setup_cpu_one(struct setup *setup, int cpu);
void setup_cpu_all(struct setup *setup, const struct pmc_query *query, int cpu);
void setup_all_cpus_one(struct setup *setup);
void setup_all_cpus_all(struct setup *setup, const struct pmc_query *query);
void setup_place(struct setup *setup);
int setup_configure(int fd, struct setup *setup);
uint32_t counter_placed(uint32_t counter);
bool setup_counts(const struct setup *setup, unsigned int entry, uint64_t event);

void reading_init(struct reading *reading);
int reading_read(int fd, struct reading *reading);
int reading_read_cpu(int fd, int cpu, struct reading *reading);

int programs_load(struct program *programs);
const struct program *program_named(const char *command);
uint64_t program_count(const struct program *program, uint64_t event);

int child_program(struct child *child, const struct program *program);
int child_counted(struct child *child, const struct program *program, struct setup *setup,
		  const struct pmc_query *query, uint64_t event);
__attribute__((noreturn)) void spin_forever(void);
int child_spin(struct child *child);
int child_go(struct child *child);
int child_wait(struct child *child);
int child_run(struct child *child);
void child_kill(struct child *child);

int pin(pid_t pid, int cpu);
int cpus_online(void);
int cpus_present(void);
bool linux_is_from(unsigned int major, unsigned int minor);
bool reading_missed_offline(const struct reading *reading);
int schedule_as(pid_t pid, int policy);
int file_read(const char *path, char *text, size_t size);
int file_write(const char *path, const char *text);
const char *perfs_rdpmc(void);
int run_pmcctl(const char *arguments, char *text, size_t size);

/*
 * How many times longer than usual a sample or a signal takes in this debug kernel
 * (PMCDRV_SLOW, an odd number). Periods have to be as many times longer, or they are throttled.
 */
static inline uint64_t slowness(void)
{
	const char *slow = getenv("PMCDRV_SLOW");

	return slow ? strtoul(slow, NULL, 10) : 1;
}

#endif /* SELFTESTS_PMC_H */
