// SPDX-License-Identifier: GPL-2.0-only
/* Damaged files of pmcctl record: each damage is reported, and the sections before it are read */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "record/stream.h"
#include "recording.h"

static char error[RECORD_ERROR_SIZE];

static void fails(const struct image *image, const char *words)
{
	struct record_file *file = recording_parse(image, error);

	record_free(file);
	if (file)
		fail_msg("it was read, where '%s' was expected", words);
	if (!strstr(error, words))
		fail_msg("'%s' is not in '%s'", words, error);
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
	recording_make(&image);
	file = recording_parse(&image, error);
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
	recording_make(&image);
	file = recording_parse(&image, error);
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
	recording_make(&image);
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
	recording_make(&image);
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
	recording_reset();
	content.without_system = true;
	recording_make(&image);
	assert_null(parse_part(&image));
}

/* A section with a good checksum and bad contents ends what can be used. */
static void part_of_bad(void **state)
{
	struct record_file *file;
	struct image image;

	(void)state;
	content.kernel_size = 4;
	recording_make(&image);
	file = parse_part(&image);
	assert_non_null(file);
	assert_string_equal(error, "it is damaged: its KERNEL section has a wrong length");
	assert_int_equal(file->num_sections, 5);
	assert_int_equal(num_records(file), 2);
	assert_null(file->kernel);
	assert_null(file->result);
	record_free(file);
	recording_reset();
	content.result.about.num_events = 1;
	content.result_size -= 8;
	recording_make(&image);
	file = parse_part(&image);
	assert_non_null(file);
	assert_string_equal(error, "it is damaged: it has no RESULT section for its 2 events");
	assert_null(file->result);
	record_free(file);
	recording_reset();
	content.extra_size = 8;
	recording_make(&image);
	file = parse_part(&image);
	assert_non_null(file);
	assert_string_equal(error, "it is damaged: its EXTRA section is not for its 2 events");
	assert_int_equal(record_event_extra(file, 1), 0);
	record_free(file);
	recording_reset();
	content.records.throttle.counter = 2;
	recording_make(&image);
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
	recording_make(&image);
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
	recording_make(&image);
	image.size += 8;
	fails(&image, "and 1");
}

static void every_bit(void **state)
{
	struct image image;
	size_t i, bit;

	(void)state;
	recording_make(&image);
	for (i = 0; i < image.size; i++)
		for (bit = 0; bit < 8; bit++) {
			image.data[i] ^= 1 << bit;
			fails(&image, "it");
			image.data[i] ^= 1 << bit;
		}
	record_free(recording_parse(&image, error));
	assert_string_equal(error, "");
}

static void unfinished(void **state)
{
	struct record_writer writer;
	struct image image = { .size = 0 };
	FILE *file = fmemopen(image.data, IMAGE_ROOM, "w");

	(void)state;
	record_write_begin(&writer, file);
	recording_put(&writer, RECORD_SYSTEM, 0, content.system, content.system_size);
	fclose(file);
	image.size = writer.offset;
	record_writer_free(&writer);
	fails(&image, "it was not finished: pmcctl record was killed");
}

/* Nothing but a header, and nothing but a header and an index */
static void empty(void **state)
{
	struct record_writer writer;
	struct image image = { .size = 0 };
	FILE *file = fmemopen(image.data, IMAGE_ROOM, "w");

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
	record_writer_free(&writer);
}

/* ---- damage with good checksums ---- */

static struct record_section *section_at(struct image *image, uint64_t offset)
{
	return (struct record_section *)(image->data + offset);
}

static void fix_checksum_section(struct record_section *section)
{
	size_t size = (section->size + 7) & ~7ULL;

	if (size < IMAGE_ROOM / 2)
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
	recording_make(&good);
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
	recording_make(&good);
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
	recording_make(&image);
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
	recording_make(&image);
	image.header.index = sizeof(struct record_header);
	fix_checksum_header(&image);
	fails(&image, "there is no index at 40");
}

static void content_fails(const char *words)
{
	struct image image;

	recording_make(&image);
	fails(&image, words);
	recording_reset();
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		recording_test(part_of_cut),
		recording_test(part_of_damaged),
		recording_test(part_of_bad_index),
		recording_test(part_of_bad),
		recording_test(cut_anywhere),
		recording_test(longer),
		recording_test(every_bit),
		recording_test(unfinished),
		recording_test(empty),
		recording_test(bad_header),
		recording_test(bad_index),
		recording_test(gap),
		recording_test(other_index),
		recording_test(bad_texts),
		recording_test(bad_files),
		recording_test(bad_kernel),
		recording_test(bad_result),
		recording_test(bad_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
