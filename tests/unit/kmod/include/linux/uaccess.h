/* SPDX-License-Identifier: GPL-2.0-only */
/* Access to memory that may fault, for the module's code in unit tests: each test defines it */
#ifndef TEST_LINUX_UACCESS_H
#define TEST_LINUX_UACCESS_H

#include <stddef.h>

long copy_from_kernel_nofault(void *to, const void *from, size_t size);

#endif /* TEST_LINUX_UACCESS_H */
