// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures what the driver's operations cost, in clocks of the time-stamp counter
 *
 * Prints the minimum and the median of ROUNDS executions of each, for a context with one
 * counter that counts the calling thread. The clocks of two RDTSC in succession are included.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <libpmcdrv-read.h>
#include <libpmcevents.h>

#define ROUNDS	1001

struct measured {
	struct pmc_context *context;
	const struct pmc_page *page;
	uint64_t value;
	int err;
};

static void nothing(struct measured *measured)
{
}

static void stop(struct measured *measured)
{
	measured->err |= pmc_context_stop(measured->context);
}

static void start(struct measured *measured)
{
	measured->err |= pmc_context_start(measured->context);
}

static void read_by_ioctl(struct measured *measured)
{
	measured->err |= pmc_page_read(measured->page, &measured->value, 1, NULL);
}

static void read_in_user_mode(struct measured *measured)
{
	measured->value = pmc_read_counter(measured->page, 0);
}

typedef void operation_t(struct measured *measured);

/* @unmeasured runs between two measured ones: a second START or STOP in a row has no effect. */
static const struct {
	const char *name;
	operation_t *operation;
	operation_t *unmeasured;
} operations[] = {
	{ "nothing", nothing, nothing },
	{ "STOP", stop, start },
	{ "START", start, stop },
	{ "READ by ioctl", read_by_ioctl, nothing },
	{ "READ in user mode", read_in_user_mode, nothing },
};

static int compare(const void *a, const void *b)
{
	const uint64_t *first = a, *second = b;

	return (*first > *second) - (*first < *second);
}

static void measure(struct measured *measured, const char *name, operation_t *operation,
		    operation_t *unmeasured)
{
	static uint64_t clocks[ROUNDS];
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		unmeasured(measured);
		clocks[i] = pmc_rdtsc();
		operation(measured);
		clocks[i] = pmc_rdtsc() - clocks[i];
	}
	qsort(clocks, ROUNDS, sizeof(*clocks), compare);
	printf("%s: %llu clocks, median %llu\n", name, (unsigned long long)clocks[0],
	       (unsigned long long)clocks[ROUNDS / 2]);
}

int main(void)
{
	struct measured measured = { .context = pmc_context_open_self("instructions:u") };
	unsigned int i;

	if (measured.context)
		measured.page = pmc_context_page(measured.context);
	if (!measured.page) {
		fprintf(stderr, "figures: %s\n", pmc_error());
		return 1;
	}
	for (i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		/* after "START", the context counts */
		measure(&measured, operations[i].name, operations[i].operation,
			operations[i].unmeasured);
	}
	if (measured.err) {
		fprintf(stderr, "figures: %s\n", pmc_error());
		return 1;
	}
	printf("RDPMC in user mode: %s\n",
	       measured.page->sequence & PMC_PAGE_UNAVAILABLE ? "not available" : "permitted");
	pmc_context_close(measured.context);
	return 0;
}
