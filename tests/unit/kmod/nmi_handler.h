/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registration of an NMI handler: each call is logged
 *
 * Each program of tests has one object that includes it.
 */
#ifndef TEST_NMI_HANDLER_H
#define TEST_NMI_HANDLER_H

#include "sampling.h"

#include <asm/nmi.h>

static int (*handler)(unsigned int type, struct pt_regs *regs);
/* What its registration returns, and the flags that it must be called with */
static int registering;
static unsigned long handler_flags;

int register_nmi_handler(unsigned int type, int (*function)(unsigned int, struct pt_regs *),
			 unsigned long flags, const char *name)
{
	assert_int_equal(NMI_LOCAL, type);
	assert_int_equal(handler_flags, flags);
	call("register %s", name);
	handler = function;
	return registering;
}

void unregister_nmi_handler(unsigned int type, const char *name)
{
	assert_int_equal(NMI_LOCAL, type);
	call("unregister %s", name);
}

#endif /* TEST_NMI_HANDLER_H */
