// SPDX-License-Identifier: GPL-2.0-only
/*
 * Comparison of the model's tables of events with the library's (lib/events), which were
 * written independently from the same documents
 */
#include <string.h>

#include "fake.h"
#include "pmu_int.h"

#define PMU_MMX_ALL_TYPES	0x3f
#define OCCURRENCE	false
#define DURATION	true

struct listed {
	unsigned int code;
	unsigned int counters;
	bool duration;
	const char *name;
};

static const struct listed pentium[] = {
#define PMC_P5_EVENT(code, name, title, text, note) { code, 3, false, name },
#include "events/tables/p5.def"
#undef PMC_P5_EVENT
};

/* Events of this part with their names in p5.def. */
static const struct listed pentium_mmx_common[] = {
#define PMC_P5_MMX_COMMON(code, kind, title) { code, 3, kind, NULL },
#define PMC_P5_MMX_RESERVED(code)
#define PMC_P5_MMX_EVENT(code, counters, kind, name, title, text, note)
#include "events/tables/p5-mmx.def"
#undef PMC_P5_MMX_COMMON
#undef PMC_P5_MMX_RESERVED
#undef PMC_P5_MMX_EVENT
};

static const unsigned int pentium_mmx_reserved[] = {
#define PMC_P5_MMX_COMMON(code, kind, title)
#define PMC_P5_MMX_RESERVED(code) code,
#define PMC_P5_MMX_EVENT(code, counters, kind, name, title, text, note)
#include "events/tables/p5-mmx.def"
#undef PMC_P5_MMX_COMMON
#undef PMC_P5_MMX_RESERVED
#undef PMC_P5_MMX_EVENT
};

static const struct listed pentium_mmx[] = {
#define PMC_P5_MMX_COMMON(code, kind, title)
#define PMC_P5_MMX_RESERVED(code)
#define PMC_P5_MMX_EVENT(code, counters, kind, name, title, text, note) \
	{ code, counters, kind, name },
#include "events/tables/p5-mmx.def"
#define PMC_P5_MANUAL_EVENT(code, counters, kind, name, text) \
	{ code, counters, kind, name },
#include "events/tables/p5-manual.def"
};

enum set {
	NONE, MESI, BUS, SELF, PREFETCH, SSE, MMX_UOPS, MMX_TYPES, MMX_TRANSITIONS,
	SEGMENTS
};

static const struct {
	enum set set;
	unsigned int bits;
} masks[] = {
	{ NONE, 0 },
#define PMC_P6_MASK(set, name, bits, preset, combines, text) { set, bits },
#include "events/tables/p6-units.def"
};

#define P2	1
#define P3	2
#define P2_P3	3
#define ALL	3

static const struct p6_listed {
	unsigned int parts;
	unsigned int code;
	enum set set;
	unsigned int counters;
	const char *name;
} p6[] = {
#define PMC_P6_EVENT(unit, code, masks, counters, kind, name, alias, text, note) \
	{ ALL, code, masks, counters, name },
#include "events/tables/p6.def"
#define PMC_P6_MANUAL_EVENT(unit, parts, code, masks, kind, name, alias, text) \
	{ parts, code, masks, 3, name },
#include "events/tables/p6-manual.def"
};

/* ---- the library's events are in the model --------------------------------- */

static bool same_name(const struct pmu_event *e, const char *name)
{
	return !name || !strncmp(e->name, name, strlen(name));
}

static void check(const struct fake *f, unsigned int code, unsigned int counters,
		  const char *name)
{
	const struct pmu_event *e;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (!(counters >> i & 1))
			continue;
		e = pmu_part_event(f->pmu->part, code, i);
		if (!e || !same_name(e, name))
			fail_msg("%s, event %x on counter %u: %s is not %s",
				 fake_name(f->model), code, i,
				 e ? e->name : "none", name);
	}
}

static void check_all(const struct fake *f, const struct listed *t, size_t n)
{
	const struct pmu_event *e;
	size_t i;

	for (i = 0; i < n; i++) {
		check(f, t[i].code, t[i].counters, t[i].name);
		e = pmu_part_event(f->pmu->part, t[i].code, t[i].counters == 2);
		if (t != pentium && e->duration != t[i].duration)
			fail_msg("%s is no %s", e->name,
				 t[i].duration ? "duration" : "occurrence");
	}
}

static void library_events_in_model(void **state)
{
	unsigned int m, i, k;
	struct fake f;

	start(&f, PENTIUM);
	check_all(&f, pentium, ARRAY_LEN(pentium));
	stop(&f);
	start(&f, PENTIUM_MMX);
	check_all(&f, pentium, ARRAY_LEN(pentium));
	check_all(&f, pentium_mmx_common, ARRAY_LEN(pentium_mmx_common));
	check_all(&f, pentium_mmx, ARRAY_LEN(pentium_mmx));
	for (i = 0; i < ARRAY_LEN(pentium_mmx_reserved); i++)
		assert_null(pmu_part_event(f.pmu->part, pentium_mmx_reserved[i], 0));
	stop(&f);
	for (m = PENTIUM_II; m <= PENTIUM_III; m++) {
		start(&f, m);
		for (i = 0; i < ARRAY_LEN(p6); i++)
			for (k = 0; k < ARRAY_LEN(masks); k++)
				if (p6[i].set == masks[k].set &&
				    p6[i].parts >> (m - PENTIUM_II) & 1)
					check(&f, p6[i].code | masks[k].bits << 8,
					      p6[i].counters, p6[i].name);
		stop(&f);
	}
}

/* ---- the model's events are in the library --------------------------------- */

static bool is_listed(const struct listed *t, size_t n, unsigned int code,
		      unsigned int counter)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (t[i].code == code && t[i].counters >> counter & 1)
			return true;
	return false;
}

static bool lists(enum fake_model model, unsigned int code, unsigned int counter)
{
	size_t i, k;

	if (model <= PENTIUM_MMX)
		return is_listed(pentium, ARRAY_LEN(pentium), code, counter) ||
		       (model == PENTIUM_MMX &&
			is_listed(pentium_mmx, ARRAY_LEN(pentium_mmx), code,
				  counter));
	for (i = 0; i < ARRAY_LEN(p6); i++)
		for (k = 0; k < ARRAY_LEN(masks); k++)
			if (p6[i].set == masks[k].set &&
			    p6[i].parts >> (model - PENTIUM_II) & 1 &&
			    p6[i].counters >> counter & 1 &&
			    code == (p6[i].code | masks[k].bits << 8))
				return true;
	return false;
}

/* Sets of masks that combine: each mask alone, and all together. */
static bool is_combined(const struct pmu_event *e, unsigned int umask)
{
	return e->masks && umask & (umask - 1) && umask != (1u << e->masks) - 1;
}

TEST_EACH(PENTIUM, PENTIUM_III, model_events_in_library)
{
	unsigned int m = f->model, code, i;

	for (code = 0; code < 0x10000; code++)
		for (i = 0; i < 2; i++) {
			const struct pmu_event *e =
				pmu_part_event(f->pmu->part, code, i);

			if (!e || is_combined(e, code >> 8) ||
			    (e->masks && !(code >> 8)) ||
			    code == (PMU_MMX_ALL_TYPES << 8 | 0xb3))
				continue;
			if (!lists(m, code, i))
				fail_msg("%s: event %x on counter %u: %s",
					 fake_name(m), code, i, e->name);
		}
}

#define T(f) cmocka_unit_test(f)

const struct CMUnitTest list_tests[] = {
	T(library_events_in_model), T(model_events_in_library),
};
const size_t list_ntests = N(list_tests);
