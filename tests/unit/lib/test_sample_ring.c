// SPDX-License-Identifier: GPL-2.0-only
/* Tests of sampling: reading the records of the fake driver's rings, and waiting for them */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "sampling.h"

/* Of counter 0 of CPU 1 */
static union record throttle_of(uint32_t type, uint64_t tsc)
{
	return (union record){
		.throttle = {
			.record = { type, sizeof(struct pmc_throttle) },
			.tsc = tsc,
			.cpu = 1,
		},
	};
}

static union record map_of(const char *path)
{
	uint32_t size = (sizeof(struct pmc_mmap) + strlen(path) + 8) & ~7;
	union record record = {
		.map = {
			.record = { PMC_RECORD_MMAP, size },
			.pid = 11,
			.start = 0x1000,
			.end = 0x2000,
		},
	};

	memcpy(record.map.path, path, strlen(path));
	return record;
}

static void next_is_damage(const char *words)
{
	assert_failed(!pmc_samples_next(samples), EIO, words);
}

/* ---- records ---- */

static void all_fields(void **state)
{
	union record written = sample_at(77, 5, 2, 3);
	const struct pmc_sample *sample;
	int i;

	must_start();
	must_open(0);
	must_write(0, written);
	sample = (const void *)next_of(PMC_RECORD_SAMPLE);
	assert_memory_equal(sample, &written, written.head.size);
	for (i = 0; i < 2; i++)
		assert_int_equal(pmc_sample_values(sample)[i], 5000 + i);
	for (i = 0; i < 2; i++)
		assert_int_equal(pmc_sample_kernel_frames(sample)[i], 5002 + i);
	for (i = 0; i < 3; i++)
		assert_int_equal(pmc_sample_user_frames(sample)[i], 5004 + i);
	next_is_none();
}

static void every_type(void **state)
{
	union record throttle = { .throttle = { .record = { PMC_RECORD_THROTTLE,
				  sizeof(struct pmc_throttle) }, .cpu = 1, .tsc = 9 } };
	union record unknown = { .head = { 4711, 8 } };
	union record map = map_of("/bin/true");

	must_start();
	must_open(0);
	must_write(1, unknown);
	must_write(1, throttle);
	unknown.head.size = 48;
	must_write(1, unknown);
	throttle.head.type = PMC_RECORD_UNTHROTTLE;
	must_write(1, throttle);
	must_write(1, map);
	must_write(1, unknown);
	next_of(PMC_RECORD_THROTTLE);
	assert_int_equal(pmc_samples_cpu(samples), 1);
	next_of(PMC_RECORD_UNTHROTTLE);
	assert_memory_equal(next_of(PMC_RECORD_MMAP), &map, map.head.size);
	next_is_none();
	assert_string_equal(pmc_record_name(PMC_RECORD_SAMPLE), "SAMPLE");
	assert_string_equal(pmc_record_name(PMC_RECORD_PAD), "PAD");
	assert_null(pmc_record_name(4711));
}

/* A round reads each ring in turn, with the records that it has at that moment. */
static void rounds(void **state)
{
	must_start();
	must_open(0);
	write_sample(0, 1, 1);
	write_sample(0, 2, 2);
	write_sample(1, 3, 3);
	next_sample(0, 1);
	write_sample(0, 4, 4);
	write_sample(1, 5, 5);
	next_sample(0, 2);
	next_sample(1, 3);
	next_sample(1, 5);
	write_sample(1, 6, 6);
	next_is_none();
	next_sample(0, 4);
	next_sample(1, 6);
	next_is_none();
}

/* Expects this sample, or the end of a round. */
static bool next_may_be(uint64_t ip)
{
	const struct pmc_record *record;

	errno = 0;
	record = pmc_samples_next(samples);
	if (!record)
		assert_int_equal(errno, EAGAIN);
	else if (((const struct pmc_sample *)record)->ip != ip)
		fail_msg("the sample is not %d", (int)ip);
	return record;
}

/*
 * Wraps the ring many times with records of all sizes, so that a pad of every size occurs. The
 * ring is often full, but no record is dropped.
 */
static void wrap(void **state)
{
	uint64_t written = 0, seen = 0;
	int i;

	must_start();
	must_open(0);
	srand(1);
	while (written < 20000) {
		union record record = sample_at(written, written, rand() % 100, rand() % 100);

		if (fake_ring_write(0, &record)) {
			written++;
			continue;
		}
		/* not a loss: the record is written again later */
		fake_ring_forget_loss(0);
		for (i = rand() % 16; i; i--)
			seen += next_may_be(seen);
	}
	while (seen < written)
		seen += next_may_be(seen);
	next_is_none();
}

/* Head and tail, of 32 bits, wrap. */
static void wrap_at_4g(void **state)
{
	int i;

	fake.ring_start = 0xffffff00;
	must_start();
	must_open(0);
	for (i = 0; i < 100; i++) {
		write_sample(0, i, i);
		next_sample(0, i);
		next_is_none();
	}
	assert_in_range(fake.ring[0]->head, 100 * sizeof(struct pmc_sample), 4 * RING);
	for (i = 0; fake_ring_write(0, &(union record){ .head = { 99, 1024 } }); i++)
		;
	assert_int_equal(i, 3);
}

/* The ring fills up: each record is either kept or lost. */
static void loss(void **state)
{
	const struct pmc_lost *lost;
	int kept, i;

	must_start();
	must_open(0);
	for (kept = 0; kept < 1000; kept++) {
		union record record = sample_at(kept, kept, 0, 0);

		if (!fake_ring_write(0, &record))
			break;
	}
	assert_in_range(kept, 30, 60);
	for (i = 1; i < 7; i++) {
		union record record = sample_at(i, 1000 + i, 0, 0);

		record.sample.overflows = i;
		assert_false(fake_ring_write(0, &record));
	}
	for (i = 0; i < kept; i++)
		next_sample(0, i);
	next_is_none();
	write_sample(0, 2000, 2000);
	lost = (const void *)next_of(PMC_RECORD_LOST);
	assert_int_equal(lost->overflows, 1 + 1 + 2 + 3 + 4 + 5 + 6);
	assert_int_equal(pmc_samples_cpu(samples), 0);
	next_sample(0, 2000);
	next_is_none();
	assert_int_equal(fake.ring[0]->lost, 22);
}

/* The reader frees space while it reads, not only at the end of a round. */
static void room_comes_back(void **state)
{
	int written, i;

	must_start();
	must_open(0);
	for (written = 0; written < 30; written++)
		write_sample(0, written, written);
	for (i = 0; i < 29; i++)
		next_sample(0, i);
	for (; written < 50; written++)
		write_sample(0, written, written);
	/* the record returned last is not freed yet */
	assert_true(fake.ring[0]->tail <= 28 * (sizeof(struct pmc_sample) + 16));
	next_sample(0, 29);
	next_is_none();
	for (i = 30; i < 50; i++)
		next_sample(0, i);
	next_is_none();
	assert_int_equal(fake.ring[0]->tail, fake.ring[0]->head);
}

/* The tail is stored when a quarter of the ring was read: each store costs a cache miss. */
static void tail_by_quarters(void **state)
{
	const uint32_t size = sizeof(struct pmc_sample) + 16;
	uint32_t at = 0, tail = 0;
	int i;

	must_start();
	must_open(0);
	for (i = 0; i < 30; i++)
		write_sample(0, i, i);
	for (i = 0; i < 30; i++, at += size) {
		next_sample(0, i);
		if (at - tail > RING / 4)
			tail = at;
		assert_int_equal(fake.ring[0]->tail, tail);
	}
	assert_true(tail > RING / 2);
	next_is_none();
}

static void opened_again(void **state)
{
	must_start();
	must_open(0);
	write_sample(0, 1, 1);
	write_sample(0, 2, 2);
	next_sample(0, 1);
	pmc_samples_close(samples);
	must_open(0);
	next_sample(0, 2);
	next_is_none();
}

/* ---- overwritten rings ---- */

static void damage(union record record, uint32_t pad_size, const char *words)
{
	if (record.head.type == PMC_RECORD_PAD)
		record.head.size = pad_size;
	write_sample(0, 1, 1);
	assert_true(fake_ring_write(0, &record));
	write_sample(0, 2, 2);
	write_sample(1, 3, 3);
	next_sample(0, 1);
	next_is_damage(words);
	assert_int_equal(fake.ring[0]->tail, fake.ring[0]->head);
	next_sample(1, 3);
	write_sample(0, 4, 4);
	next_is_none();
	next_sample(0, 4);
	next_is_none();
}

static union record too_short(uint32_t type, uint32_t size)
{
	return (union record){ .head = { type, size } };
}

static void damaged(void **state)
{
	union record pad = { .head = { PMC_RECORD_PAD, 8 } };
	union record sample, map;
	uint32_t type;

	must_start();
	must_open(0);
	damage(pad, 0, "CPU 0 was overwritten, its records are lost: a record of 0 bytes");
	damage(pad, 4, "a record of 4 bytes");
	damage(pad, 12, "a record of 12 bytes");
	damage(pad, 4096, "a record of 4096 bytes");
	damage(pad, 0xfffffff8, "a record of 4294967288 bytes");
	for (type = PMC_RECORD_SAMPLE; pmc_record_name(type); type++)
		damage(too_short(type, 8), 0, "record of 8 bytes has at least");
	damage(too_short(PMC_RECORD_MMAP, sizeof(struct pmc_mmap)), 0, "has at least");

	sample = sample_at(1, 1, 0, 0);
	sample.sample.nr_counters = 3;
	damage(sample, 0, "cannot have 3 numbers");
	sample = sample_at(1, 1, 0, 0);
	sample.sample.nr_kernel_frames = 1;
	damage(sample, 0, "cannot have 3 numbers");
	sample = sample_at(1, 1, 0, 0);
	sample.sample.nr_user_frames = 255;
	damage(sample, 0, "cannot have 257 numbers");
	sample = sample_at(1, 1, 0, 0);
	sample.sample.counter = 2;
	damage(sample, 0, "counter 2, of 2");
	sample = sample_at(1, 1, 0, 0);
	memset(sample.sample.comm, 'x', sizeof(sample.sample.comm));
	damage(sample, 0, "not terminated");
	map = map_of("/bin/true");
	memset(map.map.path, 'x', map.head.size - sizeof(map.map));
	damage(map, 0, "not terminated");
	map = map_of("/bin/true");
	map.map.end = map.map.start;
	damage(map, 0, "empty range");
}

/* A record with a size beyond the end of the ring */
static void damaged_at_the_end(void **state)
{
	struct pmc_record *last;

	must_start();
	must_open(0);
	must_write(0, (union record){ .head = { 99, RING - 1024 } });
	next_is_none();
	must_write(0, (union record){ .head = { 99, 512 } });
	must_write(0, (union record){ .head = { 99, 1000 } });
	last = (void *)((char *)fake.ring[0] + fake.ring[0]->data_offset + RING - 512);
	assert_int_equal(last->type, PMC_RECORD_PAD);
	last->size = 520;
	next_is_damage("a record of 520 bytes where 512 are left");
	next_is_none();
}

static void damaged_beyond_the_head(void **state)
{
	must_start();
	must_open(0);
	assert_true(fake_ring_write(0, &(union record){ .head = { PMC_RECORD_PAD, 512 } }));
	next_is_damage("a record of 512 bytes where 8 are left");
	next_is_none();
}

static void damaged_head(void **state)
{
	uint32_t flags;

	must_start();
	for (flags = 0; flags <= PMC_SAMPLES_ORDERED; flags++) {
		must_open(flags);
		write_sample(1, 3, 3);
		fake.ring[0]->head += 2 * RING;
		next_is_damage("its head is out of range");
		if (!flags)
			next_sample(1, 3);
		next_is_none();
		if (flags)
			next_sample(1, 3);
		assert_int_equal(fake.ring[0]->tail, fake.ring[0]->head);
		pmc_samples_close(samples);
		samples = NULL;
	}
}

/* A record held back for the order is dropped with the others of a damaged ring. */
static void damaged_while_waiting(void **state)
{
	must_start();
	must_open(PMC_SAMPLES_ORDERED);
	fake.clock = 10;
	write_sample(0, 50, 1);
	next_is_none();
	fake.ring[0]->head += 2 * RING;
	next_is_damage("its head is out of range");
	fake.clock = 100;
	next_is_none();
	next_is_none();
}

static void check_alone(void **state)
{
	union record sample = sample_at(1, 1, 1, 1);
	void *half = malloc(4);

	assert_failed(pmc_record_check(half, 4), EIO, "where 4 are left");
	free(half);
	assert_int_equal(pmc_record_check(&sample.head, sample.head.size), 0);
	assert_failed(pmc_record_check(&sample.head, sample.head.size - 8), EIO, "are left");
	assert_failed(pmc_record_check(&sample.head, 7), EIO, "where 7 are left");
	assert_failed(pmc_record_check(&sample.head, 0), EIO, "where 0 are left");
	sample.head.type = 4711;
	assert_int_equal(pmc_record_check(&sample.head, sample.head.size), 0);
}

/* ---- order by time ---- */

static void ordered(void **state)
{
	union record map = map_of("/bin/true");
	const struct pmc_record *record;

	must_start();
	must_open(PMC_SAMPLES_ORDERED);
	fake.clock = 1000;
	map.map.tsc = 25;
	write_sample(0, 10, 1);
	must_write(0, map);
	write_sample(0, 30, 3);
	write_sample(1, 20, 2);
	write_sample(1, 30, 4);
	write_sample(1, 5, 5);
	must_write(1, throttle_of(PMC_RECORD_THROTTLE, 41));
	must_write(1, throttle_of(PMC_RECORD_UNTHROTTLE, 43));
	write_sample(0, 40, 6);
	write_sample(0, 42, 7);
	write_sample(0, 44, 8);
	next_sample(0, 1);
	next_sample(1, 2);
	record = next_of(PMC_RECORD_MMAP);
	assert_memory_equal(record, &map, map.head.size);
	next_sample(0, 3);
	next_sample(1, 4);
	next_sample(1, 5);
	next_sample(0, 6);
	next_of(PMC_RECORD_THROTTLE);
	next_sample(0, 7);
	next_of(PMC_RECORD_UNTHROTTLE);
	next_sample(0, 8);
	next_is_none();
}

/* A record younger than the round waits for the next round. */
static void ordered_rounds(void **state)
{
	must_start();
	must_open(PMC_SAMPLES_ORDERED);
	fake.clock = 100;
	write_sample(0, 100, 1);
	next_is_none();
	write_sample(1, 99, 2);
	write_sample(0, 101, 3);
	next_sample(1, 2);
	/* written after the round had begun */
	write_sample(1, 100, 4);
	next_sample(0, 1);
	next_is_none();
	next_sample(1, 4);
	next_sample(0, 3);
	next_is_none();
	assert_int_equal(fake.clock, 103);
}

/* A suspend restarts the time-stamp counter: earlier records are returned first. */
static void ordered_set_back(void **state)
{
	must_start();
	must_open(PMC_SAMPLES_ORDERED);
	fake.clock = 1000;
	write_sample(0, 990, 1);
	write_sample(0, 1010, 2);
	write_sample(1, 1005, 3);
	next_sample(0, 1);
	next_is_none();
	fake.clock = 20;
	write_sample(0, 12, 4);
	write_sample(1, 11, 5);
	/* a round of the records before the suspend */
	next_sample(1, 3);
	/* a record written now is not part of that round, whatever its time */
	write_sample(1, 30, 6);
	next_sample(0, 2);
	next_is_none();
	next_sample(1, 5);
	next_sample(0, 4);
	next_is_none();
	fake.clock = 31;
	next_sample(1, 6);
	next_is_none();
}

static void ordered_errors(void **state)
{
	must_start();
	must_open(PMC_SAMPLES_ORDERED);
	write_sample(0, 1, 1);
	fake.ioctl_error[_IOC_NR(PMC_IOC_READ)] = ENODEV;
	assert_failed(!pmc_samples_next(samples), ENODEV, "reading the counters");
	fake.ioctl_error[_IOC_NR(PMC_IOC_READ)] = 0;
	fake.ioctl_error[_IOC_NR(PMC_IOC_TSC)] = EOPNOTSUPP;
	assert_failed(!pmc_samples_next(samples), EOPNOTSUPP, "time-stamp counter");
	fake.ioctl_error[_IOC_NR(PMC_IOC_TSC)] = 0;
	next_sample(0, 1);
	next_is_none();
}

/* ---- read(2) ---- */

static void read_records(uint32_t flags)
{
	union record map = map_of("/bin/true");
	int before = fcntl(pmc_context_fd(context), F_GETFL);
	int i;

	fake.read_signals = 2;
	must_open(flags);
	assert_int_equal(fake.mapped_rings, 0);
	next_is_none();
	for (i = 0; i < 30; i++)
		write_sample(0, i, i);
	must_write(1, (union record){ .head = { 4711, 512 } });
	must_write(1, map);
	must_write(1, throttle_of(PMC_RECORD_THROTTLE, 5));
	must_write(1, throttle_of(PMC_RECORD_UNTHROTTLE, 6));
	write_sample(1, 5, 100);
	assert_int_equal(pmc_samples_wait(samples, -1), 1);
	for (i = 0; i < 30; i++)
		next_sample(0, i);
	assert_memory_equal(next_of(PMC_RECORD_MMAP), &map, map.head.size);
	assert_int_equal(pmc_samples_cpu(samples), -1);
	next_of(PMC_RECORD_THROTTLE);
	assert_int_equal(pmc_samples_cpu(samples), 1);
	next_of(PMC_RECORD_UNTHROTTLE);
	assert_int_equal(pmc_samples_cpu(samples), 1);
	assert_int_equal(pmc_samples_wait(samples, -1), 1);
	next_sample(1, 100);
	next_is_none();
	pmc_samples_close(samples);
	samples = NULL;
	assert_int_equal(fcntl(pmc_context_fd(context), F_GETFL), before);
}

static void by_read(void **state)
{
	must_start();
	read_records(PMC_SAMPLES_READ);
}

static void by_read_for_want_of_memory(void **state)
{
	must_start();
	fake.ring_error = ENOMEM;
	read_records(0);
}

/* The ring that was mapped first is given back: its tail is only moved by read(2). */
static void by_read_after_one_ring(void **state)
{
	int i;

	must_start();
	fake.ring_error = ENOMEM;
	fake.ring_error_from = 1;
	read_records(0);
	for (i = 0; i < FAKE_CPUS; i++)
		assert_int_equal(fake.ring[i]->tail, fake.ring[i]->head);
}

static void by_read_damaged(void **state)
{
	union record sample = sample_at(1, 1, 0, 0);

	must_start();
	must_open(PMC_SAMPLES_READ);
	sample.sample.nr_counters = 9;
	write_sample(0, 1, 1);
	must_write(0, sample);
	next_sample(0, 1);
	next_is_damage("cannot have 9 numbers");
	next_is_none();
	assert_int_equal(pmc_context_release(context), 0);
	assert_failed(!pmc_samples_next(samples), EBADFD, "reading samples");
}

/* ---- wait ---- */

static void wait_times_out(void **state)
{
	must_start();
	must_open(0);
	assert_int_equal(pmc_samples_wait(samples, 1), 1);
	next_is_none();
	write_sample(0, 1, 1);
	assert_int_equal(pmc_samples_wait(samples, -1), 1);
	next_sample(0, 1);
	next_is_none();
}

static void wait_errors(void **state)
{
	must_start();
	must_open(0);
	fake.poll_error = EINTR;
	assert_failed(pmc_samples_wait(samples, -1) < 0, EINTR, "a signal arrived");
	fake.poll_error = ENOMEM;
	assert_failed(pmc_samples_wait(samples, -1) < 0, ENOMEM, "waiting for samples");
}

/* Within a round, the reader does not wait for the watermark. */
static void wait_in_a_round(void **state)
{
	must_add("instructions:u:p=5");
	if (pmc_context_configure(context) || pmc_context_start(context))
		fail_msg("%s", pmc_error());
	must_open(0);
	write_sample(0, 1, 1);
	write_sample(0, 2, 2);
	next_sample(0, 1);
	alarm(300);
	assert_int_equal(pmc_samples_wait(samples, -1), 1);
	alarm(0);
	next_sample(0, 2);
	next_is_none();
}

static void wait_for_the_end(void **state)
{
	uint32_t flags;

	must_start();
	fake.clock = 10;
	for (flags = 0; flags <= PMC_SAMPLES_READ; flags++) {
		must_open(flags);
		fake.ended = false;
		write_sample(0, 1, 1);
		write_sample(1, 2, 2);
		fake.ended = true;
		assert_int_equal(pmc_samples_wait(samples, -1), 1);
		next_sample(0, 1);
		next_sample(1, 2);
		next_is_none();
		assert_int_equal(pmc_samples_wait(samples, -1), 0);
		assert_int_equal(pmc_samples_wait(samples, 0), 0);
		pmc_samples_close(samples);
		samples = NULL;
	}
}

static void wait_for_nothing(void **state)
{
	must_start();
	must_open(0);
	assert_int_equal(pmc_context_release(context), 0);
	assert_failed(pmc_samples_wait(samples, -1), EBADFD, "not configured");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		sample_test(all_fields),
		sample_test(every_type),
		sample_test(rounds),
		sample_test(wrap),
		sample_test(wrap_at_4g),
		sample_test(loss),
		sample_test(room_comes_back),
		sample_test(tail_by_quarters),
		sample_test(opened_again),
		sample_test(damaged),
		sample_test(damaged_at_the_end),
		sample_test(damaged_beyond_the_head),
		sample_test(damaged_head),
		sample_test(damaged_while_waiting),
		sample_test(check_alone),
		sample_test(ordered),
		sample_test(ordered_rounds),
		sample_test(ordered_set_back),
		sample_test(ordered_errors),
		sample_test(by_read),
		sample_test(by_read_for_want_of_memory),
		sample_test(by_read_after_one_ring),
		sample_test(by_read_damaged),
		sample_test(wait_times_out),
		sample_test(wait_errors),
		sample_test(wait_in_a_round),
		sample_test(wait_for_the_end),
		sample_test(wait_for_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
