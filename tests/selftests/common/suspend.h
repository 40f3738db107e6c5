/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suspending the system
 *
 * The emulator wakes at once by itself; a computer has to be woken.
 */
#ifndef SELFTESTS_SUSPEND_H
#define SELFTESTS_SUSPEND_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pmc.h"

#define POWER_STATE	"/sys/power/state"
#define POWER_SLEEP	"/sys/power/mem_sleep"
#define POWER_TEST	"/sys/power/pm_test"
#define POWER_DELAY	"/sys/module/suspend/parameters/pm_test_delay"

/** struct sleep - how the system is suspended */
struct sleep {
	/*
	 * how far: "core" is everything except the sleep itself (CONFIG_PM_DEBUG), "none" all
	 * of it
	 */
	const char *test;
	/* the word written to /sys/power/state */
	const char *state;
};

static inline bool power_knows(const char *path, const char *word)
{
	char text[128], *rest = text, *next;

	if (file_read(path, text, sizeof(text)))
		return false;
	while ((next = strsep(&rest, " []\n"))) {
		if (!strcmp(next, word))
			return true;
	}
	return false;
}

/* Returns NULL, or the reason why the system cannot suspend. */
static inline const char *sleep_prepare(const struct sleep *sleep)
{
	if (!power_knows(POWER_STATE, sleep->state))
		return "the kernel or the firmware does not offer it";
	if (!strcmp(sleep->state, "mem") && file_write(POWER_SLEEP, "deep"))
		return "the firmware has no suspend to RAM";
	if (file_write(POWER_TEST, sleep->test) && strcmp(sleep->test, "none"))
		return "the kernel has no pm_test";
	file_write(POWER_DELAY, "0");
	return NULL;
}

static inline void sleep_undo(void)
{
	file_write(POWER_TEST, "none");
}

/* Suspend and resume. Returns 0 or a negative errno. */
static inline int sleep_now(const struct sleep *sleep)
{
	return file_write(POWER_STATE, sleep->state);
}

#endif /* SELFTESTS_SUSPEND_H */
