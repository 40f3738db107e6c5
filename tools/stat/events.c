// SPDX-License-Identifier: GPL-2.0-only
/* pmcctl stat: parse the events of -e, of groups and the default ones */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"
#include "util/error.h"
#include "util/event-list.h"
#include "util/event-text.h"
#include "util/xalloc.h"

int stat_add_list(struct stat_job *job, const char *list)
{
	size_t i = job->num_events;

	if (event_list_add(job->event, &job->num_events, list, job->session.core_type))
		return EXIT_TROUBLE;
	for (; i < job->num_events; i++)
		if (pmc_event_period(job->event[i]))
			return report_error("event '%s' has a period: stat only counts; leave out :p",
					    pmc_event_name(job->event[i]));
	stat_merge_perf_metrics(job);
	return 0;
}

void stat_remove_event(struct stat_job *job, size_t index)
{
	pmc_event_free(job->event[index]);
	job->num_events--;
	memmove(&job->event[index], &job->event[index + 1],
		(job->num_events - index) * sizeof(job->event[0]));
}

void stat_skip(struct stat_job *job, const char *format, ...)
{
	char *reason, *lines;
	va_list args;

	va_start(args, format);
	if (vasprintf(&reason, format, args) < 0)
		reason = xcheck(NULL);
	va_end(args);
	lines = xasprintf("%s%s\n", job->skipped ? job->skipped : "", reason);
	free(reason);
	free(job->skipped);
	job->skipped = lines;
}

void stat_print_skipped(void *data)
{
	struct stat_job *job = data;
	char *line, *rest = NULL;

	for (line = job->skipped ? strtok_r(job->skipped, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		report_error("left out: %s", line);
	free(job->skipped);
	job->skipped = NULL;
}

void stat_free_events(struct stat_job *job)
{
	event_list_free(job->event, &job->num_events);
}

/* ---- groups ---- */

/* Find the group of "NAME" or "NAME:MODIFIER", and the modifiers. */
static const struct formula_group *find_group(const struct stat_job *job, const char *text,
					      const char **modifier)
{
	const struct formula_group *group;
	size_t len = strcspn(text, ":"), i;
	char name[64];

	*modifier = text + len;
	if (len >= sizeof(name))
		return NULL;
	memcpy(name, text, len);
	name[len] = '\0';
	group = formula_find_group(&job->formulas, name);
	for (i = 0; i < job->formulas.num_groups && !group; i++)
		if (!strcasecmp(job->formulas.group[i].name, name))
			group = &job->formulas.group[i];
	return group;
}

static int fail_no_group(const struct stat_job *job, const char *text)
{
	const char *hint = "";
	struct pmc_query query;
	char names[512] = "";
	size_t used = 0, i;

	for (i = 0; i < job->formulas.num_groups && used < sizeof(names); i++)
		used += snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
				 job->formulas.group[i].name);
	pmc_event_processor(&query);
	if (query.core_type && !job->session.core_type)
		hint = "; others are for one core type, with --cputype=core or --cputype=atom";
	return report_error("no group '%s'; there are: %s%s", text, names, hint);
}

int stat_fail_group(const struct formula_group *group)
{
	const bool unknown = errno == EINVAL;

	if (strcmp(group->source, FORMULA_BUILTIN))
		return report_error("%s:%u: group '%s': %s", group->source, group->line,
				    group->name, pmc_error());
	/* with the event files every name of a built-in group is known: test_groups.sh */
	return report_error("group '%s': %s%s", group->name, pmc_error(),
			    unknown ? "; " FORMULA_NEEDS_EVENT_FILES : "");
}

/* Report an event of a group that is wrong, on its own or with the modifier of -g. */
static int fail_event(const struct stat_job *job, const struct formula_group *group,
		      const char *name)
{
	char *error = xstrdup(pmc_error());
	struct pmc_event *event = pmc_event_parse_core_type(name, job->session.core_type);
	int result = event ? report_error("%s", error) : stat_fail_group(group);

	pmc_event_free(event);
	free(error);
	return result;
}

/*
 * Add an event of a group, or report that this processor does not have it.
 * @text: the event's name with the modifier of -g
 */
static int add_or_skip(struct stat_job *job, const struct formula_group *group,
		       const char *name, const char *text)
{
	struct pmc_event *event = pmc_event_parse_core_type(text, job->session.core_type);

	if (!event && errno != EOPNOTSUPP)
		return fail_event(job, group, name);
	if (event) {
		pmc_event_free(event);
		return stat_add_list(job, text);
	}
	stat_skip(job, "%s", pmc_error());
	return 0;
}

static int add_group_event(struct stat_job *job, const struct formula_group *group,
			   const char *name, const char *modifier)
{
	char *text;
	int result;

	if (event_text_has_modes(name) && event_text_has_modes(modifier))
		return report_error("'%s' of the group has modes of its own: leave out '%s'", name,
				    modifier);
	text = xasprintf("%s%s", name, modifier);
	result = add_or_skip(job, group, name, text);
	free(text);
	return result;
}

int stat_add_group(struct stat_job *job, const char *text)
{
	const struct formula_group *group;
	size_t before = job->num_events;
	const char *modifier, *list;
	int result = 0;
	char *event;

	if (strchr(text, ','))
		return report_error("one group at a time, and '%s' is more; further events with -e",
				    text);
	group = find_group(job, text, &modifier);
	if (!group)
		return fail_no_group(job, text);
	for (list = group->events; *list && !result;) {
		event = event_text_next(&list, "");
		result = add_group_event(job, group, event, modifier);
		free(event);
	}
	if (!result && job->num_events == before) {
		stat_print_skipped(job);
		result = report_error("this processor has no event of group '%s'", text);
	}
	return result;
}

/*
 * Default events that are left out for the same reason
 * @names: their names, separated by commas
 * @first: the library's message about the first one, printed if @num is 1
 */
struct skipped {
	char *names;
	char *first;
	size_t num;
};

static void add_skipped_name(struct skipped *skipped, const char *text)
{
	char *before = skipped->names;
	/* the user did not choose these events: the advice to count fewer does not apply */
	const char *advice = strstr(pmc_error(), "; count fewer at once");

	skipped->names = xasprintf("%s%s%s", before ? before : "", before ? ", " : "", text);
	free(before);
	if (!skipped->num++)
		skipped->first = xasprintf("%.*s", advice ? (int)(advice - pmc_error()) : -1,
					   pmc_error());
}

/* Print one line for all events. */
static void print_skipped(struct stat_job *job, const struct skipped *skipped, const char *reason)
{
	if (skipped->num == 1)
		stat_skip(job, "%s", skipped->first);
	else if (skipped->num)
		stat_skip(job, "%s: %s", skipped->names, reason);
}

static void free_skipped(struct skipped *skipped)
{
	free(skipped->names);
	free(skipped->first);
}

/*
 * Add a default event. An event that does not fit is added to @over, one that this CPU does
 * not have to @lacking.
 */
static int add_default(struct stat_job *job, const char *text, struct skipped *over,
		       struct skipped *lacking)
{
	struct pmc_event *event = pmc_event_parse_core_type(text, job->session.core_type);

	if (event && !pmc_context_add(job->session.context, event)) {
		job->event[job->num_events++] = event;
		return 0;
	}
	pmc_event_free(event);
	if (errno != ENOSPC && errno != EOPNOTSUPP)
		return -1;
	add_skipped_name(errno == ENOSPC ? over : lacking, text);
	return 0;
}

int stat_add_defaults(struct stat_job *job, const char *modifier, bool report)
{
	const char *list = formula_find_group(&job->formulas, job->default_group)->events;
	struct skipped over = { .num = 0 }, lacking = { .num = 0 };
	int result = 0, error;
	char *text;

	while (*list && !result) {
		text = event_text_next(&list, modifier);
		result = add_default(job, text, &over, &lacking);
		free(text);
	}
	error = errno;
	if (report) {
		print_skipped(job, &over, "these do not fit on the counters beside the others");
		print_skipped(job, &lacking, "this processor does not have these");
	}
	free_skipped(&over);
	free_skipped(&lacking);
	errno = error;
	return result || !job->num_events ? -1 : 0;
}
