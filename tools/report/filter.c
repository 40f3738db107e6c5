// SPDX-License-Identifier: GPL-2.0-only
/* Which records pmcctl report --samples lists */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/filter.h"
#include "util/error.h"
#include "util/output.h"
#include "util/xalloc.h"

#define NS_PER_SECOND	1000000000U
#define NS_DIGITS	9

/* ---- time ---- */

uint64_t record_clock_rate(const struct record_file *file)
{
	uint64_t khz;

	/* with a higher rate, the product in record_time_of() would not fit */
	return parse_number(record_system(file, "tsc_khz"), 1, UINT64_MAX / NS_PER_SECOND / 1000,
			    &khz) ? khz * 1000 : 0;
}

struct record_time record_time_of(uint64_t tsc, uint64_t rate)
{
	return (struct record_time){
		.seconds = tsc / rate,
		.ns = tsc % rate * NS_PER_SECOND / rate,
	};
}

void record_time_text(const struct record_time *time, char text[RECORD_TIME_SIZE])
{
	snprintf(text, RECORD_TIME_SIZE, "%" PRIu64 ".%09" PRIu32, time->seconds, time->ns);
}

static int compare_times(const struct record_time *a, const struct record_time *b)
{
	if (a->seconds != b->seconds)
		return a->seconds < b->seconds ? -1 : 1;
	return a->ns < b->ns ? -1 : a->ns > b->ns;
}

static struct record_time add_times(const struct record_time *a, const struct record_time *b)
{
	uint32_t ns = a->ns + b->ns;

	return (struct record_time){
		.seconds = a->seconds + b->seconds + ns / NS_PER_SECOND,
		.ns = ns % NS_PER_SECOND,
	};
}

/* ---- --time ---- */

/* Parse "[+]SECONDS[.DIGITS]". An empty text is no limit. */
static bool parse_limit(const char *text, struct filter_limit *limit)
{
	char seconds[24], digits[NS_DIGITS + 1] = "000000000";
	size_t whole, part;

	*limit = (struct filter_limit){ .given = *text, .after_first = *text == '+' };
	if (!*text)
		return true;
	text += limit->after_first;
	whole = strspn(text, "0123456789");
	part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
	if (!whole || whole >= sizeof(seconds) || part > NS_DIGITS ||
	    text[whole + (text[whole] == '.' ? 1 + part : 0)])
		return false;
	snprintf(seconds, sizeof(seconds), "%.*s", (int)whole, text);
	memcpy(digits, text + whole + !!part, part);
	limit->time.ns = strtoul(digits, NULL, 10);
	/* the sum with the first sample's time must fit */
	return parse_number(seconds, 0, UINT64_MAX / 4, &limit->time.seconds);
}

int filter_set_time(struct record_filter *filter, const char *range)
{
	const char *comma = strchr(range, ',');
	char *begin = comma ? xasprintf("%.*s", (int)(comma - range), range) : NULL;
	bool valid = comma && parse_limit(begin, &filter->from) &&
		     parse_limit(comma + 1, &filter->to);

	free(begin);
	if (!valid || (!filter->from.given && !filter->to.given))
		return report_usage_error("--time: '%s' is not FROM,TO: two times in seconds, one of which may be empty, such as 12.5,13 or +0,+0.5",
					  range);
	filter->range = range;
	return 0;
}

static void resolve(struct filter_limit *limit, const struct record_time *first)
{
	if (limit->after_first)
		limit->time = add_times(&limit->time, first);
	limit->after_first = false;
}

static bool in_range(const struct record_filter *filter, const struct record_time *time)
{
	return (!filter->from.given || compare_times(&filter->from.time, time) <= 0) &&
	       (!filter->to.given || compare_times(time, &filter->to.time) <= 0);
}

static int check_time(struct record_filter *filter, const char *path)
{
	char first_text[RECORD_TIME_SIZE], last_text[RECORD_TIME_SIZE];
	struct record_time first, last;

	if (!filter->rate)
		return report_error("--time: %s does not have the rate of the time-stamp counter (tsc_khz)",
				    path);
	first = record_time_of(filter->first, filter->rate);
	last = record_time_of(filter->last, filter->rate);
	resolve(&filter->from, &first);
	resolve(&filter->to, &first);
	if (filter->from.given && filter->to.given &&
	    compare_times(&filter->from.time, &filter->to.time) > 0)
		return report_usage_error("--time: the range '%s' ends before it begins",
					  filter->range);
	if ((!filter->from.given || compare_times(&filter->from.time, &last) <= 0) &&
	    (!filter->to.given || compare_times(&first, &filter->to.time) <= 0))
		return 0;
	record_time_text(&first, first_text);
	record_time_text(&last, last_text);
	return report_error("--time: %s has no sample in '%s'; its samples are from %s to %s", path,
			    filter->range, first_text, last_text);
}

/* ---- --pid, --tid, --cpu ---- */

int filter_set_numbers(struct filter_numbers *numbers, const char *option, const char *list)
{
	uint64_t number;
	size_t len;
	char *one;
	bool valid;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		one = xasprintf("%.*s", (int)len, list);
		valid = parse_number(one, 0, INT32_MAX, &number);
		if (!valid)
			report_usage_error("%s: '%s' is not a number from 0 to %d", option, one,
					   INT32_MAX);
		free(one);
		if (!valid)
			return EXIT_TROUBLE;
		numbers->number = xgrow(numbers->number, numbers->num, sizeof(*numbers->number));
		numbers->number[numbers->num++] = number;
		if (!list[len])
			break;
	}
	numbers->found = xcalloc(numbers->num, sizeof(*numbers->found));
	return 0;
}

static void add_number(struct filter_numbers *numbers, uint32_t number)
{
	size_t i;

	for (i = 0; i < numbers->num; i++)
		if (numbers->number[i] == number)
			numbers->found[i] = true;
	for (i = 0; i < numbers->num_examples; i++)
		if (numbers->example[i] == number)
			return;
	if (numbers->num_examples < FILTER_EXAMPLES)
		numbers->example[numbers->num_examples++] = number;
	else
		numbers->more_examples = true;
}

static bool has_number(const struct filter_numbers *numbers, uint32_t number)
{
	size_t i;

	for (i = 0; i < numbers->num; i++)
		if (numbers->number[i] == number)
			return true;
	return !numbers->num;
}

static int check_numbers(const struct filter_numbers *numbers, const char *option, const char *path)
{
	char examples[12 * FILTER_EXAMPLES + 8] = "";
	size_t i;

	for (i = 0; i < numbers->num_examples; i++)
		text_append(examples, sizeof(examples), "%s%" PRIu32, i ? ", " : "",
			    numbers->example[i]);
	if (numbers->more_examples)
		text_append(examples, sizeof(examples), ", ...");
	for (i = 0; i < numbers->num; i++)
		if (!numbers->found[i])
			return report_error("%s: %s has no sample of %" PRIu32 "; it has samples of %s",
					    option, path, numbers->number[i], examples);
	return 0;
}

/* ---- all of them ---- */

const char *filter_option(const struct record_filter *filter)
{
	return filter->range ? "--time" : filter->pids.num ? "--pid" :
	       filter->tids.num ? "--tid" : filter->cpus.num ? "--cpu" : NULL;
}

void filter_add_sample(struct record_filter *filter, const struct pmc_sample *sample)
{
	if (!filter->samples || sample->tsc < filter->first)
		filter->first = sample->tsc;
	if (sample->tsc > filter->last)
		filter->last = sample->tsc;
	filter->samples++;
	add_number(&filter->pids, sample->pid);
	add_number(&filter->tids, sample->tid);
	add_number(&filter->cpus, sample->cpu);
}

int filter_check(struct record_filter *filter, const char *path)
{
	if (filter_option(filter) && !filter->samples)
		return report_error("%s: %s has no samples", filter_option(filter), path);
	if (check_numbers(&filter->pids, "--pid", path) ||
	    check_numbers(&filter->tids, "--tid", path) ||
	    check_numbers(&filter->cpus, "--cpu", path))
		return EXIT_TROUBLE;
	return filter->range ? check_time(filter, path) : 0;
}

bool filter_matches(const struct record_filter *filter, const struct pmc_record *record,
		    uint32_t cpu, uint64_t tsc)
{
	const struct pmc_sample *sample = (const struct pmc_sample *)record;
	const struct pmc_mmap *map = (const struct pmc_mmap *)record;
	struct record_time time;

	switch (record->type) {
	case PMC_RECORD_SAMPLE:
		if (!(filter->events >> sample->counter & 1) ||
		    !has_number(&filter->pids, sample->pid) ||
		    !has_number(&filter->tids, sample->tid))
			return false;
		break;
	case PMC_RECORD_THROTTLE:
	case PMC_RECORD_UNTHROTTLE:
		if (!(filter->events >> ((const struct pmc_throttle *)record)->counter & 1))
			return false;
		break;
	case PMC_RECORD_MMAP:
		if (!has_number(&filter->pids, map->pid) || !has_number(&filter->tids, map->tid))
			return false;
		break;
	}
	if (!has_number(&filter->cpus, cpu))
		return false;
	if (!filter->range)
		return true;
	time = record_time_of(tsc, filter->rate);
	return in_range(filter, &time);
}

static void free_numbers(struct filter_numbers *numbers)
{
	free(numbers->number);
	free(numbers->found);
}

void filter_free(struct record_filter *filter)
{
	free_numbers(&filter->pids);
	free_numbers(&filter->tids);
	free_numbers(&filter->cpus);
}
