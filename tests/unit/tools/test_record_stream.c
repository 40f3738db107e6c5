// SPDX-License-Identifier: GPL-2.0-only
/* The records of a file of pmcctl record, in the order of time */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_calls.h"
#include "record/stream.h"
#include "recording.h"
#include "util/error.h"
#include "util/xalloc.h"

static char error[RECORD_ERROR_SIZE];

/* A record of a stream, as it is expected */
struct expected {
	uint32_t type;
	uint32_t cpu;
	uint64_t time;
};

static void streams(const struct record_file *file, const struct expected *expected, size_t num)
{
	struct record_stream *stream = record_stream_open(file);
	const struct pmc_record *record;
	size_t i;

	for (i = 0; i < num; i++) {
		record = record_stream_next(stream);
		assert_non_null(record);
		assert_int_equal(record->type, expected[i].type);
		assert_int_equal(record_stream_cpu(stream), expected[i].cpu);
		assert_int_equal(record_stream_time(stream), expected[i].time);
	}
	assert_null(record_stream_next(stream));
	assert_null(record_stream_next(stream));
	error[0] = '\0';
	assert_int_equal(record_stream_close(stream, error), 0);
	assert_string_equal(error, "");
}

static void put_sample(struct byte_buffer *bytes, uint64_t tsc)
{
	struct {
		struct pmc_sample sample;
		uint64_t value;
	} one = {
		.sample = {
			.record = { PMC_RECORD_SAMPLE, sizeof(one) },
			.tsc = tsc, .overflows = 1, .nr_counters = 1,
		},
	};

	byte_buffer_append(bytes, &one, sizeof(one));
}

static void put_lost(struct byte_buffer *bytes)
{
	struct pmc_lost lost = { .record = { PMC_RECORD_LOST, sizeof(lost) }, .overflows = 1 };

	byte_buffer_append(bytes, &lost, sizeof(lost));
}

static void put_throttle(struct byte_buffer *bytes, uint64_t tsc)
{
	struct pmc_throttle throttle = {
		.record = { PMC_RECORD_THROTTLE, sizeof(throttle) }, .tsc = tsc,
	};

	byte_buffer_append(bytes, &throttle, sizeof(throttle));
}

static void put_mmap(struct byte_buffer *bytes, uint64_t tsc)
{
	struct {
		struct pmc_mmap mmap;
		char path[8];
	} one = {
		.mmap = { .record = { PMC_RECORD_MMAP, sizeof(one) }, .end = 1, .tsc = tsc },
	};

	byte_buffer_append(bytes, &one, sizeof(one));
}

/* An unknown record of @size bytes */
static void put_unknown(struct byte_buffer *bytes, uint32_t size)
{
	struct pmc_record record = { 4711, size };
	char *zeros = xcalloc(1, size);

	byte_buffer_append(bytes, &record, sizeof(record));
	byte_buffer_append(bytes, zeros, size - sizeof(record));
	free(zeros);
}

static void put_records(struct record_writer *writer, uint32_t cpu, struct byte_buffer *bytes)
{
	assert_int_equal(record_write_section(writer, RECORD_RECORDS, cpu, bytes->data,
					      bytes->size), 0);
	byte_buffer_free(bytes);
}

/*
 * Sections of CPUs 5 and 1 by turns; equal times: the lower CPU first; lost has no time. Records
 * of one CPU stay in their order, whatever their times are. A section of CPU 7 is empty.
 */
static void merged(void **state)
{
	static const struct expected expected[] = {
		{ PMC_RECORD_LOST, 1, 0 },
		{ PMC_RECORD_SAMPLE, 5, 10 },
		{ PMC_RECORD_SAMPLE, 1, 20 },
		{ PMC_RECORD_SAMPLE, 5, 20 },
		{ PMC_RECORD_LOST, 5, 20 },
		{ PMC_RECORD_SAMPLE, 1, 25 },
		{ 4711, 1, 25 },
		{ PMC_RECORD_SAMPLE, 1, 26 },
		{ PMC_RECORD_SAMPLE, 1, 24 },
		{ PMC_RECORD_THROTTLE, 1, 27 },
		{ PMC_RECORD_MMAP, 1, 28 },
		{ PMC_RECORD_SAMPLE, 5, 30 },
		{ PMC_RECORD_SAMPLE, 5, 40 },
	};
	static char data[IMAGE_ROOM];
	FILE *memory = fmemopen(data, sizeof(data), "w");
	struct byte_buffer bytes = { 0 };
	struct record_writer writer;
	struct record_file *file;

	(void)state;
	recording_begin(&writer, memory);
	put_sample(&bytes, 10);
	put_sample(&bytes, 20);
	put_lost(&bytes);
	put_records(&writer, 5, &bytes);
	put_lost(&bytes);
	put_sample(&bytes, 20);
	put_sample(&bytes, 25);
	put_unknown(&bytes, 16);
	put_records(&writer, 1, &bytes);
	put_records(&writer, 1, &bytes);
	put_sample(&bytes, 30);
	put_sample(&bytes, 40);
	put_records(&writer, 5, &bytes);
	put_sample(&bytes, 26);
	put_records(&writer, 1, &bytes);
	put_records(&writer, 7, &bytes);
	put_sample(&bytes, 24);
	put_throttle(&bytes, 27);
	put_mmap(&bytes, 28);
	put_records(&writer, 1, &bytes);
	file = recording_end(&writer, memory, data);
	streams(file, expected, ARRAY_SIZE(expected));
	record_free(file);
}

/* A section of several windows, with a record that is longer than a window */
static void several_windows(void **state)
{
	static char data[1 << 20];
	FILE *memory = fmemopen(data, sizeof(data), "w");
	struct byte_buffer bytes = { 0 };
	struct record_stream *stream;
	struct record_writer writer;
	struct record_file *file;
	uint64_t i;

	(void)state;
	recording_begin(&writer, memory);
	for (i = 1; i <= 2000; i++)
		put_sample(&bytes, i);
	put_unknown(&bytes, 200000);
	for (; i <= 4000; i++)
		put_sample(&bytes, i);
	put_records(&writer, 0, &bytes);
	file = recording_end(&writer, memory, data);
	stream = record_stream_open(file);
	for (i = 1; i <= 4000; i++) {
		assert_int_equal(record_stream_next(stream)->type, PMC_RECORD_SAMPLE);
		assert_int_equal(record_stream_time(stream), i);
		if (i == 2000)
			assert_int_equal(record_stream_next(stream)->size, 200000);
	}
	assert_null(record_stream_next(stream));
	assert_int_equal(record_stream_close(stream, error), 0);
	record_free(file);
}

/*
 * A record that is a little longer than a window, a last window of exactly its size that begins
 * with a part of a record, and a section that is one long record
 */
static void full_windows(void **state)
{
	static char data[1 << 19];
	FILE *memory = fmemopen(data, sizeof(data), "w");
	struct byte_buffer bytes = { 0 };
	const struct pmc_record *record;
	struct record_stream *stream;
	struct record_writer writer;
	struct record_file *file;
	uint64_t i;

	(void)state;
	recording_begin(&writer, memory);
	put_unknown(&bytes, 66000);
	for (i = 1; i <= 1000; i++)
		put_sample(&bytes, i);
	put_unknown(&bytes, 66000 + 2 * 65536 - bytes.size);
	put_records(&writer, 0, &bytes);
	put_unknown(&bytes, 70000);
	put_records(&writer, 0, &bytes);
	file = recording_end(&writer, memory, data);
	stream = record_stream_open(file);
	assert_int_equal(record_stream_next(stream)->size, 66000);
	for (i = 1; i <= 1000; i++) {
		assert_non_null(record_stream_next(stream));
		assert_int_equal(record_stream_time(stream), i);
	}
	assert_int_equal(record_stream_next(stream)->type, 4711);
	record = record_stream_next(stream);
	assert_int_equal(record->size, 70000);
	assert_int_equal(((const char *)record)[69999], 0);
	assert_null(record_stream_next(stream));
	assert_int_equal(record_stream_close(stream, error), 0);
	record_free(file);
}

/* @num CPUs with 20 records each, before the other sections of the file */
static struct record_file *file_of_cpus(uint32_t num)
{
	static char data[1 << 16];
	FILE *memory = fmemopen(data, sizeof(data), "w");
	struct byte_buffer bytes = { 0 };
	struct record_writer writer;
	uint64_t time, random = num;
	uint32_t cpu, i;

	assert_int_equal(record_write_begin(&writer, memory), 0);
	for (cpu = 0; cpu < num; cpu++) {
		for (i = 0, time = 0; i < 20; i++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			time += random >> 60;
			put_sample(&bytes, time);
		}
		put_records(&writer, cpu, &bytes);
	}
	recording_put_about(&writer);
	return recording_end(&writer, memory, data);
}

static void many_cpus(void **state)
{
	uint64_t time, last_time;
	uint32_t num, cpu, last_cpu, i;
	struct record_stream *stream;
	struct record_file *file;

	(void)state;
	for (num = 1; num <= 20; num++) {
		file = file_of_cpus(num);
		stream = record_stream_open(file);
		for (i = 0, last_time = 0, last_cpu = 0; i < 20 * num; i++) {
			assert_non_null(record_stream_next(stream));
			time = record_stream_time(stream);
			cpu = record_stream_cpu(stream);
			assert_true(time > last_time || (time == last_time && cpu >= last_cpu));
			last_time = time;
			last_cpu = cpu;
		}
		assert_null(record_stream_next(stream));
		assert_int_equal(record_stream_close(stream, error), 0);
		record_free(file);
	}
}

/* CPUs 0 and 1; a record of CPU 0 is longer than a window. */
static struct record_file *file_of_two(void)
{
	static char data[1 << 18];
	FILE *memory = fmemopen(data, sizeof(data), "w");
	struct byte_buffer bytes = { 0 };
	struct record_writer writer;
	uint64_t i;

	recording_begin(&writer, memory);
	for (i = 1; i <= 1000; i++)
		put_sample(&bytes, i);
	put_unknown(&bytes, 70000);
	put_sample(&bytes, i);
	put_records(&writer, 0, &bytes);
	put_sample(&bytes, 1);
	put_sample(&bytes, 2000);
	put_records(&writer, 1, &bytes);
	return recording_end(&writer, memory, data);
}

/* No record follows an error. Return: false without one */
static bool stream_fails(const struct record_file *file, size_t good_reads, int number,
			 const char *words)
{
	struct record_stream *stream = record_stream_open(file);
	bool failed;

	calls.good_reads = good_reads;
	calls.error = number;
	while (record_stream_next(stream))
		assert_int_not_equal(calls.good_reads, SIZE_MAX);
	failed = calls.good_reads == SIZE_MAX;
	failing_calls_reset();
	assert_null(record_stream_next(stream));
	assert_int_equal(record_stream_close(stream, error), failed ? -1 : 0);
	if (failed)
		assert_non_null(strstr(error, words));
	return failed;
}

static void stream_errors(void **state)
{
	struct record_file *file = file_of_two();
	size_t i;

	(void)state;
	for (i = 0; stream_fails(file, i, EIO, ": Input/output error"); i++)
		;
	assert_int_equal(i, 5);
	for (i = 0; stream_fails(file, i, 0, ": it has become shorter"); i++)
		;
	assert_int_equal(i, 5);
	record_free(file);
}

/* Another process changes the file after it was checked. */
static void changed_meanwhile(void **state)
{
	static char data[IMAGE_ROOM];
	FILE *memory = fmemopen(data, sizeof(data), "w");
	struct byte_buffer bytes = { 0 };
	struct record_stream *stream;
	struct record_writer writer;
	struct record_file *file;
	uint32_t size = 7, event = 1;
	uint64_t offset;

	(void)state;
	recording_begin(&writer, memory);
	put_throttle(&bytes, 3);
	put_records(&writer, 1, &bytes);
	put_sample(&bytes, 1);
	put_sample(&bytes, 2);
	put_records(&writer, 0, &bytes);
	file = recording_end(&writer, memory, data);
	offset = file->section[3].offset + offsetof(struct pmc_throttle, counter);
	assert_int_equal(pwrite(file->fd, &event, 4, offset), 4);
	stream = record_stream_open(file);
	assert_null(record_stream_next(stream));
	assert_int_equal(record_stream_close(stream, error), -1);
	assert_non_null(strstr(error, "a record is of event 1, of 1"));
	event = 0;
	assert_int_equal(pwrite(file->fd, &event, 4, offset), 4);
	event = 1;
	offset = file->section[4].offset + file->section[4].size / 2;
	assert_int_equal(pwrite(file->fd, &event, 4, offset + offsetof(struct pmc_sample, counter)),
			 4);
	stream = record_stream_open(file);
	assert_non_null(record_stream_next(stream));
	assert_null(record_stream_next(stream));
	assert_int_equal(record_stream_close(stream, error), -1);
	assert_non_null(strstr(error, "a sample of counter 1, of 1"));
	assert_int_equal(pwrite(file->fd, &size, 4, offset + offsetof(struct pmc_record, size)), 4);
	stream = record_stream_open(file);
	assert_non_null(record_stream_next(stream));
	assert_null(record_stream_next(stream));
	assert_int_equal(record_stream_close(stream, error), -1);
	assert_non_null(strstr(error, "a record of 7 bytes where"));
	assert_int_equal(ftruncate(file->fd, offset + 8), 0);
	stream = record_stream_open(file);
	assert_null(record_stream_next(stream));
	assert_int_equal(record_stream_close(stream, error), -1);
	assert_non_null(strstr(error, ": it has become shorter"));
	record_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		recording_test(merged),
		recording_test(several_windows),
		recording_test(full_windows),
		recording_test(many_cpus),
		recording_test(stream_errors),
		recording_test(changed_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
