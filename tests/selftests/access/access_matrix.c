// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests what each process may count: each row of the table in docs/safety.md with the capability of
 * each column, at several levels of kernel.perf_event_paranoid
 */
#include <signal.h>
#include <string.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "identity.h"
#include "process_tree.h"

#define OTHER		65533
#define ANY_THREAD	(1U << 21)
#define UOPS_OF_BOTH	0x02b1	/* from Sandy Bridge to Redwood Cove */
#define PERIOD		100000
#define PARAMETER	"/sys/module/pmcdrv/parameters/ignore_perf_event_paranoid"

/* The columns of the table */
static const uint64_t column[] = {
	0, CAP(CAP_SYS_PTRACE), CAP(CAP_PERFMON), CAP(CAP_SYS_ADMIN),
};

static const struct setting {
	const char *level, *ignore;
	bool forbids;		/* to count anything without CAP_PERFMON */
} settings[] = {
	{ "-1", "N", false }, { "2", "N", false }, { "3", "N", true }, { "4", "N", true },
	{ "3", "Y", false },
};

#define SCOPE(name)	(1U << PMC_SCOPE_ ## name)
#define TASKS		(SCOPE(THREAD) | SCOPE(PROCESS) | SCOPE(TREE))

/**
 * struct request - what the first cell of a row means
 * @what:	the cell
 * @scopes:	scopes to which it applies, a bit each
 * @flags:	of the counter
 * @select:	event select; 0: instructions
 * @feature:	the processor needs it, a bit of &struct pmc_query.features
 * @own:	the caller counts itself
 * @chains:	with kernel call chains
 * @caller:	the caller's differences, beside the capabilities of the column
 * @target:	the differences of the process that it counts
 */
static const struct request {
	const char *what;
	uint32_t scopes, flags, select;
	uint64_t feature;
	bool own, chains;
	struct identity caller, target;
} requests[] = {
	{ "own threads, user mode", TASKS, PMC_COUNT_USER, .own = true },
	{ "own threads, kernel mode", TASKS, PMC_COUNT_KERNEL, .own = true },
	{ "own threads, user mode, with kernel call chains", TASKS, PMC_COUNT_USER, .own = true,
	  .feature = PMC_FEATURE(INTERRUPT), .chains = true },
	{ "own threads with AnyThread, user mode", TASKS, PMC_COUNT_USER, .own = true,
	  .feature = PMC_FEATURE(ANY_THREAD), .select = EVENT_INSTRUCTIONS | ANY_THREAD },
	/* a processor without AnyThread has another event or none */
	{ "own threads, events of both threads, user mode", TASKS, PMC_COUNT_USER, .own = true,
	  .feature = PMC_FEATURE(ANY_THREAD), .select = UOPS_OF_BOTH },
	{ "processes of the same user, user mode", TASKS, PMC_COUNT_USER, .own = false },
	{ "processes of the same user, kernel mode", TASKS, PMC_COUNT_KERNEL, .own = false },
	{ "processes of the same user that are not dumpable, user mode", TASKS, PMC_COUNT_USER,
	  .target.undumpable = true },
	{ "processes that Landlock keeps from the caller, user mode", TASKS, PMC_COUNT_USER,
	  .caller.landlocked = true },
	{ "processes that AppArmor keeps from the caller, user mode", TASKS, PMC_COUNT_USER,
	  .caller.confined = true },
	{ "own threads under AppArmor, user mode", TASKS, PMC_COUNT_USER, .own = true,
	  .caller.confined = true },
	{ "processes of other users, user mode", TASKS, PMC_COUNT_USER,
	  .target = { .uid = { OTHER, OTHER, OTHER }, .gid = { OTHER, OTHER, OTHER } } },
	{ "processes of other users, kernel mode", TASKS, PMC_COUNT_KERNEL,
	  .target = { .uid = { OTHER, OTHER, OTHER }, .gid = { OTHER, OTHER, OTHER } } },
	{ "one CPU, user mode", SCOPE(CPU), PMC_COUNT_USER, .own = false },
	{ "one CPU, kernel mode", SCOPE(CPU), PMC_COUNT_KERNEL, .own = false },
	{ "all CPUs, user mode", SCOPE(ALL_CPUS), PMC_COUNT_USER, .own = false },
	{ "all CPUs, kernel mode", SCOPE(ALL_CPUS), PMC_COUNT_KERNEL, .own = false },
};

FIXTURE(matrix) {
	BASE_FIXTURE;
	const struct request *request;
	pid_t target;
	char level[16], ignore[4];	/* the values found */
};

FIXTURE_VARIANT(matrix) {
	const char *what;
	bool allowed[ARRAY_SIZE(column)];
};

#define ROW(name, cell, ...)	\
	FIXTURE_VARIANT_ADD(matrix, name) { .what = cell, .allowed = __VA_ARGS__ }
#include "matrix.h"

static const struct request *request_find(const char *what)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		if (!strcmp(requests[i].what, what))
			return &requests[i];
	}
	return NULL;
}

/* Without AppArmor a write to the file can succeed and change nothing. */
static bool profile_exists(void)
{
	char label[64] = "";
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(file_write("/proc/self/attr/current", "changeprofile " CONFINED_PROFILE) ||
		      file_read("/proc/self/attr/current", label, sizeof(label)) ||
		      strncmp(label, CONFINED_PROFILE, strlen(CONFINED_PROFILE)));
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

FIXTURE_SETUP(matrix)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	self->request = request_find(variant->what);
	ASSERT_NE(NULL, self->request)
		TH_LOG("a row that this program does not know");
	if (self->request->caller.landlocked && !landlock_exists())
		SKIP(return, "this kernel has no Landlock");
	if (self->request->caller.confined && !profile_exists())
		SKIP(return, "AppArmor is off, or has no profile " CONFINED_PROFILE);
	if (self->request->feature & ~self->query.features)
		SKIP(return, "the processor lacks it");
	ASSERT_EQ(0, file_read(PARANOID, self->level, sizeof(self->level)));
	ASSERT_EQ(0, file_read(PARAMETER, self->ignore, sizeof(self->ignore)));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN_PARENT(matrix)
{
	if (self->target > 0)
		kill(self->target, SIGKILL);
	if (self->ignore[0]) {
		file_write(PARANOID, self->level);
		file_write(PARAMETER, self->ignore);
	}
}

static void target_start(struct __test_metadata *_metadata, struct _test_data_matrix *self)
{
	int ready[2];
	char word;
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (identity_assume(&self->request->target) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	/* the child shares the fixture's memory */
	self->target = pid;
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &word, 1));
	close(ready[0]);
}

static int configure(struct _test_data_matrix *self, uint32_t scope)
{
	const struct request *request = self->request;
	int err;

	if (scope == PMC_SCOPE_CPU)
		setup_cpu(&self->setup, 0);
	else if (scope == PMC_SCOPE_ALL_CPUS)
		setup_all_cpus(&self->setup);
	else
		setup_follow(&self->setup, scope, request->own ? getpid() : self->target, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0),
		  request->select ? request->select : EVENT_INSTRUCTIONS, request->flags);
	if (request->chains) {
		self->setup.counter[0].period = PERIOD;
		self->setup.config.sample_flags = PMC_SAMPLE_KERNEL_CALLCHAIN;
	}
	err = setup_configure(self->fd, &self->setup);
	return err ? err : pmc_call(self->fd, PMC_IOC_RELEASE, NULL);
}

/* A child assumes the caller's identity: the harness has to stay root. */
static int configure_as(struct _test_data_matrix *self, const struct identity *caller,
			uint32_t scope)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid)
		_exit(identity_assume(caller) ? 255 : -configure(self, scope));
	return waitpid(pid, &status, 0) == pid ? -WEXITSTATUS(status) : -errno;
}

static void with_setting(struct __test_metadata *_metadata, struct _test_data_matrix *self,
			 const struct setting *setting, const bool *allowed)
{
	struct identity caller = self->request->caller;
	uint32_t scope;
	unsigned int i;

	ASSERT_EQ(0, file_write(PARANOID, setting->level));
	ASSERT_EQ(0, file_write(PARAMETER, setting->ignore));
	for (i = 0; i < ARRAY_SIZE(column); i++) {
		bool perfmon = column[i] & (CAP(CAP_PERFMON) | CAP(CAP_SYS_ADMIN));
		int expected = allowed[i] && (perfmon || !setting->forbids) ? 0 : -EACCES;

		caller.permitted = column[i];
		caller.effective = column[i];
		for (scope = 0; scope < 32; scope++) {
			if (!(self->request->scopes & 1U << scope))
				continue;
			EXPECT_EQ(expected, configure_as(self, &caller, scope))
				TH_LOG("column %u, scope %u, level %s, parameter %s", i, scope,
				       setting->level, setting->ignore);
		}
	}
}

TEST_F(matrix, as_documented)
{
	unsigned int i;

	target_start(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		with_setting(_metadata, self, &settings[i], variant->allowed);
}

static int continue_after_stop(struct _test_data_matrix *self)
{
	int err = pmc_call(self->fd, PMC_IOC_START, NULL);

	if (!err)
		err = reading_read(self->fd, &self->reading);
	return err ? err : self->reading.value[0] ? 0 : -ENODATA;
}

/* An ordinary user's process, which stops between CONFIGURE and START */
static void __attribute__((noreturn)) stop_and_count(struct _test_data_matrix *self)
{
	static const struct identity user;

	if (identity_assume(&user))
		_exit(255);
	setup_thread_one(&self->setup, 0, 0);
	if (setup_configure(self->fd, &self->setup))
		_exit(254);
	raise(SIGSTOP);
	_exit(-continue_after_stop(self));
}

TEST(context_before_the_level_was_raised)
{
	struct _test_data_matrix data = {};
	char level[16];
	int status;
	pid_t pid;

	NEED_COUNTERS_AND_ROOT(&data.query);
	OPEN_DEVICE(data.fd);
	ASSERT_EQ(0, file_read(PARANOID, level, sizeof(level)));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		stop_and_count(&data);
	ASSERT_EQ(pid, waitpid(pid, &status, WUNTRACED));
	ASSERT_TRUE(WIFSTOPPED(status))
		TH_LOG("exit status %d", WEXITSTATUS(status));
	EXPECT_EQ(0, file_write(PARANOID, "3"));
	kill(pid, SIGCONT);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, file_write(PARANOID, level));
	close(data.fd);
}

/* The table has a row for each request. */
TEST(documents_every_request)
{
	static const char *const rows[] = { ROWS };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		for (j = 0; j < ARRAY_SIZE(rows) && strcmp(rows[j], requests[i].what); j++)
			;
		EXPECT_NE(ARRAY_SIZE(rows), j)
			TH_LOG("no row: %s", requests[i].what);
	}
}

TEST_HARNESS_MAIN
