/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of pmcctl record: its format, which pmc-data(5) describes, and functions that write and
 * read it
 *
 * The file is a header and sections without gaps; the index is the last section. All numbers
 * are little-endian. Every part begins at a multiple of 8 bytes. Every byte is covered by a
 * checksum, the CRC-32 of gzip(1).
 */
#ifndef RECORD_FILE_H
#define RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <libpmcdrv-sample.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the file's structures are little-endian"
#endif

/* Not valid as text; a conversion of line ends or to 7 bits changes it */
#define RECORD_MAGIC		"\x89PMC\r\n\x1a\n"
#define RECORD_VERSION		1

/* The sections. The table of pmc-data(5) is generated from this list. */
#define RECORD_SECTIONS(X) \
	X(INDEX, 1, "offsets of all other sections: an array of struct record_index_entry") \
	X(SYSTEM, 2, "the computer and the options: pairs of a key and a value, each with a " \
	  "final zero byte") \
	X(EVENT, 3, "an event that was sampled: struct record_event and its text; they are " \
	  "numbered in this order") \
	X(RECORDS, 4, "records of one CPU, as in its ring, without PAD records") \
	X(FILE, 5, "a file that was mapped: struct record_mapped, its build-id, its path") \
	X(KERNEL, 6, "names of kernel functions: struct record_kernel, an array of struct " \
	  "record_symbol in the order of addresses, and texts") \
	X(VDSO, 7, "the ELF image that processes see as [vdso]") \
	X(RESULT, 8, "statistics: struct record_result, and the count of each event") \
	X(EXTRA, 9, "values of extra registers: a number of 8 bytes for each event; only if one " \
	  "of them is not 0")

enum record_section_type {
#define X(name, value, text) RECORD_##name = (value),
	RECORD_SECTIONS(X)
#undef X
};

/* Maximum length of a build-id, in bytes */
#define RECORD_BUILD_ID_MAX	64

/* @cpu of RECORDS without a known CPU */
#define RECORD_CPU_UNKNOWN	0xffffffffU

/*
 * The header of the file
 * @file_size: in bytes; 0 until the file is complete
 * @index: offset of the index section
 * @checksum: of all bytes of the header before it
 */
struct record_header {
	char magic[8];
	uint32_t version;
	uint32_t header_size;
	uint64_t file_size;
	uint64_t index;
	uint32_t reserved;
	uint32_t checksum;
};

/*
 * The header of a section
 * @cpu: for RECORDS, else 0
 * @size: bytes of the payload, without the zeros that pad it to a multiple of 8
 * @payload_checksum: of the payload with the padding
 * @checksum: of all bytes of this header before it
 */
struct record_section {
	uint32_t type;
	uint32_t cpu;
	uint64_t size;
	uint32_t reserved;
	uint32_t reserved2;
	uint32_t payload_checksum;
	uint32_t checksum;
};

/* @offset: of the section, in bytes from the start of the file */
struct record_index_entry {
	uint32_t type;
	uint32_t cpu;
	uint64_t offset;
	uint64_t size;
};

/* @modes: PMC_COUNT_*. The text of the event follows. */
struct record_event {
	uint64_t period;
	uint64_t event_select;
	uint32_t counter;
	uint32_t modes;
};

/* The build-id follows, then the path with a final zero. */
struct record_mapped {
	uint64_t inode;
	uint32_t device_major;
	uint32_t device_minor;
	uint32_t build_id_size;
	uint32_t path_size;
};

struct record_kernel {
	uint32_t num_symbols;
	uint32_t texts_size;
};

/* @name, @module: offsets into the texts; @module "" is the kernel itself */
struct record_symbol {
	uint64_t start;
	uint64_t end;
	uint32_t name;
	uint32_t module;
};

/*
 * @statistics: of the driver
 * @elapsed_ns: from start to stop
 * @wait_status: of the command, as returned by wait(2)
 * @state: PMC_STATE_* at the end
 * @damaged: number of times that a ring was overwritten
 */
struct record_result {
	uint64_t overflows;
	uint64_t records;
	uint64_t sampled;
	uint64_t lost;
	uint64_t throttled;
	uint64_t mmaps_lost;
	uint64_t time_enabled;
	uint64_t time_counted;
	uint64_t elapsed_ns;
	uint32_t wait_status;
	uint32_t state;
	uint32_t damaged;
	uint32_t num_events;
};

/* ---- write.c ---- */

struct record_writer {
	FILE *file;
	uint64_t offset;
	size_t num_entries;
	size_t room;
	struct record_index_entry *entry;
};

/* These return 0, or -1 with errno. */
int record_write_begin(struct record_writer *writer, FILE *file);
int record_write_section(struct record_writer *writer, enum record_section_type type,
			 uint32_t cpu, const void *payload, size_t size);

/* Write the index and complete the header. The caller closes the file. */
int record_write_end(struct record_writer *writer);

/* Free the writer, whether the file is complete or not. */
void record_writer_free(struct record_writer *writer);

/* ---- read.c ---- */

#define RECORD_ERROR_SIZE	320

/*
 * A checked section
 * @offset: of the payload in the file
 * @payload: its @size bytes; NULL for RECORDS and for unknown types
 */
struct record_checked_section {
	uint32_t type;
	uint32_t cpu;
	uint64_t size;
	uint64_t offset;
	const void *payload;
};

/*
 * A checked file: every text is terminated, every offset is inside its section. stream.h reads
 * the records.
 * @system: key, value, key, value ...
 * @extra: NULL if no event needs an extra register
 * @kernel: NULL without kernel symbols
 * @result: NULL only in part of a file
 */
struct record_file {
	int fd;
	uint64_t size;
	size_t num_sections;
	struct record_checked_section *section;
	size_t num_events;
	const struct record_event *event[PMC_COUNTERS_MAX];
	const struct record_checked_section *extra;
	size_t num_system;
	const char **system;
	const struct record_kernel *kernel;
	const struct record_checked_section *vdso;
	const struct record_result *result;
};

/*
 * Read and check a file.
 * @partial: if the file is truncated, unfinished or damaged after its first event, return the
 *	sections before the damage, and the reason in @error, which is empty for a good file
 * Return: NULL, with the reason in @error.
 */
struct record_file *record_read(const char *path, bool partial, char error[RECORD_ERROR_SIZE]);

/* The same for a file in memory, which is copied. */
struct record_file *record_parse(const void *data, size_t size, bool partial,
				 char error[RECORD_ERROR_SIZE]);

/* Read @size bytes at @offset. Return: 0, or -1 with errno; ENODATA after the end. */
int record_read_at(const struct record_file *file, uint64_t offset, void *data, size_t size);

void record_free(struct record_file *file);

const char *record_event_text(const struct record_event *event);

/* The value of the extra register that an event needed, or 0 */
uint64_t record_event_extra(const struct record_file *file, size_t event);

/* The value of the first @key of SYSTEM, or "" */
const char *record_system(const struct record_file *file, const char *key);

const struct record_symbol *record_symbols(const struct record_kernel *kernel);
const char *record_kernel_text(const struct record_kernel *kernel, uint32_t at);

const uint64_t *record_counts(const struct record_result *result);

const unsigned char *record_build_id(const struct record_mapped *mapped);
const char *record_mapped_path(const struct record_mapped *mapped);

#endif /* RECORD_FILE_H */
