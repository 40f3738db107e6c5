/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpmcdrv: reading counters without a system call, and measuring a piece of code
 *
 * Inline functions that read the user page of a context, see &struct pmc_page in
 * <pmcdrv/pmcdrv.h>. While RDPMC is permitted, only the thread that the context counts may read
 * the page. If it is not permitted, the same functions read by ioctl: same values, one system call.
 *
 * RDPMC does not serialise (SDM Volume 2B, RDPMC): earlier instructions may still execute
 * when it reads, and later ones may have begun. The variants _lfence and _cpuid put LFENCE
 * (SDM Volume 2A: waits until all earlier instructions have completed locally; needs SSE2) or
 * CPUID (serialises; exits to the hypervisor in a virtual machine) before and after it.
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

/* ---- the user page ---- */

/**
 * pmc_context_set_user_read() - enable reading without a system call
 *
 * Call it after the scope is set: a thread of the caller's process. On a processor without
 * RDPMC, reading uses the ioctl.
 *
 * Errors: EBADFD (configured: release it first), EINVAL (not a thread's context).
 */
int pmc_context_set_user_read(struct pmc_context *context);

/**
 * pmc_context_page() - the user page of a configured context
 *
 * Every context has one. If reading in user mode is not permitted or not enabled, the page has
 * PMC_PAGE_UNAVAILABLE and the functions below use the ioctl. Valid until pmc_context_close();
 * call it again after the context was configured again.
 *
 * Errors: EBADFD (not configured), ENOMEM.
 */
const struct pmc_page *pmc_context_page(struct pmc_context *context);

/**
 * pmc_page_read() - read by ioctl, used by the functions below
 * @values:	where to store @num counts
 * @tsc:	where to store the time-stamp counter; may be NULL
 *
 * Errors: as pmc_context_read().
 */
int pmc_page_read(const struct pmc_page *page, uint64_t *values, uint32_t num, uint64_t *tsc);

/** pmc_page_read_one() - read one count by ioctl, used by pmc_read_counter() */
uint64_t pmc_page_read_one(const struct pmc_page *page, uint32_t index);

/* ---- instructions ---- */

/**
 * pmc_rdpmc() - execute RDPMC (SDM Volume 2B); faults if not permitted
 * @counter:	value of ECX
 *
 * Return: the raw value, with the width of the counter.
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
 * pmc_rdpmc_fast() - execute the fast 32-bit RDPMC
 * @counter:	value of ECX without bit 31; not a fixed counter
 *
 * For processors with PMC_FEATURE(RDPMC_FAST): NetBurst, Core 2 (SDM Volume 2B,
 * RDPMC). Faults on others, and if RDPMC is not permitted.
 *
 * Return: the lower 32 bits of the counter.
 */
PMC_INLINE uint32_t pmc_rdpmc_fast(uint32_t counter)
{
	uint32_t value;

	__asm__ __volatile__("rdpmc" : "=a"(value) : "c"(counter | 1U << 31) : "edx");
	return value;
}

/** pmc_rdtsc() - execute RDTSC, which does not serialise */
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

/* RDPMC plus offset; the compiler would use one more instruction. */
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

/* Before and after RDPMC: at least a compiler barrier */
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
 * pmc_read_counter(), pmc_read_counter_lfence(), pmc_read_counter_cpuid() - read one count
 * @page:	of pmc_context_page()
 * @index:	0 to &struct pmc_page.nr_counters - 1, in the order of adding
 *
 * 10 instructions with RDPMC (64 bits, gcc -O2, constant @index, no serialising).
 *
 * Return: the count, 64 bits. 0 with errno set if the context is not configured.
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
 * pmc_read_counter_fast(), pmc_read_counter_fast_cpuid() - read the low 32 bits of a count
 * @page:	of pmc_context_page()
 * @index:	as for pmc_read_counter()
 *
 * For differences modulo 2^32, on processors with pmc_rdpmc_fast(). On NetBurst the second of
 * two consecutive reads may be less than the first (SDM Volume 2B, RDPMC); the _cpuid variant
 * prevents this.
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
 * pmc_read_group(), pmc_read_group_lfence(), pmc_read_group_cpuid() - read the first counts
 * and the time, consistently
 * @page:	of pmc_context_page()
 * @values:	where to store @num counts
 * @num:	at most &struct pmc_page.nr_counters; preferably a constant
 * @tsc:	where to store the time-stamp counter; may be NULL
 *
 * With RDPMC 30 instructions for four counts, 34 with the time.
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
 * pmc_read_snapshot() - read all counts and times, without a system call if possible
 * @page:	of pmc_context_page()
 * @snapshot:	where to store them; @cpu is -1 if no system call was made
 *
 * Errors: as pmc_context_read().
 */
int pmc_read_snapshot(const struct pmc_page *page, struct pmc_snapshot *snapshot);

/* ---- measuring a piece of code ---- */

/**
 * struct pmc_region - a measured piece of code; the fields are private
 *
 * Use a variable, not a pointer: the compiler then needs no instruction to address it.
 */
struct pmc_region {
	void (*begin)(void);
	void (*end)(void);
	struct pmc_region_state *state;
	uintptr_t saved;
};

/**
 * pmc_region_init() - prepare a region, and measure the overhead
 * @context:	started, counts the calling thread; must outlive the region and keep its
 *		configuration
 *
 * Measures empty regions; their counts are subtracted from all results. Release with
 * pmc_region_free().
 *
 * Errors: EINVAL (another thread's context), EBADFD (not configured), ENOMEM.
 */
int pmc_region_init(struct pmc_region *region, struct pmc_context *context);

/** pmc_region_free() - release a region */
void pmc_region_free(struct pmc_region *region);

/** pmc_region_reset() - set all results to 0; the overhead stays known */
void pmc_region_reset(struct pmc_region *region);

/**
 * pmc_region_total() - count of an event over all runs, without the overhead
 * @index:	of the event, in the order of adding
 */
uint64_t pmc_region_total(const struct pmc_region *region, uint32_t index);

/** pmc_region_last() - count of an event in the last run */
uint64_t pmc_region_last(const struct pmc_region *region, uint32_t index);

/** pmc_region_runs() - number of measured runs */
uint64_t pmc_region_runs(const struct pmc_region *region);

/**
 * pmc_region_dropped() - number of runs that were not measured
 *
 * During such a run the permission for RDPMC changed, or the context was released.
 */
uint64_t pmc_region_dropped(const struct pmc_region *region);

/**
 * pmc_region_exact() - whether the overhead of an event is constant
 *
 * True for instructions and branches in user mode: an empty region measures exactly 0. For
 * other events, such as cycles, the minimum is subtracted.
 */
bool pmc_region_exact(const struct pmc_region *region, uint32_t index);

/** pmc_region_record() - part of PMC_REGION_END() */
void pmc_region_record(struct pmc_region *region);

/*
 * A call that changes no register and no memory of the caller, so the same instructions are
 * between the two reads whatever the compiler allocates.
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
 * PMC_REGION_BEGIN(), PMC_REGION_END() - measure the code between them
 * @region:	a &struct pmc_region, after pmc_region_init()
 *
 * In the thread that the context counts. The compiler may move computations without memory
 * accesses across them: measure a call, or check the generated code.
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
