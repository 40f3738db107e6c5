// SPDX-License-Identifier: GPL-2.0-only
/* The events of -e */
#include <stdlib.h>

#include "memory.h"
#include "pmcctl.h"

int event_list_remember(char **lists, const char *list)
{
	char *before = *lists;

	if (event_text_check(list))
		return EXIT_TROUBLE;
	*lists = before ? must_printf("%s,%s", before, list) : must_strdup(list);
	free(before);
	return 0;
}

int event_list_add(struct pmc_event **event, size_t *num, const char *list, uint32_t kind)
{
	if (event_text_check(list))
		return EXIT_TROUBLE;
	do {
		if (*num == PMC_COUNTERS_MAX)
			return complain("more than %d events", PMC_COUNTERS_MAX);
		event[*num] = pmc_event_parse_next_kind(&list, kind);
		if (!event[*num])
			return complain("%s", pmc_error());
		++*num;
	} while (*list);
	return 0;
}

void event_list_free(struct pmc_event **event, size_t *num)
{
	while (*num)
		pmc_event_free(event[--*num]);
}
