// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of pmcctl record: open it and check all of it
 *
 * The file is untrusted. Everything in it is checked here before other code uses it. The sections
 * are in memory afterwards, except for those of records: stream.c reads these, and checks each
 * record every time, because another process may have changed the file meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <libpmcevents.h>

#include "record/stream.h"
#include "util/error.h"
#include "util/xalloc.h"

/* Bytes that are in memory at a time when the checksum of a payload is computed */
#define CHUNK_SIZE	(1 << 16)

/* @error: the first one; empty without an error */
struct reader {
	struct record_file *file;
	char *error;
};

static int __printf(2, 3) fail_file(struct reader *reader, const char *format, ...)
{
	va_list args;

	if (reader->error[0])
		return -1;
	va_start(args, format);
	vsnprintf(reader->error, RECORD_ERROR_SIZE, format, args);
	va_end(args);
	return -1;
}

static const struct {
	uint32_t type;
	const char *name;
} sections[] = {
#define X(name, value, text) { value, #name },
	RECORD_SECTIONS(X)
#undef X
};

static const char *section_name(uint32_t type)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sections); i++)
		if (sections[i].type == type)
			return sections[i].name;
	return "unknown";
}

static uint64_t padded(uint64_t size)
{
	return (size + 7) & ~7ULL;
}

/* ---- bytes ---- */

int record_read_at(const struct record_file *file, uint64_t offset, void *data, size_t size)
{
	size_t done = 0;
	ssize_t got;

	while (done < size) {
		got = pread(file->fd, (char *)data + done, size - done, offset + done);
		if (got > 0) {
			done += got;
		} else if (!got || errno != EINTR) {
			errno = got ? errno : ENODATA;
			return -1;
		}
	}
	return 0;
}

static int read_at(struct reader *reader, uint64_t offset, void *data, size_t size)
{
	if (!record_read_at(reader->file, offset, data, size))
		return 0;
	return fail_file(reader, "it cannot be read at %llu: %s", (unsigned long long)offset,
			 errno == ENODATA ? "it has become shorter" : strerror(errno));
}

/* ---- header and sections ---- */

static int read_header(struct reader *reader, struct record_header *header)
{
	uint64_t size = reader->file->size;

	memset(header, 0, sizeof(*header));
	return read_at(reader, 0, header, size < sizeof(*header) ? size : sizeof(*header));
}

/* Is it a file of this version with a header that is not damaged? */
static int check_header(struct reader *reader, const struct record_header *header)
{
	uint64_t size = reader->file->size;

	if (size < sizeof(header->magic) ||
	    memcmp(header->magic, RECORD_MAGIC, sizeof(header->magic)))
		return fail_file(reader, "it is not a file of pmcctl record");
	if (size < sizeof(*header))
		return fail_file(reader, "it is truncated: of its header of %zu bytes there are %llu",
				 sizeof(*header), (unsigned long long)size);
	if (header->version != RECORD_VERSION)
		return fail_file(reader, "its version is %u, and this pmcctl knows %u: use the pmcctl that made it, or a newer one",
				 header->version, RECORD_VERSION);
	if (crc32(0, (const void *)header, offsetof(struct record_header, checksum)) !=
	    header->checksum)
		return fail_file(reader, "it is damaged: its header's checksum is wrong");
	return 0;
}

/* Is the file complete? */
static int check_size(struct reader *reader, const struct record_header *header)
{
	unsigned long long size = reader->file->size, wanted = header->file_size;

	if (!wanted)
		return fail_file(reader, "it was not finished: pmcctl record was killed, or is still running");
	if (size < wanted)
		return fail_file(reader, "it is truncated: of its %llu bytes there are %llu",
				 wanted, size);
	if (size > wanted)
		return fail_file(reader, "it is damaged: it has %llu bytes, and %llu belong to it",
				 size, wanted);
	if (header->header_size != sizeof(*header) || header->reserved)
		return fail_file(reader, "it is damaged: its header has invalid values");
	return 0;
}

/* Read the header of the section at @offset. */
static int read_section_header(struct reader *reader, uint64_t offset,
			       struct record_section *section)
{
	uint64_t left = reader->file->size;

	left = offset < left && offset % 8 == 0 ? left - offset : 0;
	if (left < sizeof(*section))
		return fail_file(reader, "it is damaged: no section can be at %llu",
				 (unsigned long long)offset);
	if (read_at(reader, offset, section, sizeof(*section)))
		return -1;
	if (crc32(0, (void *)section, offsetof(struct record_section, checksum)) !=
	    section->checksum)
		return fail_file(reader, "it is damaged: the checksum of the section at %llu is wrong",
				 (unsigned long long)offset);
	left -= sizeof(*section);
	if (section->size > left || padded(section->size) > left)
		return fail_file(reader, "it is damaged: the %s section at %llu has %llu bytes, and there are %llu",
				 section_name(section->type), (unsigned long long)offset,
				 (unsigned long long)section->size, (unsigned long long)left);
	return 0;
}

/* Compute the checksum of @size bytes at @offset. @payload: room for them, or NULL */
static int get_checksum(struct reader *reader, uint64_t offset, uint64_t size, char *payload,
			uint32_t *checksum)
{
	static char chunk[CHUNK_SIZE];
	uLong crc = crc32(0, NULL, 0);
	uint64_t at, length;
	char *part;

	for (at = 0; at < size; at += length) {
		length = size - at < sizeof(chunk) ? size - at : sizeof(chunk);
		part = payload ? payload + at : chunk;
		if (read_at(reader, offset + at, part, length))
			return -1;
		crc = crc32_z(crc, (void *)part, length);
	}
	*checksum = crc;
	return 0;
}

/* Are the contents of such a section kept in memory? */
static bool is_kept(uint32_t type)
{
	return type != RECORD_RECORDS && strcmp(section_name(type), "unknown");
}

/*
 * Read and check the section at @offset.
 * @part: set; the caller frees its payload
 */
static int check_section(struct reader *reader, uint64_t offset,
			 struct record_checked_section *part)
{
	struct record_section section;
	char *payload = NULL;
	uint32_t checksum;

	if (read_section_header(reader, offset, &section))
		return -1;
	/* read_system() allocates a pointer for each byte at the most */
	if (is_kept(section.type) && section.size < SIZE_MAX / sizeof(char *))
		payload = malloc(section.size ? padded(section.size) : 1);
	*part = (struct record_checked_section){
		.type = section.type,
		.cpu = section.cpu,
		.size = section.size,
		.offset = offset + sizeof(section),
		.payload = payload,
	};
	if (is_kept(section.type) && !payload)
		return fail_file(reader, "out of memory for the %llu bytes of its %s section",
				 (unsigned long long)section.size, section_name(section.type));
	if (!get_checksum(reader, part->offset, padded(section.size), payload, &checksum) &&
	    checksum == section.payload_checksum)
		return 0;
	free(payload);
	part->payload = NULL;
	return fail_file(reader, "it is damaged: the checksum of the %s section's content at %llu is wrong",
			 section_name(section.type), (unsigned long long)offset);
}

static void add_section(struct record_file *file, const struct record_checked_section *part)
{
	file->section = xgrow(file->section, file->num_sections, sizeof(*file->section));
	file->section[file->num_sections++] = *part;
}

static uint64_t end_of(const struct record_checked_section *part)
{
	return part->offset + padded(part->size);
}

/* Add the section of an index entry; it must begin at the end of the section before it. */
static int add_entry(struct reader *reader, const struct record_index_entry *entry, uint64_t *end)
{
	struct record_checked_section part;

	if (entry->offset != *end)
		return fail_file(reader, "it is damaged: the index has a section at %llu, where %llu comes next",
				 (unsigned long long)entry->offset, (unsigned long long)*end);
	if (check_section(reader, entry->offset, &part))
		return -1;
	add_section(reader->file, &part);
	if (part.type != entry->type || part.cpu != entry->cpu || part.size != entry->size)
		return fail_file(reader, "it is damaged: the %s section at %llu differs from its index entry",
				 section_name(part.type), (unsigned long long)entry->offset);
	*end = end_of(&part);
	return 0;
}

static int add_entries(struct reader *reader, uint64_t offset,
		       const struct record_checked_section *index)
{
	const struct record_index_entry *entry = index->payload;
	uint64_t end = sizeof(struct record_header);
	size_t i;

	if (index->type != RECORD_INDEX || index->size % sizeof(*entry))
		return fail_file(reader, "it is damaged: there is no index at %llu",
				 (unsigned long long)offset);
	if (end_of(index) != reader->file->size)
		return fail_file(reader, "it is damaged: the index is not the last section");
	for (i = 0; i < index->size / sizeof(*entry); i++)
		if (add_entry(reader, &entry[i], &end))
			return -1;
	if (end != offset)
		return fail_file(reader, "it is damaged: the index begins at %llu, and the sections end at %llu",
				 (unsigned long long)offset, (unsigned long long)end);
	return 0;
}

static int read_index(struct reader *reader, uint64_t offset)
{
	struct record_checked_section index;
	int result;

	if (check_section(reader, offset, &index))
		return -1;
	result = add_entries(reader, offset, &index);
	free((void *)index.payload);
	return result;
}

static void drop_sections(struct record_file *file, size_t num)
{
	while (file->num_sections > num)
		free((void *)file->section[--file->num_sections].payload);
}

/* Add the sections of a file that is damaged somewhere, up to the first damage. */
static void salvage_sections(struct reader *reader)
{
	uint64_t end = sizeof(struct record_header);
	struct record_checked_section part;

	drop_sections(reader->file, 0);
	while (!check_section(reader, end, &part)) {
		if (part.type == RECORD_INDEX) {
			free((void *)part.payload);
			return;
		}
		add_section(reader->file, &part);
		end = end_of(&part);
	}
}

/* ---- contents of the sections ---- */

static int fail_section(struct reader *reader, const struct record_checked_section *part,
			const char *what)
{
	return fail_file(reader, "it is damaged: its %s section %s", section_name(part->type),
			 what);
}

/* Are @size bytes a text? It has one zero byte, the last one. */
static bool is_text(const char *text, size_t size)
{
	return size && memchr(text, 0, size) == text + size - 1;
}

static int read_system(struct reader *reader, const struct record_checked_section *part)
{
	const char *text = part->payload, *end = text + part->size;
	struct record_file *file = reader->file;
	size_t num = 0;

	if (file->system)
		return fail_section(reader, part, "comes twice");
	if (!part->size || end[-1])
		return fail_section(reader, part, "has no end");
	file->system = malloc(part->size * sizeof(*file->system));
	if (!file->system)
		return fail_file(reader, "out of memory");
	for (; text < end; text += strlen(text) + 1)
		file->system[num++] = text;
	if (num % 2)
		return fail_section(reader, part, "has a key without a value");
	file->num_system = num;
	return 0;
}

static int read_event(struct reader *reader, const struct record_checked_section *part)
{
	const struct record_event *event = part->payload;
	struct record_file *file = reader->file;

	if (file->num_events == PMC_COUNTERS_MAX)
		return fail_section(reader, part, "is one too many");
	if (part->size < sizeof(*event) ||
	    !is_text(record_event_text(event), part->size - sizeof(*event)))
		return fail_section(reader, part, "has no text");
	file->event[file->num_events++] = event;
	return 0;
}

static int read_mapped(struct reader *reader, const struct record_checked_section *part)
{
	const struct record_mapped *mapped = part->payload;

	if (part->size < sizeof(*mapped) || mapped->build_id_size > RECORD_BUILD_ID_MAX ||
	    part->size != sizeof(*mapped) + (uint64_t)mapped->build_id_size + mapped->path_size ||
	    !is_text(record_mapped_path(mapped), mapped->path_size))
		return fail_section(reader, part, "has no path");
	return 0;
}

static bool is_symbol(const struct record_kernel *kernel, const struct record_symbol *symbol,
		      uint64_t end_before)
{
	return symbol->start >= end_before && symbol->end > symbol->start &&
	       symbol->name < kernel->texts_size && symbol->module < kernel->texts_size;
}

static int read_kernel(struct reader *reader, const struct record_checked_section *part)
{
	const struct record_kernel *kernel = part->payload;
	const struct record_symbol *symbol;
	uint64_t end = 0;
	uint32_t i;

	if (reader->file->kernel)
		return fail_section(reader, part, "comes twice");
	if (part->size < sizeof(*kernel) ||
	    part->size != sizeof(*kernel) + (uint64_t)kernel->num_symbols * sizeof(*symbol) +
	    kernel->texts_size)
		return fail_section(reader, part, "has a wrong length");
	if (!kernel->texts_size || record_kernel_text(kernel, kernel->texts_size - 1)[0])
		return fail_section(reader, part, "has texts without an end");
	symbol = record_symbols(kernel);
	for (i = 0; i < kernel->num_symbols; i++, symbol++) {
		if (!is_symbol(kernel, symbol, end))
			return fail_section(reader, part, "has an invalid symbol");
		end = symbol->end;
	}
	reader->file->kernel = kernel;
	return 0;
}

static int read_result(struct reader *reader, const struct record_checked_section *part)
{
	const struct record_result *result = part->payload;

	if (reader->file->result)
		return fail_section(reader, part, "comes twice");
	if (part->size < sizeof(*result) || result->num_events > PMC_COUNTERS_MAX ||
	    part->size != sizeof(*result) + result->num_events * sizeof(uint64_t))
		return fail_section(reader, part, "has a wrong length");
	reader->file->result = result;
	return 0;
}

static int read_section(struct reader *reader, const struct record_checked_section *part)
{
	switch (part->type) {
	case RECORD_SYSTEM:
		return read_system(reader, part);
	case RECORD_EVENT:
		return read_event(reader, part);
	case RECORD_FILE:
		return read_mapped(reader, part);
	case RECORD_KERNEL:
		return read_kernel(reader, part);
	case RECORD_VDSO:
		if (reader->file->vdso)
			return fail_section(reader, part, "comes twice");
		reader->file->vdso = part;
		return 0;
	case RECORD_RESULT:
		return read_result(reader, part);
	case RECORD_EXTRA:
		if (reader->file->extra)
			return fail_section(reader, part, "comes twice");
		reader->file->extra = part;
		return 0;
	case RECORD_INDEX:
		return fail_section(reader, part, "is not the last one");
	}
	return 0;
}

/* Check all records, and that the sum of their overflows fits: reports add them up. */
static int check_records(struct reader *reader)
{
	struct record_stream *stream = record_stream_open(reader->file);
	const struct pmc_sample *sample;
	const struct pmc_record *record;
	char error[RECORD_ERROR_SIZE];
	uint64_t overflows = 0;
	int result = 0;

	while (!result && (record = record_stream_next(stream))) {
		sample = (const struct pmc_sample *)record;
		if (record->type == PMC_RECORD_SAMPLE &&
		    __builtin_add_overflow(overflows, sample->overflows, &overflows))
			result = fail_file(reader, "it is damaged: its samples are of more overflows than there can be");
	}
	if (record_stream_close(stream, error))
		result = fail_file(reader, "%s", error);
	return result;
}

static bool has_other_extra(const struct record_file *file)
{
	return file->extra && file->extra->size != file->num_events * sizeof(uint64_t);
}

static int check_file(struct reader *reader)
{
	struct record_file *file = reader->file;

	if (!file->num_events)
		return fail_file(reader, "it is damaged: it has no EVENT section");
	if (!file->system)
		return fail_file(reader, "it is damaged: it has no SYSTEM section");
	if (!file->result || file->result->num_events != file->num_events)
		return fail_file(reader, "it is damaged: it has no RESULT section for its %zu events",
				 file->num_events);
	if (has_other_extra(file))
		return fail_file(reader, "it is damaged: its EXTRA section is not for its %zu events",
				 file->num_events);
	return 0;
}

static int read_sections(struct reader *reader)
{
	struct record_file *file = reader->file;
	size_t i;

	for (i = 0; i < file->num_sections; i++)
		if (read_section(reader, &file->section[i])) {
			drop_sections(file, i);
			return -1;
		}
	return 0;
}

/* ---- the whole ---- */

/* Return: -1 if nothing of the file can be used, or part of it is damaged and @partial is false. */
static int read_all(struct reader *reader, bool partial)
{
	struct record_file *file = reader->file;
	struct record_header header;

	if (read_header(reader, &header) || check_header(reader, &header))
		return -1;
	if (check_size(reader, &header) || read_index(reader, header.index)) {
		if (!partial)
			return -1;
		salvage_sections(reader);
	}
	if (read_sections(reader) && !partial)
		return -1;
	if (!check_file(reader) && !reader->error[0])
		check_records(reader);
	/* drop a RESULT or EXTRA section that does not match the number of events */
	if (file->result && file->result->num_events != file->num_events)
		file->result = NULL;
	if (has_other_extra(file))
		file->extra = NULL;
	return reader->error[0] && !(partial && file->num_events && file->system) ? -1 : 0;
}

/* @fd: closed with the file */
static struct record_file *read_file(int fd, uint64_t size, bool partial, char *error)
{
	struct record_file *file = xcalloc(1, sizeof(*file));
	struct reader reader = { .file = file, .error = error };

	file->fd = fd;
	file->size = size;
	if (!read_all(&reader, partial))
		return file;
	record_free(file);
	return NULL;
}

struct record_file *record_parse(const void *data, size_t size, bool partial,
				 char error[RECORD_ERROR_SIZE])
{
	int fd = memfd_create("pmc.data", MFD_CLOEXEC);

	error[0] = '\0';
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		return read_file(fd, size, partial, error);
	snprintf(error, RECORD_ERROR_SIZE, "%s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return NULL;
}

struct record_file *record_read(const char *path, bool partial, char error[RECORD_ERROR_SIZE])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat about;

	error[0] = '\0';
	if (fd >= 0 && !fstat(fd, &about)) {
		if (S_ISREG(about.st_mode))
			return read_file(fd, about.st_size, partial, error);
		errno = EINVAL;
	}
	snprintf(error, RECORD_ERROR_SIZE, "%s",
		 errno == EINVAL ? "it is not a regular file" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return NULL;
}

void record_free(struct record_file *file)
{
	if (!file)
		return;
	close(file->fd);
	drop_sections(file, 0);
	free(file->system);
	free(file->section);
	free(file);
}

/* ---- queries ---- */

const char *record_event_text(const struct record_event *event)
{
	return (const char *)(event + 1);
}

uint64_t record_event_extra(const struct record_file *file, size_t event)
{
	return file->extra ? ((const uint64_t *)file->extra->payload)[event] : 0;
}

const char *record_system(const struct record_file *file, const char *key)
{
	size_t i;

	for (i = 0; i < file->num_system; i += 2)
		if (!strcmp(file->system[i], key))
			return file->system[i + 1];
	return "";
}

const struct record_symbol *record_symbols(const struct record_kernel *kernel)
{
	return (const struct record_symbol *)(kernel + 1);
}

const char *record_kernel_text(const struct record_kernel *kernel, uint32_t at)
{
	return (const char *)(record_symbols(kernel) + kernel->num_symbols) + at;
}

const uint64_t *record_counts(const struct record_result *result)
{
	return (const uint64_t *)(result + 1);
}

const unsigned char *record_build_id(const struct record_mapped *mapped)
{
	return (const unsigned char *)(mapped + 1);
}

const char *record_mapped_path(const struct record_mapped *mapped)
{
	return (const char *)record_build_id(mapped) + mapped->build_id_size;
}
