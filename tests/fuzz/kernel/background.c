// SPDX-License-Identifier: GPL-2.0-only
/*
 * Background of the workers: CPUs go offline and online, the attribute pce changes; and a
 * bystander process checks known counts
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "samples.h"

#define PCE		"/sys/class/misc/pmc/pce"

/* Operations of the workers between two changes of the background */
#define CALM		150

/* Counts of the bystander before it releases its counter for a while */
#define BYSTANDER_STAYS	50
#define BYSTANDER_LOOP	700

static bool over(const struct shared *shared)
{
	return __atomic_load_n(&shared->stop, __ATOMIC_ACQUIRE);
}

static void fail(struct shared *shared, const char *what, int err)
{
	printf("fuzz-kernel: %s: %s\n", what, strerror(-err));
	__atomic_store_n(&shared->failed, 1, __ATOMIC_RELEASE);
	_exit(1);
}

static void wait_calm(struct shared *shared, uint64_t *next)
{
	while (!over(shared) && __atomic_load_n(&shared->done, __ATOMIC_RELAXED) < *next)
		usleep(2000);
	*next = __atomic_load_n(&shared->done, __ATOMIC_RELAXED) + CALM;
}

static void change_cpu(struct shared *shared, struct dice *dice)
{
	char path[64];
	int cpu = 1 + dice_below(dice, cpus_present() - 1), err;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	err = file_write(path, dice_below(dice, 2) ? "1" : "0");
	if (err && err != -EINVAL && err != -EBUSY)
		fail(shared, path, err);
}

/**
 * background_run - change CPUs and the attribute pce until @shared->stop
 * @shared:	its number of operations paces the changes
 * @seed:	of the changes
 */
void background_run(struct shared *shared, uint64_t seed)
{
	static const char *const settings[] = { "0", "1", "2" };
	struct dice dice = { seed };
	uint64_t next = CALM;
	int err;

	while (!over(shared)) {
		wait_calm(shared, &next);
		if (cpus_present() > 1 && dice_below(&dice, 3)) {
			change_cpu(shared, &dice);
			continue;
		}
		err = file_write(PCE, settings[dice_below(&dice, 3)]);
		if (err && err != -EOPNOTSUPP)
			fail(shared, PCE, err);
	}
	_exit(0);
}

static void bystander_count(struct shared *shared, int fd)
{
	struct reading reading;
	uint64_t i;
	int err;

	for (i = 1; i <= BYSTANDER_STAYS && !over(shared); i++) {
		err = sampled_loop(fd, BYSTANDER_LOOP, PMC_IOC_START, PMC_IOC_STOP);
		if (!err)
			err = reading_read(fd, &reading);
		if (err)
			fail(shared, "the bystander", err);
		if (reading.value[0] != i * SAMPLED_LOOP(BYSTANDER_LOOP)) {
			printf("fuzz-kernel: the bystander counts %llu instead of %llu\n",
			       (unsigned long long)reading.value[0],
			       (unsigned long long)(i * SAMPLED_LOOP(BYSTANDER_LOOP)));
			fail(shared, "the bystander", -EIO);
		}
		__atomic_add_fetch(&shared->bystander, 1, __ATOMIC_RELAXED);
		usleep(1000);
	}
}

/**
 * bystander_run - count a known program beside the workers until @shared->stop
 * @shared:	receives the number of comparisons and failures
 */
void bystander_run(struct shared *shared)
{
	struct setup setup;
	int fd, err;

	while (!over(shared)) {
		fd = pmc_open();
		setup_thread(&setup, 0, 0);
		setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
		err = setup_configure(fd, &setup);
		if (!err)
			bystander_count(shared, fd);
		else if (err != -EBUSY)
			fail(shared, "the bystander's CONFIGURE", err);
		close(fd);
		/* the counter may belong to no context or another one for a moment: retry */
		usleep(3000);
	}
	_exit(0);
}
