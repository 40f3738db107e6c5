// SPDX-License-Identifier: GPL-2.0-only
/* Tests of ioctl_query.c and user_copy.c: QUERY, COUNTER and TSC of callers with any size */
#include "unit.h"

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>

#include "api/claim.h"
#include "api/ioctl_query.h"
#include "api/user_copy.h"
#include "clock.h"
#include "pmu/pmu.h"

DEFINE_PER_CPU(struct pmc_pmu, pmc_pmus);

static const void *faulting; /* an address where accesses fault */
static int holder_error;

/* What user space has: room for a newer structure, and a page */
static union {
	struct pmc_query query;
	struct pmc_counter counter;
	struct pmc_tsc tsc;
	u8 bytes[PAGE_SIZE + 8];
} user;

bool user_access(const void *address)
{
	return address != faulting;
}

/* As the kernel's: missing fields are 0, unknown ones must be */
int copy_struct_from_user(void *to, size_t size, const void *from, size_t user_size)
{
	const u8 *bytes = from;
	size_t i;

	if (!user_access(from))
		return -EFAULT;
	for (i = size; i < user_size; i++) {
		if (bytes[i])
			return -E2BIG;
	}
	memset(to, 0, size);
	memcpy(to, from, user_size < size ? user_size : size);
	return 0;
}

unsigned long copy_to_user(void *to, const void *from, unsigned long size)
{
	if (!user_access((u8 *)to + size))
		return 1;
	memcpy(to, from, size);
	return 0;
}

u32 pmc_claims_count(void)
{
	return 17;
}

int pmc_claim_holder(int cpu, u32 counter, struct pmc_holder *holder, u64 *id)
{
	assert_int_equal(2, cpu);
	assert_int_equal(5, counter);
	assert_int_equal(1, cpus_locked);
	holder->pid = 99;
	*id = 1;
	return holder_error;
}

static int describe_counter(const struct pmc_query *query, u32 counter,
			    struct pmc_counter *answer)
{
	assert_ptr_equal(&pmc_pmus[2].description.query, query);
	if (counter != 5)
		return -ENXIO;
	answer->width = 48;
	return 0;
}

static const struct pmc_family family = { .describe_counter = describe_counter };

/* CPUs 0 and 2 are possible. */
static int set_up(void **state)
{
	int cpu;

	cpus_possible.bits = 5;
	this_cpu = 2;
	faulting = NULL;
	holder_error = 0;
	now = 12345;
	cpu_has_feature[X86_FEATURE_TSC] = true;
	memset(&user, 0, sizeof(user));
	memset(pmc_pmus, 0, sizeof(pmc_pmus));
	for (cpu = 0; cpu < TEST_CPUS; cpu++) {
		pmc_pmus[cpu].description.query.cpu_model = 0x50 + cpu;
		pmc_pmus[cpu].description.query.quirks = 7;
		pmc_pmus[cpu].description.query.cpu_stepping = 3;
	}
	pmc_pmus[2].description.family = &family;
	return 0;
}

static int tear_down(void **state)
{
	assert_int_equal(0, cpus_locked);
	return 0;
}

static void query_cpus(void **state)
{
	user.query = (struct pmc_query){ .size = sizeof(user.query), .cpu = 0 };
	safe_indices = 0;
	assert_int_equal(0, pmc_ioctl_query(&user));
	assert_int_equal(1, safe_indices);
	assert_int_equal(0x50, user.query.cpu_model);
	assert_int_equal(0, user.query.cpu);
	assert_int_equal(sizeof(user.query), user.query.size);
	assert_int_equal(7, PMC_ABI_VERSION);
	assert_int_equal(7, user.query.abi_version);
	assert_int_equal(17, user.query.contexts);
	assert_int_equal(7, user.query.quirks);
	user.query.cpu = PMC_CPU_ANY;
	assert_int_equal(0, pmc_ioctl_query(&user));
	assert_int_equal(0x52, user.query.cpu_model);
	assert_int_equal(2, user.query.cpu);
	user.query.cpu = 2;
	assert_int_equal(0, pmc_ioctl_query(&user));
	assert_int_equal(0x52, user.query.cpu_model);
	user.query.cpu = 1;
	assert_int_equal(-EINVAL, pmc_ioctl_query(&user));
	user.query.cpu = 3;
	assert_int_equal(-EINVAL, pmc_ioctl_query(&user));
	user.query.cpu = -2;
	assert_int_equal(-EINVAL, pmc_ioctl_query(&user));
	user.query.cpu = 0;
	user.query.flags = 1;
	assert_int_equal(-EINVAL, pmc_ioctl_query(&user));
	assert_int_equal(0x52, user.query.cpu_model);
}

/* The last input field ends after 12 bytes; what the caller does not know is not written. */
static void query_sizes(void **state)
{
	user.query.size = 11;
	assert_int_equal(-EINVAL, pmc_ioctl_query(&user));
	user.query.size = 0;
	assert_int_equal(-EINVAL, pmc_ioctl_query(&user));
	user.query.size = 12;
	assert_int_equal(0, pmc_ioctl_query(&user));
	assert_int_equal(12, user.query.size);
	assert_int_equal(0, user.query.abi_version);
	user.query.size = sizeof(user.query) - 8;
	assert_int_equal(0, pmc_ioctl_query(&user));
	assert_int_equal(7, user.query.abi_version);
	assert_int_equal(0, user.query.quirks);
	user.query.size = sizeof(user.query) + 8;
	user.bytes[sizeof(user.query) + 8] = 1;
	assert_int_equal(0, pmc_ioctl_query(&user));
	assert_int_equal(7, user.query.quirks);
	user.query.size++;
	assert_int_equal(-E2BIG, pmc_ioctl_query(&user));
	user.bytes[sizeof(user.query) + 8] = 0;
	user.query.size = PAGE_SIZE;
	assert_int_equal(0, pmc_ioctl_query(&user));
	user.query.size = PAGE_SIZE + 1;
	assert_int_equal(-E2BIG, pmc_ioctl_query(&user));
}

static void faults(void **state)
{
	user.query.size = 64;
	faulting = &user.query.size;
	assert_int_equal(-EFAULT, pmc_ioctl_query(&user));
	assert_int_equal(-EFAULT, pmc_ioctl_counter(&user));
	assert_int_equal(-EFAULT, pmc_ioctl_tsc(&user));
	assert_int_equal(-EFAULT, pmc_copy_in(&now, 8, 8, &user, 8));
	faulting = &user.bytes[64];
	assert_int_equal(-EFAULT, pmc_ioctl_query(&user));
	assert_int_equal(0, user.query.abi_version);
}

/* A structure that is too short or too long is not read. */
static void copied_in(void **state)
{
	u64 value = 5;

	user.bytes[0] = 9;
	assert_int_equal(-EINVAL, pmc_copy_in(&value, 8, 8, &user, 7));
	assert_int_equal(-E2BIG, pmc_copy_in(&value, 8, 8, &user, PAGE_SIZE + 1));
	assert_int_equal(5, value);
	assert_int_equal(0, pmc_copy_in(&value, 8, 8, &user, 8));
	assert_int_equal(9, value);
}

static void counters(void **state)
{
	user.counter = (struct pmc_counter){ .size = sizeof(user.counter), .cpu = PMC_CPU_ANY,
		.counter = 5, .reserved = 9, .rdpmc = 3 };
	assert_int_equal(0, pmc_ioctl_counter(&user));
	assert_int_equal(2, user.counter.cpu);
	assert_int_equal(5, user.counter.counter);
	assert_int_equal(48, user.counter.width);
	assert_int_equal(99, user.counter.holder.pid);
	assert_int_equal(sizeof(user.counter), user.counter.size);
	/* fields that are not input do not come back */
	assert_int_equal(0, user.counter.reserved);
	assert_int_equal(0, user.counter.rdpmc);
	user.counter.counter = 6;
	user.counter.width = 1;
	assert_int_equal(-ENXIO, pmc_ioctl_counter(&user));
	assert_int_equal(1, user.counter.width);
	user.counter.counter = 5;
	holder_error = -EINTR;
	assert_int_equal(-EINTR, pmc_ioctl_counter(&user));
	assert_int_equal(1, user.counter.width);
	user.counter.cpu = 0;
	assert_int_equal(-ENODEV, pmc_ioctl_counter(&user));
	user.counter.cpu = 1;
	assert_int_equal(-EINVAL, pmc_ioctl_counter(&user));
	user.counter.cpu = 2;
	user.counter.flags = 1;
	assert_int_equal(-EINVAL, pmc_ioctl_counter(&user));
}

/* The last input field ends after 16 bytes. */
static void counter_sizes(void **state)
{
	user.counter = (struct pmc_counter){ .size = 15, .cpu = 2, .counter = 5 };
	assert_int_equal(-EINVAL, pmc_ioctl_counter(&user));
	user.counter.size = 16;
	assert_int_equal(0, pmc_ioctl_counter(&user));
	assert_int_equal(0, user.counter.width);
	user.counter.size = 20;
	assert_int_equal(0, pmc_ioctl_counter(&user));
	assert_int_equal(48, user.counter.width);
	faulting = &user.bytes[20];
	assert_int_equal(-EFAULT, pmc_ioctl_counter(&user));
}

/* The last input field ends after 8 bytes. */
static void tsc(void **state)
{
	user.tsc = (struct pmc_tsc){ .size = 7 };
	assert_int_equal(-EINVAL, pmc_ioctl_tsc(&user));
	user.tsc.size = 8;
	assert_int_equal(0, pmc_ioctl_tsc(&user));
	assert_int_equal(0, user.tsc.cpu);
	user.tsc.size = 24;
	user.tsc.reserved = 5;
	assert_int_equal(0, pmc_ioctl_tsc(&user));
	assert_int_equal(12345, user.tsc.tsc);
	assert_int_equal(2, user.tsc.cpu);
	assert_int_equal(0, user.tsc.reserved);
	user.tsc.flags = 1;
	assert_int_equal(-EINVAL, pmc_ioctl_tsc(&user));
	user.tsc.flags = 0;
	cpu_has_feature[X86_FEATURE_TSC] = false;
	assert_int_equal(-EOPNOTSUPP, pmc_ioctl_tsc(&user));
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(query_cpus), TEST(query_sizes), TEST(faults), TEST(copied_in), TEST(counters),
		TEST(counter_sizes), TEST(tsc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
