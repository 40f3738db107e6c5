/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts, for the module's code in unit tests: whether they are off */
#ifndef TEST_LINUX_IRQFLAGS_H
#define TEST_LINUX_IRQFLAGS_H

#include <stdbool.h>

/* One variable in all objects of a program */
bool irqs_off __attribute__((weak));

#define local_irq_save(flags)		((flags) = irqs_off, irqs_off = true)
#define local_irq_restore(flags)	((void)(irqs_off = (flags)))

#endif /* TEST_LINUX_IRQFLAGS_H */
