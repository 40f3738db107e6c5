// SPDX-License-Identifier: GPL-2.0-only
/*
 * Validation of a configuration request
 *
 * A request is valid if every online CPU that may count it can count all its counters, and
 * the caller has the permission. Nothing here depends on which counters are in use.
 *
 * Owns no data and takes no lock. Context: task context with cpus_read_lock() held, so the
 * descriptions of the CPUs are constant.
 */
#include <linux/bits.h>
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/security.h>

#include "api/check.h"
#include "pmu/core_type.h"
#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"
#include "pmu/pmu_type.h"
#include "sampling/pmi.h"
#include "sampling/sample_config.h"
#include "target/access.h"
#include "target/scope.h"

static const struct pmc_description *pmc_cpu_description(int cpu)
{
	return &per_cpu(pmc_pmus, cpu).description;
}

/**
 * pmc_config_includes_cpu - may a configuration count on a CPU?
 * @config:	request; its scope, cpu and core_type are valid
 * @cpu:	an online CPU
 */
bool pmc_config_includes_cpu(const struct pmc_config *config, int cpu)
{
	if (config->cpu != PMC_CPU_ANY && config->cpu != cpu)
		return false;
	return pmc_core_type_matches(config->core_type, &pmc_cpu_description(cpu)->query);
}

/* One counter on one CPU; *@refused are the refused bits of the event select. */
static int pmc_check_on_cpu(const struct pmc_counter_config *counter, int cpu, u64 *refused)
{
	const struct pmc_description *description = pmc_cpu_description(cpu);

	if (!description->family)
		return -ENODEV;
	return description->family->check(&description->query, counter, refused);
}

/* One counter on every CPU that may count it; -ENODEV if there is none. */
static int pmc_check_counter(struct pmc_config *config, const struct pmc_counter_config *counter)
{
	int cpu, err = -ENODEV;

	if (!counter->flags || counter->flags & ~(PMC_COUNT_USER | PMC_COUNT_KERNEL) ||
	    counter->reserved)
		return -EINVAL;
	for_each_online_cpu(cpu) {
		if (!pmc_config_includes_cpu(config, cpu))
			continue;
		err = pmc_check_on_cpu(counter, cpu, &config->refused_bits);
		if (err) {
			config->failed_cpu = cpu;
			break;
		}
	}
	return err;
}

/* Does it count the sibling thread? The event depends on the core type. */
static bool pmc_counts_sibling(const struct pmc_config *config,
			       const struct pmc_counter_config *counter)
{
	const struct pmc_description *description;
	int cpu;

	for_each_online_cpu(cpu) {
		/* with a family: pmc_check_counter() has checked each of them */
		description = pmc_cpu_description(cpu);
		if (pmc_config_includes_cpu(config, cpu) &&
		    description->family->sibling(&description->query, counter))
			return true;
	}
	return false;
}

/* Counting the kernel or the sibling thread exposes others: it needs CAP_PERFMON. */
static int pmc_check_access(const struct pmc_config *config,
			    const struct pmc_counter_config *counter)
{
	bool kernel = counter->flags & PMC_COUNT_KERNEL;

	if ((kernel || pmc_counts_sibling(config, counter)) && !perfmon_capable())
		return -EACCES;
	return kernel ? security_locked_down(LOCKDOWN_PERF) : 0;
}

static int pmc_check_counters(struct pmc_config *config,
			      const struct pmc_counter_config *counters)
{
	u32 i, j;
	int err;

	for (i = 0; i < config->nr_counters; i++) {
		config->failed_entry = i;
		for (j = 0; j < i; j++) {
			if (counters[j].counter == counters[i].counter)
				return -EINVAL;
		}
		err = pmc_check_counter(config, &counters[i]);
		if (err)
			return err;
	}
	for (i = 0; i < config->nr_counters; i++) {
		config->failed_entry = i;
		err = pmc_check_access(config, &counters[i]);
		if (err)
			return err;
	}
	config->failed_entry = PMC_ENTRY_NONE;
	return pmc_perf_metrics_check(config, counters);
}

/*
 * A thread can move to any CPU between its load of &pmc_page.sequence and RDPMC, which faults on a
 * CPU without the counter. (Without @core_type, the counters were checked on all online CPUs.)
 */
static int pmc_check_user_read(struct pmc_config *config,
			       const struct pmc_counter_config *counters)
{
	const struct pmc_family *family = NULL;
	int cpu;
	u32 i;

	if (!(config->flags & PMC_CONFIG_USER_READ))
		return 0;
	for_each_online_cpu(cpu) {
		family = pmc_cpu_description(cpu)->family;
		if (!family) {
			config->failed_cpu = cpu;
			return -EXDEV;
		}
	}
	for (i = 0; i < config->nr_counters; i++) {
		if (!pmc_pmu_types_have(family, counters[i].counter)) {
			config->failed_entry = i;
			return -EXDEV;
		}
	}
	return 0;
}

static int pmc_check_scope(struct pmc_config *config, const struct pmc_scope_ops *ops)
{
	if (!ops)
		return -EINVAL;
	/* a model number without a core type */
	if (config->core_type && !(config->core_type & ~PMC_CORE_TYPE_MODEL))
		return -EINVAL;
	if (config->flags & ~ops->flags || config->reserved)
		return -EINVAL;
	return ops->check(config);
}

/**
 * pmc_config_check - validate a request
 * @config:	the request; receives failed_entry, failed_cpu and refused_bits
 * @counters:	its counters
 * @samples:	set to true if a counter has a period
 *
 * Return: 0; an error as documented for PMC_IOC_CONFIGURE in the header.
 */
int pmc_config_check(struct pmc_config *config, const struct pmc_counter_config *counters,
		     bool *samples)
{
	const struct pmc_scope_ops *ops = pmc_scope_find(config->scope);
	int err;

	err = pmc_check_scope(config, ops);
	if (err)
		return err;
	err = pmc_check_counters(config, counters);
	if (!err)
		err = pmc_check_user_read(config, counters);
	if (err)
		return err;
	err = pmc_sample_config_check(config, counters);
	if (err < 0)
		return err;
	*samples = err;
	return ops->privileged && !perfmon_capable() ? -EACCES : pmc_may_count();
}
