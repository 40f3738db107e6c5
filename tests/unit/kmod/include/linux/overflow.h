/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes of structures, for the module's code in unit tests */
#ifndef TEST_LINUX_OVERFLOW_H
#define TEST_LINUX_OVERFLOW_H

#define struct_size(pointer, member, n) \
	(sizeof(*(pointer)) + (n) * sizeof(*(pointer)->member))

#endif /* TEST_LINUX_OVERFLOW_H */
