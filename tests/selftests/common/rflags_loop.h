/* SPDX-License-Identifier: GPL-2.0-only */
/* A loop with chosen flags: workloads.S */
#ifndef SELFTESTS_RFLAGS_LOOP_H
#define SELFTESTS_RFLAGS_LOOP_H

/* two instructions a round, between the two addresses */
void flagged_loop(unsigned long rounds, unsigned long flags);
extern const char flagged_begin[], flagged_end[];

#endif /* SELFTESTS_RFLAGS_LOOP_H */
