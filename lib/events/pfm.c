// SPDX-License-Identifier: LGPL-2.1-or-later
/* Event selects and core types of libpfm4's names */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "core_type.h"
#include "error.h"
#include "extra_register.h"
#include "netburst.h"
#include "pfm.h"

int pmc_fail_name(struct pmc_name_failure *failure, const struct pmc_processor *processor,
		  enum pmc_name_reason reason)
{
	failure->reason = reason;
	failure->processor = *processor;
	errno = EINVAL;
	return -1;
}

#ifdef HAVE_LIBPFM
#include "pfm_table.h"

/* In what libpfm4 encodes: privilege levels, interrupt, enable */
#define PFM_DRIVER_BITS	(1ULL << 16 | 1ULL << 17 | 1ULL << 20 | 1ULL << 22)

static const struct {
	const char *table;
	unsigned int family;
	unsigned int model;
} models[] = {
#define PMC_PFM_MODEL(table, family, model) { table, family, model },
#include "tables/pfm-models.def"
#undef PMC_PFM_MODEL
};

/* The table that the environment chooses, or NULL without this variable */
static const char *forced_table(void)
{
	const char *name = getenv("LIBPFM_FORCE_PMU");

	return name && *name ? name : NULL;
}

bool pmc_pfm_forced_processor(struct pmc_processor *processor)
{
	const struct pmc_pfm_table *table = forced_table() ? pmc_pfm_first_table() : NULL;
	uint32_t core_type = processor->core_type;
	struct pmc_query query = { .size = 0 };
	size_t i;

	if (!table)
		return false;
	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (!strcmp(table->info.name, models[i].table)) {
			query.cpu_family = models[i].family;
			query.cpu_model = models[i].model;
		}
	memcpy(query.vendor, pmc_pfm_layout(table) == PMC_LAYOUT_AMD ? "AuthenticAMD" :
	       "GenuineIntel", sizeof("GenuineIntel"));
	*processor = pmc_processor_from_query(&query);
	processor->layout = pmc_pfm_layout(table);
	processor->is_hybrid = table->core_type;
	if (table->core_type)
		processor->core_type = core_type ? core_type : table->core_type;
	return true;
}

const char *pmc_pfm_unavailable_reason(const struct pmc_processor *processor)
{
	const struct pmc_pfm_table *table = pmc_pfm_table(processor, 0);
	struct pmc_processor all = *processor;

	all.core_type = 0;
	if (table)
		return table->event ? NULL : "there was no memory for libpfm4's names";
	if (pmc_pfm_table(&all, 0))
		return "the installed libpfm4 has no names for this core type; a newer one may";
	if (forced_table())
		return "LIBPFM_FORCE_PMU names no table of the installed libpfm4; unset it";
	return "the installed libpfm4 does not know this processor; a newer one may";
}

static int fail_extra_register(const char *whole, uint64_t select)
{
	return pmc_fail(EOPNOTSUPP, "event '%s': %s", whole, pmc_register_reason(select));
}

/* From libpfm4's codes: NetBurst's are ESCR and CCCR, a second one is an extra register. */
static int combine_codes(const struct pmc_processor *processor, const char *whole,
			 const uint64_t *codes, int num_codes, struct pmc_pfm_code *code)
{
	bool netburst = processor->layout == PMC_LAYOUT_NETBURST;

	code->select = codes[0] & ~PFM_DRIVER_BITS;
	if (netburst && num_codes == 2) {
		code->select = pmc_netburst_encoding(codes[0], codes[1]);
		return 0;
	}
	if (netburst || num_codes > 2 ||
	    (num_codes == 2 && !pmc_register_of(processor, code->core_type, code->select)))
		return fail_extra_register(whole, code->select);
	code->event_extra = codes[1];
	return 0;
}

/* The number of codes of an event with one unit mask; 0 if libpfm4 refuses it alone */
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
static bool needs_extra_register(const struct pmc_pfm_event *event,
				 const pfm_event_attr_info_t *mask)
{
	if (pmc_pfm_layout(event->table) == PMC_LAYOUT_NETBURST)
		return needs_tagging(event, mask);
	return num_codes_with(event, mask) > 1;
}

/*
 * Of an event without a unit mask libpfm4 gives but one code even if the mask that it
 * takes then needs an extra register (4.13: Skylake's MEM_TRANS_RETIRED).
 */
static bool preset_needs_extra_register(const struct pmc_pfm_event *event,
					const struct pmc_pfm_masks *masks)
{
	size_t i;

	for (i = 0; i < masks->num; i++)
		if (masks->mask[i].is_dfl && needs_extra_register(event, &masks->mask[i]))
			return true;
	return false;
}

static int fail_mask(const struct pmc_processor *processor, struct pmc_pfm_event *event,
		     const struct pmc_token *token, struct pmc_name_failure *failure)
{
	failure->event = event;
	failure->unit_mask = *token;
	return pmc_fail_name(failure, processor, NAME_UNKNOWN_UNIT_MASK);
}

static int fail_needs_mask(const struct pmc_processor *processor, struct pmc_pfm_event *event,
			   struct pmc_name_failure *failure)
{
	failure->event = event;
	return pmc_fail_name(failure, processor, NAME_NEEDS_UNIT_MASK);
}

static int fail_encode(const struct pmc_processor *processor, const char *whole,
		       struct pmc_pfm_event *event, const struct pmc_pfm_masks *masks,
		       size_t num_masks, int error, struct pmc_name_failure *failure)
{
	if ((error == PFM_ERR_UMASK || error == PFM_ERR_ATTR) && !num_masks) {
		if (masks->num)
			return fail_needs_mask(processor, event, failure);
		/* libpfm4 4.13: Sandy Bridge's MEM_LOAD_UOPS_LLC_MISS_RETIRED */
		return pmc_fail(EOPNOTSUPP,
				"event '%s': libpfm4 has no unit mask for it; give it as a raw code, from the processor's manual",
				whole);
	}
	if (error == PFM_ERR_UMASK || error == PFM_ERR_FEATCOMB)
		return pmc_fail(EINVAL, "event '%s': these unit masks cannot be combined", whole);
	return pmc_fail(EINVAL, "event '%s': libpfm4 refuses it: %s", whole, pfm_strerror(error));
}

/*
 * Encode an event of one table. @code: its core_type is set before
 * Return: 0 or -1 after pmc_fail().
 */
static int encode(const struct pmc_processor *processor, const char *whole,
		  struct pmc_pfm_event *event, const struct pmc_token *unit_masks,
		  size_t num_unit_masks, struct pmc_pfm_code *code,
		  struct pmc_name_failure *failure)
{
	const struct pmc_pfm_masks *masks = pmc_pfm_masks(event);
	uint64_t codes[PFM_CODES_MAX] = { 0 };
	const pfm_event_attr_info_t *mask;
	char text[1024];
	size_t used, i;
	int error, num_codes;

	failure->reason = NAME_COMPLETE;
	if (!masks)
		return -1;
	used = snprintf(text, sizeof(text), "%s::%s", event->table->info.name, event->info.name);
	for (i = 0; i < num_unit_masks; i++) {
		mask = pmc_pfm_find_mask(masks, &unit_masks[i]);
		if (!mask)
			return fail_mask(processor, event, &unit_masks[i], failure);
		if (needs_tagging(event, mask))
			return fail_extra_register(whole, 0);
		if (used < sizeof(text))
			used += snprintf(text + used, sizeof(text) - used, ":%s", mask->name);
	}
	if (used >= sizeof(text))
		return pmc_fail(EINVAL, "event '%s': too many unit masks", whole);
	error = pmc_pfm_codes(text, codes, &num_codes);
	if (error != PFM_SUCCESS)
		return fail_encode(processor, whole, event, masks, num_unit_masks, error, failure);
	if (!num_unit_masks && num_codes == 1 && preset_needs_extra_register(event, masks))
		return fail_extra_register(whole, codes[0]);
	return combine_codes(processor, whole, codes, num_codes, code);
}

/* ---- hybrid processors ---- */

/* Return: 1, or -1 after pmc_fail() if another core type than the requested one has the name. */
static int fail_other_core_type(const struct pmc_processor *processor, const char *whole,
				const struct pmc_token *name)
{
	struct pmc_processor all = *processor;
	struct pmc_pfm_table *table;
	size_t i;

	all.core_type = 0;
	for (i = 0; processor->core_type && (table = pmc_pfm_table(&all, i)); i++)
		if (pmc_pfm_find(table, name))
			return pmc_core_type_fail_other(processor, whole, table->core_type);
	return 1;
}

/*
 * A code of one table is for its core type, a code of all tables for all. The first table that
 * has the name comes last, so its message is reported.
 * @event: the event of each table, or NULL
 */
static int encode_all(const struct pmc_processor *processor, const char *whole,
		      struct pmc_pfm_event *const *event, size_t num_tables,
		      const struct pmc_token *unit_masks, size_t num_unit_masks,
		      struct pmc_pfm_code *code, struct pmc_name_failure *failure)
{
	struct pmc_pfm_code one;
	size_t able = 0, i;

	for (i = num_tables; i-- > 0;) {
		if (!event[i])
			continue;
		one = (struct pmc_pfm_code){ .core_type = event[i]->table->core_type };
		if (encode(processor, whole, event[i], unit_masks, num_unit_masks, &one,
			   failure)) {
			if (errno == ENOMEM)
				return -1;
			continue;
		}
		if (able && (one.select != code->select || one.event_extra != code->event_extra))
			return pmc_core_type_fail_ambiguous(whole);
		*code = one;
		able++;
	}
	if (!processor->is_hybrid || able > 1)
		code->core_type = 0;
	return able ? 0 : -1;
}

int pmc_pfm_encode(const struct pmc_processor *processor, const char *whole,
		   const struct pmc_token *name, const struct pmc_token *unit_masks,
		   size_t num_unit_masks, struct pmc_pfm_code *code,
		   struct pmc_name_failure *failure)
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
	return encode_all(processor, whole, event, num, unit_masks, num_unit_masks, code, failure);
}

#else /* HAVE_LIBPFM */

bool pmc_pfm_forced_processor(struct pmc_processor *processor)
{
	(void)processor;
	return false;
}

const char *pmc_pfm_unavailable_reason(const struct pmc_processor *processor)
{
	(void)processor;
	return "this library was built without libpfm4: install libpfm4-dev and rebuild it";
}

int pmc_pfm_encode(const struct pmc_processor *processor, const char *whole,
		   const struct pmc_token *name, const struct pmc_token *unit_masks,
		   size_t num_unit_masks, struct pmc_pfm_code *code,
		   struct pmc_name_failure *failure)
{
	(void)processor;
	(void)whole;
	(void)name;
	(void)unit_masks;
	(void)num_unit_masks;
	(void)code;
	(void)failure;
	return 1;
}

#endif /* HAVE_LIBPFM */
