/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log of what the tested code calls: names with a space between them
 *
 * Each program of tests has one object that includes it.
 */
#ifndef TEST_CALLS_H
#define TEST_CALLS_H

#include "unit.h"

#include <stdio.h>

static char calls[256];

static inline __attribute__((format(printf, 1, 2))) void called(const char *format, ...)
{
	size_t length = strlen(calls);
	va_list arguments;

	if (length)
		calls[length++] = ' ';
	va_start(arguments, format);
	vsnprintf(calls + length, sizeof(calls) - length, format, arguments);
	va_end(arguments);
}

/* These calls were made since the last is_called(), and no others. */
static inline void is_called(const char *expected)
{
	assert_string_equal(expected, calls);
	calls[0] = '\0';
}

#endif /* TEST_CALLS_H */
