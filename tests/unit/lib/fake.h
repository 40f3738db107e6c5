/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fake driver: open, ioctl and close of /dev/pmc as uapi/pmcdrv.h describes them, for tests
 * without the module. Link with $(fake_wraps) of fake.mk.
 */
#ifndef FAKE_H
#define FAKE_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <pmcdrv/pmcdrv.h>

#define FAKE_CPUS	2

/*
 * @path: the device node
 * @signal: raised when a CPU is described for the first time, or 0
 * @open_error: errno of open of the device, or 0
 * @ioctl_error: errno of each ioctl, by its number, or 0
 * @query: reply of every online CPU
 * @on_counter: changes the reply of PMC_IOC_COUNTER, or NULL
 * @select_mask: event-select bits that general counters take
 * @fixed_mask: the same of fixed counters
 * @holder: by counter: general ones from 0, fixed ones from 32
 * @extra_error: errno for counters with an event_extra, or 0
 * @extra_refused: refused bits with it
 * @unprivileged: the caller has no CAP_PERFMON
 * @foreign: the process or thread belongs to another user
 * @locked_down: the kernel is locked down
 * @offline: CPU that is offline, or -1
 * @leaves: the counted CPU goes offline at START
 * @setuid: exec revokes the permission to count
 * @incomplete: a descendant could not be followed
 * @uncounted: the target ran on a CPU that cannot count it
 * @rewritten: other software wrote the counters' registers
 * @storm: overflow interrupts were turned off
 * @watchdog: contents of /proc/sys/kernel/nmi_watchdog, or 0 for no such file
 * @paranoid: contents of /proc/sys/kernel/perf_event_paranoid, or NULL for no such file
 * @ignores_paranoid: the module's parameter ignore_perf_event_paranoid is Y
 * @first_count: count of the first event; plus 1 for each further event and read
 * @steady: further reads return the same
 * @second: reply of CPU 1 if it differs from the others: its size is not 0
 * @pce: file that replaces the attribute, or NULL for none
 * @pce_error: errno of opening it for writing, or 0
 * @user_read_error: errno of configuring with PMC_CONFIG_USER_READ, or 0
 * @mmap_error: errno of mapping a context, or 0
 * @page: the page last mapped, for the test to write
 * @ring_start: first position of the rings
 * @mapped_rings: rings that are mapped now
 * @ring_error: errno of mapping a sample ring, or 0
 * @ring_error_from: the CPUs from this one on have it
 * @read_signals: so many read(2) are interrupted by a signal
 * @poll_error: errno of poll(), or 0
 * @clock: reply of PMC_IOC_TSC, if not 0; each reply adds 1
 * @on_read: called by PMC_IOC_READ, which interrupts the counting CPUs in the driver
 * @ended: the last followed thread has ended
 * @statistics: reply of PMC_IOC_STATISTICS
 * @ring: the sample rings of the last context with a period
 * @on_start, @on_stop: called when such a context is started, and stopped
 * @started: a file to create when any context is started, or NULL
 * @open_files: files of the device that are open now
 * @forced_names: LIBPFM_FORCE_PMU chooses the processor that names are looked up for
 * @config, @counters: of the last successful PMC_IOC_CONFIGURE
 */
struct pmc_processor;

struct fake {
	const char *path;
	int signal;
	int open_error;
	int ioctl_error[32];
	struct pmc_query query;
	struct pmc_query second;
	void (*on_counter)(struct pmc_counter *counter);
	uint64_t select_mask;
	uint64_t fixed_mask;
	struct pmc_holder holder[64];
	int extra_error;
	uint64_t extra_refused;
	bool unprivileged;
	bool foreign;
	bool locked_down;
	int offline;
	bool leaves;
	bool setuid;
	bool incomplete;
	bool uncounted;
	bool rewritten;
	bool storm;
	char watchdog;
	const char *paranoid;
	bool ignores_paranoid;
	uint64_t first_count;
	bool steady;
	const char *pce;
	int pce_error;
	int user_read_error;
	int mmap_error;
	struct pmc_page *page;
	uint32_t ring_start;
	int mapped_rings;
	int ring_error;
	size_t ring_error_from;
	int read_signals;
	int poll_error;
	uint64_t clock;
	void (*on_read)(void);
	bool ended;
	struct pmc_statistics statistics;
	struct pmc_ring *ring[FAKE_CPUS];
	void (*on_start)(void);
	void (*on_stop)(void);
	const char *started;
	int open_files;
	bool forced_names;
	struct pmc_config config;
	struct pmc_counter_config counters[PMC_COUNTERS_MAX];
};

extern struct fake fake;

/* Skylake: 4 general and 3 fixed counters, 7 architectural events, no other holders */
void fake_reset(void);

/* Selects another processor with its counters; called after fake_reset(). */
void fake_pentium(bool mmx);
void fake_p6(unsigned int model);
void fake_netburst(unsigned int model);
void fake_amd(unsigned int family);
void fake_core(unsigned int model, uint64_t general_counters);
void fake_metrics(void);
void fake_hybrid(void);

/* The holder of a counter, to be filled in */
struct pmc_holder *fake_holder(uint32_t counter);

/* ---- fake_ring.c: the sample rings ---- */

/* Create the rings of a context; @cpu: its only CPU, or -1. */
void fake_rings_make(uint32_t size, uint32_t watermark, int cpu);

void fake_rings_drop(void);

/*
 * Write a record as the driver does. Returns false if it did not fit and is lost. Each CPU has
 * one producer thread. A record of type PAD is written unchanged.
 */
bool fake_ring_write(int cpu, const void *record);

/* Write a LOST record, if records were lost. */
void fake_ring_tell_loss(int cpu);

/* Do not write a LOST record for lost records. */
void fake_ring_forget_loss(int cpu);

/* Wake the waiting threads after a change of fake.ended. */
void fake_rings_wake(void);

/* Every call returns the same mapping, so that a race detector sees both sides access it. */
void *fake_ring_map(size_t size, int protection, int flags, off_t offset);

/* Returns true if it was a ring. */
bool fake_ring_unmap(const void *address);
ssize_t fake_rings_read(char *buffer, size_t size, bool idle);

/* The result of poll(), after waiting for up to @timeout_ms */
short fake_rings_poll(bool idle, int timeout_ms);

/* The real functions; see the linker's option --wrap */
int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
int __real_ioctl(int fd, unsigned long request, ...);
void *__real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *address, size_t size);
int __wrap_munmap(void *address, size_t size);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
int __real_poll(struct pollfd *fds, nfds_t num, int timeout_ms);
int __wrap_poll(struct pollfd *fds, nfds_t num, int timeout_ms);
int __real_ppoll(struct pollfd *fds, nfds_t num, const struct timespec *timeout,
		 const sigset_t *mask);
int __wrap_ppoll(struct pollfd *fds, nfds_t num, const struct timespec *timeout,
		 const sigset_t *mask);
int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_ioctl(int fd, unsigned long request, ...);
void __wrap_pmc_processor_read_cpuid(struct pmc_query *query);
bool __real_pmc_pfm_forced_processor(struct pmc_processor *processor);
bool __wrap_pmc_pfm_forced_processor(struct pmc_processor *processor);

#endif /* FAKE_H */
