/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture of the tests of performance metrics, what they need, and comparison of counts with
 * those of slots.h
 *
 * Include kselftest_harness.h first.
 */
#ifndef SELFTESTS_METRICS_H
#define SELFTESTS_METRICS_H

#include "fixture.h"
#include "slots.h"

#define SLOTS		PMC_COUNTER_SLOTS
#define METRICS		PMC_COUNTER_METRICS

#define ROUNDS		3001	/* of a loop */

FIXTURE(metrics) {
	BASE_FIXTURE;
	struct pmc_counter counter;
	struct slot_count tally;
	int cpu;
	int other;
};

/* Slots of a step of the emulated processors, by model; 0: another processor */
static inline unsigned int width_of(const struct pmc_query *query)
{
	switch (query->cpu_model) {
	case 0x7d:
	case 0x7e:
	case 0x8c:
		return 5;
	case 0x8f:
		return 6;
	default:
		return query->perfmon_version >= 6 ? 8 : 0;
	}
}

/* A CPU from @cpu on that has them, or -1 */
static inline int cpu_with_metrics(int cpu, struct pmc_query *query)
{
	for (; cpu < cpus_online(); cpu++) {
		if (!pmc_query(cpu, query) && query->features & PMC_FEATURE(METRICS))
			return cpu;
	}
	return -1;
}

FIXTURE_SETUP(metrics)
{
	struct pmc_query query;

	BASE_SETUP();
	self->cpu = cpu_with_metrics(0, &query);
	if (self->cpu < 0)
		return;
	self->query = query;
	core_type = query.core_type;
	self->other = cpu_with_metrics(self->cpu + 1, &query);
	/* a migration ends an interval, so the thread only migrates where a test wants it */
	ASSERT_EQ(0, pin(0, self->cpu));
	ASSERT_EQ(0, pmc_describe(self->cpu, METRICS, &self->counter));
	width = width_of(&self->query);
	fields = self->counter.width / 8;
}

FIXTURE_TEARDOWN_CLOSE(metrics)

#define NEED_METRICS() do {								\
	if (!(self->query.features & PMC_FEATURE(METRICS)))				\
		SKIP(return, "this processor has no performance metrics");		\
} while (0)

#define NEED_WIDE() do {									\
	if (self->query.fixed_width < 32)						\
		SKIP(return, "counters are %u bits wide", self->query.fixed_width);	\
} while (0)

#define NEED_MACHINE() do {								\
	NEED_METRICS();									\
	if (!width)									\
		SKIP(return, "the exact slots are known only in the emulator");	\
} while (0)

static inline void add_both(struct setup *setup, uint32_t flags)
{
	setup_add(setup, SLOTS, 0, flags);
	setup_add(setup, METRICS, 0, flags);
	setup->counter[setup->config.nr_counters - 1].event_select = 0;
}

static inline void setup_kind(struct setup *setup, uint32_t flags)
{
	setup_thread(setup, 0, flags);
	setup->config.core_type = core_type;
}

static inline void setup_both(struct setup *setup, uint32_t flags)
{
	setup_kind(setup, flags);
	add_both(setup, PMC_COUNT_USER);
}

#define EXPECT_READ(reading, tally) do {						\
	EXPECT_EQ(slots_slots(tally), (reading)->value[0]);				\
	EXPECT_EQ(slots_metrics(tally), (reading)->value[1]) {				\
		TH_LOG("metrics %#llx, not %#llx",					\
		       (unsigned long long)(reading)->value[1],				\
		       (unsigned long long)slots_metrics(tally));			\
	}										\
} while (0)

#define EXPECT_TALLY(fd, tally) do {							\
	struct reading now;								\
	ASSERT_EQ(0, reading_read(fd, &now));						\
	EXPECT_READ(&now, tally);							\
} while (0)

/*
 * Configure. A thread could move to a CPU without the counter between the driver's page and RDPMC:
 * where there is one, reading in user mode is refused. Returns whether that is so.
 */
static inline bool refused_for_core_types(struct __test_metadata *_metadata,
					  struct _test_data_metrics *self)
{
	const bool types = self->other < 0 && sysconf(_SC_NPROCESSORS_ONLN) > 1;
	const int err = setup_configure(self->fd, &self->setup);

	EXPECT_EQ(types ? -EXDEV : 0, err);
	return err;
}

#endif /* SELFTESTS_METRICS_H */
