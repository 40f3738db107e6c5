// SPDX-License-Identifier: GPL-2.0-only
/* The file of pmcctl record: write it */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "record/file.h"

/* The sizes that pmc-data(5) documents */
_Static_assert(sizeof(struct record_header) == 40, "a change of the format needs a new version");
_Static_assert(sizeof(struct record_section) == 32, "a change of the format needs a new version");
_Static_assert(sizeof(struct record_index_entry) == 24, "a change of the format needs a new version");
_Static_assert(sizeof(struct record_event) == 24, "a change of the format needs a new version");
_Static_assert(sizeof(struct record_mapped) == 24, "a change of the format needs a new version");
_Static_assert(sizeof(struct record_kernel) == 8, "a change of the format needs a new version");
_Static_assert(sizeof(struct record_symbol) == 24, "a change of the format needs a new version");
_Static_assert(sizeof(struct record_result) == 88, "a change of the format needs a new version");

static int put(struct record_writer *writer, const void *data, size_t size)
{
	if (size && fwrite(data, size, 1, writer->file) != 1)
		return -1;
	writer->offset += size;
	return 0;
}

/* Write the header, with a size of 0 until the file is complete. */
static int put_header(struct record_writer *writer, uint64_t file_size, uint64_t index)
{
	struct record_header header = {
		.magic = RECORD_MAGIC,
		.version = RECORD_VERSION,
		.header_size = sizeof(header),
		.file_size = file_size,
		.index = index,
	};

	header.checksum = crc32(0, (void *)&header, offsetof(struct record_header, checksum));
	if (fseek(writer->file, 0, SEEK_SET))
		return -1;
	return fwrite(&header, sizeof(header), 1, writer->file) == 1 ? 0 : -1;
}

int record_write_begin(struct record_writer *writer, FILE *file)
{
	*writer = (struct record_writer){
		.file = file,
		.offset = sizeof(struct record_header),
	};
	return put_header(writer, 0, 0);
}

static int add_entry(struct record_writer *writer, const struct record_section *section)
{
	size_t room = writer->room ? 2 * writer->room : 64;
	struct record_index_entry *entry = writer->entry;

	if (writer->num_entries == writer->room) {
		entry = realloc(entry, room * sizeof(*entry));
		if (!entry)
			return -1;
		writer->entry = entry;
		writer->room = room;
	}
	entry[writer->num_entries++] = (struct record_index_entry){
		.type = section->type,
		.cpu = section->cpu,
		.offset = writer->offset,
		.size = section->size,
	};
	return 0;
}

int record_write_section(struct record_writer *writer, enum record_section_type type,
			 uint32_t cpu, const void *payload, size_t size)
{
	struct record_section section = { .type = type, .cpu = cpu, .size = size };
	static const char zeros[8];
	size_t padding = -size % sizeof(zeros);
	uLong checksum;

	checksum = crc32_z(crc32(0, NULL, 0), payload, size);
	section.payload_checksum = crc32_z(checksum, (const void *)zeros, padding);
	section.checksum = crc32(0, (void *)&section, offsetof(struct record_section, checksum));
	if (add_entry(writer, &section) || put(writer, &section, sizeof(section)) ||
	    put(writer, payload, size))
		return -1;
	return put(writer, zeros, padding);
}

int record_write_end(struct record_writer *writer)
{
	size_t size = writer->num_entries * sizeof(*writer->entry);
	struct record_index_entry *entries = malloc(size ? size : 1);
	uint64_t index = writer->offset;
	int result;

	/* The index is not in the index: it is written from a copy. */
	if (!entries)
		return -1;
	if (size)
		memcpy(entries, writer->entry, size);
	result = record_write_section(writer, RECORD_INDEX, 0, entries, size);
	free(entries);
	if (result || fflush(writer->file))
		return -1;
	return put_header(writer, writer->offset, index);
}

void record_writer_free(struct record_writer *writer)
{
	free(writer->entry);
	writer->entry = NULL;
}
