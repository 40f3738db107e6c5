// SPDX-License-Identifier: LGPL-2.1-or-later
/* The message of the last error in this thread */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

static _Thread_local char message[1024];

static const struct {
	int number;
	const char *meaning;
	const char *advice;
} errors[] = {
#define X(error, meaning_text, advice_text) { error, meaning_text, advice_text },
	PMC_ERRORS(X)
#undef X
};

PMC_API const char *pmc_error(void)
{
	return message;
}

PMC_API const char *pmc_version(void)
{
	return LIBPMCDRV_VERSION;
}

int pmc_fail(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	errno = error;
	return -1;
}

static void append(const char *text)
{
	size_t used = strlen(message);

	snprintf(message + used, sizeof(message) - used, ": %s", text);
}

int pmc_fail_errno(const char *format, ...)
{
	int error = errno;
	va_list args;
	size_t i;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	for (i = 0; i < ARRAY_SIZE(errors); i++)
		if (errors[i].number == error)
			break;
	if (i < ARRAY_SIZE(errors)) {
		append(errors[i].meaning);
		append(errors[i].advice);
	} else {
		append(strerror(error));
	}
	errno = error;
	return -1;
}
