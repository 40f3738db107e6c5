// SPDX-License-Identifier: GPL-2.0-only
/*
 * event-tables NAME: print a table of events, lib/events/tables, for a manual page
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define PMC_NO_FIXED	(-1)
#define NO_FIXED	PMC_NO_FIXED

enum kind { UNKNOWN, OCCURRENCE, DURATION };

/* @text, with each "-" as "\-" */
static void print_text(const char *text)
{
	const char *c;

	for (c = text; *c; c++)
		printf(*c == '-' ? "\\-" : "%c", *c);
}

static void print_tag(const char *name)
{
	printf(".TP\n.B ");
	print_text(name);
	putchar('\n');
}

/* ---- architectural names ---- */

static const struct arch {
	const char *name;
	const char *alias;
	unsigned int bit;
	unsigned int select;
	int fixed;
	bool general;
	const char *text;
} archs[] = {
#define PMC_ARCH_EVENT(...) { __VA_ARGS__ },
#include "../lib/events/tables/architectural.def"
#undef PMC_ARCH_EVENT
};

static void print_archs(void)
{
	const struct arch *arch;

	for (arch = archs; arch < archs + ARRAY_SIZE(archs); arch++) {
		print_tag(arch->name);
		printf("%s:\nevent 0x%02x, unit mask 0x%02x", arch->text, arch->select & 0xff,
		       arch->select >> 8);
		if (arch->fixed != PMC_NO_FIXED)
			printf("; fixed counter %d%s", arch->fixed,
			       arch->general ? "" : " only, unless :g is given");
		printf("; also called ");
		print_text(arch->alias);
		printf(".\n");
	}
}

/* The events of older processors that the architectural names select */
static const struct generic {
	const char *layout;
	const char *name;
	const char *event;
} generics[] = {
#define PMC_GENERIC_EVENT(layout, name, event, select, counters) { #layout, name, event },
#define PMC_GENERIC_NETBURST(name, event, select, counters) { "NETBURST", name, event },
#define PMC_GENERIC_AMD(first, last, name, event, select) \
	{ (first) == (last) ? "K8" : (last) == 0x16 ? "BEFORE_ZEN" : \
	  (first) == 0x17 ? "ZEN" : "AMD", name, event },
#include "../lib/events/tables/generic.def"
#undef PMC_GENERIC_EVENT
#undef PMC_GENERIC_NETBURST
#undef PMC_GENERIC_AMD
};

/* perf's names for the architectural events */
static const struct other {
	const char *name;
	const char *library;
} others[] = {
#define PMC_PERF_ALIAS(name, library) { name, library },
#include "../lib/events/tables/aliases.def"
};

static void print_aliases(void)
{
	const struct other *other;

	for (other = others; other < others + ARRAY_SIZE(others); other++) {
		print_tag(other->name);
		print_text(other->library);
		printf(".\n");
	}
}

/* ---- events of one processor ---- */

struct row {
	unsigned int number;
	unsigned int counters;
	enum kind kind;
	const char *name;
	const char *text;
	const char *note;
	const char *unit;
	const char *masks;
};

static const char *const counters_text[] = {
	[1] = "; counter 0 only", [2] = "; counter 1 only", [3] = "",
};

static const char *const kinds_text[] = {
	[UNKNOWN] = "", [OCCURRENCE] = "; occurrence", [DURATION] = "; duration",
};

static void print_row(const struct row *row)
{
	print_tag(row->name);
	printf("%02XH%s%s:\n", row->number, counters_text[row->counters], kinds_text[row->kind]);
	print_text(row->text);
	printf(".\n");
	if (row->masks) {
		printf("Unit masks: ");
		print_text(row->masks);
		printf(".\n");
	}
	if (row->note) {
		printf("(");
		print_text(row->note);
		printf(".)\n");
	}
}

static const struct row p5[] = {
#define PMC_P5_EVENT(number, name, title, text, note) \
	{ number, 3, UNKNOWN, name, text, note, NULL, NULL },
#include "../lib/events/tables/p5.def"
#undef PMC_P5_EVENT
};

static const struct row mmx[] = {
#define PMC_P5_MMX_COMMON(...)
#define PMC_P5_MMX_RESERVED(...)
#define PMC_P5_MMX_EVENT(number, counters, kind, name, title, text, note) \
	{ number, counters, kind, name, text, note, NULL, NULL },
#include "../lib/events/tables/p5-mmx.def"
#undef PMC_P5_MMX_COMMON
#undef PMC_P5_MMX_RESERVED
#undef PMC_P5_MMX_EVENT
#define PMC_P5_MANUAL_EVENT(number, counters, kind, name, text) \
	{ number, counters, kind, name, text, "not in table 6-1", NULL, NULL },
#include "../lib/events/tables/p5-manual.def"
#undef PMC_P5_MANUAL_EVENT
};

/* Kinds of the plain Pentium's events: table 6-1 lists them. */
static enum kind common_kind(unsigned int number)
{
	static const struct {
		unsigned int number;
		enum kind kind;
	} common[] = {
#define PMC_P5_MMX_COMMON(number, kind, title) { number, kind },
#define PMC_P5_MMX_RESERVED(...)
#define PMC_P5_MMX_EVENT(...)
#include "../lib/events/tables/p5-mmx.def"
#undef PMC_P5_MMX_COMMON
#undef PMC_P5_MMX_RESERVED
#undef PMC_P5_MMX_EVENT
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(common); i++)
		if (common[i].number == number)
			return common[i].kind;
	return OCCURRENCE;
}

/* The unit masks of each set, in one text */
static const struct {
	const char *set;
	const char *name;
	bool preset;
} masks[] = {
#define PMC_P6_MASK(set, name, bits, preset, combines, text) { #set, name, preset },
#include "../lib/events/tables/p6-units.def"
#undef PMC_P6_MASK
};

static void name_masks(const char *set, char *text, size_t size)
{
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(masks); i++)
		if (!strcmp(masks[i].set, set))
			used += snprintf(text + used, size - used, "%s%s%s", used ? ", " : "",
					 masks[i].name, masks[i].preset ? " (if none is given)" : "");
}

static const struct row p6[] = {
#define PMC_P6_EVENT(unit, number, masks, counters, kind, name, alias, text, note) \
	{ number, counters, kind, name, text, note, #unit, #masks },
#include "../lib/events/tables/p6.def"
#undef PMC_P6_EVENT
#define PMC_P6_MANUAL_EVENT(unit, parts, number, masks, kind, name, alias, text) \
	{ number, 3, kind, name, text, #parts, #unit, #masks },
#include "../lib/events/tables/p6-manual.def"
#undef PMC_P6_MANUAL_EVENT
};

static const char *part_note(const char *note)
{
	if (!note || strchr(note, ' '))
		return note;
	if (!strcmp(note, "P2"))
		return "Pentium II; not in table 6-2";
	if (!strcmp(note, "P3"))
		return "Pentium III; not in table 6-2";
	if (!strcmp(note, "P2_P3"))
		return "Pentium II and III; not in table 6-2";
	return "not in table 6-2";
}

static const struct unit {
	const char *name;
	const char *text;
} units[] = {
#define PMC_P6_UNIT(unit, text) { #unit, text },
#include "../lib/events/tables/p6-units.def"
#undef PMC_P6_UNIT
};

static void print_unit(const struct unit *unit)
{
	char texts[256];
	struct row row;
	size_t i;

	printf(".PP\nIn the unit \\(lq%s\\(rq:\n", unit->text);
	for (i = 0; i < ARRAY_SIZE(p6); i++) {
		if (strcmp(p6[i].unit, unit->name))
			continue;
		row = p6[i];
		name_masks(row.masks, texts, sizeof(texts));
		row.masks = texts[0] ? texts : NULL;
		row.note = part_note(row.note);
		print_row(&row);
	}
}

static void print_p6(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		print_unit(&units[i]);
}

static void print_p5(void)
{
	struct row row;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(p5); i++) {
		row = p5[i];
		row.kind = common_kind(row.number);
		print_row(&row);
	}
}

static void print_mmx(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mmx); i++)
		print_row(&mmx[i]);
}

static bool has_name(const struct row *rows, size_t num, const char *event)
{
	size_t i;

	for (i = 0; i < num; i++)
		if (!strncmp(rows[i].name, event, strcspn(event, ":")))
			return true;
	return false;
}

static const char *generic_place(const struct generic *generic)
{
	if (!strcmp(generic->layout, "NETBURST"))
		return "NetBurst";
	if (!strcmp(generic->layout, "AMD"))
		return "AMD's processors";
	if (!strcmp(generic->layout, "K8"))
		return "AMD's K8";
	if (!strcmp(generic->layout, "BEFORE_ZEN"))
		return "AMD's processors before Zen";
	if (!strcmp(generic->layout, "ZEN"))
		return "AMD's Zen and later ones";
	if (!strcmp(generic->layout, "P6"))
		return "the P6 family";
	return has_name(p5, ARRAY_SIZE(p5), generic->event) ? "the Pentium" :
							     "the Pentium with MMX technology";
}

static void print_generics(void)
{
	const struct generic *generic;

	for (generic = generics; generic < generics + ARRAY_SIZE(generics); generic++) {
		print_tag(generic->name);
		printf("on %s: ", generic_place(generic));
		print_text(generic->event);
		printf(".\n");
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} tables[] = {
		{ "architectural", print_archs },
		{ "generic", print_generics },
		{ "other-names", print_aliases },
		{ "p5", print_p5 },
		{ "mmx", print_mmx },
		{ "p6", print_p6 },
	};
	size_t i;

	for (i = 0; argc == 2 && i < ARRAY_SIZE(tables); i++)
		if (!strcmp(argv[1], tables[i].name)) {
			tables[i].print();
			return 0;
		}
	fprintf(stderr, "no such table\n");
	return 1;
}
