/* SPDX-License-Identifier: GPL-2.0-only */
/* What the stand-ins of stand_ins.c return */
#ifndef TEST_STAND_INS_H
#define TEST_STAND_INS_H

#include <linux/types.h>

/* rdtsc() */
extern u64 now;
/* pmc_registers_can_be_lost() */
extern bool registers_can_be_lost;

#endif /* TEST_STAND_INS_H */
