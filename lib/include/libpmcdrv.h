/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpmcdrv: exact x86 hardware event counts through /dev/pmc
 *
 * A &struct pmc_device queries the CPU and the driver. A &struct pmc_context counts: choose
 * the scope (a thread, a process with or without its descendants, a CPU, all CPUs), add
 * counters, configure, start, read. libpmcevents turns event names into event selects and
 * chooses the counters; see libpmcevents.h.
 *
 * Functions that return int return 0 on success, -1 with errno set on failure. Functions that
 * return a pointer return NULL with errno set. PMC_ERRORS of <pmcdrv/pmcdrv.h> lists what each
 * errno means; pmc_error() returns a message. A NULL object, or NULL where a result is stored, is a
 * programming error that is not checked.
 *
 * Objects have no locks: two threads must not use one object at the same time.
 */
#ifndef LIBPMCDRV_H
#define LIBPMCDRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pmcdrv/pmcdrv.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMC_INLINE	static inline __attribute__((__always_inline__, __unused__))

struct pmc_device;
struct pmc_info;
struct pmc_context;

/** PMC_COUNTER_NAME_SIZE - buffer size for pmc_counter_name(), in bytes */
#define PMC_COUNTER_NAME_SIZE	24

/** PMC_HOLDER_TEXT_SIZE - buffer size for pmc_holder_text(), in bytes */
#define PMC_HOLDER_TEXT_SIZE	256

/* ---- errors ---- */

/**
 * pmc_error() - message of the last failed call in this thread
 *
 * libpmcdrv and libpmcevents share one message for each thread.
 *
 * Return: one line without a newline; "" if no call failed. Valid until the next call that
 * fails in this thread.
 */
const char *pmc_error(void);

/** pmc_version() - version of the library, such as "1.2.3" */
const char *pmc_version(void);

/* PMC_HINTS - topics that a message can refer to: X(topic, function of the library, meaning) */
#define PMC_HINTS(X)								\
	X(EVENTS, "pmc_event_list_get()", "the names of events")			\
	X(UNIT_MASKS, "pmc_event_list_get()", "the unit masks of an event")	\
	X(CPU, "pmc_device_get_info()", "a CPU and its counters")		\
	X(HOLDERS, "pmcdrv-netlink(7)", "the holders of all counters")		\
	X(CORE_TYPE, "pmc_context_set_core_type()", "counting on one core type")	\
	X(PERF_METRICS, "the example in libpmcevents(3)", "counting the performance metrics")

/** enum pmc_hint_topic - what a message refers to, see PMC_HINTS */
enum pmc_hint_topic {
#define X(topic, function, meaning) PMC_HINT_##topic,
	PMC_HINTS(X)
#undef X
};

/**
 * struct pmc_hint - a reference within a message
 *
 * @topic:	&enum pmc_hint_topic
 * @cpu:	CPU, PMC_HINT_CPU and PMC_HINT_PERF_METRICS; PMC_CPU_ANY for none
 * @core_type:	PMC_HINT_CORE_TYPE and PMC_HINT_PERF_METRICS; 0 for none
 * @text:	PMC_HINT_EVENTS: substring of the names; PMC_HINT_PERF_METRICS: modifiers,
 *		such as ":u"; NULL or "" for none
 */
struct pmc_hint {
	uint32_t topic;
	int32_t cpu;
	uint32_t core_type;
	const char *text;
};

/**
 * pmc_set_hint_writer() - let messages refer to a program's commands
 * @writer:	writes a noun phrase for @hint into @text of @size bytes, such as "'prog
 *		list'"; NULL restores the library's text, the name of a function
 *
 * Applies to all threads. Call it before other threads use the library.
 */
void pmc_set_hint_writer(void (*writer)(const struct pmc_hint *hint, char *text, size_t size));

/* ---- names of the ABI's constants ---- */

/**
 * pmc_status_name(), pmc_family_name(), pmc_feature_name() - names of constants
 * @status:	&struct pmc_query.status
 * @family:	&struct pmc_query.family
 * @bit:	bit number in &struct pmc_query.features
 *
 * Return: the name in PMC_STATUSES, PMC_FAMILIES or PMC_FEATURES, such as "NO_PERFMON". NULL
 * for an unknown value.
 */
const char *pmc_status_name(uint32_t status);
const char *pmc_family_name(uint32_t family);
const char *pmc_feature_name(unsigned int bit);

/**
 * pmc_status_text(), pmc_family_text(), pmc_feature_text() - meanings of constants
 *
 * Return: a sentence; NULL for an unknown value.
 */
const char *pmc_status_text(uint32_t status);
const char *pmc_family_text(uint32_t family);
const char *pmc_feature_text(unsigned int bit);

/**
 * pmc_quirk_name(), pmc_quirk_text() - the vendor's name of an erratum, and its workaround
 * @bit:	bit number in &struct pmc_query.quirks
 *
 * Return: a text; NULL for an unknown value.
 */
const char *pmc_quirk_name(unsigned int bit);
const char *pmc_quirk_text(unsigned int bit);

/**
 * pmc_holder_name() - name of an &enum pmc_holder_type
 * @kind:	&struct pmc_holder.kind
 *
 * Return: as pmc_status_name().
 */
const char *pmc_holder_name(uint32_t kind);

/**
 * pmc_holder_text() - identify the holder of a counter, and how to free the counter
 * @holder:	as the driver reported it
 * @text:	where to store the text
 * @size:	bytes of @text; PMC_HOLDER_TEXT_SIZE is always enough
 *
 * For PMC_HOLDER_KERNEL the function reads /proc/sys/kernel/nmi_watchdog. If the NMI
 * watchdog is on, the text has the command that frees the counters.
 */
void pmc_holder_text(const struct pmc_holder *holder, char *text, size_t size);

/**
 * pmc_counter_name() - name of a counter, such as "general0", "fixed2" or "metrics"
 * @counter:	PMC_COUNTER_GENERAL(), PMC_COUNTER_FIXED() or PMC_COUNTER_METRICS
 * @name:	where to store the name
 * @size:	bytes of @name; PMC_COUNTER_NAME_SIZE is always enough
 */
void pmc_counter_name(uint32_t counter, char *name, size_t size);

/* ---- performance metrics (top-down) ---- */

/**
 * pmc_perf_metrics_fraction() - one field of the performance metrics
 * @metrics:	value of PMC_COUNTER_METRICS
 * @field:	&enum pmc_metrics_field
 *
 * Return: the fraction of the slots, in units of 1/255 (PMC_METRICS_WHOLE).
 */
PMC_INLINE unsigned int pmc_perf_metrics_fraction(uint64_t metrics, unsigned int field)
{
	return metrics >> 8 * field & PMC_METRICS_WHOLE;
}

/**
 * pmc_perf_metrics_name(), pmc_perf_metrics_text() - name and meaning of a field
 * @field:	&enum pmc_metrics_field
 *
 * Return: the name in Linux's perf, such as "topdown-retiring"; a sentence. NULL for an
 * unknown field.
 */
const char *pmc_perf_metrics_name(unsigned int field);
const char *pmc_perf_metrics_text(unsigned int field);

/* ---- the device ---- */

/**
 * pmc_device_open() - open the device for queries
 * @path:	device node, or NULL for PMC_DEVICE
 *
 * The file is closed on exec. Release with pmc_device_close().
 *
 * Errors: ENOENT (no such node: the driver is not loaded), EACCES (the node's mode), ENOTTY
 * (another device), ENOMEM, and those of open(2).
 */
struct pmc_device *pmc_device_open(const char *path);

/**
 * pmc_device_close() - close the device; contexts opened from it stay open
 * @device:	may be NULL
 */
void pmc_device_close(struct pmc_device *device);

/** pmc_device_fd() - file descriptor of the device; the library keeps ownership */
int pmc_device_fd(const struct pmc_device *device);

/**
 * pmc_device_read_tsc() - read the time-stamp counter in the kernel
 * @tsc:	where to store its value, in ticks of &struct pmc_query.tsc_khz
 * @cpu:	where to store the CPU that read it; may be NULL
 *
 * SDM Volume 3B, "Time-Stamp Counter".
 *
 * Errors: EOPNOTSUPP (this CPU has no time-stamp counter).
 */
int pmc_device_read_tsc(struct pmc_device *device, uint64_t *tsc, int *cpu);

/* ---- CPUs and counters ---- */

/**
 * pmc_device_get_info() - describe a CPU, its counters and their holders
 * @cpu:	CPU number, or PMC_CPU_ANY for the CPU that runs the caller
 *
 * Works on every CPU; &struct pmc_query.status reports why a CPU has no counters. Holders
 * are those at the time of the call. Release with pmc_info_free().
 *
 * Errors: EINVAL (no such CPU), ENOMEM.
 */
struct pmc_info *pmc_device_get_info(struct pmc_device *device, int cpu);

/**
 * pmc_info_free() - release a description
 * @info:	may be NULL
 */
void pmc_info_free(struct pmc_info *info);

/**
 * pmc_info_query() - CPU, family, widths and features
 *
 * Return: valid as long as @info. Fields that the driver does not know are 0.
 */
const struct pmc_query *pmc_info_query(const struct pmc_info *info);

/** pmc_info_num_counters() - number of counters: general, fixed, performance metrics */
size_t pmc_info_num_counters(const struct pmc_info *info);

/**
 * pmc_info_counter() - one counter: widths, addresses, holder
 * @index:	0 to pmc_info_num_counters() - 1; general counters come first
 *
 * Return: valid as long as @info; NULL if @index is out of range.
 */
const struct pmc_counter *pmc_info_counter(const struct pmc_info *info, size_t index);

/* ---- contexts ---- */

/**
 * struct pmc_snapshot - the counts of a context at one moment
 *
 * @tsc:	time-stamp counter of the moment, in ticks
 * @time_enabled: ticks between start and stop, or until now
 * @time_counted: ticks in which the counters ran; over several CPUs, the sum; for a thread,
 *		its time on a CPU
 * @cpu:	CPU of the read; -1 for a sum over CPUs, a thread off its CPU, a read in user mode
 * @state:	mask of PMC_STATE_*
 * @num_values:	valid entries of @value
 * @reserved:	0
 * @overflows:	overflows of counters with a period; see libpmcdrv-sample(3)
 * @reserved2:	0
 * @value:	counts in the order of adding; never scaled, never estimated
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
 * struct pmc_failure - why the driver refused a configuration
 *
 * @index:	the counter at fault, in the order of adding; PMC_ENTRY_NONE if none is
 * @reserved:	0
 * @refused_bits: EINVAL: bits of its event select that are not allowed
 * @holder:	EBUSY: the holder of a counter
 */
struct pmc_failure {
	uint32_t index;
	uint32_t reserved;
	uint64_t refused_bits;
	struct pmc_holder holder;
};

/**
 * pmc_context_open() - open a context without counters
 * @device:	may be closed before the context
 *
 * The scope is the thread that configures the context until another is set. The file is
 * closed on exec and at the end of the process, which releases the counters. Release with
 * pmc_context_close().
 *
 * Errors: as pmc_device_open().
 */
struct pmc_context *pmc_context_open(const struct pmc_device *device);

/**
 * pmc_context_close() - stop, release the counters, close the file
 * @context:	may be NULL
 */
void pmc_context_close(struct pmc_context *context);

/** pmc_context_fd() - file descriptor of the context; the library keeps ownership */
int pmc_context_fd(const struct pmc_context *context);

/**
 * pmc_context_set_thread() - count one thread, on any CPU
 * @tid:	thread, 0 for the caller of pmc_context_configure()
 * @on_exec:	count from the thread's next exec: pmc_context_start() arms the context
 *
 * Errors: EINVAL (negative @tid), EBADFD (configured: release it first).
 */
int pmc_context_set_thread(struct pmc_context *context, int tid, bool on_exec);

/**
 * pmc_context_set_process() - count all present and future threads of a process
 * @pid:	process, 0 for the process that calls pmc_context_configure()
 *
 * Counts are sums over the threads, including those that have ended.
 *
 * Errors: as pmc_context_set_thread().
 */
int pmc_context_set_process(struct pmc_context *context, int pid);

/**
 * pmc_context_set_tree() - count a process and its future descendants
 * @pid:	process, 0 for the process that calls pmc_context_configure()
 * @on_exec:	count from the process's next exec: pmc_context_start() arms the context
 *
 * Counts are sums. PMC_STATE_INCOMPLETE in a snapshot means that a descendant was not
 * followed because the driver had no memory.
 *
 * Errors: as pmc_context_set_thread().
 */
int pmc_context_set_tree(struct pmc_context *context, int pid, bool on_exec);

/**
 * pmc_context_set_cpu() - count one CPU
 * @cpu:	CPU number
 *
 * Needs CAP_PERFMON. Call it before pmc_context_add(), which places events on the
 * counters of this CPU.
 *
 * Errors: EINVAL (negative @cpu), EBADFD (configured, or has events).
 */
int pmc_context_set_cpu(struct pmc_context *context, int cpu);

/**
 * pmc_context_set_all_cpus() - count every CPU, including CPUs that come online later
 *
 * Needs CAP_PERFMON.
 *
 * Errors: EBADFD (configured: release it first).
 */
int pmc_context_set_all_cpus(struct pmc_context *context);

/**
 * pmc_context_set_core_type() - on a hybrid processor, count only on CPUs of one core type
 * @core_type:	&struct pmc_config.core_type, 0 for all
 *
 * A thread may run on cores of either type. Without a core type, a context can use the counters
 * that all core types have. With one it can use all counters of that type and counts only there;
 * &struct pmc_snapshot.time_counted has the time. Call it before pmc_context_add().
 *
 * Errors: EINVAL (not a core type), EBADFD (configured, or has events).
 */
int pmc_context_set_core_type(struct pmc_context *context, uint32_t core_type);

/**
 * pmc_context_add_counter() - add a counter that the caller has chosen
 * @counter:	counter, event select, flags, initial value and period; copied
 *
 * To have counters chosen for events, use pmc_context_add() of libpmcevents instead. The
 * driver checks @counter in pmc_context_configure().
 *
 * Errors: EINVAL (the context has events of pmc_context_add()), ENOSPC (PMC_COUNTERS_MAX counters),
 * EBADFD (configured: release it first).
 */
int pmc_context_add_counter(struct pmc_context *context,
			    const struct pmc_counter_config *counter);

/** pmc_context_num_events() - number of counters or events added */
size_t pmc_context_num_events(const struct pmc_context *context);

/**
 * pmc_context_counter() - the counter of an event
 * @index:	0 to pmc_context_num_events() - 1, in the order of adding
 *
 * pmc_context_add() and pmc_context_configure() may move events to other counters.
 *
 * Return: PMC_COUNTER_GENERAL(), PMC_COUNTER_FIXED() or PMC_COUNTER_METRICS.
 */
uint32_t pmc_context_counter(const struct pmc_context *context, size_t index);

/**
 * pmc_context_configure() - claim and set up the counters, stopped
 *
 * Claims all counters or none. If another context holds the counter of an event, the event
 * moves to another counter if all events still fit. SDM Volume 3B, "Starting Event Counters".
 *
 * Errors: EINVAL (refused bits, no counters, no such CPU), ENODEV, ENXIO, EOPNOTSUPP, EBUSY
 * (pmc_error() identifies the holders), EACCES, EPERM, ERANGE, EDOM, EXDEV, ENOSPC, ENOBUFS, ESRCH,
 * EBADFD (already configured), ENOMEM.
 */
int pmc_context_configure(struct pmc_context *context);

/**
 * pmc_context_failure() - details of the last failed pmc_context_configure()
 *
 * Return: valid until the next pmc_context_configure() or pmc_context_close().
 */
const struct pmc_failure *pmc_context_failure(const struct pmc_context *context);

/**
 * pmc_context_start() - start all counters; no effect if they are started
 *
 * Errors: EBADFD (not configured), ENODEV (the CPU is offline), ESRCH (the thread has
 * ended).
 */
int pmc_context_start(struct pmc_context *context);

/**
 * pmc_context_stop() - stop all counters; the values stay
 *
 * Errors: EBADFD (not configured).
 */
int pmc_context_stop(struct pmc_context *context);

/**
 * pmc_context_read() - read all counts and times at one moment; counting continues
 * @snapshot:	where to store them
 *
 * Errors: EBADFD (not configured).
 */
int pmc_context_read(struct pmc_context *context, struct pmc_snapshot *snapshot);

/**
 * pmc_context_read_cpu() - read what one CPU has counted since the last write or reset
 * @cpu:	CPU number
 * @snapshot:	where to store it
 *
 * For contexts that count all CPUs.
 *
 * Errors: EINVAL (no such CPU, or another scope), EBADFD (not configured).
 */
int pmc_context_read_cpu(struct pmc_context *context, int cpu, struct pmc_snapshot *snapshot);

/**
 * pmc_context_write() - set the counts; running counters continue from there
 * @values:	one for each counter, in the order of adding
 * @num_values:	must be pmc_context_num_events()
 *
 * Errors: EINVAL (wrong @num_values; metrics or their slots not 0), EBADFD (not configured).
 */
int pmc_context_write(struct pmc_context *context, const uint64_t *values, size_t num_values);

/**
 * pmc_context_reset() - set all counts and times to 0
 *
 * Errors: EBADFD (not configured).
 */
int pmc_context_reset(struct pmc_context *context);

/**
 * pmc_context_release() - stop, and release the counters
 *
 * The context keeps its counters' settings and can be configured again.
 *
 * Errors: EBADFD (not configured).
 */
int pmc_context_release(struct pmc_context *context);

#ifdef __cplusplus
}
#endif

#endif /* LIBPMCDRV_H */
