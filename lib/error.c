// SPDX-License-Identifier: LGPL-2.1-or-later
/* Error messages, one for each thread */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "libpmcdrv.h"

static _Thread_local char message[1024];

/* Set by the program, NULL for default_hint() */
static void (*hint_writer)(const struct pmc_hint *hint, char *text, size_t size);

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

PMC_PRIVATE int pmc_fail(int error, const char *format, ...)
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

PMC_PRIVATE int pmc_fail_errno(const char *format, ...)
{
	int error = errno;
	va_list args;
	size_t i = 0;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	while (i < ARRAY_SIZE(errors) && errors[i].number != error)
		i++;
	if (i < ARRAY_SIZE(errors)) {
		append(errors[i].meaning);
		append(errors[i].advice);
	} else {
		append(strerror(error));
	}
	errno = error;
	return -1;
}

/* ---- hints ---- */

static void default_hint(const struct pmc_hint *hint, char *text, size_t size)
{
	static const char *const texts[] = {
#define X(topic, function, what) \
		[PMC_HINT_##topic] = function,
		PMC_HINTS(X)
#undef X
	};

	if (hint->topic == PMC_HINT_EVENTS && hint->text)
		snprintf(text, size, "the names with '%s' in %s", hint->text, texts[hint->topic]);
	else
		snprintf(text, size, "%s", texts[hint->topic]);
}

PMC_API void pmc_set_hint_writer(void (*writer)(const struct pmc_hint *hint, char *text,
						size_t size))
{
	hint_writer = writer;
}

PMC_PRIVATE void pmc_hint_text(const struct pmc_hint *hint, char *text, size_t size)
{
	if (hint_writer)
		hint_writer(hint, text, size);
	else
		default_hint(hint, text, size);
}
