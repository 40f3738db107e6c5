/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading sample rings by the raw ABI and checking the records (struct tally), and code of known
 * length to be sampled
 */
#ifndef SELFTESTS_SAMPLES_H
#define SELFTESTS_SAMPLES_H

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fixture.h"

#define SAMPLE_CPUS	64

/** struct ring - one CPU's ring, mapped */
struct ring {
	struct pmc_ring *shared;
	size_t length;
};

static inline uint64_t ring_offset(const struct setup *setup, int cpu)
{
	uint32_t size = setup->config.ring_size ? setup->config.ring_size : PMC_RING_SIZE_DEFAULT;

	return PMC_RING_OFFSET(cpu, size, sysconf(_SC_PAGESIZE));
}

static inline int ring_map(struct ring *ring, int fd, const struct setup *setup, int cpu)
{
	uint32_t size = setup->config.ring_size ? setup->config.ring_size : PMC_RING_SIZE_DEFAULT;

	ring->length = sysconf(_SC_PAGESIZE) + size;
	ring->shared = mmap(NULL, ring->length, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    ring_offset(setup, cpu));
	return ring->shared == MAP_FAILED ? -errno : 0;
}

static inline void ring_unmap(struct ring *ring)
{
	munmap(ring->shared, ring->length);
}

/* The next record, or NULL; it stays until ring_done(). */
static inline const struct pmc_record *ring_next(struct ring *ring)
{
	struct pmc_ring *shared = ring->shared;
	const char *data = (const char *)shared + shared->data_offset;

	for (;;) {
		uint32_t head = __atomic_load_n(&shared->head, __ATOMIC_ACQUIRE);
		const struct pmc_record *record;

		if (shared->tail == head)
			return NULL;
		record = (const void *)(data + shared->tail % shared->data_size);
		if (record->type != PMC_RECORD_PAD)
			return record;
		__atomic_store_n(&shared->tail, shared->tail + record->size, __ATOMIC_RELEASE);
	}
}

static inline void ring_done(struct ring *ring, const struct pmc_record *record)
{
	__atomic_store_n(&ring->shared->tail, ring->shared->tail + record->size,
			 __ATOMIC_RELEASE);
}

static inline int statistics_read(int fd, struct pmc_statistics *statistics)
{
	memset(statistics, 0, sizeof(*statistics));
	statistics->size = sizeof(*statistics);
	return pmc_call(fd, PMC_IOC_STATISTICS, statistics);
}

/* Set the period of an entry. */
static inline void setup_period(struct setup *setup, unsigned int entry, uint64_t period)
{
	setup->counter[entry].period = period;
}

/*
 * Known loops of the calling thread between its own START and STOP of @fd: see workloads.S.
 * @start and @stop are PMC_IOC_START and PMC_IOC_STOP.
 */
long sampled_loop(long fd, unsigned long rounds, unsigned long start, unsigned long stop);
long sampled_calls(long fd, unsigned long rounds, unsigned long start, unsigned long stop);

#define SAMPLED_LOOP(rounds)	(1 + 2ULL * (rounds) + 5)
#define SAMPLED_CALLS(rounds)	(1 + 6ULL * (rounds) + 5)

/* START and an exec of @argv; counted: the code between their SYSCALLs. Returns if it fails. */
long sampled_exec(long fd, char **argv, unsigned long odd, unsigned long start);

#define SAMPLED_EXEC(odd)	(8ULL + (odd))

extern const char sampled_exec_begin[], sampled_exec_end[];
extern const char sampled_loop_begin[], sampled_loop_end[], sampled_loop_stopped[];
extern const unsigned long sampled_calls_at[7];

/** struct range - a range of addresses; empty if @end is 0 */
struct range {
	uint64_t begin;
	uint64_t end;
};

static inline bool range_has(const struct range *range, uint64_t address)
{
	return address >= range->begin && address < range->end;
}

static inline struct range sampled_loop_range(void)
{
	return (struct range) { (uintptr_t)sampled_loop_begin, (uintptr_t)sampled_loop_end };
}

/* The address range of a static program's code */
static inline int text_range(const char *path, struct range *range)
{
	unsigned char ident[EI_NIDENT];
	Elf64_Phdr segment;
	Elf32_Phdr narrow;
	Elf64_Ehdr header;
	Elf32_Ehdr header32;
	int fd = open(path, O_RDONLY), i;
	bool wide;

	memset(range, 0, sizeof(*range));
	if (fd < 0 || pread(fd, ident, sizeof(ident), 0) != sizeof(ident))
		return -EIO;
	wide = ident[EI_CLASS] == ELFCLASS64;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    pread(fd, &header32, sizeof(header32), 0) != sizeof(header32))
		return -EIO;
	for (i = 0; i < (wide ? header.e_phnum : header32.e_phnum); i++) {
		if (wide) {
			if (pread(fd, &segment, sizeof(segment),
				  header.e_phoff + i * sizeof(segment)) != sizeof(segment))
				return -EIO;
		} else {
			if (pread(fd, &narrow, sizeof(narrow),
				  header32.e_phoff + i * sizeof(narrow)) != sizeof(narrow))
				return -EIO;
			segment.p_type = narrow.p_type;
			segment.p_flags = narrow.p_flags;
			segment.p_vaddr = narrow.p_vaddr;
			segment.p_memsz = narrow.p_memsz;
		}
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X) {
			range->begin = segment.p_vaddr;
			range->end = segment.p_vaddr + segment.p_memsz;
		}
	}
	close(fd);
	return range->end ? 0 : -ENOENT;
}

/** struct rings - all rings of a context, mapped */
struct rings {
	int nr;
	struct ring ring[SAMPLE_CPUS];
};

static inline int rings_map(struct rings *rings, int fd, const struct setup *setup)
{
	int cpu, err;

	memset(rings, 0, sizeof(*rings));
	rings->nr = cpus_present();
	if (rings->nr > SAMPLE_CPUS)
		return -E2BIG;
	for (cpu = 0; cpu < rings->nr; cpu++) {
		if (setup->config.scope == PMC_SCOPE_CPU && setup->config.cpu != cpu)
			continue;
		err = ring_map(&rings->ring[cpu], fd, setup, cpu);
		if (err)
			return err;
	}
	return 0;
}

static inline void rings_unmap(struct rings *rings)
{
	int cpu;

	for (cpu = 0; cpu < rings->nr; cpu++) {
		if (rings->ring[cpu].shared)
			ring_unmap(&rings->ring[cpu]);
	}
}

#define TALLY_MAX	160

/**
 * struct tally - the sums over records, and the first inconsistency
 * @setup:	of the context
 * @by_cpu:	a counter's phase is that of a CPU, not of a thread
 * @gaps:	overflows may be missing between two samples
 * @base:	of each counter: the count before its value was set to 0
 * @text:	the range of each sample's address in user mode
 * @kernel_text: the ranges of each sample's address in kernel mode
 * @task:	for each of @nr threads or CPUs: its ID; for each counter its overflows,
 *		the last sample's value and CPU, and the sum of the overflows' ordinals
 * @nr:		entries of @task
 * @overflows:	of each counter, that samples stand for
 * @kernel_overflows: of these, in kernel mode
 * @samples:	sample records
 * @behind:	of these, some events late: sample_is_behind()
 * @skid:	of the others, with PMC_SAMPLE_SKID
 * @late:	of these, with PMC_SAMPLE_LATE
 * @lost:	overflows in PMC_RECORD_LOST records
 * @losses:	number of these records
 * @throttles:	PMC_RECORD_THROTTLE records
 * @unthrottles: PMC_RECORD_UNTHROTTLE records
 * @throttled:	overflows in these
 * @maps:	PMC_RECORD_MMAP records
 * @wrong:	the first inconsistency, or an empty string
 */
struct tally {
	const struct setup *setup;
	bool by_cpu;
	bool gaps;
	uint64_t base[PMC_COUNTERS_MAX];
	struct range text;
	const struct range *kernel_text;
	struct tally_task {
		int tid;
		int pid;
		uint64_t overflows[PMC_COUNTERS_MAX];
		uint64_t value[PMC_COUNTERS_MAX];
		uint64_t ordinals[PMC_COUNTERS_MAX];
		uint32_t cpu[PMC_COUNTERS_MAX];
	} task[TALLY_MAX];
	unsigned int nr;
	uint64_t overflows[PMC_COUNTERS_MAX];
	uint64_t kernel_overflows[PMC_COUNTERS_MAX];
	uint64_t samples;
	uint64_t behind;
	uint64_t skid;
	uint64_t late;
	uint64_t lost;
	uint64_t losses;
	uint64_t throttles;
	uint64_t unthrottles;
	uint64_t throttled;
	uint64_t maps;
	char wrong[256];
};

static inline void tally_begin(struct tally *tally, const struct setup *setup)
{
	memset(tally, 0, sizeof(*tally));
	tally->setup = setup;
	tally->by_cpu = setup->config.scope <= PMC_SCOPE_ALL_CPUS;
}

static inline struct tally_task *tally_task(struct tally *tally, int tid)
{
	unsigned int i;

	for (i = 0; i < tally->nr; i++) {
		if (tally->task[i].tid == tid)
			return &tally->task[i];
	}
	if (tally->nr == TALLY_MAX)
		return NULL;
	tally->task[tally->nr].tid = tid;
	return &tally->task[tally->nr++];
}

/* Overflows of one thread (or CPU) */
static inline uint64_t tally_of(struct tally *tally, int tid, unsigned int counter)
{
	const struct tally_task *task = tally_task(tally, tid);

	return task ? task->overflows[counter] : 0;
}

static inline uint64_t tally_sum(const struct tally *tally)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < PMC_COUNTERS_MAX; i++)
		sum += tally->overflows[i];
	return sum;
}

#define TALLY_WRONG(tally, ...) do {						\
	if (!(tally)->wrong[0])							\
		snprintf((tally)->wrong, sizeof((tally)->wrong), __VA_ARGS__);	\
} while (0)

#define TALLY_CHECK(condition) do {						\
	if (!(condition))							\
		TALLY_WRONG(tally, "sample %llu: not so: %s; flags %#x counter %u "	\
			    "ip %#llx cs %#x tid %d cpu %u overflows %llu value %llu",	\
			    (unsigned long long)tally->samples, #condition, s->flags,	\
			    s->counter,							\
			    (unsigned long long)s->ip, s->cs, s->tid, s->cpu,	\
			    (unsigned long long)s->overflows,			\
			    (unsigned long long)s->data[s->counter]);		\
} while (0)

/* The upper half of the address space; on 32 bits the upper quarter */
static inline bool is_kernel_address(uint64_t address)
{
	struct utsname name;

	if (uname(&name) || !strcmp(name.machine, "x86_64"))
		return address >> 63;
	return address >> 30 == 3;
}

/*
 * Was user mode left without a trace? SYSENTER, which 32-bit programs use, leaves none, nor
 * does a program that has ended before a late interrupt.
 */
static inline bool address_may_be_unknown(const struct pmc_sample *s)
{
#ifdef __x86_64__
	if (!getenv("PMCDRV_SKID"))
		return false;
#endif
	return !s->ip && s->flags & PMC_SAMPLE_SKID;
}

/* Its address, which matches the counter's modes, or the sample has the SKID flag. */
static inline void tally_where(struct tally *tally, const struct pmc_sample *s)
{
	uint32_t flags = tally->setup->counter[s->counter].flags;

	TALLY_CHECK(s->privilege == (s->cs & 3));
	TALLY_CHECK(s->privilege == 0 || s->privilege == 3);
	TALLY_CHECK(s->task_register);
	if (s->privilege) {
		TALLY_CHECK(flags & PMC_COUNT_USER || s->flags & PMC_SAMPLE_SKID);
		TALLY_CHECK(s->ip < 1ULL << 47);
		if (address_may_be_unknown(s))
			return;
		TALLY_CHECK(s->rflags & 0x200);
		if (tally->text.end)
			TALLY_CHECK(range_has(&tally->text, s->ip) ||
				    /* after the last instruction of all, or on the way to STOP */
				    (s->flags & PMC_SAMPLE_SKID &&
				     (s->ip == tally->text.end ||
				      s->ip == (uintptr_t)sampled_loop_stopped)));
	} else {
		TALLY_CHECK(flags & PMC_COUNT_KERNEL);
		TALLY_CHECK(is_kernel_address(s->ip));
		if (tally->kernel_text)
			TALLY_CHECK(range_has(&tally->kernel_text[0], s->ip) ||
				    range_has(&tally->kernel_text[1], s->ip));
		tally->kernel_overflows[s->counter] += s->overflows;
	}
}

/*
 * Was this overflow due earlier? By one event on NetBurst, where an interrupt takes two
 * events, if a single event was left when the counter was loaded; likewise by up to 31 events where
 * a counter is loaded with at least 32 events left.
 */
static inline bool sample_is_behind(const struct pmc_sample *s, uint64_t value, uint64_t period)
{
	unsigned int most = is_netburst() ? 1 : least_period() - 1;

	return s->flags & PMC_SAMPLE_SKID && value % period && value % period <= most;
}

/*
 * The counter's value: at each overflow one more multiple of the period has been reached. Where
 * interrupts are immediate, as in the emulator, nothing was counted since, because kernel mode
 * is not; on hardware they are late (PMCDRV_SKID, set by check-hw).
 */
static inline void tally_value(struct tally *tally, const struct pmc_sample *s,
			       struct tally_task *task)
{
	const struct pmc_counter_config *counter = &tally->setup->counter[s->counter];
	uint64_t value = s->data[s->counter] + tally->base[s->counter];
	bool behind = sample_is_behind(s, value, counter->period);
	uint64_t ordinal = value / counter->period;

	TALLY_CHECK(ordinal >= s->overflows);
	if (!(counter->flags & PMC_COUNT_KERNEL) && !getenv("PMCDRV_SKID"))
		TALLY_CHECK(value % counter->period == 0 || behind);
	tally->behind += behind;
	/* the rings of two CPUs have no common order */
	if (task->cpu[s->counter] == s->cpu)
		TALLY_CHECK(value > task->value[s->counter]);
	task->value[s->counter] = value;
	task->cpu[s->counter] = s->cpu;
	task->ordinals[s->counter] += s->overflows * ordinal -
				      s->overflows * (s->overflows - 1) / 2;
}

/* Is every overflow of each thread present, from the first to its last, once? */
static inline void tally_ordinals(struct tally *tally)
{
	unsigned int i, c;

	for (i = 0; i < tally->nr; i++) {
		for (c = 0; c < PMC_COUNTERS_MAX; c++) {
			const struct tally_task *task = &tally->task[i];
			uint64_t n = task->overflows[c];

			if (!tally->gaps && task->ordinals[c] != n * (n + 1) / 2)
				TALLY_WRONG(tally, "thread or CPU %d, counter %u: %llu overflows, "
					    "not those from the first on", task->tid, c,
					    (unsigned long long)n);
		}
	}
}

static inline void tally_sample(struct tally *tally, const struct pmc_sample *s)
{
	const struct setup *setup = tally->setup;
	uint64_t behind = tally->behind;
	struct tally_task *task;

	tally->samples++;
	if (s->record.size < sizeof(*s) || s->counter >= setup->config.nr_counters ||
	    s->nr_counters != setup->config.nr_counters) {
		TALLY_WRONG(tally, "sample of %u bytes, counter %u, %u values", s->record.size,
			    s->counter, s->nr_counters);
		return;
	}
	TALLY_CHECK(s->record.size == sizeof(*s) + 8 * (s->nr_counters + s->nr_kernel_frames +
							s->nr_user_frames));
	TALLY_CHECK(setup->counter[s->counter].period);
	TALLY_CHECK(s->overflows);
	TALLY_CHECK(!s->reserved);
	TALLY_CHECK(!(s->flags & ~(PMC_SAMPLE_SKID | PMC_SAMPLE_LATE)));
	tally_where(tally, s);
	task = tally_task(tally, tally->by_cpu ? (int)s->cpu : s->tid);
	if (!task) {
		TALLY_WRONG(tally, "more than %d threads", TALLY_MAX);
		return;
	}
	task->pid = s->pid;
	tally_value(tally, s, task);
	task->overflows[s->counter] += s->overflows;
	tally->overflows[s->counter] += s->overflows;
	tally->skid += s->flags & PMC_SAMPLE_SKID && tally->behind == behind;
	tally->late += !!(s->flags & PMC_SAMPLE_LATE);
}

static inline void tally_throttle(struct tally *tally, const struct pmc_throttle *record)
{
	if (record->counter >= tally->setup->config.nr_counters)
		TALLY_WRONG(tally, "throttled: counter %u", record->counter);
	if (record->record.type == PMC_RECORD_THROTTLE) {
		tally->throttles++;
		if (record->overflows)
			TALLY_WRONG(tally, "overflows before throttling");
	} else {
		tally->unthrottles++;
		tally->throttled += record->overflows;
	}
}

/* @cpu: the CPU of the ring, or -1 */
static inline void tally_record(struct tally *tally, const struct pmc_record *record, int cpu)
{
	if (record->size % 8 || record->size < sizeof(*record))
		TALLY_WRONG(tally, "a record of %u bytes", record->size);
	switch (record->type) {
	case PMC_RECORD_SAMPLE:
		if (cpu >= 0 && ((const struct pmc_sample *)record)->cpu != (unsigned int)cpu)
			TALLY_WRONG(tally, "CPU %u's sample in the ring of CPU %d",
				    ((const struct pmc_sample *)record)->cpu, cpu);
		tally_sample(tally, (const void *)record);
		break;
	case PMC_RECORD_LOST:
		tally->losses++;
		tally->lost += ((const struct pmc_lost *)record)->overflows;
		if (!((const struct pmc_lost *)record)->overflows)
			TALLY_WRONG(tally, "a loss of nothing");
		break;
	case PMC_RECORD_THROTTLE:
	case PMC_RECORD_UNTHROTTLE:
		tally_throttle(tally, (const void *)record);
		break;
	case PMC_RECORD_MMAP:
		tally->maps++;
		break;
	default:
		TALLY_WRONG(tally, "a record of type %u", record->type);
	}
}

/* Consume all records of a ring. Returns their number. */
static inline unsigned int tally_ring(struct tally *tally, struct ring *ring, int cpu)
{
	const struct pmc_record *record;
	unsigned int records = 0;

	while ((record = ring_next(ring))) {
		tally_record(tally, record, cpu);
		ring_done(ring, record);
		records++;
	}
	return records;
}

static inline unsigned int tally_rings(struct tally *tally, struct rings *rings)
{
	unsigned int records = 0;
	int cpu;

	for (cpu = 0; cpu < rings->nr; cpu++) {
		if (rings->ring[cpu].shared)
			records += tally_ring(tally, &rings->ring[cpu], cpu);
	}
	return records;
}

/* Tally the result of read(). */
static inline void tally_buffer(struct tally *tally, const void *buffer, size_t size)
{
	const struct pmc_record *record = buffer;
	size_t at;

	for (at = 0; at < size; at += record->size) {
		record = buffer + at;
		if (size - at < sizeof(*record) || record->size > size - at ||
		    record->size < sizeof(*record) || record->type == PMC_RECORD_PAD) {
			TALLY_WRONG(tally, "%zu bytes left, record of type %u and %u bytes",
				    size - at, record->type, record->size);
			return;
		}
		tally_record(tally, record, -1);
	}
}

/*
 * Nothing was lost or throttled, no interrupt was spurious, and there is a sample for every
 * overflow that READ reports. The context is stopped.
 */
#define EXPECT_ALL_SEEN(fd, tally, spurious_before) do {			\
	struct pmc_statistics statistics;					\
	struct reading overflowed;						\
										\
	tally_ordinals(tally);							\
	EXPECT_STREQ("", (tally)->wrong);					\
	ASSERT_EQ(0, statistics_read(fd, &statistics));				\
	ASSERT_EQ(0, reading_read(fd, &overflowed));				\
	EXPECT_EQ(0, statistics.lost);						\
	EXPECT_EQ(0, statistics.throttled);					\
	EXPECT_EQ(spurious_before, statistics.spurious);			\
	EXPECT_EQ((tally)->samples, statistics.records);			\
	EXPECT_EQ(tally_sum(tally), statistics.sampled);			\
	EXPECT_EQ(tally_sum(tally), overflowed.overflows);			\
} while (0)

/* Spurious interrupts so far, on all CPUs; @fd has a context with a period. */
static inline uint64_t spurious_now(int fd)
{
	struct pmc_statistics statistics;

	return statistics_read(fd, &statistics) ? UINT64_MAX : statistics.spurious;
}

/* NMIs that each CPU has taken: two that are pending at one instruction are one. */
static inline void nmis_taken(unsigned int taken[2])
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, " NMI: %u %u", &taken[0], &taken[1]) == 2)
			break;
	}
	if (file)
		fclose(file);
}

#define NEED_SAMPLING(query) do {						\
	NEED_COUNTERS(query);							\
	if (!((query)->features & PMC_FEATURE(INTERRUPT)))			\
		SKIP(return, "no overflow interrupt here");			\
} while (0)

/* Configure self->setup, map its rings and clear self->tally */
#define CONFIGURE_SAMPLING() do {						\
	ASSERT_EQ(0, setup_configure(self->fd, &self->setup));			\
	ASSERT_EQ(0, rings_map(&self->rings, self->fd, &self->setup));		\
	tally_begin(&self->tally, &self->setup);				\
} while (0)

/* The same, and remember the spurious interrupts so far */
#define BEGIN_SAMPLING() do {							\
	CONFIGURE_SAMPLING();							\
	self->spurious = spurious_now(self->fd);				\
} while (0)

#define RELEASE_SAMPLING() do {							\
	rings_unmap(&self->rings);						\
	ASSERT_EQ(0, pmc_call(self->fd, PMC_IOC_RELEASE, NULL));		\
} while (0)

#define NEED_SAMPLING_AND_ROOT(query) do {					\
	NEED_SAMPLING(query);							\
	NEED_ROOT();								\
} while (0)

#define SAMPLING_SETUP() do {							\
	NEED_SAMPLING(&self->query);						\
	OPEN_DEVICE(self->fd);							\
} while (0)

#endif /* SELFTESTS_SAMPLES_H */
