/* SPDX-License-Identifier: GPL-2.0-only */
/* Wait for the exit of a process by its pidfd; also for a signal or for data on a file */
#ifndef UTIL_PROCESS_H
#define UTIL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Open a pidfd, which reports the exit. Return: -1 after a message. */
int process_open(pid_t pid);

/* The same for a thread. Before Linux 6.9 its end is that of its process. */
int process_open_thread(pid_t tid);

/* Has the process children now? Without /proc/PID/task/TID/children the answer is no. */
bool process_has_children(pid_t pid);

/*
 * Wait for its exit, or until workload_is_abandoned().
 * @process: -1 for none
 * @deadline_ns: of now_ns(), or 0
 * @until_signal: return at a signal as well
 * Return: false at the deadline, else true.
 */
bool process_wait(int process, uint64_t deadline_ns, bool until_signal);

/* Events that process_wait_or_read() returns */
#define PROCESS_ENDED		(1U << 0)
#define FILE_HUNG_UP		(1U << 1)

/*
 * Wait for the exit, a signal other than @known, data to read from @fd, or the end of
 * @timeout_ms (-1: never). @process and @fd may be -1.
 */
unsigned int process_wait_or_read(int process, int fd, int timeout_ms, int known);

void process_close(int process);

#endif /* UTIL_PROCESS_H */
