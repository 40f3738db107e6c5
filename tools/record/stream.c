// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of pmcctl record: read its records in the order of time
 *
 * Each CPU has a cursor with a window on the section that it reads. The record with the lowest
 * time comes first: a heap orders the cursors. Every record is checked when it enters the window.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/stream.h"
#include "util/error.h"
#include "util/xalloc.h"

/* Bytes of a window; a longer record enlarges it */
#define WINDOW_SIZE	(1 << 16)

/*
 * The records of a CPU
 * @section, @end: the remaining sections, in the stream's array
 * @offset: of the first byte after the window, in the file
 * @left: bytes of the section after the window
 * @used: bytes of the window before the next record
 * @front: the next record; NULL before it is checked and after it is used
 * @time: of the record at the front, or of the one before it
 */
struct cursor {
	size_t section;
	size_t end;
	uint64_t offset;
	uint64_t left;
	char *window;
	size_t room;
	size_t used;
	size_t filled;
	const struct pmc_record *front;
	uint64_t time;
	uint32_t cpu;
};

/*
 * @section: the sections of records by CPU, in the order of the file
 * @heap: cursors with a record at the front, the first one at 0; NULL before the first record
 */
struct record_stream {
	const struct record_file *file;
	const struct record_checked_section **section;
	size_t num;
	struct cursor *cursor;
	size_t num_left;
	struct cursor **heap;
	char error[RECORD_ERROR_SIZE];
};

/* ---- one CPU ---- */

/* Fill the window from the next record on, with at least @size bytes if the section has them. */
static int load(struct record_stream *stream, struct cursor *cursor, size_t size)
{
	size_t kept = cursor->filled - cursor->used, wanted;

	size = size > WINDOW_SIZE ? size : WINDOW_SIZE;
	wanted = size - kept < cursor->left ? size - kept : cursor->left;
	if (cursor->used)
		memmove(cursor->window, cursor->window + cursor->used, kept);
	if (kept + wanted > cursor->room) {
		cursor->room = kept + wanted;
		cursor->window = xcheck(realloc(cursor->window, cursor->room));
	}
	cursor->used = 0;
	cursor->filled = kept;
	if (record_read_at(stream->file, cursor->offset, cursor->window + kept, wanted)) {
		snprintf(stream->error, sizeof(stream->error), "it cannot be read at %llu: %s",
			 (unsigned long long)cursor->offset,
			 errno == ENODATA ? "it has become shorter" : strerror(errno));
		return -1;
	}
	cursor->offset += wanted;
	cursor->left -= wanted;
	cursor->filled += wanted;
	return 0;
}

/* Get the time and the event of a record, if it has them. */
static void describe(const struct pmc_record *record, uint64_t *time, uint32_t *event)
{
	switch (record->type) {
	case PMC_RECORD_SAMPLE:
		*time = ((const struct pmc_sample *)record)->tsc;
		*event = ((const struct pmc_sample *)record)->counter;
		break;
	case PMC_RECORD_THROTTLE:
	case PMC_RECORD_UNTHROTTLE:
		*time = ((const struct pmc_throttle *)record)->tsc;
		*event = ((const struct pmc_throttle *)record)->counter;
		break;
	case PMC_RECORD_MMAP:
		*time = ((const struct pmc_mmap *)record)->tsc;
		break;
	}
}

/* @left: bytes of the section from the record on */
static int check_record(struct record_stream *stream, struct cursor *cursor,
			const struct pmc_record *record, uint64_t left)
{
	uint32_t event = 0;

	if (pmc_record_check(record, left < SIZE_MAX ? left : SIZE_MAX)) {
		snprintf(stream->error, sizeof(stream->error),
			 "it is damaged: its RECORDS section of CPU %d: %s", (int)cursor->cpu,
			 pmc_error());
		return -1;
	}
	describe(record, &cursor->time, &event);
	if (event < stream->file->num_events)
		return 0;
	snprintf(stream->error, sizeof(stream->error),
		 "it is damaged: a record is of event %u, of %zu", event, stream->file->num_events);
	return -1;
}

/* Begin the next section if this one has ended. Return: false after the last one. */
static bool enter_section(struct record_stream *stream, struct cursor *cursor)
{
	while (cursor->used == cursor->filled && !cursor->left) {
		if (cursor->section == cursor->end)
			return false;
		cursor->offset = stream->section[cursor->section]->offset;
		cursor->left = stream->section[cursor->section]->size;
		cursor->section++;
		cursor->used = 0;
		cursor->filled = 0;
	}
	return true;
}

/* Set the front. Return: -1 after an error. */
static int peek(struct record_stream *stream, struct cursor *cursor)
{
	const struct pmc_record *record;
	uint64_t left;

	if (cursor->front || !enter_section(stream, cursor))
		return 0;
	left = cursor->filled - cursor->used + cursor->left;
	if (cursor->filled - cursor->used < sizeof(*record) && cursor->left &&
	    load(stream, cursor, 0))
		return -1;
	record = (const void *)(cursor->window + cursor->used);
	/* what is longer than the section is refused without being read */
	if (left >= sizeof(*record) && record->size <= left &&
	    record->size > cursor->filled - cursor->used) {
		if (load(stream, cursor, record->size))
			return -1;
		record = (const void *)cursor->window;
	}
	if (check_record(stream, cursor, record, left))
		return -1;
	cursor->front = record;
	return 0;
}

/* ---- all CPUs ---- */

/* Of records with the same time, that of the lower CPU comes first. */
static bool is_before(const struct cursor *a, const struct cursor *b)
{
	return a->time != b->time ? a->time < b->time : a < b;
}

/* Move the cursor at @at down to its place in the heap. */
static void sink(struct record_stream *stream, size_t at)
{
	struct cursor **heap = stream->heap, *cursor = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < stream->num_left) {
		if (child + 1 < stream->num_left && is_before(heap[child + 1], heap[child]))
			child++;
		if (!is_before(heap[child], cursor))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = cursor;
}

static int begin(struct record_stream *stream)
{
	struct cursor *cursor;
	size_t i;

	stream->heap = xcalloc(stream->num, sizeof(*stream->heap));
	for (i = 0; i < stream->num; i++) {
		cursor = &stream->cursor[i];
		if (peek(stream, cursor))
			return -1;
		if (cursor->front)
			stream->heap[stream->num_left++] = cursor;
	}
	for (i = stream->num_left / 2; i > 0; i--)
		sink(stream, i - 1);
	return 0;
}

/* Step behind the first record. */
static int advance(struct record_stream *stream)
{
	struct cursor *first = stream->heap[0];

	first->used += first->front->size;
	first->front = NULL;
	if (peek(stream, first))
		return -1;
	if (!first->front)
		stream->heap[0] = stream->heap[--stream->num_left];
	if (stream->num_left)
		sink(stream, 0);
	return 0;
}

const struct pmc_record *record_stream_next(struct record_stream *stream)
{
	int result = 0;

	if (stream->error[0])
		return NULL;
	if (!stream->heap)
		result = begin(stream);
	else if (stream->num_left)
		result = advance(stream);
	return !result && stream->num_left ? stream->heap[0]->front : NULL;
}

uint32_t record_stream_cpu(const struct record_stream *stream)
{
	return stream->heap[0]->cpu;
}

uint64_t record_stream_time(const struct record_stream *stream)
{
	return stream->heap[0]->time;
}

/* ---- begin and end ---- */

static int compare_sections(const void *left, const void *right)
{
	const struct record_checked_section *a = *(const struct record_checked_section **)left;
	const struct record_checked_section *b = *(const struct record_checked_section **)right;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static size_t list_sections(struct record_stream *stream)
{
	const struct record_file *file = stream->file;
	size_t num = 0, i;

	stream->section = xcalloc(file->num_sections, sizeof(*stream->section));
	for (i = 0; i < file->num_sections; i++)
		if (file->section[i].type == RECORD_RECORDS)
			stream->section[num++] = &file->section[i];
	if (num)
		qsort(stream->section, num, sizeof(*stream->section), compare_sections);
	return num;
}

struct record_stream *record_stream_open(const struct record_file *file)
{
	struct record_stream *stream = xcalloc(1, sizeof(*stream));
	struct cursor *cursor;
	size_t num, i;

	stream->file = file;
	num = list_sections(stream);
	for (i = 0; i < num; i++) {
		if (!i || stream->section[i]->cpu != stream->section[i - 1]->cpu) {
			stream->cursor = xgrow(stream->cursor, stream->num, sizeof(*cursor));
			cursor = &stream->cursor[stream->num++];
			*cursor = (struct cursor){ .section = i, .cpu = stream->section[i]->cpu };
		}
		cursor->end = i + 1;
	}
	return stream;
}

int record_stream_close(struct record_stream *stream, char error[RECORD_ERROR_SIZE])
{
	bool failed = stream->error[0];

	if (failed)
		memcpy(error, stream->error, RECORD_ERROR_SIZE);
	while (stream->num)
		free(stream->cursor[--stream->num].window);
	free(stream->cursor);
	free(stream->heap);
	free(stream->section);
	free(stream);
	return failed ? -1 : 0;
}
