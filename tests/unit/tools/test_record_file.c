// SPDX-License-Identifier: GPL-2.0-only
/* The file of pmcctl record: what is written can be read, and all damage is reported */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "fake.h"
#include "record/stream.h"
#include "util/error.h"
#include "util/xalloc.h"

#define ROOM	8192

/* A file as it is in memory */
struct image {
	size_t size;
	union {
		char data[ROOM];
		struct record_header header;
	};
};

static char error[RECORD_ERROR_SIZE];

/* ---- calls that fail ---- */

/*
 * @most: bytes that pread() reads at a time
 * @good_reads: calls until one fails; SIZE_MAX: none does
 * @error: its errno; 0: the end of the file, where errno has no meaning
 * @good_allocations: the same for malloc() and realloc()
 */
static struct {
	size_t most;
	size_t good_reads;
	int error;
	size_t good_allocations;
} calls;

ssize_t __real_pread(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset)
{
	if (calls.good_reads != SIZE_MAX && !calls.good_reads--) {
		errno = calls.error ? calls.error : EINTR;
		return calls.error ? -1 : 0;
	}
	return __real_pread(fd, data, size < calls.most ? size : calls.most, offset);
}

static bool may_allocate(void)
{
	return calls.good_allocations == SIZE_MAX || calls.good_allocations--;
}

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
	return may_allocate() ? __real_realloc(old, size) : NULL;
}

static void reset_calls(void)
{
	calls.most = SIZE_MAX;
	calls.good_reads = SIZE_MAX;
	calls.error = 0;
	calls.good_allocations = SIZE_MAX;
}

/* ---- a file with everything in it ---- */

struct event {
	struct record_event about;
	char text[8];
};

struct kernel {
	struct record_kernel about;
	struct record_symbol symbol[2];
	char texts[24];
};

struct mapped {
	struct record_mapped about;
	char build_id[3];
	char path[6];
} __attribute__((packed));

struct result {
	struct record_result about;
	uint64_t count[2];
};

struct records {
	struct pmc_sample sample;
	uint64_t data[3];
	struct pmc_throttle throttle;
};

/* What is written, for tests to change before */
static struct {
	char system[32];
	size_t system_size;
	struct event event[2];
	size_t event_size;
	size_t num_events;
	uint64_t extra[2];
	size_t extra_size;
	struct records records;
	size_t records_size;
	struct kernel kernel;
	size_t kernel_size;
	struct mapped mapped;
	size_t mapped_size;
	struct result result;
	size_t result_size;
	uint32_t twice;
	uint32_t other;
	bool without_system;
	bool without_result;
} content;

static void fill_content(void)
{
	memset(&content, 0, sizeof(content));
	memcpy(content.system, "key\0value\0key\0other", 20);
	content.system_size = 20;
	content.event[0] = (struct event){ { .period = 7, .modes = 1 }, "cycles1" };
	content.event[1] = (struct event){ { .event_select = 0xc0, .counter = 1 }, "r0000c0" };
	content.event_size = sizeof(struct event);
	content.num_events = 2;
	content.other = 4711;
	content.records = (struct records){
		.sample = {
			.record = { PMC_RECORD_SAMPLE, offsetof(struct records, throttle) },
			.counter = 1, .ip = 5, .nr_counters = 2, .nr_user_frames = 1,
			.comm = "prog",
		},
		.throttle = { .record = { PMC_RECORD_THROTTLE, sizeof(struct pmc_throttle) } },
	};
	content.records_size = sizeof(content.records);
	content.kernel = (struct kernel){
		.about = { .num_symbols = 2, .texts_size = sizeof(content.kernel.texts) },
		.symbol = { { 0x1000, 0x1010, 1, 0 }, { 0x1010, 0x1080, 7, 14 } },
		.texts = "\0first\0second\0module",
	};
	content.kernel_size = sizeof(content.kernel);
	content.mapped = (struct mapped){
		.about = { .inode = 3, .build_id_size = 3, .path_size = 6 },
		.build_id = "xyz", .path = "/path",
	};
	content.mapped_size = sizeof(content.mapped);
	content.result = (struct result){ { .lost = 9, .num_events = 2 }, { 11, 12 } };
	content.result_size = sizeof(content.result);
}

static void put(struct record_writer *writer, enum record_section_type type, uint32_t cpu,
		const void *payload, size_t size)
{
	assert_int_equal(record_write_section(writer, type, cpu, payload, size), 0);
	if (content.twice == type)
		assert_int_equal(record_write_section(writer, type, cpu, payload, size), 0);
}

/* Write the content. */
static void make(struct image *image)
{
	struct record_writer writer;
	FILE *file;
	size_t i;

	memset(image, 0, sizeof(*image));
	file = fmemopen(image->data, ROOM, "w");
	assert_int_equal(record_write_begin(&writer, file), 0);
	if (!content.without_system)
		put(&writer, RECORD_SYSTEM, 0, content.system, content.system_size);
	for (i = 0; i < content.num_events; i++)
		put(&writer, RECORD_EVENT, 0, &content.event[i % 2], content.event_size);
	if (content.extra_size)
		put(&writer, RECORD_EXTRA, 0, content.extra, content.extra_size);
	put(&writer, RECORD_RECORDS, 1, &content.records, content.records_size);
	put(&writer, content.other, 0, "unknown", 7);
	put(&writer, RECORD_KERNEL, 0, &content.kernel, content.kernel_size);
	put(&writer, RECORD_FILE, 0, &content.mapped, content.mapped_size);
	put(&writer, RECORD_VDSO, 0, "elf", 3);
	if (!content.without_result)
		put(&writer, RECORD_RESULT, 0, &content.result, content.result_size);
	assert_int_equal(record_write_end(&writer), 0);
	image->size = writer.offset;
	record_write_abort(&writer);
	assert_int_equal(fclose(file), 0);
}

static struct record_file *parse(const struct image *image)
{
	struct record_file *file;
	/* just as long as it is, so that reading beyond is seen */
	char *data = malloc(image->size);

	memcpy(data, image->data, image->size);
	error[0] = '\0';
	file = record_parse(data, image->size, false, error);
	free(data);
	return file;
}

static void fails(const struct image *image, const char *words)
{
	struct record_file *file = parse(image);

	record_free(file);
	if (file)
		fail_msg("it was read, where '%s' was expected", words);
	if (!strstr(error, words))
		fail_msg("'%s' is not in '%s'", words, error);
}

static int setup(void **state)
{
	(void)state;
	fake_reset();
	reset_calls();
	fill_content();
	return 0;
}

/* ---- what is written is read ---- */

static void round_trip(void **state)
{
	struct image image;
	struct record_file *file;
	const struct record_symbol *symbol;

	(void)state;
	make(&image);
	file = parse(&image);
	if (!file)
		fail_msg("%s", error);
	assert_int_equal(file->num_sections, 9);
	assert_int_equal(file->num_system, 4);
	assert_string_equal(record_system(file, "key"), "value");
	assert_string_equal(file->system[3], "other");
	assert_string_equal(record_system(file, "value"), "");
	assert_int_equal(file->num_events, 2);
	assert_memory_equal(file->event[0], &content.event[0].about, sizeof(struct record_event));
	assert_string_equal(record_event_text(file->event[1]), "r0000c0");
	assert_int_equal(file->section[3].type, RECORD_RECORDS);
	assert_int_equal(file->section[3].cpu, 1);
	assert_int_equal(file->section[3].size, sizeof(content.records));
	assert_null(file->section[3].payload);
	assert_null(file->section[4].payload);
	symbol = record_symbols(file->kernel);
	assert_int_equal(symbol[1].end, 0x1080);
	assert_string_equal(record_kernel_text(file->kernel, symbol[0].name), "first");
	assert_string_equal(record_kernel_text(file->kernel, symbol[0].module), "");
	assert_string_equal(record_kernel_text(file->kernel, symbol[1].name), "second");
	assert_string_equal(record_kernel_text(file->kernel, symbol[1].module), "module");
	assert_memory_equal(record_build_id(file->section[6].payload), "xyz", 3);
	assert_string_equal(record_mapped_path(file->section[6].payload), "/path");
	assert_int_equal(file->vdso->size, 3);
	assert_int_equal(file->result->lost, 9);
	assert_int_equal(record_counts(file->result)[1], 12);
	/* as version 0.1.0 wrote it */
	assert_int_equal(record_event_extra(file, 1), 0);
	record_free(file);
	record_free(NULL);
}

/* Values of further registers */
static void extra(void **state)
{
	struct record_file *file;
	struct image image;

	(void)state;
	content.extra[1] = 0x3fc0010001;
	content.extra_size = sizeof(content.extra);
	make(&image);
	file = parse(&image);
	if (!file)
		fail_msg("%s", error);
	assert_int_equal(record_event_extra(file, 0), 0);
	assert_int_equal(record_event_extra(file, 1), 0x3fc0010001);
	record_free(file);
}

/* ---- records in the order of time ---- */

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

static void put_about(struct record_writer *writer)
{
	put(writer, RECORD_SYSTEM, 0, content.system, content.system_size);
	put(writer, RECORD_EVENT, 0, &content.event[0], sizeof(content.event[0]));
	content.result.about.num_events = 1;
	put(writer, RECORD_RESULT, 0, &content.result, content.result_size - 8);
}

static void begin_file(struct record_writer *writer, FILE *file)
{
	assert_int_equal(record_write_begin(writer, file), 0);
	put_about(writer);
}

static struct record_file *end_file(struct record_writer *writer, FILE *file, const char *data)
{
	struct record_file *read;

	assert_int_equal(record_write_end(writer), 0);
	assert_int_equal(fclose(file), 0);
	read = record_parse(data, writer->offset, false, error);
	record_write_abort(writer);
	if (!read)
		fail_msg("%s", error);
	return read;
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
	static char data[ROOM];
	FILE *memory = fmemopen(data, sizeof(data), "w");
	struct byte_buffer bytes = { 0 };
	struct record_writer writer;
	struct record_file *file;

	(void)state;
	begin_file(&writer, memory);
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
	file = end_file(&writer, memory, data);
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
	begin_file(&writer, memory);
	for (i = 1; i <= 2000; i++)
		put_sample(&bytes, i);
	put_unknown(&bytes, 200000);
	for (; i <= 4000; i++)
		put_sample(&bytes, i);
	put_records(&writer, 0, &bytes);
	file = end_file(&writer, memory, data);
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
	begin_file(&writer, memory);
	put_unknown(&bytes, 66000);
	for (i = 1; i <= 1000; i++)
		put_sample(&bytes, i);
	put_unknown(&bytes, 66000 + 2 * 65536 - bytes.size);
	put_records(&writer, 0, &bytes);
	put_unknown(&bytes, 70000);
	put_records(&writer, 0, &bytes);
	file = end_file(&writer, memory, data);
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
	put_about(&writer);
	return end_file(&writer, memory, data);
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

	begin_file(&writer, memory);
	for (i = 1; i <= 1000; i++)
		put_sample(&bytes, i);
	put_unknown(&bytes, 70000);
	put_sample(&bytes, i);
	put_records(&writer, 0, &bytes);
	put_sample(&bytes, 1);
	put_sample(&bytes, 2000);
	put_records(&writer, 1, &bytes);
	return end_file(&writer, memory, data);
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
	reset_calls();
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
	static char data[ROOM];
	FILE *memory = fmemopen(data, sizeof(data), "w");
	struct byte_buffer bytes = { 0 };
	struct record_stream *stream;
	struct record_writer writer;
	struct record_file *file;
	uint32_t size = 7, event = 1;
	uint64_t offset;

	(void)state;
	begin_file(&writer, memory);
	put_throttle(&bytes, 3);
	put_records(&writer, 1, &bytes);
	put_sample(&bytes, 1);
	put_sample(&bytes, 2);
	put_records(&writer, 0, &bytes);
	file = end_file(&writer, memory, data);
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

/*
 * The same content gives the same bytes. A change of the format fails here; it needs a new
 * version and a change of pmc-data(5).
 */
static void version_1(void **state)
{
	struct image image;

	(void)state;
	make(&image);
	assert_int_equal(RECORD_VERSION, 1);
	assert_int_equal(image.size, 1048);
	assert_int_equal(crc32(0, (void *)image.data, image.size), 0x37a684c0);
	/* the CRC is the same for all headers that end with their own CRC */
	assert_int_equal(adler32(1, (void *)image.data, image.size), 0xfea4567f);
}

/* Many sections, of all lengths modulo 8 */
static void many_sections(void **state)
{
	static char data[1 << 20], zeros[500];
	struct record_writer writer;
	struct record_file *file;
	FILE *memory = fmemopen(data, sizeof(data), "w");
	size_t i;

	(void)state;
	record_write_begin(&writer, memory);
	put(&writer, RECORD_SYSTEM, 0, content.system, content.system_size);
	put(&writer, RECORD_EVENT, 0, &content.event[0], sizeof(content.event[0]));
	content.result.about.num_events = 1;
	put(&writer, RECORD_RESULT, 0, &content.result, sizeof(content.result) - 8);
	for (i = 0; i < 500; i++)
		put(&writer, 4711, i, zeros, i);
	assert_int_equal(record_write_end(&writer), 0);
	fclose(memory);
	file = record_parse(data, writer.offset, false, error);
	if (!file)
		fail_msg("%s", error);
	assert_int_equal(file->num_sections, 503);
	for (i = 0; i < 500; i++) {
		assert_int_equal(file->section[i + 3].size, i);
		assert_int_equal(file->section[i + 3].cpu, i);
	}
	record_free(file);
	record_write_abort(&writer);
}

/* 32 events, counts of this many, and a build-id of this many bytes */
static struct record_file *large_file(uint32_t num_counts, uint32_t build_id_size)
{
	static char data[ROOM], zeros[sizeof(struct record_result) + 33 * 8];
	struct record_mapped mapped = { .build_id_size = build_id_size, .path_size = 1 };
	struct record_result *result = (struct record_result *)zeros;
	char file_section[sizeof(mapped) + RECORD_BUILD_ID_MAX + 2] = "";
	FILE *memory = fmemopen(data, sizeof(data), "w");
	struct record_writer writer;
	int i;

	record_write_begin(&writer, memory);
	put(&writer, RECORD_SYSTEM, 0, content.system, content.system_size);
	for (i = 0; i < 32; i++)
		put(&writer, RECORD_EVENT, 0, &content.event[0], sizeof(content.event[0]));
	result->num_events = num_counts;
	put(&writer, RECORD_RESULT, 0, zeros, sizeof(*result) + num_counts * 8);
	memcpy(file_section, &mapped, sizeof(mapped));
	put(&writer, RECORD_FILE, 0, file_section, sizeof(mapped) + build_id_size + 1);
	assert_int_equal(record_write_end(&writer), 0);
	fclose(memory);
	record_write_abort(&writer);
	return record_parse(data, writer.offset, false, error);
}

/* As much as there can be, and one byte more */
static void limits(void **state)
{
	struct record_file *file = large_file(32, RECORD_BUILD_ID_MAX);
	struct image image;

	(void)state;
	if (!file)
		fail_msg("%s", error);
	record_free(file);
	assert_null(large_file(32, RECORD_BUILD_ID_MAX + 1));
	assert_string_equal(error, "it is damaged: its FILE section has no path");
	assert_null(large_file(33, 0));
	assert_string_equal(error, "it is damaged: its RESULT section has a wrong length");
	content.records.sample.overflows = UINT64_MAX;
	content.kernel.symbol[0].start = 0;
	memcpy(content.system, "key\0value\0two\0other", 20);
	make(&image);
	file = parse(&image);
	if (!file)
		fail_msg("%s", error);
	assert_string_equal(record_system(file, "two"), "other");
	record_free(file);
}

/* A section of which more than one chunk is kept */
static void large_section(void **state)
{
	static char data[1 << 18], elf[100000];
	FILE *memory = fmemopen(data, sizeof(data), "w");
	struct record_writer writer;
	struct record_file *file;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(elf); i++)
		elf[i] = i % 251;
	begin_file(&writer, memory);
	put(&writer, RECORD_VDSO, 0, elf, sizeof(elf));
	file = end_file(&writer, memory, data);
	assert_int_equal(file->vdso->size, sizeof(elf));
	assert_memory_equal(file->vdso->payload, elf, sizeof(elf));
	record_free(file);
}

static void cannot_write(void **state)
{
	static char data[2048];
	struct record_writer writer;
	FILE *memory = fopen("/dev/full", "w");

	(void)state;
	record_write_begin(&writer, memory);
	assert_int_equal(record_write_section(&writer, 4711, 0, data, sizeof(data)), 0);
	assert_int_equal(record_write_end(&writer), -1);
	record_write_abort(&writer);
	record_write_abort(&writer);
	fclose(memory);
}

/* A header, a section of 2 x 8 bytes and the index, in a file of @room bytes */
static void write_to(size_t room)
{
	const size_t header = sizeof(struct record_header);
	const size_t section = header + sizeof(struct record_section) + 16;
	const size_t end = section + sizeof(struct record_section) + sizeof(struct record_index_entry);
	FILE *memory = fmemopen(NULL, room, "w");
	struct record_writer writer;
	int result;

	setvbuf(memory, NULL, _IONBF, 0);
	result = record_write_begin(&writer, memory);
	assert_int_equal(result, room < header ? -1 : 0);
	if (!result) {
		result = record_write_section(&writer, 4711, 0, "0123456789", 10);
		assert_int_equal(result, room < section ? -1 : 0);
	}
	if (!result)
		assert_int_equal(record_write_end(&writer), room < end ? -1 : 0);
	record_write_abort(&writer);
	fclose(memory);
}

static void no_room(void **state)
{
	struct record_writer writer;
	size_t room;
	int fds[2];
	FILE *file;

	(void)state;
	for (room = 1; room <= 200; room++)
		write_to(room);
	assert_int_equal(pipe(fds), 0);
	file = fdopen(fds[1], "w");
	assert_int_equal(record_write_begin(&writer, file), -1);
	fclose(file);
	close(fds[0]);
}

/* Memory for the index entries, and for the copy of them */
static void no_memory_to_write(void **state)
{
	static char data[ROOM];
	FILE *memory = fmemopen(data, sizeof(data), "w");
	struct record_writer writer;

	(void)state;
	assert_int_equal(record_write_begin(&writer, memory), 0);
	calls.good_allocations = 0;
	assert_int_equal(record_write_section(&writer, 4711, 0, data, 8), -1);
	assert_int_equal(calls.good_allocations, SIZE_MAX);
	assert_int_equal(record_write_section(&writer, 4711, 0, data, 8), 0);
	calls.good_allocations = 0;
	assert_int_equal(record_write_end(&writer), -1);
	assert_int_equal(calls.good_allocations, SIZE_MAX);
	record_write_abort(&writer);
	fclose(memory);
}

/* ---- what is left of a damaged file ---- */

/* Read what is good of it. */
static struct record_file *parse_part(const struct image *image)
{
	memset(error, 'x', sizeof(error));
	return record_parse(image->data, image->size, true, error);
}

/* Samples of the part that is read: 1, or 0 if the RECORDS section is not complete */
static size_t num_records(const struct record_file *file)
{
	struct record_stream *stream = record_stream_open(file);
	size_t num = 0;

	while (record_stream_next(stream))
		num++;
	assert_int_equal(record_stream_close(stream, error), 0);
	return num;
}

/* The sections that are complete can be read, wherever a file is cut after its first event. */
static void part_of_cut(void **state)
{
	struct image image, part;
	struct record_file *file;
	uint64_t event_end, records_end;

	(void)state;
	make(&image);
	file = parse(&image);
	event_end = file->section[2].offset - sizeof(struct record_section);
	records_end = file->section[3].offset + sizeof(content.records);
	record_free(file);
	file = parse_part(&image);
	assert_non_null(file);
	assert_string_equal(error, "");
	record_free(file);
	for (part = image; part.size > 0;) {
		part.size--;
		file = parse_part(&part);
		assert_int_equal(!!file, part.size >= event_end);
		if (strncmp(error, part.size < 8 ? "it is not a file" : "it is truncated", 15))
			fail_msg("%zu bytes: %s", part.size, error);
		if (file)
			assert_int_equal(num_records(file), part.size >= records_end ? 2 : 0);
		record_free(file);
	}
}

/* What follows a damaged section is not used: here the result. */
static void part_of_damaged(void **state)
{
	struct record_file *file;
	struct image image;

	(void)state;
	make(&image);
	file = parse(&image);
	image.data[file->section[7].offset]++;
	record_free(file);
	file = parse_part(&image);
	assert_non_null(file);
	assert_non_null(strstr(error, "the checksum of the VDSO section's content"));
	assert_int_equal(file->num_sections, 7);
	assert_int_equal(num_records(file), 2);
	assert_non_null(file->kernel);
	assert_null(file->vdso);
	assert_null(file->result);
	record_free(file);
	make(&image);
	image.header.file_size = 0;
	image.header.checksum = crc32(0, (void *)image.data,
				      offsetof(struct record_header, checksum));
	file = parse_part(&image);
	assert_non_null(file);
	assert_string_equal(error, "it was not finished: pmcctl record was killed, or is still running");
	assert_non_null(file->result);
	record_free(file);
}

/* All sections are good; only the index is damaged. Type 0 is unknown. */
static void part_of_bad_index(void **state)
{
	struct record_section *index;
	struct record_file *file;
	struct image image;

	(void)state;
	content.other = 0;
	content.twice = RECORD_INDEX;
	make(&image);
	index = (struct record_section *)(image.data + image.header.index);
	((struct record_index_entry *)(index + 1))[2].cpu = 1;
	index->payload_checksum = crc32(0, (void *)(index + 1), index->size);
	index->checksum = crc32(0, (void *)index, offsetof(struct record_section, checksum));
	file = parse_part(&image);
	assert_non_null(file);
	assert_non_null(strstr(error, "differs from its index entry"));
	assert_int_equal(file->num_sections, 9);
	assert_int_equal(file->num_events, 2);
	assert_non_null(file->result);
	record_free(file);
	image.data[image.header.index + sizeof(*index)]++;
	file = parse_part(&image);
	assert_non_null(file);
	assert_int_equal(file->num_sections, 9);
	record_free(file);
	fill_content();
	content.without_system = true;
	make(&image);
	assert_null(parse_part(&image));
}

/* A section with a good checksum and bad contents ends what can be used. */
static void part_of_bad(void **state)
{
	struct record_file *file;
	struct image image;

	(void)state;
	content.kernel_size = 4;
	make(&image);
	file = parse_part(&image);
	assert_non_null(file);
	assert_string_equal(error, "it is damaged: its KERNEL section has a wrong length");
	assert_int_equal(file->num_sections, 5);
	assert_int_equal(num_records(file), 2);
	assert_null(file->kernel);
	assert_null(file->result);
	record_free(file);
	fill_content();
	content.result.about.num_events = 1;
	content.result_size -= 8;
	make(&image);
	file = parse_part(&image);
	assert_non_null(file);
	assert_string_equal(error, "it is damaged: it has no RESULT section for its 2 events");
	assert_null(file->result);
	record_free(file);
	fill_content();
	content.extra_size = 8;
	make(&image);
	file = parse_part(&image);
	assert_non_null(file);
	assert_string_equal(error, "it is damaged: its EXTRA section is not for its 2 events");
	assert_int_equal(record_event_extra(file, 1), 0);
	record_free(file);
	fill_content();
	content.records.throttle.counter = 2;
	make(&image);
	file = parse_part(&image);
	assert_non_null(file);
	assert_string_equal(error, "it is damaged: a record is of event 2, of 2");
	record_free(file);
}

/* ---- damage of all kinds ---- */

static void cut_anywhere(void **state)
{
	struct image image, part;

	(void)state;
	make(&image);
	for (part = image; part.size > 0;) {
		part.size--;
		fails(&part, part.size < 8 ? "it is not a file of pmcctl record" :
		      "it is truncated: of its ");
	}
}

static void longer(void **state)
{
	struct image image;

	(void)state;
	make(&image);
	image.size += 8;
	fails(&image, "and 1");
}

static void every_bit(void **state)
{
	struct image image;
	size_t i, bit;

	(void)state;
	make(&image);
	for (i = 0; i < image.size; i++)
		for (bit = 0; bit < 8; bit++) {
			image.data[i] ^= 1 << bit;
			fails(&image, "it");
			image.data[i] ^= 1 << bit;
		}
	record_free(parse(&image));
	assert_string_equal(error, "");
}

static void unfinished(void **state)
{
	struct record_writer writer;
	struct image image = { .size = 0 };
	FILE *file = fmemopen(image.data, ROOM, "w");

	(void)state;
	record_write_begin(&writer, file);
	put(&writer, RECORD_SYSTEM, 0, content.system, content.system_size);
	fclose(file);
	image.size = writer.offset;
	record_write_abort(&writer);
	fails(&image, "it was not finished: pmcctl record was killed");
}

/* Nothing but a header, and nothing but a header and an index */
static void empty(void **state)
{
	struct record_writer writer;
	struct image image = { .size = 0 };
	FILE *file = fmemopen(image.data, ROOM, "w");

	(void)state;
	record_write_begin(&writer, file);
	fflush(file);
	image.size = writer.offset;
	assert_int_equal(image.header.index, 0);
	fails(&image, "it was not finished");
	assert_int_equal(record_write_end(&writer), 0);
	fclose(file);
	image.size = writer.offset;
	fails(&image, "it has no EVENT section");
	record_write_abort(&writer);
}

/* ---- damage with good checksums ---- */

static struct record_section *section_at(struct image *image, uint64_t offset)
{
	return (struct record_section *)(image->data + offset);
}

static void fix_checksum_section(struct record_section *section)
{
	size_t size = (section->size + 7) & ~7ULL;

	if (size < ROOM / 2)
		section->payload_checksum = crc32(0, (void *)(section + 1), size);
	section->checksum = crc32(0, (void *)section, offsetof(struct record_section, checksum));
}

static void fix_checksum_header(struct image *image)
{
	image->header.checksum = crc32(0, (void *)image->data,
				       offsetof(struct record_header, checksum));
}

static struct record_section *index_of(struct image *image)
{
	return section_at(image, image->header.index);
}

static struct record_index_entry *entries_of(struct image *image)
{
	return (struct record_index_entry *)(index_of(image) + 1);
}

static void bad_header(void **state)
{
	struct image good, image;

	(void)state;
	make(&good);
	image = good;
	image.header.magic[7]++;
	fails(&image, "it is not a file of pmcctl record");
	image = good;
	image.size = 39;
	fails(&image, "of its header of 40 bytes there are 39");
	image = good;
	image.header.version = 2;
	fails(&image, "its version is 2, and this pmcctl knows 1");
	image = good;
	image.header.reserved = 1;
	fix_checksum_header(&image);
	fails(&image, "its header has invalid values");
	image = good;
	image.header.header_size = 48;
	fix_checksum_header(&image);
	fails(&image, "its header has invalid values");
	image = good;
	image.header.index = image.size;
	fix_checksum_header(&image);
	fails(&image, "no section can be at");
	image.header.index = image.size - 8;
	fix_checksum_header(&image);
	fails(&image, "no section can be at");
	image.header.index = 3;
	fix_checksum_header(&image);
	fails(&image, "no section can be at 3");
	image.header.index = sizeof(struct record_header);
	fix_checksum_header(&image);
	fails(&image, "there is no index at 40");
	image.header.index = UINT64_MAX - 7;
	fix_checksum_header(&image);
	fails(&image, "no section can be at");
}

static void bad_index(void **state)
{
	struct image good, image;

	(void)state;
	make(&good);
	image = good;
	index_of(&image)->size -= 8;
	fix_checksum_section(index_of(&image));
	fails(&image, "there is no index at");
	image = good;
	index_of(&image)->size -= sizeof(struct record_index_entry);
	fix_checksum_section(index_of(&image));
	fails(&image, "the index is not the last section");
	image = good;
	index_of(&image)->size += 8;
	fix_checksum_section(index_of(&image));
	fails(&image, "bytes, and there are");
	index_of(&image)->size = UINT64_MAX - 3;
	fix_checksum_section(index_of(&image));
	fails(&image, "bytes, and there are");
	image = good;
	image.size -= 4;
	image.header.file_size = image.size;
	fix_checksum_header(&image);
	index_of(&image)->size -= 4;
	fix_checksum_section(index_of(&image));
	fails(&image, "bytes, and there are");
	image = good;
	entries_of(&image)[1].offset += 8;
	fix_checksum_section(index_of(&image));
	fails(&image, "the index has a section at");
	image = good;
	entries_of(&image)[1].type = RECORD_RESULT;
	fix_checksum_section(index_of(&image));
	fails(&image, "the EVENT section at 96 differs from its index entry");
	image = good;
	entries_of(&image)[1].cpu = 1;
	fix_checksum_section(index_of(&image));
	fails(&image, "differs from its index entry");
	image = good;
	entries_of(&image)[1].size++;
	fix_checksum_section(index_of(&image));
	fails(&image, "differs from its index entry");
}

/* The last sections do not reach to the index. */
static void gap(void **state)
{
	struct image image;
	struct record_section *index;

	(void)state;
	make(&image);
	index = index_of(&image);
	index->size -= sizeof(struct record_index_entry);
	memset((char *)(index + 1) + index->size, 0, sizeof(struct record_index_entry));
	fix_checksum_section(index);
	image.size -= sizeof(struct record_index_entry);
	image.header.file_size = image.size;
	fix_checksum_header(&image);
	fails(&image, "and the sections end at");
}

/* A section of another type, as long as an index of one entry */
static void other_index(void **state)
{
	struct image image;

	(void)state;
	content.system_size = sizeof(struct record_index_entry);
	make(&image);
	image.header.index = sizeof(struct record_header);
	fix_checksum_header(&image);
	fails(&image, "there is no index at 40");
}

static void content_fails(const char *words)
{
	struct image image;

	make(&image);
	fails(&image, words);
	fill_content();
}

static void bad_texts(void **state)
{
	(void)state;
	content.system_size = 19;
	content_fails("SYSTEM section has no end");
	content.system_size = 0;
	content_fails("SYSTEM section has no end");
	content.system_size = 14;
	content_fails("SYSTEM section has a key without a value");
	content.without_system = true;
	content_fails("it has no SYSTEM section");
	content.twice = RECORD_SYSTEM;
	content_fails("SYSTEM section comes twice");
	content.event_size = sizeof(struct record_event);
	content_fails("EVENT section has no text");
	content.event_size = 3;
	content_fails("EVENT section has no text");
	memset(content.event[1].text, 'x', 8);
	content_fails("EVENT section has no text");
	memcpy(content.event[1].text, "two\0txt", 8);
	content_fails("EVENT section has no text");
	content.num_events = 33;
	content_fails("EVENT section is one too many");
	content.num_events = 0;
	content.records_size = 0;
	content_fails("it has no EVENT section");
	content.other = RECORD_INDEX;
	content_fails("INDEX section is not the last one");
}

static void bad_files(void **state)
{
	(void)state;
	content.mapped.about.build_id_size = 65;
	content_fails("FILE section has no path");
	content.mapped.about.build_id_size = 4;
	content_fails("FILE section has no path");
	content.mapped.about.path_size = 0xffffffff;
	content_fails("FILE section has no path");
	content.mapped.path[2] = '\0';
	content.mapped.about.path_size = 3;
	content_fails("FILE section has no path");
	content.mapped.path[5] = 'x';
	content_fails("FILE section has no path");
	content.mapped_size = 8;
	content_fails("FILE section has no path");
	content.twice = RECORD_VDSO;
	content_fails("VDSO section comes twice");
	content.extra_size = 8;
	content_fails("its EXTRA section is not for its 2 events");
	content.extra_size = 15;
	content_fails("its EXTRA section is not for its 2 events");
	content.extra_size = 16;
	content.twice = RECORD_EXTRA;
	content_fails("EXTRA section comes twice");
}

static void bad_kernel(void **state)
{
	(void)state;
	content.twice = RECORD_KERNEL;
	content_fails("KERNEL section comes twice");
	content.kernel_size = 0;
	content_fails("KERNEL section has a wrong length");
	content.kernel_size = 4;
	content_fails("KERNEL section has a wrong length");
	content.kernel.about = (struct record_kernel){ .num_symbols = 0 };
	content.kernel_size = sizeof(struct record_kernel);
	content_fails("KERNEL section has texts without an end");
	content.kernel.about.num_symbols = 0xffffffff;
	content_fails("KERNEL section has a wrong length");
	content.kernel.about.texts_size = 23;
	content_fails("KERNEL section has a wrong length");
	content.kernel.texts[23] = 'x';
	content_fails("KERNEL section has texts without an end");
	content.kernel.about.num_symbols = 3;
	content.kernel.about.texts_size = 0;
	content_fails("KERNEL section has texts without an end");
	content.kernel.symbol[0].end = 0x1000;
	content_fails("KERNEL section has an invalid symbol");
	content.kernel.symbol[1].start = 0x100f;
	content_fails("KERNEL section has an invalid symbol");
	content.kernel.symbol[1].name = 24;
	content_fails("KERNEL section has an invalid symbol");
	content.kernel.symbol[0].module = 24;
	content_fails("KERNEL section has an invalid symbol");
}

static void bad_result(void **state)
{
	(void)state;
	content.twice = RECORD_RESULT;
	content_fails("RESULT section comes twice");
	content.result_size = 8;
	content_fails("RESULT section has a wrong length");
	content.result.about.num_events = 33;
	content_fails("RESULT section has a wrong length");
	content.result.about.num_events = 1;
	content_fails("RESULT section has a wrong length");
	content.result.about.num_events = 1;
	content.result_size -= 8;
	content_fails("it has no RESULT section for its 2 events");
	content.result.about.num_events = 0;
	content.result_size -= 16;
	content_fails("it has no RESULT section for its 2 events");
	content.without_result = true;
	content_fails("it has no RESULT section for its 2 events");
}

static void bad_records(void **state)
{
	(void)state;
	content.records_size -= 8;
	content_fails("RECORDS section of CPU 1: a record of 32 bytes where 24 are left");
	content.records_size = 4;
	content_fails("RECORDS section of CPU 1: a record of 0 bytes where 4 are left");
	content.records.sample.counter = 2;
	content.records.sample.nr_counters = 3;
	content.records.sample.nr_user_frames = 0;
	content_fails("a record is of event 2, of 2");
	content.records.throttle.counter = 2;
	content_fails("a record is of event 2, of 2");
	content.records.throttle.record.type = PMC_RECORD_UNTHROTTLE;
	content.records.throttle.counter = 0xffffffff;
	content_fails("a record is of event 4294967295, of 2");
	memset(content.records.sample.comm, 'x', 16);
	content_fails("not terminated");
	content.records.sample.overflows = UINT64_MAX / 2 + 1;
	content.twice = RECORD_RECORDS;
	content_fails("its samples are of more overflows than there can be");
}

/* ---- from disk ---- */

/* Short and interrupted reads; reads that fail; allocations that fail */
static void reads(void **state)
{
	struct record_file *file;
	struct image image;
	size_t i;

	(void)state;
	make(&image);
	for (i = 0;; i++) {
		calls.most = 7;
		calls.error = EINTR;
		calls.good_reads = i;
		file = parse(&image);
		if (!file)
			fail_msg("%s", error);
		record_free(file);
		if (calls.good_reads != SIZE_MAX)
			break;
	}
	reset_calls();
	for (i = 0;; i++) {
		calls.error = i % 2 ? 0 : EIO;
		calls.good_reads = i;
		file = parse(&image);
		if (file)
			break;
		assert_int_equal(calls.good_reads, SIZE_MAX);
		assert_non_null(strstr(error, i % 2 ? ": it has become shorter" :
				       ": Input/output error"));
	}
	assert_int_not_equal(calls.good_reads, SIZE_MAX);
	record_free(file);
}

/* For the contents of the index and of 7 other sections, and for the texts of SYSTEM */
static void no_memory_to_read(void **state)
{
	struct image image;
	size_t i;

	(void)state;
	make(&image);
	for (i = 0; i < 9; i++) {
		calls.good_allocations = i;
		assert_null(record_parse(image.data, image.size, false, error));
		assert_int_equal(calls.good_allocations, SIZE_MAX);
		assert_non_null(strstr(error, "out of memory"));
	}
}

/* The file cannot be kept in memory with this limit set to 0. */
static void limited(const struct image *image, int resource, const char *message)
{
	struct rlimit old, none;

	assert_int_equal(getrlimit(resource, &old), 0);
	none = (struct rlimit){ 0, old.rlim_max };
	assert_int_equal(setrlimit(resource, &none), 0);
	record_free(parse(image));
	assert_int_equal(setrlimit(resource, &old), 0);
	assert_string_equal(error, message);
}

/* Descriptor 0 can be used; none is inherited, and none stays open. */
static void descriptors(void **state)
{
	struct record_file *file;
	struct image image;
	int saved = dup(0);

	(void)state;
	make(&image);
	close(0);
	file = parse(&image);
	assert_int_equal(file->fd, 0);
	assert_int_equal(fcntl(0, F_GETFD), FD_CLOEXEC);
	record_free(file);
	assert_int_equal(fcntl(0, F_GETFD), -1);
	assert_null(record_read("/proc/self/exe", false, error));
	assert_string_equal(error, "it is not a file of pmcctl record");
	assert_int_equal(fcntl(0, F_GETFD), -1);
	assert_null(record_read("/", false, error));
	assert_int_equal(fcntl(0, F_GETFD), -1);
	signal(SIGXFSZ, SIG_IGN);
	limited(&image, RLIMIT_FSIZE, "File too large");
	assert_int_equal(fcntl(0, F_GETFD), -1);
	limited(&image, RLIMIT_NOFILE, "Too many open files");
	dup2(saved, 0);
	close(saved);
}

static void from_disk(void **state)
{
	char folder[] = "/tmp/pmcdrv-test-XXXXXX", path[64];
	struct record_file *file;
	struct image image;
	FILE *out;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_null(record_read(path, false, error));
	assert_string_equal(error, "No such file or directory");
	assert_null(record_read(folder, false, error));
	assert_string_equal(error, "it is not a regular file");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(record_read(path, false, error));
	assert_string_equal(error, "it is not a regular file");
	unlink(path);
	out = fopen(path, "w");
	fclose(out);
	assert_null(record_read(path, false, error));
	assert_string_equal(error, "it is not a file of pmcctl record");
	make(&image);
	out = fopen(path, "w");
	fwrite(image.data, image.size, 1, out);
	fclose(out);
	file = record_read(path, false, error);
	assert_non_null(file);
	assert_int_equal(fcntl(file->fd, F_GETFD), FD_CLOEXEC);
	record_free(file);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
#define file_test(function)	cmocka_unit_test_setup(function, setup)
	const struct CMUnitTest tests[] = {
		file_test(round_trip),
		file_test(extra),
		file_test(merged),
		file_test(several_windows),
		file_test(full_windows),
		file_test(many_cpus),
		file_test(stream_errors),
		file_test(changed_meanwhile),
		file_test(part_of_cut),
		file_test(part_of_damaged),
		file_test(part_of_bad_index),
		file_test(part_of_bad),
		file_test(version_1),
		file_test(many_sections),
		file_test(limits),
		file_test(large_section),
		file_test(cannot_write),
		file_test(no_room),
		file_test(no_memory_to_write),
		file_test(cut_anywhere),
		file_test(longer),
		file_test(every_bit),
		file_test(unfinished),
		file_test(empty),
		file_test(bad_header),
		file_test(bad_index),
		file_test(gap),
		file_test(other_index),
		file_test(bad_texts),
		file_test(bad_files),
		file_test(bad_kernel),
		file_test(bad_result),
		file_test(bad_records),
		file_test(reads),
		file_test(no_memory_to_read),
		file_test(descriptors),
		file_test(from_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
