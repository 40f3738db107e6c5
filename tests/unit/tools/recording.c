// SPDX-License-Identifier: GPL-2.0-only
/* Recordings in memory, with the sections that a file of pmcctl record has */
#include <stdlib.h>
#include <string.h>

#include "failing_calls.h"
#include "fake.h"
#include "recording.h"

struct content content;

void recording_reset(void)
{
	memset(&content, 0, sizeof(content));
	memcpy(content.system, "key\0value\0key\0other", 20);
	content.system_size = 20;
	content.event[0] = (struct content_event){ { .period = 7, .modes = 1 }, "cycles1" };
	content.event[1] = (struct content_event){
		{ .event_select = 0xc0, .counter = 1 }, "r0000c0"
	};
	content.event_size = sizeof(struct content_event);
	content.num_events = 2;
	content.other = 4711;
	content.records = (struct content_records){
		.sample = {
			.record = { PMC_RECORD_SAMPLE, offsetof(struct content_records, throttle) },
			.counter = 1, .ip = 5, .nr_counters = 2, .nr_user_frames = 1,
			.comm = "prog",
		},
		.throttle = { .record = { PMC_RECORD_THROTTLE, sizeof(struct pmc_throttle) } },
	};
	content.records_size = sizeof(content.records);
	content.kernel = (struct content_kernel){
		.about = { .num_symbols = 2, .texts_size = sizeof(content.kernel.texts) },
		.symbol = { { 0x1000, 0x1010, 1, 0 }, { 0x1010, 0x1080, 7, 14 } },
		.texts = "\0first\0second\0module",
	};
	content.kernel_size = sizeof(content.kernel);
	content.mapped = (struct content_mapped){
		.about = { .inode = 3, .build_id_size = 3, .path_size = 6 },
		.build_id = "xyz", .path = "/path",
	};
	content.mapped_size = sizeof(content.mapped);
	content.result = (struct content_result){ { .lost = 9, .num_events = 2 }, { 11, 12 } };
	content.result_size = sizeof(content.result);
}

int recording_setup(void **state)
{
	(void)state;
	fake_reset();
	failing_calls_reset();
	recording_reset();
	return 0;
}

void recording_put(struct record_writer *writer, enum record_section_type type, uint32_t cpu,
		   const void *payload, size_t size)
{
	assert_int_equal(record_write_section(writer, type, cpu, payload, size), 0);
	if (content.twice == type)
		assert_int_equal(record_write_section(writer, type, cpu, payload, size), 0);
}

void recording_make(struct image *image)
{
	struct record_writer writer;
	FILE *file;
	size_t i;

	memset(image, 0, sizeof(*image));
	file = fmemopen(image->data, IMAGE_ROOM, "w");
	assert_int_equal(record_write_begin(&writer, file), 0);
	if (!content.without_system)
		recording_put(&writer, RECORD_SYSTEM, 0, content.system, content.system_size);
	for (i = 0; i < content.num_events; i++)
		recording_put(&writer, RECORD_EVENT, 0, &content.event[i % 2], content.event_size);
	if (content.extra_size)
		recording_put(&writer, RECORD_EXTRA, 0, content.extra, content.extra_size);
	recording_put(&writer, RECORD_RECORDS, 1, &content.records, content.records_size);
	recording_put(&writer, content.other, 0, "unknown", 7);
	recording_put(&writer, RECORD_KERNEL, 0, &content.kernel, content.kernel_size);
	recording_put(&writer, RECORD_FILE, 0, &content.mapped, content.mapped_size);
	recording_put(&writer, RECORD_VDSO, 0, "elf", 3);
	if (!content.without_result)
		recording_put(&writer, RECORD_RESULT, 0, &content.result, content.result_size);
	assert_int_equal(record_write_end(&writer), 0);
	image->size = writer.offset;
	record_writer_free(&writer);
	assert_int_equal(fclose(file), 0);
}

struct record_file *recording_parse(const struct image *image, char error[RECORD_ERROR_SIZE])
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

void recording_put_about(struct record_writer *writer)
{
	recording_put(writer, RECORD_SYSTEM, 0, content.system, content.system_size);
	recording_put(writer, RECORD_EVENT, 0, &content.event[0], sizeof(content.event[0]));
	content.result.about.num_events = 1;
	recording_put(writer, RECORD_RESULT, 0, &content.result, content.result_size - 8);
}

void recording_begin(struct record_writer *writer, FILE *file)
{
	assert_int_equal(record_write_begin(writer, file), 0);
	recording_put_about(writer);
}

struct record_file *recording_end(struct record_writer *writer, FILE *file, const char *data)
{
	char error[RECORD_ERROR_SIZE];
	struct record_file *read;

	assert_int_equal(record_write_end(writer), 0);
	assert_int_equal(fclose(file), 0);
	read = record_parse(data, writer->offset, false, error);
	record_writer_free(writer);
	if (!read)
		fail_msg("%s", error);
	return read;
}
