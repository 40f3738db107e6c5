// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMC_IOC_READ, the general case; the fast path for self-monitoring is target/self.c
 *
 * Owns no data. The request is copied in and the reply is copied out by inline accesses
 * between user_access_begin() and user_access_end(): a function call for each part would
 * double the cost of reading. Context: task context with the file's lock held.
 */
#include <linux/cpumask.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "api/ioctl_read.h"
#include "pmu/pmu.h"
#include "sampling/pmi.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "target/context_types.h"
#include "target/read_reply.h"
#include "target/scope_types.h"
#include "target/snapshot.h"

/* Fetch the input fields. */
static int pmc_read_request(const struct pmc_read __user *from, struct pmc_read *request)
{
	if (!user_read_access_begin(from, sizeof(*from)))
		return -EFAULT;
	unsafe_get_user(request->size, &from->size, fault);
	unsafe_get_user(request->flags, &from->flags, fault);
	unsafe_get_user(request->cpu, &from->cpu, fault);
	unsafe_get_user(request->nr_counters, &from->nr_counters, fault);
	user_read_access_end();
	return 0;
fault:
	user_read_access_end();
	return -EFAULT;
}

static int pmc_check_read(const struct pmc_context *context, struct pmc_read *request)
{
	bool one_cpu = request->flags & PMC_READ_ONE_CPU;

	if (request->size < sizeof(*request) || request->flags & ~PMC_READ_ONE_CPU ||
	    request->nr_counters)
		return -EINVAL;
	if (!context)
		return -EBADFD;
	if (!one_cpu && request->cpu != PMC_CPU_ANY)
		return -EINVAL;
	if (one_cpu && (!context->ops->one_cpu || request->cpu < 0 ||
			request->cpu >= nr_cpu_ids || !cpu_possible(request->cpu)))
		return -EINVAL;
	if (one_cpu)
		request->cpu = array_index_nospec(request->cpu, nr_cpu_ids);
	return request->size < PMC_READ_SIZE(context->program->nr) ? -ENOSPC : 0;
}

static u64 pmc_read_overflows(const struct pmc_context *context, const struct pmc_read *request)
{
	if (!context->sampling)
		return 0;
	return pmc_rings_overflows(context->sampling->rings,
				   request->flags & PMC_READ_ONE_CPU ? request->cpu : -1);
}

static int pmc_read_answer(struct pmc_read __user *to, const struct pmc_read *request,
			   const struct pmc_context *context,
			   const struct pmc_snapshot *snapshot)
{
	u64 overflows = pmc_read_overflows(context, request);
	u32 i, nr = context->program->nr;

	if (!user_write_access_begin(to, PMC_READ_SIZE(nr)))
		return -EFAULT;
	if (!pmc_read_reply_put(to, snapshot->cpu, nr, snapshot->state, snapshot->tsc,
				snapshot->enabled, snapshot->counted, overflows))
		goto fault;
	for (i = 0; i < nr; i++) {
		u64 value = snapshot->value[i];

		/* WRITE sets the sum of all CPUs, not the count of one */
		if (!(request->flags & PMC_READ_ONE_CPU))
			value += context->base[i];
		unsafe_put_user(value, &to->value[i], fault);
	}
	user_write_access_end();
	return 0;
fault:
	user_write_access_end();
	return -EFAULT;
}

/**
 * pmc_ioctl_read - PMC_IOC_READ: all counts of a context at one moment
 * @context:	the file's, or NULL
 * @argument:	the request; receives the reply
 *
 * Return: 0, -EBADFD (no context), -ENOSPC (no room for the values), -EINVAL, -EFAULT.
 */
int pmc_ioctl_read(struct pmc_context *context, struct pmc_read __user *argument)
{
	/* only nr entries are used: clearing all of it would be slow */
	struct pmc_snapshot snapshot __uninitialized;
	struct pmc_read request;
	int err;

	err = pmc_read_request(argument, &request);
	if (err)
		return err;
	err = pmc_check_read(context, &request);
	if (err)
		return err;
	pmc_snapshot_begin(&snapshot, request.cpu, context->program->nr);
	context->ops->snapshot(context, &snapshot);
	if (context->sampling)
		snapshot.state |= pmc_pmi_state(context->cpu);
	return pmc_read_answer(argument, &request, context, &snapshot);
}
