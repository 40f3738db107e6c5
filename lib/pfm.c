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

/* The unit masks of an event */
struct masks {
	size_t num;
	pfm_event_attr_info_t mask[];
};

/*
 * An event, and what was asked of it so far: libpfm4 goes through all attributes to tell
 * an event's name, or one of them.
 * @masks: struct masks, NULL as long as nobody has asked
 * @row: struct pmc_event_row for lists, likewise
 * @marked: the same with marks on what is refused, likewise
 */
struct table_event {
	pfm_event_info_t info;
	void *masks;
	void *row;
	void *marked;
};

/* All of them; none if there was no memory */
static struct {
	struct table_event *event;
	size_t num;
} events;

/* Of what is asked for later */
static pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;

static void remember_events(void)
{
	int index;

	events.event = calloc(table.nevents, sizeof(*events.event));
	if (!events.event)
		return;
	for (index = table.first_event; index != -1; index = pfm_get_event_next(index))
		if (events.num < (size_t)table.nevents &&
		    get_event(index, &events.event[events.num].info))
			events.num++;
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
			remember_events();
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
		return events.event ? NULL : "there was no memory for libpfm4's names";
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

/* Return: NULL if there is no such event. */
static struct table_event *find_event(enum pmc_layout layout, const struct pmc_word *name)
{
	size_t i;

	if (!has_table(layout))
		return NULL;
	for (i = 0; i < events.num; i++)
		if (pmc_word_names(name, events.event[i].info.name))
			return &events.event[i];
	return NULL;
}

/* What another thread may be making too; the first one stays. */
static void *get_once(void **place)
{
	void *made;

	pthread_mutex_lock(&events_lock);
	made = *place;
	pthread_mutex_unlock(&events_lock);
	return made;
}

static bool put_once(void **place, void *made)
{
	bool first;

	pthread_mutex_lock(&events_lock);
	first = !*place;
	if (first)
		*place = made;
	pthread_mutex_unlock(&events_lock);
	return first;
}

/* Return: the unit masks of an event, or NULL after pmc_fail() without memory. */
static const struct masks *get_masks(struct table_event *event)
{
	struct masks *masks = get_once(&event->masks);
	int i;

	if (masks)
		return masks;
	masks = calloc(1, sizeof(*masks) + event->info.nattrs * sizeof(masks->mask[0]));
	if (!masks) {
		pmc_fail_errno("the unit masks of an event");
		return NULL;
	}
	for (i = 0; i < event->info.nattrs; i++)
		masks->num += get_mask(event->info.idx, i, &masks->mask[masks->num]);
	if (put_once(&event->masks, masks))
		return masks;
	free(masks);
	return get_once(&event->masks);
}

static const pfm_event_attr_info_t *find_mask(const struct masks *masks,
					      const struct pmc_word *word)
{
	size_t i;

	for (i = 0; i < masks->num; i++)
		if (pmc_word_names(word, masks->mask[i].name))
			return &masks->mask[i];
	return NULL;
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

/* ---- rows ---- */

/* NetBurst's masks are told as numbers of bits. */
static uint64_t mask_bits(uint64_t code)
{
	if (table_layout() != PMC_LAYOUT_NETBURST)
		return code << 8;
	return code < NETBURST_MASK_BITS ? 1ULL << (NETBURST_MASK_SHIFT + code) : 0;
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

/* Return: a row of the event with its unit masks, none of them marked; NULL without memory. */
static struct pmc_event_row *make_row(struct table_event *event)
{
	const struct masks *masks = get_masks(event);
	struct pmc_unit_mask *unit_masks;
	struct pmc_event_row *row;
	size_t i;

	if (!masks)
		return NULL;
	/* as one piece */
	row = calloc(1, sizeof(*row) + masks->num * sizeof(*unit_masks));
	if (!row)
		return NULL;
	unit_masks = (void *)(row + 1);
	for (i = 0; i < masks->num; i++)
		unit_masks[i] = (struct pmc_unit_mask){
			.name = masks->mask[i].name,
			.text = masks->mask[i].desc,
			.bits = mask_bits(masks->mask[i].code),
			.preset = masks->mask[i].is_dfl,
			.combines = true,
		};
	*row = (struct pmc_event_row){
		.name = event->info.name,
		.text = event->info.desc,
		.source = table.desc,
		.select = event_select(event->info.code),
		.counters = PMC_ANY_COUNTER,
		.fixed = PMC_NO_FIXED,
		.unit_masks = unit_masks,
		.num_unit_masks = masks->num,
	};
	return row;
}

static void free_row(struct pmc_event_row *row)
{
	free((void *)row->note);
	free(row);
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

/* The last failure of the parser without the event's name. Return: 0 or -1. */
static int note_reason(struct pmc_event_row *row)
{
	const char *reason = strstr(pmc_error(), "': ");

	row->counters = 0;
	row->note = strdup(reason ? reason + 3 : pmc_error());
	return row->note ? 0 : -1;
}

/* Mark what is refused: unit masks, and the event if all are. Return: 0 or -1. */
static int mark(struct pmc_event_row *row)
{
	struct pmc_unit_mask *masks = (void *)(row + 1);
	int refused = row->num_unit_masks ? 1 : is_refused(row->name, NULL), one;
	size_t i;

	if (refused < 0)
		return -1;
	for (i = 0; i < row->num_unit_masks; i++) {
		one = is_refused(row->name, masks[i].name);
		if (one < 0)
			return -1;
		masks[i].refused = one;
		refused &= one;
	}
	return refused ? note_reason(row) : 0;
}

/* Return: the event's row, with marks if wanted; NULL after pmc_fail() without memory. */
static const struct pmc_event_row *get_row(struct table_event *event, bool marked)
{
	void **place = marked ? &event->marked : &event->row;
	struct pmc_event_row *row = get_once(place);

	if (row)
		return row;
	row = make_row(event);
	if (row && !(marked && mark(row))) {
		if (put_once(place, row))
			return row;
		free_row(row);
		return get_once(place);
	}
	if (row)
		free_row(row);
	errno = ENOMEM;
	pmc_fail_errno("an event");
	return NULL;
}

/*
 * Of an event without a unit mask libpfm4 gives but one code even if the mask that it
 * takes then needs a second register (4.13: Skylake's MEM_TRANS_RETIRED).
 */
static bool preset_needs_second(enum pmc_layout layout, const pfm_event_info_t *event,
				const struct masks *masks)
{
	size_t i;

	for (i = 0; i < masks->num; i++)
		if (masks->mask[i].is_dfl && needs_second(layout, event, &masks->mask[i]))
			return true;
	return false;
}

/* What unit masks the event has, nearest to a wrong one or all */
static int fail_mask(const char *whole, struct table_event *event, const struct pmc_word *word)
{
	const struct pmc_event_row *row = get_row(event, true);
	struct pmc_nearest nearest;
	char advice[512];
	size_t i;

	if (!row)
		return -1;
	pmc_nearest_begin(&nearest, word);
	for (i = 0; i < row->num_unit_masks; i++)
		if (!row->unit_masks[i].refused)
			pmc_nearest_try(&nearest, row->unit_masks[i].name);
	pmc_nearest_text(&nearest, "'pmcctl list -l' shows those it has", advice, sizeof(advice));
	return pmc_fail(EINVAL, "event '%s': %s has no unit mask or modifier ':%.*s'%s%s", whole,
			row->name, (int)word->len, word->text, pmc_advise_modifier(word), advice);
}

static int fail_needs_mask(const char *whole, struct table_event *event)
{
	const struct pmc_event_row *row = get_row(event, true);
	char masks[512] = "";
	size_t used = 0, i;

	if (!row)
		return -1;
	for (i = 0; i < row->num_unit_masks && used < sizeof(masks); i++)
		if (!row->unit_masks[i].refused)
			used += snprintf(masks + used, sizeof(masks) - used, "%s%s",
					 used ? " " : "", row->unit_masks[i].name);
	if (!used)
		return fail_second(whole);
	return pmc_fail(EINVAL, "event '%s': %s needs a unit mask after ':', one of: %s", whole,
			row->name, masks);
}

static int fail_encode(const char *whole, struct table_event *event, const struct masks *masks,
		       size_t num_masks, int error)
{
	if ((error == PFM_ERR_UMASK || error == PFM_ERR_ATTR) && !num_masks) {
		if (masks->num)
			return fail_needs_mask(whole, event);
		/* libpfm4 4.13: Sandy Bridge's MEM_LOAD_UOPS_LLC_MISS_RETIRED */
		return pmc_fail(EOPNOTSUPP,
				"event '%s': libpfm4 has no unit mask for it; give it as a raw code, from the processor's manual",
				whole);
	}
	if (error == PFM_ERR_UMASK || error == PFM_ERR_FEATCOMB)
		return pmc_fail(EINVAL, "event '%s': these unit masks do not go together", whole);
	return pmc_fail(EINVAL, "event '%s': libpfm4 refuses it: %s", whole, pfm_strerror(error));
}

int pmc_pfm_encode(enum pmc_layout layout, const char *whole, const struct pmc_word *name,
		   const struct pmc_word *words, size_t num_words, uint64_t *select)
{
	struct table_event *event = find_event(layout, name);
	const struct masks *masks = event ? get_masks(event) : NULL;
	uint64_t codes[PFM_CODES_MAX] = { 0 };
	const pfm_event_attr_info_t *mask;
	char text[1024];
	size_t used, i;
	int error, num_codes;

	if (!event)
		return 1;
	if (!masks)
		return -1;
	used = snprintf(text, sizeof(text), "%s::%s", table.name, event->info.name);
	for (i = 0; i < num_words; i++) {
		mask = find_mask(masks, &words[i]);
		if (!mask)
			return fail_mask(whole, event, &words[i]);
		if (needs_tagging(layout, &event->info, mask))
			return fail_second(whole);
		if (used < sizeof(text))
			used += snprintf(text + used, sizeof(text) - used, ":%s", mask->name);
	}
	if (used >= sizeof(text))
		return pmc_fail(EINVAL, "event '%s': too many unit masks", whole);
	error = encode(text, codes, &num_codes);
	if (error != PFM_SUCCESS)
		return fail_encode(whole, event, masks, num_words, error);
	if (!num_words && preset_needs_second(layout, &event->info, masks))
		return fail_second(whole);
	return take_codes(layout, whole, codes, num_codes, select);
}

/* ---- list ---- */

int pmc_pfm_next(enum pmc_layout layout, bool marked, size_t *cursor, struct pmc_event_row *row)
{
	const struct pmc_event_row *next;

	if (!has_table(layout) || *cursor >= events.num)
		return 0;
	next = get_row(&events.event[(*cursor)++], marked);
	if (!next)
		return -1;
	*row = *next;
	return 1;
}

bool pmc_pfm_is_refused(enum pmc_layout layout, const char *name, size_t mask)
{
	const struct pmc_word word = { name, strlen(name) };
	struct table_event *event = find_event(layout, &word);
	const struct pmc_event_row *row = event ? get_row(event, true) : NULL;

	if (!row)
		return false;
	return mask < row->num_unit_masks ? row->unit_masks[mask].refused : !row->counters;
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
		   const struct pmc_word *words, size_t num_words, uint64_t *select)
{
	(void)layout;
	(void)whole;
	(void)name;
	(void)words;
	(void)num_words;
	(void)select;
	return 1;
}

int pmc_pfm_next(enum pmc_layout layout, bool marked, size_t *cursor, struct pmc_event_row *row)
{
	(void)layout;
	(void)marked;
	(void)cursor;
	(void)row;
	return 0;
}

bool pmc_pfm_is_refused(enum pmc_layout layout, const char *name, size_t mask)
{
	(void)layout;
	(void)name;
	(void)mask;
	return false;
}

#endif /* HAVE_LIBPFM */
