// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of ring.c: read() copies whole records, of a ring that its reader may have damaged, and
 * waits for the first; poll()
 */
#include "ring.h"

/* What happens while read() waits: the n-th time, @events[n] */
static enum { NOTHING, RECORD, IDLE, SIGNAL } events[4];
static unsigned int waited;

/* The ring has records from @tail to @written. */
static void place(struct pmc_cpu_ring *ring, u32 written, u32 tail)
{
	ring->written = written;
	ring->visible = written;
	ring->shared->tail = tail;
}

/* Append a record of @size bytes to a CPU's ring. */
static void put(int cpu, u32 type, u32 size)
{
	struct pmc_cpu_ring *ring = rings->ring[cpu];
	struct pmc_record *record = ring->data + (ring->written & ring->mask);

	memset(record, 'a' + cpu, size);
	record->type = type;
	record->size = size;
	pmc_ring_commit(ring, size);
	calls[0] = '\0';
}

int wait_once(void)
{
	assert_in_range(waited, 0, 3);
	assert_int_equal(0, rings->reader.held);
	switch (events[waited++]) {
	case NOTHING:
		return 0;
	case RECORD:
		put(1, PMC_RECORD_SAMPLE, 1024);
		return 0;
	case IDLE:
		rings->idle = true;
		return 0;
	default:
		return -512;
	}
}

static ssize_t get(size_t size)
{
	return pmc_rings_read(rings, buffer, size, false);
}

static u32 tail(int cpu)
{
	return rings->ring[cpu]->shared->tail;
}

/* Whole records, of all rings, without padding */
static void records(void **state)
{
	assert_int_equal(0, get(sizeof(buffer)));
	put(0, PMC_RECORD_SAMPLE, 104);
	put(0, PMC_RECORD_PAD, 8);
	put(0, PMC_RECORD_LOST, 16);
	put(2, 99, 8);
	rescheduled = 0;
	assert_int_equal(128, get(sizeof(buffer)));
	/* after each ring */
	assert_int_equal(3, rescheduled);
	assert_int_equal(128, tail(0));
	assert_int_equal(8, tail(2));
	assert_int_equal(PMC_RECORD_SAMPLE, ((struct pmc_record *)buffer)->type);
	assert_int_equal('a', buffer[103]);
	assert_int_equal(PMC_RECORD_LOST, ((struct pmc_record *)(buffer + 104))->type);
	assert_int_equal(99, ((struct pmc_record *)(buffer + 120))->type);
	assert_int_equal(0, buffer[128]);
	assert_int_equal(0, get(sizeof(buffer)));
}

/* The buffer has room for one record, then for both. */
static void room(void **state)
{
	put(1, PMC_RECORD_SAMPLE, 104);
	put(1, PMC_RECORD_LOST, 16);
	assert_int_equal(-EINVAL, get(103));
	assert_int_equal(0, tail(1));
	assert_int_equal(104, get(119));
	assert_int_equal(104, tail(1));
	assert_int_equal(16, get(16));
	put(1, PMC_RECORD_SAMPLE, 104);
	put(1, PMC_RECORD_LOST, 16);
	assert_int_equal(120, get(120));
	/* no room in the next ring */
	put(0, PMC_RECORD_SAMPLE, 104);
	put(1, PMC_RECORD_SAMPLE, 104);
	assert_int_equal(104, get(200));
	assert_int_equal(104, get(208));
}

/* Records up to the end of the ring, and positions that wrap at 2^32 */
static void wraps(void **state)
{
	struct pmc_cpu_ring *ring = rings->ring[1];

	place(ring, -104, -104);
	put(1, PMC_RECORD_SAMPLE, 104);
	put(1, PMC_RECORD_LOST, 16);
	assert_int_equal(120, get(sizeof(buffer)));
	assert_int_equal(16, tail(1));
}

static void fault(void **state)
{
	put(1, PMC_RECORD_SAMPLE, 104);
	put(1, PMC_RECORD_LOST, 16);
	copy_fails_at = 104;
	assert_int_equal(104, get(sizeof(buffer)));
	assert_int_equal(104, tail(1));
	copy_fails_at = 0;
	assert_int_equal(-EFAULT, get(sizeof(buffer)));
	assert_int_equal(104, tail(1));
	/* what was copied of the ring before is returned */
	put(0, PMC_RECORD_SAMPLE, 104);
	copy_fails_at = 104;
	assert_int_equal(104, get(sizeof(buffer)));
	assert_int_equal(104, tail(1));
}

/* The program has overwritten its ring: -EIO, once, and all of that ring is dropped. */
static void expect_damaged(void)
{
	assert_int_equal(-EIO, get(sizeof(buffer)));
	assert_int_equal(rings->ring[1]->visible, tail(1));
	assert_int_equal(0, get(sizeof(buffer)));
}

static void damaged_size(u32 size)
{
	struct pmc_cpu_ring *ring = rings->ring[1];
	struct pmc_record *record;

	put(1, PMC_RECORD_SAMPLE, 104);
	record = ring->data + ((ring->written - 104) & ring->mask);
	record->size = size;
	expect_damaged();
}

static void damaged(void **state)
{
	struct pmc_cpu_ring *ring = rings->ring[1];
	u32 i;

	damaged_size(0);
	damaged_size(4);
	damaged_size(7);
	damaged_size(100);
	damaged_size(112);
	/* a record of a header, and the rest is another's */
	put(1, PMC_RECORD_SAMPLE, 8);
	assert_int_equal(8, get(sizeof(buffer)));
	/* the tail: more unread bytes than the ring has, or not a multiple of 8 */
	for (i = 0; i < 3; i++) {
		static const u32 before[] = { SIZE + 8, 4, 16 };

		place(ring, 3 * SIZE, 3 * SIZE - before[i]);
		memset(ring->data, 0, SIZE);
		expect_damaged();
	}
	ring->shared->tail = ring->visible + 8;
	expect_damaged();
	/* only padding */
	put(1, PMC_RECORD_PAD, 16);
	expect_damaged();
	/* over the end of the ring */
	place(ring, SIZE - 104, SIZE - 104);
	put(1, PMC_RECORD_SAMPLE, 104);
	put(1, PMC_RECORD_SAMPLE, 104);
	((struct pmc_record *)(ring->data + SIZE - 104))->size = 112;
	expect_damaged();
	/* a whole ring */
	place(ring, 0, 0);
	put(1, PMC_RECORD_SAMPLE, SIZE);
	assert_int_equal(SIZE, get(sizeof(buffer)));
}

/* What comes before the damage is read. */
static void damaged_later(void **state)
{
	struct pmc_cpu_ring *ring = rings->ring[1];

	put(1, PMC_RECORD_SAMPLE, 104);
	put(1, PMC_RECORD_SAMPLE, 104);
	((struct pmc_record *)(ring->data + 104))->size = 0;
	assert_int_equal(104, get(sizeof(buffer)));
	assert_int_equal(104, tail(1));
	put(0, PMC_RECORD_SAMPLE, 104);
	assert_int_equal(104, get(sizeof(buffer)));
	assert_int_equal(104, tail(1));
	put(2, PMC_RECORD_SAMPLE, 104);
	assert_int_equal(-EIO, get(sizeof(buffer)));
	assert_int_equal(208, tail(1));
	assert_int_equal(0, tail(2));
	assert_int_equal(104, get(sizeof(buffer)));
}

static void waits(void **state)
{
	rings->idle = false;
	assert_int_equal(-EAGAIN, get(sizeof(buffer)));
	waited = 0;
	memcpy(events, (int[]){ NOTHING, RECORD }, 2 * sizeof(*events));
	rescheduled = 0;
	assert_int_equal(1024, pmc_rings_read(rings, buffer, sizeof(buffer), true));
	/* and before it waits */
	assert_int_equal(3 + 1 + 3, rescheduled);
	assert_int_equal(2, waited);
	waited = 0;
	events[1] = IDLE;
	assert_int_equal(0, pmc_rings_read(rings, buffer, sizeof(buffer), true));
	assert_int_equal(2, waited);
	rings->idle = false;
	waited = 0;
	events[1] = SIGNAL;
	assert_int_equal(-512, pmc_rings_read(rings, buffer, sizeof(buffer), true));
	assert_int_equal(2, waited);
	assert_int_equal(0, rings->reader.held);
}

static void signals(void **state)
{
	rings->idle = false;
	waited = 0;
	signal_after = 0;
	assert_int_equal(-512, pmc_rings_read(rings, buffer, sizeof(buffer), true));
	assert_int_equal(0, waited);
	locking = -4;
	assert_int_equal(-512, get(sizeof(buffer)));
	locking = 0;
	/* between two rings, once something was read */
	put(0, PMC_RECORD_SAMPLE, 104);
	put(1, PMC_RECORD_SAMPLE, 104);
	signal_after = 0;
	assert_int_equal(104, get(sizeof(buffer)));
	assert_int_equal(0, tail(1));
	signal_after = 0;
	assert_int_equal(104, get(sizeof(buffer)));
	assert_int_equal(104, tail(1));
}

/* Readable at the watermark; below it if something was lost, or nothing more comes */
static void polls(void **state)
{
	struct pmc_cpu_ring *ring = rings->ring[2];

	assert_int_equal(0, pmc_rings_poll(rings));
	rings->idle = false;
	assert_int_equal(0, pmc_rings_poll(rings));
	put(2, PMC_RECORD_SAMPLE, WATERMARK - 8);
	assert_int_equal(0, pmc_rings_poll(rings));
	ring->unreported = 1;
	assert_int_equal(READABLE, pmc_rings_poll(rings));
	ring->unreported = 0;
	rings->idle = true;
	assert_int_equal(READABLE, pmc_rings_poll(rings));
	rings->idle = false;
	rings->ended = true;
	assert_int_equal(EPOLLHUP, pmc_rings_poll(rings));
	put(2, PMC_RECORD_SAMPLE, 8);
	assert_int_equal(READABLE | EPOLLHUP, pmc_rings_poll(rings));
	ring->shared->tail = ring->visible;
	ring->unreported = 1;
	assert_int_equal(EPOLLHUP, pmc_rings_poll(rings));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(records), TEST(room), TEST(wraps), TEST(fault), TEST(damaged),
		TEST(damaged_later), TEST(waits), TEST(signals), TEST(polls),
	};

	return cmocka_run_group_tests_name("ring_read", tests, NULL, NULL);
}
