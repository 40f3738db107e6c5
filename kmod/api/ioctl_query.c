// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctls that need no context: QUERY, COUNTER, TSC
 *
 * They do not take the file's lock. QUERY and COUNTER hold cpus_read_lock(), which keeps the
 * descriptions of the CPUs constant; COUNTER also takes pmc_claims_lock. TSC takes no lock.
 * Context: task context.
 */
#include <linux/cpu.h>
#include <linux/nospec.h>
#include <linux/smp.h>
#include <linux/stddef.h>
#include <asm/tsc.h>

#include "api/claim.h"
#include "api/ioctl_query.h"
#include "api/user_copy.h"
#include "pmu/pmu.h"

/* The end of the last input field of each structure: a caller must supply at least so much. */
#define PMC_QUERY_SIZE_MIN	offsetofend(struct pmc_query, flags)
#define PMC_COUNTER_SIZE_MIN	offsetofend(struct pmc_counter, flags)
#define PMC_TSC_SIZE_MIN	offsetofend(struct pmc_tsc, flags)

/* The CPU that the caller requests, or -EINVAL. cpus_read_lock() is held. */
static int pmc_requested_cpu(s32 cpu)
{
	if (cpu == PMC_CPU_ANY)
		return raw_smp_processor_id();
	if (cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	return array_index_nospec(cpu, nr_cpu_ids);
}

/**
 * pmc_ioctl_query - PMC_IOC_QUERY: describe a CPU and its counters
 * @argument:	struct pmc_query
 *
 * Return: 0, -EINVAL, -E2BIG, -EFAULT.
 */
int pmc_ioctl_query(void __user *argument)
{
	struct pmc_query query;
	u32 size;
	int cpu, err;

	err = pmc_copy_in_sized(&query, sizeof(query), PMC_QUERY_SIZE_MIN, argument);
	if (err)
		return err;
	if (query.flags)
		return -EINVAL;
	size = query.size;

	cpus_read_lock();
	cpu = pmc_requested_cpu(query.cpu);
	if (cpu >= 0)
		query = per_cpu(pmc_pmus, cpu).description.query;
	cpus_read_unlock();
	if (cpu < 0)
		return cpu;

	query.size = size;
	query.cpu = cpu;
	query.abi_version = PMC_ABI_VERSION;
	query.contexts = pmc_claims_count();
	return pmc_copy_out(argument, &query, sizeof(query));
}

static int pmc_describe_counter(struct pmc_counter *counter)
{
	const struct pmc_description *description;
	int cpu, err;
	u64 unused;

	cpu = pmc_requested_cpu(counter->cpu);
	if (cpu < 0)
		return cpu;
	description = &per_cpu(pmc_pmus, cpu).description;
	if (!description->family)
		return -ENODEV;
	counter->cpu = cpu;
	err = description->family->describe_counter(&description->query, counter->counter,
						    counter);
	if (!err)
		err = pmc_claim_holder(cpu, counter->counter, &counter->holder, &unused);
	return err;
}

/**
 * pmc_ioctl_counter - PMC_IOC_COUNTER: describe a counter and find its holder
 * @argument:	struct pmc_counter
 *
 * Return: 0, -ENODEV (no counters on this CPU), -ENXIO (no such counter), -EINVAL, -E2BIG,
 * -EFAULT.
 */
int pmc_ioctl_counter(void __user *argument)
{
	struct pmc_counter request, counter = {};
	int err;

	err = pmc_copy_in_sized(&request, sizeof(request), PMC_COUNTER_SIZE_MIN, argument);
	if (err)
		return err;
	if (request.flags)
		return -EINVAL;
	counter.size = request.size;
	counter.cpu = request.cpu;
	counter.counter = request.counter;

	cpus_read_lock();
	err = pmc_describe_counter(&counter);
	cpus_read_unlock();
	return err ? err : pmc_copy_out(argument, &counter, sizeof(counter));
}

/**
 * pmc_ioctl_tsc - PMC_IOC_TSC: read the time-stamp counter
 * @argument:	struct pmc_tsc
 *
 * Return: 0, -EOPNOTSUPP (no time-stamp counter), -EINVAL, -E2BIG, -EFAULT.
 */
int pmc_ioctl_tsc(void __user *argument)
{
	struct pmc_tsc tsc;
	int err;

	err = pmc_copy_in_sized(&tsc, sizeof(tsc), PMC_TSC_SIZE_MIN, argument);
	if (err)
		return err;
	if (tsc.flags)
		return -EINVAL;
	if (!boot_cpu_has(X86_FEATURE_TSC))
		return -EOPNOTSUPP;

	tsc.reserved = 0;
	tsc.cpu = get_cpu();
	tsc.tsc = rdtsc_ordered();
	put_cpu();
	return pmc_copy_out(argument, &tsc, sizeof(tsc));
}
