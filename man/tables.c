// SPDX-License-Identifier: GPL-2.0-only
/*
 * tables NAME: print a table of the ABI or of the events for a manual page
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../uapi/pmcdrv.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define NO_FIXED	(-1)

/* A paragraph with a tag, in the macros of man(7) */
static void print_entry(const char *tag, const char *text, const char *more)
{
	const char *c;

	printf(".TP\n.B ");
	for (c = tag; *c; c++)
		printf(*c == '-' ? "\\-" : "%c", *c);
	printf("\n%s", text);
	if (more)
		printf(":\n%s", more);
	printf(".\n");
}

static void errors(void)
{
#define X(number, meaning, advice) print_entry(#number, meaning, advice);
	PMC_ERRORS(X)
#undef X
}

static void statuses(void)
{
#define X(name, value, text) print_entry("PMC_STATUS_" #name, text, NULL);
	PMC_STATUSES(X)
#undef X
}

static void families(void)
{
#define X(name, value, text) print_entry("PMC_FAMILY_" #name, text, NULL);
	PMC_FAMILIES(X)
#undef X
}

static void holders(void)
{
#define X(name, value, text) print_entry("PMC_HOLDER_" #name, text, NULL);
	PMC_HOLDERS(X)
#undef X
}

static void features(void)
{
#define X(name, bit, text) print_entry("PMC_FEATURE(" #name ")", text, NULL);
	PMC_FEATURES(X)
#undef X
}

static void print_event(const char *name, const char *alias, unsigned int select, int fixed,
			bool general, const char *text)
{
	char more[160];
	int used;

	used = snprintf(more, sizeof(more), "event 0x%02x, unit mask 0x%02x", select & 0xff,
			select >> 8);
	if (fixed != NO_FIXED)
		used += snprintf(more + used, sizeof(more) - used, "; fixed counter %d%s", fixed,
				 general ? "" : " only, unless :g is given");
	snprintf(more + used, sizeof(more) - used, "; also called %s", alias);
	print_entry(name, text, more);
}

static void events(void)
{
#define PMC_ARCH_EVENT(name, alias, bit, select, fixed, general, text) \
	print_event(name, alias, select, fixed, general, text);
#include "../lib/arch-events.def"
#undef PMC_ARCH_EVENT
}

static const struct {
	const char *name;
	void (*print)(void);
} tables[] = {
	{ "errors", errors },
	{ "statuses", statuses },
	{ "families", families },
	{ "holders", holders },
	{ "features", features },
	{ "events", events },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 2 && i < ARRAY_SIZE(tables); i++)
		if (!strcmp(tables[i].name, argv[1])) {
			tables[i].print();
			return 0;
		}
	fprintf(stderr, "tables: no such table\n");
	return 1;
}
