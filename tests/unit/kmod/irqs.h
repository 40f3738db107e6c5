/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts of the simulated CPU: local_irq_save() and local_irq_restore() change irqs_off. */
#ifndef TEST_IRQS_H
#define TEST_IRQS_H

#include <linux/irqflags.h>

static bool irqs_off;

unsigned long interrupts_off(void)
{
	unsigned long before = irqs_off;

	irqs_off = true;
	return before;
}

void interrupts_restore(unsigned long flags)
{
	irqs_off = flags;
}

#endif /* TEST_IRQS_H */
