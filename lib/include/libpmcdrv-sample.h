/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpmcdrv: sampling
 *
 * A counter with a period writes a record each time it has counted that many events:
 * instruction pointer, thread, and on request the call chain. Each followed thread, and each
 * counted CPU, has its own remaining period. The driver writes records into one ring for each
 * CPU. To read them:
 *
 *   samples = pmc_samples_open(context, 0);
 *   while (pmc_samples_wait(samples, -1) > 0)
 *           while ((record = pmc_samples_next(samples)))
 *                   if (record->type == PMC_RECORD_SAMPLE)
 *                           use((const struct pmc_sample *)record);
 *   pmc_samples_close(samples);
 *
 * pmcdrv(4) describes the records of <pmcdrv/pmcdrv.h>.
 */
#ifndef LIBPMCDRV_SAMPLE_H
#define LIBPMCDRV_SAMPLE_H

#include <libpmcdrv.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmc_samples;

/* ---- configuration ---- */

/**
 * pmc_context_set_sampling() - set the contents of samples
 * @flags:	PMC_SAMPLE_KERNEL_CALLCHAIN (needs CAP_PERFMON), PMC_SAMPLE_USER_CALLCHAIN,
 *		PMC_SAMPLE_MMAPS
 * @frames:	longest call chain, 1 to PMC_FRAMES_MAX; 0 for PMC_FRAMES_DEFAULT
 *
 * Errors: EINVAL, EBADFD (configured: release it first).
 */
int pmc_context_set_sampling(struct pmc_context *context, uint32_t flags, uint32_t frames);

/**
 * pmc_context_set_ring() - set the size of the rings
 * @size:	bytes of each ring: a power of two, from one page to PMC_RING_SIZE_MAX; 0 for
 *		PMC_RING_SIZE_DEFAULT
 * @watermark:	bytes of records in a ring that wake a reader, at most @size; 0 for half
 *
 * Errors: EINVAL, EBADFD (configured: release it first).
 */
int pmc_context_set_ring(struct pmc_context *context, uint32_t size, uint32_t watermark);

/**
 * pmc_context_set_throttle() - set how much of a CPU's time overflows may take
 * @percent:	1 to PMC_THROTTLE_PERCENT_MAX; 0 for PMC_THROTTLE_PERCENT_MAX. The device's
 *		attribute throttle_percent can be lower
 *
 * Errors: EINVAL, EBADFD (configured: release it first); E2BIG from pmc_context_configure() with
 * a driver before ABI 7.
 */
int pmc_context_set_throttle(struct pmc_context *context, uint32_t percent);

/**
 * pmc_context_statistics() - numbers of overflows, by outcome
 * @statistics:	where to store it
 *
 * Errors: EBADFD (not configured, or without a period).
 */
int pmc_context_statistics(struct pmc_context *context, struct pmc_statistics *statistics);

/* ---- reading ---- */

/**
 * PMC_SAMPLES_ORDERED - return the records of all CPUs in the order of their time
 *
 * Compares time-stamp counters, which must be synchronous: PMC_FEATURE(TSC_SYNC). Records
 * without a time follow their predecessor in the ring.
 */
#define PMC_SAMPLES_ORDERED	(1U << 0)

/** PMC_SAMPLES_READ - use read(2); also used without flags if the rings cannot be mapped */
#define PMC_SAMPLES_READ	(1U << 1)

/**
 * pmc_samples_open() - start to read the records of a configured context
 * @flags:	0, PMC_SAMPLES_ORDERED or PMC_SAMPLES_READ
 *
 * One reader at a time. Release with pmc_samples_close() before the context is released.
 *
 * Errors: EINVAL (unknown flags, both flags, a context without a period), EBADFD
 * (not configured), ENOMEM.
 */
struct pmc_samples *pmc_samples_open(struct pmc_context *context, uint32_t flags);

/**
 * pmc_samples_close() - stop reading; unread records stay
 * @samples:	may be NULL
 */
void pmc_samples_close(struct pmc_samples *samples);

/**
 * pmc_samples_next() - read the next record
 *
 * Skips PAD records and unknown types. Sizes and numbers of a record are consistent, and its
 * texts are terminated.
 *
 * Return: a record, valid until the next call for @samples. NULL with EAGAIN: there is none now; if
 * the context is stopped, there will be none. NULL with EIO: a program overwrote its ring; the
 * records of that ring are lost, and reading can continue. NULL with another errno: read(2), or
 * pmc_context_read() with PMC_SAMPLES_ORDERED, failed.
 */
const struct pmc_record *pmc_samples_next(struct pmc_samples *samples);

/**
 * pmc_samples_wait() - wait for records
 * @timeout_ms:	longest wait in milliseconds, -1 for no limit
 *
 * Returns when a ring reaches its watermark or is full, when a stopped context has records, when
 * the last followed thread has ended, and after @timeout_ms. A context of CPUs does not end: stop
 * it, and call pmc_samples_next() until it returns NULL.
 *
 * Return: 0 if the last followed thread has ended and all records are read, otherwise 1, also after
 * the timeout: call pmc_samples_next(), which returns NULL with EAGAIN if there is no record. -1
 * with EINTR (a signal arrived) or EBADFD (not configured, or without a period).
 */
int pmc_samples_wait(struct pmc_samples *samples, int timeout_ms);

/**
 * pmc_samples_fd() - a file descriptor for poll(2), select(2) or epoll(7)
 *
 * It is that of the context. POLLIN: there are records. POLLHUP: the last followed thread has
 * ended. Call pmc_samples_next() until it returns NULL before polling again.
 */
int pmc_samples_fd(const struct pmc_samples *samples);

/** pmc_samples_cpu() - CPU of the last record; -1 before it, and for LOST and MMAP of read(2) */
int pmc_samples_cpu(const struct pmc_samples *samples);

/* ---- the records ---- */

/**
 * pmc_record_check() - check the sizes and numbers of a record
 * @record:	8-byte aligned
 * @room:	bytes available at @record
 *
 * For records from a file, for example. A record of an unknown type needs a valid size only.
 *
 * Errors: EIO (malformed, see pmc_error()).
 */
int pmc_record_check(const struct pmc_record *record, size_t room);

/**
 * pmc_record_name() - name of an &enum pmc_record_type, such as "SAMPLE"
 * @type:	&struct pmc_record.type
 *
 * Return: NULL for an unknown value.
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
