// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests a CPU that counts but has no usable RDPMC: the Pentium without MMX has none, that of the
 * Pentium Pro before stepping 9 is broken (Pentium Pro Specification Update, erratum 26), and with
 * some hypervisors it faults
 *
 * The attribute pce and "pmcctl pce" report that user mode has no RDPMC, and change nothing.
 * Contexts that request RDPMC are read by PMC_IOC_READ.
 */
#include <errno.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "user_read.h"

#define PCE		"/sys/class/misc/pmc/pce"
#define NO_EFFECT	"1 (no effect: this CPU or kernel has no RDPMC for user mode)\n"

FIXTURE(no_rdpmc) {
	struct pmc_query query;
	char text[512];
};

FIXTURE_SETUP(no_rdpmc)
{
	NEED_COUNTERS(&self->query);
	if (self->query.features & PMC_FEATURE(RDPMC))
		SKIP(return, "this CPU has RDPMC");
}

FIXTURE_TEARDOWN(no_rdpmc)
{
}

static const char *reason(const struct pmc_query *query)
{
	return query->cpu_family == 6 && query->cpu_model == 1 ?
	       "RDPMC is broken in this stepping of the Pentium Pro" :
	       "this CPU or kernel has no RDPMC for user mode";
}

TEST_F(no_rdpmc, attribute)
{
	static const char *const settings[] = { "0", "1", "2" };
	unsigned int i;

	NEED_ROOT();
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		ASSERT_EQ(0, file_read(PCE, self->text, sizeof(self->text)));
		EXPECT_STREQ(NO_EFFECT, self->text);
		EXPECT_EQ(-EOPNOTSUPP, file_write(PCE, settings[i]));
	}
	EXPECT_EQ(-EINVAL, file_write(PCE, "3"));
	ASSERT_EQ(0, file_read(PCE, self->text, sizeof(self->text)));
	EXPECT_STREQ(NO_EFFECT, self->text);
}

TEST_F(no_rdpmc, command)
{
	NEED_ROOT();
	if (run_pmcctl("--version", self->text, sizeof(self->text)))
		SKIP(return, "no pmcctl");
	EXPECT_EQ(125, run_pmcctl("pce 2", self->text, sizeof(self->text)));
	EXPECT_NE(NULL, strstr(self->text, reason(&self->query))) {
		TH_LOG("%s", self->text);
	}
	EXPECT_EQ(0, run_pmcctl("pce", self->text, sizeof(self->text)));
	EXPECT_NE(NULL, strstr(self->text, "no effect")) {
		TH_LOG("%s", self->text);
	}
}

/* The page never reports that RDPMC works; PMC_IOC_READ returns the counts. */
TEST_F(no_rdpmc, rdpmc_requested_falls_back)
{
	const struct pmc_page *page;
	struct reading reading;
	struct setup setup;
	int fd = pmc_open();

	ASSERT_LE(0, fd);
	setup_thread_one(&setup, 0, PMC_CONFIG_USER_READ);
	ASSERT_EQ(0, setup_configure(fd, &setup));
	page = page_map(fd);
	ASSERT_NE(NULL, page);
	EXPECT_NE(0, page_sequence(page) & 1);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_START, NULL));
	EXPECT_NE(0, page_sequence(page) & 1);
	ASSERT_EQ(0, reading_read(fd, &reading));
	EXPECT_EQ(1, reading.nr_counters);
	EXPECT_NE(0, page_sequence(page) & 1);
	ASSERT_EQ(0, pmc_call(fd, PMC_IOC_STOP, NULL));
	ASSERT_EQ(0, page_unmap(page));
	close(fd);
}

TEST_HARNESS_MAIN
