/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fuzzer of the driver: operations chosen at random, each by its own 64-bit
 * seed, out of what the ABI allows and what lies beside it; and what must be true
 * of each answer.
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

/** struct dice - numbers that depend on the seed alone */
struct dice {
	uint64_t state;
};

uint64_t dice_next(struct dice *dice);
uint32_t dice_below(struct dice *dice, uint32_t limit);
bool dice_one_in(struct dice *dice, uint32_t n);
uint64_t dice_edge(struct dice *dice);

/**
 * struct doing - what a process does now, for who looks at it from outside
 * @number:	of its operation
 * @seed:	of that
 * @name:	of that
 */
struct doing {
	uint64_t number;
	uint64_t seed;
	const char *name;
};

/**
 * struct shared - what all processes see
 * @done:	operations, of all
 * @failed:	something was wrong
 * @stop:	the bystander and the background may end
 * @exact:	own counts that were compared
 * @followed:	counts of others that were compared
 * @bystander:	counts of the bystander that were compared
 * @readings:	readings in user mode that were compared
 * @samples:	sample records that were looked at
 * @errors:	how often each ioctl gave each error
 * @doing:	of each process
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
	uint64_t errors[IOCTLS][ERRORS_MAX];
	struct doing doing[PROCESSES_MAX];
};

/**
 * struct slot - an open file, and what is known of its context
 * @fd:		-1: none
 * @configured:	it has a context
 * @started:	START was last, not STOP
 * @self:	it counts the process' own only thread, from START on
 * @samples:	it has a period
 * @exact:	@value is what READ must tell, as long as nothing is counted
 * @nr:		counters
 * @scribbled:	something was written into one of its rings
 * @ring_size:	of its rings
 * @value:	see @exact
 */
struct slot {
	int fd;
	bool configured;
	bool started;
	bool self;
	bool samples;
	bool exact;
	bool scribbled;
	uint32_t nr;
	uint32_t ring_size;
	uint64_t value[PMC_COUNTERS_MAX];
};

/**
 * struct mapping - a page or a ring, or what is left of it
 * @slot:	whose file
 * @at:		NULL: none
 * @length:	bytes
 */
struct mapping {
	struct slot *slot;
	unsigned char *at;
	size_t length;
};

/**
 * struct worker - a process that operates on the driver
 * @shared:	what all see
 * @index:	its number
 * @user:	it is nobody special
 * @background:	CPUs and the attribute pce change
 * @victim:	a process of root's
 * @dice:	of the present operation
 * @query:	what there is to count with
 * @period_max:	of a general counter, 0 if none interrupts
 * @select_mask: of a general counter
 * @kernel_begin: the first address that may be the kernel's
 * @slots:	open files
 * @mappings:	of their pages and rings
 * @arena:	two pages that can be written, and behind them one that can't be
 * @nl:		a socket for questions
 * @listener:	one that has joined groups, or -1
 * @program:	one of known length
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
	uint64_t kernel_begin;
	struct slot slots[SLOTS];
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

/* calls.c: one system call, its placement in memory, its error */
enum placement { PLACE_GOOD, PLACE_BAD, PLACE_READ_ONLY };

int call_plain(struct worker *worker, int fd, unsigned int command, unsigned long argument);
int call_struct(struct worker *worker, int fd, unsigned int command, void *image, size_t size,
		size_t written, enum placement *placement);
unsigned char *arena_end(struct worker *worker);
void check_error(struct worker *worker, unsigned int command, int err);
const char *command_name(unsigned int index);
bool error_documented(unsigned int index, int error);

/* request.c: what PMC_IOC_CONFIGURE is asked, and what must set_user of it */
enum verdict { VERDICT_RIGHT, VERDICT_WRONG, VERDICT_UNSURE };

#define IMAGE_MAX	4352
#define ENTRIES_MAX	40

/**
 * struct request - a PMC_IOC_CONFIGURE
 * @config:	its structure, of config.size bytes, and what follows it
 * @entry:	its counters
 * @stride:	bytes of one entry as it is laid out
 * @verdict:	what must set_user of it on a file that has no context
 * @self:	it counts the caller itself
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
};

void request_make(struct worker *worker, struct request *request);
struct pmc_counter_config request_entry(const struct request *request, uint32_t i);
bool request_lay_out(struct request *request);

/* operations.c, processes.c, memory.c, talk.c */
void slot_open(struct worker *worker, struct slot *slot);
void slot_forget(struct slot *slot);
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

/* background.c: what happens around the workers */
void background_run(struct shared *shared, uint64_t seed) __attribute__((noreturn));
void bystander_run(struct shared *shared) __attribute__((noreturn));

#endif /* FUZZ_KERNEL_FUZZ_H */
