/* SPDX-License-Identifier: GPL-2.0-only */
/* Work for interrupt context, in unit tests: each test of a file that uses it defines it */
#ifndef TEST_LINUX_IRQ_WORK_H
#define TEST_LINUX_IRQ_WORK_H

#include <linux/irqflags.h>
#include <stdbool.h>

struct irq_work {
	void (*func)(struct irq_work *work);
};

#define PMC_IRQ_WORK_INIT_HARD(function)	((struct irq_work){ .func = (function) })
#define init_irq_work(work, function)		((work)->func = (function))

bool irq_work_queue(struct irq_work *work);
void irq_work_sync(struct irq_work *work);

#endif /* TEST_LINUX_IRQ_WORK_H */
