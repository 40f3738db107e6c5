/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read an event file in JSON, of Intel's perfmon or the kernel's tools/perf/pmu-events */
#ifndef PMC_JSON_READ_H
#define PMC_JSON_READ_H

#include <stddef.h>

#include "json_table.h"
#include "processor.h"

/* Why there is no reader, as a sentence; NULL if there is */
const char *pmc_json_unavailable_reason(void);

/*
 * Add the events of a file to @table.
 * @path: for messages
 * @source: pmc_json_table_add_source() of the file
 * @text, @len: contents of the file
 * @layout: PMC_LAYOUT_CORE or PMC_LAYOUT_AMD
 * @core_type: of events without one of their own; 0 for none
 * Return: 0; or -1 with errno, EBADMSG with a message that has path and place of the mistake.
 */
int pmc_json_read(struct pmc_json_table *table, const char *path, const char *source,
		  const char *text, size_t len, enum pmc_layout layout, uint32_t core_type);

#endif /* PMC_JSON_READ_H */
