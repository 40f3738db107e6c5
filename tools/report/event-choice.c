// SPDX-License-Identifier: GPL-2.0-only
/* Choose events of a file of samples by their names */
#include <string.h>

#include <libpmcevents.h>

#include "report/event-choice.h"
#include "util/error.h"

/* Copy an event's text without its period (:p=). */
static void without_period(const char *text, char *copy, size_t size)
{
	const char *period = strstr(text, ":p=");
	size_t before = period ? (size_t)(period - text) : strlen(text);
	size_t len = period ? 1 + strcspn(period + 1, ":") : 0;

	snprintf(copy, size, "%.*s%s", (int)before, text, text + before + len);
}

static bool is_text(const char *text, const char *name, size_t len)
{
	return strlen(text) == len && !memcmp(text, name, len);
}

static uint32_t fail_event(const struct record_file *file, const char *path, const char *what,
			   const char *name, size_t len)
{
	char names[512] = "";
	size_t used = 0, i;

	for (i = 0; i < file->num_events && used < sizeof(names); i++)
		used += snprintf(names + used, sizeof(names) - used, "%s'%s'",
				 !i ? "" : i + 1 < file->num_events ? ", " : " and ",
				 record_event_text(file->event[i]));
	report_error("%s %s '%.*s'; it has %s", path, what, (int)len, name, names);
	return 0;
}

/* Find one event. Return: its bit, 0 after a message */
static uint32_t choose(const struct record_file *file, const char *path, const char *name,
		       size_t len)
{
	char copy[PMC_EVENT_NAME_MAX + 1];
	uint32_t found = 0;
	size_t i;

	for (i = 0; i < file->num_events; i++) {
		if (is_text(record_event_text(file->event[i]), name, len))
			return 1U << i;
		without_period(record_event_text(file->event[i]), copy, sizeof(copy));
		if (is_text(copy, name, len))
			found |= 1U << i;
	}
	if (!found)
		return fail_event(file, path, "has no event", name, len);
	if (found & (found - 1))
		return fail_event(file, path, "has more than one event", name, len);
	return found;
}

uint32_t events_choose(const struct record_file *file, const char *path, const char *names)
{
	uint32_t chosen = 0, one;
	size_t len;

	if (!names)
		return 0xffffffffU >> (PMC_COUNTERS_MAX - file->num_events);
	for (;; names += len + 1) {
		len = strcspn(names, ",");
		one = choose(file, path, names, len);
		if (!one)
			return 0;
		chosen |= one;
		if (!names[len])
			return chosen;
	}
}
