/* SPDX-License-Identifier: GPL-2.0-only */
/* cmocka with the headers that it needs, and what nearly all tests use of the C library */
#ifndef TEST_UNIT_H
#define TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#endif /* TEST_UNIT_H */
