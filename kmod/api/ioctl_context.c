// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ioctls that configure and control a file's context
 *
 * CONFIGURE, START, STOP, RESET, WRITE, STATISTICS, RELEASE. Owns no data. Context: task
 * context with the file's lock held.
 */
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/uaccess.h>

#include "api/context.h"
#include "api/file.h"
#include "api/ioctl_context.h"
#include "api/user_copy.h"
#include "pmu/perf_metrics.h"
#include "pmu/pmu.h"
#include "sampling/pmi.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "target/context_types.h"
#include "target/scope_types.h"

/* The last field of each structure that a caller must supply */
#define PMC_CONFIG_SIZE_MIN	offsetofend(struct pmc_config, counter_size)
#define PMC_ENTRY_SIZE_MIN	offsetofend(struct pmc_counter_config, initial)
#define PMC_WRITE_SIZE_MIN	offsetofend(struct pmc_write, values)
#define PMC_STATISTICS_SIZE_MIN	offsetofend(struct pmc_statistics, flags)

static int pmc_copy_in_counters(struct pmc_counter_config *counters, struct pmc_config *config)
{
	const void __user *from = u64_to_user_ptr(config->counters);
	u32 i;
	int err;

	if (!pmc_is_address(config->counters))
		return -EFAULT;
	for (i = 0; i < config->nr_counters; i++) {
		err = pmc_copy_in(&counters[i], sizeof(counters[i]), PMC_ENTRY_SIZE_MIN,
				  from + (size_t)i * config->counter_size,
				  config->counter_size);
		if (err) {
			config->failed_entry = err == -EFAULT || err == -E2BIG ?
					       i : PMC_ENTRY_NONE;
			return err;
		}
	}
	return 0;
}

static int pmc_configure(struct pmc_file *file, struct pmc_config *config)
{
	struct pmc_counter_config *counters;
	int err;

	if (file->context)
		return -EBADFD;
	if (!config->nr_counters)
		return -EINVAL;
	if (config->nr_counters > PMC_COUNTERS_MAX)
		return -ENOSPC;
	counters = kcalloc(config->nr_counters, sizeof(*counters), GFP_KERNEL_ACCOUNT);
	if (!counters)
		return -ENOMEM;
	err = pmc_copy_in_counters(counters, config);
	if (!err)
		err = pmc_file_configure(file, config, counters);
	kfree(counters);
	return err;
}

static noinline_for_stack int pmc_ioctl_configure(struct pmc_file *file, void __user *argument)
{
	struct pmc_config config;
	int err, copied;

	err = pmc_copy_in_sized(&config, sizeof(config), PMC_CONFIG_SIZE_MIN, argument);
	if (err)
		return err;
	config.failed_entry = PMC_ENTRY_NONE;
	config.refused_bits = 0;
	config.context = 0;
	config.failed_cpu = -1;
	memset(&config.holder, 0, sizeof(config.holder));

	err = pmc_configure(file, &config);
	copied = pmc_copy_out(argument, &config, sizeof(config));
	if (!err && copied)
		pmc_file_release(file);
	return err ? err : copied;
}

static noinline_for_stack int pmc_ioctl_write(struct pmc_context *context, void __user *argument)
{
	u64 values[PMC_COUNTERS_MAX];
	struct pmc_write request;
	int err;

	err = pmc_copy_in_sized(&request, sizeof(request), PMC_WRITE_SIZE_MIN, argument);
	if (err)
		return err;
	if (!context)
		return -EBADFD;
	if (request.flags || request.reserved || request.nr_counters != context->program->nr)
		return -EINVAL;
	if (!pmc_is_address(request.values) ||
	    copy_from_user(values, u64_to_user_ptr(request.values),
			   request.nr_counters * sizeof(values[0])))
		return -EFAULT;
	if (!pmc_perf_metrics_values_valid(context->program, values))
		return -EINVAL;
	pmc_context_set_base(context, values);
	return 0;
}

static int pmc_ioctl_statistics(const struct pmc_context *context, void __user *argument)
{
	struct pmc_statistics request, statistics = {};
	int err;

	err = pmc_copy_in_sized(&request, sizeof(request), PMC_STATISTICS_SIZE_MIN, argument);
	if (err)
		return err;
	if (request.flags)
		return -EINVAL;
	if (!context || !context->sampling)
		return -EBADFD;
	statistics.size = request.size;
	pmc_rings_statistics(context->sampling->rings, &statistics);
	statistics.spurious = pmc_pmi_spurious();
	statistics.storms = pmc_pmi_storms();
	return pmc_copy_out(argument, &statistics, sizeof(statistics));
}

/* The ioctls that have no argument; the file has a context. */
static int pmc_ioctl_control(struct pmc_file *file, unsigned int command)
{
	struct pmc_context *context = file->context;

	switch (command) {
	case PMC_IOC_START:
		return context->ops->start(context);
	case PMC_IOC_STOP:
		context->ops->stop(context);
		return 0;
	case PMC_IOC_RESET:
		pmc_context_set_base(context, NULL);
		return 0;
	case PMC_IOC_RELEASE:
		pmc_file_release(file);
		return 0;
	}
	return -ENOTTY;
}

/**
 * pmc_ioctl_context - an ioctl that configures or controls the file's context
 * @file:	its lock is held
 * @command:	one of those that ioctl.c passes on
 * @argument:	address of the command's structure; 0 for a command without one
 *
 * Return: as documented for the command in uapi/pmcdrv.h; -EBADFD if it needs a context and the
 * file has none.
 */
int pmc_ioctl_context(struct pmc_file *file, unsigned int command, unsigned long argument)
{
	void __user *user = (void __user *)argument;

	switch (command) {
	case PMC_IOC_CONFIGURE:
		return pmc_ioctl_configure(file, user);
	case PMC_IOC_WRITE:
		return pmc_ioctl_write(file->context, user);
	case PMC_IOC_STATISTICS:
		return pmc_ioctl_statistics(file->context, user);
	case PMC_IOC_START:
	case PMC_IOC_STOP:
	case PMC_IOC_RESET:
	case PMC_IOC_RELEASE:
		if (argument)
			return -EINVAL;
		return file->context ? pmc_ioctl_control(file, command) : -EBADFD;
	}
	return argument ? -EINVAL : -ENOTTY;
}
