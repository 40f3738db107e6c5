/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpmcdrv: sampling
 *
 * An event with a period (pmc_event_set_period(), or the modifier :p=N) leaves a
 * record whenever that many more of it have been counted: where the processor was,
 * in which thread, on request by which calls it came there. A followed thread has
 * its own way to the next record, and where CPUs are counted each CPU has. The
 * driver writes the records into a ring for each CPU; here they are read:
 *
 *   samples = pmc_samples_open(context, 0);
 *   while (pmc_samples_wait(samples, -1) > 0)
 *           while ((record = pmc_samples_next(samples)))
 *                   if (record->type == PMC_RECORD_SAMPLE)
 *                           use((const struct pmc_sample *)record);
 *   pmc_samples_close(samples);
 *
 * The records are those of <linux/pmcdrv.h>; pmcdrv(4) describes them.
 */
#ifndef LIBPMCDRV_SAMPLE_H
#define LIBPMCDRV_SAMPLE_H

#include <libpmcdrv.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmc_samples;

/* ---- what to sample ---- */

/**
 * pmc_context_set_sampling() - what else a sample has
 * @flags:	PMC_SAMPLE_KERNEL_CALLCHAIN (needs CAP_PERFMON), PMC_SAMPLE_USER_CALLCHAIN,
 *		PMC_SAMPLE_MMAPS
 * @frames:	longest call chain, 1 to PMC_FRAMES_MAX; 0 for PMC_FRAMES_DEFAULT
 *
 * Errors: EINVAL, EBADFD (configured: release it first).
 */
int pmc_context_set_sampling(struct pmc_context *context, uint32_t flags, uint32_t frames);

/**
 * pmc_context_set_ring() - how much room the records have
 * @size:	bytes of each CPU's ring: a power of two, from one page to
 *		PMC_RING_SIZE_MAX; 0 for PMC_RING_SIZE_DEFAULT
 * @watermark:	bytes of records in a ring that wake who waits, at most @size; 0
 *		for half of it
 *
 * Errors: EINVAL, EBADFD (configured: release it first).
 */
int pmc_context_set_ring(struct pmc_context *context, uint32_t size, uint32_t watermark);

/**
 * pmc_context_statistics() - what became of the overflows so far
 * @statistics:	where to store it
 *
 * Errors: EBADFD (not configured, or without a period).
 */
int pmc_context_statistics(struct pmc_context *context, struct pmc_statistics *statistics);

/* ---- reading the records ---- */

/**
 * PMC_SAMPLES_ORDERED - the records of all CPUs in the order of their time
 *
 * By the time-stamp counters, which PMC_FEATURE(TSC_SYNC) says agree. Records
 * without a time come after the one before them in their ring.
 */
#define PMC_SAMPLES_ORDERED	(1U << 0)

/**
 * PMC_SAMPLES_READ - do not map the rings, use read(2)
 *
 * Without this flag and PMC_SAMPLES_ORDERED that is done, too, if there is no
 * memory to map them.
 */
#define PMC_SAMPLES_READ	(1U << 1)

/**
 * pmc_samples_open() - begin to read a configured context's records
 * @flags:	0, PMC_SAMPLES_ORDERED or PMC_SAMPLES_READ
 *
 * One reader at a time. Close it before the context is released or closed. Give
 * it to pmc_samples_close().
 *
 * Errors: EINVAL (unknown flags, both flags, a context without a period), EBADFD
 * (not configured), ENOMEM.
 */
struct pmc_samples *pmc_samples_open(struct pmc_context *context, uint32_t flags);

/**
 * pmc_samples_close() - stop reading; what was not read stays
 * @samples:	may be NULL
 */
void pmc_samples_close(struct pmc_samples *samples);

/**
 * pmc_samples_next() - the next record
 *
 * PAD records and types that this library does not know are left out; the others
 * are sound: their sizes and the numbers in them agree, and texts are terminated.
 *
 * Return: a record, good until the next call for @samples. NULL with errno EAGAIN
 * when there is none for now; the rings may meanwhile have got new ones. Once the
 * context is stopped, NULL is the end. NULL with errno EIO if a program wrote over
 * its ring: what was in that ring is lost, and reading goes on with the next call.
 * NULL with errno of read(2) or of pmc_context_read(), which PMC_SAMPLES_ORDERED
 * needs.
 */
const struct pmc_record *pmc_samples_next(struct pmc_samples *samples);

/**
 * pmc_samples_wait() - wait for records
 * @timeout_ms:	the longest wait, -1 for ever
 *
 * It ends when a ring has reached its watermark, when nobody is left to be
 * counted, and after @timeout_ms.
 *
 * Return: 1 to go on with pmc_samples_next(); 0 at the end, when nobody is left to
 * be counted and all is read; -1 with errno EINTR when a signal came.
 */
int pmc_samples_wait(struct pmc_samples *samples, int timeout_ms);

/**
 * pmc_samples_fd() - a file descriptor for poll(2), select(2) or epoll(7)
 *
 * It is that of the context. POLLIN: pmc_samples_next() has records. POLLHUP:
 * nobody is left to be counted. Call pmc_samples_next() until it returns NULL
 * before polling again.
 */
int pmc_samples_fd(const struct pmc_samples *samples);

/**
 * pmc_samples_cpu() - the CPU that the last record came from; -1 if unknown, as
 * with read(2) for records that do not tell it
 */
int pmc_samples_cpu(const struct pmc_samples *samples);

/* ---- the records ---- */

/**
 * pmc_record_check() - whether a record can be believed
 * @record:	8-byte aligned
 * @room:	bytes that are there
 *
 * For those who have records from elsewhere. A record of an unknown type is good if
 * its size is.
 *
 * Errors: EIO (pmc_error() tells what is wrong).
 */
int pmc_record_check(const struct pmc_record *record, size_t room);

/**
 * pmc_record_name() - &enum pmc_record_type in a word, such as "SAMPLE"
 * @type:	&struct pmc_record.type
 *
 * Return: NULL for a value that this library does not know.
 */
const char *pmc_record_name(uint32_t type);

/** pmc_sample_values() - the context's counts, &struct pmc_sample.nr_counters of them */
PMC_INLINE const __u64 *pmc_sample_values(const struct pmc_sample *sample)
{
	return sample->data;
}

/** pmc_sample_kernel_frames() - &struct pmc_sample.nr_kernel_frames addresses */
PMC_INLINE const __u64 *pmc_sample_kernel_frames(const struct pmc_sample *sample)
{
	return pmc_sample_values(sample) + sample->nr_counters;
}

/** pmc_sample_user_frames() - &struct pmc_sample.nr_user_frames addresses */
PMC_INLINE const __u64 *pmc_sample_user_frames(const struct pmc_sample *sample)
{
	return pmc_sample_kernel_frames(sample) + sample->nr_kernel_frames;
}

#ifdef __cplusplus
}
#endif

#endif /* LIBPMCDRV_SAMPLE_H */
