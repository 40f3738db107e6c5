/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings in memory: files of pmcctl record for cmocka tests. A test changes the content and
 * writes it, or writes sections one by one.
 */
#ifndef RECORDING_H
#define RECORDING_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "record/file.h"

#define IMAGE_ROOM	8192

/* A file as it is in memory */
struct image {
	size_t size;
	union {
		char data[IMAGE_ROOM];
		struct record_header header;
	};
};

struct content_event {
	struct record_event about;
	char text[8];
};

struct content_kernel {
	struct record_kernel about;
	struct record_symbol symbol[2];
	char texts[24];
};

struct content_mapped {
	struct record_mapped about;
	char build_id[3];
	char path[6];
} __attribute__((packed));

struct content_result {
	struct record_result about;
	uint64_t count[2];
};

struct content_records {
	struct pmc_sample sample;
	uint64_t data[3];
	struct pmc_throttle throttle;
};

/*
 * The payloads of the sections, and their sizes in bytes
 * @event: of @num_events sections, by turns
 * @extra_size: 0: no such section
 * @twice: type of a section that is written twice, or 0
 * @other: type of a section that pmcctl does not know
 */
struct content {
	char system[32];
	size_t system_size;
	struct content_event event[2];
	size_t event_size;
	size_t num_events;
	uint64_t extra[2];
	size_t extra_size;
	struct content_records records;
	size_t records_size;
	struct content_kernel kernel;
	size_t kernel_size;
	struct content_mapped mapped;
	size_t mapped_size;
	struct content_result result;
	size_t result_size;
	uint32_t twice;
	uint32_t other;
	bool without_system;
	bool without_result;
};

extern struct content content;

/* The content of a good recording with a section of each type but EXTRA */
void recording_reset(void);

/* A test begins with that content, and no call fails. */
int recording_setup(void **state);

#define recording_test(function)	cmocka_unit_test_setup(function, recording_setup)

/* Write the content. */
void recording_make(struct image *image);

/* Read and check a file. Return: NULL, with the reason in @error. */
struct record_file *recording_parse(const struct image *image, char error[RECORD_ERROR_SIZE]);

/* ---- section by section ---- */

/* Write a section. */
void recording_put(struct record_writer *writer, enum record_section_type type, uint32_t cpu,
		   const void *payload, size_t size);

/* Write what every file has, for one event: SYSTEM, EVENT and RESULT. */
void recording_put_about(struct record_writer *writer);

/* Begin a file in memory with these. */
void recording_begin(struct record_writer *writer, FILE *file);

/* End it and read it; @data: its bytes. */
struct record_file *recording_end(struct record_writer *writer, FILE *file, const char *data);

#endif /* RECORDING_H */
