// SPDX-License-Identifier: GPL-2.0-only
/* Tests of sampling: requests to the driver, and records from the fake driver's rings */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

#define RING	4096

static struct pmc_context *context;
static struct pmc_samples *samples;

static int setup(void **state)
{
	struct pmc_device *device;

	fake_setup(state);
	samples = NULL;
	device = pmc_device_open(NULL);
	context = pmc_context_open(device);
	pmc_device_close(device);
	return !context;
}

static int teardown(void **state)
{
	pmc_samples_close(samples);
	pmc_context_close(context);
	return fake_teardown(state);
}

static void must_add(const char *text)
{
	struct pmc_event *event = pmc_event_parse(text);

	if (!event || pmc_context_add(context, event))
		fail_msg("'%s': %s", text, pmc_error());
	pmc_event_free(event);
}

/* Starts a sampling context with small rings and a wakeup at every record. */
static void must_start(void)
{
	must_add("instructions:u:p=1000");
	must_add("cycles:u");
	assert_int_equal(pmc_context_set_process(context, 0), 0);
	assert_int_equal(pmc_context_set_ring(context, RING, 8), 0);
	if (pmc_context_configure(context) || pmc_context_start(context))
		fail_msg("%s", pmc_error());
}

static void must_open(uint32_t flags)
{
	samples = pmc_samples_open(context, flags);
	if (!samples)
		fail_msg("%s", pmc_error());
}

/* ---- records to write ---- */

union record {
	struct pmc_record head;
	struct pmc_sample sample;
	struct pmc_lost lost;
	struct pmc_throttle throttle;
	struct pmc_mmap map;
	char bytes[RING];
};

/* A sample of counter 0 of 2, with call chains; @ip identifies it. */
static union record sample_at(uint64_t tsc, uint64_t ip, int kernel_frames, int user_frames)
{
	int num = 2 + kernel_frames + user_frames, i;
	union record record = {
		.sample = {
			.record = { PMC_RECORD_SAMPLE, sizeof(struct pmc_sample) + num * 8 },
			.ip = ip,
			.tsc = tsc,
			.overflows = 1,
			.nr_counters = 2,
			.nr_kernel_frames = kernel_frames,
			.nr_user_frames = user_frames,
			.pid = 11,
			.tid = 12,
			.comm = "name",
		},
	};

	for (i = 0; i < num; i++)
		record.sample.data[i] = ip * 1000 + i;
	return record;
}

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

static void must_write(int cpu, union record record)
{
	if (record.head.type == PMC_RECORD_SAMPLE)
		record.sample.cpu = cpu;
	if (!fake_ring_write(cpu, &record))
		fail_msg("the ring of CPU %d is full", cpu);
}

static void write_sample(int cpu, uint64_t tsc, uint64_t ip)
{
	must_write(cpu, sample_at(tsc, ip, 0, 0));
}

/* ---- records to expect ---- */

static const struct pmc_record *next_of(uint32_t type)
{
	const struct pmc_record *record = pmc_samples_next(samples);

	if (!record)
		fail_msg("no record: %s, not one of type %u", strerror(errno), type);
	assert_int_equal(record->type, type);
	return record;
}

static void next_sample(int cpu, uint64_t ip)
{
	const struct pmc_sample *sample = (const void *)next_of(PMC_RECORD_SAMPLE);

	assert_int_equal(sample->ip, ip);
	assert_int_equal(pmc_samples_cpu(samples), cpu);
}

static void next_is_none(void)
{
	errno = 0;
	assert_null(pmc_samples_next(samples));
	assert_int_equal(errno, EAGAIN);
}

static void next_is_damage(const char *words)
{
	assert_failed(!pmc_samples_next(samples), EIO, words);
}

/* ---- requests to the driver ---- */

static void request(void **state)
{
	const uint32_t flags = PMC_SAMPLE_USER_CALLCHAIN | PMC_SAMPLE_KERNEL_CALLCHAIN |
			       PMC_SAMPLE_MMAPS;

	(void)state;
	must_add("instructions:u");
	must_add("cycles:u:p=70000");
	assert_int_equal(pmc_context_set_sampling(context, flags, 30), 0);
	assert_int_equal(pmc_context_set_ring(context, 65536, 1024), 0);
	assert_int_equal(pmc_context_set_throttle(context, 50), 0);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[0].period, 0);
	assert_int_equal(fake.counters[1].period, 70000);
	assert_int_equal(fake.config.sample_flags, flags);
	assert_int_equal(fake.config.frames, 30);
	assert_int_equal(fake.config.ring_size, 65536);
	assert_int_equal(fake.config.watermark, 1024);
	assert_int_equal(fake.config.throttle_percent, 50);
}

static void no_request(void **state)
{
	(void)state;
	must_add("instructions:u");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[0].period, 0);
	assert_int_equal(fake.config.sample_flags | fake.config.frames | fake.config.ring_size |
			 fake.config.watermark | fake.config.throttle_percent, 0);
}

static void wrong_settings(void **state)
{
	(void)state;
	must_add("instructions:u");
	assert_failed(pmc_context_set_sampling(context, 8, 0), EINVAL, "flags 0x8");
	assert_failed(pmc_context_set_sampling(context, 0, 128), EINVAL, "128 frames");
	assert_failed(pmc_context_set_ring(context, 2048, 0), EINVAL, "2048 bytes");
	assert_failed(pmc_context_set_ring(context, 12288, 0), EINVAL, "power of two");
	assert_failed(pmc_context_set_ring(context, 1 << 25, 0), EINVAL, "to 16777216");
	assert_failed(pmc_context_set_ring(context, 4096, 4097), EINVAL, "watermark of 4097");
	assert_failed(pmc_context_set_ring(context, 0, PMC_RING_SIZE_DEFAULT + 1), EINVAL,
		      "watermark");
	assert_int_equal(pmc_context_set_ring(context, 1 << 24, 1 << 24), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(pmc_context_set_ring(context, 4096, 0), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(pmc_context_set_ring(context, 0, 8), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(pmc_context_set_ring(context, 0, 0), 0);
	assert_int_equal(pmc_context_set_sampling(context, PMC_SAMPLE_MMAPS, 0), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(pmc_context_set_sampling(context, 0, 127), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(pmc_context_set_sampling(context, 0, 0), 0);
	assert_failed(pmc_context_set_throttle(context, 51), EINVAL, "51 %: it is 1 to 50 %");
	assert_int_equal(pmc_context_set_throttle(context, 1), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(pmc_context_set_throttle(context, 0), 0);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_failed(pmc_context_set_sampling(context, 0, 0), EBADFD, "release it first");
	assert_failed(pmc_context_set_ring(context, 0, 0), EBADFD, "release it first");
	assert_failed(pmc_context_set_throttle(context, 0), EBADFD, "release it first");
}

static void refused(void **state)
{
	(void)state;
	must_add("instructions:u:p=0x7fffffff");
	must_add("cycles:u:p=0x80000000");
	assert_failed(pmc_context_configure(context), ERANGE,
		      "counter fixed1 has periods of up to 2147483647, and 2147483648 is longer");
}

static void refused_otherwise(void **state)
{
	(void)state;
	must_add("instructions:u:p=0x7fffffff");
	assert_int_equal(pmc_context_set_user_read(context), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "read in user mode");
	assert_int_equal(pmc_context_set_thread(context, 0, false), 0);
	assert_int_equal(pmc_context_set_sampling(context, PMC_SAMPLE_KERNEL_CALLCHAIN, 0), 0);
	fake.unprivileged = true;
	assert_failed(pmc_context_configure(context), EACCES, "kernel's call chain");
	fake.query.features &= ~PMC_FEATURE(INTERRUPT);
	assert_failed(pmc_context_configure(context), EOPNOTSUPP, "do not interrupt on overflow");
}

static void statistics(void **state)
{
	struct pmc_statistics answer;
	struct pmc_snapshot snapshot;

	(void)state;
	assert_failed(pmc_context_statistics(context, &answer), EBADFD, "became of the overflows");
	must_start();
	fake.statistics = (struct pmc_statistics){ .records = 1, .sampled = 2, .lost = 3,
						   .throttled = 4, .mmaps_lost = 5, .spurious = 6,
						   .wakeups = 7 };
	assert_int_equal(pmc_context_statistics(context, &answer), 0);
	fake.statistics.size = sizeof(answer);
	assert_memory_equal(&answer, &fake.statistics, sizeof(answer));
	assert_int_equal(pmc_context_read(context, &snapshot), 0);
	assert_int_equal(snapshot.overflows, 9);
}

/* ---- open ---- */

static void open_errors(void **state)
{
	(void)state;
	must_add("instructions:u");
	assert_failed(!pmc_samples_open(context, 0), EBADFD, "not configured");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_failed(!pmc_samples_open(context, 0), EINVAL, "has a period");
	assert_int_equal(pmc_context_release(context), 0);
	must_add("cycles:u:p=5");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_failed(!pmc_samples_open(context, 4), EINVAL, "flags 0x4");
	assert_failed(!pmc_samples_open(context, PMC_SAMPLES_READ | PMC_SAMPLES_ORDERED), EINVAL,
		      "PMC_SAMPLES_ORDERED needs the mapped rings");
	fake.ring_error = EACCES;
	assert_failed(!pmc_samples_open(context, 0), EACCES, "mapping the sample rings");
	fake.ring_error = EINVAL;
	assert_failed(!pmc_samples_open(context, 0), EINVAL, "no sample rings");
	fake.ring_error = ENOMEM;
	assert_failed(!pmc_samples_open(context, PMC_SAMPLES_ORDERED), ENOMEM, "out of memory");
	pmc_samples_close(NULL);
}

/* Mapped rings leave the flags of the context's file as they are. */
static void file_flags(void **state)
{
	int flags;

	(void)state;
	must_start();
	flags = fcntl(pmc_context_fd(context), F_GETFL) | O_NONBLOCK;
	assert_int_equal(fcntl(pmc_context_fd(context), F_SETFL, flags), 0);
	must_open(0);
	pmc_samples_close(samples);
	samples = NULL;
	assert_int_equal(fcntl(pmc_context_fd(context), F_GETFL), flags);
}

static void default_size(void **state)
{
	(void)state;
	must_add("instructions:u:p=5");
	assert_int_equal(pmc_context_configure(context), 0);
	must_open(0);
	assert_int_equal(fake.mapped_rings, FAKE_CPUS);
	assert_int_equal(fake.ring[0]->data_size, PMC_RING_SIZE_DEFAULT);
	assert_int_equal(pmc_samples_fd(samples), pmc_context_fd(context));
}

static void one_cpu(void **state)
{
	(void)state;
	assert_int_equal(pmc_context_set_cpu(context, 1), 0);
	must_add("instructions:u:p=5");
	assert_int_equal(pmc_context_configure(context), 0);
	must_open(0);
	assert_int_equal(fake.mapped_rings, 1);
	write_sample(1, 1, 5);
	next_sample(1, 5);
	next_is_none();
}

/* ---- records ---- */

static void all_fields(void **state)
{
	union record written = sample_at(77, 5, 2, 3);
	const struct pmc_sample *sample;
	int i;

	(void)state;
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

	(void)state;
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
	(void)state;
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

	(void)state;
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

	(void)state;
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

	(void)state;
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

	(void)state;
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

	(void)state;
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
	(void)state;
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

	(void)state;
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

	(void)state;
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
	(void)state;
	must_start();
	must_open(0);
	assert_true(fake_ring_write(0, &(union record){ .head = { PMC_RECORD_PAD, 512 } }));
	next_is_damage("a record of 512 bytes where 8 are left");
	next_is_none();
}

static void damaged_head(void **state)
{
	uint32_t flags;

	(void)state;
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
	(void)state;
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

	(void)state;
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

	(void)state;
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
	(void)state;
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
	(void)state;
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
	(void)state;
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
	(void)state;
	must_start();
	read_records(PMC_SAMPLES_READ);
}

static void by_read_for_want_of_memory(void **state)
{
	(void)state;
	must_start();
	fake.ring_error = ENOMEM;
	read_records(0);
}

/* The ring that was mapped first is given back: its tail is only moved by read(2). */
static void by_read_after_one_ring(void **state)
{
	int i;

	(void)state;
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

	(void)state;
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
	(void)state;
	must_start();
	must_open(0);
	assert_int_equal(pmc_samples_wait(samples, 1), 1);
	next_is_none();
	write_sample(0, 1, 1);
	assert_int_equal(pmc_samples_wait(samples, -1), 1);
	next_sample(0, 1);
	next_is_none();
}

/* Within a round, the reader does not wait for the watermark. */
static void wait_errors(void **state)
{
	(void)state;
	must_start();
	must_open(0);
	fake.poll_error = EINTR;
	assert_failed(pmc_samples_wait(samples, -1) < 0, EINTR, "a signal came");
	fake.poll_error = ENOMEM;
	assert_failed(pmc_samples_wait(samples, -1) < 0, ENOMEM, "waiting for samples");
}

static void wait_in_a_round(void **state)
{
	(void)state;
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

	(void)state;
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
	(void)state;
	must_start();
	must_open(0);
	assert_int_equal(pmc_context_release(context), 0);
	assert_failed(pmc_samples_wait(samples, -1), EBADFD, "not configured");
}

/* ---- a producer on each CPU ---- */

/* @written: samples that fitted into the ring; @lost: samples that did not */
struct producer {
	pthread_t thread;
	int cpu;
	bool lossless;
	uint64_t num;
	uint64_t written;
	uint64_t lost;
};

/* Held while a record is written, until it can be read */
static pthread_mutex_t writing[FAKE_CPUS] = {
	[0 ... FAKE_CPUS - 1] = PTHREAD_MUTEX_INITIALIZER,
};

/* Waits until no record is being written, as the driver's READ does. */
static void interrupt_all(void)
{
	int i;

	for (i = 0; i < FAKE_CPUS; i++) {
		pthread_mutex_lock(&writing[i]);
		pthread_mutex_unlock(&writing[i]);
	}
}

static bool write_now(int cpu, union record *record)
{
	bool written;

	pthread_mutex_lock(&writing[cpu]);
	record->sample.tsc = __atomic_fetch_add(&fake.clock, 1, __ATOMIC_SEQ_CST);
	written = fake_ring_write(cpu, record);
	pthread_mutex_unlock(&writing[cpu]);
	return written;
}

static void *produce(void *data)
{
	struct producer *producer = data;
	unsigned int random = producer->cpu;
	uint64_t i;

	for (i = 0; i < producer->num; i++) {
		union record record = sample_at(0, i, rand_r(&random) % 20, rand_r(&random) % 20);

		record.sample.cpu = producer->cpu;
		while (!write_now(producer->cpu, &record)) {
			if (!producer->lossless) {
				producer->lost++;
				break;
			}
			fake_ring_forget_loss(producer->cpu);
			sched_yield();
		}
	}
	producer->written = producer->num - producer->lost;
	return NULL;
}

/* What the consumer has read of each CPU */
struct seen {
	uint64_t samples;
	uint64_t lost;
	uint64_t next;
};

static void see_sample(struct seen *seen, const struct pmc_sample *sample)
{
	unsigned int num = 2 + sample->nr_kernel_frames + sample->nr_user_frames, i;

	for (i = 0; i < num; i++)
		if (sample->data[i] != sample->ip * 1000 + i)
			fail_msg("a record has changed");
	if (sample->ip < seen->next)
		fail_msg("a record came twice, or out of turn");
	/* the records in between were reported as lost */
	if (sample->ip - seen->next != seen->lost)
		fail_msg("%d missing, %d reported", (int)(sample->ip - seen->next),
			 (int)seen->lost);
	seen->lost = 0;
	seen->next = sample->ip + 1;
	seen->samples++;
}

static void check_time(const struct pmc_sample *sample, uint64_t *time)
{
	if (sample->tsc <= *time)
		fail_msg("time runs backwards");
	*time = sample->tsc;
}

/* @time: time of the last sample, if samples are ordered by time; otherwise NULL */
static uint64_t consume_round(struct seen *seen, uint64_t *time)
{
	const struct pmc_record *record;
	uint64_t lost = 0;

	errno = 0;
	while ((record = pmc_samples_next(samples))) {
		struct seen *cpu = &seen[pmc_samples_cpu(samples)];

		if (record->type == PMC_RECORD_LOST) {
			cpu->lost = ((const struct pmc_lost *)record)->overflows;
			lost += cpu->lost;
		} else {
			see_sample(cpu, (const struct pmc_sample *)record);
			if (time)
				check_time((const struct pmc_sample *)record, time);
		}
	}
	assert_int_equal(errno, EAGAIN);
	return lost;
}

static void *end_when_done(void *data)
{
	struct producer *producers = data;
	int i;

	for (i = 0; i < FAKE_CPUS; i++) {
		pthread_join(producers[i].thread, NULL);
		fake_ring_tell_loss(i);
	}
	__atomic_store_n(&fake.ended, true, __ATOMIC_RELEASE);
	fake_rings_wake();
	return NULL;
}

static void run_producers(bool lossless, uint32_t flags, uint64_t num)
{
	struct producer producers[FAKE_CPUS] = { 0 };
	struct seen seen[FAKE_CPUS] = { 0 };
	uint64_t lost = 0, time = 0;
	pthread_t ender;
	int i;

	fake.clock = 1;
	fake.on_read = interrupt_all;
	must_start();
	must_open(flags);
	for (i = 0; i < FAKE_CPUS; i++) {
		producers[i].cpu = i;
		producers[i].num = num;
		producers[i].lossless = lossless;
		pthread_create(&producers[i].thread, NULL, produce, &producers[i]);
	}
	pthread_create(&ender, NULL, end_when_done, producers);
	while (pmc_samples_wait(samples, -1) > 0)
		lost += consume_round(seen, flags & PMC_SAMPLES_ORDERED ? &time : NULL);
	pthread_join(ender, NULL);
	for (i = 0; i < FAKE_CPUS; i++) {
		assert_int_equal(seen[i].samples, producers[i].written);
		lost -= producers[i].lost;
	}
	assert_int_equal(lost, 0);
}

static void producers_and_reader(void **state)
{
	(void)state;
	run_producers(true, 0, 40000);
}

static void producers_that_lose(void **state)
{
	(void)state;
	run_producers(false, 0, 100000);
}

static void producers_in_order(void **state)
{
	(void)state;
	run_producers(true, PMC_SAMPLES_ORDERED, 20000);
}

static void producers_that_lose_in_order(void **state)
{
	(void)state;
	run_producers(false, PMC_SAMPLES_ORDERED, 50000);
}

int main(void)
{
#define sample_test(function)	cmocka_unit_test_setup_teardown(function, setup, teardown)
	const struct CMUnitTest tests[] = {
		sample_test(request),
		sample_test(no_request),
		sample_test(wrong_settings),
		sample_test(refused),
		sample_test(refused_otherwise),
		sample_test(statistics),
		sample_test(open_errors),
		sample_test(file_flags),
		sample_test(default_size),
		sample_test(one_cpu),
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
		sample_test(producers_and_reader),
		sample_test(producers_that_lose),
		sample_test(producers_in_order),
		sample_test(producers_that_lose_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
