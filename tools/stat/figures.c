// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: compute means, deviations and derived figures */
#include <ctype.h>
#include <inttypes.h>
#include <langinfo.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"
#include "util/xalloc.h"

static uint64_t count(const struct stat_job *job, size_t run, size_t event)
{
	return job->run[run].measured.snapshot.value[event];
}

/* ---- means ---- */

/* Only the last one can be cut off. */
size_t stat_num_complete(const struct stat_job *job)
{
	return job->num_runs - (job->num_runs && job->run[job->num_runs - 1].interrupted);
}

size_t stat_num_summarised(const struct stat_job *job)
{
	size_t whole = stat_num_complete(job);

	return whole ? whole : job->num_runs;
}

/* The sum of 64-bit counts may overflow: add quotients and remainders. */
void stat_summarise(const struct stat_job *job, size_t event, struct stat_summary *summary)
{
	size_t num = stat_num_summarised(job), i;
	uint64_t value;

	*summary = (struct stat_summary){ .min = UINT64_MAX, .divisor = num };
	if (!num)
		return;
	for (i = 0; i < num; i++) {
		value = count(job, i, event);
		if (value < summary->min)
			summary->min = value;
		if (value > summary->max)
			summary->max = value;
		summary->floor += value / num;
		summary->remainder += value % num;
	}
	summary->floor += summary->remainder / num;
	summary->remainder %= num;
}

void stat_mean_text(const struct stat_summary *summary, char *text, size_t size)
{
	uint64_t thousandths = (summary->remainder * 2000 + summary->divisor) /
			       (2 * summary->divisor);
	uint64_t whole = summary->floor + thousandths / 1000;

	snprintf(text, size, "%'" PRIu64 "%s%03u", whole, nl_langinfo(RADIXCHAR),
		 (unsigned int)(thousandths % 1000));
}

/*
 * The differences from the minimum are small even if counts are large, so the sum of
 * their squares is precise in a double.
 */
double stat_deviation(const struct stat_job *job, size_t event)
{
	long double mean, distance, squares = 0;
	size_t num = stat_num_summarised(job), i;
	struct stat_summary summary;

	if (num < 2)
		return 0;
	stat_summarise(job, event, &summary);
	mean = (long double)(summary.floor - summary.min) +
	       (long double)summary.remainder / num;
	for (i = 0; i < num; i++) {
		distance = (long double)(count(job, i, event) - summary.min) - mean;
		squares += distance * distance;
	}
	return sqrtl(squares / (num - 1));
}

void stat_sum(const struct stat_run *run, struct stat_counts *counts)
{
	counts->cpu = -1;
	counts->other_core_type = false;
	counts->ticks = run->measured.snapshot.time_counted;
	memcpy(counts->value, run->measured.snapshot.value, sizeof(counts->value));
}

void stat_counts_to_doubles(const struct stat_job *job, const struct stat_run *run, double *value)
{
	struct stat_summary summary;
	size_t i;

	for (i = 0; i < job->num_events; i++) {
		if (run) {
			value[i] = run->measured.snapshot.value[i];
			continue;
		}
		stat_summarise(job, i, &summary);
		value[i] = (double)summary.floor + (double)summary.remainder / summary.divisor;
	}
}

double stat_seconds(const struct stat_job *job, const struct stat_run *run)
{
	size_t num = stat_num_summarised(job), i;
	double sum = 0;

	if (run)
		return run->measured.elapsed_ns / 1e9;
	for (i = 0; i < num; i++)
		sum += job->run[i].measured.elapsed_ns / 1e9;
	return sum / num;
}

double stat_ticks(const struct stat_job *job, const struct stat_run *run)
{
	size_t num = stat_num_summarised(job), i;
	double sum = 0;

	if (run)
		return run->measured.snapshot.time_counted;
	for (i = 0; i < num; i++)
		sum += job->run[i].measured.snapshot.time_counted;
	return sum / num;
}

void stat_cpu_times(const struct stat_job *job, double *user_us, double *system_us)
{
	size_t num = stat_num_summarised(job), i;

	*user_us = 0;
	*system_us = 0;
	for (i = 0; i < num; i++) {
		*user_us += (double)job->run[i].measured.user_us / num;
		*system_us += (double)job->run[i].measured.system_us / num;
	}
}

/* ---- figures ---- */

/* A name of a formula. @event: NULL if this processor has no event of that name */
struct named_event {
	const char *name;
	struct pmc_event *event;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct named_event *)a)->name, ((const struct named_event *)b)->name);
}

/* Find the event of a name in a formula. It is looked up once, not for each interval. */
static struct pmc_event *find_event(const struct stat_job *job, const char *name)
{
	static void *root;
	struct named_event key = { .name = name }, *named, **found;

	found = tfind(&key, &root, compare_names);
	if (!found) {
		named = xcalloc(1, sizeof(*named));
		named->name = name;
		named->event = pmc_event_parse_core_type(name, job->session.core_type);
		found = xcheck(tsearch(named, &root, compare_names));
	}
	return (*found)->event;
}

/*
 * Does the event count what the name does? Get the privilege levels that the name leaves open, as
 * modifiers.
 */
static bool counts_same(const struct pmc_event *event, struct pmc_event *named,
			const char **suffix)
{
	const uint32_t modes = pmc_event_modes(event), all = PMC_COUNT_USER | PMC_COUNT_KERNEL;
	bool same;

	*suffix = "";
	if (pmc_event_modes(named) != all || modes == all)
		return pmc_event_equal(event, named);
	*suffix = modes == PMC_COUNT_USER ? ":u" : ":k";
	pmc_event_set_modes(named, modes);
	same = pmc_event_equal(event, named);
	pmc_event_set_modes(named, all);
	return same;
}

static int normal(char letter)
{
	return letter == '_' ? '-' : tolower((unsigned char)letter);
}

/*
 * Get the modifiers that the event has and @name leaves open, such as "" or ":u". NULL: the event
 * is another one. Of a name that the library does not know, the text is compared.
 */
static const char *suffix_of(const struct stat_job *job, size_t index, const char *name)
{
	const char *text = pmc_event_name(job->event[index]), *suffix;
	struct pmc_event *named = find_event(job, name);

	if (named && counts_same(job->event[index], named, &suffix))
		return suffix;
	while (*name && *text && normal(*name) == normal(*text)) {
		name++;
		text++;
	}
	return !*name && (!*text || *text == ':') ? text : NULL;
}

/* For lookups of a formula: the events with the same suffix */
struct counted {
	const struct stat_job *job;
	const double *value;
	const char *suffix;
	double seconds;
	double ticks;
};

/* Other names are times. */
static bool is_event(const char *name)
{
	return strcmp(name, "seconds") && strcmp(name, "ticks");
}

static bool find_count(void *data, const char *name, double *value);

/* A field of the performance metrics; in perf it is a part of the slots */
static bool find_field(struct counted *counted, const char *name, double *value)
{
	double slots;

	if (!stat_perf_metrics_share(counted->job, name, counted->suffix, value) ||
	    !find_count(counted, "slots", &slots))
		return false;
	*value *= slots;
	return true;
}

static bool find_count(void *data, const char *name, double *value)
{
	struct counted *counted = data;
	const struct stat_job *job = counted->job;
	const char *suffix;
	size_t i;

	if (find_field(counted, name, value))
		return true;
	for (i = 0; i < job->num_events; i++) {
		suffix = suffix_of(job, i, name);
		if (suffix && !strcmp(suffix, counted->suffix)) {
			*value = counted->value[i];
			return true;
		}
	}
	if (!is_event(name))
		*value = strcmp(name, "ticks") ? counted->seconds : counted->ticks;
	return !is_event(name);
}

/* Does an event before @index have the same name and suffix? */
static bool is_repeated(const struct stat_job *job, size_t index, const char *name,
			const char *suffix)
{
	const char *other;
	size_t i;

	for (i = 0; i < index; i++) {
		other = suffix_of(job, i, name);
		if (other && !strcmp(other, suffix))
			return true;
	}
	return false;
}

/*
 * Each formula is computed for each event that its first name matches, if the other names
 * match events with the same suffix.
 */
bool stat_next_figure(const struct stat_job *job, const double *value, double seconds,
		      double ticks, size_t *cursor, struct stat_figure *figure)
{
	size_t total = job->formulas.num_formulas * job->num_events, i;
	struct counted counted = {
		.job = job, .value = value, .seconds = seconds, .ticks = ticks,
	};
	const struct formula *formula;
	const char *name;

	while (*cursor < total) {
		formula = &job->formulas.formula[*cursor / job->num_events];
		i = (*cursor)++ % job->num_events;
		name = formula_first_event(&job->formulas, formula, is_event);
		counted.suffix = name ? suffix_of(job, i, name) : NULL;
		if (!counted.suffix || is_repeated(job, i, name, counted.suffix) ||
		    !formula_compute(&job->formulas, formula, find_count, &counted,
				     &figure->value))
			continue;
		figure->name = formula->name;
		figure->unit = formula->unit;
		snprintf(figure->suffix, sizeof(figure->suffix), "%s", counted.suffix);
		return true;
	}
	return false;
}
