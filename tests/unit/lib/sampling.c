// SPDX-License-Identifier: GPL-2.0-only
/* A sampling context, records that the fake driver writes, and records that the library returns */
#include "sampling.h"

struct pmc_context *context;
struct pmc_samples *samples;

int sample_setup(void **state)
{
	fake_setup(state);
	samples = NULL;
	context = new_context();
	return 0;
}

int sample_teardown(void **state)
{
	pmc_samples_close(samples);
	pmc_context_close(context);
	return fake_teardown(state);
}

void must_add(const char *text)
{
	if (add_to(context, text))
		fail_msg("'%s': %s", text, pmc_error());
}

void must_start(void)
{
	must_add("instructions:u:p=1000");
	must_add("cycles:u");
	assert_int_equal(pmc_context_set_process(context, 0), 0);
	assert_int_equal(pmc_context_set_ring(context, RING, 8), 0);
	if (pmc_context_configure(context) || pmc_context_start(context))
		fail_msg("%s", pmc_error());
}

void must_open(uint32_t flags)
{
	samples = pmc_samples_open(context, flags);
	if (!samples)
		fail_msg("%s", pmc_error());
}

/* ---- records to write ---- */

union record sample_at(uint64_t tsc, uint64_t ip, int kernel_frames, int user_frames)
{
	int num = 2 + kernel_frames + user_frames, i;
	union record record = {
		.sample = {
			.record = { PMC_RECORD_SAMPLE, sizeof(struct pmc_sample) + num * 8 },
			.ip = ip,
			.tsc = tsc,
			.overflows = 1,
			.nr_counters = 2,
			.nr_kernel_frames = kernel_frames,
			.nr_user_frames = user_frames,
			.pid = 11,
			.tid = 12,
			.comm = "name",
		},
	};

	for (i = 0; i < num; i++)
		record.sample.data[i] = ip * 1000 + i;
	return record;
}

void must_write(int cpu, union record record)
{
	if (record.head.type == PMC_RECORD_SAMPLE)
		record.sample.cpu = cpu;
	if (!fake_ring_write(cpu, &record))
		fail_msg("the ring of CPU %d is full", cpu);
}

void write_sample(int cpu, uint64_t tsc, uint64_t ip)
{
	must_write(cpu, sample_at(tsc, ip, 0, 0));
}

/* ---- records to expect ---- */

const struct pmc_record *next_of(uint32_t type)
{
	const struct pmc_record *record = pmc_samples_next(samples);

	if (!record)
		fail_msg("no record: %s, not one of type %u", strerror(errno), type);
	assert_int_equal(record->type, type);
	return record;
}

void next_sample(int cpu, uint64_t ip)
{
	const struct pmc_sample *sample = (const void *)next_of(PMC_RECORD_SAMPLE);

	assert_int_equal(sample->ip, ip);
	assert_int_equal(pmc_samples_cpu(samples), cpu);
}

void next_is_none(void)
{
	errno = 0;
	assert_null(pmc_samples_next(samples));
	assert_int_equal(errno, EAGAIN);
}
