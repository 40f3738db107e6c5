/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers for cmocka tests of the library */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "common.h"
#include "error.h"
#include "event_set.h"
#include "libpmcdrv-read.h"
#include "libpmcdrv-sample.h"
#include "libpmcevents.h"

/* The call failed with @error, and the message contains @words. */
#define assert_failed(failed, error, words) do {			\
	errno = 0;							\
	assert_true(failed);						\
	assert_int_equal(errno, error);					\
	if (!strstr(pmc_error(), words))				\
		fail_msg("'%s' is not in '%s'", words, pmc_error());	\
} while (0)

/* For pmc_set_hint_writer(): prints all fields of a hint */
static inline void write_hint(const struct pmc_hint *hint, char *text, size_t size)
{
	snprintf(text, size, "hint(%u %d 0x%x '%s')", hint->topic, hint->cpu, hint->core_type,
		 hint->text ? hint->text : "NULL");
}

static inline int fake_setup(void **state)
{
	(void)state;
	pmc_set_hint_writer(NULL);
	fake_reset();
	return 0;
}

/* Fails if a file of the device is still open or a ring is still mapped. */
static inline int fake_teardown(void **state)
{
	(void)state;
	fake_rings_drop();
	return fake.open_files || fake.mapped_rings;
}

#define fake_test(function) \
	cmocka_unit_test_setup_teardown(function, fake_setup, fake_teardown)

#endif /* CHECK_H */
