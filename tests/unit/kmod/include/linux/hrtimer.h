/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers, for the module's code in unit tests: each test of a file that uses them defines them */
#ifndef TEST_LINUX_HRTIMER_H
#define TEST_LINUX_HRTIMER_H

#include <stdbool.h>

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };
enum hrtimer_mode { HRTIMER_MODE_REL, HRTIMER_MODE_REL_PINNED_HARD };

struct hrtimer {
	enum hrtimer_restart (*function)(struct hrtimer *timer);
};

#define ms_to_ktime(ms)		((ms) * 1000000LL)

bool hrtimer_active(const struct hrtimer *timer);
void hrtimer_start(struct hrtimer *timer, long long ns, enum hrtimer_mode mode);
int hrtimer_cancel(struct hrtimer *timer);
void pmc_hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
		       enum hrtimer_mode mode);

#endif /* TEST_LINUX_HRTIMER_H */
