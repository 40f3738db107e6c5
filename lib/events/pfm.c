// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of libpfm4: which event select they stand for, and on which kind of core */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "suggest.h"
#include "internal.h"
#include "core_type.h"
#include "netburst.h"
#include "pfm.h"

#ifdef HAVE_LIBPFM
#include "pfm_table.h"

/* In what libpfm4 encodes: privilege levels, interrupt, enable */
#define PFM_DRIVER_BITS	(1ULL << 16 | 1ULL << 17 | 1ULL << 20 | 1ULL << 22)

const char *pmc_pfm_unavailable_reason(const struct pmc_processor *processor)
{
	const struct pmc_pfm_table *table = pmc_pfm_table(processor, 0);
	struct pmc_processor all = *processor;

	all.core_type = 0;
	if (table)
		return table->event ? NULL : "there was no memory for libpfm4's names";
	if (pmc_pfm_table(&all, 0))
		return "the installed libpfm4 has no names for this kind of core; a newer one may";
	return "the installed libpfm4 does not know this processor; a newer one may";
}

static int fail_second_register(const char *whole)
{
	return pmc_fail(EOPNOTSUPP,
			"event '%s': needs a second register, which the driver does not set",
			whole);
}

/* From libpfm4's codes to an event select; NetBurst's are ESCR and CCCR. */
static int combine_codes(enum pmc_layout layout, const char *whole, const uint64_t *codes,
		      int num_codes, uint64_t *select)
{
	bool netburst = layout == PMC_LAYOUT_NETBURST;

	if (num_codes != (netburst ? 2 : 1))
		return fail_second_register(whole);
	*select = netburst ? pmc_netburst_encoding(codes[0], codes[1]) :
			     codes[0] & ~PFM_DRIVER_BITS;
	return 0;
}

/* The codes of an event with one unit mask; 0 if libpfm4 refuses it alone */
static int num_codes_with(const struct pmc_pfm_event *event, const pfm_event_attr_info_t *mask)
{
	uint64_t codes[PFM_CODES_MAX] = { 0 };
	char text[512];
	int num_codes;

	snprintf(text, sizeof(text), "%s::%s:%s", event->table->info.name, event->info.name,
		 mask->name);
	return pmc_pfm_codes(text, codes, &num_codes) == PFM_SUCCESS ? num_codes : 0;
}

/*
 * NetBurst's replay_event has unit masks that are none: they stand for registers that
 * tag operations (MSR_PEBS_MATRIX_VERT and its like).
 */
static bool needs_tagging(const struct pmc_pfm_event *event, const pfm_event_attr_info_t *mask)
{
	return pmc_pfm_layout(event->table) == PMC_LAYOUT_NETBURST &&
	       !strcmp(event->info.name, "replay_event") && mask->code > 1;
}

/* Whether the unit mask stands for a register beside the event select's */
static bool needs_second_register(const struct pmc_pfm_event *event, const pfm_event_attr_info_t *mask)
{
	if (pmc_pfm_layout(event->table) == PMC_LAYOUT_NETBURST)
		return needs_tagging(event, mask);
	return num_codes_with(event, mask) > 1;
}

/*
 * Of an event without a unit mask libpfm4 gives but one code even if the mask that it
 * takes then needs a second register (4.13: Skylake's MEM_TRANS_RETIRED).
 */
static bool preset_needs_second_register(const struct pmc_pfm_event *event,
				const struct pmc_pfm_masks *masks)
{
	size_t i;

	for (i = 0; i < masks->num; i++)
		if (masks->mask[i].is_dfl && needs_second_register(event, &masks->mask[i]))
			return true;
	return false;
}

/* What unit masks the event has, nearest to a wrong one or all */
static int fail_mask(const struct pmc_processor *processor, const char *whole,
		     struct pmc_pfm_event *event, const struct pmc_token *token)
{
	const struct pmc_event_row *row = pmc_pfm_row(processor, event, true);
	struct pmc_nearest nearest;
	char advice[512];
	size_t i;

	if (!row)
		return -1;
	pmc_nearest_init(&nearest, token);
	for (i = 0; i < row->num_unit_masks; i++)
		if (!row->unit_masks[i].refused)
			pmc_nearest_add(&nearest, row->unit_masks[i].name);
	pmc_nearest_format(&nearest, "'pmcctl list -l' shows those it has", advice, sizeof(advice));
	return pmc_fail(EINVAL, "event '%s': %s has no unit mask or modifier ':%.*s'%s%s", whole,
			row->name, (int)token->len, token->text, pmc_suggest_modifier(token), advice);
}

static int fail_needs_mask(const struct pmc_processor *processor, const char *whole,
			   struct pmc_pfm_event *event)
{
	const struct pmc_event_row *row = pmc_pfm_row(processor, event, true);
	char masks[512] = "";
	size_t used = 0, i;

	if (!row)
		return -1;
	for (i = 0; i < row->num_unit_masks && used < sizeof(masks); i++)
		if (!row->unit_masks[i].refused)
			used += snprintf(masks + used, sizeof(masks) - used, "%s%s",
					 used ? " " : "", row->unit_masks[i].name);
	if (!used)
		return fail_second_register(whole);
	return pmc_fail(EINVAL, "event '%s': %s needs a unit mask after ':', one of: %s", whole,
			row->name, masks);
}

static int fail_encode(const struct pmc_processor *processor, const char *whole,
		       struct pmc_pfm_event *event, const struct pmc_pfm_masks *masks,
		       size_t num_masks, int error)
{
	if ((error == PFM_ERR_UMASK || error == PFM_ERR_ATTR) && !num_masks) {
		if (masks->num)
			return fail_needs_mask(processor, whole, event);
		/* libpfm4 4.13: Sandy Bridge's MEM_LOAD_UOPS_LLC_MISS_RETIRED */
		return pmc_fail(EOPNOTSUPP,
				"event '%s': libpfm4 has no unit mask for it; give it as a raw code, from the processor's manual",
				whole);
	}
	if (error == PFM_ERR_UMASK || error == PFM_ERR_FEATCOMB)
		return pmc_fail(EINVAL, "event '%s': these unit masks do not go together", whole);
	return pmc_fail(EINVAL, "event '%s': libpfm4 refuses it: %s", whole, pfm_strerror(error));
}

/* Encode an event of one table. Return: 0 or -1 after pmc_fail(). */
static int encode(const struct pmc_processor *processor, const char *whole,
		  struct pmc_pfm_event *event, const struct pmc_token *unit_masks, size_t num_unit_masks,
		  uint64_t *select)
{
	const struct pmc_pfm_masks *masks = pmc_pfm_masks(event);
	uint64_t codes[PFM_CODES_MAX] = { 0 };
	const pfm_event_attr_info_t *mask;
	char text[1024];
	size_t used, i;
	int error, num_codes;

	if (!masks)
		return -1;
	used = snprintf(text, sizeof(text), "%s::%s", event->table->info.name, event->info.name);
	for (i = 0; i < num_unit_masks; i++) {
		mask = pmc_pfm_find_mask(masks, &unit_masks[i]);
		if (!mask)
			return fail_mask(processor, whole, event, &unit_masks[i]);
		if (needs_tagging(event, mask))
			return fail_second_register(whole);
		if (used < sizeof(text))
			used += snprintf(text + used, sizeof(text) - used, ":%s", mask->name);
	}
	if (used >= sizeof(text))
		return pmc_fail(EINVAL, "event '%s': too many unit masks", whole);
	error = pmc_pfm_codes(text, codes, &num_codes);
	if (error != PFM_SUCCESS)
		return fail_encode(processor, whole, event, masks, num_unit_masks, error);
	if (!num_unit_masks && preset_needs_second_register(event, masks))
		return fail_second_register(whole);
	return combine_codes(processor->layout, whole, codes, num_codes, select);
}

/* ---- several kinds of core ---- */

/* Return: 1, or -1 after pmc_fail() where cores of another kind than is asked for have it. */
static int fail_other_core_type(const struct pmc_processor *processor, const char *whole,
			   const struct pmc_token *name)
{
	const char *core_type = pmc_core_type_name(processor->core_type);
	struct pmc_processor all = *processor;
	struct pmc_pfm_table *table;
	size_t i;

	all.core_type = 0;
	for (i = 0; processor->core_type && (table = pmc_pfm_table(&all, i)); i++)
		if (pmc_pfm_find(table, name))
			return pmc_fail(EOPNOTSUPP,
					"event '%s': cores of the kind %s have no such event, those of the kind %s have",
					whole, core_type ? core_type : "asked for",
					pmc_core_type_name(table->core_type));
	return 1;
}

static int fail_ambiguous(const char *whole)
{
	return pmc_fail(EOPNOTSUPP,
			"event '%s': it is another one on each kind of core: count on one kind, as 'pmcctl stat --kind=%s' or '--kind=%s' does",
			whole, pmc_core_type_name(PMC_CORE_TYPE_CORE), pmc_core_type_name(PMC_CORE_TYPE_ATOM));
}

/*
 * What one table says is for its kind of core, what all of them say for all. The first
 * table that has the name comes last, so that a failure is told with its words.
 * @event: each table's, NULL where it has none
 */
static int encode_all(const struct pmc_processor *processor, const char *whole,
		      struct pmc_pfm_event *const *event, size_t num_tables,
		      const struct pmc_token *unit_masks, size_t num_unit_masks, struct pmc_pfm_code *code)
{
	size_t able = 0, i;
	uint64_t select;

	for (i = num_tables; i-- > 0;) {
		if (!event[i])
			continue;
		if (encode(processor, whole, event[i], unit_masks, num_unit_masks, &select)) {
			if (errno == ENOMEM)
				return -1;
			continue;
		}
		if (able && select != code->select)
			return fail_ambiguous(whole);
		code->select = select;
		code->core_type = event[i]->table->core_type;
		able++;
	}
	if (!processor->is_hybrid || able > 1)
		code->core_type = 0;
	return able ? 0 : -1;
}

int pmc_pfm_encode(const struct pmc_processor *processor, const char *whole,
		   const struct pmc_token *name, const struct pmc_token *unit_masks, size_t num_unit_masks,
		   struct pmc_pfm_code *code)
{
	struct pmc_pfm_event *event[PFM_TABLES_MAX];
	struct pmc_pfm_table *table;
	bool found = false;
	size_t num = 0;

	while ((table = pmc_pfm_table(processor, num))) {
		event[num] = pmc_pfm_find(table, name);
		found |= !!event[num++];
	}
	if (!found)
		return fail_other_core_type(processor, whole, name);
	return encode_all(processor, whole, event, num, unit_masks, num_unit_masks, code);
}

#else /* HAVE_LIBPFM */

const char *pmc_pfm_unavailable_reason(const struct pmc_processor *processor)
{
	(void)processor;
	return "this library was built without libpfm4: install libpfm4-dev, build it again";
}

int pmc_pfm_encode(const struct pmc_processor *processor, const char *whole,
		   const struct pmc_token *name, const struct pmc_token *unit_masks, size_t num_unit_masks,
		   struct pmc_pfm_code *code)
{
	(void)processor;
	(void)whole;
	(void)name;
	(void)unit_masks;
	(void)num_unit_masks;
	(void)code;
	return 1;
}

int pmc_pfm_next(const struct pmc_processor *processor, bool marked, size_t *cursor,
		 struct pmc_event_row *row)
{
	(void)processor;
	(void)marked;
	(void)cursor;
	(void)row;
	return 0;
}

bool pmc_pfm_is_refused(const struct pmc_processor *processor, const struct pmc_event_row *row,
			size_t mask)
{
	(void)processor;
	(void)row;
	(void)mask;
	return false;
}

#endif /* HAVE_LIBPFM */
