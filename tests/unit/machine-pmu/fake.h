/* SPDX-License-Identifier: GPL-2.0-only */
/* A fake emulator that provides CPUID only, for the unit tests of the PMU model */
#ifndef FAKE_H
#define FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pmu.h"

/* The tests do not use the state that cmocka passes; no other parameter should be unused. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

enum fake_model {
	PENRYN, LYNNFIELD, SANDY_BRIDGE, SKYLAKE_X, ICE_LAKE, SAPPHIRE_RAPIDS,
	NO_PERFMON, PENTIUM, PENTIUM_MMX, PENTIUM_II, PENTIUM_III, CORE_DUO,
	PENTIUM_AMD, WILLAMETTE, PRESCOTT, XEON_L3, ATHLON_XP, ATHLON_64, PHENOM,
	ZAMBEZI, RYZEN, RYZEN_GUEST, ARROW_LAKE, NEWER, ATOM, ARRANDALE, IVY_BRIDGE, HASWELL,
	BROADWELL, CANNON_LAKE, TIGER_LAKE, NMODELS
};

struct fake {
	enum fake_model model;
	struct pmu *pmu;
	struct pmu_cpu *c;		/* processor 0 */
	unsigned int pmis[4];
	bool halted[4];
	bool masked;
	unsigned int late;
	unsigned int wants;		/* calls of the want callback */
	struct pmu_debug debug;
	char error[512];
};

#define IA32_PMC0		0x0c1
#define IA32_PERFEVTSEL0	0x186
#define IA32_MISC_ENABLE	0x1a0
#define IA32_DEBUGCTL		0x1d9
#define IA32_FIXED_CTR0		0x309
#define IA32_PERF_CAPABILITIES	0x345
#define IA32_FIXED_CTR_CTRL	0x38d
#define GLOBAL_STATUS		0x38e
#define GLOBAL_CTRL		0x38f
#define GLOBAL_RESET		0x390
#define GLOBAL_SET		0x391
#define GLOBAL_INUSE		0x392
#define IA32_A_PMC0		0x4c1
#define PERF_METRICS		0x329
#define RDPMC_METRICS		0x20000000
#define PMC_GP(n)		(0x1900 + 4 * (n))
#define PMC_GP_CFG_A(n)		(0x1901 + 4 * (n))
#define PMC_FX(n)		(0x1980 + 4 * (n))

#define USR	(1ull << 16)
#define OS	(1ull << 17)
#define EDGE	(1ull << 18)
#define PC	(1ull << 19)
#define INT	(1ull << 20)
#define ANY	(1ull << 21)
#define EN	(1ull << 22)
#define INV	(1ull << 23)
#define CMASK(n) ((uint64_t)(n) << 24)
#define EQ	(1ull << 36)
#define UMASK2(n) ((uint64_t)(n) << 40)

#define CYCLES	0x003c
#define INSNS	0x00c0
#define BRANCHES 0x00c4
#define MISSES	0x00c5
#define LLC_REF	0x4f2e
#define LLC_MISS 0x412e
#define REF	0x013c
#define SLOTS	0x01a4

#define BIT(n)	(1ull << (n))
#define N(a)	(sizeof(a) / sizeof(*(a)))

/*
 * The head of a test with a struct fake *f. The function @name is for cmocka: for each model from
 * @first to @last it starts a PMU, runs the body, and stops it. TEST_EACH and TEST_ON have one
 * processor and no options.
 */
#define TEST_FROM(first, last, cpus, threads, options, name)		\
	static void name##_of(struct fake *f);				\
	static void name(void **state)					\
	{								\
		test_each(first, last, cpus, threads, options, name##_of); \
	}								\
	static void name##_of(struct fake *f)
#define TEST_EACH(first, last, name) TEST_FROM(first, last, 1, 1, NULL, name)
#define TEST_WITH(model, cpus, threads, options, name) \
	TEST_FROM(model, model, cpus, threads, options, name)
#define TEST_ON(model, name) TEST_EACH(model, model, name)

void test_each(enum fake_model first, enum fake_model last, unsigned int cpus,
	       unsigned int threads, const char *options, void (*test)(struct fake *f));

/* start() fails the test if the PMU cannot be created; try() returns NULL. */
void start(struct fake *f, enum fake_model model);
void start_with(struct fake *f, enum fake_model model, unsigned int cpus,
		unsigned int threads, const char *options);
struct pmu *try(struct fake *f, enum fake_model model, unsigned int cpus,
		unsigned int threads, const char *options);
void stop(struct fake *f);

/* The PMU cannot be created, and the message contains why. */
void refused(enum fake_model model, unsigned int cpus, unsigned int threads,
	     const char *options, const char *why);

/* Another PMU in place of f's */
void restart(struct fake *f, enum fake_model model);
void restart_with(struct fake *f, enum fake_model model, unsigned int cpus,
		  unsigned int threads, const char *options);

const char *fake_name(enum fake_model model);
unsigned int fake_version(enum fake_model model);
bool has_metrics(enum fake_model model);

/* Actions of a processor: of processor 0, or of c. */
void wr(struct fake *f, uint32_t msr, uint64_t value);
void wr_gp(struct fake *f, uint32_t msr, uint64_t value);
uint64_t rd(struct fake *f, uint32_t msr);
void rd_gp(struct fake *f, uint32_t msr);
void no_msr(struct fake *f, uint32_t msr);
uint64_t pmc(struct fake *f, uint32_t index);
void wr_on(struct pmu_cpu *c, uint32_t msr, uint64_t value);
uint64_t rd_on(struct pmu_cpu *c, uint32_t msr);
void run(struct pmu_cpu *c, unsigned int priv, unsigned int n);
void branch(struct pmu_cpu *c, unsigned int priv, enum pmu_prim kind);

void insn(struct fake *f, unsigned int priv, unsigned int classes);
void retire(struct fake *f, unsigned int priv);
void fetch(struct fake *f, uint64_t physical);
void data(struct fake *f, uint64_t addr, unsigned int size, unsigned int access);
void data_on(struct pmu_cpu *c, uint64_t addr, unsigned int size,
	     unsigned int access, bool cached);

/* Program general counter i with value 0, and enable it. */
void count_on(struct fake *f, unsigned int i, uint64_t select);

/* The same of another processor, with this select; enables the first four counters. */
void program_on(struct pmu_cpu *c, unsigned int i, uint64_t select);

/* Count 7 user instructions on general counter i after 3 of the kernel. */
uint64_t seven_on(struct fake *f, unsigned int i);

/* An overflow of general counter 0, with its interrupt */
void overflow_once(struct fake *f);

extern const struct CMUnitTest register_tests[], count_tests[],
	overflow_tests[], option_tests[], structure_tests[], p5_tests[],
	p6_tests[], p6_event_tests[], event_tests[], memory_tests[], list_tests[],
	netburst_tests[], netburst_thread_tests[], xeon_l3_tests[], amd_tests[],
	version_6_tests[], hybrid_tests[], reload_tests[], metrics_tests[], pipe_tests[],
	quirk_tests[], quirk_interrupt_tests[], quirk_guest_tests[], extra_register_tests[];
extern const size_t register_ntests, count_ntests, overflow_ntests,
	option_ntests, structure_ntests, p5_ntests, p6_ntests, p6_event_ntests, event_ntests,
	memory_ntests, list_ntests, netburst_ntests, netburst_thread_ntests,
	xeon_l3_ntests, amd_ntests, version_6_ntests, hybrid_ntests, reload_ntests,
	metrics_ntests, pipe_ntests, quirk_ntests, quirk_interrupt_ntests,
	quirk_guest_ntests, extra_register_ntests;

#endif /* FAKE_H */
