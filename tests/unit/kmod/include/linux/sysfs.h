/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts of attributes, for the module's code in unit tests: each test that uses one defines it */
#ifndef TEST_LINUX_SYSFS_H
#define TEST_LINUX_SYSFS_H

int sysfs_emit(char *text, const char *format, ...);
int kstrtouint(const char *text, unsigned int base, unsigned int *value);

#endif /* TEST_LINUX_SYSFS_H */
