// SPDX-License-Identifier: LGPL-2.1-or-later
/* A context for the calling thread, in one call */
#include <errno.h>

#include "common.h"
#include "libpmcdrv-read.h"
#include "libpmcevents.h"

static int add_list(struct pmc_context *context, const char *events)
{
	struct pmc_event *event;
	int result;

	do {
		event = pmc_event_parse_next(&events);
		if (!event)
			return -1;
		result = pmc_context_add(context, event);
		pmc_event_free(event);
	} while (!result && *events);
	return result;
}

PMC_API struct pmc_context *pmc_context_open_self(const char *events)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context;
	int error;

	if (!device)
		return NULL;
	context = pmc_context_open(device);
	if (context && !add_list(context, events) && !pmc_context_set_user_read(context) &&
	    !pmc_context_configure(context) && pmc_context_page(context) &&
	    !pmc_context_start(context)) {
		pmc_device_close(device);
		return context;
	}
	error = errno;
	pmc_context_close(context);
	pmc_device_close(device);
	errno = error;
	return NULL;
}
