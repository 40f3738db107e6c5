// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of pmcctl record: read it and check all of it
 *
 * The file is untrusted. Everything in it is checked here, once, before other code uses it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <libpmcevents.h>

#include "record/file.h"
#include "util/error.h"

struct reader {
	struct record_file *file;
	char *error;
};

static int __printf(2, 3) fail_file(struct reader *reader, const char *format, ...)
{
	va_list args;

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

static size_t padded(uint64_t size)
{
	return (size + 7) & ~7ULL;
}

/* ---- header and sections ---- */

static int check_header(struct reader *reader, const struct record_header *header)
{
	size_t size = reader->file->size;

	if (size < sizeof(header->magic) ||
	    memcmp(header->magic, RECORD_MAGIC, sizeof(header->magic)))
		return fail_file(reader, "it is not a file of pmcctl record");
	if (size < sizeof(*header))
		return fail_file(reader, "it is truncated: of its header of %zu bytes there are %zu",
				 sizeof(*header), size);
	if (header->version != RECORD_VERSION)
		return fail_file(reader, "its version is %u, and this pmcctl knows %u: use the pmcctl that made it, or a newer one",
				 header->version, RECORD_VERSION);
	if (crc32(0, (const void *)header, offsetof(struct record_header, checksum)) !=
	    header->checksum)
		return fail_file(reader, "it is damaged: its header's checksum is wrong");
	if (!header->file_size)
		return fail_file(reader, "it was not finished: pmcctl record was killed, or is still running");
	if (size < header->file_size)
		return fail_file(reader, "it is truncated: of its %llu bytes there are %zu",
				 (unsigned long long)header->file_size, size);
	if (size > header->file_size)
		return fail_file(reader, "it is damaged: it has %zu bytes, and %llu belong to it",
				 size, (unsigned long long)header->file_size);
	if (header->header_size != sizeof(*header) || header->reserved)
		return fail_file(reader, "it is damaged: its header has invalid values");
	return 0;
}

/* Check the section at @offset. Return: NULL after fail_file(). */
static const struct record_section *check_section(struct reader *reader, uint64_t offset)
{
	const struct record_section *section;
	size_t left = reader->file->size;
	const char *name;
	uLong checksum;

	left = offset < left && offset % 8 == 0 ? left - offset : 0;
	section = (const void *)((const char *)reader->file->data + offset);
	if (left < sizeof(*section))
		return fail_file(reader, "it is damaged: no section can be at %llu",
				 (unsigned long long)offset), NULL;
	name = section_name(section->type);
	checksum = crc32(0, (const void *)section, offsetof(struct record_section, checksum));
	if (checksum != section->checksum)
		return fail_file(reader, "it is damaged: the checksum of the section at %llu is wrong",
				 (unsigned long long)offset), NULL;
	left -= sizeof(*section);
	if (section->size > left || padded(section->size) > left)
		return fail_file(reader, "it is damaged: the %s section at %llu has %llu bytes, and there are %zu",
				 name, (unsigned long long)offset,
				 (unsigned long long)section->size, left), NULL;
	checksum = crc32_z(crc32(0, NULL, 0), (const void *)(section + 1), padded(section->size));
	if (checksum != section->payload_checksum)
		return fail_file(reader, "it is damaged: the checksum of the %s section's content at %llu is wrong",
				 name, (unsigned long long)offset), NULL;
	return section;
}

/* Add the section of an index entry; it must begin at the end of the section before it. */
static int add_section(struct reader *reader, const struct record_index_entry *entry, uint64_t *end)
{
	const struct record_section *section;
	struct record_file *file = reader->file;

	if (entry->offset != *end)
		return fail_file(reader, "it is damaged: the index has a section at %llu, where %llu comes next",
				 (unsigned long long)entry->offset, (unsigned long long)*end);
	section = check_section(reader, entry->offset);
	if (!section)
		return -1;
	if (section->type != entry->type || section->cpu != entry->cpu ||
	    section->size != entry->size)
		return fail_file(reader, "it is damaged: the %s section at %llu differs from its index entry",
				 section_name(section->type), (unsigned long long)entry->offset);
	file->section[file->num_sections++] = (struct record_checked_section){
		.type = section->type,
		.cpu = section->cpu,
		.size = section->size,
		.payload = section + 1,
	};
	*end += sizeof(*section) + padded(section->size);
	return 0;
}

static int read_index(struct reader *reader)
{
	const struct record_header *header = reader->file->data;
	const struct record_section *index;
	const struct record_index_entry *entry;
	uint64_t end = sizeof(*header);
	size_t num, i;

	index = check_section(reader, header->index);
	if (!index)
		return -1;
	num = index->size / sizeof(*entry);
	if (index->type != RECORD_INDEX || index->size % sizeof(*entry))
		return fail_file(reader, "it is damaged: there is no index at %llu",
				 (unsigned long long)header->index);
	if (header->index + sizeof(*index) + padded(index->size) != reader->file->size)
		return fail_file(reader, "it is damaged: the index is not the last section");
	reader->file->section = calloc(num ? num : 1, sizeof(*reader->file->section));
	if (!reader->file->section)
		return fail_file(reader, "out of memory for %zu sections", num);
	entry = (const void *)(index + 1);
	for (i = 0; i < num; i++)
		if (add_section(reader, &entry[i], &end))
			return -1;
	if (end != header->index)
		return fail_file(reader, "it is damaged: the index begins at %llu, and the sections end at %llu",
				 (unsigned long long)header->index, (unsigned long long)end);
	return 0;
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
	case RECORD_INDEX:
		return fail_section(reader, part, "is not the last one");
	}
	return 0;
}

/* Does a record name a counter? @counter: set to it */
static bool has_counter(const struct pmc_record *record, uint32_t *counter)
{
	switch (record->type) {
	case PMC_RECORD_SAMPLE:
		*counter = ((const struct pmc_sample *)record)->counter;
		return true;
	case PMC_RECORD_THROTTLE:
	case PMC_RECORD_UNTHROTTLE:
		*counter = ((const struct pmc_throttle *)record)->counter;
		return true;
	}
	return false;
}

/* @overflows: those of all samples of the file; reports add them up, so the sum must fit */
static int check_records(struct reader *reader, const struct record_checked_section *part,
			 uint64_t *overflows)
{
	const struct pmc_sample *sample;
	const struct pmc_record *record;
	uint32_t counter;
	uint64_t at;

	for (at = 0; at < part->size; at += record->size) {
		record = (const void *)((const char *)part->payload + at);
		sample = (const struct pmc_sample *)record;
		if (pmc_record_check(record, part->size - at))
			return fail_file(reader, "it is damaged: its RECORDS section of CPU %d: %s",
					 (int)part->cpu, pmc_error());
		if (has_counter(record, &counter) && counter >= reader->file->num_events)
			return fail_file(reader, "it is damaged: a record is of event %u, of %zu",
					 counter, reader->file->num_events);
		if (record->type == PMC_RECORD_SAMPLE &&
		    __builtin_add_overflow(*overflows, sample->overflows, overflows))
			return fail_file(reader, "it is damaged: its samples are of more overflows than there can be");
	}
	return 0;
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
	return 0;
}

static int read_sections(struct reader *reader)
{
	struct record_file *file = reader->file;
	uint64_t overflows = 0;
	size_t i;

	for (i = 0; i < file->num_sections; i++)
		if (read_section(reader, &file->section[i]))
			return -1;
	for (i = 0; i < file->num_sections; i++)
		if (file->section[i].type == RECORD_RECORDS &&
		    check_records(reader, &file->section[i], &overflows))
			return -1;
	return check_file(reader);
}

/* ---- the whole ---- */

/* @data: from malloc(), freed with the file; or NULL */
static struct record_file *parse(void *data, size_t size, char *error)
{
	struct record_file *file = calloc(1, sizeof(*file));
	struct reader reader = { .file = file, .error = error };

	if (!file || !data) {
		fail_file(&reader, "out of memory for its %zu bytes", size);
		free(data);
		free(file);
		return NULL;
	}
	file->data = data;
	file->size = size;
	if (!check_header(&reader, data) && !read_index(&reader) && !read_sections(&reader))
		return file;
	record_free(file);
	return NULL;
}

struct record_file *record_parse(const void *data, size_t size, char error[RECORD_ERROR_SIZE])
{
	void *copy = malloc(size ? size : 1);

	if (copy && size)
		memcpy(copy, data, size);
	return parse(copy, size, error);
}

/* Read a whole file. Return: NULL with errno. */
static void *read_all(int fd, size_t size)
{
	char *data = malloc(size ? size : 1);
	size_t done = 0;
	ssize_t got;

	while (data && done < size) {
		got = read(fd, data + done, size - done);
		if (got > 0) {
			done += got;
		} else if (!got || errno != EINTR) {
			errno = got ? errno : ENODATA;
			free(data);
			data = NULL;
		}
	}
	return data;
}

struct record_file *record_read(const char *path, char error[RECORD_ERROR_SIZE])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct reader reader = { .error = error };
	struct stat about;
	void *data = NULL;

	if (fd >= 0 && !fstat(fd, &about)) {
		if (S_ISREG(about.st_mode))
			data = read_all(fd, about.st_size);
		else
			errno = EINVAL;
	}
	if (!data)
		fail_file(&reader, "%s",
			  errno == EINVAL ? "it is not a regular file" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return data ? parse(data, about.st_size, error) : NULL;
}

void record_free(struct record_file *file)
{
	if (!file)
		return;
	free(file->system);
	free(file->section);
	free(file->data);
	free(file);
}

/* ---- queries ---- */

const char *record_event_text(const struct record_event *event)
{
	return (const char *)(event + 1);
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
