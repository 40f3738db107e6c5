/* SPDX-License-Identifier: GPL-2.0-only */
/* Indices under speculation, for the module's code in unit tests */
#ifndef TEST_LINUX_NOSPEC_H
#define TEST_LINUX_NOSPEC_H

#define array_index_nospec(index, size)	((index) < (size) ? (index) : 0)

#endif /* TEST_LINUX_NOSPEC_H */
