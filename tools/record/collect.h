/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl record: from the rings into the file, and what has to be known besides */
#ifndef RECORD_COLLECT_H
#define RECORD_COLLECT_H

#include "util/address-set.h"
#include "util/xalloc.h"
#include "record/file.h"

/*
 * @writer: NULL as long as there was no record
 * @begin: set @writer, as there is one; or -1 with errno
 * @pending: records of CPU @cpu that are not written yet
 * @num_records: of samples, and @overflows that they stand for
 * @lost: overflows, as far as told in the rings
 * @damaged: how often a ring was found written over
 * @kernel: addresses in the kernel that are to be named
 * @vdso: a sample lies in [vdso]
 * @file: copies of the first record of each mapped file
 */
struct collector {
	struct record_writer *writer;
	int (*begin)(void *data);
	void *data;
	struct pmc_samples *samples;
	struct byte_buffer pending;
	uint32_t cpu;
	uint64_t num_records;
	uint64_t overflows;
	uint64_t lost;
	uint64_t throttles;
	uint32_t damaged;
	struct address_set kernel;
	bool vdso;
	size_t num_files;
	struct pmc_mmap **file;
};

/* Take all records that are there now. Return: 0, or -1 with errno if writing failed. */
int collector_drain(struct collector *collector);

/* Write what is pending. Return: as collector_drain(). */
int collector_flush(struct collector *collector);

void collector_free(struct collector *collector);

#endif /* RECORD_COLLECT_H */
