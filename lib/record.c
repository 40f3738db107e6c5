// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sample records: checks and names */
#include <errno.h>
#include <string.h>

#include "error.h"
#include "libpmcdrv-sample.h"

static const struct {
	uint32_t type;
	const char *name;
} types[] = {
#define X(name, value, text) { value, #name },
	PMC_RECORDS(X)
#undef X
};

PMC_API const char *pmc_record_name(uint32_t type)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].type == type)
			return types[i].name;
	return NULL;
}

/* Minimum bytes of a record */
static size_t minimum_size(uint32_t type)
{
	switch (type) {
	case PMC_RECORD_SAMPLE:
		return sizeof(struct pmc_sample);
	case PMC_RECORD_LOST:
		return sizeof(struct pmc_lost);
	case PMC_RECORD_THROTTLE:
	case PMC_RECORD_UNTHROTTLE:
		return sizeof(struct pmc_throttle);
	case PMC_RECORD_MMAP:
		return sizeof(struct pmc_mmap) + 1;
	}
	return sizeof(struct pmc_record);
}

static int check_sample(const struct pmc_sample *sample)
{
	size_t numbers = (size_t)sample->nr_counters + sample->nr_kernel_frames +
			 sample->nr_user_frames;

	if (numbers * sizeof(sample->data[0]) > sample->record.size - sizeof(*sample))
		return pmc_fail(EIO, "a sample of %u bytes cannot have %zu numbers",
				sample->record.size, numbers);
	if (sample->counter >= sample->nr_counters)
		return pmc_fail(EIO, "a sample of counter %u, of %u", sample->counter,
				sample->nr_counters);
	if (!memchr(sample->comm, 0, sizeof(sample->comm)))
		return pmc_fail(EIO, "a sample with a thread name that is not terminated");
	return 0;
}

static int check_map(const struct pmc_mmap *map)
{
	if (!memchr(map->path, 0, map->record.size - sizeof(*map)))
		return pmc_fail(EIO, "an mmap record with a path that is not terminated");
	if (map->start >= map->end)
		return pmc_fail(EIO, "an mmap record with an empty range that ends at 0x%llx",
				(unsigned long long)map->end);
	return 0;
}

PMC_API int pmc_record_check(const struct pmc_record *record, size_t room)
{
	if (room < sizeof(*record) || record->size < sizeof(*record) ||
	    record->size % sizeof(__u64) || record->size > room)
		return pmc_fail(EIO, "a record of %u bytes where %zu are left",
				room < sizeof(*record) ? 0 : record->size, room);
	if (record->size < minimum_size(record->type))
		return pmc_fail(EIO, "a %s record of %u bytes has at least %zu",
				pmc_record_name(record->type), record->size,
				minimum_size(record->type));
	if (record->type == PMC_RECORD_SAMPLE)
		return check_sample((const struct pmc_sample *)record);
	if (record->type == PMC_RECORD_MMAP)
		return check_map((const struct pmc_mmap *)record);
	return 0;
}
