// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the model's tables of events as Markdown
 *
 *   print            all parts
 *   print NAME...    these parts
 *   print --short    a row for each part: the names, or their number if there are many
 *   print --notes NAME   the events of a part that are always 0, in the format of pmcctl-list(1)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu_netburst.h"

static bool is_modelled(const struct pmu_event *e)
{
	const uint8_t *p;

	for (p = e->prims; *p; p++)
		if (pmu_prims[*p].modelled)
			return true;
	return false;
}

static const char *how(const struct pmu_event *e)
{
	if (!e->prims[0])
		return "always 0";
	return is_modelled(e) ? "modelled" : "counted";
}

#define X_BLOCK(name, msr, block, select) (block),

#define X_L3(name, msr, n) (msr),

/* First register of an event with dedicated registers. */
static uint32_t l3_msr(const struct pmu_event *e)
{
	static const uint32_t msrs[] = { NETBURST_L3_EVENTS(X_L3) };
	unsigned int unit = NETBURST_UNIT(e->code);

	return unit < NETBURST_NUNITS ? 0 : msrs[unit - NETBURST_NUNITS];
}

/* An event select and one bit of its mask; an L3 event: its two registers. */
static void print_netburst(const struct pmu_event *e)
{
	if (l3_msr(e))
		printf("%XH, %XH", l3_msr(e), l3_msr(e) + 1);
	else
		printf("%02XH bit %u", NETBURST_SELECT(e->code), NETBURST_BIT(e->code));
}

static const char *netburst_counters(const struct pmu_event *e)
{
	static const char *const counters[] = { "0-3", "4-7", "8-11", "12-17" };
	static const enum netburst_block blocks[] = { NETBURST_UNITS(X_BLOCK) };
	static const char *const l3[] = { "18, 19", "20, 21", "22, 23", "25" };

	if (l3_msr(e))
		return l3[NETBURST_UNIT(e->code) - NETBURST_NUNITS];
	return counters[blocks[NETBURST_UNIT(e->code)]];
}

static void print_code(const struct pmu_part *part, const struct pmu_event *e)
{
	uint32_t upper = e->code >> 16;	/* AMD: event bits 11:8; version 6: unit mask 2 */

	if (part->core_type && upper) {
		printf("%02XH %02XH, %02XH", e->code & 0xff, e->code >> 8 & 0xff, upper);
		return;
	}
	printf("%02XH", upper << 8 | (e->code & 0xff));
	if (e->masks)
		printf(" %02XH", (1u << e->masks) - 1);
	else if (e->agents)
		printf(" 00H, %02XH", PMU_AGENTS);
	else if (e->code >> 8 & 0xff)
		printf(" %02XH", e->code >> 8 & 0xff);
}

static void print_what(const struct pmu_event *e)
{
	const uint8_t *p;

	if (e->unit == PMU_SLOTS_RETIRING) {
		printf("slots but those lost behind taken branches");
		return;
	}
	if (e->why)
		printf("%s", e->why);
	for (p = e->prims; *p; p++)
		printf("%s%s", p == e->prims ? "" : "; ", pmu_prims[*p].what);
}

static void print_event(const struct pmu_part *part, const struct pmu_event *e)
{
	static const char *const counters[] = {
		"all", "0", "1", "0, 1", [0x7] = "0-2", [0x8] = "3", [0xf] = "0-3", [0xfe] = "1-7",
		[0x3fc] = "2-9",
	};
	bool netburst = part->family == 0xf && !part->amd;

	printf("| ");
	if (netburst)
		print_netburst(e);
	else
		print_code(part, e);
	printf(" | %s%s | %s | %s | ", e->name, e->duration ? " (duration)" : "",
	       netburst ? netburst_counters(e) : counters[e->counters], how(e));
	print_what(e);
	printf(" |\n");
}

static void print_part(const struct pmu_part *part)
{
	size_t i;

	printf("## %s\n\n", part->name);
	printf("| event | name | counters | here | what is counted, or why not |\n");
	printf("|---|---|---|---|---|\n");
	for (i = 0; i < part->nevents; i++)
		print_event(part, &part->events[i]);
	printf("\n");
}

/* ---- in short ---- */

/* Up to this number of events are listed by name, more as a number. */
#define NAMES_MAX	24

static void print_names(const struct pmu_part *part, const char *wanted)
{
	size_t i, num = 0;

	for (i = 0; i < part->nevents; i++) {
		if (strcmp(how(&part->events[i]), wanted))
			continue;
		if (part->nevents <= NAMES_MAX)
			printf("%s%s", num ? ", " : "", part->events[i].name);
		num++;
	}
	if (part->nevents > NAMES_MAX || !num)
		printf("%zu", num);
}

static void print_short(void)
{
	const struct pmu_part *part;
	size_t i;

	printf("| part | counted | modelled | always 0 |\n|---|---|---|---|\n");
	for (i = 0; (part = pmu_part_number(i)); i++) {
		printf("| %s | ", part->name);
		print_names(part, "counted");
		printf(" | ");
		print_names(part, "modelled");
		printf(" | ");
		print_names(part, "always 0");
		printf(" |\n");
	}
}

/* ---- notes for the guest ---- */

static void print_notes(const struct pmu_part *part)
{
	size_t i;

	printf("# Events of the %s that the emulator never counts\n", part->name);
	for (i = 0; i < part->nevents; i++)
		if (!part->events[i].prims[0])
			printf("%s always 0 in this emulator: %s\n", part->events[i].name,
			       part->events[i].why);
}

static bool is_wanted(const struct pmu_part *part, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], part->name))
			return true;
	return argc < 2;
}

static const char heading[] =
	"<!-- Made by tests/machine/pmu/events/table. -->\n"
	"# The events of the emulator's counters\n\n";

static int print_parts(int argc, char **argv, bool notes)
{
	const struct pmu_part *part;
	size_t i, printed = 0;

	for (i = 0; (part = pmu_part_number(i)); i++) {
		if (!is_wanted(part, argc, argv))
			continue;
		if (!printed++ && !notes)
			printf("%s", heading);
		notes ? print_notes(part) : print_part(part);
	}
	if (printed)
		return EXIT_SUCCESS;
	fprintf(stderr, "events: unknown part; the parts are:\n");
	for (i = 0; (part = pmu_part_number(i)); i++)
		fprintf(stderr, "  %s\n", part->name);
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	bool notes = argc == 3 && !strcmp(argv[1], "--notes");

	if (argc == 2 && !strcmp(argv[1], "--short")) {
		print_short();
		return EXIT_SUCCESS;
	}
	return print_parts(argc - notes, argv + notes, notes);
}
