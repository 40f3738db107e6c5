/* SPDX-License-Identifier: GPL-2.0-only */
/* Access to memory that may fault, for the module's code in unit tests: each test defines it */
#ifndef TEST_LINUX_UACCESS_H
#define TEST_LINUX_UACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/compiler.h>
#include <asm/pgtable.h>

unsigned long copy_to_user(void *to, const void *from, unsigned long size);
unsigned long copy_from_user_nmi(void *to, const void *from, unsigned long size);
long copy_from_kernel_nofault(void *to, const void *from, size_t size);

/* Does an access to an address of user space not fault? */
bool user_access(const void *address);
/* May all of it be accessed? It begins an access, which user_access_end() ends. */
bool user_access_begin(const void *address, size_t size);
void user_access_end(void);

#define user_read_access_begin(address, size)	user_access_begin(address, size)
#define user_write_access_begin(address, size)	user_access_begin(address, size)
#define user_read_access_end()			user_access_end()
#define user_write_access_end()			user_access_end()

#define get_user(x, address)	(user_access(address) ? (x) = *(address), 0 : -EFAULT)

#define unsafe_get_user(x, address, label)	\
do {						\
	if (!user_access(address))		\
		goto label;			\
	(x) = *(address);			\
} while (0)

#define unsafe_put_user(x, address, label)	\
do {						\
	if (!user_access(address))		\
		goto label;			\
	*(address) = (x);			\
} while (0)

int copy_struct_from_user(void *to, size_t size, const void *from, size_t user_size);

#endif /* TEST_LINUX_UACCESS_H */
