// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sampling: read the records of a context
 *
 * The driver writes the records of each CPU and then the ring's head. The reader loads the head,
 * reads records and then stores the tail. A returned record lies in the ring: the tail stays
 * before it until the next call. Positions are modulo 2^32.
 *
 * Records are read in rounds. A round reads each ring up to the head that the ring has when its
 * turn comes, so one busy CPU does not delay the others, and ends with NULL.
 *
 * PMC_SAMPLES_ORDERED: a round returns the records from before its start. Reading the counters
 * interrupts each CPU that counts for the context; afterwards all earlier records are in the
 * rings. A suspend to RAM may set the time-stamp counter back: a separate round then returns
 * the records with a time after the present one, which are from before the suspend.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "context.h"
#include "error.h"
#include "libpmcdrv-sample.h"

/* For read(2), in bytes: some tens of the longest records */
#define BUFFER_SIZE	(128 * 1024)

/*
 * @end: end of this round
 * @next: position of the next record
 * @front: that record, after peek_record()
 * @time: of the last record that has one
 */
struct ring {
	struct pmc_ring *shared;
	const char *data;
	uint32_t size;
	int cpu;
	uint32_t end;
	uint32_t next;
	const struct pmc_record *front;
	uint64_t time;
};

/*
 * @in_round: the round has more records
 * @tail_pending: PMC_SAMPLES_ORDERED: the round returns records after @limit, else before
 * @current: ring that is read
 * @cpu: of the last record
 * @file_flags: PMC_SAMPLES_READ: original flags of the context's file
 * @filled, @used: bytes in @buffer, bytes returned
 */
struct pmc_samples {
	struct pmc_context *context;
	uint32_t flags;
	bool in_round;
	bool tail_pending;
	size_t current;
	int cpu;
	uint64_t limit;
	int file_flags;
	char *buffer;
	size_t filled;
	size_t used;
	size_t num_rings;
	struct ring ring[];
};

/* ---- open ---- */

static size_t ring_bytes(const struct pmc_context *context)
{
	return context->ring_size ? context->ring_size : PMC_RING_SIZE_DEFAULT;
}

/* One more than the number of the last CPU that there can be */
static size_t possible_cpus(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	long last = sysconf(_SC_NPROCESSORS_CONF) - 1;
	long number;
	char separator;

	if (!file)
		return last + 1;
	while (fscanf(file, "%ld%c", &number, &separator) == 2)
		last = number;
	fclose(file);
	return last + 1;
}

/* Return: 0, also if the CPU has no ring; or -1 with errno. */
static int map_ring(struct pmc_samples *samples, int cpu)
{
	size_t page = sysconf(_SC_PAGESIZE), size = ring_bytes(samples->context);
	struct ring *ring = &samples->ring[samples->num_rings];
	struct pmc_ring *shared;

	shared = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, samples->context->fd,
		      PMC_RING_OFFSET(cpu, size, page));
	if (shared == MAP_FAILED)
		return errno == EINVAL ? 0 : -1;
	*ring = (struct ring){
		.shared = shared,
		.data = (const char *)shared + page,
		.size = size,
		.cpu = cpu,
		.next = __atomic_load_n(&shared->tail, __ATOMIC_RELAXED),
	};
	ring->end = ring->next;
	samples->num_rings++;
	return 0;
}

static void unmap_rings(struct pmc_samples *samples)
{
	size_t page = sysconf(_SC_PAGESIZE);

	while (samples->num_rings) {
		samples->num_rings--;
		munmap(samples->ring[samples->num_rings].shared,
		       page + samples->ring[samples->num_rings].size);
	}
}

static int map_rings(struct pmc_samples *samples, size_t num_cpus)
{
	const struct pmc_context *context = samples->context;
	size_t cpu;

	if (context->scope == PMC_SCOPE_CPU)
		return map_ring(samples, context->cpu);
	for (cpu = 0; cpu < num_cpus; cpu++)
		if (map_ring(samples, cpu))
			return -1;
	return 0;
}

static int prepare_read(struct pmc_samples *samples)
{
	samples->file_flags = fcntl(samples->context->fd, F_GETFL);
	if (samples->file_flags < 0 ||
	    fcntl(samples->context->fd, F_SETFL, samples->file_flags | O_NONBLOCK))
		return pmc_fail_errno("reading samples");
	samples->flags |= PMC_SAMPLES_READ;
	samples->buffer = malloc(BUFFER_SIZE);
	return samples->buffer ? 0 : pmc_fail_errno("reading samples");
}

static int prepare(struct pmc_samples *samples, size_t num_cpus)
{
	if (samples->flags & PMC_SAMPLES_READ)
		return prepare_read(samples);
	if (!map_rings(samples, num_cpus)) {
		if (samples->num_rings)
			return 0;
		return pmc_fail(EINVAL, "the driver has no sample rings for this context");
	}
	unmap_rings(samples);
	if (errno == ENOMEM && !(samples->flags & PMC_SAMPLES_ORDERED))
		return prepare_read(samples);
	return pmc_fail_errno("mapping the sample rings");
}

static int check_open(const struct pmc_context *context, uint32_t flags)
{
	const uint32_t known = PMC_SAMPLES_ORDERED | PMC_SAMPLES_READ;

	if (flags & ~known)
		return pmc_fail(EINVAL, "unknown flags 0x%x for reading samples", flags & ~known);
	if (flags == known)
		return pmc_fail(EINVAL,
				"read(2) mixes the CPUs' records: PMC_SAMPLES_ORDERED needs the mapped rings");
	if (!context->configured)
		return pmc_fail(EBADFD, "the context is not configured");
	if (!pmc_context_is_sampling(context))
		return pmc_fail(EINVAL, "no event of the context has a period");
	return 0;
}

PMC_API struct pmc_samples *pmc_samples_open(struct pmc_context *context, uint32_t flags)
{
	size_t num_cpus = possible_cpus();
	struct pmc_samples *samples;
	int error;

	if (check_open(context, flags))
		return NULL;
	samples = calloc(1, sizeof(*samples) + num_cpus * sizeof(samples->ring[0]));
	if (!samples) {
		pmc_fail_errno("reading samples");
		return NULL;
	}
	samples->context = context;
	samples->flags = flags;
	samples->file_flags = -1;
	samples->cpu = -1;
	if (!prepare(samples, num_cpus))
		return samples;
	error = errno;
	pmc_samples_close(samples);
	errno = error;
	return NULL;
}

/* ---- rings ---- */

/* The records up to ring->next are read: the driver may overwrite them. */
static void release_records(struct ring *ring)
{
	__atomic_store_n(&ring->shared->tail, ring->next, __ATOMIC_RELEASE);
}

static void release_all_records(struct pmc_samples *samples)
{
	size_t i;

	for (i = 0; i < samples->num_rings; i++)
		release_records(&samples->ring[i]);
}

PMC_API void pmc_samples_close(struct pmc_samples *samples)
{
	if (!samples)
		return;
	release_all_records(samples);
	unmap_rings(samples);
	if (samples->file_flags >= 0)
		fcntl(samples->context->fd, F_SETFL, samples->file_flags);
	free(samples->buffer);
	free(samples);
}

static int fail_damaged(struct ring *ring, const char *what)
{
	ring->next = ring->end;
	ring->front = NULL;
	release_records(ring);
	return pmc_fail(EIO, "the sample ring of CPU %d was overwritten, its records are lost: %s",
			ring->cpu, what);
}

static int load_head(struct ring *ring)
{
	ring->end = __atomic_load_n(&ring->shared->head, __ATOMIC_ACQUIRE);
	if (ring->end - ring->next > ring->size)
		return fail_damaged(ring, "its head is out of range");
	return 0;
}

static uint64_t time_of(const struct pmc_record *record, uint64_t otherwise)
{
	switch (record->type) {
	case PMC_RECORD_SAMPLE:
		return ((const struct pmc_sample *)record)->tsc;
	case PMC_RECORD_THROTTLE:
	case PMC_RECORD_UNTHROTTLE:
		return ((const struct pmc_throttle *)record)->tsc;
	case PMC_RECORD_MMAP:
		return ((const struct pmc_mmap *)record)->tsc;
	}
	return otherwise;
}

static bool is_known_type(const struct pmc_record *record)
{
	return record->type != PMC_RECORD_PAD && pmc_record_name(record->type);
}

/* The next record; sets ring->time. Return: NULL with EAGAIN at the end of the round, or EIO. */
static const struct pmc_record *peek_record(struct ring *ring)
{
	const struct pmc_record *record;
	uint32_t at, left;

	errno = EAGAIN;
	while (!ring->front && ring->next != ring->end) {
		at = ring->next & (ring->size - 1);
		left = ring->end - ring->next;
		record = (const struct pmc_record *)(ring->data + at);
		if (pmc_record_check(record, left < ring->size - at ? left : ring->size - at)) {
			char what[256];

			snprintf(what, sizeof(what), "%s", pmc_error());
			fail_damaged(ring, what);
			return NULL;
		}
		if (is_known_type(record)) {
			ring->time = time_of(record, ring->time);
			ring->front = record;
		} else {
			ring->next += record->size;
		}
	}
	return ring->front;
}

/* Return the record of peek_record(). */
static const struct pmc_record *consume_record(struct pmc_samples *samples, struct ring *ring)
{
	const struct pmc_record *record = ring->front;
	uint32_t tail = __atomic_load_n(&ring->shared->tail, __ATOMIC_RELAXED);

	/* The records before are no longer used: release them after each quarter of the ring. */
	if (ring->next - tail > ring->size / 4)
		release_records(ring);
	ring->next += record->size;
	ring->front = NULL;
	samples->cpu = ring->cpu;
	return record;
}

/* One ring after the other, each up to the head that it has when its turn comes */
static const struct pmc_record *next_in_rings(struct pmc_samples *samples)
{
	struct ring *ring;

	if (!samples->in_round) {
		samples->current = 0;
		samples->in_round = true;
		if (load_head(&samples->ring[0]))
			return NULL;
	}
	for (;;) {
		ring = &samples->ring[samples->current];
		if (peek_record(ring))
			return consume_record(samples, ring);
		if (errno != EAGAIN)
			return NULL;
		release_records(ring);
		samples->current++;
		if (samples->current == samples->num_rings)
			break;
		if (load_head(&samples->ring[samples->current]))
			return NULL;
	}
	samples->in_round = false;
	errno = EAGAIN;
	return NULL;
}

/* ---- the order of time ---- */

static int load_heads(struct pmc_samples *samples)
{
	size_t i;

	for (i = 0; i < samples->num_rings; i++)
		if (load_head(&samples->ring[i]))
			return -1;
	return 0;
}

static int read_clock(const struct pmc_samples *samples, uint64_t *time)
{
	struct pmc_tsc tsc = { .size = sizeof(tsc) };

	if (ioctl(samples->context->fd, PMC_IOC_TSC, &tsc) < 0)
		return pmc_fail_errno("reading the time-stamp counter");
	*time = tsc.tsc;
	return 0;
}

static int start_round(struct pmc_samples *samples)
{
	struct pmc_snapshot snapshot;
	uint64_t now = 0;

	if (read_clock(samples, &now))
		return -1;
	samples->tail_pending = now < samples->limit;
	if (!samples->tail_pending && pmc_context_read(samples->context, &snapshot))
		return -1;
	samples->limit = now;
	samples->in_round = true;
	if (load_heads(samples))
		return -1;
	/* A record in the rings with a time after this one is from before a suspend. */
	return samples->tail_pending ? read_clock(samples, &samples->limit) : 0;
}

/* Whether a ring's next record belongs to this round */
static bool in_round_of(const struct pmc_samples *samples, const struct ring *ring)
{
	return samples->tail_pending ? ring->time > samples->limit : ring->time < samples->limit;
}

static const struct pmc_record *next_in_time(struct pmc_samples *samples)
{
	struct ring *ring, *first = NULL;

	if (!samples->in_round && start_round(samples))
		return NULL;
	for (ring = samples->ring; ring < samples->ring + samples->num_rings; ring++) {
		if (!peek_record(ring) && errno != EAGAIN)
			return NULL;
		if (ring->front && in_round_of(samples, ring) &&
		    (!first || ring->time < first->time))
			first = ring;
	}
	if (first)
		return consume_record(samples, first);
	release_all_records(samples);
	samples->in_round = false;
	errno = EAGAIN;
	return NULL;
}

/* ---- read(2) ---- */

static int fill_buffer(struct pmc_samples *samples)
{
	ssize_t got;

	samples->used = 0;
	samples->filled = 0;
	do {
		got = read(samples->context->fd, samples->buffer, BUFFER_SIZE);
	} while (got < 0 && errno == EINTR);
	if (got > 0)
		samples->filled = got;
	else if (!got)
		errno = EAGAIN;
	else if (errno != EAGAIN)
		pmc_fail_errno("reading samples");
	return got > 0 ? 0 : -1;
}

static int cpu_of(const struct pmc_record *record)
{
	switch (record->type) {
	case PMC_RECORD_SAMPLE:
		return ((const struct pmc_sample *)record)->cpu;
	case PMC_RECORD_THROTTLE:
	case PMC_RECORD_UNTHROTTLE:
		return ((const struct pmc_throttle *)record)->cpu;
	}
	return -1;
}

static const struct pmc_record *next_read(struct pmc_samples *samples)
{
	const struct pmc_record *record;

	for (;;) {
		if (samples->used == samples->filled && fill_buffer(samples))
			return NULL;
		record = (const struct pmc_record *)(samples->buffer + samples->used);
		if (pmc_record_check(record, samples->filled - samples->used)) {
			samples->filled = 0;
			samples->used = 0;
			return NULL;
		}
		samples->used += record->size;
		if (is_known_type(record))
			break;
	}
	samples->cpu = cpu_of(record);
	return record;
}

PMC_API const struct pmc_record *pmc_samples_next(struct pmc_samples *samples)
{
	if (samples->flags & PMC_SAMPLES_READ)
		return next_read(samples);
	if (samples->flags & PMC_SAMPLES_ORDERED)
		return next_in_time(samples);
	return next_in_rings(samples);
}

/* ---- wait ---- */

PMC_API int pmc_samples_wait(struct pmc_samples *samples, int timeout_ms)
{
	struct pollfd file = { .fd = samples->context->fd, .events = POLLIN };
	int ready;

	if (samples->used < samples->filled || samples->in_round)
		return 1;
	ready = poll(&file, 1, timeout_ms);
	if (ready < 0)
		return errno == EINTR ? pmc_fail(EINTR, "a signal arrived") :
					pmc_fail_errno("waiting for samples");
	if (file.revents & POLLERR)
		return pmc_fail(EBADFD, "the context is not configured, or has no period");
	return file.revents & POLLHUP && !(file.revents & POLLIN) ? 0 : 1;
}

PMC_API int pmc_samples_fd(const struct pmc_samples *samples)
{
	return samples->context->fd;
}

PMC_API int pmc_samples_cpu(const struct pmc_samples *samples)
{
	return samples->cpu;
}
