/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of registers, for the module's code in unit tests */
#ifndef TEST_ASM_MSR_INDEX_H
#define TEST_ASM_MSR_INDEX_H

#define MSR_IA32_SYSENTER_EIP	0x00000176
#define MSR_OFFCORE_RSP_0	0x000001a6
#define MSR_OFFCORE_RSP_1	0x000001a7
#define MSR_PEBS_FRONTEND	0x000003f7
#define MSR_LSTAR		0xc0000082
#define MSR_CSTAR		0xc0000083

#endif /* TEST_ASM_MSR_INDEX_H */
