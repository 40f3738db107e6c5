/* SPDX-License-Identifier: GPL-2.0-only */
/* Sleeping, for the module's code in unit tests: each test that uses it defines it */
#ifndef TEST_LINUX_DELAY_H
#define TEST_LINUX_DELAY_H

void msleep(unsigned int ms);

#endif /* TEST_LINUX_DELAY_H */
