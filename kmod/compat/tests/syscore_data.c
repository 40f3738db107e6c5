// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where struct syscore exists; its data is passed to the callbacks. */
#include <linux/syscore_ops.h>

void test(struct syscore *syscore, const struct syscore_ops *ops);
void test(struct syscore *syscore, const struct syscore_ops *ops)
{
	syscore->ops = ops;
	syscore->data = NULL;
	register_syscore(syscore);
}
