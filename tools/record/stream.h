/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the records of a file in the order of time */
#ifndef RECORD_STREAM_H
#define RECORD_STREAM_H

#include "record/file.h"

struct record_stream;

/*
 * Read the records of all CPUs in the order of time; those of one CPU stay in their order. Memory
 * holds 64 KiB of each CPU. @file must exist until the stream is closed.
 */
struct record_stream *record_stream_open(const struct record_file *file);

/*
 * The next record: valid, and of an event that the file has. It is valid until the next call.
 * Return: NULL at the end or after an error.
 */
const struct pmc_record *record_stream_next(struct record_stream *stream);

/* The CPU of the last record, or RECORD_CPU_UNKNOWN */
uint32_t record_stream_cpu(const struct record_stream *stream);

/* The time of the last record; of one without a time, that of the record of its CPU before it */
uint64_t record_stream_time(const struct record_stream *stream);

/*
 * Close the stream.
 * Return: 0, or -1 with the reason in @error if a record could not be read.
 */
int record_stream_close(struct record_stream *stream, char error[RECORD_ERROR_SIZE]);

#endif /* RECORD_STREAM_H */
