// SPDX-License-Identifier: GPL-2.0-only
/* Tests of task_table.c: each entry is found at any time, and the size of the table follows them */
#include "unit.h"

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "target/task_table.h"

/* More than a table of 2^20 buckets has room for: four buckets for each entry */
#define ENTRIES		((1U << 20) / 4 + 1)

static struct pmc_task_entry *entries;
static int allocated, queued, periods;
static bool no_memory;
static struct work_struct *work;
static struct work_struct not_cancelled;
static const struct pmc_task_table *replaced;
static void (*while_copying)(void);

void *kvzalloc(size_t size, gfp_t gfp)
{
	assert_true(gfp & GFP_KERNEL);
	if (no_memory) {
		/* a worker neither tries hard nor complains */
		assert_int_equal(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN, gfp);
		return NULL;
	}
	allocated++;
	return calloc(1, size);
}

/* Lookups may use the links of the table until a grace period has passed. */
void kvfree(const void *memory)
{
	assert_ptr_not_equal(&not_cancelled, work);
	assert_ptr_not_equal(pmc_task_table_get(), work ? memory : NULL);
	assert_int_equal(work ? 1 : 0, periods);
	periods = 0;
	allocated--;
	free((void *)memory);
}

void synchronize_rcu(void)
{
	periods++;
}

void cond_resched(void)
{
	if (while_copying)
		while_copying();
}

void queue_work(int queue, struct work_struct *queued_work)
{
	assert_int_equal(0, queue);
	work = queued_work;
	queued++;
}

void flush_work(struct work_struct *flushed)
{
	if (!work)
		return;
	assert_ptr_equal(work, flushed);
	flushed->function(flushed);
	work = NULL;
}

void cancel_work_sync(struct work_struct *cancelled)
{
	assert_non_null(cancelled);
	work = NULL;
}

static const struct task_struct *task(u32 i)
{
	return (const struct task_struct *)(0xffff888000000000UL + i * 0x2a40UL);
}

/* How often the table has the entry of a task */
static int found(u32 i)
{
	const struct pmc_task_table *table = pmc_task_table_get();
	struct hlist_node *node;
	int times = 0;

	for (node = pmc_task_first(table, task(i)); node; node = pmc_task_next(node))
		times += pmc_task_entry(table, node) == &entries[i];
	return times;
}

static void add(u32 from, u32 to)
{
	for (; from < to; from++) {
		pmc_task_table_add(&entries[from], task(from));
		assert_ptr_equal(task(from), entries[from].task);
	}
}

static void del(u32 from, u32 to)
{
	for (; from < to; from++)
		pmc_task_table_del(&entries[from]);
}

static void are_found(u32 from, u32 to, int times)
{
	for (; from < to; from++)
		assert_int_equal(times, found(from));
}

/* With this number of entries the table stays: the worker is not even woken. */
static void stays(unsigned int bits)
{
	queued = 0;
	pmc_task_table_adapt();
	assert_int_equal(0, queued);
	pmc_task_table_settle();
	assert_int_equal((1UL << bits) - 1, pmc_task_table_get()->mask);
}

static void becomes(unsigned int bits)
{
	queued = 0;
	pmc_task_table_adapt();
	assert_int_equal(1, queued);
	pmc_task_table_settle();
	assert_int_equal((1UL << bits) - 1, pmc_task_table_get()->mask);
	assert_int_equal(1, allocated);
}

static int set_up(void **state)
{
	entries = calloc(ENTRIES, sizeof(*entries));
	assert_non_null(entries);
	no_memory = false;
	while_copying = NULL;
	assert_int_equal(0, pmc_task_table_init());
	assert_int_equal(1, allocated);
	return 0;
}

/* The last replacement leaves the least number of bits. */
static int tear_down(void **state)
{
	pmc_task_table_adapt();
	pmc_task_table_settle();
	work = &not_cancelled;
	pmc_task_table_exit();
	assert_null(work);
	assert_int_equal(0, allocated);
	free(entries);
	return 0;
}

static void added_and_deleted(void **state)
{
	are_found(0, 8, 0);
	add(0, 8);
	are_found(0, 8, 1);
	del(2, 6);
	are_found(0, 2, 1);
	are_found(2, 6, 0);
	are_found(6, 8, 1);
	del(0, 2);
	del(6, 8);
	are_found(0, 8, 0);
}

/* From four to 64 buckets for each entry: at either end eight to 16 */
static void grows(void **state)
{
	stays(12);
	add(0, 1024);
	stays(12);
	add(1024, 1025);
	becomes(14);
	are_found(0, 1025, 1);
	add(1025, 4096);
	stays(14);
	add(4096, 4097);
	becomes(16);
	are_found(0, 4097, 1);
	del(1024, 4097);
	/* 1024 entries: 64 buckets each */
	stays(16);
	del(1023, 1024);
	becomes(13);
	are_found(0, 1023, 1);
	are_found(1023, 4097, 0);
	del(0, 1023);
	/* no fewer than 2^12 buckets */
	becomes(12);
	stays(12);
}

/* No more than 2^20 buckets, however many entries there are */
static void grows_no_further(void **state)
{
	add(0, ENTRIES - 1);
	becomes(20);
	are_found(0, ENTRIES - 1, 1);
	add(ENTRIES - 1, ENTRIES);
	stays(20);
	del(0, ENTRIES);
	becomes(12);
}

static void without_memory(void **state)
{
	add(0, 1025);
	replaced = pmc_task_table_get();
	no_memory = true;
	pmc_task_table_adapt();
	pmc_task_table_settle();
	assert_ptr_equal(replaced, pmc_task_table_get());
	are_found(0, 1025, 1);
	no_memory = false;
	becomes(14);
	are_found(0, 1025, 1);
	del(0, 1025);
}

/* Between two buckets entries come and go; lookups use the old table. */
static void change(void)
{
	static u32 added = 1025, deleted;

	assert_ptr_equal(replaced, pmc_task_table_get());
	if (added == 1225)
		return;
	add(added, added + 1);
	are_found(added, added + 1, 1);
	added++;
	/* one that may be in both tables, or not yet in the next one */
	del(deleted, deleted + 1);
	are_found(deleted, deleted + 1, 0);
	deleted++;
	/* one that was added meanwhile */
	if (added == 1100) {
		del(1099, 1100);
		add(1099, 1100);
	}
}

static void changed_while_copying(void **state)
{
	int sum = 0;
	u32 i;

	add(0, 1025);
	replaced = pmc_task_table_get();
	while_copying = change;
	becomes(14);
	while_copying = NULL;
	are_found(0, 200, 0);
	are_found(200, 1225, 1);
	/* the table has nothing else */
	for (i = 0; i <= pmc_task_table_get()->mask; i++) {
		struct hlist_node *node = pmc_task_table_get()->bucket[i].first;

		for (; node; node = node->next)
			sum++;
	}
	assert_int_equal(1025, sum);
	del(200, 1225);
	are_found(200, 1225, 0);
}

static void add_many(void)
{
	while_copying = NULL;
	add(1025, 4097);
}

/* The number changes meanwhile: the worker goes on. */
static void grows_while_copying(void **state)
{
	add(0, 1025);
	while_copying = add_many;
	becomes(16);
	are_found(0, 4097, 1);
	del(0, 4097);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(added_and_deleted), TEST(grows), TEST(grows_no_further), TEST(without_memory),
		TEST(changed_while_copying), TEST(grows_while_copying),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
