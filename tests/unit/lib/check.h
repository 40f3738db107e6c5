/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for cmocka tests of the library */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "common.h"
#include "error.h"
#include "event_set.h"
#include "libpmcdrv-read.h"
#include "libpmcdrv-sample.h"
#include "libpmcevents.h"

/* Most tests do not use the state that cmocka passes; no other parameter should be unused. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* The call failed with @error, and the message contains @words. */
#define assert_failed(failed, error, words) do {			\
	errno = 0;							\
	assert_true(failed);						\
	assert_int_equal(errno, error);					\
	if (!strstr(pmc_error(), words))				\
		fail_msg("'%s' is not in '%s'", words, pmc_error());	\
} while (0)

static inline struct pmc_event *must_parse(const char *text)
{
	struct pmc_event *event = pmc_event_parse(text);

	if (!event)
		fail_msg("'%s': %s", text, pmc_error());
	return event;
}

static inline uint64_t select_of_event(const char *text)
{
	struct pmc_event *event = must_parse(text);
	uint64_t select = pmc_event_select(event);

	pmc_event_free(event);
	return select;
}

/* The event has this event select. */
static inline void encodes(const char *text, uint64_t select)
{
	uint64_t is = select_of_event(text);

	if (is != select)
		fail_msg("'%s' is %#llx", text, (unsigned long long)is);
}

/* The event has this event select, and exactly this mask in event->counters. */
static inline void encodes_on(const char *text, uint64_t select, uint64_t counters)
{
	struct pmc_event *event = must_parse(text);

	if (pmc_event_select(event) != select || event->counters != counters)
		fail_msg("'%s' is %#llx on %#llx", text,
			 (unsigned long long)pmc_event_select(event),
			 (unsigned long long)event->counters);
	pmc_event_free(event);
}

/* The event has this event select and core type if it is parsed for the core type @asked. */
static inline void encodes_for(uint32_t asked, const char *text, uint64_t select,
			       uint32_t core_type)
{
	struct pmc_event *event = pmc_event_parse_core_type(text, asked);

	if (!event)
		fail_msg("%#x '%s': %s", asked, text, pmc_error());
	assert_int_equal(pmc_event_select(event), select);
	assert_int_equal(event->core_type, core_type);
	pmc_event_free(event);
}

static inline void refuses(const char *text, int error, const char *words)
{
	assert_failed(!pmc_event_parse(text), error, words);
}

/* Add an event. Return: as pmc_context_add() */
static inline int add_to(struct pmc_context *context, const char *text)
{
	struct pmc_event *event = must_parse(text);
	int result = pmc_context_add(context, event), error = errno;

	pmc_event_free(event);
	errno = error;
	return result;
}

/* A context keeps its device open. */
static inline struct pmc_context *new_context(void)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context;

	assert_non_null(device);
	context = pmc_context_open(device);
	assert_non_null(context);
	pmc_device_close(device);
	return context;
}

/* The first row of this name, NULL for none */
static inline const struct pmc_event_row *row_of(const struct pmc_event_list *list,
						 const char *name)
{
	const struct pmc_event_row *row;
	size_t i;

	for (i = 0; (row = pmc_event_list_row(list, i)); i++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

/* For pmc_set_hint_writer(): prints all fields of a hint */
static inline void write_hint(const struct pmc_hint *hint, char *text, size_t size)
{
	snprintf(text, size, "hint(%u %d 0x%x '%s')", hint->topic, hint->cpu, hint->core_type,
		 hint->text ? hint->text : "NULL");
}

static inline int fake_setup(void **state)
{
	pmc_set_hint_writer(NULL);
	fake_reset();
	return 0;
}

/* Fails if a file of the device is still open or a ring is still mapped. */
static inline int fake_teardown(void **state)
{
	fake_rings_drop();
	return fake.open_files || fake.mapped_rings;
}

#define fake_test(function) \
	cmocka_unit_test_setup_teardown(function, fake_setup, fake_teardown)

#endif /* CHECK_H */
