// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples of the fake driver: the records of the file FAKE_SAMPLES, one on a line, appear
 * when the context is started.
 *
 *   sample CPU TIME COUNTER ADDRESS [WORD=VALUE ...]
 *	pid, tid (default: the process that is followed), comm (prog), overflows (1),
 *	privilege (3), flags, cs, tr, rflags (0), values=A,B,... (of the counters, 0),
 *	kernel=A,B,... and user=A,B,... (call chains)
 *   map CPU START END OFFSET PATH [pid=... tid=...]
 *   lost CPU OVERFLOWS
 *   throttle CPU TIME COUNTER
 *   unthrottle CPU TIME COUNTER OVERFLOWS
 *   other CPU BYTES		a record of an unknown type
 *   pad CPU BYTES		a record that cannot be
 *   stop			what follows comes when the context is stopped
 *
 * Numbers are in C's notation. Times are in tens of ticks; a mapping is recorded five
 * ticks after the last sample of its CPU. CPU 0's records lie in its ring, and so on. What was
 * asked of the driver is written into the file FAKE_CONFIG.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "fake.h"

#define WORDS_MAX	32

union any {
	struct pmc_record head;
	struct pmc_sample sample;
	struct pmc_lost lost;
	struct pmc_throttle throttle;
	struct pmc_mmap map;
	char bytes[8192];
};

static uint64_t last_tsc[FAKE_CPUS];

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end == text || *end)
		abort();
	return value;
}

/* Put A,B,... from data[at] on. Return: how many */
static unsigned int add_frames(struct pmc_sample *sample, unsigned int at, char *list)
{
	unsigned int num = 0;
	char *rest;

	for (list = strtok_r(list, ",", &rest); list; list = strtok_r(NULL, ",", &rest))
		sample->data[at + num++] = number(list);
	return num;
}

static void set_word(struct pmc_sample *sample, const char *key, char *value)
{
	if (!strcmp(key, "pid"))
		sample->pid = number(value);
	else if (!strcmp(key, "tid"))
		sample->tid = number(value);
	else if (!strcmp(key, "comm"))
		snprintf(sample->comm, sizeof(sample->comm), "%s", value);
	else if (!strcmp(key, "overflows"))
		sample->overflows = number(value);
	else if (!strcmp(key, "privilege"))
		sample->privilege = number(value);
	else if (!strcmp(key, "flags"))
		sample->flags = number(value);
	else if (!strcmp(key, "cs"))
		sample->cs = number(value);
	else if (!strcmp(key, "tr"))
		sample->task_register = number(value);
	else if (!strcmp(key, "rflags"))
		sample->rflags = number(value);
	else if (!strcmp(key, "values"))
		add_frames(sample, 0, value);
	else if (!strcmp(key, "kernel"))
		sample->nr_kernel_frames = add_frames(sample, sample->nr_counters, value);
	else if (!strcmp(key, "user"))
		sample->nr_user_frames = add_frames(sample, sample->nr_counters +
						    sample->nr_kernel_frames, value);
	else
		abort();
}

static void fill_sample(struct pmc_sample *sample, char **word, size_t num)
{
	size_t i;

	sample->tsc = 10 * number(word[2]);
	last_tsc[number(word[1])] = sample->tsc;
	sample->counter = number(word[3]);
	sample->ip = number(word[4]);
	sample->pid = fake.config.tid;
	sample->tid = fake.config.tid;
	sample->overflows = 1;
	sample->privilege = 3;
	sample->nr_counters = fake.config.nr_counters;
	memcpy(sample->comm, "prog", 5);
	for (i = 5; i < num; i++) {
		char *value = strchr(word[i], '=');

		*value = '\0';
		set_word(sample, word[i], value + 1);
	}
	sample->record.type = PMC_RECORD_SAMPLE;
	sample->record.size = sizeof(*sample) +
		8 * (sample->nr_counters + sample->nr_kernel_frames + sample->nr_user_frames);
}

static void fill_map(struct pmc_mmap *map, char **word, size_t num)
{
	struct stat about;
	size_t i;

	map->pid = fake.config.tid;
	map->tid = fake.config.tid;
	map->tsc = last_tsc[number(word[1])] + 5;
	map->start = number(word[2]);
	map->end = number(word[3]);
	map->offset = number(word[4]);
	memcpy(map->path, word[5], strlen(word[5]));
	if (!stat(word[5], &about)) {
		map->inode = about.st_ino;
		map->device_major = major(about.st_dev);
		map->device_minor = minor(about.st_dev);
	}
	for (i = 6; i < num; i++)
		*(word[i][0] == 'p' ? &map->pid : &map->tid) = number(strchr(word[i], '=') + 1);
	map->record.type = PMC_RECORD_MMAP;
	map->record.size = (sizeof(*map) + strlen(map->path) + 8) & ~7;
}

static void fill_throttle(struct pmc_throttle *throttle, char **word, bool again)
{
	throttle->record.type = again ? PMC_RECORD_UNTHROTTLE : PMC_RECORD_THROTTLE;
	throttle->record.size = sizeof(*throttle);
	throttle->cpu = number(word[1]);
	throttle->tsc = 10 * number(word[2]);
	throttle->counter = number(word[3]);
	throttle->overflows = again ? number(word[4]) : 0;
	fake.statistics.throttled += throttle->overflows;
}

static void fill(union any *any, char **word, size_t num)
{
	if (!strcmp(word[0], "sample")) {
		fill_sample(&any->sample, word, num);
	} else if (!strcmp(word[0], "map")) {
		fill_map(&any->map, word, num);
	} else if (!strcmp(word[0], "throttle")) {
		fill_throttle(&any->throttle, word, false);
	} else if (!strcmp(word[0], "unthrottle")) {
		fill_throttle(&any->throttle, word, true);
	} else if (!strcmp(word[0], "lost")) {
		any->lost.record = (struct pmc_record){ PMC_RECORD_LOST, sizeof(any->lost) };
		any->lost.overflows = number(word[2]);
		fake.statistics.lost += any->lost.overflows;
	} else {
		any->head.type = !strcmp(word[0], "pad") ? PMC_RECORD_PAD : 4711;
		any->head.size = number(word[2]);
	}
}

static void write_record(union any *any, int cpu)
{
	bool is_sample = any->head.type == PMC_RECORD_SAMPLE;

	if (is_sample)
		any->sample.cpu = cpu;
	if (fake_ring_write(cpu, any)) {
		fake.statistics.records += is_sample;
		fake.statistics.sampled += is_sample ? any->sample.overflows : 0;
	} else {
		fake.statistics.lost += is_sample ? any->sample.overflows : 0;
		fake.statistics.mmaps_lost += any->head.type == PMC_RECORD_MMAP;
	}
}

static void write_line(char *line)
{
	union any any = { .head = { 0 } };
	char *word[WORDS_MAX];
	size_t num = 0;

	line[strcspn(line, "#\n")] = '\0';
	for (line = strtok(line, " \t"); line; line = strtok(NULL, " \t"))
		word[num++] = line;
	if (!num)
		return;
	fill(&any, word, num);
	write_record(&any, number(word[1]));
}

static void write_config(void)
{
	FILE *file = getenv("FAKE_CONFIG") ? fopen(getenv("FAKE_CONFIG"), "we") : NULL;
	unsigned int i;

	if (!file)
		return;
	fprintf(file, "scope %u\ncpu %d\ntid %d\nflags 0x%x\nsample_flags 0x%x\nframes %u\n",
		fake.config.scope, fake.config.cpu, fake.config.tid, fake.config.flags,
		fake.config.sample_flags, fake.config.frames);
	fprintf(file, "ring_size %u\nwatermark %u\nthrottle_percent %u\n", fake.config.ring_size,
		fake.config.watermark, fake.config.throttle_percent);
	for (i = 0; i < fake.config.nr_counters; i++)
		fprintf(file, "counter 0x%x modes %u period %llu\n", fake.counters[i].counter,
			fake.counters[i].flags, fake.counters[i].period);
	fclose(file);
}

/* The lines up to "stop", or those behind it */
static void write_part(bool stopped)
{
	FILE *file = getenv("FAKE_SAMPLES") ? fopen(getenv("FAKE_SAMPLES"), "re") : NULL;
	bool behind = false;
	char line[4096];
	int cpu;

	while (file && fgets(line, sizeof(line), file)) {
		if (!strcmp(line, "stop\n"))
			behind = true;
		else if (behind == stopped)
			write_line(line);
	}
	if (file)
		fclose(file);
	for (cpu = 0; cpu < FAKE_CPUS; cpu++)
		if (fake.ring[cpu])
			fake_ring_tell_loss(cpu);
}

static void write_begin(void)
{
	write_config();
	write_part(false);
}

static void write_end(void)
{
	write_part(true);
}

/* Behind that of fake_env.c, which begins anew */
static __attribute__((constructor(65535))) void read_environment(void)
{
	fake.on_start = write_begin;
	fake.on_stop = write_end;
}
