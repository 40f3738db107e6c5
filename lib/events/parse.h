/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parse the text of an event into a struct pmc_event, without suggestions */
#ifndef PMC_PARSE_H
#define PMC_PARSE_H

#include "event.h"
#include "resolve.h"

/*
 * @failure: what the caller can add suggestions to. Its tokens are valid as long as @text.
 * Return: the event, or NULL with errno. The message is complete if failure->reason is
 * NAME_COMPLETE.
 */
struct pmc_event *pmc_parse(const char *text, size_t len, uint32_t core_type,
			    struct pmc_name_failure *failure);

#endif /* PMC_PARSE_H */
