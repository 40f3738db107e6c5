// SPDX-License-Identifier: GPL-2.0-only
/* Tests of sample_config.c: which sampling parameters are accepted, and their default values */
#include "allocations.h"
#include "sampling.h"

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/security.h>

#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "sampling/throttle.h"

static bool permitted;
static int locked_down;
static struct pmc_rings rings;
static struct pmc_rings *created;
static wait_queue_head_t queue;
static struct pmc_counter_config entries[3];

bool perfmon_capable(void)
{
	call("capable");
	return permitted;
}

int security_locked_down(enum lockdown_reason reason)
{
	assert_int_equal(LOCKDOWN_PERF, reason);
	call("locked down");
	return locked_down;
}

struct pmc_rings *pmc_rings_create(u32 size, u32 watermark, int cpu, wait_queue_head_t *wait)
{
	assert_ptr_equal(&queue, wait);
	call("create %u %u %d", size, watermark, cpu);
	return created;
}

void pmc_rings_close(struct pmc_rings *closed)
{
	assert_ptr_equal(&rings, closed);
	call("close");
}

void pmc_rings_put(struct pmc_rings *put)
{
	assert_ptr_equal(&rings, put);
	call("put");
}

unsigned long pmc_throttle_ticks(u32 percent)
{
	return 1000 * percent;
}

/* Three counters, of which the last one has a period */
static struct pmc_config valid(void)
{
	memset(entries, 0, sizeof(entries));
	entries[2].period = 1;
	return (struct pmc_config){ .nr_counters = 3 };
}

static int check(const struct pmc_config *config)
{
	return pmc_sample_config_check(config, entries);
}

static int begin(void **state)
{
	calls[0] = '\0';
	permitted = true;
	locked_down = 0;
	created = &rings;
	return 0;
}

/* The parameters need a counter with a period. */
static void without_period(void **state)
{
	struct pmc_config config = valid();

	assert_int_equal(1, check(&config));
	config.nr_counters = 2;
	assert_int_equal(0, check(&config));
	entries[0].period = 1ULL << 40;
	assert_int_equal(1, check(&config));
	entries[0].period = 0;
	config.sample_flags = PMC_SAMPLE_MMAPS;
	assert_int_equal(-EINVAL, check(&config));
	config = (struct pmc_config){ .nr_counters = 2, .frames = 1 };
	assert_int_equal(-EINVAL, check(&config));
	config = (struct pmc_config){ .nr_counters = 2, .ring_size = 4096 };
	assert_int_equal(-EINVAL, check(&config));
	config = (struct pmc_config){ .nr_counters = 2, .watermark = 1 };
	assert_int_equal(-EINVAL, check(&config));
	config = (struct pmc_config){ .nr_counters = 2, .throttle_percent = 1 };
	assert_int_equal(-EINVAL, check(&config));
	config = (struct pmc_config){ .nr_counters = 2, .flags = PMC_CONFIG_USER_READ };
	assert_int_equal(0, check(&config));
	expect_calls("");
}

static void flags(void **state)
{
	struct pmc_config config = valid();
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		config.sample_flags = 1U << bit;
		assert_int_equal(bit < 3 ? 1 : -EINVAL, check(&config));
	}
	config.sample_flags = 7;
	assert_int_equal(1, check(&config));
	config.sample_flags = 0;
	config.flags = PMC_CONFIG_USER_READ;
	assert_int_equal(-EINVAL, check(&config));
	config.flags = ~PMC_CONFIG_USER_READ;
	assert_int_equal(1, check(&config));
}

static void kernel_callchain(void **state)
{
	struct pmc_config config = valid();

	config.sample_flags = PMC_SAMPLE_USER_CALLCHAIN | PMC_SAMPLE_MMAPS;
	permitted = false;
	locked_down = -EPERM;
	assert_int_equal(1, check(&config));
	expect_calls("");
	config.sample_flags = PMC_SAMPLE_KERNEL_CALLCHAIN;
	assert_int_equal(-EACCES, check(&config));
	expect_calls("capable;");
	permitted = true;
	assert_int_equal(-EPERM, check(&config));
	expect_calls("capable;locked down;");
	locked_down = 0;
	assert_int_equal(1, check(&config));
}

static void throttle_percent(void **state)
{
	struct pmc_config config = valid();

	config.throttle_percent = 50;
	assert_int_equal(1, check(&config));
	config.throttle_percent = 51;
	assert_int_equal(-EINVAL, check(&config));
}

static void ring_size(void **state)
{
	struct pmc_config config = valid();
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		bool fits = bit >= 12 && bit <= 24;

		config.ring_size = 1U << bit;
		assert_int_equal(fits ? 1 : -EINVAL, check(&config));
		config.ring_size |= 1U << 13;
		assert_int_equal(bit == 13 ? 1 : -EINVAL, check(&config));
	}
}

/* Up to the whole ring; without a size the ring has 128 KiB. */
static void watermark(void **state)
{
	struct pmc_config config = valid();

	config.watermark = 131072;
	assert_int_equal(1, check(&config));
	config.watermark = 131073;
	assert_int_equal(-EINVAL, check(&config));
	config.ring_size = 4096;
	config.watermark = 4096;
	assert_int_equal(1, check(&config));
	config.watermark = 4097;
	assert_int_equal(-EINVAL, check(&config));
}

/*
 * Two of the largest records, with 88 bytes and 8 for each counter and frame, PMC_RECORD_LOST of 16
 * bytes and the 24 reserved ones: 242 counters and frames fit into 4096 bytes.
 */
static void largest_record(void **state)
{
	struct pmc_config config = valid();

	config.ring_size = 4096;
	config.nr_counters = 3;
	config.frames = 127;
	config.sample_flags = PMC_SAMPLE_KERNEL_CALLCHAIN;
	assert_int_equal(1, check(&config));
	config.frames = 128;
	assert_int_equal(-EINVAL, check(&config));
	config.sample_flags |= PMC_SAMPLE_USER_CALLCHAIN;
	config.frames = 119;
	assert_int_equal(1, check(&config));
	config.frames = 120;
	assert_int_equal(-EINVAL, check(&config));
	config.frames = 0;
	assert_int_equal(1, check(&config));
}

/* Counters are not limited here: 242, and without their values one chain of 64 frames less */
static void largest_records(void **state)
{
	static struct pmc_counter_config many[244];
	struct pmc_config config = { .nr_counters = 242, .ring_size = 4096 };

	many[0].period = 1;
	assert_int_equal(1, pmc_sample_config_check(&config, many));
	config.nr_counters = 243;
	assert_int_equal(-EINVAL, pmc_sample_config_check(&config, many));
	config.nr_counters = 178;
	config.sample_flags = PMC_SAMPLE_USER_CALLCHAIN;
	assert_int_equal(1, pmc_sample_config_check(&config, many));
	config.nr_counters = 179;
	assert_int_equal(-EINVAL, pmc_sample_config_check(&config, many));
	config.sample_flags = PMC_SAMPLE_MMAPS;
	config.frames = 127;
	assert_int_equal(1, pmc_sample_config_check(&config, many));
}

static void created_with(void **state)
{
	struct pmc_config config = { .nr_counters = 3, .cpu = 2 };
	struct pmc_sample_config *sampling;

	sampling = pmc_sample_config_create(&config, &queue);
	assert_int_equal(GFP_KERNEL_ACCOUNT, allocation_flags);
	expect_calls("create 131072 65536 2;");
	assert_ptr_equal(&rings, sampling->rings);
	assert_int_equal(0, sampling->flags);
	assert_int_equal(64, sampling->frames);
	assert_int_equal(112, sampling->record_min);
	assert_int_equal(112, sampling->record_max);
	assert_int_equal(50, sampling->throttle_percent);
	pmc_sample_config_limit(sampling, 51);
	assert_int_equal(50000, sampling->spent_max);
	pmc_sample_config_limit(sampling, 20);
	assert_int_equal(20000, sampling->spent_max);
	pmc_sample_config_release(sampling);
	expect_calls("close;put;");
	config.ring_size = 8192;
	config.watermark = 5;
	config.cpu = -1;
	config.frames = 10;
	config.sample_flags = PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN;
	config.throttle_percent = 7;
	sampling = pmc_sample_config_create(&config, &queue);
	expect_calls("create 8192 5 -1;");
	assert_int_equal(3, sampling->flags);
	assert_int_equal(10, sampling->frames);
	assert_int_equal(112, sampling->record_min);
	assert_int_equal(272, sampling->record_max);
	assert_int_equal(7, sampling->throttle_percent);
	free(sampling);
}

static void create_failed(void **state)
{
	struct pmc_config config = { .nr_counters = 3 };

	allocations_left = 0;
	assert_int_equal(-ENOMEM, PTR_ERR(pmc_sample_config_create(&config, &queue)));
	expect_calls("");
	allocations_left = -1;
	created = ERR_PTR(-ENOBUFS);
	assert_int_equal(-ENOBUFS, PTR_ERR(pmc_sample_config_create(&config, &queue)));
}

#define TEST(name)	cmocka_unit_test_setup(name, begin)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(without_period), TEST(flags), TEST(kernel_callchain),
		TEST(throttle_percent), TEST(ring_size), TEST(watermark), TEST(largest_record),
		TEST(largest_records), TEST(created_with), TEST(create_failed),
	};

	return cmocka_run_group_tests_name("sample_config", tests, NULL, NULL);
}
