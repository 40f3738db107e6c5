// SPDX-License-Identifier: GPL-2.0-only
/*
 * An application of the installed libraries, valid in C and in C++: counts the instructions of a
 * loop of known length and prints the count
 *
 * With EVENTS it uses libpmcevents, otherwise only libpmcdrv.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <libpmcdrv-read.h>
#ifdef EVENTS
#include <libpmcevents.h>
#endif

#ifdef EVENTS
static struct pmc_context *open_context(void)
{
	return pmc_context_open_self("instructions:u");
}
#else
/* Instructions retired, an architectural event (SDM Volume 3B) */
static struct pmc_context *open_context(void)
{
	struct pmc_device *device = pmc_device_open(NULL);
	struct pmc_context *context = device ? pmc_context_open(device) : NULL;
	struct pmc_counter_config counter;

	pmc_device_close(device);
	memset(&counter, 0, sizeof(counter));
	counter.counter = PMC_COUNTER_GENERAL(0);
	counter.flags = PMC_COUNT_USER;
	counter.event_select = 0xc0;
	if (!context || pmc_context_add_counter(context, &counter) ||
	    pmc_context_set_user_read(context) || pmc_context_configure(context) ||
	    pmc_context_start(context))
		return NULL;
	return context;
}
#endif

/* 1 + 2 * @rounds instructions */
#define LOOP(rounds)								\
	__asm__ __volatile__("mov	%0, %%ecx\n"				\
			     "1:	dec	%%ecx\n\t"		\
			     "jnz	1b"					\
			     : : "i"(rounds) : "ecx", "cc")

int main(void)
{
	struct pmc_context *context = open_context();
	struct pmc_region region;

	if (!context || pmc_region_init(&region, context)) {
		fprintf(stderr, "%s\n", pmc_error());
		return 1;
	}
	PMC_REGION_BEGIN(region);
	LOOP(1000);
	PMC_REGION_END(region);
	printf("%" PRIu64 "\n", pmc_region_last(&region, 0));
	pmc_region_free(&region);
	pmc_context_close(context);
	return 0;
}
