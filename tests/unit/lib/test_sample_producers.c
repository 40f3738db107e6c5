// SPDX-License-Identifier: GPL-2.0-only
/* Tests of sampling: a producer on each CPU writes records while the library reads them */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "sampling.h"

/* @written: samples that fitted into the ring; @lost: samples that did not */
struct producer {
	pthread_t thread;
	int cpu;
	bool lossless;
	uint64_t num;
	uint64_t written;
	uint64_t lost;
};

/* Held while a record is written, until it can be read */
static pthread_mutex_t writing[FAKE_CPUS] = {
	[0 ... FAKE_CPUS - 1] = PTHREAD_MUTEX_INITIALIZER,
};

/* Waits until no record is being written, as the driver's READ does. */
static void interrupt_all(void)
{
	int i;

	for (i = 0; i < FAKE_CPUS; i++) {
		pthread_mutex_lock(&writing[i]);
		pthread_mutex_unlock(&writing[i]);
	}
}

static bool write_now(int cpu, union record *record)
{
	bool written;

	pthread_mutex_lock(&writing[cpu]);
	record->sample.tsc = __atomic_fetch_add(&fake.clock, 1, __ATOMIC_SEQ_CST);
	written = fake_ring_write(cpu, record);
	pthread_mutex_unlock(&writing[cpu]);
	return written;
}

static void *produce(void *data)
{
	struct producer *producer = data;
	unsigned int random = producer->cpu;
	uint64_t i;

	for (i = 0; i < producer->num; i++) {
		union record record = sample_at(0, i, rand_r(&random) % 20, rand_r(&random) % 20);

		record.sample.cpu = producer->cpu;
		while (!write_now(producer->cpu, &record)) {
			if (!producer->lossless) {
				producer->lost++;
				break;
			}
			fake_ring_forget_loss(producer->cpu);
			sched_yield();
		}
	}
	producer->written = producer->num - producer->lost;
	return NULL;
}

/* What the consumer has read of each CPU */
struct seen {
	uint64_t samples;
	uint64_t lost;
	uint64_t next;
};

static void see_sample(struct seen *seen, const struct pmc_sample *sample)
{
	unsigned int num = 2 + sample->nr_kernel_frames + sample->nr_user_frames, i;

	for (i = 0; i < num; i++)
		if (sample->data[i] != sample->ip * 1000 + i)
			fail_msg("a record has changed");
	if (sample->ip < seen->next)
		fail_msg("a record came twice, or out of turn");
	/* the records in between were reported as lost */
	if (sample->ip - seen->next != seen->lost)
		fail_msg("%d missing, %d reported", (int)(sample->ip - seen->next),
			 (int)seen->lost);
	seen->lost = 0;
	seen->next = sample->ip + 1;
	seen->samples++;
}

static void check_time(const struct pmc_sample *sample, uint64_t *time)
{
	if (sample->tsc <= *time)
		fail_msg("time runs backwards");
	*time = sample->tsc;
}

/* @time: time of the last sample, if samples are ordered by time; otherwise NULL */
static uint64_t consume_round(struct seen *seen, uint64_t *time)
{
	const struct pmc_record *record;
	uint64_t lost = 0;

	errno = 0;
	while ((record = pmc_samples_next(samples))) {
		struct seen *cpu = &seen[pmc_samples_cpu(samples)];

		if (record->type == PMC_RECORD_LOST) {
			cpu->lost = ((const struct pmc_lost *)record)->overflows;
			lost += cpu->lost;
		} else {
			see_sample(cpu, (const struct pmc_sample *)record);
			if (time)
				check_time((const struct pmc_sample *)record, time);
		}
	}
	assert_int_equal(errno, EAGAIN);
	return lost;
}

static void *end_when_done(void *data)
{
	struct producer *producers = data;
	int i;

	for (i = 0; i < FAKE_CPUS; i++) {
		pthread_join(producers[i].thread, NULL);
		fake_ring_tell_loss(i);
	}
	__atomic_store_n(&fake.ended, true, __ATOMIC_RELEASE);
	fake_rings_wake();
	return NULL;
}

static void run_producers(bool lossless, uint32_t flags, uint64_t num)
{
	struct producer producers[FAKE_CPUS] = { 0 };
	struct seen seen[FAKE_CPUS] = { 0 };
	uint64_t lost = 0, time = 0;
	pthread_t ender;
	int i;

	fake.clock = 1;
	fake.on_read = interrupt_all;
	must_start();
	must_open(flags);
	for (i = 0; i < FAKE_CPUS; i++) {
		producers[i].cpu = i;
		producers[i].num = num;
		producers[i].lossless = lossless;
		pthread_create(&producers[i].thread, NULL, produce, &producers[i]);
	}
	pthread_create(&ender, NULL, end_when_done, producers);
	while (pmc_samples_wait(samples, -1) > 0)
		lost += consume_round(seen, flags & PMC_SAMPLES_ORDERED ? &time : NULL);
	pthread_join(ender, NULL);
	for (i = 0; i < FAKE_CPUS; i++) {
		assert_int_equal(seen[i].samples, producers[i].written);
		lost -= producers[i].lost;
	}
	assert_int_equal(lost, 0);
}

static void producers_and_reader(void **state)
{
	run_producers(true, 0, 40000);
}

static void producers_that_lose(void **state)
{
	run_producers(false, 0, 100000);
}

static void producers_in_order(void **state)
{
	run_producers(true, PMC_SAMPLES_ORDERED, 20000);
}

static void producers_that_lose_in_order(void **state)
{
	run_producers(false, PMC_SAMPLES_ORDERED, 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		sample_test(producers_and_reader),
		sample_test(producers_that_lose),
		sample_test(producers_in_order),
		sample_test(producers_that_lose_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
