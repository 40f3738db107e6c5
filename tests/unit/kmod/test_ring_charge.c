// SPDX-License-Identifier: GPL-2.0-only
/* Tests of ring_charge.c: the limit on a user's rings, on two CPUs, and what lifts it */
#include "sampling.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include "sampling/ring_charge.h"

/* The module parameter: by default 516 KiB for each CPU, 258 pages of two CPUs */
extern unsigned int *const param_ring_kb;

static struct user_struct user;
static struct cred cred = { .user = &user };
static unsigned long ram, memlock;
static bool permitted;
static struct pmc_ring_charge charge;

struct cred *get_current_cred(void)
{
	cred.refs++;
	return &cred;
}

void put_cred(const struct cred *of)
{
	assert_ptr_equal(&cred, of);
	cred.refs--;
}

unsigned long totalram_pages(void)
{
	return ram;
}

unsigned long rlimit(unsigned int limit)
{
	assert_int_equal(RLIMIT_MEMLOCK, limit);
	return memlock;
}

bool capable(int capability)
{
	assert_int_equal(CAP_IPC_LOCK, capability);
	return permitted;
}

static int begin(void **state)
{
	cpus_possible.bits = 3;
	user = (struct user_struct){};
	cred.refs = 0;
	charge = (struct pmc_ring_charge){};
	ram = 1000000;
	memlock = 0;
	permitted = false;
	*param_ring_kb = 516;
	return 0;
}

/* @pages are charged, on top of what the user has. */
static void expect_charged(unsigned long pages)
{
	unsigned long before = user.locked_vm.value;

	assert_int_equal(0, pmc_ring_charge(&charge, pages));
	assert_int_equal(before + pages, user.locked_vm.value);
	assert_int_equal(1, cred.refs);
	assert_ptr_equal(&cred, charge.cred);
	assert_int_equal(pages, charge.pages);
	pmc_ring_uncharge(&charge);
	pmc_ring_uncharge(&charge);
	assert_int_equal(before, user.locked_vm.value);
	assert_int_equal(0, cred.refs);
	assert_null(charge.cred);
}

static void expect_refused(unsigned long pages, int error)
{
	unsigned long before = user.locked_vm.value;

	assert_int_equal(error, pmc_ring_charge(&charge, pages));
	assert_int_equal(before, user.locked_vm.value);
	assert_int_equal(0, cred.refs);
	assert_null(charge.cred);
}

static void limit(void **state)
{
	expect_charged(258);
	expect_refused(259, -ENOBUFS);
	user.locked_vm.value = 8;
	expect_charged(250);
	expect_refused(251, -ENOBUFS);
	memlock = 3 * PAGE_SIZE - 1;
	expect_charged(252);
	expect_refused(253, -ENOBUFS);
	*param_ring_kb = 7;
	user.locked_vm.value = 0;
	expect_charged(4);
	expect_refused(5, -ENOBUFS);
}

static void permitted_more(void **state)
{
	permitted = true;
	expect_charged(250000);
	expect_refused(250001, -ENOMEM);
	ram = 7;
	expect_charged(1);
	expect_refused(2, -ENOMEM);
}

#define TEST(name)	cmocka_unit_test_setup(name, begin)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(limit), TEST(permitted_more),
	};

	/* first of all: begin() sets it */
	if (*param_ring_kb != 516)
		return 1;
	return cmocka_run_group_tests_name("ring_charge", tests, NULL, NULL);
}
