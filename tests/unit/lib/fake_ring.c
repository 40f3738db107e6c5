// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sample rings, written as uapi/pmcdrv.h describes: a record never crosses the end; a record
 * without room is lost, and a LOST record precedes the next one.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"

/* Space reserved for a PAD and a LOST record */
#define RESERVE		(sizeof(struct pmc_record) + sizeof(struct pmc_lost))

/* The producer's side of a CPU's ring */
static struct producer {
	char *data;
	uint32_t written;
	uint64_t missing;
} producers[FAKE_CPUS];

static uint32_t ring_size;
static uint32_t ring_watermark;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static void make_ring(int cpu)
{
	struct producer *producer = &producers[cpu];
	struct pmc_ring *ring;

	ring = __real_mmap(NULL, page_size() + ring_size, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ring == MAP_FAILED)
		abort();
	ring->size = sizeof(*ring);
	ring->cpu = cpu;
	ring->data_offset = page_size();
	ring->data_size = ring_size;
	producer->data = (char *)ring + page_size();
	producer->written = fake.ring_start;
	producer->missing = 0;
	ring->head = fake.ring_start;
	ring->tail = fake.ring_start;
	fake.ring[cpu] = ring;
}

void fake_rings_make(uint32_t size, uint32_t watermark, int cpu)
{
	pthread_condattr_t clock;
	int i;

	fake_rings_drop();
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &clock);
	ring_size = size;
	ring_watermark = watermark;
	for (i = 0; i < FAKE_CPUS; i++)
		if (cpu < 0 || cpu == i)
			make_ring(i);
}

void fake_rings_drop(void)
{
	int i;

	for (i = 0; i < FAKE_CPUS; i++) {
		if (!fake.ring[i])
			continue;
		__real_munmap(fake.ring[i], page_size() + ring_size);
		fake.ring[i] = NULL;
	}
}

void *fake_ring_map(size_t size, int protection, int flags, off_t offset)
{
	size_t stride = page_size() + ring_size;
	size_t cpu = (offset - page_size()) / stride;

	errno = fake.ring_error;
	if (errno && cpu >= fake.ring_error_from)
		return MAP_FAILED;
	errno = EINVAL;
	if (!(flags & MAP_SHARED) || size != stride || cpu >= FAKE_CPUS || !fake.ring[cpu] ||
	    (size_t)offset != PMC_RING_OFFSET(cpu, ring_size, page_size()))
		return MAP_FAILED;
	errno = EACCES;
	if (protection != (PROT_READ | PROT_WRITE))
		return MAP_FAILED;
	fake.mapped_rings++;
	return fake.ring[cpu];
}

bool fake_ring_unmap(const void *address)
{
	int i;

	for (i = 0; i < FAKE_CPUS; i++)
		if (fake.ring[i] && address == fake.ring[i])
			break;
	if (i == FAKE_CPUS)
		return false;
	fake.mapped_rings--;
	return true;
}

/* ---- the producer ---- */

static uint32_t tail_of(int cpu)
{
	return __atomic_load_n(&fake.ring[cpu]->tail, __ATOMIC_ACQUIRE);
}

static uint32_t end_of(uint32_t position, uint32_t size)
{
	uint32_t left = ring_size - position % ring_size;

	return position + (left < size ? left : 0) + size;
}

static void append(struct producer *producer, const void *from, size_t size)
{
	size_t at = producer->written % ring_size;
	struct pmc_record pad = { .type = PMC_RECORD_PAD, .size = ring_size - at };

	if (pad.size < size) {
		memcpy(producer->data + at, &pad, sizeof(pad));
		producer->written += pad.size;
		at = 0;
	}
	memcpy(producer->data + at, from, size);
	producer->written += size;
}

static void publish(int cpu)
{
	__atomic_store_n(&fake.ring[cpu]->head, producers[cpu].written, __ATOMIC_RELEASE);
	fake_rings_wake();
}

static void append_loss(struct producer *producer)
{
	struct pmc_lost lost = {
		.record = { .type = PMC_RECORD_LOST, .size = sizeof(lost) },
		.overflows = producer->missing,
	};

	append(producer, &lost, sizeof(lost));
	producer->missing = 0;
}

static uint64_t overflows_of(const struct pmc_record *record)
{
	return record->type == PMC_RECORD_SAMPLE ?
	       ((const struct pmc_sample *)record)->overflows : 0;
}

bool fake_ring_write(int cpu, const void *from)
{
	struct producer *producer = &producers[cpu];
	const struct pmc_record *record = from;
	uint32_t end = producer->written;
	uint32_t size = record->type == PMC_RECORD_PAD ? sizeof(*record) : record->size;

	if (producer->missing)
		end = end_of(end, sizeof(struct pmc_lost));
	end = end_of(end, size) + RESERVE;
	if (end - tail_of(cpu) > ring_size) {
		producer->missing += overflows_of(record);
		fake.ring[cpu]->lost += overflows_of(record);
		return false;
	}
	if (producer->missing)
		append_loss(producer);
	append(producer, record, size);
	publish(cpu);
	return true;
}

void fake_ring_tell_loss(int cpu)
{
	if (!producers[cpu].missing)
		return;
	append_loss(&producers[cpu]);
	publish(cpu);
}

void fake_ring_forget_loss(int cpu)
{
	fake.ring[cpu]->lost -= producers[cpu].missing;
	producers[cpu].missing = 0;
}

void fake_rings_wake(void)
{
	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* ---- waiting readers ---- */

static uint32_t unread(int cpu)
{
	return __atomic_load_n(&fake.ring[cpu]->head, __ATOMIC_ACQUIRE) - tail_of(cpu);
}

static short look(bool idle)
{
	bool ended = __atomic_load_n(&fake.ended, __ATOMIC_ACQUIRE);
	short events = ended ? POLLHUP : 0;
	int i;

	for (i = 0; i < FAKE_CPUS; i++)
		if (fake.ring[i] && unread(i) >= (idle || ended ? 1 : ring_watermark))
			events |= POLLIN;
	return events;
}

short fake_rings_poll(bool idle, int timeout_ms)
{
	struct timespec until;
	int error = 0;
	short events;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += timeout_ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&lock);
	while (!(events = look(idle)) && !error) {
		if (timeout_ms < 0)
			pthread_cond_wait(&changed, &lock);
		else
			error = pthread_cond_timedwait(&changed, &lock, &until);
	}
	pthread_mutex_unlock(&lock);
	return events;
}

static size_t read_ring(int cpu, char *buffer, size_t size)
{
	uint32_t tail = tail_of(cpu), end = tail + unread(cpu);
	const struct pmc_record *record;
	size_t done = 0;

	for (; tail != end; tail += record->size) {
		record = (const void *)(producers[cpu].data + tail % ring_size);
		if (record->type == PMC_RECORD_PAD)
			continue;
		if (record->size > size - done)
			break;
		memcpy(buffer + done, record, record->size);
		done += record->size;
	}
	__atomic_store_n(&fake.ring[cpu]->tail, tail, __ATOMIC_RELEASE);
	return done;
}

ssize_t fake_rings_read(char *buffer, size_t size, bool idle)
{
	bool ended = __atomic_load_n(&fake.ended, __ATOMIC_ACQUIRE);
	size_t done = 0;
	int i;

	for (i = 0; i < FAKE_CPUS; i++)
		if (fake.ring[i])
			done += read_ring(i, buffer + done, size - done);
	if (done || idle || ended)
		return done;
	errno = EAGAIN;
	return -1;
}
