/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations of the driver's fuzzer
 *
 * Operations are chosen at random from what the ABI allows and from what it forbids, each by a
 * 64-bit seed of its own, and every answer is checked.
 */
#ifndef FUZZ_KERNEL_FUZZ_H
#define FUZZ_KERNEL_FUZZ_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kselftest.h"
#include "netlink.h"
#include "pmc.h"

/* x86's */
#define PAGE		4096

#define PROCESSES_MAX	16
#define SLOTS		6
#define MAPPINGS	8
#define ERRORS_MAX	134
#define IOCTLS		11

/* RLIMIT_MEMLOCK of each process */
#define LOCKED_BYTES	(8 << 20)

/** struct dice - random numbers that depend only on the seed */
struct dice {
	uint64_t state;
};

uint64_t dice_next(struct dice *dice);
uint32_t dice_below(struct dice *dice, uint32_t limit);
bool dice_one_in(struct dice *dice, uint32_t n);
uint64_t dice_edge(struct dice *dice);

/**
 * struct doing - the current operation of a process, for other processes
 * @number:	its number
 * @seed:	its seed
 * @name:	its name
 */
struct doing {
	uint64_t number;
	uint64_t seed;
	const char *name;
};

/**
 * struct account - pages of rings that the ordinary user's contexts hold, in all processes
 * @surely:	they are charged now
 * @perhaps:	these are, or may be
 * @least:	of @surely during each process's request
 * @most:	of @perhaps
 */
struct account {
	int64_t surely;
	int64_t perhaps;
	int64_t least[PROCESSES_MAX];
	int64_t most[PROCESSES_MAX];
};

/**
 * struct shared - memory that all processes share
 * @done:	operations of all processes
 * @failed:	a check failed
 * @stop:	the bystander and the background should end
 * @exact:	comparisons of a worker's own counts
 * @followed:	comparisons of a followed process's counts
 * @bystander:	comparisons of the bystander's counts
 * @readings:	comparisons of readings in user mode
 * @samples:	sample records that were checked
 * @rdpmc_zero:	counters that RDPMC gave as 0
 * @rdpmc_own:	counts of the process itself that RDPMC gave
 * @fitted:	rings that took the user's last page
 * @refused:	rings that were one page too large
 * @account:	of the rings
 * @wide_begun:	for each counter, requests for contexts that may count other processes
 * @wide_ended:	those that were refused, and contexts of CPUs that were released
 * @errors:	number of each error of each ioctl
 * @doing:	the current operation of each process
 */
struct shared {
	uint64_t done;
	int failed;
	int stop;
	uint64_t exact;
	uint64_t followed;
	uint64_t bystander;
	uint64_t readings;
	uint64_t samples;
	uint64_t rdpmc_zero;
	uint64_t rdpmc_own;
	uint64_t fitted;
	uint64_t refused;
	struct account account;
	uint64_t wide_begun[64];
	uint64_t wide_ended[64];
	uint64_t errors[IOCTLS][ERRORS_MAX];
	struct doing doing[PROCESSES_MAX];
};

/**
 * struct slot - an open file, and the expected state of its context
 * @fd:		-1: none
 * @configured:	it has a context
 * @started:	START succeeded after the last STOP
 * @self:	it counts the process's own single thread, from START on
 * @samples:	it has a period
 * @own:	it counts this process
 * @wide:	it may count other processes until it is released
 * @exact:	READ must return @value while nothing is counted
 * @counted:	READ gives @initial and all that it has counted
 * @nr:		number of counters
 * @scribbled:	one of its rings was written to
 * @ring_size:	size of its rings
 * @pages:	of its rings, as the user is charged for them
 * @mapped_pages: of the rings of earlier contexts, which may be mapped
 * @counters:	general counters in bits 31:0, fixed counters above
 * @periods:	those of them that have a period
 * @counter:	its counters
 * @value:	see @exact
 * @initial:	see @counted
 */
struct slot {
	int fd;
	bool configured;
	bool started;
	bool self;
	bool samples;
	bool own;
	bool wide;
	bool exact;
	bool counted;
	bool scribbled;
	uint32_t nr;
	uint32_t ring_size;
	int64_t pages;
	int64_t mapped_pages;
	uint64_t counters;
	uint64_t periods;
	uint32_t counter[PMC_COUNTERS_MAX];
	uint64_t value[PMC_COUNTERS_MAX];
	uint64_t initial[PMC_COUNTERS_MAX];
};

/**
 * struct mapping - a mapping of a page or a ring, or what is left of it
 * @slot:	the slot of its file, or one of the worker's ghosts
 * @at:		NULL: none
 * @length:	in bytes
 */
struct mapping {
	struct slot *slot;
	unsigned char *at;
	size_t length;
};

/**
 * struct worker - a process that operates on the driver
 * @shared:	memory of all processes
 * @index:	its number
 * @user:	it runs as an ordinary user
 * @background:	CPUs and the attribute pce change during the run
 * @victim:	a process of root
 * @dice:	of the current operation
 * @query:	the counters and features
 * @period_max:	of a general counter, 0 if none interrupts
 * @select_mask: valid bits of a general counter's event select
 * @possible:	number of possible CPUs
 * @allowance:	pages of rings that the module parameter allows the user
 * @kernel_begin: lowest address that may belong to the kernel
 * @slots:	open files
 * @ghosts:	closed files that a mapping keeps open
 * @reader:	the context that do_user_read() has for a while
 * @had:	counters of this process's released contexts: RDPMC may still return their counts
 * @had_at:	number of context switches at the last release
 * @mappings:	mappings of their pages and rings
 * @arena:	two writable pages, followed by one that cannot be written
 * @nl:		netlink socket for requests
 * @listener:	socket that has joined groups, or -1
 * @program:	a program of known length
 */
struct worker {
	struct shared *shared;
	unsigned int index;
	bool user;
	bool background;
	pid_t victim;
	struct dice dice;
	struct pmc_query query;
	uint64_t period_max;
	uint64_t select_mask;
	int64_t possible;
	int64_t allowance;
	uint64_t kernel_begin;
	struct slot slots[SLOTS];
	struct slot ghosts[MAPPINGS];
	struct slot reader;
	uint64_t had;
	uint64_t had_at;
	struct mapping mappings[MAPPINGS];
	unsigned char *arena;
	struct nl nl;
	struct nl listener;
	const struct program *program;
};

extern sigjmp_buf fuzz_faulted;
extern volatile int fuzz_may_fault;

void wrong(struct worker *worker, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* ioctl.c: one ioctl, its placement in memory, its error */
enum placement { PLACE_GOOD, PLACE_BAD, PLACE_READ_ONLY };

int call_plain(struct worker *worker, int fd, unsigned int command, unsigned long argument);
int call_struct(struct worker *worker, int fd, unsigned int command, void *image, size_t size,
		size_t written, enum placement *placement);
unsigned char *arena_end(struct worker *worker);
void check_error(struct worker *worker, unsigned int command, int err);
const char *command_name(unsigned int index);
bool error_documented(unsigned int index, int error);

/* request.c: requests for PMC_IOC_CONFIGURE, and their expected result */
enum verdict { VERDICT_RIGHT, VERDICT_WRONG, VERDICT_UNSURE };

#define IMAGE_MAX	4352
#define ENTRIES_MAX	40

/**
 * struct request - a PMC_IOC_CONFIGURE
 * @config:	its structure, of config.size bytes, and what follows it
 * @entry:	its counters
 * @stride:	bytes of one entry in memory
 * @verdict:	expected result on a file without a context
 * @self:	it counts the caller itself
 * @own:	its context is to count this process
 * @wide:	its context may count other processes
 * @counters:	its counters, as in struct slot
 * @periods:	as there
 * @ring_size:	size of its rings, if it has a period
 * @pages:	of its rings, as the user is charged for them
 */
struct request {
	union {
		struct pmc_config config;
		unsigned char image[IMAGE_MAX];
	};
	struct pmc_counter_config entry[ENTRIES_MAX];
	uint32_t stride;
	enum verdict verdict;
	bool self;
	bool own;
	bool wide;
	uint64_t counters;
	uint64_t periods;
	uint32_t ring_size;
	int64_t pages;
};

uint32_t counter_any(struct worker *worker);
void request_make(struct worker *worker, struct request *request);
bool request_may_get_edom(const struct request *request);
struct pmc_counter_config request_entry(const struct request *request, uint32_t i);
bool request_lay_out(struct request *request);

/* operations.c, processes.c, memory.c, netlink.c */
void slot_open(struct worker *worker, struct slot *slot);
void slot_forget(struct worker *worker, struct slot *slot);
void slot_lend(struct worker *worker, struct slot *slot);
void slot_unmapped(struct worker *worker, struct slot *slot);
bool slot_is_mapped(const struct worker *worker, const struct slot *slot);
void slot_end(struct worker *worker, struct slot *slot);
struct slot *slot_any(struct worker *worker);
bool slot_has_rings(const struct slot *slot);
void simple_operation(struct worker *worker, struct dice *dice, int fd);

void do_query(struct worker *worker);
void do_counter(struct worker *worker);
void do_tsc(struct worker *worker);
void do_configure(struct worker *worker);
void do_start(struct worker *worker);
void do_stop(struct worker *worker);
void do_reset(struct worker *worker);
void do_release(struct worker *worker);
void do_read(struct worker *worker);
void do_write(struct worker *worker);
void do_statistics(struct worker *worker);
void do_unknown(struct worker *worker);
void do_reopen(struct worker *worker);
void do_burn(struct worker *worker);
void do_affinity(struct worker *worker);

void do_exact(struct worker *worker);
void do_user_read(struct worker *worker);
void do_race(struct worker *worker);
void do_inherit(struct worker *worker);
void do_follow(struct worker *worker);
void do_kill(struct worker *worker);

void do_map(struct worker *worker);
void do_unmap(struct worker *worker);
void do_remap(struct worker *worker);
void do_touch(struct worker *worker);
uint64_t check_records(struct worker *worker, const unsigned char *bytes, ssize_t length);
void do_records(struct worker *worker);
void do_poll(struct worker *worker);

void do_question(struct worker *worker);
void do_listen(struct worker *worker);
void do_pce(struct worker *worker);

/* account.c */
void account_expect(struct worker *worker, int64_t pages);
void account_hold(struct worker *worker, int64_t pages);
void account_yield(struct worker *worker, int64_t pages);
void account_drop(struct worker *worker, int64_t pages);
int64_t account_begin(struct worker *worker, int64_t pages);
void account_end(struct worker *worker, int64_t pages, int64_t limit, int err);
int64_t account_pages(const struct worker *worker, uint32_t ring_size);

/* rdpmc.c */
void do_rdpmc(struct worker *worker);
unsigned int counter_bit(uint32_t index);
void counters_had(struct worker *worker, uint64_t counters);
void wide_begin(struct shared *shared, uint64_t counters);
void wide_end(struct shared *shared, uint64_t counters);

/* background.c */
void background_run(struct shared *shared, uint64_t seed) __attribute__((noreturn));
void bystander_run(struct shared *shared) __attribute__((noreturn));

#endif /* FUZZ_KERNEL_FUZZ_H */
