/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's messages, for the module's code in unit tests: each test of them defines warn() */
#ifndef TEST_LINUX_PRINTK_H
#define TEST_LINUX_PRINTK_H

void warn(const char *format);

#define pr_warn(format)		warn(format)

#endif /* TEST_LINUX_PRINTK_H */
