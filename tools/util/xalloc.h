/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory, or the end of pmcctl */
#ifndef XALLOC_H
#define XALLOC_H

#include <stddef.h>

/* These do not return NULL: without memory pmcctl ends with a complaint. */
void *xcheck(void *memory);
void *xcalloc(size_t num, size_t size);
char *xstrdup(const char *text);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Room for one more element of @size bytes behind the first @num of @array, which
 * is NULL or comes from here. Return: the array, which may have moved.
 */
void *xgrow(void *array, size_t num, size_t size);

/* Bytes one behind the other; all zero is empty. */
struct byte_buffer {
	char *data;
	size_t size;
	size_t room;
};

void byte_buffer_append(struct byte_buffer *bytes, const void *data, size_t size);

/* Forget the bytes, and give back the memory. */
void byte_buffer_free(struct byte_buffer *bytes);

#endif /* XALLOC_H */
