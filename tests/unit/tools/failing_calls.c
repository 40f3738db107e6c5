// SPDX-License-Identifier: GPL-2.0-only
/* pread(), malloc() and realloc() that fail on purpose */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "failing_calls.h"

struct failing_calls calls;

ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset)
{
	if (calls.good_reads != SIZE_MAX && !calls.good_reads--) {
		errno = calls.error ? calls.error : EINTR;
		return calls.error ? -1 : 0;
	}
	return __real_pread(fd, data, size < calls.most ? size : calls.most, offset);
}

static bool may_allocate(void)
{
	return calls.good_allocations == SIZE_MAX || calls.good_allocations--;
}

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
	return may_allocate() ? __real_realloc(old, size) : NULL;
}

void failing_calls_reset(void)
{
	calls.most = SIZE_MAX;
	calls.good_reads = SIZE_MAX;
	calls.error = 0;
	calls.good_allocations = SIZE_MAX;
}
