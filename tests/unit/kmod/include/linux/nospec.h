/* SPDX-License-Identifier: GPL-2.0-only */
/* Indices under speculation, for the module's code in unit tests */
#ifndef TEST_LINUX_NOSPEC_H
#define TEST_LINUX_NOSPEC_H

/* How many indices were made safe. One variable in all objects of a program */
unsigned int safe_indices __attribute__((weak));

#define array_index_nospec(index, size)	\
	(safe_indices++, (index) < (size) ? (index) : 0)

#endif /* TEST_LINUX_NOSPEC_H */
