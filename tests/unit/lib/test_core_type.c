// SPDX-License-Identifier: GPL-2.0-only
/* Tests with two core types: counters of events, with and without a core type */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "fake.h"
#include "core_type.h"

#define CORE	0x40000001
#define ATOM	0x20000002

static int setup(void **state)
{
	fake_reset();
	fake.query.core_type = CORE;
	fake.query.general_counters = 0xff;
	fake.query.fixed_counters = 0xf;
	fake.second = fake.query;
	fake.second.size = sizeof(fake.second);
	fake.second.core_type = ATOM;
	fake.second.general_counters = 0x33;
	fake.second.general_width = 40;
	fake.second.fixed_counters = 0x7;
	fake.second.event_select_mask &= ~(1ULL << 21);
	return 0;
}

/* Adds an event to a context for @core_type. Return: the counter, or -1. */
static int64_t place(uint32_t core_type, const char *text)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context = pmc_context_open(device);
	struct pmc_event *event = pmc_event_parse(text);
	int64_t counter = -1;

	assert_non_null(context);
	assert_non_null(event);
	assert_int_equal(0, pmc_context_set_core_type(context, core_type));
	if (!pmc_context_add(context, event)) {
		counter = pmc_context_counter(context, 0);
		assert_int_equal(-1, pmc_context_set_core_type(context, CORE));
		assert_int_equal(EBADFD, errno);
		assert_int_equal(0, pmc_context_configure(context));
		assert_int_equal(core_type, fake.config.core_type);
	}
	pmc_event_free(event);
	pmc_context_close(context);
	pmc_device_close(device);
	return counter;
}

static void both(void **state)
{
	assert_int_equal(1, place(0, "r00c0:u:g=1"));
	assert_int_equal(-1, place(0, "r00c0:u:g=2"));
	assert_int_equal(ENXIO, errno);
	assert_non_null(strstr(pmc_error(), "as pmc_context_set_core_type() does"));
	assert_int_equal(PMC_COUNTER_FIXED(1), place(0, "cycles:u"));
}

static void one(void **state)
{
	assert_int_equal(2, place(CORE, "r00c0:u:g=2"));
	assert_int_equal(2, place(0x40000000, "r00c0:u:g=2"));
	assert_int_equal(-1, place(0x20000000, "r00c0:u:g=2"));
	assert_int_equal(-1, place(0x40000002, "r00c0:u:g=1"));
	assert_int_equal(ENODEV, errno);
	assert_non_null(strstr(pmc_error(), "core (0x40000002)"));
	assert_int_equal(-1, place(0x7f000000, "r00c0:u"));
	assert_int_equal(ENODEV, errno);
}

/* Without a core type, the description has the properties common to both. */
static void common(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context = pmc_context_open(device);
	struct pmc_event *event = pmc_event_parse("r00c0:u");
	const struct pmc_info *info;

	fake.query.event_select_mask &= ~(1ULL << 18);
	fake.query.features = PMC_FEATURE(INTERRUPT) | PMC_FEATURE(METRICS);
	fake.second.features = PMC_FEATURE(INTERRUPT) | PMC_FEATURE(TSC);
	fake.second.fixed_width = 40;
	fake.second.events_described = 6;
	assert_int_equal(0, pmc_context_add(context, event));
	info = pmc_event_set_of(context)->info;
	assert_true(info->is_hybrid);
	assert_int_equal(0x33, info->query.general_counters);
	assert_int_equal(0x7, info->query.fixed_counters);
	assert_int_equal(40, info->query.general_width);
	assert_int_equal(40, info->query.fixed_width);
	assert_int_equal(6, info->query.events_described);
	assert_int_equal(PMC_FEATURE(INTERRUPT), info->query.features);
	assert_int_equal(fake.query.event_select_mask & fake.second.event_select_mask,
			 info->query.event_select_mask);
	assert_int_equal(7, info->num_counters);
	assert_int_equal(40, info->counter[0].width);
	assert_int_equal(info->query.event_select_mask, info->counter[0].event_select_mask);
	pmc_event_free(event);
	pmc_context_close(context);
	pmc_device_close(device);
}

/* Each CPU has the smaller limit of some counter, and the holder of another. */
static void differ(struct pmc_counter *counter)
{
	bool second = counter->cpu == 1;

	counter->write_width = second ? 16 : 32;
	if (second)
		counter->period_max = counter->counter ? 0x7fff : 0xffffffff;
	if (counter->counter == (second ? 1 : 4))
		counter->holder.kind = second ? PMC_HOLDER_KERNEL : PMC_HOLDER_CONTEXT;
}

static void common_counters(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_info *info;
	size_t num, i;

	fake.on_counter = differ;
	info = pmc_device_get_info_core_type(device, 0);
	num = pmc_info_num_counters(info);
	assert_int_equal(7, num);
	for (i = 0; i < num; i++) {
		const struct pmc_counter *counter = pmc_info_counter(info, i);
		uint32_t holder = counter->counter == 1 ? PMC_HOLDER_KERNEL :
				  counter->counter == 4 ? PMC_HOLDER_CONTEXT : PMC_HOLDER_NONE;

		assert_int_not_equal(2, counter->counter);
		assert_int_equal(16, counter->write_width);
		assert_int_equal(counter->counter ? 0x7fff : 0x7fffffff, counter->period_max);
		assert_int_equal(holder, counter->holder.kind);
	}
	pmc_info_free(info);
	pmc_device_close(device);
}

/* An architectural event that one core type lacks, in both orders of CPUs */
static void event_of_one(void **state)
{
	fake.second.events_unavailable = 1 << 6;
	assert_failed(place(0, "branch-misses:u") < 0, EOPNOTSUPP,
		      "not every core type here can count it");
	assert_true(place(CORE, "branch-misses:u") >= 0);
	assert_int_equal(-1, place(ATOM, "branch-misses:u"));
	fake.second.events_unavailable = 0;
	fake.query.events_unavailable = 1 << 6;
	assert_failed(place(0, "branch-misses:u") < 0, EOPNOTSUPP,
		      "not every core type here can count it");
	assert_true(place(ATOM, "branch-misses:u") >= 0);
	assert_int_equal(-1, place(CORE, "branch-misses:u"));
}

/* Performance metrics of one core type, in both orders of CPUs */
static void metrics_of_one(void **state)
{
	pmc_set_hint_writer(write_hint);
	fake.query.features |= PMC_FEATURE(METRICS);
	assert_failed(place(0, "metrics:u") < 0, ENXIO,
		      "not every core type here can count it; count on one core type, as hint(5 -1 0x40000001 ':u') does");
	assert_failed(place(ATOM, "metrics:u") < 0, ENXIO, "CPU 1 has no counter metrics");
	fake.query.features &= ~PMC_FEATURE(METRICS);
	assert_failed(place(0, "metrics:u") < 0, ENXIO, "has no counter metrics");
	fake.second.features |= PMC_FEATURE(METRICS);
	assert_failed(place(0, "metrics") < 0, ENXIO,
		      "hint(5 -1 0x20000002 '')");
}

/* The core type of a CPU; an offline CPU has none. */
static void of_kind(void **state)
{
	static const struct {
		int cpu;
		uint32_t core_type;
		bool is;
	} known[] = {
		{ 0, CORE, true }, { 0, 0x40000000, true }, { 0, 0, true }, { 0, ATOM, false },
		{ 0, 0x40000002, false }, { 1, CORE, false }, { 1, 0x20000000, true },
		{ 1, 0, true },
	};
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_info *info;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		info = pmc_device_get_info(device, known[i].cpu);
		if (pmc_info_has_core_type(info, known[i].core_type) != known[i].is)
			fail_msg("CPU %d, kind 0x%x", known[i].cpu, known[i].core_type);
		pmc_info_free(info);
	}
	fake.offline = 1;
	info = pmc_device_get_info(device, 1);
	assert_true(pmc_info_has_core_type(info, 0));
	assert_false(pmc_info_has_core_type(info, 0x20000000));
	pmc_info_free(info);
	pmc_device_close(device);
}

/* A CPU of another core type, or that went offline since */
static void cpu_of_another(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context = pmc_context_open(device);
	struct pmc_event *event = pmc_event_parse("cycles");

	pmc_set_hint_writer(write_hint);
	assert_int_equal(0, pmc_context_set_core_type(context, CORE));
	assert_int_equal(0, pmc_context_set_cpu(context, 1));
	assert_int_equal(0, pmc_context_add(context, event));
	fake.ioctl_error[_IOC_NR(PMC_IOC_CONFIGURE)] = ENODEV;
	assert_failed(pmc_context_configure(context), ENODEV,
		      "CPU 1 does not have the requested core type, or is offline; see hint(");
	pmc_event_free(event);
	pmc_context_close(context);
	pmc_device_close(device);
}

/* An event of one core type, as libpfm4's table of that core type defines it */
static void name_of_one(void **state)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_event *event = pmc_event_parse("r01c2:u");
	static const struct {
		uint32_t event, context;
		const char *words;
	} known[] = {
		{ 0x40000000, CORE, NULL },
		{ 0x40000000, 0, "it is an event of the core type core: count on it" },
		{ 0x40000000, ATOM, "and CPU 1 has another" },
		{ 0x20000000, ATOM, NULL },
		{ 0x20000000, 0, "it is an event of the core type atom: count on it" },
		{ 0x20000000, CORE, "and CPU 0 has another" },
		{ 0, 0, NULL },
	};
	struct pmc_context *context;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		event->core_type = known[i].event;
		context = pmc_context_open(device);
		assert_int_equal(0, pmc_context_set_core_type(context, known[i].context));
		if (known[i].words)
			assert_failed(pmc_context_add(context, event), EOPNOTSUPP, known[i].words);
		else
			assert_int_equal(0, pmc_context_add(context, event));
		pmc_context_close(context);
	}
	pmc_event_free(event);
	pmc_device_close(device);
}

static void words(void **state)
{
	static const struct {
		const char *text;
		uint32_t core_type;
	} known[] = {
		{ "core", 0x40000000 }, { "atom", 0x20000000 }, { "cpu_core", 0x40000000 },
		{ "cpu_atom", 0x20000000 }, { "CORE", 0x40000000 }, { "0x20000002", ATOM },
		{ "1073741825", CORE },
	};
	static const char *const wrong[] = { "", "cor", "0", "1", "0xffffff", "0x100000000", "-1" };
	uint32_t core_type;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		assert_int_equal(0, pmc_core_type_parse(known[i].text, &core_type));
		assert_int_equal(known[i].core_type, core_type);
	}
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(-1, pmc_core_type_parse(wrong[i], &core_type));
		assert_int_equal(EINVAL, errno);
	}
	assert_string_equal(pmc_error(),
			    "'-1' is not a core type; there are core (0x40000001) and atom (0x20000002)");
	fake.second.core_type = 0x30000001;
	assert_int_equal(-1, pmc_core_type_parse("big", &core_type));
	assert_string_equal(pmc_error(),
			    "'big' is not a core type; there are core (0x40000001) and 0x30000001");
	fake.second.core_type = CORE;
	assert_int_equal(-1, pmc_core_type_parse("big", &core_type));
	assert_string_equal(pmc_error(), "'big' is not a core type; there are core (0x40000001)");
	fake.query.core_type = 0;
	fake.second.size = 0;
	assert_int_equal(-1, pmc_core_type_parse("big", &core_type));
	assert_string_equal(pmc_error(), "'big' is not a core type; this processor has one core type");
	fake.open_error = ENOENT;
	assert_int_equal(-1, pmc_core_type_parse("big", &core_type));
	assert_string_equal(pmc_error(), "'big' is not a core type; there are core and atom");
	assert_int_equal(fake.open_files, 0);
	assert_string_equal("core", pmc_core_type_name(CORE));
	assert_string_equal("atom", pmc_core_type_name(ATOM));
	assert_null(pmc_core_type_name(0));
	assert_null(pmc_core_type_name(0x10000000));
}

/* The cores of type Core of Alder Lake count it on counters 0 to 3. */
static void restricted_counters(void **state)
{
	struct pmc_device *device;
	struct pmc_context *context;
	struct pmc_event *event;
	size_t i;

	fake.query.cpu_model = 0x97;
	fake.second.cpu_model = 0x97;
	device = pmc_device_open(NULL);
	context = pmc_context_open(device);
	assert_int_equal(pmc_context_set_core_type(context, CORE), 0);
	for (i = 0; i < 5; i++) {
		event = pmc_event_parse(i < 4 ? "r00c4" : "LLC-loads");
		assert_int_equal(pmc_context_add(context, event), 0);
		pmc_event_free(event);
	}
	assert_in_range(pmc_context_counter(context, 4), 0, 3);
	pmc_context_close(context);
	pmc_device_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(both, setup),
		cmocka_unit_test_setup(one, setup),
		cmocka_unit_test_setup(common, setup),
		cmocka_unit_test_setup(common_counters, setup),
		cmocka_unit_test_setup(event_of_one, setup),
		cmocka_unit_test_setup(metrics_of_one, setup),
		cmocka_unit_test_setup(of_kind, setup),
		cmocka_unit_test_setup(cpu_of_another, setup),
		cmocka_unit_test_setup(name_of_one, setup),
		cmocka_unit_test_setup(words, setup),
		cmocka_unit_test_setup(restricted_counters, setup),
	};

	return cmocka_run_group_tests_name("kind", tests, NULL, NULL);
}
