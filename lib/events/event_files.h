/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folders with the vendors' event files */
#ifndef PMC_EVENT_FILES_H
#define PMC_EVENT_FILES_H

#include "json_table.h"
#include "processor.h"

/*
 * Set *@table to the events of the processor, or to NULL if no folder has event files for it.
 * They are read at the first call, and never released: texts of events refer to them.
 * Return: 0; or -1 after pmc_fail(), with errno EBADMSG if a file has a mistake.
 */
int pmc_event_files_table(const struct pmc_processor *processor,
			  const struct pmc_json_table **table);

#endif /* PMC_EVENT_FILES_H */
