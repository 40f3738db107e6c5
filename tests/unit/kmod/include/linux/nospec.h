/* SPDX-License-Identifier: GPL-2.0-only */
/* Indices under speculation, for the module's code in unit tests */
#ifndef TEST_LINUX_NOSPEC_H
#define TEST_LINUX_NOSPEC_H

#define array_index_nospec(index, size)	\
	(safe_indices++, (index) < (size) ? (index) : 0)

/* How many indices were made safe; each test that uses it defines it */
extern unsigned int safe_indices;

#endif /* TEST_LINUX_NOSPEC_H */
