// SPDX-License-Identifier: GPL-2.0-only
/* Allocate memory, and end pmcctl if there is none; growing arrays and byte buffers */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/xalloc.h"

void *xcheck(void *memory)
{
	if (memory)
		return memory;
	report_error("out of memory");
	exit(EXIT_TROUBLE);
}

void *xcalloc(size_t num, size_t size)
{
	return xcheck(calloc(num ? num : 1, size));
}

char *xstrdup(const char *text)
{
	return xcheck(strdup(text));
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	return xcheck(len < 0 ? NULL : text);
}

/* The array has room for a power of two of elements: it grows at each power of two. */
void *xgrow(void *array, size_t num, size_t size)
{
	if (num & (num - 1))
		return array;
	return xcheck(reallocarray(array, num ? 2 * num : 1, size));
}

void byte_buffer_append(struct byte_buffer *bytes, const void *data, size_t size)
{
	if (bytes->room - bytes->size < size) {
		bytes->room = 2 * bytes->room + size;
		bytes->data = xcheck(realloc(bytes->data, bytes->room));
	}
	if (size)
		memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

void byte_buffer_free(struct byte_buffer *bytes)
{
	free(bytes->data);
	*bytes = (struct byte_buffer){ 0 };
}
