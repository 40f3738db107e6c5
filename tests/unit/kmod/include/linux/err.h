/* SPDX-License-Identifier: GPL-2.0-only */
/* Errors as pointers, for the module's code in unit tests */
#ifndef TEST_LINUX_ERR_H
#define TEST_LINUX_ERR_H

#include <errno.h>

#define ERESTARTSYS	512

#define ERR_PTR(error)	((void *)(long)(error))
#define PTR_ERR(pointer) ((long)(pointer))
#define ERR_CAST(pointer) ((void *)(pointer))
#define IS_ERR(pointer)	((unsigned long)(pointer) >= (unsigned long)-4095)

#endif /* TEST_LINUX_ERR_H */
