/* SPDX-License-Identifier: GPL-2.0-only */
/* Run the command that is counted or sampled */
#ifndef UTIL_WORKLOAD_H
#define UTIL_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/*
 * @argv: the command
 * @pid: its process, which waits before its exec until workload_exec()
 * @socket: releases the process, and reports an exec that failed
 * @usage: set by workload_reap(): its CPU time, with that of its children
 */
struct workload {
	char **argv;
	pid_t pid;
	int socket;
	struct rusage usage;
};

/*
 * Forward SIGHUP, SIGINT, SIGQUIT and SIGTERM to the workload from now on. SIGHUP and SIGQUIT stay
 * ignored if they were.
 */
void workload_catch_signals(void);

/* The signal received last, or 0 */
int workload_signal(void);

/* Did a signal arrive a second or more after the first one? Then the command is left running. */
bool workload_is_abandoned(void);

/* Block these signals. @old: the mask that unblocks them */
void workload_block_signals(sigset_t *old);

/* Give workloads /dev/null as these standard streams from now on. */
void workload_set_streams(bool null_input, bool null_output, bool null_error);

/* Does the command exist? Return: 0, or the exit status after a message. */
int workload_find(char **argv);

/* Is there a program of this name? */
bool workload_exists(const char *name);

/* Fork the process of the command; it waits before its exec. Return: 0 or -1. */
int workload_fork(struct workload *workload, char **argv);

/* Release it. Return: 0, or the error number of the exec. */
int workload_exec(struct workload *workload);

/* Report that its exec failed. Return: the exit status for that. */
int workload_fail_exec(const struct workload *workload, int error);

/* Send it SIGTERM. */
void workload_end(const struct workload *workload);

/*
 * Kill it if it was not released, and reap it; a command that is abandoned keeps running.
 * Return: its wait status, the first time.
 */
int workload_reap(struct workload *workload);

#endif /* UTIL_WORKLOAD_H */
