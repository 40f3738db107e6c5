// SPDX-License-Identifier: GPL-2.0-only
/* Tests of mmap_request.c: of which addresses a mapping is requested, and when all are forgotten */
#include "sampling.h"

#include <linux/irq_work.h>
#include <linux/sched.h>

#include "sampling/mmap_request.h"
#include "sampling/sampler_types.h"

static int mm[2];
static struct task_struct task;
struct task_struct *current = &task;
static struct pmc_sampler sampler;

bool irq_work_queue(struct irq_work *work)
{
	assert_ptr_equal(&pmc_pmus.pmi.work, work);
	call("work");
	return true;
}

/* A mapping at 0x1000 to 0x2fff is known in the last place, of current's address space. */
static int begin(void **state)
{
	calls[0] = '\0';
	task = (struct task_struct){ .mm = &mm[0], .tgid = 10, .self_exec_id = 1ULL << 40 };
	sampler = (struct pmc_sampler){ .map_mm = (void *)&mm[0], .map_tgid = 10,
		.map_exec = 1ULL << 40 };
	sampler.maps[PMC_SAMPLER_MAPS - 1].start = 0x1000;
	sampler.maps[PMC_SAMPLER_MAPS - 1].end = 0x3000;
	return 0;
}

static void known(void **state)
{
	u32 i;

	assert_false(pmc_mmap_is_known(&sampler, 0));
	assert_false(pmc_mmap_is_known(&sampler, 0xfff));
	assert_true(pmc_mmap_is_known(&sampler, 0x1000));
	assert_true(pmc_mmap_is_known(&sampler, 0x2fff));
	assert_false(pmc_mmap_is_known(&sampler, 0x3000));
	for (i = 0; i < PMC_SAMPLER_MAPS; i++) {
		memset(sampler.maps, 0, sizeof(sampler.maps));
		assert_false(pmc_mmap_is_known(&sampler, 0x1000));
		sampler.maps[i].start = 0x1000;
		sampler.maps[i].end = 0x1001;
		assert_true(pmc_mmap_is_known(&sampler, 0x1000));
	}
}

/* The mappings are another program's if the mm, the process or the number of execs differs. */
static void are_current(void **state)
{
	assert_true(pmc_mmaps_are_current(&sampler));
	task.mm = &mm[1];
	assert_false(pmc_mmaps_are_current(&sampler));
	task.mm = &mm[0];
	task.tgid = 11;
	assert_false(pmc_mmaps_are_current(&sampler));
	task.tgid = 10;
	task.self_exec_id++;
	assert_false(pmc_mmaps_are_current(&sampler));
}

/* The first frame of a call chain is the instruction pointer. */
static void request(void **state)
{
	static const u64 frames[] = { 0x5000, 0x1500, 0x6000, 0x7000 };

	pmc_mmap_request_all(&sampler, 0x1fff, frames, 0);
	expect_calls("");
	assert_int_equal(0, sampler.maps_wanted);
	pmc_mmap_request_all(&sampler, 0x1fff, frames, 1);
	expect_calls("");
	pmc_mmap_request_all(&sampler, 0x1fff, frames, 2);
	expect_calls("");
	pmc_mmap_request_all(&sampler, 0x4000, frames, 3);
	expect_calls("work;");
	assert_int_equal(2, sampler.maps_wanted);
	assert_int_equal(0x4000, sampler.map_wanted[0]);
	assert_int_equal(0x6000, sampler.map_wanted[1]);
	/* what is wanted stays so */
	pmc_mmap_request_all(&sampler, 0x1fff, frames, 0);
	expect_calls("work;");
	assert_int_equal(2, sampler.maps_wanted);
	assert_int_equal(0x3000, sampler.maps[PMC_SAMPLER_MAPS - 1].end);
}

static void request_too_many(void **state)
{
	u64 frames[12];
	u32 i;

	for (i = 0; i < 12; i++)
		frames[i] = 0x10000 * i;
	sampler.map_next = 55;
	pmc_mmap_request_all(&sampler, 0x4000, frames, 12);
	assert_int_equal(PMC_SAMPLER_MAPS, sampler.maps_wanted);
	for (i = 1; i < PMC_SAMPLER_MAPS; i++)
		assert_int_equal(0x10000 * i, sampler.map_wanted[i]);
	assert_int_equal(55, sampler.map_next);
}

/* Another program: what was known and wanted of the one before is forgotten. */
static void request_of_another(void **state)
{
	u32 i;

	sampler.maps_wanted = 3;
	sampler.maps[0].end = 0x100;
	task = (struct task_struct){ .mm = &mm[1], .tgid = 12, .self_exec_id = 5 };
	pmc_mmap_request_all(&sampler, 0x1500, NULL, 0);
	expect_calls("work;");
	assert_int_equal(1, sampler.maps_wanted);
	assert_int_equal(0x1500, sampler.map_wanted[0]);
	for (i = 0; i < PMC_SAMPLER_MAPS; i++) {
		assert_int_equal(0, sampler.maps[i].start);
		assert_int_equal(0, sampler.maps[i].end);
	}
	assert_true(pmc_mmaps_are_current(&sampler));
}

#define TEST(name)	cmocka_unit_test_setup(name, begin)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(known), TEST(are_current), TEST(request), TEST(request_too_many),
		TEST(request_of_another),
	};

	return cmocka_run_group_tests_name("mmap_request", tests, NULL, NULL);
}
