// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fake libpfm4 with PMU numbers beyond the header's: an event table for each of two core types, a
 * second table for the first, and one of an unknown core type. The few events are like those of
 * Alder Lake.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <perfmon/pfmlib.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define MASKS_MAX	5
#define EVENTS_MAX	16

/* Bits that libpfm4 sets in each event select: both privilege levels, interrupt, enable */
#define OWN_BITS	0x530000

/* Marks an event that needs an extra register, as off-core response events do */
#define SECOND		0x100000000ULL

struct fake_mask {
	const char *name;
	uint64_t code;
	bool preset;
};

struct fake_event {
	const char *name;
	uint64_t code;
	struct fake_mask mask[MASKS_MAX];
};

static const struct fake_table {
	const char *name;
	const char *description;
	struct fake_event event[EVENTS_MAX];
} tables[] = {
	{ "adl_glc", "two core types, the first", {
		{ "BR_INST_RETIRED", 0xc4, {
			{ "ALL_BRANCHES", 0x00, false }, { "COND", 0x11, false },
			{ "NEAR_TAKEN", 0x20, false } } },
		{ "LONGEST_LAT_CACHE", 0x2e, {
			{ "MISS", 0x41, false }, { "REFERENCE", 0x4f, false } } },
		{ "MEM_INST_RETIRED", 0xd0, { { "ALL_LOADS", 0x81, false } } },
		{ "MACHINE_CLEARS", 0xc3, {
			{ "SMC", 0x04, false }, { "MEMORY_ORDERING", 0x02, false } } },
		{ "BACLEARS", 0x60, { { "ANY", 0x01, true } } },
		{ "OCR", 0x2a, { { "ANY", 0x01 | SECOND, false } } },
		{ "PLAIN", 0x77, { { NULL, 0, false } } },
		{ "PLAIN_OTHER", 0x78, { { NULL, 0, false } } },
	} },
	{ "later_glc", "the first core type once more", {
		{ "BR_INST_RETIRED", 0xff, { { NULL, 0, false } } },
	} },
	{ "adl_x", "two core types, the second (E-Core)", {
		{ "BR_INST_RETIRED", 0xc4, {
			{ "ALL_BRANCHES", 0x00, true }, { "COND", 0x7e, false },
			{ "NEAR_TAKEN", 0xc0, false }, { "JCC", 0x7e, false } } },
		{ "LONGEST_LAT_CACHE", 0x2e, {
			{ "REFERENCE", 0x4f, false }, { "MISS", 0x41, false } } },
		{ "MEM_UOPS_RETIRED", 0xd0, { { "ALL_LOADS", 0x81, false } } },
		{ "MACHINE_CLEARS", 0xc3, {
			{ "SMC", 0x01, false }, { "MEMORY_ORDERING", 0x02, false } } },
		{ "BACLEARS", 0xe6, { { "ANY", 0x01, true } } },
		{ "PLAIN", 0x77, { { NULL, 0, false } } },
		{ "PLAIN_OTHER", 0x79, { { NULL, 0, false } } },
	} },
	{ "adl_unknown", "its core type is unknown", {
		{ "BR_INST_RETIRED", 0xff, { { NULL, 0, false } } },
	} },
};

#define NUM_TABLES	((int)ARRAY_SIZE(tables))
#define FIRST_PMU	(PFM_PMU_MAX + 7)

static int num_events(const struct fake_table *table)
{
	int i = 0;

	while (i < EVENTS_MAX && table->event[i].name)
		i++;
	return i;
}

static int num_masks(const struct fake_event *event)
{
	int i = 0;

	while (i < MASKS_MAX && event->mask[i].name)
		i++;
	return i;
}

static const struct fake_event *event_at(int index)
{
	return &tables[index / EVENTS_MAX].event[index % EVENTS_MAX];
}

pfm_err_t pfm_initialize(void)
{
	return PFM_SUCCESS;
}

pfm_err_t pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	int number = (int)pmu - (int)FIRST_PMU;

	if (number >= NUM_TABLES || info->size != sizeof(*info))
		return PFM_ERR_INVAL;
	if (number < 0)
		return PFM_ERR_NOTSUPP;
	*info = (pfm_pmu_info_t){
		.name = tables[number].name,
		.desc = tables[number].description,
		.size = sizeof(*info),
		.pmu = pmu,
		.type = PFM_PMU_TYPE_CORE,
		.nevents = num_events(&tables[number]),
		.first_event = number * EVENTS_MAX,
	};
	info->is_present = 1;
	return PFM_SUCCESS;
}

int pfm_get_event_next(int index)
{
	return (index + 1) % EVENTS_MAX < num_events(&tables[index / EVENTS_MAX]) ? index + 1 : -1;
}

pfm_err_t pfm_get_event_info(int index, pfm_os_t os, pfm_event_info_t *info)
{
	const struct fake_event *event = event_at(index);

	(void)os;
	*info = (pfm_event_info_t){
		.name = event->name,
		.desc = event->name,
		.size = sizeof(*info),
		.code = event->code,
		.idx = index,
		.nattrs = num_masks(event),
	};
	return PFM_SUCCESS;
}

pfm_err_t pfm_get_event_attr_info(int index, int attribute, pfm_os_t os,
				  pfm_event_attr_info_t *info)
{
	const struct fake_mask *mask = &event_at(index)->mask[attribute];

	(void)os;
	*info = (pfm_event_attr_info_t){
		.name = mask->name,
		.desc = mask->name,
		.size = sizeof(*info),
		.code = mask->code & 0xff,
		.type = PFM_ATTR_UMASK,
		.idx = attribute,
	};
	info->is_dfl = mask->preset;
	return PFM_SUCCESS;
}

/* If @text is @name, or begins with @name and ':', moves @text past it and returns true. */
static bool takes(const char **text, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(*text, name, len) || ((*text)[len] && (*text)[len] != ':'))
		return false;
	*text += len + ((*text)[len] == ':');
	return true;
}

static const struct fake_event *find_event(const char **text)
{
	int i, j;

	for (i = 0; i < NUM_TABLES; i++) {
		if (!takes(text, tables[i].name))
			continue;
		++*text;
		for (j = 0; j < num_events(&tables[i]); j++)
			if (takes(text, tables[i].event[j].name))
				return &tables[i].event[j];
	}
	return NULL;
}

pfm_err_t pfm_get_os_event_encoding(const char *text, int modes, pfm_os_t os, void *argument)
{
	const struct fake_event *event = find_event(&text);
	pfm_pmu_encode_arg_t *encoded = argument;
	bool plain = !*text;
	uint64_t masks = 0;
	int i, taken = 0;

	(void)modes;
	(void)os;
	if (!event)
		return PFM_ERR_NOTFOUND;
	for (i = 0; i < num_masks(event); i++)
		if (plain ? event->mask[i].preset : takes(&text, event->mask[i].name)) {
			masks |= event->mask[i].code;
			taken++;
		}
	if (*text)
		return PFM_ERR_ATTR;
	if (num_masks(event) && !taken)
		return PFM_ERR_UMASK;
	encoded->codes[0] = event->code | (masks & 0xff) << 8 | OWN_BITS;
	encoded->count = masks & SECOND ? 2 : 1;
	return PFM_SUCCESS;
}

const char *pfm_strerror(int error)
{
	(void)error;
	return "the fake libpfm4's error";
}
