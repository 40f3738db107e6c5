/* SPDX-License-Identifier: GPL-2.0-only */
/* CR4, for the module's code in unit tests: each test that uses it defines it */
#ifndef TEST_ASM_SPECIAL_INSNS_H
#define TEST_ASM_SPECIAL_INSNS_H

unsigned long __read_cr4(void);

#endif /* TEST_ASM_SPECIAL_INSNS_H */
