// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of ring.c: where the producer writes records, what it reports as lost, and when it wakes
 * readers
 */
#include "ring.h"

/* Ring 1, from @written on, of which the reader has read up to @tail */
static struct pmc_cpu_ring *at(u32 written, u32 tail)
{
	struct pmc_cpu_ring *ring = rings->ring[1];

	ring->written = written;
	ring->visible = written;
	ring->shared->head = written;
	ring->shared->tail = tail;
	ring->unreported = 0;
	memset(ring->data, 0xee, SIZE);
	calls[0] = '\0';
	return ring;
}

static const struct pmc_record *record(const struct pmc_cpu_ring *ring, u32 offset)
{
	return (void *)((char *)ring->data + offset);
}

static long offset(const struct pmc_cpu_ring *ring, const void *address)
{
	return address ? (char *)address - (char *)ring->data : -1;
}

#define expect_record(ring, at, type_, size_) do {			\
	assert_int_equal(type_, record(ring, at)->type);		\
	assert_int_equal(size_, record(ring, at)->size);		\
} while (0)

/* A record that does not fit before the end is at the beginning; 24 bytes stay free. */
static void padding(void **state)
{
	struct pmc_cpu_ring *ring = at(SIZE - 64, SIZE - 64);

	assert_int_equal(SIZE - 64, offset(ring, pmc_ring_reserve(ring, 64)));
	assert_int_equal(SIZE - 64, offset(ring, pmc_ring_reserve_slow(ring, 64)));
	assert_int_equal(SIZE - 64, ring->written);
	assert_int_equal(0, offset(ring, pmc_ring_reserve(ring, 72)));
	expect_record(ring, SIZE - 64, PMC_RECORD_PAD, 64);
	assert_int_equal(SIZE, ring->written);
	assert_int_equal(SIZE - 64, ring->visible);
	pmc_ring_commit(ring, 72);
	assert_int_equal(SIZE + 72, ring->visible);
	assert_int_equal(SIZE + 72, ring->shared->head);
	/* positions wrap at 2^32 */
	ring = at(-64, -64);
	assert_int_equal(0, offset(ring, pmc_ring_reserve(ring, 72)));
	assert_int_equal(0, ring->written);
}

static void full(void **state)
{
	struct pmc_cpu_ring *ring = at(SIZE + 1024, 1024 + 128);

	/* 128 bytes are free, of which 24 are reserved */
	assert_int_equal(1024, offset(ring, pmc_ring_reserve(ring, 104)));
	assert_int_equal(1024, offset(ring, pmc_ring_reserve_slow(ring, 104)));
	assert_int_equal(-1, offset(ring, pmc_ring_reserve(ring, 112)));
	assert_int_equal(-1, offset(ring, pmc_ring_reserve_slow(ring, 112)));
	assert_int_equal(SIZE + 1024, ring->written);
	/* up to the end: 64 and 24 reserved */
	ring = at(SIZE - 64, SIZE - 64 + 88 - SIZE);
	assert_int_equal(SIZE - 64, offset(ring, pmc_ring_reserve_slow(ring, 64)));
	ring = at(SIZE - 64, SIZE - 64 + 80 - SIZE);
	assert_int_equal(-1, offset(ring, pmc_ring_reserve_slow(ring, 64)));
	/* 64 bytes of padding, 72 and 24 reserved */
	ring = at(SIZE - 64, SIZE - 64 + 160 - SIZE);
	assert_int_equal(0, offset(ring, pmc_ring_reserve(ring, 72)));
	ring = at(SIZE - 64, SIZE - 64 + 152 - SIZE);
	assert_int_equal(-1, offset(ring, pmc_ring_reserve(ring, 72)));
	assert_int_equal(SIZE - 64, ring->written);
	expect_record(ring, SIZE - 64, 0xeeeeeeee, 0xeeeeeeee);
}

/* What was lost is reported before the next record that fits. */
static void lost(void **state)
{
	struct pmc_cpu_ring *ring = at(2048, 2048);
	const struct pmc_lost *report = (void *)record(ring, 2048);

	pmc_ring_drop(ring, 3);
	expect_calls("work 1;notify 1;");
	assert_int_equal(1, ring->wakeups.value);
	pmc_ring_drop(ring, 4);
	expect_calls("");
	assert_int_equal(7, ring->unreported);
	assert_int_equal(7, ring->lost.value);
	assert_int_equal(7, ring->shared->lost);
	assert_int_equal(2048 + 16, offset(ring, pmc_ring_reserve(ring, 72)));
	expect_record(ring, 2048, PMC_RECORD_LOST, 16);
	assert_int_equal(7, report->overflows);
	assert_int_equal(0, ring->unreported);
	assert_int_equal(2048 + 16, ring->written);
	assert_int_equal(2048, ring->visible);
	/* both need room */
	ring = at(SIZE + 1024, 1024 + 128);
	ring->unreported = 1;
	assert_int_equal(-1, offset(ring, pmc_ring_reserve(ring, 96)));
	assert_int_equal(1, ring->unreported);
	assert_int_equal(1024 + 16, offset(ring, pmc_ring_reserve(ring, 88)));
	/* the report at the end, the record at the beginning */
	ring = at(SIZE - 16, SIZE - 16);
	ring->unreported = 1;
	assert_int_equal(0, offset(ring, pmc_ring_reserve(ring, 72)));
	expect_record(ring, SIZE - 16, PMC_RECORD_LOST, 16);
	/* the report at the beginning */
	ring = at(SIZE - 8, SIZE - 8);
	ring->unreported = 1;
	assert_int_equal(16, offset(ring, pmc_ring_reserve(ring, 72)));
	expect_record(ring, SIZE - 8, PMC_RECORD_PAD, 8);
	expect_record(ring, 0, PMC_RECORD_LOST, 16);
}

/* A full ring wakes readers where the watermark has not. */
static void wakes_for_lost(void **state)
{
	struct pmc_cpu_ring *ring = at(5000, 5000 - WATERMARK);

	pmc_ring_drop(ring, 1);
	expect_calls("");
	ring = at(5000, 5001 - WATERMARK);
	pmc_ring_drop(ring, 1);
	expect_calls("work 1;notify 1;");
}

static void watermark(void **state)
{
	struct pmc_cpu_ring *ring = at(0, 0);

	pmc_ring_commit(ring, WATERMARK - 8);
	expect_calls("");
	pmc_ring_commit(ring, 8);
	expect_calls("work 1;notify 1;");
	pmc_ring_commit(ring, 8);
	expect_calls("");
	assert_int_equal(1, ring->wakeups.value);
}

/* The irq_work wakes; only in an interrupt its time is charged. */
static void wakes(void **state)
{
	struct pmc_cpu_ring *ring = at(0, 0);

	tsc = 44;
	ring->work.func(&ring->work);
	expect_calls("wake poll;");
	hardirq = true;
	ring->work.func(&ring->work);
	expect_calls("wake poll;charge 44;");
	rings->idle_work.func(&rings->idle_work);
	expect_calls("wake;");
}

/* What was lost is reported when the context stops, if there is room. */
static void reports_lost(void **state)
{
	struct pmc_cpu_ring *ring = at(SIZE + 1024, 1024 + 16);

	assert_true(rings->idle);
	pmc_rings_set_idle(rings, false, true);
	assert_false(rings->idle);
	assert_true(rings->ended);
	expect_calls("");
	assert_int_equal(SIZE + 1024, ring->visible);
	ring->unreported = 6;
	pmc_rings_set_idle(rings, true, false);
	assert_true(rings->idle);
	assert_false(rings->ended);
	expect_calls("idle;");
	expect_record(ring, 1024, PMC_RECORD_LOST, 16);
	assert_int_equal(SIZE + 1024 + 16, ring->visible);
	assert_int_equal(0, ring->unreported);
	ring = at(SIZE + 1024, 1024 + 8);
	ring->unreported = 6;
	pmc_rings_set_idle(rings, true, false);
	assert_int_equal(6, ring->unreported);
	assert_int_equal(SIZE + 1024, ring->visible);
	ring->unreported = 0;
	rings->ring[0]->unreported = 1;
	rings->ring[2]->unreported = 1;
	pmc_rings_set_idle(rings, true, false);
	assert_int_equal(16, rings->ring[0]->visible);
	assert_int_equal(16, rings->ring[2]->visible);
}

static void counts(void **state)
{
	struct pmc_cpu_ring *ring = rings->ring[2];

	pmc_ring_drop_mmap(ring);
	assert_int_equal(1, ring->mmaps_lost.value);
	pmc_ring_throttle(ring, 5);
	pmc_ring_throttle(ring, 6);
	assert_int_equal(11, ring->throttled.value);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(padding), TEST(full), TEST(lost), TEST(wakes_for_lost), TEST(watermark),
		TEST(wakes), TEST(reports_lost), TEST(counts),
	};

	return cmocka_run_group_tests_name("ring_write", tests, NULL, NULL);
}
