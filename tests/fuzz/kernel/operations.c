// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-kernel: the ioctls, one operation each, and the checks of their replies
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

void slot_open(struct worker *worker, struct slot *slot)
{
	slot->fd = open(PMC_DEVICE, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (slot->fd < 0)
		wrong(worker, "%s: %s", PMC_DEVICE, strerror(errno));
	slot->configured = false;
}

bool slot_is_mapped(const struct worker *worker, const struct slot *slot)
{
	unsigned int i;

	for (i = 0; i < MAPPINGS; i++) {
		if (worker->mappings[i].at && worker->mappings[i].slot == slot)
			return true;
	}
	return false;
}

/* It has no context any more; account_yield() was called before. Mapped rings stay charged. */
static void slot_released(struct worker *worker, struct slot *slot)
{
	if (slot->configured && slot->wide)
		wide_end(worker->shared, slot->counters);
	if (slot->configured && slot->own)
		counters_had(worker, slot->counters);
	if (slot_is_mapped(worker, slot))
		slot->mapped_pages += slot->pages;
	else
		account_drop(worker, slot->pages);
	slot->pages = 0;
	slot->configured = false;
}

/** slot_unmapped - one of the mappings of the slot's file has ended */
void slot_unmapped(struct worker *worker, struct slot *slot)
{
	if (slot_is_mapped(worker, slot))
		return;
	account_drop(worker, slot->mapped_pages);
	slot->mapped_pages = 0;
	/* so has the context of a ghost */
	if (slot->fd < 0)
		slot_released(worker, slot);
}

/** slot_forget - close the slot's file; if it is mapped, its context lasts as a ghost */
void slot_forget(struct worker *worker, struct slot *slot)
{
	struct slot *ghost = worker->ghosts;
	unsigned int i;

	account_yield(worker, slot->pages);
	if (slot->fd >= 0)
		close(slot->fd);
	slot->fd = -1;
	if (slot_is_mapped(worker, slot)) {
		while (slot_is_mapped(worker, ghost))
			ghost++;
		*ghost = *slot;
		for (i = 0; i < MAPPINGS; i++) {
			if (worker->mappings[i].slot == slot)
				worker->mappings[i].slot = ghost;
		}
	} else {
		slot_released(worker, slot);
		account_drop(worker, slot->mapped_pages);
	}
	slot->configured = false;
	slot->pages = 0;
	slot->mapped_pages = 0;
}

/** slot_lend - before others operate on the slot's file: they may release its context */
void slot_lend(struct worker *worker, struct slot *slot)
{
	account_yield(worker, slot->pages);
	slot->mapped_pages += slot->pages;
	slot->pages = 0;
}

/** slot_end - after slot_lend(): close the file, in which there may be any context, or none */
void slot_end(struct worker *worker, struct slot *slot)
{
	if (slot_is_mapped(worker, slot)) {
		pmc_call(slot->fd, PMC_IOC_RELEASE, NULL);
		slot_released(worker, slot);
	}
	slot_forget(worker, slot);
}

struct slot *slot_any(struct worker *worker)
{
	struct slot *slot = &worker->slots[dice_below(&worker->dice, SLOTS)];

	if (slot->fd < 0)
		slot_open(worker, slot);
	return slot;
}

bool slot_has_rings(const struct slot *slot)
{
	return slot->configured && slot->samples;
}

/* A structure size that is sometimes larger or smaller than the driver's. */
static uint32_t size_any(struct worker *worker, uint32_t size)
{
	switch (dice_below(&worker->dice, 12)) {
	case 0:
		return dice_below(&worker->dice, size + 1);
	case 1:
		return size + 8 * dice_below(&worker->dice, 4);
	case 2:
		return PAGE + dice_below(&worker->dice, 2);
	case 3:
		return dice_edge(&worker->dice);
	default:
		return size;
	}
}

/*
 * A query: @in bytes are input, @all is the whole structure. Return: the ioctl's error. Checks that
 * invalid queries fail, and that mapped memory does not give EFAULT.
 */
static int ask(struct worker *worker, const struct slot *slot, unsigned int command, void *image,
	       uint32_t in, uint32_t all, bool refused)
{
	uint32_t size = size_any(worker, all), there;
	enum placement placement;
	unsigned char *bytes = image;
	int err;

	memcpy(image, &size, sizeof(size));
	there = size < 4 ? 4 : size > PAGE ? PAGE : size;
	refused |= size < in || size > PAGE;
	if (there > all && dice_one_in(&worker->dice, 4)) {
		bytes[all + dice_below(&worker->dice, there - all)] = 1;
		refused = true;
	}
	err = call_struct(worker, slot->fd, command, image, there, all < there ? all : there,
			  &placement);
	if (!err && (refused || placement != PLACE_GOOD))
		wrong(worker, "succeeded, though it is malformed (%u bytes)", size);
	if (err == -EFAULT && placement == PLACE_GOOD)
		wrong(worker, "EFAULT for memory that is there");
	return err;
}

void do_query(struct worker *worker)
{
	union {
		struct pmc_query query;
		unsigned char bytes[PAGE];
	} image = { .query.cpu = PMC_CPU_ANY };
	bool refused = false;
	int err;

	if (dice_one_in(&worker->dice, 3)) {
		image.query.cpu = (int)dice_below(&worker->dice, 12) - 3;
		refused = image.query.cpu < PMC_CPU_ANY;
	}
	if (dice_one_in(&worker->dice, 6)) {
		image.query.flags = dice_edge(&worker->dice);
		refused |= image.query.flags;
	}
	err = ask(worker, slot_any(worker), PMC_IOC_QUERY, &image,
		  offsetof(struct pmc_query, abi_version), sizeof(image.query), refused);
	if (!err && image.query.cpu < 0)
		wrong(worker, "QUERY describes CPU %d", image.query.cpu);
}

void do_counter(struct worker *worker)
{
	union {
		struct pmc_counter counter;
		unsigned char bytes[PAGE];
	} image = { .counter.cpu = PMC_CPU_ANY };
	struct pmc_counter *counter = &image.counter;
	bool refused = false;
	uint32_t asked;
	int err;

	asked = dice_below(&worker->dice, 20);
	if (dice_one_in(&worker->dice, 3))
		asked |= PMC_COUNTER_FIXED_FLAG;
	if (dice_one_in(&worker->dice, 6))
		asked = dice_edge(&worker->dice);
	counter->counter = asked;
	if (dice_one_in(&worker->dice, 3))
		counter->cpu = (int)dice_below(&worker->dice, 12) - 3;
	refused = counter->cpu < PMC_CPU_ANY;
	if (dice_one_in(&worker->dice, 6)) {
		counter->flags = dice_edge(&worker->dice);
		refused |= counter->flags;
	}
	err = ask(worker, slot_any(worker), PMC_IOC_COUNTER, &image,
		  offsetof(struct pmc_counter, width), sizeof(*counter), refused);
	if (!err && (counter->counter != asked || counter->cpu < 0))
		wrong(worker, "COUNTER describes another one");
	if (!err && counter->size >= sizeof(*counter) && counter->reserved)
		wrong(worker, "COUNTER: a reserved field is not 0");
	if (!err && counter->size >= sizeof(*counter) &&
	    counter->holder.kind == PMC_HOLDER_CONTEXT && !counter->holder.scope)
		wrong(worker, "COUNTER: a context that holds it has no scope");
	if (!err && counter->size >= sizeof(*counter) &&
	    counter->holder.kind != PMC_HOLDER_CONTEXT && counter->holder.scope)
		wrong(worker, "COUNTER: a holder that is no context has a scope");
}

void do_tsc(struct worker *worker)
{
	union {
		struct pmc_tsc tsc;
		unsigned char bytes[PAGE];
	} image = { 0 };

	if (dice_one_in(&worker->dice, 6))
		image.tsc.flags = dice_edge(&worker->dice);
	ask(worker, slot_any(worker), PMC_IOC_TSC, &image, offsetof(struct pmc_tsc, cpu),
	    sizeof(image.tsc), image.tsc.flags);
}

/* Expected state of a context that has just been configured. */
static void slot_configured(struct slot *slot, const struct request *request)
{
	uint32_t i;

	slot->configured = true;
	slot->started = false;
	slot->self = request->self;
	slot->samples = false;
	slot->own = request->own;
	/* a process that was followed may know its counts as its own: see counters_had() */
	slot->wide = request->wide && request->config.scope < PMC_SCOPE_THREAD;
	slot->exact = true;
	slot->counted = true;
	slot->scribbled = false;
	slot->nr = request->config.nr_counters;
	slot->ring_size = request->ring_size;
	slot->pages = request->pages;
	slot->counters = request->counters;
	slot->periods = request->periods;
	for (i = 0; i < slot->nr; i++) {
		slot->counter[i] = request->entry[i].counter;
		slot->value[i] = request->entry[i].initial;
		slot->initial[i] = slot->value[i];
		slot->samples |= request_entry(request, i).period;
	}
}

static bool configure_may_fail(int err)
{
	switch (-err) {
	case EBUSY:
	case ENODEV:
	case ENOBUFS:
	case ENOMEM:
	case EBADFD:
		return true;
	default:
		return false;
	}
}

static void check_configured(struct worker *worker, const struct slot *slot,
			     const struct request *request, bool there,
			     enum placement placement, int err)
{
	if (!err && request->verdict == VERDICT_WRONG)
		wrong(worker, "CONFIGURE succeeded, though it must fail");
	if (!err && (!there || placement != PLACE_GOOD))
		wrong(worker, "CONFIGURE without all of its memory");
	if (!err && slot->configured)
		wrong(worker, "configured twice");
	if (err == -EBADFD && !slot->configured)
		wrong(worker, "EBADFD, but it was not configured");
	if (err == -EFAULT && there && placement == PLACE_GOOD)
		wrong(worker, "EFAULT for memory that is there");
	if (err && request->verdict == VERDICT_RIGHT && placement == PLACE_GOOD &&
	    !configure_may_fail(err) && !(err == -EDOM && request_may_get_edom(request)))
		wrong(worker, "CONFIGURE failed, though it must succeed: %s", strerror(-err));
}

void do_configure(struct worker *worker)
{
	struct slot *slot = slot_any(worker);
	static struct request request;
	enum placement placement;
	uint32_t size;
	int64_t limit;
	bool there;
	int err;

	/* configuring a file twice fails: seldom try it */
	if (slot->configured && !dice_one_in(&worker->dice, 4)) {
		account_yield(worker, slot->pages);
		if (call_plain(worker, slot->fd, PMC_IOC_RELEASE, 0))
			wrong(worker, "RELEASE of a context");
		slot_released(worker, slot);
	}
	request_make(worker, &request);
	there = request_lay_out(&request);
	size = request.config.size;
	size = size < 4 ? 4 : size > PAGE ? PAGE : size;
	if (request.wide)
		wide_begin(worker->shared, request.counters);
	limit = account_begin(worker, request.pages);
	err = call_struct(worker, slot->fd, PMC_IOC_CONFIGURE, &request, size,
			  size < sizeof(request.config) ? size : sizeof(request.config),
			  &placement);
	account_end(worker, request.pages, limit, err);
	check_configured(worker, slot, &request, there, placement, err);
	if (!err)
		slot_configured(slot, &request);
	else if (request.wide)
		wide_end(worker->shared, request.counters);
}

/* START, STOP, RESET or RELEASE. Return: whether it succeeded. */
static bool order(struct worker *worker, struct slot *slot, unsigned int command)
{
	unsigned long argument = dice_one_in(&worker->dice, 12) ? dice_edge(&worker->dice) : 0;
	int err = call_plain(worker, slot->fd, command, argument);

	if (!err && (argument || !slot->configured))
		wrong(worker, "succeeded, though it must fail");
	if (!argument && err == -EBADFD && slot->configured)
		wrong(worker, "EBADFD, but it was configured");
	if (!argument && err && slot->configured && slot->self)
		wrong(worker, "%s", strerror(-err));
	return !err;
}

void do_start(struct worker *worker)
{
	struct slot *slot = slot_any(worker);

	if (order(worker, slot, PMC_IOC_START)) {
		slot->started = true;
		slot->exact = false;
	}
}

void do_stop(struct worker *worker)
{
	struct slot *slot = slot_any(worker);

	if (order(worker, slot, PMC_IOC_STOP))
		slot->started = false;
}

void do_reset(struct worker *worker)
{
	struct slot *slot = slot_any(worker);

	if (!order(worker, slot, PMC_IOC_RESET))
		return;
	slot->counted = false;
	if (!slot->started) {
		memset(slot->value, 0, sizeof(slot->value));
		slot->exact = true;
	}
}

void do_release(struct worker *worker)
{
	struct slot *slot = slot_any(worker);

	account_yield(worker, slot->pages);
	if (order(worker, slot, PMC_IOC_RELEASE))
		slot_released(worker, slot);
	else
		account_hold(worker, slot->pages);
}

static void check_state(struct worker *worker, const struct slot *slot, uint32_t state)
{
	if (state & ~(PMC_STATE_RUNNING | PMC_STATE_ARMED | PMC_STATE_ENDED | PMC_STATE_OFFLINE |
		      PMC_STATE_INCOMPLETE))
		wrong(worker, "READ: state %#x", state);
	if (!slot->self)
		return;
	if (slot->started != !!(state & (PMC_STATE_RUNNING | PMC_STATE_ARMED)))
		wrong(worker, "READ: state %#x, started %d", state, slot->started);
}

/* A stopped context must have its earlier values. */
static void check_values(struct worker *worker, struct slot *slot, const __u64 *value)
{
	uint32_t i;

	if (slot->started)
		return;
	for (i = 0; slot->exact && i < slot->nr; i++) {
		if (value[i] != slot->value[i])
			wrong(worker, "stopped, value %u is %llu, and was %llu", i,
			      (unsigned long long)value[i], (unsigned long long)slot->value[i]);
	}
	memcpy(slot->value, value, slot->nr * sizeof(value[0]));
	slot->exact = true;
}

void do_read(struct worker *worker)
{
	struct slot *slot = slot_any(worker);
	struct dice *dice = &worker->dice;
	struct reading reading = { .size = sizeof(reading), .cpu = PMC_CPU_ANY };
	uint32_t header = sizeof(struct pmc_read), written = sizeof(reading);
	enum placement placement;
	bool refused;
	int err;

	if (dice_one_in(dice, 8))
		reading.size = dice_below(dice, 2) ? dice_below(dice, sizeof(reading)) :
			       dice_edge(dice);
	if (dice_one_in(dice, 6)) {
		reading.flags = dice_below(dice, 2) ? PMC_READ_ONE_CPU : dice_edge(dice);
		reading.cpu = (int)dice_below(dice, 6) - 1;
	}
	if (dice_one_in(dice, 12))
		reading.nr_counters = dice_edge(dice);
	refused = reading.size < header || reading.flags & ~PMC_READ_ONE_CPU ||
		  reading.nr_counters || !slot->configured ||
		  (slot->configured && reading.size < PMC_READ_SIZE(slot->nr));
	if (slot->configured)
		written = PMC_READ_SIZE(slot->nr);
	err = call_struct(worker, slot->fd, PMC_IOC_READ, &reading, written, written,
			  &placement);
	if (!err && (refused || placement != PLACE_GOOD))
		wrong(worker, "READ succeeded, though it must fail");
	if (err == -EFAULT && placement == PLACE_GOOD)
		wrong(worker, "EFAULT for memory that is there");
	if (!err && (reading.reserved || reading.reserved2))
		wrong(worker, "READ: a reserved field is not 0");
	if (err)
		return;
	if (reading.nr_counters != slot->nr)
		wrong(worker, "READ: %u counters of %u", reading.nr_counters, slot->nr);
	check_state(worker, slot, reading.state);
	if (!reading.flags)
		check_values(worker, slot, reading.value);
}

void do_write(struct worker *worker)
{
	struct slot *slot = slot_any(worker);
	struct dice *dice = &worker->dice;
	uint64_t values[PMC_COUNTERS_MAX];
	union {
		struct pmc_write write;
		unsigned char bytes[PAGE];
	} image = { 0 };
	struct pmc_write *request = &image.write;
	bool refused = !slot->configured, there = true;
	uint32_t i, size = size_any(worker, sizeof(*request)), in;
	enum placement placement;
	int err;

	for (i = 0; i < PMC_COUNTERS_MAX; i++)
		values[i] = dice_edge(dice);
	request->size = size;
	request->nr_counters = slot->nr;
	request->values = (uintptr_t)values;
	switch (dice_below(dice, 20)) {
	case 0:
		request->flags = dice_edge(dice);
		break;
	case 1:
		request->reserved = dice_edge(dice);
		break;
	case 2:
		request->nr_counters = dice_edge(dice);
		break;
	case 3:
		request->values = dice_below(dice, 4096);
		there = false;
		break;
	case 4:
		/* an address that a 32-bit program cannot have is invalid there */
		request->values |= 1ULL << 63;
		there = false;
		break;
	}
	refused |= size < sizeof(*request) || size > PAGE || request->flags ||
		   request->reserved || !there ||
		   (slot->configured && request->nr_counters != slot->nr);
	in = size < 4 ? 4 : size > PAGE ? PAGE : size;
	err = call_struct(worker, slot->fd, PMC_IOC_WRITE, &image, in, 0, &placement);
	if (!err && refused)
		wrong(worker, "WRITE succeeded, though it must fail");
	if (err == -EFAULT && there && placement != PLACE_BAD)
		wrong(worker, "EFAULT for memory that is there");
	slot->counted &= err != 0;
	if (!err && !slot->started) {
		memcpy(slot->value, values, sizeof(values));
		slot->exact = true;
	}
}

void do_statistics(struct worker *worker)
{
	struct slot *slot = slot_any(worker);
	union {
		struct pmc_statistics statistics;
		unsigned char bytes[PAGE];
	} image = { 0 };
	struct pmc_statistics *statistics = &image.statistics;
	int err;

	if (dice_one_in(&worker->dice, 8))
		statistics->flags = dice_edge(&worker->dice);
	err = ask(worker, slot, PMC_IOC_STATISTICS, &image,
		  offsetof(struct pmc_statistics, records), sizeof(*statistics),
		  statistics->flags || !slot_has_rings(slot));
	if (err == -EBADFD && slot_has_rings(slot))
		wrong(worker, "no STATISTICS of a context with a period");
}

void do_unknown(struct worker *worker)
{
	static const unsigned int known[] = {
		PMC_IOC_QUERY, PMC_IOC_COUNTER, PMC_IOC_TSC, PMC_IOC_CONFIGURE, PMC_IOC_START,
		PMC_IOC_STOP, PMC_IOC_READ, PMC_IOC_WRITE, PMC_IOC_RESET, PMC_IOC_RELEASE,
		PMC_IOC_STATISTICS,
	};
	struct slot *slot = slot_any(worker);
	unsigned int i, command = _IO(PMC_IOC_MAGIC, dice_below(&worker->dice, 256));

	/* the same command with another size or direction is another ioctl */
	if (dice_one_in(&worker->dice, 2))
		command |= dice_next(&worker->dice) & 0xffff0000;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (command == known[i])
			return;
	}
	call_plain(worker, slot->fd, command, dice_edge(&worker->dice));
}

void do_reopen(struct worker *worker)
{
	struct slot *slot = slot_any(worker);
	int other;

	if (!dice_one_in(&worker->dice, 3)) {
		slot_forget(worker, slot);
		return;
	}
	/* a duplicated descriptor refers to the same context */
	other = fcntl(slot->fd, F_DUPFD_CLOEXEC, 0);
	if (other < 0)
		wrong(worker, "dup: %s", strerror(errno));
	close(slot->fd);
	slot->fd = other;
}

/* Execute something to count. */
void do_burn(struct worker *worker)
{
	uint32_t rounds = 1 + dice_below(&worker->dice, 50000);

	while (rounds--)
		asm volatile("");
}

/* The CPUs of the new affinity may be offline. */
void do_affinity(struct worker *worker)
{
	cpu_set_t all;
	int cpu;

	if (!dice_one_in(&worker->dice, 3)) {
		pin(0, dice_below(&worker->dice, cpus_present()));
		return;
	}
	CPU_ZERO(&all);
	for (cpu = 0; cpu < cpus_present(); cpu++)
		CPU_SET(cpu, &all);
	sched_setaffinity(0, sizeof(all), &all);
}

/**
 * simple_operation - an operation on a file that other threads use at the same time
 * @worker:	for its errors
 * @dice:	of the thread
 * @fd:		another thread may close it
 */
void simple_operation(struct worker *worker, struct dice *dice, int fd)
{
	static const unsigned int orders[] = {
		PMC_IOC_START, PMC_IOC_STOP, PMC_IOC_RESET, PMC_IOC_RELEASE, PMC_IOC_START,
	};
	struct pmc_statistics statistics = { .size = sizeof(statistics) };
	struct reading reading = { .size = sizeof(reading), .cpu = PMC_CPU_ANY };
	uint64_t values[PMC_COUNTERS_MAX] = { 0 };
	struct pmc_write request = {
		.size = sizeof(request),
		.nr_counters = 1 + dice_below(dice, 3),
		.values = (uintptr_t)values,
	};
	unsigned int command = PMC_IOC_CONFIGURE;
	struct setup setup;
	int err;

	switch (dice_below(dice, 6)) {
	case 0:
		setup_thread(&setup, 0, 0);
		setup_add(&setup, PMC_COUNTER_GENERAL(dice_below(dice, 4)), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
		if (dice_one_in(dice, 2) && worker->period_max)
			setup.counter[0].period = 500 + dice_below(dice, 5000);
		err = setup_configure(fd, &setup);
		break;
	case 1:
		command = PMC_IOC_READ;
		err = pmc_call(fd, command, &reading);
		break;
	case 2:
		command = PMC_IOC_WRITE;
		err = pmc_call(fd, command, &request);
		break;
	case 3:
		command = PMC_IOC_STATISTICS;
		err = pmc_call(fd, command, &statistics);
		break;
	default:
		command = orders[dice_below(dice, 5)];
		err = pmc_call(fd, command, NULL);
		break;
	}
	if (err != -EBADF)
		check_error(worker, command, err);
}
