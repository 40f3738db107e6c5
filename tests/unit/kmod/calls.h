/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The log of what the tested code calls: each entry ends with a semicolon
 *
 * Each program of tests has one object that includes it.
 */
#ifndef TEST_CALLS_H
#define TEST_CALLS_H

#include "unit.h"

#include <stdio.h>

/* What has been called since the last expect_calls() */
static char calls[2048];

static inline __attribute__((format(printf, 1, 2))) void call(const char *format, ...)
{
	size_t length = strlen(calls);
	va_list arguments;
	int added;

	va_start(arguments, format);
	added = vsnprintf(calls + length, sizeof(calls) - length, format, arguments);
	va_end(arguments);
	/* the semicolon and the terminator fit, too */
	assert_true(added >= 0 && length + added + 1 < sizeof(calls));
	strcpy(calls + length + added, ";");
}

/* These calls were made since the last expect_calls(), and no others. */
#define expect_calls(expected) do {			\
	assert_string_equal(expected, calls);		\
	calls[0] = '\0';				\
} while (0)

#endif /* TEST_CALLS_H */
