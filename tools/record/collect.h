/* SPDX-License-Identifier: GPL-2.0-only */
/* pmcctl record: copy records from the rings into the file, and collect addresses and files */
#ifndef RECORD_COLLECT_H
#define RECORD_COLLECT_H

#include "util/address-set.h"
#include "util/xalloc.h"
#include "record/file.h"

/*
 * @writer: NULL before the first record
 * @begin: called at the first record to set @writer; returns 0, or -1 with errno
 * @pending: records of CPU @cpu that are not written yet
 * @num_records: sample records; @overflows: the overflows that they stand for
 * @lost: lost overflows that the records in the rings report
 * @damaged: number of times that a ring was overwritten
 * @kernel: kernel addresses that need a name
 * @vdso: a sample lies in [vdso]
 * @file: copies of the first mmap record of each file
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

/* Read all records that are in the rings now. Return: 0, or -1 with errno if writing failed. */
int collector_drain(struct collector *collector);

/* Write the pending records. Return: as collector_drain(). */
int collector_flush(struct collector *collector);

void collector_free(struct collector *collector);

#endif /* RECORD_COLLECT_H */
