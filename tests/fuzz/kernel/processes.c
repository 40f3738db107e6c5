// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations with other processes and threads: exact counts beside them, files used by several
 * threads, inherited files, processes that end or are killed
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "samples.h"
#include "user_read.h"

#define THREADS		3

static int64_t setup_pages(const struct worker *worker, const struct setup *setup)
{
	return setup->counter[0].period ? account_pages(worker, setup->config.ring_size) : 0;
}

/* Another context may have the counter, or the user's other contexts all memory for rings. */
static bool configured_or_busy(struct worker *worker, int fd, struct setup *setup)
{
	int64_t pages = setup_pages(worker, setup), limit = account_begin(worker, pages);
	int err = setup_configure(fd, setup);

	account_end(worker, pages, limit, err);
	check_error(worker, PMC_IOC_CONFIGURE, err);
	if (err && err != -EBUSY && err != -ENOMEM && err != -ENOBUFS)
		wrong(worker, "CONFIGURE for an exact count: %s", strerror(-err));
	return !err;
}

static int open_exact(struct worker *worker)
{
	int fd = pmc_open();

	if (fd < 0)
		wrong(worker, "open: %s", strerror(-fd));
	return fd;
}

/* Count instructions on any counter that can. */
static void setup_exact(struct worker *worker, struct setup *setup, uint64_t period)
{
	uint32_t nr = __builtin_popcountll(worker->query.general_counters);
	uint32_t counter = dice_below(&worker->dice, nr + 1);

	counter = counter < nr ? PMC_COUNTER_GENERAL(counter) :
		  worker->query.fixed_counters & 1 ? FIXED_INSTRUCTIONS : 0;
	setup_add(setup, counter, EVENT_INSTRUCTIONS, PMC_COUNT_USER);
	setup->counter[0].period = worker->period_max ? period : 0;
}

/* All records of a stopped context. */
static uint64_t sum_records(struct worker *worker, int fd)
{
	static unsigned char buffer[PAGE] __attribute__((aligned(8)));
	uint64_t sum = 0;
	ssize_t length;

	for (;;) {
		length = read(fd, buffer, sizeof(buffer));
		if (length < 0)
			wrong(worker, "read() of a stopped context: %s", strerror(errno));
		if (!length)
			return sum;
		sum += check_records(worker, buffer, length);
	}
}

/*
 * Every overflow is in exactly one of the sums, and there is one for each period; the sampled ones
 * are in the records.
 */
static void check_overflows(struct worker *worker, int fd, const struct reading *reading,
			    uint64_t period)
{
	struct pmc_statistics statistics;
	int err = statistics_read(fd, &statistics);

	if (err)
		wrong(worker, "STATISTICS: %s", strerror(-err));
	if (reading->overflows != reading->value[0] / period ||
	    statistics.sampled + statistics.lost + statistics.throttled != reading->overflows)
		wrong(worker, "%llu counted, period %llu: %llu overflows, of which %llu sampled, %llu lost, %llu throttled",
		      (unsigned long long)reading->value[0], (unsigned long long)period,
		      (unsigned long long)reading->overflows,
		      (unsigned long long)statistics.sampled,
		      (unsigned long long)statistics.lost,
		      (unsigned long long)statistics.throttled);
	if (sum_records(worker, fd) != statistics.sampled)
		wrong(worker, "the records do not represent %llu overflows",
		      (unsigned long long)statistics.sampled);
}

void do_exact(struct worker *worker)
{
	uint64_t period = dice_one_in(&worker->dice, 2) ? 50 + dice_below(&worker->dice, 5000) : 0;
	uint32_t rounds = 1 + dice_below(&worker->dice, 3000);
	int fd = open_exact(worker), err;
	struct reading reading;
	struct setup setup;
	int64_t pages = 0;

	setup_thread(&setup, 0, 0);
	setup_exact(worker, &setup, period);
	if (configured_or_busy(worker, fd, &setup)) {
		err = sampled_loop(fd, rounds, PMC_IOC_START, PMC_IOC_STOP);
		if (!err)
			err = reading_read(fd, &reading);
		if (err)
			wrong(worker, "an exact count: %d", err);
		if (reading.value[0] != SAMPLED_LOOP(rounds))
			wrong(worker, "%llu instructions instead of %llu",
			      (unsigned long long)reading.value[0],
			      (unsigned long long)SAMPLED_LOOP(rounds));
		if (setup.counter[0].period)
			check_overflows(worker, fd, &reading, period);
		__atomic_add_fetch(&worker->shared->exact, 1, __ATOMIC_RELAXED);
		pages = setup_pages(worker, &setup);
		account_yield(worker, pages);
	}
	close(fd);
	counters_had(worker, 1ULL << counter_bit(setup.counter[0].counter));
	account_drop(worker, pages);
}

/* RDPMC faults, as documented, while the attribute pce forbids it. */
static bool page_value(struct worker *worker, const struct pmc_page *page, uint64_t *value)
{
	bool there;

	if (sigsetjmp(fuzz_faulted, 1)) {
		if (!worker->background)
			wrong(worker, "RDPMC faults");
		return false;
	}
	fuzz_may_fault = 1;
	there = page_read(page, 0, value);
	fuzz_may_fault = 0;
	return there;
}

/* The page's value must lie between the driver's values before and after it. */
static void read_page(struct worker *worker, int fd, const struct pmc_page *page)
{
	struct reading before, after;
	uint64_t value = 0;
	bool there;

	if (reading_read(fd, &before))
		wrong(worker, "READ beside the page");
	there = page_value(worker, page, &value);
	if (reading_read(fd, &after))
		wrong(worker, "READ beside the page");
	if (!there)
		return;
	if (value < before.value[0] || value > after.value[0])
		wrong(worker, "the page gives %llu, READ %llu before and %llu after",
		      (unsigned long long)value, (unsigned long long)before.value[0],
		      (unsigned long long)after.value[0]);
	__atomic_add_fetch(&worker->shared->readings, 1, __ATOMIC_RELAXED);
}

static void reader_begin(struct worker *worker, int fd, uint32_t counter)
{
	worker->reader = (struct slot) {
		.fd = fd, .configured = true, .own = true, .counted = true, .nr = 1,
		.counters = 1ULL << counter_bit(counter), .counter[0] = counter,
	};
}

/* By the protocol of the page, and without it: the context permits RDPMC of all counters. */
void do_user_read(struct worker *worker)
{
	int fd = open_exact(worker), i;
	const struct pmc_page *page;
	struct setup setup;

	setup_thread(&setup, 0, PMC_CONFIG_USER_READ);
	setup_exact(worker, &setup, 0);
	if (configured_or_busy(worker, fd, &setup)) {
		page = page_map(fd);
		if (!page)
			wrong(worker, "mmap of the page: %s", strerror(errno));
		if (pmc_call(fd, PMC_IOC_START, NULL))
			wrong(worker, "START for the page");
		for (i = 0; i < 4; i++)
			read_page(worker, fd, page);
		page_unmap(page);
		reader_begin(worker, fd, setup.counter[0].counter);
		do_rdpmc(worker);
		worker->reader.configured = false;
	}
	close(fd);
	counters_had(worker, 1ULL << counter_bit(setup.counter[0].counter));
}

struct racer {
	struct worker *worker;
	struct dice dice;
	int fd;
	bool closes;
};

static void *race(void *argument)
{
	struct racer *racer = argument;
	int i, nr = 4 + dice_below(&racer->dice, 12);

	for (i = 0; i < nr; i++)
		simple_operation(racer->worker, &racer->dice, racer->fd);
	if (racer->closes)
		close(racer->fd);
	return NULL;
}

/* Uncoordinated threads use one file; one of them may close it. */
void do_race(struct worker *worker)
{
	struct slot *slot = slot_any(worker);
	struct racer racers[THREADS];
	pthread_t threads[THREADS];
	/* of one context, and of a request of each thread */
	int64_t pages = (1 + THREADS) * account_pages(worker, 0);
	int i, spare = -1;

	account_expect(worker, pages);
	slot_lend(worker, slot);
	for (i = 0; i < THREADS; i++) {
		racers[i] = (struct racer) {
			.worker = worker,
			.dice.state = dice_next(&worker->dice),
			.fd = slot->fd,
			.closes = !i && dice_one_in(&worker->dice, 2),
		};
		/* to release what is mapped then */
		if (racers[i].closes && slot_is_mapped(worker, slot))
			spare = fcntl(slot->fd, F_DUPFD_CLOEXEC, 0);
		if (pthread_create(&threads[i], NULL, race, &racers[i]))
			wrong(worker, "no thread");
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (racers[0].closes)
		slot->fd = spare;
	slot_end(worker, slot);
	/* what simple_operation() counts with */
	counters_had(worker, 0xf);
	account_drop(worker, pages);
}

static pid_t start_child(struct worker *worker)
{
	pid_t pid = fork();

	if (pid < 0)
		wrong(worker, "fork: %s", strerror(errno));
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static void end_child(struct worker *worker, pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		wrong(worker, "waitpid: %s", strerror(errno));
	if (WIFEXITED(status) ? WEXITSTATUS(status) :
	    WTERMSIG(status) != SIGKILL)
		wrong(worker, "a child ended with %#x", status);
}

/* A child inherits all files and mappings, uses one, and ends in one of several ways. */
void do_inherit(struct worker *worker)
{
	struct slot *slot = slot_any(worker);
	struct dice dice = { dice_next(&worker->dice) };
	int64_t pages = 2 * account_pages(worker, 0);
	int i, nr;
	pid_t pid;

	account_expect(worker, pages);
	slot_lend(worker, slot);
	pid = start_child(worker);
	if (!pid) {
		nr = dice_below(&dice, 12);
		for (i = 0; i < nr; i++)
			simple_operation(worker, &dice, slot->fd);
		switch (dice_below(&dice, 3)) {
		case 0:
			execv(worker->program->argv[0], worker->program->argv);
			_exit(1);
		case 1:
			kill(getpid(), SIGKILL);
		}
		_exit(0);
	}
	end_child(worker, pid);
	slot_end(worker, slot);
	account_drop(worker, pages);
}

/* Count a program of known length from its exec to its end. */
void do_follow(struct worker *worker)
{
	static const uint32_t scopes[] = {
		PMC_SCOPE_THREAD, PMC_SCOPE_PROCESS, PMC_SCOPE_TREE
	};
	int fd = open_exact(worker), err;
	struct reading reading;
	struct child child;
	struct setup setup;

	if (child_program(&child, worker->program))
		wrong(worker, "no child");
	setup_thread(&setup, child.pid, PMC_CONFIG_ON_EXEC);
	setup.config.scope = scopes[dice_below(&worker->dice, 3)];
	setup_exact(worker, &setup, 0);
	if (!configured_or_busy(worker, fd, &setup)) {
		close(child.go);
		/* whether it has reached its read() or not, it exits with 126 */
		waitpid(child.pid, NULL, 0);
		close(fd);
		return;
	}
	err = pmc_call(fd, PMC_IOC_START, NULL);
	if (err || child_go(&child) || child_wait(&child))
		wrong(worker, "the program was not run: %d", err);
	if (reading_read(fd, &reading))
		wrong(worker, "READ of an ended program");
	if (reading.value[0] != worker->program->instructions ||
	    !(reading.state & PMC_STATE_ENDED))
		wrong(worker, "%llu instructions instead of %llu, state %#x",
		      (unsigned long long)reading.value[0],
		      (unsigned long long)worker->program->instructions, reading.state);
	__atomic_add_fetch(&worker->shared->followed, 1, __ATOMIC_RELAXED);
	close(fd);
}

/* Kill a child that counts, is counted and waits for samples. */
void do_kill(struct worker *worker)
{
	struct dice dice = { dice_next(&worker->dice) };
	uint32_t yields = dice_below(&worker->dice, 20);
	int64_t pages = 2 * account_pages(worker, 0);
	int fd = open_exact(worker);
	struct setup setup;
	pid_t pid;

	account_expect(worker, pages);
	pid = start_child(worker);
	if (!pid) {
		char byte[256];
		int own = pmc_open();

		setup_thread(&setup, 0, 0);
		setup_exact(worker, &setup, 1000 + dice_below(&dice, 100000));
		if (!setup_configure(own, &setup) && !pmc_call(own, PMC_IOC_START, NULL) &&
		    dice_one_in(&dice, 2))
			while (read(own, byte, sizeof(byte)) >= 0)
				;
		for (;;)
			simple_operation(worker, &dice, own);
	}
	setup_thread(&setup, pid, 0);
	setup.config.scope = PMC_SCOPE_TREE;
	setup_exact(worker, &setup, 0);
	if (configured_or_busy(worker, fd, &setup) && pmc_call(fd, PMC_IOC_START, NULL))
		wrong(worker, "START of a child");
	while (yields--)
		sched_yield();
	kill(pid, SIGKILL);
	end_child(worker, pid);
	account_drop(worker, pages);
	if (dice_one_in(&worker->dice, 2))
		pmc_call(fd, PMC_IOC_STOP, NULL);
	close(fd);
}
