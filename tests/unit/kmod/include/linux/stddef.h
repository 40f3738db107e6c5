/* SPDX-License-Identifier: GPL-2.0-only */
/* Offsets in structures, for the module's code in unit tests */
#ifndef TEST_LINUX_STDDEF_H
#define TEST_LINUX_STDDEF_H

#include <stddef.h>

#define offsetofend(type, member) \
	(offsetof(type, member) + sizeof(((type *)0)->member))

#endif /* TEST_LINUX_STDDEF_H */
