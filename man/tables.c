// SPDX-License-Identifier: GPL-2.0-only
/*
 * tables NAME: print a table of the ABI, or of the record file, for a manual page
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <pmcdrv/pmcdrv.h>
#include <pmcdrv/pmcdrv-netlink.h>

#include "../tools/record/file.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

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

static const struct entry quirks[] = {
#define X(name, bit, erratum, text) { "PMC_QUIRK(" #name ")", erratum, text },
	PMC_QUIRKS(X)
#undef X
};

static const struct entry queries[] = {
#define X(name, value, text) { "PMC_NETLINK_" #name, text, NULL },
	PMC_NETLINK_QUERIES(X)
#undef X
};

static const struct entry groups[] = {
#define X(id, name, value, text) { name, text, NULL },
	PMC_NETLINK_GROUPS(X)
#undef X
};

static const struct entry netlink_events[] = {
#define X(name, value, group, text) { "PMC_NETLINK_" #name, text, NULL },
	PMC_NETLINK_EVENTS(X)
#undef X
};

static const struct entry attributes[] = {
#define X(name, value, type, text) { "PMC_NETLINK_A_" #name, #type, text },
	PMC_NETLINK_ATTRIBUTES(X)
#undef X
};

static const struct entry sections[] = {
#define X(name, value, text) { "RECORD_" #name " (" #value ")", text, NULL },
	RECORD_SECTIONS(X)
#undef X
};

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
	{ "quirks", quirks, ARRAY_SIZE(quirks) },
	{ "queries", queries, ARRAY_SIZE(queries) },
	{ "groups", groups, ARRAY_SIZE(groups) },
	{ "netlink-events", netlink_events, ARRAY_SIZE(netlink_events) },
	{ "attributes", attributes, ARRAY_SIZE(attributes) },
	{ "sections", sections, ARRAY_SIZE(sections) },
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
	if (argc == 2 && print_table(argv[1]))
		return 0;
	fprintf(stderr, "no such table\n");
	return 1;
}
