// SPDX-License-Identifier: GPL-2.0-only
/* Measure the cost of a function from inside the program, without system calls. */
#include <inttypes.h>
#include <stdio.h>

#include <libpmcdrv-read.h>
#include <libpmcevents.h>

#define EVENTS	"instructions:u,branches:u"

static unsigned int __attribute__((noinline)) bits_set(unsigned int number)
{
	unsigned int bits = 0;

	/* without it a compiler may leave out a call that has no effect */
	__asm__ __volatile__("");
	for (; number; number >>= 1)
		bits += number & 1;
	return bits;
}

static void report(const char *what, const struct pmc_region *region)
{
	printf("%-16s %6" PRIu64 " instructions %6" PRIu64 " branches\n", what,
	       pmc_region_last(region, 0), pmc_region_last(region, 1));
}

int main(void)
{
	struct pmc_context *context = pmc_context_open_self(EVENTS);
	struct pmc_region region;

	if (!context || pmc_region_init(&region, context)) {
		fprintf(stderr, "%s\n", pmc_error());
		return 1;
	}

	PMC_REGION_BEGIN(region);
	PMC_REGION_END(region);
	report("nothing", &region);

	PMC_REGION_BEGIN(region);
	bits_set(0xff);
	PMC_REGION_END(region);
	report("bits_set(0xff)", &region);

	PMC_REGION_BEGIN(region);
	bits_set(0xffffffff);
	PMC_REGION_END(region);
	report("bits_set(~0)", &region);

	pmc_region_free(&region);
	pmc_context_close(context);
	return 0;
}
