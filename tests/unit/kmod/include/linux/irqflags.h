/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts, for the module's code in unit tests: each test that uses them defines them */
#ifndef TEST_LINUX_IRQFLAGS_H
#define TEST_LINUX_IRQFLAGS_H

unsigned long interrupts_off(void);
void interrupts_restore(unsigned long flags);

#define local_irq_save(flags)		((flags) = interrupts_off(), (void)(flags))
#define local_irq_restore(flags)	interrupts_restore(flags)

#endif /* TEST_LINUX_IRQFLAGS_H */
