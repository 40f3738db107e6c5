/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpmcevents: event names, and counters for events
 *
 * pmc_event_parse() makes a &struct pmc_event from a text such as "instructions:u". Names are
 * looked up in the tables of the manuals, in libpfm4 and in the vendors' event files.
 * pmc_context_add() adds it to a context of libpmcdrv and chooses a counter that can count it.
 * Lists have all events of a processor; plans spread events over several runs.
 *
 * Return values, errors and pmc_error() are as in libpmcdrv.h.
 */
#ifndef LIBPMCEVENTS_H
#define LIBPMCEVENTS_H

#include <libpmcdrv.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pmc_event;
struct pmc_event_list;

/** PMC_EVENT_NAME_MAX - longest event text in bytes, without its final zero */
#define PMC_EVENT_NAME_MAX	255

/** PMC_HOLDER_LIST_SIZE - buffer size for pmc_context_refused_text(), in bytes */
#define PMC_HOLDER_LIST_SIZE	640

/* ---- the processor ---- */

/**
 * pmc_event_processor() - identify the processor that event names are looked up for
 * @query:	where to store its vendor, cpu_family and cpu_model; other members are 0 or
 *		as CPUID describes the CPU that runs the caller
 *
 * The driver is not needed.
 */
void pmc_event_processor(struct pmc_query *query);

/* ---- core types ---- */

/**
 * pmc_core_type_name() - name of a core type
 * @core_type:	&struct pmc_query.core_type
 *
 * Return: "core" or "atom", or NULL if the core type has no name.
 */
const char *pmc_core_type_name(uint32_t core_type);

/**
 * pmc_core_type_parse() - core type of a text
 * @text:	"core", "atom", perf's "cpu_core" or "cpu_atom", or a number as in
 *		&struct pmc_query.core_type
 * @core_type:	where to store the value for pmc_context_set_core_type()
 *
 * Errors: EINVAL; pmc_error() lists the core types of the processor.
 */
int pmc_core_type_parse(const char *text, uint32_t *core_type);

/**
 * pmc_info_has_core_type() - whether a CPU has a core type
 * @core_type:	as for pmc_context_set_core_type(); every CPU has 0
 *
 * An offline CPU has no core type except 0.
 */
bool pmc_info_has_core_type(const struct pmc_info *info, uint32_t core_type);

/**
 * pmc_device_get_info_core_type() - describe the counters of a context that is not for one CPU
 * @core_type:	as for pmc_context_set_core_type(); 0 for what all core types have
 *
 * On a processor with one core type and with @core_type 0: the CPU that runs the caller.
 * Release with pmc_info_free().
 *
 * Errors: ENODEV (no CPU has that core type), ENOMEM.
 */
struct pmc_info *pmc_device_get_info_core_type(struct pmc_device *device, uint32_t core_type);

/* ---- architectural events ---- */

/**
 * pmc_arch_event_name(), pmc_arch_event_text() - name and meaning of an architectural event
 * @bit:	bit number in CPUID.0AH:EBX and in &struct pmc_query.events_unavailable
 *
 * SDM Volume 3B, "Architectural Performance Monitoring Version 1".
 *
 * Return: the name for pmc_event_parse(); what the event counts. NULL for an unknown bit.
 */
const char *pmc_arch_event_name(unsigned int bit);
const char *pmc_arch_event_text(unsigned int bit);

/* ---- events ---- */

/**
 * pmc_event_parse() - make an event from a text
 * @text:	NAME, rCODE or cpu/TERM,.../, followed by modifiers; see pmc-events(7)
 *
 * Names are those of the processor that runs the caller, see pmc_event_list_get(). The
 * driver is not needed. Release with pmc_event_free().
 *
 * On a hybrid processor, pmc_context_add() accepts a name that only one core type has only
 * for that core type. A name with different event selects on different core types is
 * refused here; see pmc_event_parse_core_type().
 *
 * Errors: EINVAL (unknown or malformed event), EOPNOTSUPP (the event needs registers that
 * the driver does not set, or differs between core types), ENOMEM.
 */
struct pmc_event *pmc_event_parse(const char *text);

/**
 * pmc_event_parse_core_type() - make an event from a text for one core type
 * @text:	as for pmc_event_parse()
 * @core_type:	as for pmc_context_set_core_type(); 0 is the same as pmc_event_parse()
 *
 * Names are those of @core_type; the event is for contexts that count only there. Codes and
 * architectural names are the same for all core types. On a processor with one core type
 * @core_type is ignored.
 *
 * Errors: as pmc_event_parse(); EOPNOTSUPP (only another core type has the name).
 */
struct pmc_event *pmc_event_parse_core_type(const char *text, uint32_t core_type);

/**
 * pmc_event_parse_next() - make an event from the first text of a list
 * @list:	in: events separated by commas; out: the rest, "" after the last event.
 *		Unchanged on an error.
 *
 * Commas between the slashes of cpu/TERM,.../ are part of that event. {EVENT,...}:MODIFIERS is
 * a group: its modifiers apply to each of its events. Inside of a group the rest begins with a
 * comma.
 *
 * Errors: as pmc_event_parse(); EINVAL (empty event).
 */
struct pmc_event *pmc_event_parse_next(const char **list);

/**
 * pmc_event_parse_next_core_type() - make an event from the first text, for one core type
 * @list:	as for pmc_event_parse_next()
 * @core_type:	as for pmc_event_parse_core_type()
 *
 * Errors: as pmc_event_parse_next() and pmc_event_parse_core_type().
 */
struct pmc_event *pmc_event_parse_next_core_type(const char **list, uint32_t core_type);

/**
 * pmc_event_free() - release an event; contexts keep their copy
 * @event:	may be NULL
 */
void pmc_event_free(struct pmc_event *event);

/**
 * pmc_event_name() - the text that the event was made from
 *
 * Of an event of a group in braces: with the modifiers of the group.
 */
const char *pmc_event_name(const struct pmc_event *event);

/**
 * pmc_event_label() - the name of the event in output
 *
 * Return: the value of the term name= of cpu/TERM,.../; without it as pmc_event_name().
 */
const char *pmc_event_label(const struct pmc_event *event);

/**
 * pmc_event_select() - event select for a general counter
 *
 * In the layout of &struct pmc_counter_config.event_select.
 */
uint64_t pmc_event_select(const struct pmc_event *event);

/**
 * pmc_event_extra() - value of the extra register that the event needs
 *
 * Return: &struct pmc_counter_config.event_extra; 0 if the event needs no such register.
 */
uint64_t pmc_event_extra(const struct pmc_event *event);

/** pmc_event_modes() - PMC_COUNT_USER, PMC_COUNT_KERNEL or both */
uint32_t pmc_event_modes(const struct pmc_event *event);

/**
 * pmc_event_set_modes() - set the privilege levels to count at
 * @modes:	PMC_COUNT_USER, PMC_COUNT_KERNEL or both
 *
 * Errors: EINVAL.
 */
int pmc_event_set_modes(struct pmc_event *event, uint32_t modes);

/**
 * pmc_event_set_counter() - require one counter
 * @counter:	PMC_COUNTER_GENERAL() or PMC_COUNTER_FIXED()
 *
 * Same as the modifiers :g=N and :f=N.
 *
 * Errors: EINVAL (the fixed counter does not count this event).
 */
int pmc_event_set_counter(struct pmc_event *event, uint32_t counter);

/** pmc_event_set_initial() - set the initial count, 0 by default */
void pmc_event_set_initial(struct pmc_event *event, uint64_t value);

/**
 * pmc_event_period() - sampling period, in events
 *
 * Return: the value of :p=PERIOD or pmc_event_set_period(); 0 if the event is only counted.
 */
uint64_t pmc_event_period(const struct pmc_event *event);

/**
 * pmc_event_default_period() - sampling period that the vendor's event file gives
 *
 * Return: SampleAfterValue of the event; 0 if the name is not of an event file.
 */
uint64_t pmc_event_default_period(const struct pmc_event *event);

/** pmc_event_set_period() - set the sampling period in events, 0 to count only */
void pmc_event_set_period(struct pmc_event *event, uint64_t period);

/**
 * pmc_event_equal() - whether two events count the same
 *
 * Compares event select, extra register, privilege levels, period, counters and core type, not
 * names or initial counts.
 */
bool pmc_event_equal(const struct pmc_event *a, const struct pmc_event *b);

/**
 * pmc_event_warning() - the warning for an event
 *
 * Codes of the Pentium and the P6 family are compared with the documents of the processor.
 * There is a warning if the number or unit mask is reserved, is in no table, or selects
 * nothing. A name of a vendor's event file has a warning if the file marks the event as
 * deprecated, or lists errata or restrictions. The event is counted as it is given.
 *
 * Return: a sentence about the event, without its name; NULL if there is no warning. The text
 * is static.
 */
const char *pmc_event_warning(const struct pmc_event *event);

/* ---- the vendors' event files ---- */

/**
 * pmc_event_files_set() - read the vendors' event files from another folder
 * @folder:	with mapfile.csv; NULL for the default folders
 *
 * Event files are JSON, as Intel's perfmon repository and the kernel's tools/perf/pmu-events
 * publish them; see pmc-events(7). The default folders are $XDG_DATA_HOME/pmcdrv/events or
 * ~/.local/share/pmcdrv/events, and /usr/share/pmcdrv/events. The first with files for this
 * processor is used. Files are read when a name is looked up.
 *
 * Errors: ENOENT (no mapfile.csv) and others of open(2), EBADMSG (not a text), ENOPKG (the
 * library was built without json-c), ENOMEM.
 */
int pmc_event_files_set(const char *folder);

/**
 * struct pmc_event_file - what pmc_event_files_check() found in a file
 *
 * @name:	path below the folder
 * @num_events:	events of cores
 * @num_refused: those of them that the driver cannot count
 * @num_other:	events of units outside of the cores, which are left out
 * @mistake:	NULL, or a sentence with the path and the place of the first mistake
 */
struct pmc_event_file {
	const char *name;
	size_t num_events;
	size_t num_refused;
	size_t num_other;
	const char *mistake;
};

/**
 * pmc_event_files_check() - check all event files of a folder
 * @folder:	with mapfile.csv
 * @report:	called for each file that mapfile.csv names as one of cores; its argument is
 *		valid during the call
 * @data:	for @report
 *
 * Errors: EBADMSG (a mistake was reported), and those of pmc_event_files_set().
 */
int pmc_event_files_check(const char *folder,
			  void (*report)(const struct pmc_event_file *file, void *data),
			  void *data);

/* ---- lists of events ---- */

/**
 * enum pmc_event_type - what one count of an event stands for
 *
 * @PMC_EVENT_TYPE_UNKNOWN:	not in the table
 * @PMC_EVENT_TYPE_OCCURRENCE: one occurrence
 * @PMC_EVENT_TYPE_DURATION:	one clock cycle during which a condition holds. To count how
 *				often the condition begins, use the modifier :n on the
 *				Pentium and :e on the P6 family
 */
enum pmc_event_type {
	PMC_EVENT_TYPE_UNKNOWN,
	PMC_EVENT_TYPE_OCCURRENCE,
	PMC_EVENT_TYPE_DURATION,
};

/** PMC_ANY_COUNTER - &struct pmc_event_row.counters: all general counters of the CPU */
#define PMC_ANY_COUNTER		UINT64_MAX

/** PMC_NO_FIXED - &struct pmc_event_row.fixed: no fixed counter counts the event */
#define PMC_NO_FIXED		(-1)

/** PMC_FIXED_PERF_METRICS - &struct pmc_event_row.fixed: PMC_COUNTER_METRICS counts the event */
#define PMC_FIXED_PERF_METRICS	(-2)

/**
 * struct pmc_unit_mask - one unit mask of an event
 *
 * @name:	name for pmc_event_parse()
 * @text:	what it selects
 * @bits:	bits of the event select that it sets; 0 if it sets those of an extra register
 * @preset:	used if the text has no unit mask
 * @combines:	can be combined with other unit masks of the event
 * @refused:	pmc_event_parse() refuses it: it needs a register that the driver does not set
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
 * @name:	name for pmc_event_parse(); case-insensitive, '-' and '_' are equivalent
 * @alias:	another name, or NULL
 * @perf:	the name in Linux's perf if it differs, or NULL
 * @title:	the name in its document, or NULL
 * @unit:	unit of the processor, or NULL
 * @text:	what it counts
 * @note:	disagreement of documents, or why it cannot be counted, or NULL
 * @source:	table of the event
 * @select:	event select without unit mask; of a duration of the Pentium, that which counts
 *		clocks
 * @counters:	mask of the general counters that can count it, or PMC_ANY_COUNTER. 0 with
 *		PMC_NO_FIXED: cannot be counted, because this processor does not have the
 *		architectural event or for the reason in @note
 * @fixed:	number of its fixed counter, PMC_FIXED_PERF_METRICS or PMC_NO_FIXED
 * @type:	&enum pmc_event_type
 * @num_unit_masks: entries of @unit_masks
 * @unit_masks:	unit masks that can follow the name after ':'
 * @core_type:	on a hybrid processor: the core type of an event that is not the same on all,
 *		for pmc_event_parse_core_type(); else 0
 *
 * Only the library makes rows. Later versions may add fields at the end.
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
 * pmc_event_list_get() - list the events of this processor
 *
 * The order is: architectural events, the processor's own table, perf's generic names, and
 * architectural events that this processor does not have. The performance metrics are listed
 * only if the driver is loaded. Release with pmc_event_list_free().
 *
 * On a hybrid processor an event that differs between core types has one row for each core
 * type. Architectural events are those of the CPU that runs the caller.
 *
 * Errors: ENOMEM, EBADMSG (an event file has a mistake).
 */
struct pmc_event_list *pmc_event_list_get(void);

/**
 * pmc_event_list_get_core_type() - list the events of one core type
 * @core_type:	as for pmc_event_parse_core_type()
 *
 * Errors: as pmc_event_list_get(); ENODEV (the processor has one core type).
 */
struct pmc_event_list *pmc_event_list_get_core_type(uint32_t core_type);

/**
 * pmc_event_list_get_names() - list the names of the events, quickly
 * @core_type:	as for pmc_event_list_get_core_type(), or 0 for all
 *
 * A list that is not checked: every event has counters, and no unit mask is marked as refused.
 * pmc_event_list_is_refused() checks one of them.
 *
 * Errors: as pmc_event_list_get_core_type().
 */
struct pmc_event_list *pmc_event_list_get_names(uint32_t core_type);

/**
 * pmc_event_list_is_refused() - whether an event of a list cannot be counted
 * @row:	of @list
 * @mask:	index of a unit mask; SIZE_MAX for the event itself
 */
bool pmc_event_list_is_refused(const struct pmc_event_list *list,
			       const struct pmc_event_row *row, size_t mask);

/**
 * pmc_event_list_free() - release a list
 * @list:	may be NULL
 */
void pmc_event_list_free(struct pmc_event_list *list);

/** pmc_event_list_num() - number of events in the list */
size_t pmc_event_list_num(const struct pmc_event_list *list);

/**
 * pmc_event_list_row() - one event of the list
 * @index:	0 to pmc_event_list_num() - 1
 *
 * Return: valid as long as @list; NULL if @index is out of range.
 */
const struct pmc_event_row *pmc_event_list_row(const struct pmc_event_list *list, size_t index);

/**
 * pmc_event_list_incomplete() - why events may be missing from the list
 *
 * Return: a sentence with the package to install, or NULL if the list is complete.
 */
const char *pmc_event_list_incomplete(const struct pmc_event_list *list);

/* ---- plans ---- */

/**
 * pmc_info_can_count() - whether a CPU can count an event
 *
 * Holders of the counters are ignored, except those that pmc_info_exclude_held() excluded.
 *
 * Errors: EOPNOTSUPP (no counter of this CPU counts it), ENXIO (the required counter does
 * not exist), EINVAL (no counter of this CPU accepts bits of the event select), ENODEV (no
 * counters), EBUSY (pmc_info_exclude_held() excluded all its counters).
 *
 * Return: 0 if it can, -1 if not.
 */
int pmc_info_can_count(const struct pmc_info *info, const struct pmc_event *event);

/**
 * pmc_info_counts_sibling() - whether an event counts the sibling thread, too
 *
 * True for an event with AnyThread, and for one that counts both threads of a core in any case,
 * such as UOPS_EXECUTED.CORE. Such an event needs CAP_PERFMON: its count includes other programs.
 */
bool pmc_info_counts_sibling(const struct pmc_info *info, const struct pmc_event *event);

/**
 * pmc_info_plan() - spread events over several runs
 * @info:	the CPU
 * @events:	events, each counted in one run
 * @num_events:	entries of @events and @run
 * @always:	events counted in every run
 * @num_always:	entries of @always
 * @run:	where to store the run of each event, from 0
 *
 * Each run has a counter for each of its events. The number of runs is minimal, except on
 * NetBurst (its counters share event select registers) and with events that need the same
 * extra register with different values.
 *
 * Errors: those of pmc_info_can_count(); ENOSPC (@always do not fit in one run, or leave no
 * counter for one of @events), ENOMEM.
 *
 * Return: the number of runs, or -1.
 */
int pmc_info_plan(const struct pmc_info *info, struct pmc_event *const *events,
		  size_t num_events, struct pmc_event *const *always, size_t num_always,
		  unsigned int *run);

/**
 * pmc_info_exclude_held() - exclude from plans the counters that other contexts hold
 * @info:	for pmc_info_can_count() and pmc_info_plan()
 * @context:	its last pmc_context_configure() was refused counters
 *
 * Return: the number of newly excluded counters.
 */
size_t pmc_info_exclude_held(struct pmc_info *info, const struct pmc_context *context);

/**
 * pmc_info_excluded_text() - excluded counters and their holders
 * @text:	where to store "counters ... are held by ...", or ""
 * @size:	bytes of @text, such as PMC_HOLDER_LIST_SIZE
 *
 * Return: the number of excluded counters.
 */
size_t pmc_info_excluded_text(const struct pmc_info *info, char *text, size_t size);

/* ---- contexts with events ---- */

/**
 * pmc_context_open_self() - open, configure and start a context for the calling thread
 * @events:	events separated by commas, such as "instructions:u,branches:u"
 *
 * Asks for reading in user mode, see libpmcdrv-read.h. Release with pmc_context_close().
 *
 * Errors: as pmc_device_open(), pmc_event_parse_next(), pmc_context_add(),
 * pmc_context_configure() and pmc_context_start().
 */
struct pmc_context *pmc_context_open_self(const char *events);

/**
 * pmc_context_add() - add an event and choose a counter for it
 * @event:	copied
 *
 * Prefers free counters and, for architectural events, their fixed counter. Events that were
 * added before may move to other counters: if there is an assignment for all events, it is
 * found. On an error the context is unchanged.
 *
 * Errors: ENOSPC (does not fit beside the other events), EOPNOTSUPP (no counter of this CPU
 * counts it), ENXIO (the required counter does not exist), ENODEV (no counters), EBADFD
 * (configured: release it first), EINVAL (the context has counters of
 * pmc_context_add_counter(), or the event needs the value of an extra register), and those of
 * pmc_device_get_info().
 */
int pmc_context_add(struct pmc_context *context, const struct pmc_event *event);

/**
 * pmc_context_warning() - the warning of an event of a context
 * @index:	number of the event, from 0 in the order in which the events were added
 *
 * Return: as pmc_event_warning(); NULL if the context has no such event.
 */
const char *pmc_context_warning(const struct pmc_context *context, size_t index);

/**
 * pmc_context_perf_metrics_fields() - number of fields of the event "metrics"
 *
 * Return: 4 or 8; 0 if the context does not have this event.
 */
unsigned int pmc_context_perf_metrics_fields(const struct pmc_context *context);

/**
 * pmc_context_refused_text() - counters that the last pmc_context_configure() was refused
 * @text:	where to store "counters ... are held by ...", or ""
 * @size:	bytes of @text, such as PMC_HOLDER_LIST_SIZE
 *
 * Return: the number of counters that other contexts or unknown users hold.
 */
size_t pmc_context_refused_text(const struct pmc_context *context, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* LIBPMCEVENTS_H */
