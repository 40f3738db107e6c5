// SPDX-License-Identifier: GPL-2.0-only
/* Collect and parse the event lists of -e */
#include <stdlib.h>

#include <libpmcevents.h>

#include "util/error.h"
#include "util/event-list.h"
#include "util/event-text.h"
#include "util/xalloc.h"

int event_list_append(char **lists, const char *list)
{
	char *before = *lists;

	if (event_text_check(list))
		return EXIT_TROUBLE;
	*lists = before ? xasprintf("%s,%s", before, list) : xstrdup(list);
	free(before);
	return 0;
}

void event_report_warning(const struct pmc_event *event)
{
	const char *warning = pmc_event_warning(event);

	if (warning)
		report_error("warning: event '%s': %s", pmc_event_name(event), warning);
}

/* Whether no event before it is equal */
static bool is_new(struct pmc_event *const *event, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (pmc_event_equal(event[i], event[index]))
			return false;
	return true;
}

int event_list_add(struct pmc_event **event, size_t *num, const char *list, uint32_t core_type)
{
	size_t i = *num;

	if (event_text_check(list))
		return EXIT_TROUBLE;
	do {
		if (*num == PMC_COUNTERS_MAX)
			return report_error("more than %d events", PMC_COUNTERS_MAX);
		event[*num] = pmc_event_parse_next_core_type(&list, core_type);
		if (!event[*num])
			return report_error("%s", pmc_error());
		++*num;
	} while (*list);
	for (; i < *num; i++)
		if (is_new(event, i))
			event_report_warning(event[i]);
	return 0;
}

void event_list_free(struct pmc_event **event, size_t *num)
{
	while (*num)
		pmc_event_free(event[--*num]);
}
