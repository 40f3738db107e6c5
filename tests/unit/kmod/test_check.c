// SPDX-License-Identifier: GPL-2.0-only
/* Tests of check.c: which requests are valid, what a refusal names, and what needs rights */
#include "unit.h"

#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/security.h>

#include "api/check.h"
#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"
#include "pmu/pmu_type.h"
#include "sampling/sample_config.h"
#include "target/access.h"
#include "target/scope.h"

#define P_CORE		0x40000001
#define E_CORE		0x20000002
/* The event that counts the sibling thread, and one that a CPU refuses */
#define SIBLING		0x0100
#define REFUSED		0x0200
/* The counter that one PMU type lacks */
#define LACKING		5

DEFINE_PER_CPU(struct pmc_pmu, pmc_pmus);

static struct pmc_config config;
static struct pmc_counter_config counters[3];
static struct pmc_scope_ops ops;
static bool samples, privileged;
static int checked[TEST_CPUS], scope_error, metrics_error, sample_result, lockdown, paranoid;
static u32 types_asked;

bool perfmon_capable(void)
{
	return privileged;
}

int security_locked_down(enum lockdown_reason reason)
{
	assert_int_equal(LOCKDOWN_PERF, reason);
	return lockdown;
}

int pmc_may_count(void)
{
	return paranoid;
}

static int check_scope(struct pmc_config *request)
{
	assert_ptr_equal(&config, request);
	return scope_error;
}

const struct pmc_scope_ops *pmc_scope_find(u32 scope)
{
	return scope == PMC_SCOPE_ALL_CPUS ? &ops : NULL;
}

int pmc_perf_metrics_check(struct pmc_config *request, const struct pmc_counter_config *entries)
{
	assert_ptr_equal(&config, request);
	assert_ptr_equal(counters, entries);
	return metrics_error;
}

int pmc_sample_config_check(const struct pmc_config *request,
			    const struct pmc_counter_config *entries)
{
	assert_ptr_equal(&config, request);
	assert_ptr_equal(counters, entries);
	return sample_result;
}

static int check_counter(const struct pmc_query *query, const struct pmc_counter_config *counter,
			 u64 *refused)
{
	checked[query->cpu]++;
	if (counter->event_select == REFUSED && query->cpu == 2) {
		*refused = REFUSED;
		return -EDOM;
	}
	return 0;
}

/* It is an event of the sibling thread on P-cores alone. */
static bool sibling(const struct pmc_query *query, const struct pmc_counter_config *counter)
{
	return query->core_type == P_CORE && counter->event_select == SIBLING;
}

static const struct pmc_family family = { .check = check_counter, .sibling = sibling };

bool pmc_pmu_types_have(const struct pmc_family *asked, u32 counter)
{
	assert_ptr_equal(&family, asked);
	types_asked++;
	return counter != LACKING;
}

/* CPUs 0 and 1 are P-cores, CPU 2 is an E-core, CPU 3 is offline and has no counters. */
static int set_up(void **state)
{
	int cpu;

	cpus_possible.bits = 0xf;
	cpus_online.bits = 0x7;
	memset(pmc_pmus, 0, sizeof(pmc_pmus));
	for (cpu = 0; cpu < 3; cpu++) {
		pmc_pmus[cpu].description.family = &family;
		pmc_pmus[cpu].description.query.cpu = cpu;
		pmc_pmus[cpu].description.query.core_type = cpu < 2 ? P_CORE : E_CORE;
	}
	memset(checked, 0, sizeof(checked));
	memset(counters, 0, sizeof(counters));
	counters[0].counter = PMC_COUNTER_GENERAL(0);
	counters[1].counter = PMC_COUNTER_GENERAL(1);
	counters[2].counter = PMC_COUNTER_FIXED(0);
	for (cpu = 0; cpu < 3; cpu++)
		counters[cpu].flags = PMC_COUNT_USER;
	config = (struct pmc_config){ .scope = PMC_SCOPE_ALL_CPUS, .cpu = PMC_CPU_ANY,
		.nr_counters = 3, .failed_entry = 77, .failed_cpu = -1 };
	ops = (struct pmc_scope_ops){ .scope = PMC_SCOPE_ALL_CPUS, .check = check_scope,
		.flags = PMC_CONFIG_USER_READ };
	privileged = false;
	samples = false;
	scope_error = 0;
	metrics_error = 0;
	sample_result = 0;
	lockdown = 0;
	paranoid = 0;
	types_asked = 0;
	return 0;
}

static int check(void)
{
	return pmc_config_check(&config, counters, &samples);
}

/* A refusal that names an entry, and perhaps a CPU */
static void is_refused(int err, u32 entry, s32 cpu)
{
	assert_int_equal(err, check());
	assert_int_equal(entry, config.failed_entry);
	assert_int_equal(cpu, config.failed_cpu);
	assert_false(samples);
}

static void is_valid(void)
{
	assert_int_equal(0, check());
	assert_int_equal(PMC_ENTRY_NONE, config.failed_entry);
	assert_int_equal(-1, config.failed_cpu);
	assert_int_equal(0, config.refused_bits);
}

static void valid(void **state)
{
	is_valid();
	assert_false(samples);
	assert_int_equal(3, checked[0]);
	assert_int_equal(3, checked[1]);
	assert_int_equal(3, checked[2]);
	assert_int_equal(0, checked[3]);
	assert_int_equal(0, types_asked);
}

/* The request alone: no entry was looked at. */
static void scopes(void **state)
{
	config.scope = PMC_SCOPE_CPU;
	is_refused(-EINVAL, 77, -1);
	config.scope = PMC_SCOPE_ALL_CPUS;
	config.flags = PMC_CONFIG_ON_EXEC;
	is_refused(-EINVAL, 77, -1);
	config.flags = PMC_CONFIG_ON_EXEC | PMC_CONFIG_USER_READ;
	is_refused(-EINVAL, 77, -1);
	config.flags = 0;
	config.reserved = 1;
	is_refused(-EINVAL, 77, -1);
	config.reserved = 0;
	scope_error = -ESRCH;
	is_refused(-ESRCH, 77, -1);
	assert_int_equal(0, checked[0]);
	scope_error = 0;
	is_valid();
}

/* Bits 31:24 are the core type, bits 23:0 the native model. */
static void core_types(void **state)
{
	config.core_type = 0x00ffffff;
	is_refused(-EINVAL, 77, -1);
	config.core_type = 1;
	is_refused(-EINVAL, 77, -1);
	config.core_type = 0x40000000;
	is_valid();
	assert_int_equal(3, checked[0]);
	assert_int_equal(3, checked[1]);
	assert_int_equal(0, checked[2]);
	config.core_type = E_CORE;
	is_valid();
	assert_int_equal(3, checked[0]);
	assert_int_equal(3, checked[2]);
	/* no CPU can count it */
	config.core_type = 0x20000001;
	is_refused(-ENODEV, 0, -1);
}

static void included_cpus(void **state)
{
	assert_true(pmc_config_includes_cpu(&config, 0));
	assert_true(pmc_config_includes_cpu(&config, 2));
	config.cpu = 2;
	assert_false(pmc_config_includes_cpu(&config, 1));
	assert_true(pmc_config_includes_cpu(&config, 2));
	config.core_type = P_CORE;
	assert_false(pmc_config_includes_cpu(&config, 2));
	config.cpu = PMC_CPU_ANY;
	assert_true(pmc_config_includes_cpu(&config, 1));
	assert_false(pmc_config_includes_cpu(&config, 2));
}

static void one_cpu(void **state)
{
	config.cpu = 1;
	is_valid();
	assert_int_equal(0, checked[0]);
	assert_int_equal(3, checked[1]);
	assert_int_equal(0, checked[2]);
	/* an offline CPU */
	config.cpu = 3;
	is_refused(-ENODEV, 0, -1);
}

static void counter_flags(void **state)
{
	counters[1].flags = 0;
	is_refused(-EINVAL, 1, -1);
	counters[1].flags = PMC_COUNT_USER | 1 << 2;
	is_refused(-EINVAL, 1, -1);
	counters[1].flags = 1U << 31;
	is_refused(-EINVAL, 1, -1);
	counters[1].flags = PMC_COUNT_USER;
	counters[1].reserved = 1;
	is_refused(-EINVAL, 1, -1);
	assert_int_equal(4, checked[0]);
	counters[1].reserved = 0;
	is_valid();
	privileged = true;
	counters[1].flags = PMC_COUNT_KERNEL;
	is_valid();
	counters[1].flags = PMC_COUNT_USER | PMC_COUNT_KERNEL;
	is_valid();
}

/* A context has each counter at most once: the later entry is reported. */
static void same_counters(void **state)
{
	counters[2].counter = counters[1].counter;
	is_refused(-EINVAL, 2, -1);
	counters[2].counter = counters[0].counter;
	is_refused(-EINVAL, 2, -1);
	counters[1].counter = counters[0].counter;
	is_refused(-EINVAL, 1, -1);
	/* entries after the last do not matter */
	config.nr_counters = 1;
	is_valid();
}

static void refused_event(void **state)
{
	counters[1].event_select = REFUSED;
	is_refused(-EDOM, 1, 2);
	assert_int_equal(REFUSED, config.refused_bits);
	assert_int_equal(2, checked[0]);
}

static void cpu_without_counters(void **state)
{
	pmc_pmus[1].description.family = NULL;
	is_refused(-ENODEV, 0, 1);
	assert_int_equal(1, checked[0]);
	assert_int_equal(0, checked[2]);
}

static void kernel_mode(void **state)
{
	counters[1].flags = PMC_COUNT_KERNEL;
	is_refused(-EACCES, 1, -1);
	/* all entries were checked before */
	assert_int_equal(3, checked[0]);
	privileged = true;
	is_valid();
	lockdown = -EPERM;
	is_refused(-EPERM, 1, -1);
	/* user mode alone is not locked down */
	counters[1].flags = PMC_COUNT_USER;
	is_valid();
}

static void sibling_thread(void **state)
{
	counters[2].event_select = SIBLING;
	is_refused(-EACCES, 2, -1);
	privileged = true;
	lockdown = -EPERM;
	is_valid();
	/* on an E-core it is another event */
	privileged = false;
	config.core_type = E_CORE;
	is_valid();
	config.core_type = 0;
	config.cpu = 2;
	is_valid();
	config.cpu = 1;
	is_refused(-EACCES, 2, -1);
}

/* RDPMC would fault on a CPU without the counter. */
static void user_read(void **state)
{
	config.flags = PMC_CONFIG_USER_READ;
	is_valid();
	assert_int_equal(3, types_asked);
	counters[1].counter = LACKING;
	types_asked = 0;
	is_refused(-EXDEV, 1, -1);
	assert_int_equal(2, types_asked);
	config.flags = 0;
	is_valid();
	/* a CPU that cannot count it, because it is of another core type */
	counters[1].counter = PMC_COUNTER_GENERAL(1);
	config.flags = PMC_CONFIG_USER_READ;
	config.core_type = P_CORE;
	pmc_pmus[2].description.family = NULL;
	is_refused(-EXDEV, PMC_ENTRY_NONE, 2);
}

static void later_checks(void **state)
{
	metrics_error = -ERANGE;
	is_refused(-ERANGE, PMC_ENTRY_NONE, -1);
	/* perf metrics are checked first */
	config.flags = PMC_CONFIG_USER_READ;
	is_refused(-ERANGE, PMC_ENTRY_NONE, -1);
	assert_int_equal(0, types_asked);
	metrics_error = 0;
	sample_result = -EOPNOTSUPP;
	is_refused(-EOPNOTSUPP, PMC_ENTRY_NONE, -1);
	sample_result = 1;
	is_valid();
	assert_true(samples);
	sample_result = 0;
	is_valid();
	assert_false(samples);
}

static void rights(void **state)
{
	paranoid = -EACCES;
	is_refused(-EACCES, PMC_ENTRY_NONE, -1);
	paranoid = 0;
	ops.privileged = true;
	is_refused(-EACCES, PMC_ENTRY_NONE, -1);
	privileged = true;
	is_valid();
	paranoid = -EACCES;
	is_refused(-EACCES, PMC_ENTRY_NONE, -1);
}

#define TEST(name)	cmocka_unit_test_setup(name, set_up)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(valid), TEST(scopes), TEST(core_types), TEST(included_cpus), TEST(one_cpu),
		TEST(counter_flags), TEST(same_counters), TEST(refused_event),
		TEST(cpu_without_counters), TEST(kernel_mode), TEST(sibling_thread),
		TEST(user_read), TEST(later_checks), TEST(rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
