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

int event_list_add(struct pmc_event **event, size_t *num, const char *list, uint32_t core_type)
{
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
	return 0;
}

void event_list_free(struct pmc_event **event, size_t *num)
{
	while (*num)
		pmc_event_free(event[--*num]);
}
