/* SPDX-License-Identifier: GPL-2.0-only */
/* Run the command that is counted or sampled */
#ifndef UTIL_WORKLOAD_H
#define UTIL_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * @argv: the command
 * @pid: its process, which waits before its exec until workload_exec()
 * @socket: releases the process, and reports an exec that failed
 */
struct workload {
	char **argv;
	pid_t pid;
	int socket;
};

/* Forward SIGHUP, SIGINT, SIGQUIT and SIGTERM to the workload from now on. */
void workload_catch_signals(void);

/* The signal received last, or 0 */
int workload_signal(void);

/* Block these signals. @old: the mask that unblocks them */
void workload_block_signals(sigset_t *old);

/* Give workloads /dev/null as these standard streams from now on. */
void workload_set_streams(bool null_input, bool null_output, bool null_error);

/* Does the command exist? Return: 0, or the exit status after a message. */
int workload_find(char **argv);

/* Fork the process of the command; it waits before its exec. Return: 0 or -1. */
int workload_fork(struct workload *workload, char **argv);

/* Release it. Return: 0, or the error number of the exec. */
int workload_exec(struct workload *workload);

/* Report that its exec failed. Return: the exit status for that. */
int workload_fail_exec(const struct workload *workload, int error);

/* Wait until it exits; it stays a zombie. */
void workload_wait(const struct workload *workload);

/* Kill it if it was not released, and reap it. Return: its wait status, the first time. */
int workload_reap(struct workload *workload);

#endif /* UTIL_WORKLOAD_H */
