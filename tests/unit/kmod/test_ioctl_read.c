// SPDX-License-Identifier: GPL-2.0-only
/* Tests of ioctl_read.c: which requests READ refuses, and what the reply has */
#include "unit.h"

#include <linux/cpumask.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "api/ioctl_read.h"
#include "pmu/pmu.h"
#include "sampling/pmi.h"
#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "target/context_types.h"
#include "target/scope_types.h"
#include "target/snapshot.h"

/* 64 bytes without values, and two values */
#define SIZE	(64 + 16)

static const void *faulting; /* an address where accesses fault */
static int accesses, begun; /* begun: that access fails; counted from 1 */
static bool accessing;
static size_t size_begun;
static int wanted_cpu, overflows_of;
static struct pmc_sample_config sampling;
static struct pmc_program program;
static struct pmc_scope_ops ops;
static struct pmc_context *context;

static union {
	struct pmc_read read;
	u64 words[11];
} user;

bool user_access(const void *address)
{
	assert_true(accessing);
	return address != faulting;
}

bool user_access_begin(const void *address, size_t size)
{
	assert_ptr_equal(&user, address);
	assert_false(accessing);
	size_begun = size;
	accessing = ++accesses != begun;
	return accessing;
}

void user_access_end(void)
{
	assert_true(accessing);
	accessing = false;
}

u64 pmc_rings_overflows(const struct pmc_rings *rings, int cpu)
{
	assert_ptr_equal(&sampling, rings);
	overflows_of = cpu;
	return 321;
}

u32 pmc_pmi_state(int cpu)
{
	assert_int_equal(context->cpu, cpu);
	return PMC_STATE_STORM;
}

static void take_snapshot(struct pmc_context *asked, struct pmc_snapshot *snapshot)
{
	assert_ptr_equal(context, asked);
	assert_false(snapshot->clear_values);
	assert_false(snapshot->clear_times);
	assert_int_equal(0, snapshot->state);
	wanted_cpu = snapshot->cpu;
	snapshot->cpu = 1;
	snapshot->state = PMC_STATE_RUNNING;
	snapshot->tsc = 1000;
	snapshot->enabled = 700;
	snapshot->counted += 600;
	snapshot->value[0] += 10;
	snapshot->value[1] += 20;
}

/* CPUs 0 and 2 are possible. The context has two counters, and counts all CPUs. */
static int set_up(void **state)
{
	cpus_possible.bits = 5;
	faulting = NULL;
	accesses = 0;
	begun = 0;
	accessing = false;
	wanted_cpu = 77;
	overflows_of = 77;
	program = (struct pmc_program){ .nr = 2 };
	sampling.rings = (void *)&sampling;
	ops = (struct pmc_scope_ops){ .one_cpu = true, .snapshot = take_snapshot };
	context = calloc(1, sizeof(*context) + 2 * sizeof(context->base[0]));
	assert_non_null(context);
	context->ops = &ops;
	context->program = &program;
	context->cpu = PMC_CPU_ANY;
	context->base[0] = 1000;
	context->base[1] = 2000;
	memset(&user, 0xff, sizeof(user));
	user.read.size = SIZE;
	user.read.flags = 0;
	user.read.cpu = PMC_CPU_ANY;
	user.read.nr_counters = 0;
	return 0;
}

static int tear_down(void **state)
{
	assert_false(accessing);
	free(context);
	return 0;
}

static void refused(int err)
{
	assert_int_equal(err, pmc_ioctl_read(context, &user.read));
	assert_int_equal(-1, (s32)user.read.state);
	assert_int_equal(77, wanted_cpu);
}

static void reply(void **state)
{
	assert_int_equal(0, pmc_ioctl_read(context, &user.read));
	assert_int_equal(-1, wanted_cpu);
	assert_int_equal(SIZE, size_begun);
	assert_int_equal(SIZE, user.read.size);
	assert_int_equal(0, user.read.flags);
	assert_int_equal(1, user.read.cpu);
	assert_int_equal(2, user.read.nr_counters);
	assert_int_equal(PMC_STATE_RUNNING, user.read.state);
	assert_int_equal(0, user.read.reserved);
	assert_int_equal(1000, user.read.tsc);
	assert_int_equal(700, user.read.time_enabled);
	assert_int_equal(600, user.read.time_counted);
	assert_int_equal(0, user.read.overflows);
	assert_int_equal(0, user.read.reserved2);
	assert_int_equal(1010, user.words[8]);
	assert_int_equal(2020, user.words[9]);
	/* no third value */
	assert_int_equal(-1, (s64)user.words[10]);
	assert_int_equal(77, overflows_of);
}

/* One CPU's counts: WRITE has set the sum of all */
static void reply_of_one_cpu(void **state)
{
	user.read.flags = PMC_READ_ONE_CPU;
	user.read.cpu = 2;
	safe_indices = 0;
	assert_int_equal(0, pmc_ioctl_read(context, &user.read));
	assert_int_equal(1, safe_indices);
	assert_int_equal(2, wanted_cpu);
	assert_int_equal(10, user.words[8]);
	assert_int_equal(20, user.words[9]);
}

static void reply_with_overflows(void **state)
{
	context->sampling = &sampling;
	assert_int_equal(0, pmc_ioctl_read(context, &user.read));
	assert_int_equal(321, user.read.overflows);
	assert_int_equal(-1, overflows_of);
	assert_int_equal(PMC_STATE_RUNNING | PMC_STATE_STORM, user.read.state);
	user.read.flags = PMC_READ_ONE_CPU;
	user.read.nr_counters = 0;
	user.read.cpu = 0;
	assert_int_equal(0, pmc_ioctl_read(context, &user.read));
	assert_int_equal(0, overflows_of);
}

static void sizes(void **state)
{
	user.read.size = 63;
	refused(-EINVAL);
	user.read.size = 64;
	refused(-ENOSPC);
	user.read.size = SIZE - 1;
	refused(-ENOSPC);
	user.read.size = SIZE + 1;
	assert_int_equal(0, pmc_ioctl_read(context, &user.read));
	assert_int_equal(SIZE, size_begun);
}

static void fields(void **state)
{
	user.read.flags = 1 << 1;
	refused(-EINVAL);
	user.read.flags = 0;
	user.read.nr_counters = 2;
	refused(-EINVAL);
	user.read.nr_counters = 0;
	user.read.cpu = 0;
	refused(-EINVAL);
	user.read.flags = PMC_READ_ONE_CPU;
	user.read.cpu = PMC_CPU_ANY;
	refused(-EINVAL);
	/* CPU 1 is not possible, 3 is beyond the last */
	user.read.cpu = 1;
	refused(-EINVAL);
	user.read.cpu = 3;
	refused(-EINVAL);
	user.read.cpu = 2;
	ops.one_cpu = false;
	refused(-EINVAL);
	ops.one_cpu = true;
	user.read.size = SIZE - 1;
	refused(-ENOSPC);
}

static void no_context(void **state)
{
	assert_int_equal(-EBADFD, pmc_ioctl_read(NULL, &user.read));
	/* a malformed request is refused before */
	user.read.nr_counters = 1;
	assert_int_equal(-EINVAL, pmc_ioctl_read(NULL, &user.read));
}

static void faults(void **state)
{
	const void *inputs[] = { &user.read.size, &user.read.flags, &user.read.cpu,
		&user.read.nr_counters };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(inputs); i++) {
		faulting = inputs[i];
		refused(-EFAULT);
	}
	faulting = NULL;
	accesses = 0;
	begun = 1;
	refused(-EFAULT);
	assert_int_equal(64, size_begun);
	accesses = 0;
	begun = 2;
	assert_int_equal(-EFAULT, pmc_ioctl_read(context, &user.read));
	assert_int_equal(-1, (s32)user.read.state);
	begun = 0;
	faulting = &user.read.reserved2;
	assert_int_equal(-EFAULT, pmc_ioctl_read(context, &user.read));
	assert_int_equal(-1, (s64)user.words[8]);
	user.read.cpu = PMC_CPU_ANY;
	user.read.nr_counters = 0;
	faulting = &user.read.value[1];
	assert_int_equal(-EFAULT, pmc_ioctl_read(context, &user.read));
	assert_int_equal(1010, user.words[8]);
	assert_int_equal(-1, (s64)user.words[9]);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(reply), TEST(reply_of_one_cpu), TEST(reply_with_overflows), TEST(sizes),
		TEST(fields), TEST(no_context), TEST(faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
