// SPDX-License-Identifier: GPL-2.0-only
/* The file of pmcctl record: what is written is read; errors of reading and writing */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "failing_calls.h"
#include "recording.h"

static char error[RECORD_ERROR_SIZE];

/* ---- what is written is read ---- */

static void round_trip(void **state)
{
	struct image image;
	struct record_file *file;
	const struct record_symbol *symbol;

	(void)state;
	recording_make(&image);
	file = recording_parse(&image, error);
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

/* Values of extra registers */
static void extra(void **state)
{
	struct record_file *file;
	struct image image;

	(void)state;
	content.extra[1] = 0x3fc0010001;
	content.extra_size = sizeof(content.extra);
	recording_make(&image);
	file = recording_parse(&image, error);
	if (!file)
		fail_msg("%s", error);
	assert_int_equal(record_event_extra(file, 0), 0);
	assert_int_equal(record_event_extra(file, 1), 0x3fc0010001);
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
	recording_make(&image);
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
	recording_put(&writer, RECORD_SYSTEM, 0, content.system, content.system_size);
	recording_put(&writer, RECORD_EVENT, 0, &content.event[0], sizeof(content.event[0]));
	content.result.about.num_events = 1;
	recording_put(&writer, RECORD_RESULT, 0, &content.result, sizeof(content.result) - 8);
	for (i = 0; i < 500; i++)
		recording_put(&writer, 4711, i, zeros, i);
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
	record_writer_free(&writer);
}

/* 32 events, counts of this many, and a build-id of this many bytes */
static struct record_file *large_file(uint32_t num_counts, uint32_t build_id_size)
{
	static char data[IMAGE_ROOM], zeros[sizeof(struct record_result) + 33 * 8];
	struct record_mapped mapped = { .build_id_size = build_id_size, .path_size = 1 };
	struct record_result *result = (struct record_result *)zeros;
	char file_section[sizeof(mapped) + RECORD_BUILD_ID_MAX + 2] = "";
	FILE *memory = fmemopen(data, sizeof(data), "w");
	struct record_writer writer;
	int i;

	record_write_begin(&writer, memory);
	recording_put(&writer, RECORD_SYSTEM, 0, content.system, content.system_size);
	for (i = 0; i < 32; i++)
		recording_put(&writer, RECORD_EVENT, 0, &content.event[0],
			      sizeof(content.event[0]));
	result->num_events = num_counts;
	recording_put(&writer, RECORD_RESULT, 0, zeros, sizeof(*result) + num_counts * 8);
	memcpy(file_section, &mapped, sizeof(mapped));
	recording_put(&writer, RECORD_FILE, 0, file_section, sizeof(mapped) + build_id_size + 1);
	assert_int_equal(record_write_end(&writer), 0);
	fclose(memory);
	record_writer_free(&writer);
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
	recording_make(&image);
	file = recording_parse(&image, error);
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
	recording_begin(&writer, memory);
	recording_put(&writer, RECORD_VDSO, 0, elf, sizeof(elf));
	file = recording_end(&writer, memory, data);
	assert_int_equal(file->vdso->size, sizeof(elf));
	assert_memory_equal(file->vdso->payload, elf, sizeof(elf));
	record_free(file);
}

/* ---- write errors ---- */

static void cannot_write(void **state)
{
	static char data[2048];
	struct record_writer writer;
	FILE *memory = fopen("/dev/full", "w");

	(void)state;
	record_write_begin(&writer, memory);
	assert_int_equal(record_write_section(&writer, 4711, 0, data, sizeof(data)), 0);
	assert_int_equal(record_write_end(&writer), -1);
	record_writer_free(&writer);
	record_writer_free(&writer);
	fclose(memory);
}

/* A header, a section of 2 x 8 bytes and the index, in a file of @room bytes */
static void write_to(size_t room)
{
	const size_t header = sizeof(struct record_header);
	const size_t section = header + sizeof(struct record_section) + 16;
	const size_t end = section + sizeof(struct record_section) +
			   sizeof(struct record_index_entry);
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
	record_writer_free(&writer);
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
	static char data[IMAGE_ROOM];
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
	record_writer_free(&writer);
	fclose(memory);
}

/* ---- from disk ---- */

/* Short and interrupted reads; reads that fail; allocations that fail */
static void reads(void **state)
{
	struct record_file *file;
	struct image image;
	size_t i;

	(void)state;
	recording_make(&image);
	for (i = 0;; i++) {
		calls.most = 7;
		calls.error = EINTR;
		calls.good_reads = i;
		file = recording_parse(&image, error);
		if (!file)
			fail_msg("%s", error);
		record_free(file);
		if (calls.good_reads != SIZE_MAX)
			break;
	}
	failing_calls_reset();
	for (i = 0;; i++) {
		calls.error = i % 2 ? 0 : EIO;
		calls.good_reads = i;
		file = recording_parse(&image, error);
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
	recording_make(&image);
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
	record_free(recording_parse(image, error));
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
	recording_make(&image);
	close(0);
	file = recording_parse(&image, error);
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
	recording_make(&image);
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
	const struct CMUnitTest tests[] = {
		recording_test(round_trip),
		recording_test(extra),
		recording_test(version_1),
		recording_test(many_sections),
		recording_test(limits),
		recording_test(large_section),
		recording_test(cannot_write),
		recording_test(no_room),
		recording_test(no_memory_to_write),
		recording_test(reads),
		recording_test(no_memory_to_read),
		recording_test(descriptors),
		recording_test(from_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
