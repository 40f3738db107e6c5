/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pread(), malloc() and realloc() that fail on purpose. The linker needs --wrap for each of them.
 */
#ifndef FAILING_CALLS_H
#define FAILING_CALLS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * @most: bytes that pread() reads at a time
 * @good_reads: calls until one fails; SIZE_MAX: none does
 * @error: its errno; 0: the end of the file, where errno has no meaning
 * @good_allocations: the same for malloc() and realloc()
 */
struct failing_calls {
	size_t most;
	size_t good_reads;
	int error;
	size_t good_allocations;
};

extern struct failing_calls calls;

/* No call fails. */
void failing_calls_reset(void);

/* The real functions; see the linker's option --wrap */
ssize_t __real_pread(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

#endif /* FAILING_CALLS_H */
