/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of events_p6.S */
#ifndef SELFTESTS_EVENTS_P6_H
#define SELFTESTS_EVENTS_P6_H

#include "events_p5.h"

program_t run_uops, run_uops_stack, run_uops_strings, run_uops_x87, run_divide, run_assists,
	  run_lock_across;

#endif /* SELFTESTS_EVENTS_P6_H */
