/* SPDX-License-Identifier: GPL-2.0-only */
/* Which records pmcctl report --samples lists */
#ifndef REPORT_FILTER_H
#define REPORT_FILTER_H

#include "record/file.h"

/* Longest text of a time, with its final zero */
#define RECORD_TIME_SIZE	32

/* A time of the recording's clock, the time-stamp counter, in seconds */
struct record_time {
	uint64_t seconds;
	uint32_t ns;
};

/* The rate of a recording's clock in ticks per second, 0 if the file does not have it */
uint64_t record_clock_rate(const struct record_file *file);

/* Convert a value of the time-stamp counter. @rate: not 0 */
struct record_time record_time_of(uint64_t tsc, uint64_t rate);

/* Print a time with nine digits after the point. */
void record_time_text(const struct record_time *time, char text[RECORD_TIME_SIZE]);

/* Distinct numbers that a message lists */
#define FILTER_EXAMPLES		8

/*
 * Numbers of --pid, --tid or --cpu; none: all
 * @found: for each number, a sample has it
 * @example: the first numbers that samples have
 */
struct filter_numbers {
	size_t num;
	uint32_t *number;
	bool *found;
	size_t num_examples;
	uint32_t example[FILTER_EXAMPLES];
	bool more_examples;
};

/* @after_first: counted from the first sample */
struct filter_limit {
	bool given;
	bool after_first;
	struct record_time time;
};

/*
 * @range: the text of --time, or NULL
 * @events: mask of the events
 * @rate: of the recording's clock
 * @samples: samples of the file
 * @first, @last: values of the time-stamp counter at the first and the last one
 */
struct record_filter {
	struct filter_numbers pids;
	struct filter_numbers tids;
	struct filter_numbers cpus;
	const char *range;
	struct filter_limit from;
	struct filter_limit to;
	uint32_t events;
	uint64_t rate;
	uint64_t samples;
	uint64_t first;
	uint64_t last;
};

/* Set an option. Return: 0, or EXIT_TROUBLE after a message. */
int filter_set_numbers(struct filter_numbers *numbers, const char *option, const char *list);
int filter_set_time(struct record_filter *filter, const char *range);

/* The first option that is set, or NULL */
const char *filter_option(const struct record_filter *filter);

/* Note a sample of the file. All of them are added before the next two are called. */
void filter_add_sample(struct record_filter *filter, const struct pmc_sample *sample);

/*
 * Check that each option can match a sample.
 * @path: of the file
 * Return: 0, or EXIT_TROUBLE after a message
 */
int filter_check(struct record_filter *filter, const char *path);

/*
 * Does the filter match a record? One without an event or a task matches any.
 * @cpu, @tsc: of the record, or of the record of its CPU before it
 */
bool filter_matches(const struct record_filter *filter, const struct pmc_record *record,
		    uint32_t cpu, uint64_t tsc);

void filter_free(struct record_filter *filter);

#endif /* REPORT_FILTER_H */
