/* SPDX-License-Identifier: GPL-2.0-only */
/* Handlers of NMIs, for the module's code in unit tests: each test that uses them defines them */
#ifndef TEST_ASM_NMI_H
#define TEST_ASM_NMI_H

struct pt_regs;

#define NMI_LOCAL	0
#define NMI_DONE	0
#define NMI_HANDLED	1
#define NMI_FLAG_FIRST	1

int register_nmi_handler(unsigned int type,
			 int (*handler)(unsigned int type, struct pt_regs *regs),
			 unsigned long flags, const char *name);
void unregister_nmi_handler(unsigned int type, const char *name);

#endif /* TEST_ASM_NMI_H */
