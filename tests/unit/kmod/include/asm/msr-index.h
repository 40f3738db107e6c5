/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of registers, for the module's code in unit tests */
#ifndef TEST_ASM_MSR_INDEX_H
#define TEST_ASM_MSR_INDEX_H

#define MSR_OFFCORE_RSP_0	0x000001a6
#define MSR_OFFCORE_RSP_1	0x000001a7
#define MSR_PEBS_FRONTEND	0x000003f7

#endif /* TEST_ASM_MSR_INDEX_H */
