// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of warnings about codes that the processor's manuals do not list or reserve:
 * pmc_event_warning(), pmc_context_warning()
 */
#include <stdlib.h>

#include "check.h"

#define RESERVED_MMX "its number is reserved in table 6-1 of \"Intel Architecture MMX Technology\": what it counts is undefined"
#define UNLISTED_MMX "neither table 6-1 of \"Intel Architecture MMX Technology\" nor SDM Volume 3B lists its number: what it counts is undefined"
#define UNLISTED_P5 "neither \"Pentium Secrets\" nor SDM Volume 3B lists its number for this processor: what it counts is undefined"
#define UNLISTED_P6 "neither table 6-2 of \"Intel Architecture MMX Technology\" nor SDM Volume 3B lists its number for this processor: it is reserved, and its count is undefined"
#define MASK_P6 "neither table 6-2 of \"Intel Architecture MMX Technology\" nor SDM Volume 3B lists its unit mask: it is reserved, and its count is undefined"
#define NO_STATE "its unit mask is 0, which selects no state of a cache line: nothing is counted (table 6-2 of \"Intel Architecture MMX Technology\", note 1)"

/* @expected: NULL for no warning */
static void check(const char *text, const char *expected)
{
	struct pmc_event *event = must_parse(text);
	const char *warning = pmc_event_warning(event);

	if (!warning != !expected || (warning && strcmp(warning, expected)))
		fail_msg("'%s' has the warning: %s", text, warning ? warning : "none");
	pmc_event_free(event);
}

static void pentium(void **state)
{
	fake_pentium(false);
	check("r0010", UNLISTED_P5);
	check("r0110:u", UNLISTED_P5);
	check("r002a", UNLISTED_P5);
	check("cpu/event=0x3f,clocks/", UNLISTED_P5);
	check("r0016", NULL);
	check("r0118", NULL);
	check("DATA_READ", NULL);
}

static void pentium_mmx(void **state)
{
	fake_pentium(true);
	check("r0010", RESERVED_MMX);
	check("r0111:k", RESERVED_MMX);
	check("r0020", RESERVED_MMX);
	check("cpu/event=0x21/", RESERVED_MMX);
	check("r003c", UNLISTED_MMX);
	check("r003f", UNLISTED_MMX);
	check("r002a:g=0", NULL);
	check("r0030:g=1", NULL);
}

static void p6(void **state)
{
	fake_p6(3);
	check("r00fe", UNLISTED_P6);
	check("r0000", UNLISTED_P6);
	check("cpu/event=0xfe,umask=0x1/:u", UNLISTED_P6);
	/* the Pentium III's */
	check("r00d8", UNLISTED_P6);
	check("r0029", NO_STATE);
	check("r002e:e:c=1", NO_STATE);
	check("cpu/event=0x2a/", NO_STATE);
	check("r0028", NO_STATE);
	check("r1029", MASK_P6);
	check("r20c0", MASK_P6);
	check("r2061", MASK_P6);
	check("r4066", MASK_P6);
	check("r00b3", MASK_P6);
	/* a part of a unit mask that is not combined of others */
	check("r01b2", MASK_P6);
	check("r0129", NULL);
	check("r0c29", NULL);
	check("r2066", NULL);
	check("r0066", NULL);
	check("r0061", NULL);
	check("r00c0", NULL);
	check("r3fb3", NULL);
	fake_p6(8);
	check("r00d8", NULL);
}

/* SDM Volume 3B, "Performance Monitoring Events on Intel Pentium M Processors": in no table here */
static void pentium_m(void **state)
{
	fake_p6(9);
	check("r0058", NULL);
	fake_p6(13);
	check("r0058", NULL);
	check("r1024", NULL);
}

/* Processors without a complete table have no warnings. */
static void others(void **state)
{
	check("r00fe", NULL);
	check("cycles", NULL);
	fake_amd(0x17);
	check("r00fe", NULL);
	fake_netburst(4);
	check("r0:g=0", NULL);
}

static void check_row(const struct pmc_event_row *row)
{
	char text[256];
	size_t i;

	if (!row->num_unit_masks || row->unit_masks[row->num_unit_masks - 1].preset)
		check(row->name, NULL);
	for (i = 0; i < row->num_unit_masks; i++) {
		snprintf(text, sizeof(text), "%s:%s", row->name, row->unit_masks[i].name);
		check(text, NULL);
	}
}

/* No name of a table has a warning. */
static void check_names(void)
{
	struct pmc_event_list *list = pmc_event_list_get();
	const struct pmc_event_row *row;
	size_t i;

	assert_non_null(list);
	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		check_row(row);
	pmc_event_list_free(list);
}

static void names(void **state)
{
	fake_pentium(false);
	check_names();
	fake_pentium(true);
	check_names();
	fake_p6(1);
	check_names();
	fake_p6(3);
	check_names();
	fake_p6(8);
	check_names();
}

static struct pmc_context *open_with(struct pmc_device *device, const char *first,
				     const char *second)
{
	struct pmc_context *context = pmc_context_open(device);
	const char *const texts[] = { first, second };
	struct pmc_event *event;
	size_t i;

	assert_non_null(context);
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		event = must_parse(texts[i]);
		assert_int_equal(pmc_context_add(context, event), 0);
		pmc_event_free(event);
	}
	return context;
}

/* A context has the warnings of its events, also after these are released. */
static void contexts(void **state)
{
	struct pmc_context *context;
	struct pmc_device *device;

	fake_p6(3);
	device = pmc_device_open(NULL);
	assert_non_null(device);
	context = pmc_context_open(device);
	assert_null(pmc_context_warning(context, 0));
	pmc_context_close(context);
	context = open_with(device, "r00c0:u", "r00fe:u");
	assert_null(pmc_context_warning(context, 0));
	assert_string_equal(pmc_context_warning(context, 1), UNLISTED_P6);
	assert_null(pmc_context_warning(context, 2));
	assert_null(pmc_context_warning(context, SIZE_MAX));
	pmc_context_close(context);
	pmc_device_close(device);
	context = pmc_context_open_self("r0029:u,instructions:u");
	assert_non_null(context);
	assert_string_equal(pmc_context_warning(context, 0), NO_STATE);
	assert_null(pmc_context_warning(context, 1));
	pmc_context_close(context);
}

/* :SELF is the only unit mask of the events that the manual lists with "00H (Self)". */
static void self(void **state)
{
	static const char *const events[] = {
		"BUS_BNR_DRV", "BUS_HIT_DRV", "BUS_SNOOP_STALL", "BUS_REQ_OUTSTANDING",
		"BUS_DATA_RCV", "BUS_HITM_DRV",
	};
	struct pmc_event *event, *other;
	char text[64];
	size_t i;

	fake_p6(3);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		snprintf(text, sizeof(text), "%s:SELF", events[i]);
		event = pmc_event_parse(text);
		other = pmc_event_parse(events[i]);
		assert_true(event && other && pmc_event_equal(event, other));
		assert_int_equal(pmc_event_select(event) & ~0xffULL, 0);
		pmc_event_free(event);
		pmc_event_free(other);
		snprintf(text, sizeof(text), "%s:ANY", events[i]);
		assert_failed(!pmc_event_parse(text), EINVAL, "there are :SELF, and :u");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		fake_test(pentium),
		fake_test(pentium_mmx),
		fake_test(p6),
		fake_test(pentium_m),
		fake_test(others),
		fake_test(names),
		fake_test(contexts),
		fake_test(self),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
