// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The events of libpfm4. It finds out itself which processor this is
 * (LIBPFM_FORCE_PMU in the environment overrules it), and its tables are for
 * this one only.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "internal.h"
#include "kind.h"
#include "netburst.h"
#include "pfm.h"

#ifdef HAVE_LIBPFM
#include <pthread.h>
#include <perfmon/pfmlib.h>

/* In what libpfm4 encodes: privilege levels, interrupt, enable */
#define PFM_OWN_BITS	(1ULL << 16 | 1ULL << 17 | 1ULL << 20 | 1ULL << 22)

#define PFM_CODES_MAX	8

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The table of this processor; size 0 if libpfm4 has none */
static pfm_pmu_info_t table;

/* The architectural events are in our own table. */
static bool is_good(const pfm_pmu_info_t *info)
{
	return info->is_present && info->type == PFM_PMU_TYPE_CORE &&
	       info->pmu != PFM_PMU_INTEL_X86_ARCH;
}

static bool get_event(int index, pfm_event_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_event_info(index, PFM_OS_NONE, info) == PFM_SUCCESS;
}

/*
 * The names of its events: libpfm4 goes through all attributes of an event to tell its
 * name. None if there was no memory.
 */
static struct {
	struct {
		const char *name;
		int index;
	} *event;
	size_t num;
} names;

static void remember_names(void)
{
	pfm_event_info_t info;
	int index;

	names.event = calloc(table.nevents, sizeof(*names.event));
	if (!names.event)
		return;
	for (index = table.first_event; index != -1; index = pfm_get_event_next(index)) {
		if (names.num == (size_t)table.nevents || !get_event(index, &info))
			continue;
		names.event[names.num].name = info.name;
		names.event[names.num++].index = index;
	}
}

static void choose_table(void)
{
	pfm_pmu_info_t info;
	pfm_pmu_t pmu;

	if (pfm_initialize() != PFM_SUCCESS)
		return;
	for (pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm_get_pmu_info(pmu, &info) == PFM_SUCCESS && is_good(&info)) {
			table = info;
			remember_names();
			return;
		}
	}
}

/* The layout that the events of libpfm4's table are encoded in */
static enum pmc_layout table_layout(void)
{
	switch (table.pmu) {
	case PFM_PMU_I386_P6:
	case PFM_PMU_INTEL_PPRO:
	case PFM_PMU_INTEL_PII:
	case PFM_PMU_I386_PM:
		return PMC_LAYOUT_P6;
	case PFM_PMU_INTEL_NETBURST:
	case PFM_PMU_INTEL_NETBURST_P:
		return PMC_LAYOUT_NETBURST;
	default:
		return strncmp(table.name, "amd64_", 6) ? PMC_LAYOUT_CORE : PMC_LAYOUT_AMD;
	}
}

static bool has_table(enum pmc_layout layout)
{
	pthread_once(&once, choose_table);
	return table.size && table_layout() == layout;
}

uint32_t pmc_pfm_kind(void)
{
	if (strstr(table.name ? table.name : "", "_glc"))
		return PMC_KIND_CORE;
	return strstr(table.name ? table.name : "", "_grt") ? PMC_KIND_ATOM : 0;
}

const char *pmc_pfm_missing(enum pmc_layout layout)
{
	if (has_table(layout))
		return NULL;
	return "the installed libpfm4 does not know this processor; a newer one may";
}

/* An attribute that is a unit mask */
static bool get_mask(int event, int index, pfm_event_attr_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_event_attr_info(event, index, PFM_OS_NONE, info) == PFM_SUCCESS &&
	       info->type == PFM_ATTR_UMASK;
}

static bool find_event(enum pmc_layout layout, const struct pmc_word *name,
		       pfm_event_info_t *info)
{
	size_t i;
	int index;

	if (!has_table(layout))
		return false;
	for (i = 0; i < names.num; i++)
		if (pmc_word_names(name, names.event[i].name))
			return get_event(names.event[i].index, info);
	if (names.event)
		return false;
	for (index = table.first_event; index != -1; index = pfm_get_event_next(index))
		if (get_event(index, info) && pmc_word_names(name, info->name))
			return true;
	return false;
}

static bool find_mask(const pfm_event_info_t *event, const struct pmc_word *word,
		      pfm_event_attr_info_t *mask)
{
	int i;

	for (i = 0; i < event->nattrs; i++)
		if (get_mask(event->idx, i, mask) && pmc_word_names(word, mask->name))
			return true;
	return false;
}

static int encode(const char *text, uint64_t *codes, int *num_codes)
{
	pfm_pmu_encode_arg_t argument = {
		.codes = codes,
		.size = sizeof(argument),
		.count = PFM_CODES_MAX,
	};
	int error = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &argument);

	*num_codes = argument.count;
	return error;
}

static int fail_second(const char *whole)
{
	return pmc_fail(EOPNOTSUPP,
			"event '%s': needs a second register, which the driver does not set",
			whole);
}

/* From libpfm4's codes to an event select; NetBurst's are ESCR and CCCR. */
static int take_codes(enum pmc_layout layout, const char *whole, const uint64_t *codes,
		      int num_codes, uint64_t *select)
{
	bool netburst = layout == PMC_LAYOUT_NETBURST;

	if (num_codes != (netburst ? 2 : 1))
		return fail_second(whole);
	*select = netburst ? pmc_netburst_encoding(codes[0], codes[1]) :
			     codes[0] & ~PFM_OWN_BITS;
	return 0;
}

/* The codes of an event with one unit mask; 0 if libpfm4 refuses it alone */
static int num_codes_with(const pfm_event_info_t *event, const pfm_event_attr_info_t *mask)
{
	uint64_t codes[PFM_CODES_MAX] = { 0 };
	char text[512];
	int num_codes;

	snprintf(text, sizeof(text), "%s::%s:%s", table.name, event->name, mask->name);
	return encode(text, codes, &num_codes) == PFM_SUCCESS ? num_codes : 0;
}

/*
 * NetBurst's replay_event has unit masks that are none: they stand for registers that
 * tag operations (MSR_PEBS_MATRIX_VERT and its like).
 */
static bool needs_tagging(enum pmc_layout layout, const pfm_event_info_t *event,
			  const pfm_event_attr_info_t *mask)
{
	return layout == PMC_LAYOUT_NETBURST && !strcmp(event->name, "replay_event") &&
	       mask->code > 1;
}

/* Whether the unit mask stands for a register beside the event select's */
static bool needs_second(enum pmc_layout layout, const pfm_event_info_t *event,
			 const pfm_event_attr_info_t *mask)
{
	if (layout == PMC_LAYOUT_NETBURST)
		return needs_tagging(layout, event, mask);
	return num_codes_with(event, mask) > 1;
}

/*
 * Of an event without a unit mask libpfm4 gives but one code even if the mask that it
 * takes then needs a second register (4.13: Skylake's MEM_TRANS_RETIRED).
 */
static bool preset_needs_second(enum pmc_layout layout, const pfm_event_info_t *event)
{
	pfm_event_attr_info_t mask;
	int i;

	for (i = 0; i < event->nattrs; i++)
		if (get_mask(event->idx, i, &mask) && mask.is_dfl &&
		    needs_second(layout, event, &mask))
			return true;
	return false;
}

/* What unit masks the event has, nearest to a wrong one or all */
static int fail_mask(enum pmc_layout layout, const char *whole, const pfm_event_info_t *event,
		     const struct pmc_word *word)
{
	pfm_event_attr_info_t mask;
	struct pmc_nearest nearest;
	char advice[512];
	int i;

	pmc_nearest_begin(&nearest, word);
	for (i = 0; i < event->nattrs; i++)
		if (get_mask(event->idx, i, &mask) && !needs_second(layout, event, &mask))
			pmc_nearest_try(&nearest, mask.name);
	pmc_nearest_text(&nearest, "'pmcctl list -l' shows those it has", advice, sizeof(advice));
	return pmc_fail(EINVAL, "event '%s': %s has no unit mask or modifier ':%.*s'%s%s", whole,
			event->name, (int)word->len, word->text, pmc_advise_modifier(word), advice);
}

static int fail_needs_mask(enum pmc_layout layout, const char *whole,
			   const pfm_event_info_t *event)
{
	pfm_event_attr_info_t mask;
	char masks[512] = "";
	bool has_some = false;
	size_t used = 0;
	int i;

	for (i = 0; i < event->nattrs && used < sizeof(masks); i++) {
		if (!get_mask(event->idx, i, &mask))
			continue;
		has_some = true;
		if (!needs_second(layout, event, &mask))
			used += snprintf(masks + used, sizeof(masks) - used, "%s%s",
					 used ? " " : "", mask.name);
	}
	/* libpfm4 4.13: Sandy Bridge's MEM_LOAD_UOPS_LLC_MISS_RETIRED */
	if (!has_some)
		return pmc_fail(EOPNOTSUPP,
				"event '%s': libpfm4 has no unit mask for it; give it as a raw code, from the processor's manual",
				whole);
	if (!used)
		return fail_second(whole);
	return pmc_fail(EINVAL, "event '%s': %s needs a unit mask after ':', one of: %s", whole,
			event->name, masks);
}

static int fail_encode(enum pmc_layout layout, const char *whole, const pfm_event_info_t *event,
		       size_t num_masks, int error)
{
	if ((error == PFM_ERR_UMASK || error == PFM_ERR_ATTR) && !num_masks)
		return fail_needs_mask(layout, whole, event);
	if (error == PFM_ERR_UMASK || error == PFM_ERR_FEATCOMB)
		return pmc_fail(EINVAL, "event '%s': these unit masks do not go together", whole);
	return pmc_fail(EINVAL, "event '%s': libpfm4 refuses it: %s", whole, pfm_strerror(error));
}

int pmc_pfm_encode(enum pmc_layout layout, const char *whole, const struct pmc_word *name,
		   const struct pmc_word *masks, size_t num_masks, uint64_t *select)
{
	uint64_t codes[PFM_CODES_MAX] = { 0 };
	pfm_event_attr_info_t mask;
	pfm_event_info_t event;
	char text[1024];
	size_t used, i;
	int error, num_codes;

	if (!find_event(layout, name, &event))
		return 1;
	used = snprintf(text, sizeof(text), "%s::%s", table.name, event.name);
	for (i = 0; i < num_masks; i++) {
		if (!find_mask(&event, &masks[i], &mask))
			return fail_mask(layout, whole, &event, &masks[i]);
		if (needs_tagging(layout, &event, &mask))
			return fail_second(whole);
		if (used < sizeof(text))
			used += snprintf(text + used, sizeof(text) - used, ":%s", mask.name);
	}
	if (used >= sizeof(text))
		return pmc_fail(EINVAL, "event '%s': too many unit masks", whole);
	error = encode(text, codes, &num_codes);
	if (error != PFM_SUCCESS)
		return fail_encode(layout, whole, &event, num_masks, error);
	if (!num_masks && preset_needs_second(layout, &event))
		return fail_second(whole);
	return take_codes(layout, whole, codes, num_codes, select);
}

/* ---- list ---- */

/* NetBurst's masks are told as numbers of bits. */
static uint64_t mask_bits(uint64_t code)
{
	if (table_layout() != PMC_LAYOUT_NETBURST)
		return code << 8;
	return code < NETBURST_MASK_BITS ? 1ULL << (NETBURST_MASK_SHIFT + code) : 0;
}

/*
 * Whether no event is made of the name, as the parser says; with @mask if not NULL.
 * Return: 0 or 1, or -1 without memory.
 */
static int is_refused(const char *name, const char *mask)
{
	struct pmc_event *event;
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s", name, mask ? ":" : "", mask ? mask : "");
	event = pmc_event_parse(text);
	pmc_event_free(event);
	if (event)
		return 0;
	return errno == ENOMEM ? -1 : errno == EOPNOTSUPP;
}

/* Return: how many of the unit masks are not refused, or -1 without memory. */
static int fill_masks(const pfm_event_info_t *event, struct pmc_event_row *row)
{
	pfm_event_attr_info_t info;
	struct pmc_unit_mask *masks;
	int i, refused, num = 0;

	masks = calloc(event->nattrs + 1, sizeof(*masks));
	if (!masks)
		return -1;
	row->unit_masks = masks;
	for (i = 0; i < event->nattrs; i++) {
		if (!get_mask(event->idx, i, &info))
			continue;
		refused = is_refused(event->name, info.name);
		if (refused < 0)
			return -1;
		num += !refused;
		masks[row->num_unit_masks++] = (struct pmc_unit_mask){
			.name = info.name,
			.text = info.desc,
			.bits = mask_bits(info.code),
			.preset = info.is_dfl,
			.combines = true,
			.refused = refused,
		};
	}
	return num;
}

/* The last failure of the parser without the event's name. Return: 0 or -1. */
static int note_reason(struct pmc_event_row *row)
{
	const char *reason = strstr(pmc_error(), "': ");

	row->counters = 0;
	row->note = strdup(reason ? reason + 3 : pmc_error());
	return row->note ? 0 : -1;
}

/* Masks, and whether there is a way to count the event at all. Return: 0 or -1. */
static int fill_row(const pfm_event_info_t *info, struct pmc_event_row *row)
{
	int num = fill_masks(info, row), refused;

	if (num < 0)
		return -1;
	if (num)
		return 0;
	refused = row->num_unit_masks ? 1 : is_refused(info->name, NULL);
	if (refused > 0)
		return note_reason(row);
	return refused;
}

/*
 * The table as rows, made once and kept: libpfm4 takes its time for each unit mask.
 * @complete: there was memory for all
 */
struct rows {
	struct pmc_event_row *row;
	size_t num;
	bool complete;
};

static struct rows rows;
static pthread_mutex_t rows_lock = PTHREAD_MUTEX_INITIALIZER;

static void free_rows(struct rows *made)
{
	while (made->num) {
		made->num--;
		free((void *)made->row[made->num].unit_masks);
		free((void *)made->row[made->num].note);
	}
	free(made->row);
}

/* The event select of an event's number */
static uint64_t event_select(uint64_t code)
{
	switch (table_layout()) {
	case PMC_LAYOUT_NETBURST:
		return pmc_netburst_select(code);
	case PMC_LAYOUT_AMD:
		return (code & 0xff) | (code & 0xf00) << 24;
	default:
		return code;
	}
}

/* Return: 0, or -1 without memory. */
static int add_row(struct rows *made, const pfm_event_info_t *info)
{
	struct pmc_event_row *grown;

	grown = realloc(made->row, (made->num + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	made->row = grown;
	grown[made->num] = (struct pmc_event_row){
		.name = info->name,
		.text = info->desc,
		.source = table.desc,
		.select = event_select(info->code),
		.counters = PMC_ANY_COUNTER,
		.fixed = PMC_NO_FIXED,
	};
	return fill_row(info, &grown[made->num++]);
}

static struct rows make_rows(void)
{
	struct rows made = { .complete = true };
	pfm_event_info_t info;
	int index;

	for (index = table.first_event; index != -1; index = pfm_get_event_next(index)) {
		if (!get_event(index, &info) || !add_row(&made, &info))
			continue;
		free_rows(&made);
		return (struct rows){ .complete = false };
	}
	return made;
}

/* Made without the lock, as the parser may ask for lists. Return: 0 or -1. */
static int get_rows(void)
{
	struct rows made;
	bool complete;

	pthread_mutex_lock(&rows_lock);
	complete = rows.complete;
	pthread_mutex_unlock(&rows_lock);
	if (complete)
		return 0;
	made = make_rows();
	if (!made.complete) {
		errno = ENOMEM;
		return -1;
	}
	pthread_mutex_lock(&rows_lock);
	if (rows.complete)
		free_rows(&made);
	else
		rows = made;
	pthread_mutex_unlock(&rows_lock);
	return 0;
}

int pmc_pfm_next(enum pmc_layout layout, size_t *cursor, struct pmc_event_row *row)
{
	if (!has_table(layout))
		return 0;
	if (get_rows())
		return -1;
	if (*cursor >= rows.num)
		return 0;
	*row = rows.row[(*cursor)++];
	return 1;
}

#else /* HAVE_LIBPFM */

uint32_t pmc_pfm_kind(void)
{
	return 0;
}

const char *pmc_pfm_missing(enum pmc_layout layout)
{
	(void)layout;
	return "this library was built without libpfm4: install libpfm4-dev, build it again";
}

int pmc_pfm_encode(enum pmc_layout layout, const char *whole, const struct pmc_word *name,
		   const struct pmc_word *masks, size_t num_masks, uint64_t *select)
{
	(void)layout;
	(void)whole;
	(void)name;
	(void)masks;
	(void)num_masks;
	(void)select;
	return 1;
}

int pmc_pfm_next(enum pmc_layout layout, size_t *cursor, struct pmc_event_row *row)
{
	(void)layout;
	(void)cursor;
	(void)row;
	return 0;
}

#endif /* HAVE_LIBPFM */
