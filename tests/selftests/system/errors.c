// SPDX-License-Identifier: GPL-2.0-only
/*
 * Provokes every error that the ABI documents
 *
 * uapi/pmcdrv.h documents the errors of each ioctl; documented.h is generated from those
 * comments at build time. Each of its lines needs a test here: without a test the program does not
 * compile, nor (-Werror) with a test for an undocumented error. What cannot be provoked in this
 * environment is skipped with its reason.
 *
 * A test's function is named after the ioctl and the error. Its argument is a newly opened
 * /dev/pmc. It returns 0, or a text with the failure.
 */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "fixture.h"

#define SHOULD(condition) do {							\
	if (!(condition))							\
		return "not so: " #condition;					\
} while (0)

#define CANNOT(reason)		return "SKIP " reason

/* Two pages, the second without access; returns the boundary between them. */
static unsigned char *boundary(void)
{
	long page = sysconf(_SC_PAGESIZE);
	unsigned char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE))
		return NULL;
	return pages + page;
}

/* Read-only memory with this content */
static unsigned char *read_only(const void *content, size_t size)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return NULL;
	memcpy(page, content, size);
	return mprotect(page, 4096, PROT_READ) ? NULL : page;
}

/* A valid request for the thread itself, with one counter */
static void good(struct setup *setup)
{
	setup_thread_one(setup, 0, 0);
}

static int configured(int fd)
{
	struct setup setup;

	good(&setup);
	return setup_configure(fd, &setup);
}

/*
 * Addresses that no ioctl with a structure may accept: NULL, the kernel's, the last byte, and a
 * structure cut by an unmapped page at each of its bytes. @image is a valid request; @in the
 * number of bytes that are read.
 */
static const char *bad_addresses(int fd, unsigned int command, const void *image, size_t size,
				 size_t in)
{
	unsigned char *end = boundary();
	size_t inside;

	SHOULD(end);
	SHOULD(pmc_call(fd, command, NULL) == -EFAULT);
	SHOULD(pmc_call(fd, command, (void *)8) == -EFAULT);
	SHOULD(pmc_call(fd, command, (void *)-1L) == -EFAULT);
	SHOULD(pmc_call(fd, command, (void *)-4096L) == -EFAULT);
	SHOULD(pmc_call(fd, command, (void *)(1UL << (sizeof(long) * 8 - 1))) == -EFAULT);
	for (inside = 0; inside < size; inside++) {
		memcpy(end - inside, image, inside);
		SHOULD(pmc_call(fd, command, end - inside) == -EFAULT);
	}
	/* unaligned, but completely mapped: accepted */
	if (in) {
		for (inside = size; inside < size + 9; inside++) {
			memcpy(end - inside, image, size);
			SHOULD(pmc_call(fd, command, end - inside) == 0);
		}
	}
	return NULL;
}

static const char *QUERY_EINVAL(int fd)
{
	struct pmc_query query = { .size = sizeof(query), .cpu = -2 };

	SHOULD(pmc_call(fd, PMC_IOC_QUERY, &query) == -EINVAL);
	query.cpu = INT_MAX;
	SHOULD(pmc_call(fd, PMC_IOC_QUERY, &query) == -EINVAL);
	query.cpu = 0;
	query.flags = 0x80000000;
	SHOULD(pmc_call(fd, PMC_IOC_QUERY, &query) == -EINVAL);
	query.flags = 0;
	query.size = 11;
	SHOULD(pmc_call(fd, PMC_IOC_QUERY, &query) == -EINVAL);
	query.size = 0;
	SHOULD(pmc_call(fd, PMC_IOC_QUERY, &query) == -EINVAL);
	return NULL;
}

static const char *QUERY_E2BIG(int fd)
{
	struct pmc_query query[2];

	memset(query, 0, sizeof(query));
	query[0].size = sizeof(query[0]) + 1;
	query[1].size = 0x01;
	SHOULD(pmc_call(fd, PMC_IOC_QUERY, query) == -E2BIG);
	query[0].size = UINT_MAX;
	SHOULD(pmc_call(fd, PMC_IOC_QUERY, query) == -E2BIG);
	return NULL;
}

static const char *QUERY_EFAULT(int fd)
{
	struct pmc_query query = { .size = sizeof(query) };
	unsigned char *constant = read_only(&query, sizeof(query));

	SHOULD(constant);
	SHOULD(pmc_call(fd, PMC_IOC_QUERY, constant) == -EFAULT);
	return bad_addresses(fd, PMC_IOC_QUERY, &query, sizeof(query), 1);
}

static const char *COUNTER_EINVAL(int fd)
{
	struct pmc_counter counter = { .size = sizeof(counter), .cpu = -2 };

	SHOULD(pmc_call(fd, PMC_IOC_COUNTER, &counter) == -EINVAL);
	counter.cpu = INT_MAX;
	SHOULD(pmc_call(fd, PMC_IOC_COUNTER, &counter) == -EINVAL);
	counter.cpu = 0;
	counter.flags = 1;
	SHOULD(pmc_call(fd, PMC_IOC_COUNTER, &counter) == -EINVAL);
	counter.flags = 0;
	counter.size = 15;
	SHOULD(pmc_call(fd, PMC_IOC_COUNTER, &counter) == -EINVAL);
	return NULL;
}

static const char *COUNTER_E2BIG(int fd)
{
	struct pmc_counter counter[2];

	memset(counter, 0, sizeof(counter));
	counter[0].size = sizeof(counter);
	counter[1].holder.comm[15] = 1;
	SHOULD(pmc_call(fd, PMC_IOC_COUNTER, counter) == -E2BIG);
	return NULL;
}

static const char *COUNTER_EFAULT(int fd)
{
	struct pmc_counter counter = { .size = sizeof(counter) };
	unsigned char *constant = read_only(&counter, sizeof(counter));

	SHOULD(constant);
	SHOULD(pmc_call(fd, PMC_IOC_COUNTER, constant) == -EFAULT);
	return bad_addresses(fd, PMC_IOC_COUNTER, &counter, sizeof(counter), 1);
}

/* Run @body with the last CPU offline, if it can be taken offline. */
static const char *with_cpu_offline(const char *(*body)(int fd, int cpu), int fd)
{
	int cpu = cpus_online() - 1;
	const char *result;
	char path[64];

	if (cpu < 1)
		CANNOT("one CPU: none can go offline (two are needed)");
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	if (file_write(path, "0"))
		CANNOT("this CPU cannot be taken offline");
	result = body(fd, cpu);
	if (file_write(path, "1"))
		return "the CPU does not come back";
	return result;
}

static const char *counter_offline(int fd, int cpu)
{
	struct pmc_counter counter = { .size = sizeof(counter), .cpu = cpu };

	SHOULD(pmc_call(fd, PMC_IOC_COUNTER, &counter) == -ENODEV);
	return NULL;
}

static const char *COUNTER_ENODEV(int fd)
{
	return with_cpu_offline(counter_offline, fd);
}

static const char *COUNTER_ENXIO(int fd)
{
	struct pmc_counter counter = { .size = sizeof(counter), .counter = 63 };

	SHOULD(pmc_call(fd, PMC_IOC_COUNTER, &counter) == -ENXIO);
	counter.counter = PMC_COUNTER_FIXED(63);
	SHOULD(pmc_call(fd, PMC_IOC_COUNTER, &counter) == -ENXIO);
	counter.counter = 0x80000000;
	SHOULD(pmc_call(fd, PMC_IOC_COUNTER, &counter) == -ENXIO);
	return NULL;
}

static const char *TSC_EINVAL(int fd)
{
	struct pmc_tsc tsc = { .size = 7 };
	unsigned int bit;

	SHOULD(pmc_call(fd, PMC_IOC_TSC, &tsc) == -EINVAL);
	tsc.size = sizeof(tsc);
	for (bit = 0; bit < 32; bit++) {
		tsc.flags = 1U << bit;
		SHOULD(pmc_call(fd, PMC_IOC_TSC, &tsc) == -EINVAL);
	}
	return NULL;
}

static const char *TSC_E2BIG(int fd)
{
	struct pmc_tsc tsc[2] = { { .size = sizeof(tsc) }, { .tsc = 1 } };

	SHOULD(pmc_call(fd, PMC_IOC_TSC, tsc) == -E2BIG);
	return NULL;
}

static const char *TSC_EFAULT(int fd)
{
	struct pmc_tsc tsc = { .size = sizeof(tsc) };
	unsigned char *constant = read_only(&tsc, sizeof(tsc));

	SHOULD(constant);
	SHOULD(pmc_call(fd, PMC_IOC_TSC, constant) == -EFAULT);
	return bad_addresses(fd, PMC_IOC_TSC, &tsc, sizeof(tsc), 1);
}

static const char *TSC_EOPNOTSUPP(int fd)
{
	struct pmc_query query;
	struct pmc_tsc tsc = { .size = sizeof(tsc) };

	SHOULD(!pmc_query(PMC_CPU_ANY, &query));
	if (query.features & PMC_FEATURE(TSC))
		CANNOT("this CPU has a time-stamp counter");
	SHOULD(pmc_call(fd, PMC_IOC_TSC, &tsc) == -EOPNOTSUPP);
	return NULL;
}

/* Every field of both structures, one invalid at a time */
static const char *CONFIGURE_EINVAL(int fd)
{
	struct pmc_query query;
	struct setup setup;
	unsigned int bit;

#define REFUSED(change, entry) do {						\
	good(&setup);								\
	change;									\
	SHOULD(setup_configure(fd, &setup) == -EINVAL);				\
	SHOULD(setup.config.failed_entry == (entry));				\
} while (0)
#define REFUSED_WHOLE(change)	REFUSED(change, PMC_ENTRY_NONE)

	SHOULD(!pmc_query(PMC_CPU_ANY, &query));

	good(&setup);
	setup.config.size = offsetof(struct pmc_config, failed_entry) - 1;
	SHOULD(setup_configure(fd, &setup) == -EINVAL);
	setup.config.size = 0;
	SHOULD(setup_configure(fd, &setup) == -EINVAL);

	REFUSED_WHOLE(setup.config.nr_counters = 0);
	REFUSED_WHOLE(setup.config.counter_size = 0);
	REFUSED_WHOLE(setup.config.counter_size = 8);
	REFUSED_WHOLE(setup.config.scope = 0);
	REFUSED_WHOLE(setup.config.scope = PMC_SCOPE_TREE + 1);
	REFUSED_WHOLE(setup.config.scope = UINT_MAX);
	REFUSED_WHOLE(setup.config.tid = -1);
	REFUSED_WHOLE(setup.config.cpu = 0);
	REFUSED_WHOLE(setup.config.core_type = 1);
	REFUSED_WHOLE(setup.config.core_type = PMC_CORE_TYPE_MODEL);
	/* no processor has cores of this type */
	good(&setup);
	setup.config.core_type = 0x7f000000;
	SHOULD(setup_configure(fd, &setup) == -ENODEV);
	SHOULD(setup.config.failed_cpu == -1);
	for (bit = 2; bit < 32; bit++)
		REFUSED_WHOLE(setup.config.flags = 1U << bit);
	REFUSED_WHOLE(setup.config.flags = PMC_CONFIG_USER_READ | PMC_CONFIG_ON_EXEC);
	REFUSED_WHOLE(setup.config.flags = PMC_CONFIG_USER_READ;
		      setup.config.scope = PMC_SCOPE_PROCESS);
	REFUSED_WHOLE(setup.config.flags = PMC_CONFIG_USER_READ;
		      setup.config.scope = PMC_SCOPE_TREE);
	REFUSED_WHOLE(setup.config.scope = PMC_SCOPE_CPU; setup.config.cpu = 0;
		      setup.config.flags = PMC_CONFIG_USER_READ);

	/* ON_EXEC and a thread belong to PMC_SCOPE_THREAD, a CPU to PMC_SCOPE_CPU. */
	REFUSED_WHOLE(setup.config.scope = PMC_SCOPE_CPU; setup.config.cpu = 0;
		      setup.config.flags = PMC_CONFIG_ON_EXEC);
	REFUSED_WHOLE(setup.config.scope = PMC_SCOPE_CPU; setup.config.cpu = 0;
		      setup.config.tid = getpid());
	REFUSED_WHOLE(setup.config.scope = PMC_SCOPE_CPU);
	REFUSED_WHOLE(setup.config.scope = PMC_SCOPE_CPU; setup.config.cpu = -2);
	REFUSED_WHOLE(setup.config.scope = PMC_SCOPE_CPU; setup.config.cpu = INT_MAX);
	REFUSED_WHOLE(setup.config.scope = PMC_SCOPE_ALL_CPUS; setup.config.cpu = 0);
	REFUSED_WHOLE(setup.config.scope = PMC_SCOPE_ALL_CPUS;
		      setup.config.flags = PMC_CONFIG_ON_EXEC);
	REFUSED_WHOLE(setup.config.scope = PMC_SCOPE_ALL_CPUS; setup.config.tid = getpid());

	/* Entries: the reply identifies the invalid one, also when it is not the first. */
	REFUSED(setup.counter[0].flags = 0, 0);
	for (bit = 2; bit < 32; bit++)
		REFUSED(setup.counter[0].flags |= 1U << bit, 0);
	for (bit = 0; bit < 64; bit++) {
		REFUSED(setup.counter[0].event_extra = 1ULL << bit, 0);
		REFUSED(setup.counter[0].reserved = 1ULL << bit, 0);
	}
	REFUSED(setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, 0), 1);
	REFUSED(setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER), 1);
	REFUSED(setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
		setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER), 2);
	if (query.fixed_counters & 1) {
		REFUSED(setup_add(&setup, PMC_COUNTER_FIXED(0), 0, PMC_COUNT_USER);
			setup_add(&setup, PMC_COUNTER_FIXED(0), 0, PMC_COUNT_USER), 2);
	}
#undef REFUSED_WHOLE
#undef REFUSED
	/* None of these requests left anything behind. */
	SHOULD(!configured(fd));
	return NULL;
}

/* All 64 bits of an event select, alone and together, general and fixed */
static const char *refused_bits(int fd, uint32_t counter)
{
	struct pmc_counter answer;
	struct setup setup;
	unsigned int bit;

	SHOULD(!pmc_describe(PMC_CPU_ANY, counter, &answer));
	for (bit = 0; bit < 64; bit++) {
		bool allowed = answer.event_select_mask & 1ULL << bit;

		setup_thread(&setup, 0, 0);
		setup_add(&setup, counter, 0, PMC_COUNT_USER);
		/* with each bit an event that AMD's family 15h can count there */
		setup.counter[0].event_select = 1ULL << bit | (is_amd() ? 0x40 : 0);
		if (allowed) {
			SHOULD(setup_configure(fd, &setup) == 0);
			SHOULD(pmc_call(fd, PMC_IOC_RELEASE, NULL) == 0);
			continue;
		}
		SHOULD(setup_configure(fd, &setup) == -EINVAL);
		SHOULD(setup.config.failed_entry == 0);
		SHOULD(setup.config.refused_bits == 1ULL << bit);
	}
	setup.counter[0].event_select = ~0ULL;
	SHOULD(setup_configure(fd, &setup) == -EINVAL);
	SHOULD(setup.config.refused_bits == ~answer.event_select_mask);
	return NULL;
}

static const char *CONFIGURE_E2BIG(int fd)
{
	struct {
		struct pmc_counter_config known;
		unsigned char more[64];
	} entries[2];
	struct {
		struct pmc_config config;
		unsigned char more[64];
	} request;
	struct setup setup;
	unsigned int i;

	good(&setup);
	setup_place(&setup);
	for (i = 0; i < sizeof(request.more); i++) {
		memset(&request, 0, sizeof(request));
		request.config = setup.config;
		request.config.size = sizeof(request);
		request.more[i] = 0x80;
		SHOULD(pmc_call(fd, PMC_IOC_CONFIGURE, &request) == -E2BIG);
	}
	memset(&request, 0, sizeof(request));
	request.config = setup.config;
	request.config.size = sizeof(request);
	SHOULD(pmc_call(fd, PMC_IOC_CONFIGURE, &request) == 0);
	SHOULD(pmc_call(fd, PMC_IOC_RELEASE, NULL) == 0);

	/* The same for the entries; the second one is invalid. */
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	setup_place(&setup);
	setup.config.counter_size = sizeof(entries[0]);
	setup.config.counters = (uintptr_t)entries;
	for (i = 0; i < sizeof(entries[1].more); i++) {
		memset(entries, 0, sizeof(entries));
		entries[0].known = setup.counter[0];
		entries[1].known = setup.counter[1];
		entries[1].more[i] = 1;
		SHOULD(setup_configure(fd, &setup) == -E2BIG);
		SHOULD(setup.config.failed_entry == 1);
	}
	entries[1].more[63] = 0;
	SHOULD(setup_configure(fd, &setup) == 0);
	return NULL;
}

static const char *CONFIGURE_EFAULT(int fd)
{
	unsigned char *end = boundary(), *constant;
	struct setup setup;
	const char *wrong;
	size_t inside;

	good(&setup);
	setup_place(&setup);
	constant = read_only(&setup.config, sizeof(setup.config));
	SHOULD(end && constant);
	wrong = bad_addresses(fd, PMC_IOC_CONFIGURE, &setup.config, sizeof(setup.config), 0);
	if (wrong)
		return wrong;

	/* The reply cannot be written: nothing stays claimed. */
	SHOULD(pmc_call(fd, PMC_IOC_CONFIGURE, constant) == -EFAULT);
	SHOULD(pmc_call(fd, PMC_IOC_START, NULL) == -EBADFD);

	/* The entries, from NULL to an array that ends too early */
	setup.config.counters = 0;
	SHOULD(setup_configure(fd, &setup) == -EFAULT);
	setup.config.counters = ~0ULL;
	SHOULD(setup_configure(fd, &setup) == -EFAULT);
#ifndef __x86_64__
	/* valid except for an address beyond 32 bits, on a 32-bit kernel */
	setup.config.counters = 1ULL << 32 | (uintptr_t)setup.counter;
	SHOULD(setup_configure(fd, &setup) == -EFAULT);
#endif
	setup.config.counters = 1ULL << 63;
	SHOULD(setup_configure(fd, &setup) == -EFAULT);
	for (inside = 0; inside < sizeof(setup.counter[0]); inside++) {
		memcpy(end - inside, setup.counter, inside);
		setup.config.counters = (uintptr_t)(end - inside);
		SHOULD(setup_configure(fd, &setup) == -EFAULT);
	}
	memcpy(end - inside, setup.counter, inside);
	setup.config.counters = (uintptr_t)(end - inside);
	setup.config.nr_counters = 2;
	SHOULD(setup_configure(fd, &setup) == -EFAULT);
	SHOULD(setup.config.failed_entry == 1);
	setup.config.nr_counters = 1;
	SHOULD(setup_configure(fd, &setup) == 0);
	return NULL;
}

static const char *configure_offline(int fd, int cpu)
{
	struct setup setup;

	setup_cpu_one(&setup, cpu);
	SHOULD(setup_configure(fd, &setup) == -ENODEV);
	return NULL;
}

static const char *CONFIGURE_ENODEV(int fd)
{
	return with_cpu_offline(configure_offline, fd);
}

/* Needs a counter that only CPUs of one core type have: tests/selftests/family/hybrid.c */
static const char *CONFIGURE_EXDEV(int fd)
{
	CANNOT("needs two core types: see hybrid");
}

static const char *CONFIGURE_ENXIO(int fd)
{
	static const uint32_t absent[] = {
		32, 63, 64, 0x3fffffff, 0x4000001f, 0x40000040, 0x7fffffff, 0x80000000, 0xffffffff,
	};
	struct pmc_query query;
	struct setup setup;
	unsigned int i;

	SHOULD(!pmc_query(PMC_CPU_ANY, &query));
	for (i = 0; i < 32; i++) {
		if (query.general_counters & 1ULL << i)
			continue;
		setup_thread(&setup, 0, 0);
		setup_add(&setup, PMC_COUNTER_GENERAL(i), EVENT_BRANCHES, PMC_COUNT_USER);
		SHOULD(setup_configure(fd, &setup) == -ENXIO);
	}
	for (i = 0; i < 32; i++) {
		if (query.fixed_counters & 1ULL << i)
			continue;
		good(&setup);
		setup_add(&setup, PMC_COUNTER_FIXED(i), 0, PMC_COUNT_USER);
		SHOULD(setup_configure(fd, &setup) == -ENXIO);
		SHOULD(setup.config.failed_entry == 1);
	}
	for (i = 0; i < ARRAY_SIZE(absent); i++) {
		good(&setup);
		setup.counter[0].counter = absent[i];
		setup.counter[0].event_select = 0;
		SHOULD(setup_configure(fd, &setup) == -ENXIO);
		SHOULD(setup.config.failed_entry == 0);
	}
	return NULL;
}

/* A kernel thread has no user mode and never executes a program. */
static const char *CONFIGURE_EOPNOTSUPP(int fd)
{
	char comm[32];
	struct setup setup;

	if (file_read("/proc/2/comm", comm, sizeof(comm)) || strcmp(comm, "kthreadd\n"))
		CANNOT("thread 2 is not the kernel's");
	if (geteuid())
		CANNOT("only root may ask for a kernel thread");
	good(&setup);
	setup.config.tid = 2;
	SHOULD(setup_configure(fd, &setup) == -EOPNOTSUPP);
	return NULL;
}

static const char *CONFIGURE_EBUSY(int fd)
{
	struct setup setup;
	int other = pmc_open();

	SHOULD(other >= 0);
	SHOULD(!configured(other));
	good(&setup);
	SHOULD(setup_configure(fd, &setup) == -EBUSY);
	SHOULD(setup.config.holder.kind == PMC_HOLDER_CONTEXT);
	SHOULD(setup.config.holder.pid == getpid());
	SHOULD(setup.config.holder.counter == 0);
	SHOULD(!close(other));
	SHOULD(setup_configure(fd, &setup) == 0);
	return NULL;
}

/* The program permissions tests the other permissions. */
static const char *CONFIGURE_EACCES(int fd)
{
	struct setup setup;
	int status;
	pid_t pid;

	if (geteuid())
		CANNOT("only root can give up root's rights");
	setup_cpu_one(&setup, 0);
	pid = fork();
	if (pid == 0) {
		if (setresgid(USER_NOBODY, USER_NOBODY, USER_NOBODY) ||
		    setresuid(USER_NOBODY, USER_NOBODY, USER_NOBODY))
			_exit(2);
		_exit(setup_configure(fd, &setup) != -EACCES);
	}
	SHOULD(waitpid(pid, &status, 0) == pid);
	SHOULD(status == 0);
	return NULL;
}

static const char *CONFIGURE_EPERM(int fd)
{
	CANNOT("the kernel is not locked down (see \"lockdown\", in a boot of its own)");
}

static const char *CONFIGURE_ENOSPC(int fd)
{
	struct setup setup;

	good(&setup);
	setup.config.nr_counters = PMC_COUNTERS_MAX + 1;
	SHOULD(setup_configure(fd, &setup) == -ENOSPC);
	setup.config.nr_counters = UINT_MAX;
	SHOULD(setup_configure(fd, &setup) == -ENOSPC);
	return NULL;
}

static const char *CONFIGURE_ESRCH(int fd)
{
	struct setup setup;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	SHOULD(waitpid(pid, NULL, 0) == pid);
	good(&setup);
	setup.config.tid = pid;
	SHOULD(setup_configure(fd, &setup) == -ESRCH);
	setup.config.tid = INT_MAX;
	SHOULD(setup_configure(fd, &setup) == -ESRCH);
	return NULL;
}

static const char *CONFIGURE_EBADFD(int fd)
{
	struct setup setup;

	SHOULD(!configured(fd));
	setup_thread(&setup, 0, 0);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	SHOULD(setup_configure(fd, &setup) == -EBADFD);
	SHOULD(pmc_call(fd, PMC_IOC_RELEASE, NULL) == 0);
	SHOULD(setup_configure(fd, &setup) == 0);
	return NULL;
}

static const char *CONFIGURE_ENOBUFS(int fd)
{
	CANNOT("only an ordinary user has the limit (see \"sample_limit\")");
}

static const char *CONFIGURE_ENOMEM(int fd)
{
	CANNOT("there is memory (see \"enomem\", in a boot of its own, and \"fail_nth\")");
}

/* START, STOP, RESET and RELEASE take no argument. */
static const char *argument_refused(int fd, unsigned int command)
{
	unsigned int bit;

	SHOULD(!configured(fd));
	for (bit = 0; bit < 8 * sizeof(long); bit++)
		SHOULD(pmc_call(fd, command, (void *)(1UL << bit)) == -EINVAL);
	SHOULD(pmc_call(fd, command, NULL) == 0);
	return NULL;
}

static const char *START_EINVAL(int fd)
{
	return argument_refused(fd, PMC_IOC_START);
}

static const char *STOP_EINVAL(int fd)
{
	return argument_refused(fd, PMC_IOC_STOP);
}

static const char *RESET_EINVAL(int fd)
{
	return argument_refused(fd, PMC_IOC_RESET);
}

static const char *RELEASE_EINVAL(int fd)
{
	return argument_refused(fd, PMC_IOC_RELEASE);
}

/* Before CONFIGURE, and after RELEASE */
static const char *not_configured(int fd, unsigned int command)
{
	struct reading reading = { .size = sizeof(reading), .cpu = PMC_CPU_ANY };
	uint64_t values[PMC_COUNTERS_MAX] = { 0 };
	struct pmc_write write = {
		.size = sizeof(write), .nr_counters = 1, .values = (uintptr_t)values,
	};
	void *argument = command == PMC_IOC_READ ? (void *)&reading :
			 command == PMC_IOC_WRITE ? (void *)&write : NULL;

	SHOULD(pmc_call(fd, command, argument) == -EBADFD);
	SHOULD(!configured(fd));
	SHOULD(pmc_call(fd, command, argument) == 0);
	if (command != PMC_IOC_RELEASE)
		SHOULD(pmc_call(fd, PMC_IOC_RELEASE, NULL) == 0);
	reading.nr_counters = 0;
	SHOULD(pmc_call(fd, command, argument) == -EBADFD);
	return NULL;
}

static const char *START_EBADFD(int fd)
{
	return not_configured(fd, PMC_IOC_START);
}

static const char *STOP_EBADFD(int fd)
{
	return not_configured(fd, PMC_IOC_STOP);
}

static const char *RESET_EBADFD(int fd)
{
	return not_configured(fd, PMC_IOC_RESET);
}

static const char *RELEASE_EBADFD(int fd)
{
	return not_configured(fd, PMC_IOC_RELEASE);
}

static const char *READ_EBADFD(int fd)
{
	return not_configured(fd, PMC_IOC_READ);
}

static const char *WRITE_EBADFD(int fd)
{
	return not_configured(fd, PMC_IOC_WRITE);
}

static const char *start_offline(int fd, int cpu)
{
	SHOULD(pmc_call(fd, PMC_IOC_START, NULL) == -ENODEV);
	return NULL;
}

static const char *START_ENODEV(int fd)
{
	struct setup setup;

	setup_cpu_one(&setup, cpus_online() - 1);
	SHOULD(setup_configure(fd, &setup) == 0);
	return with_cpu_offline(start_offline, fd);
}

static const char *START_ESRCH(int fd)
{
	struct setup setup;
	struct child child;

	SHOULD(!child_spin(&child));
	good(&setup);
	setup.config.tid = child.pid;
	SHOULD(setup_configure(fd, &setup) == 0);
	SHOULD(pmc_call(fd, PMC_IOC_START, NULL) == 0);
	child_kill(&child);
	SHOULD(pmc_call(fd, PMC_IOC_START, NULL) == -ESRCH);
	return NULL;
}

static const char *READ_EINVAL(int fd)
{
	struct reading reading;
	unsigned int bit;

#define REFUSED(change) do {							\
	memset(&reading, 0, sizeof(reading));					\
	reading.size = sizeof(reading);						\
	reading.cpu = PMC_CPU_ANY;						\
	change;									\
	SHOULD(pmc_call(fd, PMC_IOC_READ, &reading) == -EINVAL);		\
} while (0)

	SHOULD(!configured(fd));
	REFUSED(reading.size = 0);
	REFUSED(reading.size = sizeof(struct pmc_read) - 1);
	REFUSED(reading.cpu = 0);
	REFUSED(reading.cpu = -2);
	REFUSED(reading.nr_counters = 1);
	/* one CPU of a context that counts a thread */
	REFUSED(reading.flags = PMC_READ_ONE_CPU; reading.cpu = 0);
	for (bit = 1; bit < 32; bit++)
		REFUSED(reading.flags = 1U << bit);
	if (geteuid() == 0) {
		struct setup setup;

		SHOULD(pmc_call(fd, PMC_IOC_RELEASE, NULL) == 0);
		setup_all_cpus(&setup);
		setup_add(&setup, PMC_COUNTER_GENERAL(0), EVENT_BRANCHES, PMC_COUNT_USER);
		SHOULD(setup_configure(fd, &setup) == 0);
		REFUSED(reading.flags = PMC_READ_ONE_CPU; reading.cpu = -1);
		REFUSED(reading.flags = PMC_READ_ONE_CPU; reading.cpu = INT_MAX);
		REFUSED(reading.cpu = 0);
	}
#undef REFUSED
	return NULL;
}

static const char *READ_EFAULT(int fd)
{
	struct pmc_read read = { .size = PMC_READ_SIZE(1), .cpu = PMC_CPU_ANY };
	struct {
		struct pmc_read read;
		__u64 value;
	} image = { .read = read };
	unsigned char *constant = read_only(&image, sizeof(image));

	SHOULD(constant);
	SHOULD(!configured(fd));
	SHOULD(pmc_call(fd, PMC_IOC_READ, constant) == -EFAULT);
	return bad_addresses(fd, PMC_IOC_READ, &image, sizeof(image), 1);
}

static const char *READ_ENOSPC(int fd)
{
	struct reading reading;
	struct setup setup;
	size_t size;

	good(&setup);
	setup_add(&setup, PMC_COUNTER_GENERAL(1), EVENT_BRANCHES, PMC_COUNT_USER);
	SHOULD(setup_configure(fd, &setup) == 0);
	for (size = sizeof(struct pmc_read); size < PMC_READ_SIZE(2); size++) {
		memset(&reading, 0, sizeof(reading));
		reading.size = size;
		reading.cpu = PMC_CPU_ANY;
		SHOULD(pmc_call(fd, PMC_IOC_READ, &reading) == -ENOSPC);
	}
	reading.size = size;
	SHOULD(pmc_call(fd, PMC_IOC_READ, &reading) == 0);
	return NULL;
}

static const char *WRITE_EINVAL(int fd)
{
	uint64_t values[PMC_COUNTERS_MAX] = { 0 };
	struct pmc_write write;
	unsigned int bit;

#define REFUSED(change) do {							\
	memset(&write, 0, sizeof(write));					\
	write.size = sizeof(write);						\
	write.nr_counters = 1;							\
	write.values = (uintptr_t)values;					\
	change;									\
	SHOULD(pmc_call(fd, PMC_IOC_WRITE, &write) == -EINVAL);			\
} while (0)

	SHOULD(!configured(fd));
	REFUSED(write.size = sizeof(write) - 1);
	REFUSED(write.size = 0);
	REFUSED(write.nr_counters = 0);
	REFUSED(write.nr_counters = 2);
	REFUSED(write.nr_counters = UINT_MAX);
	for (bit = 0; bit < 32; bit++) {
		REFUSED(write.flags = 1U << bit);
		REFUSED(write.reserved = 1U << bit);
	}
#undef REFUSED
	return NULL;
}

static const char *WRITE_E2BIG(int fd)
{
	uint64_t values[1] = { 0 };
	struct pmc_write write[2] = {
		{ .size = sizeof(write), .nr_counters = 1, .values = (uintptr_t)values },
		{ .values = 1 },
	};

	SHOULD(!configured(fd));
	SHOULD(pmc_call(fd, PMC_IOC_WRITE, write) == -E2BIG);
	write[1].values = 0;
	SHOULD(pmc_call(fd, PMC_IOC_WRITE, write) == 0);
	return NULL;
}

static const char *WRITE_EFAULT(int fd)
{
	uint64_t values[1] = { 5 };
	struct pmc_write write = {
		.size = sizeof(write), .nr_counters = 1, .values = (uintptr_t)values,
	};
	unsigned char *end = boundary();
	struct reading reading;
	const char *wrong;
	size_t inside;

	SHOULD(end);
	SHOULD(!configured(fd));
	wrong = bad_addresses(fd, PMC_IOC_WRITE, &write, sizeof(write), 1);
	if (wrong)
		return wrong;
	for (inside = 0; inside < sizeof(values); inside++) {
		write.values = (uintptr_t)(end - inside);
		SHOULD(pmc_call(fd, PMC_IOC_WRITE, &write) == -EFAULT);
	}
	write.values = ~0ULL;
	SHOULD(pmc_call(fd, PMC_IOC_WRITE, &write) == -EFAULT);
#ifndef __x86_64__
	write.values = 1ULL << 32 | (uintptr_t)values;
	SHOULD(pmc_call(fd, PMC_IOC_WRITE, &write) == -EFAULT);
#endif
	/* The refused requests did not change the value. */
	SHOULD(!reading_read(fd, &reading));
	SHOULD(reading.value[0] == 5);
	return NULL;
}

/* ENOTTY is the result for each number that is not an ioctl of the driver. */
static const char *any_ENOTTY(int fd)
{
	static const unsigned int known[] = {
		PMC_IOC_QUERY, PMC_IOC_COUNTER, PMC_IOC_TSC, PMC_IOC_CONFIGURE, PMC_IOC_START,
		PMC_IOC_STOP, PMC_IOC_READ, PMC_IOC_WRITE, PMC_IOC_RESET, PMC_IOC_RELEASE,
		PMC_IOC_STATISTICS,
	};
	unsigned int number, i;

	for (number = 0; number < 256; number++) {
		unsigned int command = _IO(PMC_IOC_MAGIC, number);
		bool none = true;

		for (i = 0; i < ARRAY_SIZE(known); i++)
			none &= command != known[i];
		SHOULD(!none || pmc_call(fd, command, NULL) == -ENOTTY);
		/* Another magic, size or direction makes another ioctl. */
		SHOULD(pmc_call(fd, _IO(PMC_IOC_MAGIC ^ 1, number), NULL) == -ENOTTY);
		SHOULD(pmc_call(fd, _IOC(_IOC_READ, PMC_IOC_MAGIC, number, 8), NULL) == -ENOTTY);
	}
	return NULL;
}

#include "errors_sampling.h"

#define DOCUMENTED(ioctl, error)	{ #ioctl, #error, error, ioctl##_##error },
static const struct documented {
	const char *ioctl;
	const char *error;
	int number;
	const char *(*provoke)(int fd);
} documented[] = {
	/* A documented error without a function above does not compile. */
#include "documented.h"
	{ "any", "ENOTTY", ENOTTY, any_ENOTTY },
	{ "read", "EAGAIN", EAGAIN, read_EAGAIN },
	{ "read", "EBADFD", EBADFD, read_EBADFD },
	{ "read", "EFAULT", EFAULT, read_EFAULT },
	{ "read", "EINVAL", EINVAL, read_EINVAL },
	{ "read", "EIO", EIO, read_EIO },
};

/* Each error in the ABI's list is provoked by some ioctl. */
TEST(every_error_of_the_abi_has_a_test)
{
	static const struct {
		int number;
		const char *name;
	} errors[] = {
#define X(number, meaning, advice) { number, #number },
		PMC_ERRORS(X)
#undef X
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		for (j = 0; j < ARRAY_SIZE(documented); j++) {
			if (documented[j].number == errors[i].number)
				break;
		}
		EXPECT_LT(j, ARRAY_SIZE(documented)) {
			TH_LOG("%s is not documented for any ioctl", errors[i].name);
		}
	}
	for (j = 0; j < ARRAY_SIZE(documented); j++) {
		for (i = 0; i < ARRAY_SIZE(errors); i++) {
			if (documented[j].number == errors[i].number)
				break;
		}
		EXPECT_LT(i, ARRAY_SIZE(errors)) {
			TH_LOG("%s of %s is not in PMC_ERRORS", documented[j].error,
			       documented[j].ioctl);
		}
	}
}

/* One test for each line of documented.h, in its order */
FIXTURE(provoke) {
	BASE_FIXTURE;
};

FIXTURE_SETUP(provoke)
{
	BASE_SETUP();
}

FIXTURE_TEARDOWN_CLOSE(provoke)

static void provoke(struct __test_metadata *_metadata, int fd, const char *ioctl,
		    const char *error)
{
	const char *wrong;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(documented); i++) {
		if (!strcmp(documented[i].ioctl, ioctl) && !strcmp(documented[i].error, error))
			break;
	}
	ASSERT_LT(i, ARRAY_SIZE(documented));
	wrong = documented[i].provoke(fd);
	if (wrong && !strncmp(wrong, "SKIP ", 5))
		SKIP(return, "%s", wrong + 5);
	EXPECT_EQ(NULL, wrong) {
		TH_LOG("%s %s: %s", ioctl, error, wrong);
	}
}

#undef DOCUMENTED
#define DOCUMENTED(ioctl, error)						\
TEST_F(provoke, ioctl##_##error##_test)						\
{										\
	provoke(_metadata, self->fd, #ioctl, #error);				\
}
#include "documented.h"
DOCUMENTED(any, ENOTTY)
DOCUMENTED(read, EAGAIN)
DOCUMENTED(read, EBADFD)
DOCUMENTED(read, EFAULT)
DOCUMENTED(read, EINVAL)
DOCUMENTED(read, EIO)

TEST_F(provoke, errors_of_sampling_only)
{
	const char *wrong = sampling_refused(self->fd);

	EXPECT_EQ(NULL, wrong) {
		TH_LOG("%s", wrong);
	}
}

TEST_F(provoke, event_select_bits_of_a_general_counter)
{
	const char *wrong = refused_bits(self->fd, PMC_COUNTER_GENERAL(0));

	EXPECT_EQ(NULL, wrong) {
		TH_LOG("%s", wrong);
	}
}

TEST_F(provoke, event_select_bits_of_a_fixed_counter)
{
	const char *wrong;

	if (!(self->query.fixed_counters & 1))
		SKIP(return, "no fixed counters");
	wrong = refused_bits(self->fd, PMC_COUNTER_FIXED(0));
	EXPECT_EQ(NULL, wrong) {
		TH_LOG("%s", wrong);
	}
}

static void fill_out_fields(struct pmc_config *config)
{
	memset(&config->failed_entry, 0xa5, sizeof(config->failed_entry));
	memset(&config->failed_cpu, 0xa5, sizeof(config->failed_cpu));
	memset(&config->refused_bits, 0xa5, sizeof(config->refused_bits));
	memset(&config->context, 0xa5, sizeof(config->context));
	memset(&config->holder, 0xa5, sizeof(config->holder));
}

/* CONFIGURE writes each out field, whatever the caller's structure had there. */
TEST_F(provoke, out_fields_of_configure)
{
	static const struct pmc_holder none;

	good(&self->setup);
	fill_out_fields(&self->setup.config);
	self->setup.counter[0].flags = 0;
	EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(0, self->setup.config.failed_entry);
	EXPECT_EQ(0, self->setup.config.refused_bits);
	EXPECT_EQ(0, self->setup.config.context);
	EXPECT_EQ(0, memcmp(&none, &self->setup.config.holder, sizeof(none)));

	good(&self->setup);
	fill_out_fields(&self->setup.config);
	EXPECT_EQ(0, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(PMC_ENTRY_NONE, self->setup.config.failed_entry);
	EXPECT_EQ(-1, self->setup.config.failed_cpu);
	EXPECT_EQ(0, self->setup.config.refused_bits);
	EXPECT_NE(0, self->setup.config.context);
	EXPECT_NE(0xa5a5a5a5a5a5a5a5ULL, self->setup.config.context);
	EXPECT_EQ(0, memcmp(&none, &self->setup.config.holder, sizeof(none)));
}

/* A context can have PMC_COUNTERS_MAX counters; the second one here is the first again. */
TEST_F(provoke, most_counters)
{
	unsigned int i;

	setup_thread(&self->setup, 0, 0);
	for (i = 0; i < PMC_COUNTERS_MAX; i++)
		setup_add(&self->setup, PMC_COUNTER_GENERAL(0), EVENT_INSTRUCTIONS,
			  PMC_COUNT_USER);
	EXPECT_EQ(-EINVAL, setup_configure(self->fd, &self->setup));
	EXPECT_EQ(1, self->setup.config.failed_entry);
}

/* The file itself cannot be read, written or mapped. */
TEST_F(provoke, not_a_plain_file)
{
	char byte = 0;

	EXPECT_EQ(-1, read(self->fd, &byte, 1));
	EXPECT_EQ(-1, write(self->fd, &byte, 1));
	EXPECT_EQ(-1, lseek(self->fd, 0, SEEK_SET));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->fd, 0));
}

TEST_HARNESS_MAIN
