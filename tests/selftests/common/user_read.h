/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a context's counts in user mode, by the protocol of struct pmc_page, and immediately
 * afterwards by PMC_IOC_READ, to compare the two
 */
#ifndef SELFTESTS_USER_READ_H
#define SELFTESTS_USER_READ_H

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmc.h"

/** struct access - the arguments of access_both(), all of them in memory */
struct access {
	const struct pmc_page *page;
	const struct pmc_page_counter *counter;
	struct reading *reading;
	unsigned long fd;
	uint64_t value;
};

/*
 * RDPMC returns the count before it. Between that and PMC_IOC_READ's count, the thread
 * itself executes, both included:
 *
 *	64 bits: rdpmc, shl, or, mov, add, mov, cmp, jne, mov * 5, syscall	= 14
 *	32 bits: rdpmc, mov, add, adc, mov, cmp, jne, mov * 6, int		= 14
 */
#define ACCESS_INSTRUCTIONS	14

/* Returns what the ioctl returns, or 1 if the page is invalid. */
static inline long access_both(struct access *access)
{
	long result;

	reading_init(access->reading);
#ifdef __x86_64__
	asm volatile("1:	mov	%c[page](%[access]), %%r8\n\t"
		     "mov	%c[sequence](%%r8), %%r9d\n\t"
		     "mov	$1, %%eax\n\t"
		     "test	%%eax, %%r9d\n\t"
		     "jnz	2f\n\t"
		     "mov	%c[counter](%[access]), %%r10\n\t"
		     "mov	%c[rdpmc](%%r10), %%ecx\n\t"
		     "rdpmc\n\t"
		     "shl	$32, %%rdx\n\t"
		     "or	%%rdx, %%rax\n\t"
		     "mov	%c[counter](%[access]), %%r10\n\t"
		     "add	%c[offset](%%r10), %%rax\n\t"
		     "mov	%c[page](%[access]), %%r8\n\t"
		     "cmp	%c[sequence](%%r8), %%r9d\n\t"
		     "jne	1b\n\t"
		     "mov	%%rax, %c[value](%[access])\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%c[fd](%[access]), %%rdi\n\t"
		     "mov	%[read], %%esi\n\t"
		     "mov	%c[reading](%[access]), %%rdx\n\t"
		     "syscall\n"
		     "2:"
		     : "=&a" (result)
		     : [access] "b" (access), [page] "i" (offsetof(struct access, page)),
		       [counter] "i" (offsetof(struct access, counter)),
		       [reading] "i" (offsetof(struct access, reading)),
		       [fd] "i" (offsetof(struct access, fd)),
		       [value] "i" (offsetof(struct access, value)),
		       [sequence] "i" (offsetof(struct pmc_page, sequence)),
		       [rdpmc] "i" (offsetof(struct pmc_page_counter, rdpmc)),
		       [offset] "i" (offsetof(struct pmc_page_counter, offset)),
		       [ioctl] "i" (SYS_ioctl), [read] "i" (PMC_IOC_READ)
		     : "rcx", "rdx", "rdi", "rsi", "r8", "r9", "r10", "r11", "memory");
#else
	asm volatile("1:	mov	%c[page](%[access]), %%ebx\n\t"
		     "mov	%c[sequence](%%ebx), %%esi\n\t"
		     "mov	$1, %%eax\n\t"
		     "test	%%eax, %%esi\n\t"
		     "jnz	2f\n\t"
		     "mov	%c[counter](%[access]), %%ebx\n\t"
		     "mov	%c[rdpmc](%%ebx), %%ecx\n\t"
		     "rdpmc\n\t"
		     "mov	%c[counter](%[access]), %%ebx\n\t"
		     "add	%c[offset](%%ebx), %%eax\n\t"
		     "adc	%c[offset]+4(%%ebx), %%edx\n\t"
		     "mov	%c[page](%[access]), %%ebx\n\t"
		     "cmp	%c[sequence](%%ebx), %%esi\n\t"
		     "jne	1b\n\t"
		     "mov	%%eax, %c[value](%[access])\n\t"
		     "mov	%%edx, %c[value]+4(%[access])\n\t"
		     "mov	%[ioctl], %%eax\n\t"
		     "mov	%c[fd](%[access]), %%ebx\n\t"
		     "mov	%[read], %%ecx\n\t"
		     "mov	%c[reading](%[access]), %%edx\n\t"
		     "int	$0x80\n"
		     "2:"
		     : "=&a" (result)
		     : [access] "D" (access), [page] "i" (offsetof(struct access, page)),
		       [counter] "i" (offsetof(struct access, counter)),
		       [reading] "i" (offsetof(struct access, reading)),
		       [fd] "i" (offsetof(struct access, fd)),
		       [value] "i" (offsetof(struct access, value)),
		       [sequence] "i" (offsetof(struct pmc_page, sequence)),
		       [rdpmc] "i" (offsetof(struct pmc_page_counter, rdpmc)),
		       [offset] "i" (offsetof(struct pmc_page_counter, offset)),
		       [ioctl] "i" (SYS_ioctl), [read] "i" (PMC_IOC_READ)
		     : "ebx", "ecx", "edx", "esi", "memory");
#endif
	return result;
}

static inline uint64_t rdpmc(uint32_t counter)
{
	uint32_t low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (counter) : "memory");
	return low | (uint64_t)high << 32;
}

/* The kernel changes it whenever the thread runs there. */
static inline uint32_t page_sequence(const struct pmc_page *page)
{
	return __atomic_load_n(&page->sequence, __ATOMIC_ACQUIRE);
}

/* The protocol alone; returns false if the page is invalid. */
static inline bool page_read(const struct pmc_page *page, unsigned int i, uint64_t *value)
{
	uint32_t sequence;

	do {
		sequence = page_sequence(page);
		if (sequence & PMC_PAGE_UNAVAILABLE)
			return false;
		*value = page->counter[i].offset;
		/* the compiler, too, keeps RDPMC between the two reads of the sequence */
		*value += rdpmc(page->counter[i].rdpmc);
	} while (page_sequence(page) != sequence);
	return true;
}

static inline const struct pmc_page *page_map(int fd)
{
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

static inline int page_unmap(const struct pmc_page *page)
{
	return munmap((void *)page, sysconf(_SC_PAGESIZE)) ? -errno : 0;
}

#endif /* SELFTESTS_USER_READ_H */
