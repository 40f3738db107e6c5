// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on pages and rings in memory: mapping, moving, cutting and overwriting; and the checks
 * of ring records
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

static struct mapping *mapping_any(struct worker *worker)
{
	return &worker->mappings[dice_below(&worker->dice, MAPPINGS)];
}

static void mapping_end(struct worker *worker, struct mapping *mapping)
{
	if (!mapping->at)
		return;
	munmap(mapping->at, mapping->length);
	mapping->at = NULL;
	slot_unmapped(worker, mapping->slot);
}

/* The errors of mmap() that uapi/pmcdrv.h documents, and the kernel's earlier ones. */
static bool map_may_fail(int error)
{
	switch (error) {
	case EINVAL:
	case EACCES:
	case ENOMEM:
	case EOVERFLOW:
		return true;
	default:
		return false;
	}
}

void do_map(struct worker *worker)
{
	struct mapping *mapping = mapping_any(worker);
	struct dice *dice = &worker->dice;
	struct slot *slot = slot_any(worker);
	uint32_t size = slot_has_rings(slot) ? slot->ring_size : PAGE << dice_below(dice, 8);
	uint32_t cpu = dice_below(dice, cpus_present() + 1);
	off_t offset = PMC_RING_OFFSET(cpu, size, PAGE);
	int protection = PROT_READ | PROT_WRITE, flags = MAP_SHARED;
	size_t length = PAGE + size;
	void *at;

	if (dice_one_in(dice, 3)) {
		offset = 0;
		length = PAGE;
		protection = PROT_READ;
	}
	switch (dice_below(dice, 16)) {
	case 0:
		protection = dice_below(dice, 8);
		break;
	case 1:
		flags = MAP_PRIVATE;
		break;
	case 2:
		length = PAGE * (1 + dice_below(dice, 64));
		break;
	case 3:
		offset = (off_t)(dice_edge(dice) & ~(PAGE - 1ULL));
		break;
	case 4:
		flags |= MAP_POPULATE;
		break;
	}
	at = mmap(NULL, length, protection, flags, slot->fd, offset);
	if (at == MAP_FAILED) {
		if (!map_may_fail(errno))
			wrong(worker, "mmap: %s", strerror(errno));
		return;
	}
	if (!(flags & MAP_SHARED) || !slot->configured)
		wrong(worker, "mmap succeeded, though it must fail");
	mapping_end(worker, mapping);
	mapping->slot = slot;
	mapping->at = at;
	mapping->length = length;
}

void do_unmap(struct worker *worker)
{
	struct mapping *mapping = mapping_any(worker);
	size_t begin, length;
	unsigned int i;

	/* all of them: then the pages of rings that may still be charged are known */
	if (dice_one_in(&worker->dice, 3)) {
		for (i = 0; i < MAPPINGS; i++)
			mapping_end(worker, &worker->mappings[i]);
		return;
	}
	if (!mapping->at)
		return;
	if (dice_one_in(&worker->dice, 2)) {
		mapping_end(worker, mapping);
		return;
	}
	/* a hole in it, which no other mapping may fill */
	begin = PAGE * dice_below(&worker->dice, mapping->length / PAGE);
	length = PAGE * (1 + dice_below(&worker->dice, 4));
	if (begin + length <= mapping->length)
		mmap(mapping->at + begin, length, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void do_remap(struct worker *worker)
{
	struct mapping *mapping = mapping_any(worker);
	struct dice *dice = &worker->dice;
	size_t length = PAGE * (1 + dice_below(dice, 64));
	void *at;

	if (!mapping->at)
		return;
	switch (dice_below(dice, 4)) {
	case 0:
		at = mremap(mapping->at, mapping->length, length, MREMAP_MAYMOVE);
		if (at != MAP_FAILED) {
			mapping->at = at;
			mapping->length = length;
		}
		break;
	case 1:
		madvise(mapping->at, mapping->length, dice_below(dice, 22));
		break;
	case 2:
		mlock(mapping->at, mapping->length);
		break;
	default:
		mprotect(mapping->at, mapping->length, dice_below(dice, 8));
		break;
	}
}

/* Read it, or write to it. */
void do_touch(struct worker *worker)
{
	struct mapping *mapping = mapping_any(worker);
	volatile uint32_t *at;
	size_t offset;
	bool write = dice_one_in(&worker->dice, 3);
	uint32_t value = dice_edge(&worker->dice);

	if (!mapping->at)
		return;
	offset = dice_one_in(&worker->dice, 2) ? offsetof(struct pmc_ring, tail) :
		 4 * dice_below(&worker->dice, mapping->length / 4);
	at = (void *)(mapping->at + offset);
	if (sigsetjmp(fuzz_faulted, 1))
		return;
	mapping->slot->scribbled |= write;
	fuzz_may_fault = 1;
	if (write)
		*at = value;
	else
		(void)*at;
	fuzz_may_fault = 0;
}

static bool is_kernel_address(const struct worker *worker, uint64_t address)
{
	/* the vsyscall page belongs to user mode */
	return address >= worker->kernel_begin && address >> 12 != 0xffffffffff600ULL;
}

/* An ordinary user's samples must not contain kernel addresses. */
static void check_sample(struct worker *worker, const struct pmc_sample *sample)
{
	uint32_t i, frames = sample->nr_kernel_frames + sample->nr_user_frames;
	const __u64 *frame = sample->data + sample->nr_counters;

	if (sample->record.size != sizeof(*sample) + (sample->nr_counters + frames) * 8)
		wrong(worker, "a sample of %u bytes has %u values, %u frames",
		      sample->record.size, sample->nr_counters, frames);
	__atomic_add_fetch(&worker->shared->samples, 1, __ATOMIC_RELAXED);
	if (!worker->user)
		return;
	if (is_kernel_address(worker, sample->ip) || sample->nr_kernel_frames)
		wrong(worker, "a sample contains the kernel address %#llx",
		      (unsigned long long)sample->ip);
	for (i = 0; i < frames; i++) {
		if (is_kernel_address(worker, frame[i]))
			wrong(worker, "a call chain contains the kernel address %#llx",
			      (unsigned long long)frame[i]);
	}
}

/**
 * check_records - check the records that read() returned
 * @worker:	the reader
 * @bytes:	the records, aligned
 * @length:	in bytes
 *
 * Return: number of overflows that the samples represent.
 */
uint64_t check_records(struct worker *worker, const unsigned char *bytes, ssize_t length)
{
	const struct pmc_record *record;
	uint64_t overflows = 0;
	ssize_t at;

	for (at = 0; at < length; at += record->size) {
		record = (const void *)(bytes + at);
		if (record->size < sizeof(*record) || record->size % 8 ||
		    record->size > length - at)
			wrong(worker, "read(): a record of %u bytes", record->size);
		if (record->type != PMC_RECORD_SAMPLE)
			continue;
		check_sample(worker, (const void *)record);
		overflows += ((const struct pmc_sample *)record)->overflows;
	}
	return overflows;
}

void do_records(struct worker *worker)
{
	static unsigned char buffer[PAGE] __attribute__((aligned(8)));
	struct slot *slot = slot_any(worker);
	size_t size = dice_one_in(&worker->dice, 4) ? dice_below(&worker->dice, sizeof(buffer)) :
		      sizeof(buffer);
	void *to = dice_one_in(&worker->dice, 12) ? (void *)8 : buffer;
	ssize_t length = read(slot->fd, to, size);

	if (length < 0) {
		switch (errno) {
		case EAGAIN:
		case EINVAL:
		case EFAULT:
		case EIO:
			break;
		case EBADFD:
			if (slot_has_rings(slot))
				wrong(worker, "read(): EBADFD of a context with a period");
			break;
		default:
			wrong(worker, "read(): %s", strerror(errno));
		}
		return;
	}
	if (length > (ssize_t)size || (length && to != buffer) ||
	    !slot_has_rings(slot))
		wrong(worker, "read() gave %zd bytes", length);
	/* a ring that was overwritten returns what was written */
	if (!slot->scribbled)
		check_records(worker, buffer, length);
}

void do_poll(struct worker *worker)
{
	struct slot *slot = slot_any(worker);
	struct pollfd pollfd = { .fd = slot->fd, .events = POLLIN };

	if (poll(&pollfd, 1, 0) < 0)
		wrong(worker, "poll: %s", strerror(errno));
	if (slot_has_rings(slot) && pollfd.revents & POLLERR)
		wrong(worker, "poll: POLLERR of a context with a period");
	if (!slot_has_rings(slot) && pollfd.revents != POLLERR)
		wrong(worker, "poll: %#x of a context without a period", pollfd.revents);
}
