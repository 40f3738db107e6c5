/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A driver that is none: open, ioctl and close of /dev/pmc as uapi/pmcdrv.h
 * describes them, for tests without the module. Link with
 * -Wl,--wrap=open,--wrap=ioctl,--wrap=close,--wrap=mmap,--wrap=pmc_processor_ask.
 */
#ifndef FAKE_H
#define FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/pmcdrv.h>

#define FAKE_CPUS	2

/*
 * @path: the device node
 * @open_error: what open of the device fails with, or 0
 * @ioctl_error: what an ioctl fails with, by its number, or 0
 * @query: what every online CPU answers
 * @select_mask: event-select bits that general counters take
 * @fixed_mask: the same of fixed counters
 * @holder: by counter: general ones from 0, fixed ones from 32
 * @unprivileged: the caller has no CAP_PERFMON
 * @foreign: the process or thread is another user's
 * @locked_down: the kernel is locked down
 * @offline: CPU that is offline, or -1
 * @setuid: exec takes the right to count
 * @incomplete: a descendant could not be followed
 * @watchdog: what /proc/sys/kernel/nmi_watchdog has, or 0 for no such file
 * @first_count: count of the first event; the next ones and the next reads have
 *	one more each
 * @pce: file in the place of the attribute, or NULL for none
 * @pce_error: what opening it for writing fails with, or 0
 * @no_rdpmc: the processor has no RDPMC
 * @mmap_error: what mapping a context fails with, or 0
 * @page: the page last mapped, for the test to write
 * @open_files: files of the device that are open now
 * @config, @counters: of the last successful PMC_IOC_CONFIGURE
 */
struct fake {
	const char *path;
	int open_error;
	int ioctl_error[32];
	struct pmc_query query;
	uint64_t select_mask;
	uint64_t fixed_mask;
	struct pmc_holder holder[64];
	bool unprivileged;
	bool foreign;
	bool locked_down;
	int offline;
	bool setuid;
	bool incomplete;
	char watchdog;
	uint64_t first_count;
	const char *pce;
	int pce_error;
	bool no_rdpmc;
	int mmap_error;
	struct pmc_page *page;
	int open_files;
	struct pmc_config config;
	struct pmc_counter_config counters[PMC_COUNTERS_MAX];
};

extern struct fake fake;

/* A healthy Skylake: 4 general and 3 fixed counters, the 7 events, nobody else */
void fake_reset(void);

/* Another processor instead, with its counters: call after fake_reset() */
void fake_pentium(bool mmx);
void fake_p6(unsigned int model);
void fake_core(unsigned int model, uint64_t general_counters);

/* The holder of a counter, to be filled in */
struct pmc_holder *fake_holder(uint32_t counter);

/* What the linker makes of open, close and ioctl */
int __real_open(const char *path, int flags, ...);
int __real_close(int fd);
int __real_ioctl(int fd, unsigned long request, ...);
void *__real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_ioctl(int fd, unsigned long request, ...);
void __wrap_pmc_processor_ask(struct pmc_query *query);

#endif /* FAKE_H */
