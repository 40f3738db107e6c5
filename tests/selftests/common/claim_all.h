/* SPDX-License-Identifier: GPL-2.0-only */
/* Claims all counters at once, in user and kernel mode, on every CPU */
#ifndef SELFTESTS_CLAIM_ALL_H
#define SELFTESTS_CLAIM_ALL_H

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "netburst.h"
#include "pmc.h"

/* Long enough for a CPU that handles the overflows of all counters */
#define CLAIM_PERIOD	100003

/* Each other NetBurst counter has a first ESCR; event select 0 of that ESCR counts nothing. */
static inline void setup_add_netburst(struct setup *setup, const struct pmc_query *query,
				      uint32_t flags)
{
	unsigned int i;

	for (i = 0; i < NETBURST_RETIREMENT; i++) {
		if (query->general_counters & 1ULL << i)
			setup_add(setup, PMC_COUNTER_GENERAL(i), 0, flags);
	}
}

static inline void setup_claim_all(struct setup *setup, const struct pmc_query *query)
{
	const uint32_t flags = PMC_COUNT_USER | PMC_COUNT_KERNEL;
	unsigned int i;

	setup_all_cpus(setup);
	setup_add_all(setup, query, EVENT_BRANCHES, flags);
	if (query->family == PMC_FAMILY_NETBURST)
		setup_add_netburst(setup, query, flags);
	for (i = 0; i < 16; i++) {
		if (query->fixed_counters & 1ULL << i)
			setup_add(setup, PMC_COUNTER_FIXED(i), 0, flags);
	}
}

static inline int claim_all(int fd, const struct pmc_query *query)
{
	struct setup setup;

	setup_claim_all(&setup, query);
	return setup_configure(fd, &setup);
}

/* With a period for each, where there are interrupts */
static inline int claim_all_sampled(int fd, const struct pmc_query *query)
{
	struct setup setup;
	unsigned int i;

	setup_claim_all(&setup, query);
	for (i = 0; i < setup.config.nr_counters; i++) {
		if (query->features & PMC_FEATURE(INTERRUPT))
			setup.counter[i].period = CLAIM_PERIOD + 1009 * i;
	}
	return setup_configure(fd, &setup);
}

/*
 * CONFIGURE with a reply that cannot be written: the driver has claimed all counters and must
 * release them.
 */
static inline int setup_unanswered(int fd, const struct setup *setup)
{
	struct setup placed = *setup;
	void *page;
	int err;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return -ENOMEM;
	setup_place(&placed);
	placed.config.counters = (uintptr_t)placed.counter;
	memcpy(page, &placed.config, sizeof(placed.config));
	mprotect(page, 4096, PROT_READ);
	err = pmc_call(fd, PMC_IOC_CONFIGURE, page);
	munmap(page, 4096);
	return err;
}

static inline int claim_all_unanswered(int fd, const struct pmc_query *query)
{
	struct setup setup;

	setup_claim_all(&setup, query);
	return setup_unanswered(fd, &setup);
}

/* Read the counts again and again, and write a byte to @ready after the first overflows. */
static inline void claim_all_read(int fd, const struct pmc_query *query, int ready)
{
	bool interrupts = query->features & PMC_FEATURE(INTERRUPT);
	struct reading reading;

	do {
		if (reading_read(fd, &reading))
			_exit(1);
	} while (reading.value[0] < 100 || (interrupts && reading.overflows < 10));
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		reading_read(fd, &reading);
}

/* A process that samples everything is killed. Returns 0 or a negative errno. */
static inline int claim_all_killed(const struct pmc_query *query)
{
	int pipes[2], err;
	char byte;
	pid_t pid;

	if (pipe(pipes))
		return -errno;
	pid = fork();
	if (pid == 0) {
		int fd = pmc_open();

		close(pipes[0]);
		if (fd < 0 || claim_all_sampled(fd, query) || pmc_call(fd, PMC_IOC_START, NULL))
			_exit(1);
		claim_all_read(fd, query, pipes[1]);
	}
	close(pipes[1]);
	/* a process that has ended sends no byte */
	err = read(pipes[0], &byte, 1) == 1 ? 0 : -ECHILD;
	close(pipes[0]);
	if (kill(pid, SIGKILL) || waitpid(pid, NULL, 0) != pid)
		return -errno;
	return err;
}

#endif /* SELFTESTS_CLAIM_ALL_H */
