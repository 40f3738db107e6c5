/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory, or the end of pmcctl */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* These do not return NULL: without memory pmcctl ends with a complaint. */
void *must(void *memory);
void *must_calloc(size_t num, size_t size);
char *must_strdup(const char *text);
char *must_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Room for one more element of @size bytes behind the first @num of @array, which
 * is NULL or comes from here. Return: the array, which may have moved.
 */
void *must_grow(void *array, size_t num, size_t size);

/* Bytes one behind the other; all zero is empty. */
struct bytes {
	char *data;
	size_t size;
	size_t room;
};

void bytes_add(struct bytes *bytes, const void *data, size_t size);

/* Forget the bytes, and give back the memory. */
void bytes_free(struct bytes *bytes);

#endif /* MEMORY_H */
