// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl record: copy records from the sample rings into the file */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libpmcevents.h>

#include "record/collect.h"
#include "util/error.h"

/* Size in bytes at which a section of records is written; another CPU's records end it, too */
#define PENDING_MAX	(1 << 20)

int collector_flush(struct collector *collector)
{
	int result = 0;

	if (collector->pending.size)
		result = record_write_section(collector->writer, RECORD_RECORDS, collector->cpu,
					      collector->pending.data, collector->pending.size);
	collector->pending.size = 0;
	return result;
}

/* A return address may be the first after its function, so the call before it is looked up. */
static void add_kernel_addresses(struct collector *collector, const struct pmc_sample *sample)
{
	const __u64 *frames = pmc_sample_kernel_frames(sample);
	unsigned int i;

	if (!sample->privilege && !(sample->flags & PMC_SAMPLE_GUEST))
		address_set_add(&collector->kernel, sample->ip);
	for (i = 0; i < sample->nr_kernel_frames; i++)
		address_set_add(&collector->kernel, i ? frames[i] - 1 : frames[i]);
}

static bool is_same_file(const struct pmc_mmap *a, const struct pmc_mmap *b)
{
	return a->inode == b->inode && a->device_major == b->device_major &&
	       a->device_minor == b->device_minor && !strcmp(a->path, b->path);
}

static void add_file(struct collector *collector, const struct pmc_mmap *map)
{
	size_t num = collector->num_files, i;
	struct pmc_mmap *copy;

	if (map->path[0] != '/')
		return;
	for (i = num; i > 0; i--)
		if (is_same_file(collector->file[i - 1], map))
			return;
	copy = xcalloc(1, map->record.size);
	memcpy(copy, map, map->record.size);
	collector->file = xgrow(collector->file, num, sizeof(*collector->file));
	collector->file[num] = copy;
	collector->num_files++;
}

static void inspect_record(struct collector *collector, const struct pmc_record *record)
{
	const struct pmc_sample *sample = (const void *)record;

	switch (record->type) {
	case PMC_RECORD_SAMPLE:
		collector->num_records++;
		collector->overflows += sample->overflows;
		add_kernel_addresses(collector, sample);
		break;
	case PMC_RECORD_LOST:
		collector->lost += ((const struct pmc_lost *)record)->overflows;
		break;
	case PMC_RECORD_THROTTLE:
		collector->throttles++;
		break;
	case PMC_RECORD_MMAP:
		collector->vdso |= !strcmp(((const struct pmc_mmap *)record)->path, "[vdso]");
		add_file(collector, (const void *)record);
		break;
	}
}

static int append_record(struct collector *collector, const struct pmc_record *record)
{
	uint32_t cpu = pmc_samples_cpu(collector->samples);

	if (!collector->writer && collector->begin(collector->data))
		return -1;
	if ((cpu != collector->cpu || collector->pending.size > PENDING_MAX) &&
	    collector_flush(collector))
		return -1;
	collector->cpu = cpu;
	byte_buffer_append(&collector->pending, record, record->size);
	inspect_record(collector, record);
	return 0;
}

int collector_drain(struct collector *collector)
{
	const struct pmc_record *record;

	for (;;) {
		errno = 0;
		record = pmc_samples_next(collector->samples);
		if (record) {
			if (append_record(collector, record))
				return -1;
		} else if (errno == EIO) {
			if (!collector->damaged++)
				report_error("%s", pmc_error());
		} else {
			return 0;
		}
	}
}

void collector_free(struct collector *collector)
{
	size_t num;

	free(address_set_drain(&collector->kernel, &num));
	byte_buffer_free(&collector->pending);
	while (collector->num_files)
		free(collector->file[--collector->num_files]);
	free(collector->file);
}
