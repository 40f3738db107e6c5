/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpmcdrv: exact x86 hardware event counts through /dev/pmc
 *
 * A &struct pmc_device answers questions about the CPU and the driver. A
 * &struct pmc_context counts: say what to count (a thread, a process with or
 * without its descendants, a CPU, all CPUs), add events, configure, start, read.
 * Event names, raw codes and the choice of a counter for each event are this
 * library's part; see libpmcdrv(3).
 *
 * Functions that return int return 0, or -1 with errno set. Functions that
 * return a pointer return NULL with errno set. The numbers are those of
 * PMC_ERRORS in <linux/pmcdrv.h>, each with its one meaning, and pmc_error()
 * has the whole story in words. A NULL object, or a NULL pointer where a result
 * is to be stored, is a programming error that is not caught.
 *
 * Objects are not locked: two threads must not use one object at the same time.
 */
#ifndef LIBPMCDRV_H
#define LIBPMCDRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/pmcdrv.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMC_INLINE	static inline __attribute__((__always_inline__, __unused__))

struct pmc_device;
struct pmc_info;
struct pmc_event;
struct pmc_event_list;
struct pmc_context;

/** PMC_EVENT_NAME_MAX - bytes of the longest event text, without its final zero */
#define PMC_EVENT_NAME_MAX	255

/** PMC_COUNTER_NAME_SIZE - room for what pmc_counter_name() writes */
#define PMC_COUNTER_NAME_SIZE	24

/** PMC_HOLDER_TEXT_SIZE - room for what pmc_holder_text() writes */
#define PMC_HOLDER_TEXT_SIZE	256

/** PMC_HOLDER_LIST_SIZE - room for what pmc_context_refused_text() writes about several */
#define PMC_HOLDER_LIST_SIZE	640

/* ---- errors, names and texts ---- */

/**
 * pmc_error() - what went wrong, and what to do about it
 *
 * Return: one line without a final newline about the last call of this library
 * that failed in this thread; "" if none did. It stays good until the next
 * call that fails in this thread.
 */
const char *pmc_error(void);

/**
 * pmc_version() - version of the library, such as "0.1.0"
 */
const char *pmc_version(void);

/**
 * pmc_status_name(), pmc_status_text() - &enum pmc_status in words
 * @status:	&struct pmc_query.status
 *
 * Return: the name in PMC_STATUSES, such as "NO_PERFMON"; a sentence. NULL for
 * a value that this library does not know.
 */
const char *pmc_status_name(uint32_t status);
const char *pmc_status_text(uint32_t status);

/**
 * pmc_family_name(), pmc_family_text() - &enum pmc_family_id in words
 * @family:	&struct pmc_query.family
 *
 * Return: as pmc_status_name() and pmc_status_text().
 */
const char *pmc_family_name(uint32_t family);
const char *pmc_family_text(uint32_t family);

/**
 * pmc_feature_name(), pmc_feature_text() - &enum pmc_feature_bit in words
 * @bit:	bit number in &struct pmc_query.features
 *
 * Return: as pmc_status_name() and pmc_status_text().
 */
const char *pmc_feature_name(unsigned int bit);
const char *pmc_feature_text(unsigned int bit);

/**
 * pmc_holder_name() - &enum pmc_holder_type in one word
 * @core_type:	&struct pmc_holder.kind
 *
 * Return: as pmc_status_name().
 */
const char *pmc_holder_name(uint32_t kind);

/**
 * pmc_holder_text() - who holds a counter, and how it can be freed
 * @holder:	as the driver told it
 * @text:	room for the answer
 * @size:	bytes of @text; PMC_HOLDER_TEXT_SIZE is always enough
 *
 * For PMC_HOLDER_KERNEL this looks at /proc/sys/kernel/nmi_watchdog: where the
 * NMI watchdog is on, the text has the line that frees the counters.
 */
void pmc_holder_text(const struct pmc_holder *holder, char *text, size_t size);

/**
 * pmc_counter_name() - name of a counter, such as "general0", "fixed2" or "metrics"
 * @counter:	PMC_COUNTER_GENERAL(), PMC_COUNTER_FIXED() or PMC_COUNTER_METRICS
 * @name:	room for the name
 * @size:	bytes of @name; PMC_COUNTER_NAME_SIZE is always enough
 */
void pmc_counter_name(uint32_t counter, char *name, size_t size);

/**
 * pmc_arch_event_name(), pmc_arch_event_text() - the architectural events
 * @bit:	bit number in CPUID.0AH:EBX and in
 *		&struct pmc_query.events_unavailable
 *
 * SDM Volume 3B, "Architectural Performance Monitoring Version 1".
 *
 * Return: the event's name as pmc_event_parse() takes it; what it counts. NULL
 * for a bit that this library does not know.
 */
const char *pmc_arch_event_name(unsigned int bit);
const char *pmc_arch_event_text(unsigned int bit);

/* ---- performance metrics ---- */

/**
 * pmc_perf_metrics_fraction() - one of the performance metrics
 * @metrics:	value of an event "metrics", read in any way
 * @field:	&enum pmc_metrics_field
 *
 * Return: how many 255ths (PMC_METRICS_WHOLE) of the slots.
 */
PMC_INLINE unsigned int pmc_perf_metrics_fraction(uint64_t metrics, unsigned int field)
{
	return metrics >> 8 * field & PMC_METRICS_WHOLE;
}

/**
 * pmc_perf_metrics_name(), pmc_perf_metrics_text() - the performance metrics in words
 * @field:	&enum pmc_metrics_field
 *
 * Return: the name that Linux's perf has for it, such as "topdown-retiring"; what it is.
 * NULL for a field that this library does not know.
 */
const char *pmc_perf_metrics_name(unsigned int field);
const char *pmc_perf_metrics_text(unsigned int field);

/* ---- the device ---- */

/**
 * pmc_device_open() - open the driver's device, to ask it questions
 * @path:	device node, or NULL for PMC_DEVICE
 *
 * The file is closed on exec.
 *
 * Errors: ENOENT (no such node: the driver is not loaded), EACCES (the node's
 * mode), ENOTTY (some other device), ENOMEM, and those of open(2).
 */
struct pmc_device *pmc_device_open(const char *path);

/**
 * pmc_device_close() - close it; contexts made from it stay
 * @device:	may be NULL
 */
void pmc_device_close(struct pmc_device *device);

/**
 * pmc_device_fd() - its file descriptor, which stays the library's own
 */
int pmc_device_fd(const struct pmc_device *device);

/**
 * pmc_device_read_tsc() - read the time-stamp counter in the kernel
 * @tsc:	where to store its value, in ticks
 * @cpu:	where to store the CPU it was read on; may be NULL
 *
 * SDM Volume 3B, "Time-Stamp Counter". &struct pmc_query.tsc_khz is its rate.
 *
 * Errors: EOPNOTSUPP (this CPU has none).
 */
int pmc_device_read_tsc(struct pmc_device *device, uint64_t *tsc, int *cpu);

/* ---- what a CPU can do ---- */

/**
 * pmc_device_get_info() - describe a CPU, its counters and who holds them
 * @cpu:	CPU number, or PMC_CPU_ANY for the one that the caller runs on
 *
 * It works on every CPU, also where there are no counters: then
 * &struct pmc_query.status tells why. The answer is of the moment: ask again
 * to see who holds a counter later. Give it to pmc_info_free().
 *
 * Errors: EINVAL (no such CPU), ENOMEM.
 */
struct pmc_info *pmc_device_get_info(struct pmc_device *device, int cpu);

/**
 * pmc_device_get_info_core_type() - describe what a context that is not for one CPU can have
 * @core_type:	of core, 0 for what all kinds have; see pmc_context_set_core_type()
 *
 * Where there is one kind of core and @core_type is 0, it is the CPU that the caller runs on.
 *
 * Errors: ENODEV (no CPU is of that kind), ENOMEM.
 */
struct pmc_info *pmc_device_get_info_core_type(struct pmc_device *device, uint32_t core_type);

/**
 * pmc_info_free() - end of a description
 * @info:	may be NULL
 */
void pmc_info_free(struct pmc_info *info);

/**
 * pmc_info_query() - the driver's answer: CPU, family, widths, features
 *
 * Return: good as long as @info is. Fields that the driver is too old to know
 * are 0.
 */
const struct pmc_query *pmc_info_query(const struct pmc_info *info);

/**
 * pmc_info_num_counters() - number of counters: general ones, fixed ones, and the
 * performance metrics where there are any
 */
size_t pmc_info_num_counters(const struct pmc_info *info);

/**
 * pmc_info_counter() - one counter: widths, addresses, who holds it
 * @index:	0 to pmc_info_num_counters() - 1; the general ones come first
 *
 * Return: good as long as @info is; NULL for an index beyond the last.
 */
const struct pmc_counter *pmc_info_counter(const struct pmc_info *info, size_t index);

/**
 * pmc_info_has_core_type() - whether a CPU is of a kind of core
 * @core_type:	as for pmc_context_set_core_type(); 0 is every kind
 *
 * A CPU that is offline is of no kind but 0.
 */
bool pmc_info_has_core_type(const struct pmc_info *info, uint32_t core_type);

/**
 * pmc_core_type_name() - the name of a kind of core
 * @core_type:	&struct pmc_query.core_type
 *
 * Return: such as "core" or "atom", or NULL if it has none.
 */
const char *pmc_core_type_name(uint32_t core_type);

/**
 * pmc_core_type_parse() - the kind of core that a text means
 * @text:	"core", "atom", as perf says it "cpu_core", "cpu_atom", or a number as in
 *		&struct pmc_query.core_type
 * @core_type:	for pmc_context_set_core_type()
 *
 * Errors: EINVAL; pmc_error() names the kinds that there are.
 */
int pmc_core_type_parse(const char *text, uint32_t *core_type);

/* ---- events ---- */

/**
 * pmc_event_parse() - make an event of its text
 * @text:	NAME, rCODE or cpu/TERM,.../, and modifiers, as described in
 *		pmc-events(7)
 *
 * Names are those of the processor that the caller runs on; see
 * pmc_event_list_get(). Nothing is asked of the driver here. Give it to
 * pmc_event_free().
 *
 * On a processor with several kinds of core a name that only some have is theirs:
 * pmc_context_add() refuses it for others. One that is another event on each is refused
 * here; see pmc_event_parse_core_type().
 *
 * Errors: EINVAL (no such event, or a malformed one), EOPNOTSUPP (an event that
 * needs registers which the driver does not set, or one that is another on each kind of
 * core), ENOMEM.
 */
struct pmc_event *pmc_event_parse(const char *text);

/**
 * pmc_event_parse_core_type() - make an event of its text for one kind of core
 * @text:	as for pmc_event_parse()
 * @core_type:	of core, as for pmc_context_set_core_type(); 0 is pmc_event_parse()
 *
 * Names are those of that kind, and for contexts that count on it alone. Codes and
 * architectural names are the same for all kinds. Where there is one kind of core @core_type
 * is not looked at.
 *
 * Errors: as pmc_event_parse(); a name that only another kind has is EOPNOTSUPP.
 */
struct pmc_event *pmc_event_parse_core_type(const char *text, uint32_t core_type);

/**
 * pmc_event_parse_next() - make an event of the first text of a list
 * @list:	in: events with commas between them; out: the rest, "" after the
 *		last one. On an error it is unchanged.
 *
 * The commas between the slashes of cpu/TERM,.../ belong to that event.
 *
 * Errors: as pmc_event_parse(); an empty event is EINVAL.
 */
struct pmc_event *pmc_event_parse_next(const char **list);

/**
 * pmc_event_parse_next_core_type() - the same for one kind of core
 * @list:	as for pmc_event_parse_next()
 * @core_type:	as for pmc_event_parse_core_type()
 */
struct pmc_event *pmc_event_parse_next_core_type(const char **list, uint32_t core_type);

/**
 * pmc_event_free() - end of an event; contexts it was added to keep it
 * @event:	may be NULL
 */
void pmc_event_free(struct pmc_event *event);

/**
 * pmc_event_name() - the text that the event was made of
 */
const char *pmc_event_name(const struct pmc_event *event);

/**
 * pmc_event_select() - its event select, as written for a general counter
 *
 * In the layout of &struct pmc_counter_config.event_select.
 */
uint64_t pmc_event_select(const struct pmc_event *event);

/**
 * pmc_event_modes() - PMC_COUNT_USER, PMC_COUNT_KERNEL or both
 */
uint32_t pmc_event_modes(const struct pmc_event *event);

/**
 * pmc_event_set_modes() - choose the privilege levels to count at
 * @modes:	PMC_COUNT_USER, PMC_COUNT_KERNEL or both
 *
 * Errors: EINVAL.
 */
int pmc_event_set_modes(struct pmc_event *event, uint32_t modes);

/**
 * pmc_event_set_counter() - demand one counter and no other
 * @counter:	PMC_COUNTER_GENERAL() or PMC_COUNTER_FIXED()
 *
 * The same as the modifiers :g=N and :f=N.
 *
 * Errors: EINVAL (that fixed counter does not count this event).
 */
int pmc_event_set_counter(struct pmc_event *event, uint32_t counter);

/**
 * pmc_event_set_initial() - value that the count begins with, else 0
 */
void pmc_event_set_initial(struct pmc_event *event, uint64_t value);

/**
 * pmc_event_period() - the number of events from one sample to the next
 *
 * Return: what the modifier :p=PERIOD or pmc_event_set_period() said, 0 for an
 * event that is only counted.
 */
uint64_t pmc_event_period(const struct pmc_event *event);

/**
 * pmc_event_set_period() - choose the period, 0 to count only
 */
void pmc_event_set_period(struct pmc_event *event, uint64_t period);

/**
 * pmc_event_equal() - whether two events count the same, whatever their names are
 *
 * The same event select, privilege levels and period, on the same counters.
 */
bool pmc_event_equal(const struct pmc_event *a, const struct pmc_event *b);

/* ---- lists of events ---- */

/**
 * enum pmc_event_type - what one count of an event stands for
 *
 * @PMC_EVENT_TYPE_UNKNOWN:	the table does not say
 * @PMC_EVENT_TYPE_OCCURRENCE: something that happened once
 * @PMC_EVENT_TYPE_DURATION:	a clock during which something lasted
 */
enum pmc_event_type {
	PMC_EVENT_TYPE_UNKNOWN,
	PMC_EVENT_TYPE_OCCURRENCE,
	PMC_EVENT_TYPE_DURATION,
};

/** PMC_ANY_COUNTER - in &struct pmc_event_row.counters: all that the CPU has */
#define PMC_ANY_COUNTER		UINT64_MAX

/** PMC_NO_FIXED - in &struct pmc_event_row.fixed: no fixed counter counts it */
#define PMC_NO_FIXED		(-1)

/**
 * PMC_FIXED_PERF_METRICS - in &struct pmc_event_row.fixed: it is the performance metrics, a
 * register of its own, PMC_COUNTER_METRICS
 */
#define PMC_FIXED_PERF_METRICS	(-2)

/**
 * struct pmc_unit_mask - one unit mask of an event
 *
 * @name:	as pmc_event_parse() takes it
 * @text:	what it selects
 * @bits:	of the event select that it sets
 * @preset:	it is taken when none is given
 * @combines:	it can be given beside others of the event
 * @refused:	pmc_event_parse() refuses it: it needs a register that the driver does
 *		not set
 */
struct pmc_unit_mask {
	const char *name;
	const char *text;
	uint64_t bits;
	bool preset;
	bool combines;
	bool refused;
};

/**
 * struct pmc_event_row - one event of a processor
 *
 * @name:	as pmc_event_parse() takes it; small and capital letters, '-' and
 *		'_' are the same
 * @alias:	another name, or NULL
 * @perf:	what Linux's perf calls it, if it is called otherwise, or NULL
 * @title:	what its document calls it, or NULL
 * @unit:	part of the processor it belongs to, or NULL
 * @text:	what it counts
 * @note:	where documents disagree, or why it cannot be counted, or NULL
 * @source:	the table it is from
 * @select:	event select without unit mask
 * @counters:	mask of the general counters that can count it, or
 *		PMC_ANY_COUNTER; 0 with PMC_NO_FIXED is an event that cannot be
 *		counted: an architectural one that this processor lacks, or one
 *		whose @note tells why
 * @fixed:	number of the fixed counter that counts it, PMC_FIXED_PERF_METRICS or PMC_NO_FIXED
 * @core_type:	&enum pmc_event_type
 * @num_unit_masks: entries of @unit_masks
 * @unit_masks:	what can follow the name after ':'
 * @core_type:	the kind of core whose event it is, where there are several and not all
 *		have it so: pmc_event_parse_core_type() takes the name with it; else 0
 *
 * The library makes rows, programs only read them, one by one: later versions may add
 * fields at the end. Unit masks are an array and stay as long as they are.
 */
struct pmc_event_row {
	const char *name;
	const char *alias;
	const char *perf;
	const char *title;
	const char *unit;
	const char *text;
	const char *note;
	const char *source;
	uint64_t select;
	uint64_t counters;
	int fixed;
	uint32_t type;
	size_t num_unit_masks;
	const struct pmc_unit_mask *unit_masks;
	uint32_t core_type;
};

/**
 * pmc_event_list_get() - all events that have names on this processor
 *
 * The architectural ones first, then those of the processor's own table, and last the
 * architectural ones that this processor lacks. Give it to pmc_event_list_free().
 *
 * On a processor with several kinds of core an event that is not the same on all of them
 * has a row for each kind that has it. Architectural ones are those of the CPU that the
 * caller runs on.
 *
 * The performance metrics are among them if the driver is loaded: it alone knows them.
 *
 * Errors: ENOMEM.
 */
struct pmc_event_list *pmc_event_list_get(void);

/**
 * pmc_event_list_get_core_type() - those that have names on one kind of core
 * @core_type:	as for pmc_event_parse_core_type()
 *
 * Errors: ENODEV (there is one kind of core), ENOMEM.
 */
struct pmc_event_list *pmc_event_list_get_core_type(uint32_t core_type);

/**
 * pmc_event_list_free() - end of a list
 * @list:	may be NULL
 */
void pmc_event_list_free(struct pmc_event_list *list);

/**
 * pmc_event_list_num() - number of events in the list
 */
size_t pmc_event_list_num(const struct pmc_event_list *list);

/**
 * pmc_event_list_row() - one event of the list
 * @index:	0 to pmc_event_list_num() - 1
 *
 * Return: good as long as @list is; NULL for an index beyond the last.
 */
const struct pmc_event_row *pmc_event_list_row(const struct pmc_event_list *list, size_t index);

/**
 * pmc_event_list_incomplete() - why the list may lack events
 *
 * Return: a sentence that tells what to install, or NULL if nothing is missing.
 */
const char *pmc_event_list_incomplete(const struct pmc_event_list *list);

/* ---- plans ---- */

/**
 * pmc_info_can_count() - whether a CPU can count an event at all
 *
 * Who holds the counters now does not matter.
 *
 * Errors: EOPNOTSUPP (no counter of this CPU counts it), ENXIO (the demanded
 * counter does not exist), EINVAL (bits of the event select that no counter of
 * this CPU takes), ENODEV (no counters, and why), EBUSY (pmc_info_exclude_held() has
 * left none for it).
 */
int pmc_info_can_count(const struct pmc_info *info, const struct pmc_event *event);

/**
 * pmc_info_plan() - spread events that do not fit at once over several runs
 * @info:	the CPU
 * @events:	each is counted in one run
 * @num_events:	how many
 * @always:	events that are counted in every run
 * @num_always:	how many
 * @run:	room for @num_events numbers: the run of each event, from 0 on
 *
 * Each event is on a counter that can count it, and there are as few runs as
 * there can be; on NetBurst, whose counters share event select registers, there
 * can be some more.
 *
 * Errors: those of pmc_info_can_count(); ENOSPC (@always do not fit at once, or
 * leave no counter for one of @events), ENOMEM.
 *
 * Return: the number of runs, or -1.
 */
int pmc_info_plan(const struct pmc_info *info, struct pmc_event *const *events,
		  size_t num_events, struct pmc_event *const *always, size_t num_always,
		  unsigned int *run);

/**
 * pmc_info_exclude_held() - plan without counters that somebody else holds
 * @info:	for pmc_info_can_count() and pmc_info_plan()
 * @context:	its pmc_context_configure() was refused some
 *
 * Return: how many counters @info is without now that it was not without before.
 */
size_t pmc_info_exclude_held(struct pmc_info *info, const struct pmc_context *context);

/**
 * pmc_info_excluded_text() - what pmc_info_exclude_held() has left out, and who holds it
 * @text:	as for pmc_context_refused_text()
 * @size:	likewise
 *
 * Return: how many counters they are.
 */
size_t pmc_info_excluded_text(const struct pmc_info *info, char *text, size_t size);

/* ---- counting ---- */

/**
 * struct pmc_snapshot - the counts of a context at one moment
 *
 * @tsc:	time-stamp counter when it was taken, in ticks
 * @time_enabled: ticks from start to stop, or till now
 * @time_counted: ticks that the counters really ran; over several CPUs, the
 *		sum; for a thread, while it was on a CPU
 * @cpu:	where it was taken, -1 for a sum over CPUs or a thread that is
 *		not running
 * @state:	mask of PMC_STATE_*
 * @num_values:	entries of @value that are filled
 * @reserved:	0
 * @overflows:	overflows of events with a period, so far; see libpmcdrv-sample(3)
 * @reserved2:	0
 * @value:	the counts, in the order in which the events were added; never
 *		scaled, never estimated
 */
struct pmc_snapshot {
	uint64_t tsc;
	uint64_t time_enabled;
	uint64_t time_counted;
	int32_t cpu;
	uint32_t state;
	uint32_t num_values;
	uint32_t reserved;
	uint64_t overflows;
	uint32_t reserved2[6];
	uint64_t value[PMC_COUNTERS_MAX];
};

/**
 * pmc_context_open() - open a context of its own, without events
 * @device:	says which device; it may be closed before the context is
 *
 * It counts the thread that configures it until told otherwise. The file is
 * closed on exec, and when the process ends, however it ends; the counters are
 * free again then. Give it to pmc_context_close().
 *
 * Errors: as pmc_device_open().
 */
struct pmc_context *pmc_context_open(const struct pmc_device *device);

/**
 * pmc_context_close() - stop, give the counters back, close the file
 * @context:	may be NULL
 */
void pmc_context_close(struct pmc_context *context);

/**
 * pmc_context_fd() - its file descriptor, which stays the library's own
 */
int pmc_context_fd(const struct pmc_context *context);

/**
 * pmc_context_set_thread() - count one thread, wherever it runs
 * @tid:	thread, 0 for the one that calls pmc_context_configure()
 * @on_exec:	begin at the thread's next exec: pmc_context_start() then arms
 *
 * Errors: EINVAL (negative @tid), EBADFD (configured: release it first).
 */
int pmc_context_set_thread(struct pmc_context *context, int tid, bool on_exec);

/**
 * pmc_context_set_process() - count a process: all threads it has and will have
 * @pid:	process, 0 for the one that calls pmc_context_configure()
 *
 * The counts are sums over its threads, also over those that have ended.
 *
 * Errors: as pmc_context_set_thread().
 */
int pmc_context_set_process(struct pmc_context *context, int pid);

/**
 * pmc_context_set_tree() - count a process and all that it makes from now on:
 * threads, processes, and theirs
 * @pid:	process, 0 for the one that calls pmc_context_configure()
 * @on_exec:	begin at the process's next exec: pmc_context_start() then arms
 *
 * The counts are sums. PMC_STATE_INCOMPLETE in a snapshot tells that a
 * descendant could not be followed for want of memory.
 *
 * Errors: as pmc_context_set_thread().
 */
int pmc_context_set_tree(struct pmc_context *context, int pid, bool on_exec);

/**
 * pmc_context_set_cpu() - count one CPU, whatever runs there
 * @cpu:	CPU number
 *
 * Choose the CPU before adding events: its counters are what they are placed
 * on. Needs CAP_PERFMON.
 *
 * Errors: EINVAL (negative @cpu), EBADFD (configured, or has events).
 */
int pmc_context_set_cpu(struct pmc_context *context, int cpu);

/**
 * pmc_context_set_all_cpus() - count every CPU, those that come online later too
 *
 * Needs CAP_PERFMON.
 *
 * Errors: EBADFD (configured: release it first).
 */
int pmc_context_set_all_cpus(struct pmc_context *context);

/**
 * pmc_context_set_core_type() - count only on CPUs of one kind, where there are several
 * @core_type:	as &struct pmc_config.core_type, 0 for all; see pmc_core_type_parse()
 *
 * On a processor with two kinds of core a thread may run on either, and events go to the
 * counters that both have. With one kind they go to that kind's, and the context counts
 * only there; &struct pmc_snapshot.time_counted tells for how long. Choose the kind before
 * adding events.
 *
 * Errors: EINVAL (no kind), EBADFD (configured, or has events). pmc_context_add() says
 * ENODEV where no CPU is of that kind.
 */
int pmc_context_set_core_type(struct pmc_context *context, uint32_t core_type);

/**
 * pmc_context_add() - add an event, and find a counter for it
 * @event:	copied; the caller keeps it
 *
 * The event is placed on a counter that can count it. Counters that nobody
 * holds come first, and for architectural events their fixed counter. Events
 * that were added before may change places for it, so all of them fit whenever
 * there is a way at all. On an error the context is as before.
 *
 * Errors: ENOSPC (does not fit beside the others; pmc_error() names them),
 * EOPNOTSUPP (no counter of this CPU counts it), ENXIO (the demanded counter
 * does not exist), ENODEV (no counters, and why), EBADFD (configured: release
 * it first), and those of pmc_device_get_info().
 */
int pmc_context_add(struct pmc_context *context, const struct pmc_event *event);

/**
 * pmc_context_num_events() - number of events added
 */
size_t pmc_context_num_events(const struct pmc_context *context);

/**
 * pmc_context_counter() - the counter that an event is placed on now
 * @index:	0 to pmc_context_num_events() - 1, in the order of adding
 *
 * Adding another event may change it; configuring does not.
 *
 * Return: PMC_COUNTER_GENERAL(), PMC_COUNTER_FIXED() or PMC_COUNTER_METRICS.
 */
uint32_t pmc_context_counter(const struct pmc_context *context, size_t index);

/**
 * pmc_context_perf_metrics_fields() - number of fields that an event "metrics" has here
 *
 * Return: 4 or 8; 0 if none was added.
 */
unsigned int pmc_context_perf_metrics_fields(const struct pmc_context *context);

/**
 * pmc_context_configure() - claim the counters and set them up, stopped
 *
 * All or nothing. Events whose counters somebody else holds go to others, if there is
 * a way to place all: pmc_context_counter() tells afterwards where they are. SDM
 * Volume 3B, "Starting Event Counters".
 *
 * Errors: EINVAL (refused bits, named by pmc_error(); no events; no such CPU),
 * ENODEV, ENXIO, EOPNOTSUPP, EBUSY (pmc_error() tells who holds which counters),
 * EACCES, EPERM, ESRCH, EBADFD (configured already), ENOMEM.
 */
int pmc_context_configure(struct pmc_context *context);

/**
 * pmc_context_refused_text() - which counters stood in the way of pmc_context_configure()
 * @text:	room for "counters ... are held by ...", or ""
 * @size:	bytes of @text; PMC_HOLDER_LIST_SIZE is a good one
 *
 * Return: how many counters the last pmc_context_configure() was refused because a
 * context of this driver, or something unknown, holds them.
 */
size_t pmc_context_refused_text(const struct pmc_context *context, char *text, size_t size);

/**
 * pmc_context_start() - start all counters; a started context stays started
 *
 * Errors: EBADFD (not configured), ENODEV (the CPU is offline), ESRCH (the
 * thread has ended).
 */
int pmc_context_start(struct pmc_context *context);

/**
 * pmc_context_stop() - stop all counters; the values stay
 *
 * Errors: EBADFD (not configured).
 */
int pmc_context_stop(struct pmc_context *context);

/**
 * pmc_context_read() - take a snapshot; the counters keep counting
 * @snapshot:	where to store it
 *
 * Errors: EBADFD (not configured).
 */
int pmc_context_read(struct pmc_context *context, struct pmc_snapshot *snapshot);

/**
 * pmc_context_read_cpu() - the part that one CPU counted since the last write
 * or reset, of a context that counts all CPUs
 * @cpu:	CPU number
 * @snapshot:	where to store it
 *
 * Errors: EINVAL (no such CPU; a context that does not count all CPUs), EBADFD
 * (not configured).
 */
int pmc_context_read_cpu(struct pmc_context *context, int cpu, struct pmc_snapshot *snapshot);

/**
 * pmc_context_write() - set the counts; running counters go on from there
 * @values:	one for each event, in the order of adding
 * @num_values:	must be pmc_context_num_events()
 *
 * Errors: EINVAL (wrong @num_values), EBADFD (not configured).
 */
int pmc_context_write(struct pmc_context *context, const uint64_t *values, size_t num_values);

/**
 * pmc_context_reset() - make all counts and times 0
 *
 * Errors: EBADFD (not configured).
 */
int pmc_context_reset(struct pmc_context *context);

/**
 * pmc_context_release() - stop, and give the counters back
 *
 * The events stay, so the context can be configured again.
 *
 * Errors: EBADFD (not configured).
 */
int pmc_context_release(struct pmc_context *context);

#ifdef __cplusplus
}
#endif

#endif /* LIBPMCDRV_H */
