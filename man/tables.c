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

struct entry {
	const char *tag;
	const char *text;
	const char *more;
};

static const struct entry errors[] = {
#define X(number, meaning, advice) { #number, meaning, advice },
	PMC_ERRORS(X)
#undef X
};

static const struct entry statuses[] = {
#define X(name, value, text) { "PMC_STATUS_" #name, text, NULL },
	PMC_STATUSES(X)
#undef X
};

static const struct entry families[] = {
#define X(name, value, text) { "PMC_FAMILY_" #name, text, NULL },
	PMC_FAMILIES(X)
#undef X
};

static const struct entry holders[] = {
#define X(name, value, text) { "PMC_HOLDER_" #name, text, NULL },
	PMC_HOLDERS(X)
#undef X
};

static const struct entry records[] = {
#define X(name, value, text) { "PMC_RECORD_" #name, text, NULL },
	PMC_RECORDS(X)
#undef X
};

static const struct entry features[] = {
#define X(name, bit, text) { "PMC_FEATURE(" #name ")", text, NULL },
	PMC_FEATURES(X)
#undef X
};

static const struct event {
	const char *name;
	const char *alias;
	unsigned int bit;
	unsigned int select;
	int fixed;
	bool general;
	const char *text;
} events[] = {
#define PMC_ARCH_EVENT(...) { __VA_ARGS__ },
#include "../lib/arch-events.def"
#undef PMC_ARCH_EVENT
};

static void print_event(const struct event *event)
{
	char more[160];
	int used;

	used = snprintf(more, sizeof(more), "event 0x%02x, unit mask 0x%02x",
			event->select & 0xff, event->select >> 8);
	if (event->fixed != NO_FIXED)
		used += snprintf(more + used, sizeof(more) - used, "; fixed counter %d%s",
				 event->fixed, event->general ? "" : " only, unless :g is given");
	snprintf(more + used, sizeof(more) - used, "; also called %s", event->alias);
	print_entry(event->name, event->text, more);
}

static void print_events(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		print_event(&events[i]);
}

static const struct {
	const char *name;
	const struct entry *entries;
	size_t num;
} tables[] = {
	{ "errors", errors, ARRAY_SIZE(errors) },
	{ "statuses", statuses, ARRAY_SIZE(statuses) },
	{ "families", families, ARRAY_SIZE(families) },
	{ "holders", holders, ARRAY_SIZE(holders) },
	{ "records", records, ARRAY_SIZE(records) },
	{ "features", features, ARRAY_SIZE(features) },
};

static bool print_table(const char *name)
{
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		if (strcmp(tables[i].name, name))
			continue;
		for (j = 0; j < tables[i].num; j++)
			print_entry(tables[i].entries[j].tag, tables[i].entries[j].text,
				    tables[i].entries[j].more);
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "events")) {
		print_events();
		return 0;
	}
	if (argc == 2 && print_table(argv[1]))
		return 0;
	fprintf(stderr, "no such table\n");
	return 1;
}
