// SPDX-License-Identifier: GPL-2.0-only
/* qsort() that checks the comparison first. The linker needs --wrap=qsort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef int comparison(const void *, const void *);

void __real_qsort(void *base, size_t num, size_t size, comparison *compare);
void __wrap_qsort(void *base, size_t num, size_t size, comparison *compare);

static int sign(int result)
{
	return (result > 0) - (result < 0);
}

/* The sign of each comparison depends on the order of its two elements: qsort() needs that. */
void __wrap_qsort(void *base, size_t num, size_t size, comparison *compare)
{
	const char *a = base, *b;
	size_t i, j;

	for (i = 0; i < num; i++, a += size)
		for (j = 0, b = base; j < num; j++, b += size)
			assert_int_equal(sign(compare(a, b)), -sign(compare(b, a)));
	__real_qsort(base, num, size, compare);
}
