/* SPDX-License-Identifier: GPL-2.0-only */
/* What cmocka's tests of the library share */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "internal.h"

/* The call failed with @error, and the message has @words in it. */
#define assert_failed(failed, error, words) do {			\
	errno = 0;							\
	assert_true(failed);						\
	assert_int_equal(errno, error);					\
	if (!strstr(pmc_error(), words))				\
		fail_msg("'%s' is not in '%s'", words, pmc_error());	\
} while (0)

static inline int fake_setup(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

/* Every file of the device is closed again, every ring unmapped. */
static inline int fake_teardown(void **state)
{
	(void)state;
	fake_rings_drop();
	return fake.open_files || fake.mapped_rings;
}

#define fake_test(function) \
	cmocka_unit_test_setup_teardown(function, fake_setup, fake_teardown)

#endif /* CHECK_H */
