/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocate memory, and end pmcctl if there is none; growing arrays and byte buffers */
#ifndef XALLOC_H
#define XALLOC_H

#include <stddef.h>

/* These do not return NULL: without memory pmcctl ends with a message. */
void *xcheck(void *memory);
void *xcalloc(size_t num, size_t size);
char *xstrdup(const char *text);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Make room for another element of @size bytes after the @num elements of @array, which is
 * NULL or a result of this function. Return: the array, which may have moved.
 */
void *xgrow(void *array, size_t num, size_t size);

/* A growing array of bytes; all zero is empty */
struct byte_buffer {
	char *data;
	size_t size;
	size_t room;
};

void byte_buffer_append(struct byte_buffer *bytes, const void *data, size_t size);

/* Free the memory and make the buffer empty. */
void byte_buffer_free(struct byte_buffer *bytes);

#endif /* XALLOC_H */
