// SPDX-License-Identifier: GPL-2.0-only
/* Tests of sampling: what the library requests of the driver, and the rings that it maps */
#include <fcntl.h>

#include "sampling.h"

/* ---- settings and statistics ---- */

static void request(void **state)
{
	const uint32_t flags = PMC_SAMPLE_USER_CALLCHAIN | PMC_SAMPLE_KERNEL_CALLCHAIN |
			       PMC_SAMPLE_MMAPS;

	must_add("instructions:u");
	must_add("cycles:u:p=70000");
	assert_int_equal(pmc_context_set_sampling(context, flags, 30), 0);
	assert_int_equal(pmc_context_set_ring(context, 65536, 1024), 0);
	assert_int_equal(pmc_context_set_throttle(context, 50), 0);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[0].period, 0);
	assert_int_equal(fake.counters[1].period, 70000);
	assert_int_equal(fake.config.sample_flags, flags);
	assert_int_equal(fake.config.frames, 30);
	assert_int_equal(fake.config.ring_size, 65536);
	assert_int_equal(fake.config.watermark, 1024);
	assert_int_equal(fake.config.throttle_percent, 50);
}

static void no_request(void **state)
{
	must_add("instructions:u");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_int_equal(fake.counters[0].period, 0);
	assert_int_equal(fake.config.sample_flags | fake.config.frames | fake.config.ring_size |
			 fake.config.watermark | fake.config.throttle_percent, 0);
}

static void wrong_settings(void **state)
{
	must_add("instructions:u");
	assert_failed(pmc_context_set_sampling(context, 8, 0), EINVAL, "flags 0x8");
	assert_failed(pmc_context_set_sampling(context, 0, 128), EINVAL, "128 frames");
	assert_failed(pmc_context_set_ring(context, 2048, 0), EINVAL, "2048 bytes");
	assert_failed(pmc_context_set_ring(context, 12288, 0), EINVAL, "power of two");
	assert_failed(pmc_context_set_ring(context, 1 << 25, 0), EINVAL, "to 16777216");
	assert_failed(pmc_context_set_ring(context, 4096, 4097), EINVAL, "watermark of 4097");
	assert_failed(pmc_context_set_ring(context, 0, PMC_RING_SIZE_DEFAULT + 1), EINVAL,
		      "watermark");
	assert_int_equal(pmc_context_set_ring(context, 1 << 24, 1 << 24), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(pmc_context_set_ring(context, 4096, 0), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(pmc_context_set_ring(context, 0, 8), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(pmc_context_set_ring(context, 0, 0), 0);
	assert_int_equal(pmc_context_set_sampling(context, PMC_SAMPLE_MMAPS, 0), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(pmc_context_set_sampling(context, 0, 127), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(pmc_context_set_sampling(context, 0, 0), 0);
	assert_failed(pmc_context_set_throttle(context, 51), EINVAL, "51 %: it is 1 to 50 %");
	assert_int_equal(pmc_context_set_throttle(context, 1), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "no event has a period");
	assert_int_equal(pmc_context_set_throttle(context, 0), 0);
	assert_int_equal(pmc_context_configure(context), 0);
	assert_failed(pmc_context_set_sampling(context, 0, 0), EBADFD, "release it first");
	assert_failed(pmc_context_set_ring(context, 0, 0), EBADFD, "release it first");
	assert_failed(pmc_context_set_throttle(context, 0), EBADFD, "release it first");
}

static void refused(void **state)
{
	must_add("instructions:u:p=0x7fffffff");
	must_add("cycles:u:p=0x80000000");
	assert_failed(pmc_context_configure(context), ERANGE,
		      "counter fixed1 has periods of up to 2147483647, and 2147483648 is longer");
}

static void refused_otherwise(void **state)
{
	must_add("instructions:u:p=0x7fffffff");
	assert_int_equal(pmc_context_set_user_read(context), 0);
	assert_failed(pmc_context_configure(context), EINVAL, "read in user mode");
	assert_int_equal(pmc_context_set_thread(context, 0, false), 0);
	assert_int_equal(pmc_context_set_sampling(context, PMC_SAMPLE_KERNEL_CALLCHAIN, 0), 0);
	fake.unprivileged = true;
	assert_failed(pmc_context_configure(context), EACCES, "kernel's call chain");
	fake.query.features &= ~PMC_FEATURE(INTERRUPT);
	assert_failed(pmc_context_configure(context), EOPNOTSUPP, "do not interrupt on overflow");
}

static void statistics(void **state)
{
	struct pmc_statistics answer;
	struct pmc_snapshot snapshot;

	assert_failed(pmc_context_statistics(context, &answer), EBADFD, "became of the overflows");
	must_start();
	fake.statistics = (struct pmc_statistics){ .records = 1, .sampled = 2, .lost = 3,
						   .throttled = 4, .mmaps_lost = 5, .spurious = 6,
						   .wakeups = 7 };
	assert_int_equal(pmc_context_statistics(context, &answer), 0);
	fake.statistics.size = sizeof(answer);
	assert_memory_equal(&answer, &fake.statistics, sizeof(answer));
	assert_int_equal(pmc_context_read(context, &snapshot), 0);
	assert_int_equal(snapshot.overflows, 9);
}

/* ---- open ---- */

static void open_errors(void **state)
{
	must_add("instructions:u");
	assert_failed(!pmc_samples_open(context, 0), EBADFD, "not configured");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_failed(!pmc_samples_open(context, 0), EINVAL, "has a period");
	assert_int_equal(pmc_context_release(context), 0);
	must_add("cycles:u:p=5");
	assert_int_equal(pmc_context_configure(context), 0);
	assert_failed(!pmc_samples_open(context, 4), EINVAL, "flags 0x4");
	assert_failed(!pmc_samples_open(context, PMC_SAMPLES_READ | PMC_SAMPLES_ORDERED), EINVAL,
		      "PMC_SAMPLES_ORDERED needs the mapped rings");
	fake.ring_error = EACCES;
	assert_failed(!pmc_samples_open(context, 0), EACCES, "mapping the sample rings");
	fake.ring_error = EINVAL;
	assert_failed(!pmc_samples_open(context, 0), EINVAL, "no sample rings");
	fake.ring_error = ENOMEM;
	assert_failed(!pmc_samples_open(context, PMC_SAMPLES_ORDERED), ENOMEM, "out of memory");
	pmc_samples_close(NULL);
}

/* Mapped rings leave the flags of the context's file as they are. */
static void file_flags(void **state)
{
	int flags;

	must_start();
	flags = fcntl(pmc_context_fd(context), F_GETFL) | O_NONBLOCK;
	assert_int_equal(fcntl(pmc_context_fd(context), F_SETFL, flags), 0);
	must_open(0);
	pmc_samples_close(samples);
	samples = NULL;
	assert_int_equal(fcntl(pmc_context_fd(context), F_GETFL), flags);
}

static void default_size(void **state)
{
	must_add("instructions:u:p=5");
	assert_int_equal(pmc_context_configure(context), 0);
	must_open(0);
	assert_int_equal(fake.mapped_rings, FAKE_CPUS);
	assert_int_equal(fake.ring[0]->data_size, PMC_RING_SIZE_DEFAULT);
	assert_int_equal(pmc_samples_fd(samples), pmc_context_fd(context));
}

static void one_cpu(void **state)
{
	assert_int_equal(pmc_context_set_cpu(context, 1), 0);
	must_add("instructions:u:p=5");
	assert_int_equal(pmc_context_configure(context), 0);
	must_open(0);
	assert_int_equal(fake.mapped_rings, 1);
	write_sample(1, 1, 5);
	next_sample(1, 5);
	next_is_none();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		sample_test(request),
		sample_test(no_request),
		sample_test(wrong_settings),
		sample_test(refused),
		sample_test(refused_otherwise),
		sample_test(statistics),
		sample_test(open_errors),
		sample_test(file_flags),
		sample_test(default_size),
		sample_test(one_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
