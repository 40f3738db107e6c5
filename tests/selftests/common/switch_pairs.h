/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pairs of threads that wake each other: what a switch between two unfollowed threads costs
 */
#ifndef SELFTESTS_SWITCH_PAIRS_H
#define SELFTESTS_SWITCH_PAIRS_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmc.h"

#define PAIRS		16
#define TRIES		100	/* measurements, of which the least counts */

/* struct pair - a process of two threads on one CPU that wake each other in turn */
struct pair {
	pid_t pid;
	int ask[2], answer[2];
	int there[2], back[2];
};

/* Return each byte received. */
static inline void *pair_echo(void *argument)
{
	const struct pair *pair = argument;
	char byte;

	while (read(pair->there[0], &byte, 1) == 1 && write(pair->back[1], &byte, 1) == 1)
		;
	return NULL;
}

/*
 * The least number of instructions on the CPU, user and kernel, for one round trip. The tries
 * are not in step with the clock.
 */
static inline uint64_t pair_least(const struct pair *pair, int fd)
{
	uint64_t least = UINT64_MAX;
	struct reading reading;
	char byte = 0;
	int i, spin;

	for (i = 0; i < TRIES; i++) {
		for (spin = i * 997 % 4096; spin; spin--)
			asm volatile("");
		if (pmc_call(fd, PMC_IOC_RESET, NULL) || pmc_call(fd, PMC_IOC_START, NULL) ||
		    write(pair->there[1], &byte, 1) != 1 || read(pair->back[0], &byte, 1) != 1 ||
		    pmc_call(fd, PMC_IOC_STOP, NULL) || reading_read(fd, &reading))
			return 0;
		if (reading.value[0] < least)
			least = reading.value[0];
	}
	return least;
}

/* Measure for each byte received; @fd counts the CPU. */
static inline void pair_run(struct pair *pair, int fd)
{
	pthread_t echo;
	uint64_t least;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pin(0, 0) || pipe(pair->there) || pipe(pair->back) ||
	    pthread_create(&echo, NULL, pair_echo, pair))
		_exit(1);
	while (read(pair->ask[0], &byte, 1) == 1) {
		least = pair_least(pair, fd);
		if (write(pair->answer[1], &least, sizeof(least)) != sizeof(least))
			break;
	}
	_exit(0);
}

static inline int pairs_make(struct pair pairs[PAIRS], int fd)
{
	int n;

	for (n = 0; n < PAIRS; n++) {
		if (pipe(pairs[n].ask) || pipe(pairs[n].answer))
			return -errno;
		pairs[n].pid = fork();
		if (pairs[n].pid < 0)
			return -errno;
		if (pairs[n].pid == 0)
			pair_run(&pairs[n], fd);
	}
	return 0;
}

static inline void pairs_end(struct pair pairs[PAIRS])
{
	int n;

	for (n = 0; n < PAIRS; n++) {
		kill(pairs[n].pid, SIGKILL);
		waitpid(pairs[n].pid, NULL, 0);
	}
}

static inline uint64_t pair_asked(const struct pair *pair)
{
	uint64_t least = 0;

	if (write(pair->ask[1], "", 1) != 1 ||
	    read(pair->answer[0], &least, sizeof(least)) != sizeof(least))
		return 0;
	return least;
}

static inline uint64_t least_of(const uint64_t values[PAIRS])
{
	uint64_t least = values[0];
	int n;

	for (n = 1; n < PAIRS; n++)
		least = values[n] < least ? values[n] : least;
	return least;
}

#endif /* SELFTESTS_SWITCH_PAIRS_H */
