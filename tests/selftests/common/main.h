/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each selftest does before and after its tests, whichever runner executes it
 *
 * Before: load the module if it is not loaded, load msr, turn the NMI watchdog off, which holds a
 * counter, and let ordinary users count. After: undo it, and load the module again if it was loaded
 * before and a test has unloaded it. Without the module, or without permission to use it, the
 * program reports the reason as TAP and exits with KSFT_SKIP.
 *
 * If all tests were skipped, the program exits with KSFT_SKIP. The harness alone would exit with
 * KSFT_PASS. If the module cannot be unloaded, the program exits with KSFT_FAIL: something still
 * uses it.
 *
 * Include kselftest_harness.h first: this replaces its TEST_HARNESS_MAIN.
 */
#ifndef SELFTESTS_MAIN_H
#define SELFTESTS_MAIN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "pmc.h"

#define NMI_WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

/* tests/machine puts this file into the emulated computer. */
#define EMULATOR_FILE	"/machine/command"

static struct selftest {
	pid_t pid;
	bool found_module;	/* was loaded already */
	bool loaded_module;
	bool stopped_watchdog;
	char paranoid[16];	/* the value found, if it was changed */
} selftest;

/* The file of a process that was killed is released when that process ends: at most 10 s. */
static inline int selftest_unload(void)
{
	int i, err = module_unload();

	for (i = 0; err == -EAGAIN && i < 1000; i++) {
		usleep(10000);
		err = module_unload();
	}
	return err;
}

/* The harness ends with exit(); the tests' processes inherit this function. */
static inline void selftest_end(void)
{
	int err;

	if (getpid() != selftest.pid)
		return;
	if (selftest.stopped_watchdog)
		file_write(NMI_WATCHDOG, "1");
	if (selftest.paranoid[0])
		file_write(PARANOID, selftest.paranoid);
	if (selftest.found_module && access(PMC_DEVICE, F_OK))
		module_load();
	err = selftest.loaded_module ? selftest_unload() : 0;
	/* -ENOENT: a test has unloaded it */
	if (err && err != -ENOENT) {
		ksft_print_msg("pmcdrv stays loaded: %s\n", strerror(-err));
		fflush(NULL);
		_exit(KSFT_FAIL);
	}
	if (ksft_get_xskip_cnt() && ksft_get_xskip_cnt() == ksft_test_num()) {
		fflush(NULL);
		_exit(KSFT_SKIP);
	}
}

/*
 * On hardware a PMI has skid, and interrupts add counts (overcount.h). In the emulator only if the
 * step requests it.
 */
static inline void selftest_environment(void)
{
	char path[256];

	if (access(EMULATOR_FILE, F_OK)) {
		setenv("PMCDRV_SKID", "1", 0);
		setenv("PMCDRV_OVERCOUNT", "1", 0);
	}
	if (getenv("PMCDRV_KO"))
		return;
	if (!module_find(path, sizeof(path)))
		setenv("PMCDRV_KO", path, 0);
	else
		/* the tests that unload the module could not load it again */
		setenv("PMCDRV_KEEP", "1", 0);
}

/* Returns NULL, or the reason why nothing can be tested. */
static inline const char *selftest_load(void)
{
	static char reason[512];
	int err;

	selftest.found_module = !access(PMC_DEVICE, F_OK);
	if (!access(PMC_DEVICE, R_OK | W_OK))
		return NULL;
	if (selftest.found_module)
		return "no permission for " PMC_DEVICE ": run as root";
	if (!getenv("PMCDRV_KO"))
		return "pmcdrv is not loaded: set PMCDRV_KO to the path of pmcdrv.ko";
	err = module_load();
	selftest.loaded_module = !err;
	snprintf(reason, sizeof(reason), "pmcdrv is not loaded, and %s cannot be loaded: %s",
		 getenv("PMCDRV_KO"), strerror(-err));
	return err ? reason : NULL;
}

/* Above level 2 ordinary users may not count. */
static inline void selftest_allow_users(void)
{
	char value[sizeof(selftest.paranoid)];

	if (!file_read(PARANOID, value, sizeof(value)) && atoi(value) > 2 &&
	    !file_write(PARANOID, "2"))
		memcpy(selftest.paranoid, value, sizeof(value));
}

static inline void selftest_begin(int argc, char **argv)
{
	const char *reason;
	char watchdog[8];

	/* these only print */
	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "-l")))
		return;
	selftest.pid = getpid();
	atexit(selftest_end);
	selftest_environment();
	reason = selftest_load();
	if (reason) {
		ksft_print_header();
		ksft_exit_skip("%s\n", reason);
	}
	if (!file_read(NMI_WATCHDOG, watchdog, sizeof(watchdog)) && watchdog[0] == '1')
		selftest.stopped_watchdog = !file_write(NMI_WATCHDOG, "0");
	selftest_allow_users();
	if (access("/dev/cpu/0/msr", F_OK) && system("modprobe -q msr 2>/dev/null"))
		ksft_print_msg("no /dev/cpu/0/msr: the tests that compare registers are skipped\n");
}

/* What a program needs once, with the module loaded; a header can replace it. */
#define SELFTEST_PREPARE()	do { } while (0)

#undef TEST_HARNESS_MAIN
#define TEST_HARNESS_MAIN							\
	int main(int argc, char **argv)						\
	{									\
		selftest_begin(argc, argv);					\
		SELFTEST_PREPARE();						\
		return test_harness_run(argc, argv);				\
	}

#endif /* SELFTESTS_MAIN_H */
