/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks at compile time, for the module's code in unit tests */
#ifndef TEST_LINUX_BUILD_BUG_H
#define TEST_LINUX_BUILD_BUG_H

#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), #condition)

#endif /* TEST_LINUX_BUILD_BUG_H */
