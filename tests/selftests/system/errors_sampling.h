/* SPDX-License-Identifier: GPL-2.0-only */
/* Part of errors.c: the errors of contexts with a sampling period */
#include "samples.h"

/* A valid request with a period, on the first counter that can have one */
static void good_sampling(struct setup *setup)
{
	good(setup);
	setup_period(setup, 0, 200000);
}

static int configured_sampling(int fd, struct setup *setup)
{
	good_sampling(setup);
	return setup_configure(fd, setup);
}

static bool can_sample(void)
{
	struct pmc_counter counter;

	return !pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(0), &counter) && counter.period_max;
}

#define NEEDS_SAMPLING() do {							\
	if (!can_sample())							\
		CANNOT("no overflow interrupt here");				\
} while (0)

/* Family core: an event that general counter 0 cannot count, 0 if the driver knows none */
static unsigned int refused_event(unsigned int model)
{
	switch (model) {
	case 0x0e:
	case 0x0f:
	case 0x17:
		return 0x0012; /* MUL: counter 1 */
	case 0x1c:
	case 0xc6:
		return 0;
	case 0x8f:
		return 0x012a; /* offcore response: needs an extra register */
	default:
		return 0x01b7;
	}
}

/* An event that some counter of this processor cannot count */
static const char *CONFIGURE_EDOM(int fd)
{
	struct pmc_query query;
	struct setup setup;

	SHOULD(!pmc_query(PMC_CPU_ANY, &query));
	setup_thread(&setup, 0, 0);
	if (query.family == PMC_FAMILY_P6)
		setup_add(&setup, PMC_COUNTER_GENERAL(1), 0xc1, PMC_COUNT_USER);
	else if (query.family == PMC_FAMILY_NETBURST)
		setup_add(&setup, PMC_COUNTER_GENERAL(4), 7 << 13, PMC_COUNT_USER);
	else if (query.family == PMC_FAMILY_AMD && query.cpu_family >= 0x0f)
		/* of the north bridge, or of a pair */
		setup_add(&setup, PMC_COUNTER_GENERAL(0), query.cpu_family < 0x17 ? 0xe1 : 0x03,
			  PMC_COUNT_USER);
	else if (query.family == PMC_FAMILY_CORE && refused_event(query.cpu_model))
		setup_add(&setup, PMC_COUNTER_GENERAL(0), refused_event(query.cpu_model),
			  PMC_COUNT_USER);
	else
		CANNOT("every counter can count every event here");
	SHOULD(setup_configure(fd, &setup) == -EDOM);
	SHOULD(setup.config.failed_entry == 0);
	return NULL;
}

static const char *CONFIGURE_ERANGE(int fd)
{
	struct pmc_counter counter;
	struct setup setup;

	NEEDS_SAMPLING();
	SHOULD(!pmc_describe(PMC_CPU_ANY, PMC_COUNTER_GENERAL(0), &counter));
	good(&setup);
	setup_period(&setup, 0, counter.period_max + 1);
	SHOULD(setup_configure(fd, &setup) == -ERANGE);
	SHOULD(setup.config.failed_entry == 0);
	/* only the sign bit of 64 bits: it is its own negative */
	setup_period(&setup, 0, 1ULL << 63);
	SHOULD(setup_configure(fd, &setup) == -ERANGE);
	SHOULD(setup.config.failed_entry == 0);
	setup_period(&setup, 0, UINT64_MAX);
	SHOULD(setup_configure(fd, &setup) == -ERANGE);
	setup_period(&setup, 0, counter.period_max);
	SHOULD(setup_configure(fd, &setup) == 0);
	return NULL;
}

/* Without a period, each sampling field is refused. */
static const char *sampling_without_period(int fd)
{
	struct setup setup;

#define REFUSED(change) do {							\
	good(&setup);								\
	change;									\
	SHOULD(setup_configure(fd, &setup) == -EINVAL);				\
} while (0)
	REFUSED(setup.config.sample_flags = PMC_SAMPLE_MMAPS);
	REFUSED(setup.config.frames = 1);
	REFUSED(setup.config.ring_size = 4096);
	REFUSED(setup.config.watermark = 1);
#undef REFUSED
	return NULL;
}

/* Errors of sampling only; without overflow interrupts, every period is refused. */
static const char *sampling_refused(int fd)
{
	struct setup setup;
	unsigned int bit;

	if (!can_sample()) {
		SHOULD(configured_sampling(fd, &setup) == -EOPNOTSUPP);
		SHOULD(setup.config.failed_entry == 0);
		setup_period(&setup, 0, 1);
		SHOULD(setup_configure(fd, &setup) == -EOPNOTSUPP);
		setup_period(&setup, 0, UINT64_MAX);
		SHOULD(setup_configure(fd, &setup) == -EOPNOTSUPP);
		return sampling_without_period(fd);
	}
#define REFUSED(change) do {							\
	good_sampling(&setup);							\
	change;									\
	SHOULD(setup_configure(fd, &setup) == -EINVAL);				\
} while (0)
	for (bit = 3; bit < 32; bit++)
		REFUSED(setup.config.sample_flags = 1U << bit);
	REFUSED(setup.config.frames = PMC_FRAMES_MAX + 1);
	REFUSED(setup.config.frames = UINT32_MAX);
	for (bit = 0; bit < 12; bit++)
		REFUSED(setup.config.ring_size = 1U << bit);
	for (bit = 25; bit < 32; bit++)
		REFUSED(setup.config.ring_size = 1U << bit);
	REFUSED(setup.config.ring_size = 3 * 4096);
	REFUSED(setup.config.ring_size = UINT32_MAX);
	REFUSED(setup.config.watermark = PMC_RING_SIZE_DEFAULT + 1);
	REFUSED((setup.config.ring_size = 8192, setup.config.watermark = 8193));
	/* two records of the longest kind do not fit */
	REFUSED((setup.config.ring_size = 4096, setup.config.frames = PMC_FRAMES_MAX,
		 setup.config.sample_flags = PMC_SAMPLE_KERNEL_CALLCHAIN |
		 PMC_SAMPLE_USER_CALLCHAIN));
	REFUSED(setup.config.flags = PMC_CONFIG_USER_READ);
#undef REFUSED
	return sampling_without_period(fd);
}

static const char *STATISTICS_EINVAL(int fd)
{
	struct pmc_statistics statistics;
	struct setup setup;
	unsigned int bit;

	NEEDS_SAMPLING();
	SHOULD(!configured_sampling(fd, &setup));
	for (bit = 0; bit < 32; bit++) {
		memset(&statistics, 0, sizeof(statistics));
		statistics.size = sizeof(statistics);
		statistics.flags = 1U << bit;
		SHOULD(pmc_call(fd, PMC_IOC_STATISTICS, &statistics) == -EINVAL);
	}
	statistics.flags = 0;
	for (statistics.size = 0; statistics.size < 8; statistics.size++)
		SHOULD(pmc_call(fd, PMC_IOC_STATISTICS, &statistics) == -EINVAL);
	SHOULD(pmc_call(fd, PMC_IOC_STATISTICS, &statistics) == 0);
	return NULL;
}

static const char *STATISTICS_E2BIG(int fd)
{
	struct pmc_statistics statistics[2] = { { .size = sizeof(statistics) }, { .wakeups = 1 } };
	struct setup setup;

	NEEDS_SAMPLING();
	SHOULD(!configured_sampling(fd, &setup));
	SHOULD(pmc_call(fd, PMC_IOC_STATISTICS, statistics) == -E2BIG);
	statistics[1].wakeups = 0;
	SHOULD(pmc_call(fd, PMC_IOC_STATISTICS, statistics) == 0);
	return NULL;
}

static const char *STATISTICS_EFAULT(int fd)
{
	struct pmc_statistics statistics = { .size = sizeof(statistics) };
	struct setup setup;

	NEEDS_SAMPLING();
	SHOULD(!configured_sampling(fd, &setup));
	return bad_addresses(fd, PMC_IOC_STATISTICS, &statistics, sizeof(statistics), 8);
}

static const char *STATISTICS_EBADFD(int fd)
{
	struct pmc_statistics statistics = { .size = sizeof(statistics) };

	SHOULD(pmc_call(fd, PMC_IOC_STATISTICS, &statistics) == -EBADFD);
	SHOULD(!configured(fd));
	SHOULD(pmc_call(fd, PMC_IOC_STATISTICS, &statistics) == -EBADFD);
	return NULL;
}

static const char *read_EAGAIN(int fd)
{
	struct setup setup;
	char buffer[4096];

	NEEDS_SAMPLING();
	SHOULD(!configured_sampling(fd, &setup));
	SHOULD(read(fd, buffer, sizeof(buffer)) == 0);
	SHOULD(!fcntl(fd, F_SETFL, O_NONBLOCK));
	SHOULD(read(fd, buffer, sizeof(buffer)) == 0);
	SHOULD(!pmc_call(fd, PMC_IOC_START, NULL));
	SHOULD(read(fd, buffer, sizeof(buffer)) == -1 && errno == EAGAIN);
	SHOULD(!pmc_call(fd, PMC_IOC_STOP, NULL));
	SHOULD(read(fd, buffer, sizeof(buffer)) == 0);
	return NULL;
}

static const char *read_EBADFD(int fd)
{
	char buffer[4096];

	SHOULD(read(fd, buffer, sizeof(buffer)) == -1 && errno == EBADFD);
	SHOULD(!configured(fd));
	SHOULD(read(fd, buffer, sizeof(buffer)) == -1 && errno == EBADFD);
	return NULL;
}

/* Fill the ring of the current CPU with some samples of this thread. */
static const char *fill(int fd, struct setup *setup, struct ring *ring)
{
	volatile unsigned int i;
	cpu_set_t before;

	SHOULD(!sched_getaffinity(0, sizeof(before), &before));
	SHOULD(!pin(0, 0));
	good(setup);
	setup_period(setup, 0, 10000);
	SHOULD(!setup_configure(fd, setup));
	SHOULD(!ring_map(ring, fd, setup, 0));
	SHOULD(!pmc_call(fd, PMC_IOC_START, NULL));
	for (i = 0; i < 100000; i++)
		;
	SHOULD(!pmc_call(fd, PMC_IOC_STOP, NULL));
	SHOULD(ring->shared->head > 3 * sizeof(struct pmc_sample));
	SHOULD(!sched_setaffinity(0, sizeof(before), &before));
	return NULL;
}

static const char *read_EIO(int fd)
{
	/* the last one: more than all records */
	uint32_t sizes[] = { 0, 4, 9, 0x7fffffff, 0xfffffff8, 0 };
	struct pmc_record *record;
	struct setup setup;
	struct ring ring;
	const char *wrong;
	char buffer[4096];
	unsigned int i;
	uint32_t size;

	NEEDS_SAMPLING();
	wrong = fill(fd, &setup, &ring);
	if (wrong)
		return wrong;
	record = (void *)((char *)ring.shared + ring.shared->data_offset);
	size = record->size;
	sizes[ARRAY_SIZE(sizes) - 1] = ring.shared->head + 8;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		ring.shared->tail = 0;
		record->size = sizes[i];
		SHOULD(read(fd, buffer, sizeof(buffer)) == -1 && errno == EIO);
		/* the old records are gone, and sampling continues */
		SHOULD(ring.shared->tail == ring.shared->head);
		SHOULD(read(fd, buffer, sizeof(buffer)) == 0);
	}
	ring.shared->tail = ring.shared->head + 8;
	SHOULD(read(fd, buffer, sizeof(buffer)) == -1 && errno == EIO);
	/* a record of an impossible size */
	record->size = size;
	ring.shared->tail = -ring.shared->data_size;
	SHOULD(read(fd, buffer, sizeof(buffer)) == -1 && errno == EIO);
	ring.shared->tail = 4;
	SHOULD(read(fd, buffer, sizeof(buffer)) == -1 && errno == EIO);
	/* the head is the program's own copy */
	ring.shared->head += 4096;
	SHOULD(read(fd, buffer, sizeof(buffer)) == 0);
	ring_unmap(&ring);
	return NULL;
}

static const char *read_EINVAL(int fd)
{
	struct setup setup;
	struct ring ring;
	const char *wrong;
	char buffer[4096];

	NEEDS_SAMPLING();
	wrong = fill(fd, &setup, &ring);
	if (wrong)
		return wrong;
	SHOULD(read(fd, buffer, 8) == -1 && errno == EINVAL);
	SHOULD(read(fd, buffer, 0) == -1 && errno == EINVAL);
	SHOULD(ring.shared->tail == 0);
	SHOULD(read(fd, buffer, sizeof(struct pmc_sample) + 8) == sizeof(struct pmc_sample) + 8);
	ring_unmap(&ring);
	return NULL;
}

static const char *read_EFAULT(int fd)
{
	struct setup setup;
	struct ring ring;
	const char *wrong;
	unsigned char *end = boundary();

	NEEDS_SAMPLING();
	wrong = fill(fd, &setup, &ring);
	if (wrong)
		return wrong;
	SHOULD(read(fd, end, 4096) == -1 && errno == EFAULT);
	SHOULD(read(fd, end - 16, 4096) == -1 && errno == EFAULT);
	SHOULD(ring.shared->tail == 0);
	/* one record fits before the boundary */
	SHOULD(read(fd, end - sizeof(struct pmc_sample) - 8, 4096) ==
	       sizeof(struct pmc_sample) + 8);
	ring_unmap(&ring);
	return NULL;
}
