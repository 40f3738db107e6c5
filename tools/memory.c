// SPDX-License-Identifier: GPL-2.0-only
/* Memory, or the end of pmcctl */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pmcctl.h"

void *must(void *memory)
{
	if (memory)
		return memory;
	complain("out of memory");
	exit(EXIT_TROUBLE);
}

void *must_calloc(size_t num, size_t size)
{
	return must(calloc(num ? num : 1, size));
}

char *must_strdup(const char *text)
{
	return must(strdup(text));
}

char *must_printf(const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	return must(len < 0 ? NULL : text);
}

/* It has room for the next power of two, so that is when it grows. */
void *must_grow(void *array, size_t num, size_t size)
{
	if (num & (num - 1))
		return array;
	return must(reallocarray(array, num ? 2 * num : 1, size));
}

void bytes_add(struct bytes *bytes, const void *data, size_t size)
{
	if (bytes->room - bytes->size < size) {
		bytes->room = 2 * bytes->room + size;
		bytes->data = must(realloc(bytes->data, bytes->room));
	}
	if (size)
		memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){ 0 };
}
