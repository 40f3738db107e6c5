/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpmcdrv: reading counters without a system call, and measuring a piece of
 * code
 *
 * Inline functions over the page that the driver maps; see &struct pmc_page in
 * <linux/pmcdrv.h>. The page is for the thread that the context counts, and only
 * for that one. Where RDPMC is not permitted the page says so, and the same calls
 * go through the driver: they give the same values, at the price of a system call.
 *
 * RDPMC does not serialise (SDM Volume 2B, RDPMC): instructions before it may
 * still be under way when it reads, and those after it may have begun. The
 * variants with a suffix put LFENCE (SDM Volume 2A: waits until all earlier
 * instructions have completed locally; needs SSE2) or CPUID (serialises; costs a
 * hypervisor's exit in a virtual machine) before and after it.
 */
#ifndef LIBPMCDRV_READ_H
#define LIBPMCDRV_READ_H

#include <libpmcdrv.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(__clang__)
#define PMC_UNROLL	_Pragma("GCC unroll 32")
#else
#define PMC_UNROLL
#endif

/* ---- the page ---- */

/**
 * pmc_context_open_self() - count the calling thread, ready to be read here
 * @events:	list of events with commas between them, such as
 *		"instructions:u,branches:u"
 *
 * Opens the device, adds the events, asks for reading in user mode, configures
 * and starts. Give it to pmc_context_close().
 *
 * Errors: as pmc_device_open(), pmc_event_parse_next(), pmc_context_add(),
 * pmc_context_configure() and pmc_context_start().
 */
struct pmc_context *pmc_context_open_self(const char *events);

/**
 * pmc_context_set_user_read() - ask for reading without a system call
 *
 * Choose the thread before; it must be one of the caller's process. Where the
 * processor has no RDPMC, configuring does without, and reading goes through the
 * driver.
 *
 * Errors: EBADFD (configured: release it first), EINVAL (not a thread's context).
 */
int pmc_context_set_user_read(struct pmc_context *context);

/**
 * pmc_context_page() - the page to read a configured context from
 *
 * It exists for every context: where reading in user mode is not permitted, or
 * was not asked for, it has PMC_PAGE_UNAVAILABLE, and the functions below go through
 * the driver. It is good until pmc_context_close(). After the context was
 * released and configured again, call this again.
 *
 * Errors: EBADFD (not configured), ENOMEM.
 */
const struct pmc_page *pmc_context_page(struct pmc_context *context);

/**
 * pmc_page_read() - the way through the driver, of the functions below
 * @values:	room for @num counts
 * @tsc:	where to store the time-stamp counter; may be NULL
 *
 * Errors: as pmc_context_read().
 */
int pmc_page_read(const struct pmc_page *page, uint64_t *values, uint32_t num, uint64_t *tsc);

/**
 * pmc_page_read_one() - the way through the driver, of pmc_read_counter()
 */
uint64_t pmc_page_read_one(const struct pmc_page *page, uint32_t index);

/* ---- instructions ---- */

/**
 * pmc_rdpmc() - RDPMC, as it is
 * @counter:	what it takes in ECX
 *
 * SDM Volume 2B, RDPMC. It faults where it is not permitted.
 *
 * Return: as many bits as the counter has.
 */
PMC_INLINE uint64_t pmc_rdpmc(uint32_t counter)
{
#ifdef __x86_64__
	uint64_t value;

	__asm__ __volatile__("rdpmc\n\t"
			     "shl	$32, %%rdx\n\t"
			     "or	%%rdx, %0"
			     : "=a"(value) : "c"(counter) : "rdx", "cc");
	return value;
#else
	uint64_t value;

	__asm__ __volatile__("rdpmc" : "=A"(value) : "c"(counter));
	return value;
#endif
}

/**
 * pmc_rdpmc_fast() - RDPMC in its short form, where it exists
 * @counter:	what it takes in ECX; not a fixed counter's
 *
 * NetBurst, Core Duo and Core 2 have it (PMC_FEATURE(RDPMC_FAST) of &struct
 * pmc_query): it is quicker there and gives 32 bits (SDM Volume 2B, RDPMC). On other
 * processors it faults, and where RDPMC is not permitted.
 *
 * Return: the lower 32 bits of the counter.
 */
PMC_INLINE uint32_t pmc_rdpmc_fast(uint32_t counter)
{
	uint32_t value;

	__asm__ __volatile__("rdpmc" : "=a"(value) : "c"(counter | 1U << 31) : "edx");
	return value;
}

/** pmc_rdtsc() - RDTSC, as it is; it does not serialise either */
PMC_INLINE uint64_t pmc_rdtsc(void)
{
#ifdef __x86_64__
	uint64_t low, high;

	__asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
	return high << 32 | low;
#else
	uint64_t value;

	__asm__ __volatile__("rdtsc" : "=A"(value));
	return value;
#endif
}

/* RDPMC and the offset: the compiler would need an instruction more. */
PMC_INLINE uint64_t pmc_rdpmc_add(uint32_t counter, const __u64 *offset)
{
#ifdef __x86_64__
	uint64_t value;

	__asm__ __volatile__("rdpmc\n\t"
			     "shl	$32, %%rdx\n\t"
			     "or	%%rdx, %0\n\t"
			     "add	%2, %0"
			     : "=&a"(value) : "c"(counter), "m"(*offset) : "rdx", "cc");
	return value;
#else
	return pmc_rdpmc(counter) + *offset;
#endif
}

/* What stands before and after RDPMC: a compiler's barrier at least */
enum pmc_order {
	PMC_ORDER_PLAIN,
	PMC_ORDER_LFENCE,
	PMC_ORDER_CPUID,
};

PMC_INLINE void pmc_order(enum pmc_order order)
{
	uint32_t eax = 0, ebx, ecx = 0, edx;

	if (order == PMC_ORDER_CPUID)
		__asm__ __volatile__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx)
				     : : "memory");
	else if (order == PMC_ORDER_LFENCE)
		__asm__ __volatile__("lfence" : : : "memory");
	else
		__asm__ __volatile__("" : : : "memory");
}

/* ---- one counter ---- */

PMC_INLINE uint64_t pmc_read_ordered(const struct pmc_page *page, uint32_t index,
				     enum pmc_order order)
{
	const struct pmc_page_counter *counter = &page->counter[index];
	uint32_t sequence;
	uint64_t value;

	do {
		pmc_order(PMC_ORDER_PLAIN);
		sequence = page->sequence;
		if (__builtin_expect(sequence & PMC_PAGE_UNAVAILABLE, 0))
			return pmc_page_read_one(page, index);
		pmc_order(order);
		value = pmc_rdpmc_add(counter->rdpmc, &counter->offset);
		pmc_order(order);
	} while (__builtin_expect(page->sequence != sequence, 0));
	return value;
}

/**
 * pmc_read_counter(), pmc_read_counter_lfence(), pmc_read_counter_cpuid() - the
 * 64-bit count of one counter
 * @page:	of pmc_context_page()
 * @index:	0 to &struct pmc_page.nr_counters - 1, in the order of adding
 *
 * 10 instructions where RDPMC is permitted (64 bits, gcc -O2, a constant @index,
 * without the serialising ones).
 *
 * Return: the count. If the driver refuses, 0 with errno set; this does not
 * happen while the context is configured.
 */
PMC_INLINE uint64_t pmc_read_counter(const struct pmc_page *page, uint32_t index)
{
	return pmc_read_ordered(page, index, PMC_ORDER_PLAIN);
}

PMC_INLINE uint64_t pmc_read_counter_lfence(const struct pmc_page *page, uint32_t index)
{
	return pmc_read_ordered(page, index, PMC_ORDER_LFENCE);
}

PMC_INLINE uint64_t pmc_read_counter_cpuid(const struct pmc_page *page, uint32_t index)
{
	return pmc_read_ordered(page, index, PMC_ORDER_CPUID);
}

PMC_INLINE uint32_t pmc_read_fast_ordered(const struct pmc_page *page, uint32_t index,
					  enum pmc_order order)
{
	const struct pmc_page_counter *counter = &page->counter[index];
	uint32_t sequence, value;

	do {
		pmc_order(PMC_ORDER_PLAIN);
		sequence = page->sequence;
		if (__builtin_expect(sequence & PMC_PAGE_UNAVAILABLE, 0))
			return pmc_page_read_one(page, index);
		pmc_order(order);
		if (counter->rdpmc & PMC_COUNTER_FIXED_FLAG)
			value = pmc_rdpmc(counter->rdpmc);
		else
			value = pmc_rdpmc_fast(counter->rdpmc);
		value += counter->offset;
		pmc_order(order);
	} while (__builtin_expect(page->sequence != sequence, 0));
	return value;
}

/**
 * pmc_read_counter_fast(), pmc_read_counter_fast_cpuid() - the lower 32 bits of the
 * count of one counter
 * @page:	of pmc_context_page()
 * @index:	as for pmc_read_counter()
 *
 * For short pieces of code: the difference of two, modulo 2^32. Only where
 * pmc_rdpmc_fast() exists. On NetBurst the second of two in a row may be less than the
 * first (SDM Volume 2B, RDPMC); with CPUID before and after the reading it is not.
 *
 * Return: as pmc_read_counter().
 */
PMC_INLINE uint32_t pmc_read_counter_fast(const struct pmc_page *page, uint32_t index)
{
	return pmc_read_fast_ordered(page, index, PMC_ORDER_PLAIN);
}

PMC_INLINE uint32_t pmc_read_counter_fast_cpuid(const struct pmc_page *page, uint32_t index)
{
	return pmc_read_fast_ordered(page, index, PMC_ORDER_CPUID);
}

/* ---- all counters ---- */

PMC_INLINE int pmc_read_group_ordered(const struct pmc_page *page, uint64_t *values,
				      uint32_t num, uint64_t *tsc, enum pmc_order order)
{
	const struct pmc_page_counter *counter = page->counter;
	uint32_t sequence, i;

	do {
		pmc_order(PMC_ORDER_PLAIN);
		sequence = page->sequence;
		if (__builtin_expect(sequence & PMC_PAGE_UNAVAILABLE, 0))
			return pmc_page_read(page, values, num, tsc);
		pmc_order(order);
		PMC_UNROLL
		for (i = 0; i < num; i++)
			values[i] = pmc_rdpmc_add(counter[i].rdpmc, &counter[i].offset);
		if (tsc)
			*tsc = pmc_rdtsc();
		pmc_order(order);
	} while (__builtin_expect(page->sequence != sequence, 0));
	return 0;
}

/**
 * pmc_read_group(), pmc_read_group_lfence(), pmc_read_group_cpuid() - the first
 * counts of a context, and the time, from one moment
 * @page:	of pmc_context_page()
 * @values:	room for @num counts
 * @num:	at most &struct pmc_page.nr_counters; best a constant
 * @tsc:	where to store the time-stamp counter; may be NULL
 *
 * Only these instructions themselves lie between the counters. 30 instructions
 * for four counts, 34 with the time, where RDPMC is permitted.
 *
 * Errors: those of pmc_context_read(); none while the context is configured.
 */
PMC_INLINE int pmc_read_group(const struct pmc_page *page, uint64_t *values, uint32_t num,
			      uint64_t *tsc)
{
	return pmc_read_group_ordered(page, values, num, tsc, PMC_ORDER_PLAIN);
}

PMC_INLINE int pmc_read_group_lfence(const struct pmc_page *page, uint64_t *values,
				     uint32_t num, uint64_t *tsc)
{
	return pmc_read_group_ordered(page, values, num, tsc, PMC_ORDER_LFENCE);
}

PMC_INLINE int pmc_read_group_cpuid(const struct pmc_page *page, uint64_t *values, uint32_t num,
				    uint64_t *tsc)
{
	return pmc_read_group_ordered(page, values, num, tsc, PMC_ORDER_CPUID);
}

/**
 * pmc_read_snapshot() - all counts and times, without a system call if possible
 * @page:	of pmc_context_page()
 * @snapshot:	where to store it; @cpu is -1 where no system call was made
 *
 * Errors: as pmc_context_read().
 */
int pmc_read_snapshot(const struct pmc_page *page, struct pmc_snapshot *snapshot);

/* ---- measuring a piece of code ---- */

/**
 * struct pmc_region - a piece of code that is measured
 *
 * Its fields are the library's own. It must be a variable, not behind a pointer,
 * so that the compiler needs no instruction to find it.
 */
struct pmc_region {
	void (*begin)(void);
	void (*end)(void);
	struct pmc_region_state *state;
	uintptr_t saved;
};

/**
 * pmc_region_init() - prepare for measuring, and measure the measuring itself
 * @context:	counts the calling thread, and is started; it must outlive the
 *		region and keep its configuration
 *
 * Empty regions are measured, and what they count is taken off all later
 * results. Give the region to pmc_region_free().
 *
 * Errors: EINVAL (another thread's context), EBADFD (not configured), ENOMEM.
 */
int pmc_region_init(struct pmc_region *region, struct pmc_context *context);

/**
 * pmc_region_free() - end of a region
 */
void pmc_region_free(struct pmc_region *region);

/**
 * pmc_region_reset() - forget what was measured, not the calibration
 */
void pmc_region_reset(struct pmc_region *region);

/**
 * pmc_region_total() - sum of an event over all times the region was run
 * @index:	of the event, in the order of adding
 *
 * What an empty region counts has been taken off each time.
 */
uint64_t pmc_region_total(const struct pmc_region *region, uint32_t index);

/**
 * pmc_region_last() - the same of the last time
 */
uint64_t pmc_region_last(const struct pmc_region *region, uint32_t index);

/**
 * pmc_region_runs() - how often the region was run and measured
 */
uint64_t pmc_region_runs(const struct pmc_region *region);

/**
 * pmc_region_dropped() - how often it was run and could not be measured
 *
 * The permission for RDPMC changed meanwhile, or the context was released.
 */
uint64_t pmc_region_dropped(const struct pmc_region *region);

/**
 * pmc_region_exact() - whether an empty region counts the same of this event
 * every time
 *
 * So it is for instructions and branches in user mode: an empty region gives
 * exactly 0. Of other events, such as cycles, the least that was seen is taken
 * off.
 */
bool pmc_region_exact(const struct pmc_region *region, uint32_t index);

/**
 * pmc_region_record() - part of PMC_REGION_END()
 */
void pmc_region_record(struct pmc_region *region);

/*
 * A call that changes no register and no memory of the caller: whatever the
 * compiler holds where, the same instructions lie between the two reads.
 */
#ifdef __x86_64__
#define PMC_REGION_CALL(region, which)					\
	__asm__ __volatile__("mov	%%rax, %1\n\t"			\
			     "lea	%0, %%rax\n\t"			\
			     "lea	-128(%%rsp), %%rsp\n\t"		\
			     "call	*" which "(%%rax)\n\t"		\
			     "lea	128(%%rsp), %%rsp\n\t"		\
			     "mov	%1, %%rax"			\
			     : "+m"(region), "+m"((region).saved) : : "memory", "cc")
#define PMC_REGION_BEGIN_SLOT	"0"
#define PMC_REGION_END_SLOT	"8"
#else
#define PMC_REGION_CALL(region, which)					\
	__asm__ __volatile__("mov	%%eax, %1\n\t"			\
			     "lea	%0, %%eax\n\t"			\
			     "call	*" which "(%%eax)\n\t"		\
			     "mov	%1, %%eax"			\
			     : "+m"(region), "+m"((region).saved) : : "memory", "cc")
#define PMC_REGION_BEGIN_SLOT	"0"
#define PMC_REGION_END_SLOT	"4"
#endif

/**
 * PMC_REGION_BEGIN(), PMC_REGION_END() - what lies between them is measured
 * @region:	a &struct pmc_region, after pmc_region_init()
 *
 * In the thread that the context counts. The compiler may move computations
 * that touch no memory over them; measure a call, or look at what it made.
 */
#define PMC_REGION_BEGIN(region) \
	PMC_REGION_CALL(region, PMC_REGION_BEGIN_SLOT)

#define PMC_REGION_END(region) do {					\
	PMC_REGION_CALL(region, PMC_REGION_END_SLOT);			\
	pmc_region_record(&(region));					\
} while (0)

#ifdef __cplusplus
}
#endif

#endif /* LIBPMCDRV_READ_H */
