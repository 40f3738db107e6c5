// SPDX-License-Identifier: GPL-2.0-only
/* The file of pmcctl record: what is written can be read, and all damage is reported */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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

static void begin_file(struct record_writer *writer, FILE *file)
{
	assert_int_equal(record_write_begin(writer, file), 0);
	put(writer, RECORD_SYSTEM, 0, content.system, content.system_size);
	put(writer, RECORD_EVENT, 0, &content.event[0], sizeof(content.event[0]));
	content.result.about.num_events = 1;
	put(writer, RECORD_RESULT, 0, &content.result, content.result_size - 8);
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

/* Sections of CPUs 5 and 1 by turns; equal times: the lower CPU first; lost has no time */
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
	put_sample(&bytes, 1);
	put_sample(&bytes, 2);
	put_records(&writer, 0, &bytes);
	file = end_file(&writer, memory, data);
	offset = file->section[3].offset + file->section[3].size / 2;
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

/* 32 events, and a build-id of this many bytes */
static struct record_file *large_file(uint32_t build_id_size)
{
	static char data[ROOM], zeros[sizeof(struct record_result) + 32 * 8];
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
	result->num_events = 32;
	put(&writer, RECORD_RESULT, 0, zeros, sizeof(zeros));
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
	struct record_file *file = large_file(RECORD_BUILD_ID_MAX);

	(void)state;
	if (!file)
		fail_msg("%s", error);
	record_free(file);
	assert_null(large_file(RECORD_BUILD_ID_MAX + 1));
	assert_string_equal(error, "it is damaged: its FILE section has no path");
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
	content.kernel_size = 4;
	content_fails("KERNEL section has a wrong length");
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
		file_test(changed_meanwhile),
		file_test(part_of_cut),
		file_test(part_of_damaged),
		file_test(part_of_bad),
		file_test(version_1),
		file_test(many_sections),
		file_test(limits),
		file_test(cannot_write),
		file_test(cut_anywhere),
		file_test(longer),
		file_test(every_bit),
		file_test(unfinished),
		file_test(empty),
		file_test(bad_header),
		file_test(bad_index),
		file_test(gap),
		file_test(bad_texts),
		file_test(bad_files),
		file_test(bad_kernel),
		file_test(bad_result),
		file_test(bad_records),
		file_test(from_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
