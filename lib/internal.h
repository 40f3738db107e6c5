/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libpmcdrv: what its files share and its users do not see */
#ifndef PMC_INTERNAL_H
#define PMC_INTERNAL_H

#include "libpmcdrv.h"
#include "libpmcdrv-read.h"
#include "libpmcdrv-sample.h"
#include "processor.h"

#define PMC_API		__attribute__((visibility("default")))

#define __printf(a, b)	__attribute__((format(printf, a, b)))

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* ---- error.c ---- */

/* Store the message, set errno to @error. Return: -1. */
int pmc_fail(int error, const char *format, ...) __printf(2, 3);

/* The same with the meaning and the advice that PMC_ERRORS has for errno. */
int pmc_fail_errno(const char *format, ...) __printf(1, 2);

/* ---- event.c ---- */

/* Bits of an event select that modifiers set: on core and P6, and on P5 */
#define SELECT_EDGE		(1ULL << 18)
#define SELECT_ANY		(1ULL << 21)
#define SELECT_INVERT		(1ULL << 23)
#define SELECT_CMASK_SHIFT	24
#define SELECT_P5_CLOCKS	(1ULL << 8)

/* struct pmc_arch_event.fixed: no fixed counter counts it */
#define NO_FIXED	PMC_NO_FIXED

/* One row of events/architectural.def */
struct pmc_arch_event {
	const char *name;
	const char *alias;
	unsigned int bit;
	uint64_t select;
	int fixed;
	bool general;
	const char *text;
};

extern const struct pmc_arch_event pmc_arch_events[];
extern const size_t pmc_num_arch_events;

enum pmc_placement {
	PLACEMENT_ANY,
	PLACEMENT_GENERAL,
	PLACEMENT_FIXED,
	PLACEMENT_COUNTER,
};

/*
 * @layout: of @select
 * @arch: NULL for what is not an architectural event
 * @extra: bits that modifiers and terms added to an architectural event
 * @counters: general counters that can count it, 0 if its select has to tell
 * @core_type: the kind of core that its name was looked up for, 0 if all have it
 * @modes_given: its text has modes
 * @cmask_given: its text has a counter mask
 * @placement: where the caller wants it
 * @counter: for PLACEMENT_COUNTER
 */
struct pmc_event {
	char name[PMC_EVENT_NAME_MAX + 1];
	enum pmc_layout layout;
	const struct pmc_arch_event *arch;
	uint64_t select;
	uint64_t extra;
	uint64_t counters;
	uint64_t initial;
	uint64_t period;
	uint32_t core_type;
	uint32_t modes;
	bool modes_given;
	bool cmask_given;
	uint32_t counter;
	enum pmc_placement placement;
};

/* Whether the fixed counter of the event's name counts it as it is. */
bool pmc_event_fits_fixed(const struct pmc_event *event);

/* What to write for the event into @counter. */
uint64_t pmc_event_select_on(const struct pmc_event *event, uint32_t counter);

/* ---- device.c ---- */

struct pmc_device {
	char *path;
	int fd;
};

/* Open @path, checked to be the driver's. Return: file descriptor or -1. */
int pmc_device_open_fd(const char *path);

/* Describe a CPU through any open file of the driver. */
struct pmc_info *pmc_info_get(int fd, int cpu);

/* Ask PMC_IOC_QUERY. Return: 0 or -1 with errno, no message. */
int pmc_query_cpu(int fd, int cpu, struct pmc_query *query);

/* ---- list.c ---- */

/*
 * The list of pmc_event_list_get_core_type() in little time: nothing is asked about unit masks, so
 * that none is marked as refused, and all events have counters.
 */
struct pmc_event_list *pmc_event_list_names(uint32_t core_type);

/* Whether an event of that list is refused, or one of its unit masks unless SIZE_MAX */
bool pmc_event_list_is_refused(const struct pmc_event_list *list, const struct pmc_event_row *row,
			 size_t mask);

/* ---- info.c ---- */

/* More counters than any CPU has: every one fits a 64-bit mask of indices. */
#define INFO_COUNTERS_MAX	64

/*
 * @is_hybrid: it is what several kinds of core have in common, see kind.c
 * @perf_metrics_core_type: of them one that has the performance metrics, where not all have; else 0
 * @cpu_text: the CPU in messages, which no user has chosen if any will do
 * @excluded: counters that plans do without, a mask of indices
 */
struct pmc_info {
	char cpu_text[16];
	struct pmc_query query;
	bool is_hybrid;
	uint32_t perf_metrics_core_type;
	size_t num_counters;
	uint64_t excluded;
	struct pmc_counter counter[INFO_COUNTERS_MAX];
};

/* ---- match.c ---- */

/*
 * Events placed on counters, one on one. Counters are indices of struct
 * pmc_info, sets of them are masks.
 * @allowed: counters that can count the event
 * @preferred: those of them to try first
 * @counter: where the event is
 * @owner: event on the counter, or -1
 */
struct pmc_matching {
	size_t num_events;
	uint64_t allowed[PMC_COUNTERS_MAX];
	uint64_t preferred[PMC_COUNTERS_MAX];
	uint8_t counter[PMC_COUNTERS_MAX];
	int8_t owner[INFO_COUNTERS_MAX];
};

void pmc_matching_init(struct pmc_matching *match);

/*
 * Place one more event, moving others where needed. Nothing changes if there
 * is no way at all; *@tried is then the set of counters it competes for: the
 * events on them and the new one are one more than they can take.
 * @usable: counters to use
 */
bool pmc_matching_add(struct pmc_matching *match, uint64_t allowed, uint64_t preferred,
		   uint64_t usable, uint64_t *tried);

/* ---- place.c ---- */

/* Counters of @info that can count @event, as masks. Return: 0 or -1. */
int pmc_find_candidates(const struct pmc_info *info, const struct pmc_event *event,
			 uint64_t *allowed, uint64_t *preferred);

/* Whether the CPU's general counters know the event (CPUID.0AH:EBX). */
bool pmc_query_has_event(const struct pmc_query *query, const struct pmc_arch_event *arch);

/* Name the counters of a set. */
void pmc_counter_list_text(const struct pmc_info *info, uint64_t counters, char *text, size_t size);

/* Counters of @info that nobody holds. */
uint64_t pmc_info_unheld(const struct pmc_info *info);

/* ---- metrics.c ---- */

#define PMC_PERF_METRICS_COMMAND_SIZE	(2 * PMC_EVENT_NAME_MAX + 128)

/*
 * A command that counts @event, which is the metrics, on CPUs of @core_type or all: those of
 * @cpu, or of one thread if it is PMC_CPU_ANY
 */
void pmc_perf_metrics_command(const struct pmc_event *event, uint32_t core_type, int cpu, char *text,
		      size_t size);

/*
 * What the driver refuses of the performance metrics too, in more words. Their slots are
 * placed where they belong. Return: 0 or -1
 */
int pmc_perf_metrics_check(struct pmc_context *context);

/* ---- context.c ---- */

/*
 * @info: the CPU that the events are placed on; NULL as long as there are none
 * @tid: for the scopes that follow threads
 * @cpu: for PMC_SCOPE_CPU, else PMC_CPU_ANY
 * @core_type: the kind of core to count on, 0 for all
 * @user_read: configured with PMC_CONFIG_USER_READ
 * @sample_flags, @frames, @ring_size, @watermark: as in struct pmc_config
 * @refused: counters that the driver refused to the last pmc_context_configure(), a
 *	mask of indices of @info, which has their holders
 * @page: see read.c
 * @page_stale: it belongs to an earlier configuration
 */
struct pmc_context {
	int fd;
	enum pmc_scope scope;
	int tid;
	int cpu;
	uint32_t core_type;
	uint32_t flags;
	bool configured;
	bool user_read;
	bool page_stale;
	uint32_t sample_flags;
	uint32_t frames;
	uint32_t ring_size;
	uint32_t watermark;
	uint64_t refused;
	struct pmc_page *page;
	struct pmc_info *info;
	struct pmc_matching match;
	struct pmc_event event[PMC_COUNTERS_MAX];
};

/* Whether an event has a period. */
bool pmc_context_is_sampling(const struct pmc_context *context);

/* ---- busy.c ---- */

/*
 * The driver has refused a counter: place the events on others. Return: whether there
 * is a way.
 */
bool pmc_place_around_holder(struct pmc_context *context, const struct pmc_holder *holder);

/* Place all events anew on @usable counters. Return: whether there is a way. */
bool pmc_place_events(struct pmc_context *context, uint64_t usable);

/* "counters general0 and general1 are held by ..., counter fixed0 by ..." */
void pmc_holder_list_text(const struct pmc_info *info, uint64_t counters, char *text, size_t size);

/* There is no way. Return: -1 */
int pmc_fail_held(const struct pmc_context *context, const struct pmc_holder *holder);

/* Only @counters, which a plan does without, could count it. Return: -1 */
int pmc_fail_event_held(const struct pmc_info *info, const struct pmc_event *event,
			uint64_t counters);

/* ---- read.c ---- */

/* Unmap the page, if there is one. */
void pmc_page_unmap(struct pmc_context *context);

/* ---- region_read.S ---- */

void pmc_region_read_begin(void);
void pmc_region_read_end(void);

#endif /* PMC_INTERNAL_H */
