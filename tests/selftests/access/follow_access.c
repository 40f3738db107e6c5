// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests which processes a process may follow, for each property of the credentials separately
 *
 * The caller may follow a target if it has CAP_PERFMON or CAP_SYS_ADMIN, or if ptrace(2) gives it
 * read access with real credentials ("Ptrace access mode checking"). ptrace's exceptions for
 * CAP_SYS_PTRACE and for the owner of a user namespace do not apply. Security modules can refuse:
 * the test uses Landlock, which a process can apply to itself. A variant has a caller and a target.
 * Both are the same ordinary user except for the members that the variant names; 0: no difference.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "fixture.h"
#include "identity.h"
#include "process_tree.h"

#define OTHER		65533

FIXTURE(follow) {
	BASE_FIXTURE;
	pid_t target;
	int ready[2];
};

FIXTURE_VARIANT(follow) {
	struct identity caller, target;
	int expected;
};

#define FOLLOWS(name, ...)	FIXTURE_VARIANT_ADD(follow, name) { __VA_ARGS__ }

FOLLOWS(no_difference, .expected = 0);

FOLLOWS(target_real_uid, .target.uid[REAL] = OTHER, .expected = -EACCES);
FOLLOWS(target_effective_uid, .target.uid[EFFECTIVE] = OTHER, .expected = -EACCES);
FOLLOWS(target_saved_uid, .target.uid[SAVED] = OTHER, .expected = -EACCES);
FOLLOWS(target_fsuid, .target.fsuid = OTHER, .expected = 0);
FOLLOWS(target_real_gid, .target.gid[REAL] = OTHER, .expected = -EACCES);
FOLLOWS(target_effective_gid, .target.gid[EFFECTIVE] = OTHER, .expected = -EACCES);
FOLLOWS(target_saved_gid, .target.gid[SAVED] = OTHER, .expected = -EACCES);
FOLLOWS(target_fsgid, .target.fsgid = OTHER, .expected = 0);
FOLLOWS(target_supplementary_group, .target.group = OTHER, .expected = 0);
FOLLOWS(target_undumpable, .target.undumpable = true, .expected = -EACCES);
FOLLOWS(target_user_namespace, .target.user_namespace = true, .expected = -EACCES);

/* The permitted capabilities have to be a subset of the caller's; the others do not matter. */
FOLLOWS(target_permitted, .target.permitted = CAP(CAP_CHOWN), .expected = -EACCES);
FOLLOWS(target_permitted_above_31, .target.permitted = CAP(CAP_CHECKPOINT_RESTORE),
	.expected = -EACCES);
FOLLOWS(target_effective, .caller.permitted = CAP(CAP_CHOWN),
	.target.permitted = CAP(CAP_CHOWN), .target.effective = CAP(CAP_CHOWN), .expected = 0);
FOLLOWS(target_inheritable, .target.inheritable = CAP(CAP_CHOWN), .expected = 0);
FOLLOWS(caller_permitted, .caller.permitted = CAP(CAP_CHOWN), .expected = 0);
FOLLOWS(caller_other_permitted, .caller.permitted = CAP(CAP_KILL),
	.target.permitted = CAP(CAP_CHOWN), .expected = -EACCES);

/* Only the real IDs of the caller matter. */
FOLLOWS(caller_real_uid, .caller.uid[REAL] = OTHER, .expected = -EACCES);
FOLLOWS(caller_effective_uid, .caller.uid[EFFECTIVE] = OTHER, .expected = 0);
FOLLOWS(caller_saved_uid, .caller.uid[SAVED] = OTHER, .expected = 0);
FOLLOWS(caller_real_gid, .caller.gid[REAL] = OTHER, .expected = -EACCES);
FOLLOWS(caller_effective_gid, .caller.gid[EFFECTIVE] = OTHER, .expected = 0);
FOLLOWS(caller_saved_gid, .caller.gid[SAVED] = OTHER, .expected = 0);
FOLLOWS(caller_group, .caller.group = OTHER, .target.gid[REAL] = OTHER, .expected = -EACCES);
FOLLOWS(caller_undumpable, .caller.undumpable = true, .expected = 0);
FOLLOWS(caller_user_namespace, .caller.user_namespace = true, .expected = -EACCES);

#define OTHERS	{ OTHER, OTHER, OTHER }

FOLLOWS(perfmon, .caller.permitted = CAP(CAP_PERFMON), .caller.effective = CAP(CAP_PERFMON),
	.target = { .uid = OTHERS, .gid = OTHERS, .undumpable = true }, .expected = 0);
FOLLOWS(perfmon_and_user_namespace, .caller.permitted = CAP(CAP_PERFMON),
	.caller.effective = CAP(CAP_PERFMON), .target.user_namespace = true, .expected = 0);
FOLLOWS(sys_admin, .caller.permitted = CAP(CAP_SYS_ADMIN),
	.caller.effective = CAP(CAP_SYS_ADMIN), .target.uid = OTHERS, .expected = 0);
FOLLOWS(perfmon_not_effective, .caller.permitted = CAP(CAP_PERFMON), .target.uid = OTHERS,
	.expected = -EACCES);

/* landlock(7): a sandboxed process can ptrace only those in its domain or in one nested in that */
FOLLOWS(caller_landlocked, .caller.landlocked = true, .expected = -EACCES);
FOLLOWS(target_landlocked, .target.landlocked = true, .expected = 0);
FOLLOWS(both_landlocked, .caller.landlocked = true, .target.landlocked = true,
	.expected = -EACCES);
FOLLOWS(perfmon_landlocked, .caller = { .permitted = CAP(CAP_PERFMON),
	.effective = CAP(CAP_PERFMON), .landlocked = true }, .expected = 0);

FIXTURE_SETUP(follow)
{
	NEED_COUNTERS_AND_ROOT(&self->query);
	if ((variant->caller.user_namespace || variant->target.user_namespace) &&
	    access("/proc/self/ns/user", F_OK))
		SKIP(return, "this kernel has no user namespaces");
	if ((variant->caller.landlocked || variant->target.landlocked) && !landlock_exists())
		SKIP(return, "this kernel has no Landlock");
	ASSERT_EQ(0, pipe(self->ready));
	OPEN_DEVICE(self->fd);
}

FIXTURE_TEARDOWN(follow)
{
	if (self->target > 0)
		kill(self->target, SIGKILL);
	close(self->fd);
}

/* The followed process. Its parent stays root. */
static void __attribute__((noreturn)) target_run(int ready, const struct identity *identity)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (identity_assume(identity) || write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void target_start(struct __test_metadata *_metadata, struct _test_data_follow *self,
			 const struct identity *identity)
{
	char word;

	self->target = fork();
	ASSERT_LE(0, self->target);
	if (!self->target)
		target_run(self->ready[1], identity);
	close(self->ready[1]);
	ASSERT_EQ(1, read(self->ready[0], &word, 1));
}

static int follow(struct _test_data_follow *self, uint32_t scope, pid_t pid)
{
	int err;

	setup_follow(&self->setup, scope, pid, 0);
	setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	err = setup_configure(self->fd, &self->setup);
	return err ? err : pmc_call(self->fd, PMC_IOC_RELEASE, NULL);
}

/* A child assumes the caller's identity: the harness has to stay root. */
static void expect_from(struct __test_metadata *_metadata, struct _test_data_follow *self,
			const struct identity *caller, uint32_t scope, int expected)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		if (identity_assume(caller))
			_exit(255);
		_exit(-follow(self, scope, self->target));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(-expected, WEXITSTATUS(status))
		TH_LOG("scope %u", scope);
}

TEST_F(follow, in_each_scope)
{
	static const uint32_t scopes[] = {
		PMC_SCOPE_THREAD, PMC_SCOPE_PROCESS, PMC_SCOPE_TREE,
	};
	unsigned int i;

	target_start(_metadata, self, &variant->target);
	for (i = 0; i < ARRAY_SIZE(scopes); i++)
		expect_from(_metadata, self, &variant->caller, scopes[i], variant->expected);
}

static void __attribute__((noreturn)) follow_own_child(struct _test_data_follow *data)
{
	static const struct identity landlocked = { .landlocked = true };
	int err;

	if (identity_assume(&landlocked))
		_exit(255);
	data->target = fork();
	if (!data->target) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	err = follow(data, PMC_SCOPE_TREE, data->target);
	kill(data->target, SIGKILL);
	_exit(-err);
}

/* A process in a domain follows its child, which is in the same domain. */
TEST(child_in_same_domain)
{
	struct _test_data_follow data = {};
	int status;
	pid_t pid;

	NEED_COUNTERS_AND_ROOT(&data.query);
	if (!landlock_exists())
		SKIP(return, "this kernel has no Landlock");
	OPEN_DEVICE(data.fd);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		follow_own_child(&data);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	close(data.fd);
}

FIXTURE(threads) {
	int ready[2];
	pid_t pid, tid;
};

FIXTURE_SETUP(threads)
{
	struct pmc_query query;

	NEED_COUNTERS_AND_ROOT(&query);
	ASSERT_EQ(0, pipe(self->ready));
}

FIXTURE_TEARDOWN(threads)
{
	if (self->pid > 0)
		kill(self->pid, SIGKILL);
}

/* The system call changes this thread alone; the C library's function changes all of them. */
static void *other_group(void *ready)
{
	pid_t tid = syscall(SYS_gettid);

	/* the change makes the whole process undumpable */
	if (syscall(SET_GROUPS, OTHER, OTHER, OTHER) || prctl(PR_SET_DUMPABLE, 1) ||
	    write(*(int *)ready, &tid, sizeof(tid)) != sizeof(tid))
		_exit(1);
	for (;;)
		pause();
}

/* Threads with CAP_SETGID; the caller has it too, so that only the group differs. */
static void __attribute__((noreturn)) threads_run(int ready, const struct identity *identity)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (identity_assume(identity) || pthread_create(&thread, NULL, other_group, &ready))
		_exit(1);
	for (;;)
		pause();
}

/* One thread of a process has another group: neither it nor the process can be followed. */
TEST_F(threads, one_differs)
{
	static const struct identity identity = {
		.permitted = CAP(CAP_SETGID), .effective = CAP(CAP_SETGID),
	};
	struct _test_data_follow data;

	OPEN_DEVICE(data.fd);
	self->pid = fork();
	ASSERT_LE(0, self->pid);
	if (!self->pid)
		threads_run(self->ready[1], &identity);
	close(self->ready[1]);
	ASSERT_EQ(sizeof(self->tid), read(self->ready[0], &self->tid, sizeof(self->tid)));
	data.target = self->tid;
	expect_from(_metadata, &data, &identity, PMC_SCOPE_THREAD, -EACCES);
	data.target = self->pid;
	expect_from(_metadata, &data, &identity, PMC_SCOPE_THREAD, 0);
	expect_from(_metadata, &data, &identity, PMC_SCOPE_PROCESS, -EACCES);
	expect_from(_metadata, &data, &identity, PMC_SCOPE_TREE, -EACCES);
	close(data.fd);
}

static void __attribute__((noreturn)) *report_tid(void *tid)
{
	__atomic_store_n((pid_t *)tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	for (;;)
		pause();
}

/* A child of a thread in a domain may follow this thread, and not the other, which is in none. */
static int follow_both_threads(struct _test_data_follow *data, pid_t leader, pid_t thread)
{
	if (follow(data, PMC_SCOPE_THREAD, leader))
		return 1;
	if (follow(data, PMC_SCOPE_THREAD, thread) != -EACCES)
		return 2;
	return follow(data, PMC_SCOPE_PROCESS, leader) == -EACCES ? 0 : 3;
}

static void __attribute__((noreturn)) leader_in_domain(struct _test_data_follow *data)
{
	static const struct identity user;
	pthread_t thread;
	pid_t tid = 0, pid;
	int status;

	if (identity_assume(&user) || pthread_create(&thread, NULL, report_tid, &tid))
		_exit(255);
	while (!__atomic_load_n(&tid, __ATOMIC_ACQUIRE))
		sched_yield();
	if (landlock_enter())
		_exit(254);
	pid = fork();
	if (!pid)
		_exit(follow_both_threads(data, getppid(), tid));
	_exit(waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : 253);
}

/* Landlock's domains belong to threads. */
TEST_F(threads, domain_of_one_thread)
{
	struct _test_data_follow data = {};
	int status;
	pid_t pid;

	if (!landlock_exists())
		SKIP(return, "this kernel has no Landlock");
	OPEN_DEVICE(data.fd);
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		leader_in_domain(&data);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status)
		TH_LOG("step %d", WEXITSTATUS(status));
	close(data.fd);
}

/* ---- the module was loaded in another PID namespace ---- */

FIXTURE(loaded) {
	pid_t target;
	bool unloaded;
};

static int exit_status(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* Load the module in a process of a new PID namespace. */
static int load_in_pid_namespace(void)
{
	pid_t pid = fork();

	if (pid)
		return exit_status(pid);
	if (unshare(CLONE_NEWPID))
		_exit(255);
	pid = fork();
	if (!pid)
		_exit(-module_load());
	_exit(exit_status(pid));
}

FIXTURE_SETUP(loaded)
{
	struct pmc_query query;

	NEED_COUNTERS_AND_ROOT(&query);
	if (getenv("PMCDRV_KEEP"))
		SKIP(return, "the module is to stay loaded");
	if (access("/proc/self/ns/pid", F_OK))
		SKIP(return, "this kernel has no PID namespaces");
	ASSERT_EQ(0, selftest_unload());
	self->unloaded = true;
	ASSERT_EQ(0, load_in_pid_namespace());
}

FIXTURE_TEARDOWN(loaded)
{
	if (self->target > 0)
		kill(self->target, SIGKILL);
	if (!self->unloaded)
		return;
	EXPECT_EQ(0, selftest_unload());
	EXPECT_EQ(0, module_load());
}

/*
 * Its mount of procfs has other PIDs, so the security modules cannot be asked: a process without
 * CAP_PERFMON can follow only itself.
 */
TEST_F(loaded, in_another_pid_namespace)
{
	static const struct identity user, perfmon = {
		.permitted = CAP(CAP_PERFMON), .effective = CAP(CAP_PERFMON),
	};
	static const uint32_t scopes[] = {
		PMC_SCOPE_THREAD, PMC_SCOPE_PROCESS, PMC_SCOPE_TREE,
	};
	struct _test_data_follow data = { .target = 0 };
	unsigned int i;

	OPEN_DEVICE(data.fd);
	ASSERT_EQ(0, pipe(data.ready));
	for (i = 0; i < ARRAY_SIZE(scopes); i++)
		expect_from(_metadata, &data, &user, scopes[i], 0);
	target_start(_metadata, &data, &user);
	self->target = data.target;
	for (i = 0; i < ARRAY_SIZE(scopes); i++) {
		expect_from(_metadata, &data, &user, scopes[i], -EACCES);
		expect_from(_metadata, &data, &perfmon, scopes[i], 0);
	}
	close(data.fd);
}

TEST_HARNESS_MAIN
