/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's unwinder, for the module's code in unit tests: each test that uses it defines it */
#ifndef TEST_ASM_UNWIND_H
#define TEST_ASM_UNWIND_H

#include <stdbool.h>

struct pt_regs;
struct task_struct;

struct unwind_state {
	int frame;
};

void unwind_start(struct unwind_state *state, struct task_struct *task, struct pt_regs *regs,
		  unsigned long *first);
bool unwind_done(struct unwind_state *state);
bool unwind_next_frame(struct unwind_state *state);
unsigned long unwind_get_return_address(struct unwind_state *state);

#endif /* TEST_ASM_UNWIND_H */
