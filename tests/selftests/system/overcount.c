// SPDX-License-Identifier: GPL-2.0-only
/* Tests the comparisons of overcount.h: what they accept and what they refuse */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "fixture.h"

#define KNOWN	1000000
#define PAGES	5000
#define MANY	(1000 * PAGES)	/* more than a busy computer can have meanwhile */
#define AT_ONCE	50
#define SLEEPS	500

/* A file descriptor that no other part of the program has */
#define FILE_NR	63

/* Cause PAGES page faults. */
static void touch_pages(struct __test_metadata *_metadata)
{
	size_t i, page = sysconf(_SC_PAGESIZE), size = AT_ONCE * page;
	volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)memory);
	/* pages of 2 MB would take one fault; a kernel without them does not know the advice */
	madvise((void *)memory, size, MADV_NOHUGEPAGE);
	for (i = 0; i < PAGES; i++) {
		memory[i % AT_ONCE * page] = 1;
		if (i % AT_ONCE == AT_ONCE - 1)
			ASSERT_EQ(0, madvise((void *)memory, size, MADV_DONTNEED));
	}
	munmap((void *)memory, size);
}

/* Does the kernel count page faults (CONFIG_VM_EVENT_COUNTERS)? */
static bool counts_faults(void)
{
	char line[256];
	FILE *file = fopen("/proc/vmstat", "re");
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = !strncmp(line, "pgfault ", strlen("pgfault "));
	if (file)
		fclose(file);
	return found;
}

#define NEED_FAULTS()									\
	do {										\
		if (!counts_faults())							\
			SKIP(return, "this kernel does not count page faults");		\
	} while (0)

FIXTURE(overcount) {
	char *before;		/* the variable's value */
};

FIXTURE_SETUP(overcount)
{
	self->before = getenv("PMCDRV_OVERCOUNT");
	setenv("PMCDRV_OVERCOUNT", "1", 1);
	ASSERT_EQ(FILE_NR, dup2(STDOUT_FILENO, FILE_NR));
	overcount_begin(FILE_NR);
}

FIXTURE_TEARDOWN(overcount)
{
	overcount_end(FILE_NR);
	if (!self->before)
		unsetenv("PMCDRV_OVERCOUNT");
}

TEST_F(overcount, bound_has_page_faults)
{
	NEED_FAULTS();
	touch_pages(_metadata);
	EXPECT_LE(PAGES, overcount_most());
	EXPECT_GT(MANY, overcount_most());
}

/* Each sleep ends with a timer interrupt. */
TEST_F(overcount, bound_has_interrupts)
{
	unsigned int i;

	for (i = 0; i < SLEEPS; i++)
		usleep(1000);
	EXPECT_LE(SLEEPS, overcount_most());
}

TEST_F(overcount, excess_up_to_the_bound)
{
	NEED_FAULTS();
	touch_pages(_metadata);
	EXPECT_EQ(KNOWN, overcount_accept(KNOWN, KNOWN));
	EXPECT_EQ(KNOWN + 1, overcount_accept(KNOWN, KNOWN + 1));
	EXPECT_EQ(KNOWN + PAGES, overcount_accept(KNOWN, KNOWN + PAGES));
	EXPECT_EQ(KNOWN, overcount_accept(KNOWN, KNOWN + MANY));
}

TEST_F(overcount, deficit)
{
	NEED_FAULTS();
	touch_pages(_metadata);
	EXPECT_EQ(KNOWN, overcount_accept(KNOWN, KNOWN - 1));
	EXPECT_EQ(KNOWN, overcount_accept(KNOWN, 0));
	EXPECT_EQ(KNOWN, overcount_accept_samples(KNOWN, 100, KNOWN - 1));
}

/* With period 100, 100 more events are one more sample. */
TEST_F(overcount, samples)
{
	NEED_FAULTS();
	touch_pages(_metadata);
	EXPECT_EQ(50, overcount_accept_samples(50, 100, 50));
	EXPECT_EQ(50 + PAGES / 100, overcount_accept_samples(50, 100, 50 + PAGES / 100));
	EXPECT_EQ(50, overcount_accept_samples(50, 100, 50 + MANY / 100));
	EXPECT_EQ(51, overcount_accept_samples(50, MANY, 51));
	EXPECT_EQ(50, overcount_accept_samples(50, MANY, 52));
}

/* The bound begins with the oldest context that still exists. */
TEST_F(overcount, since_the_oldest_context)
{
	NEED_FAULTS();
	touch_pages(_metadata);
	ASSERT_EQ(FILE_NR - 1, dup2(STDOUT_FILENO, FILE_NR - 1));
	overcount_begin(FILE_NR - 1);
	EXPECT_LE(PAGES, overcount_most());
	overcount_end(FILE_NR);
	EXPECT_LE(PAGES, overcount_most());
	overcount_end(FILE_NR - 1);
	overcount_begin(FILE_NR);
	EXPECT_GT(PAGES, overcount_most());
}

/* A closed file has no context. */
TEST_F(overcount, closed_file)
{
	NEED_FAULTS();
	touch_pages(_metadata);
	close(FILE_NR);
	ASSERT_EQ(FILE_NR - 1, dup2(STDOUT_FILENO, FILE_NR - 1));
	overcount_begin(FILE_NR - 1);
	EXPECT_GT(PAGES, overcount_most());
	overcount_end(FILE_NR - 1);
}

TEST(without_the_variable)
{
	char *before = getenv("PMCDRV_OVERCOUNT");

	unsetenv("PMCDRV_OVERCOUNT");
	overcount_begin(FILE_NR);
	touch_pages(_metadata);
	EXPECT_EQ(0, overcount_most());
	EXPECT_EQ(KNOWN, overcount_accept(KNOWN, KNOWN + 1));
	EXPECT_EQ(KNOWN, overcount_accept_samples(KNOWN, 1, KNOWN + 1));
	if (before)
		setenv("PMCDRV_OVERCOUNT", before, 1);
}

TEST_HARNESS_MAIN
