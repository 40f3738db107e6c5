// SPDX-License-Identifier: GPL-2.0-only
/* Compiles where hrtimer_setup() exists. */
#include <linux/hrtimer.h>

void test(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *));
void test(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *))
{
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
}
