// SPDX-License-Identifier: GPL-2.0-only
/*
 * count_samples EVENT COUNTER PERIOD PROGRAM: samples a program from exec to exit and prints
 * the number of samples if each lies in its code and none is missing
 *
 * A helper of the perf comparison (tests/perf-compare), not a test.
 */
#include <limits.h>
#include <stdio.h>

#include "process_tree.h"
#include "samples.h"

static int fail(const char *what, int err)
{
	fprintf(stderr, "count_samples: %s: %s\n", what, strerror(-err));
	return 1;
}

/* The records are consistent. */
static int check(int fd, struct tally *tally)
{
	struct pmc_statistics statistics;
	struct reading reading;
	int err;

	err = statistics_read(fd, &statistics);
	if (!err)
		err = reading_read(fd, &reading);
	if (err)
		return fail("reading statistics and counts", err);
	tally_ordinals(tally);
	if (tally->wrong[0] || tally->samples != reading.overflows || statistics.lost ||
	    statistics.throttled) {
		fprintf(stderr, "count_samples: %llu overflows, %llu samples, %llu lost, "
			"%llu throttled; %s\n", (unsigned long long)reading.overflows,
			(unsigned long long)tally->samples, (unsigned long long)statistics.lost,
			(unsigned long long)statistics.throttled, tally->wrong);
		return 1;
	}
	printf("%llu\n", (unsigned long long)tally->samples);
	return 0;
}

int main(int argc, char **argv)
{
	static struct tally tally;
	static struct rings rings;
	struct program program = { 0 };
	struct setup setup;
	struct child child;
	int fd, err;

	if (argc != 5) {
		fprintf(stderr, "usage: count_samples EVENT COUNTER PERIOD PROGRAM\n");
		return 2;
	}
	program.argv[0] = argv[4];
	fd = pmc_open();
	if (fd < 0)
		return fail(PMC_DEVICE, fd);
	err = child_program(&child, &program);
	if (err)
		return fail("fork", err);
	setup_thread(&setup, child.pid, PMC_CONFIG_ON_EXEC);
	setup_add(&setup, strtoul(argv[2], NULL, 0), strtoul(argv[1], NULL, 0), PMC_COUNT_USER);
	setup_period(&setup, 0, strtoull(argv[3], NULL, 0));
	err = setup_configure(fd, &setup);
	if (err)
		return fail("configure", err);
	err = rings_map(&rings, fd, &setup);
	if (err)
		return fail("mmap", err);
	tally_begin(&tally, &setup);
	err = text_range(argv[4], &tally.text);
	if (err)
		return fail(argv[4], err);
	err = pmc_call(fd, PMC_IOC_START, NULL);
	if (!err)
		err = child_go(&child);
	if (err)
		return fail("start", err);
	if (child_wait(&child)) {
		fprintf(stderr, "count_samples: the program failed\n");
		return 1;
	}
	tally_rings(&tally, &rings);
	return check(fd, &tally);
}
