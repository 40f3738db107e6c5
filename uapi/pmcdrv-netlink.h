/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * pmcdrv: what the driver tells over generic netlink
 *
 * The family "pmc" answers questions about the driver, the CPUs and the contexts
 * of /dev/pmc, and tells those who joined its multicast groups what happens. It
 * changes nothing. See pmcdrv-netlink(7).
 *
 * The numbers of commands, groups and attributes stay as they are; new ones come
 * at the end. Who reads a message skips attributes and events that it does not
 * know. All numbers are in the byte order of the machine.
 */
#ifndef _UAPI_PMCDRV_NETLINK_H
#define _UAPI_PMCDRV_NETLINK_H

/** PMC_NETLINK_FAMILY - name of the generic netlink family */
#define PMC_NETLINK_FAMILY	"pmc"

/** PMC_NETLINK_VERSION - version of the family, in the generic netlink header */
#define PMC_NETLINK_VERSION	1

/**
 * PMC_NETLINK_QUERIES - the questions
 *
 * PMC_NETLINK_QUERIES(X) expands X(NAME, value, text) for each. The answer has
 * the same number as the question.
 *
 * PMC_NETLINK_GET_DRIVER, without attributes: ABI_VERSION, MODULE_VERSION,
 * CONTEXTS.
 *
 * PMC_NETLINK_GET_CPU, with CPU, or as a dump without attributes for each CPU that
 * is possible: CPU, STATUS; unless it is offline FAMILY, VENDOR, CPU_FAMILY,
 * CPU_MODEL, CPU_STEPPING, PERFMON_VERSION, FEATURES, GENERAL_COUNTERS,
 * FIXED_COUNTERS, GENERAL_WIDTH, FIXED_WIDTH, TSC_KHZ, and for each counter a
 * COUNTER with NUMBER and WIDTH. With CAP_PERFMON each COUNTER has also HOLDER,
 * and CONTEXT if that is one; with several, the first found.
 *
 * PMC_NETLINK_GET_CONTEXT, with CONTEXT, or as a dump without attributes: CONTEXT,
 * UID, PID and COMM of who configured it; SCOPE, CPU or TID; GENERAL_COUNTERS and
 * FIXED_COUNTERS that it holds; STATE. If a counter has a period: OVERFLOWS,
 * RECORDS, SAMPLED, LOST, THROTTLED, MMAPS_LOST, WAKEUPS, and for each such counter
 * a COUNTER with NUMBER and PERIOD. PID and TID are those of the caller's pid
 * namespace, and 0 if it has none. Another user's context is told only with
 * CAP_PERFMON.
 *
 * PMC_NETLINK_GET_STATISTICS, without attributes: CONFIGURED, SPURIOUS, and for
 * each group a GROUP with GROUP_NAME, SEQUENCE (of its last event) and UNSENT.
 *
 * Errors: EINVAL (an attribute is missing, unknown or malformed; no such CPU),
 * ENOENT (no such context), EACCES (another user's context), EOPNOTSUPP (no such
 * command; or it cannot be a dump), ENOMEM. The extended acknowledgment has words
 * for them.
 */
#define PMC_NETLINK_QUERIES(X) \
	X(GET_DRIVER, 1, "the driver: its versions, how many contexts there are") \
	X(GET_CPU, 2, "a CPU, its counters, who holds them") \
	X(GET_CONTEXT, 3, "a context, its owner, its counters, its state") \
	X(GET_STATISTICS, 4, "what the driver has counted since it was loaded")

/**
 * PMC_NETLINK_GROUPS - the multicast groups
 *
 * PMC_NETLINK_GROUPS(X) expands X(NAME, name, value, text) for each. Joining the
 * first three needs CAP_NET_ADMIN, because they tell of everybody's contexts.
 *
 * Who has joined asks something then, as one does who wants to know what is there
 * already. Only then is it sure that the driver knows of the listener: ARMED,
 * STARTED and STOPPED of a context that was configured before may be missing.
 */
#define PMC_NETLINK_GROUPS(X) \
	X(CONTEXT, "context", 0, "the life of contexts") \
	X(OVERFLOW, "overflow", 1, "sample rings that reach their watermark or are full") \
	X(THROTTLE, "throttle", 2, "counters that overflow too often to be sampled") \
	X(HOTPLUG, "hotplug", 3, "CPUs that come and go") \
	X(PCE, "pce", 4, "who may execute RDPMC in user mode")

/**
 * PMC_NETLINK_EVENTS - what is told to the groups
 *
 * PMC_NETLINK_EVENTS(X) expands X(NAME, value, GROUP, text) for each. The value
 * tells the group, too: see PMC_NETLINK_EVENT_GROUP().
 *
 * Every event has SEQUENCE, TSC and TIME. The events of a group are numbered: where
 * SEQUENCE jumps, as many events are missing, because the listener's socket
 * buffer was full or the driver had no memory.
 *
 * The first three groups tell CONTEXT, UID, PID and COMM of who configured it,
 * SCOPE, CPU or TID, GENERAL_COUNTERS, FIXED_COUNTERS as PMC_NETLINK_GET_CONTEXT
 * does, but with the numbers of the first pid and user namespaces. Every ARMED and
 * STARTED has its STOPPED, every CONFIGURED its RELEASED; the events of one context
 * come in order, and a RELEASED before the CONFIGURED of who gets its counters next.
 * WATERMARK has ON_CPU; THROTTLED and UNTHROTTLED have ON_CPU and NUMBER;
 * UNTHROTTLED has OVERFLOWS, the number of those not sampled meanwhile.
 *
 * CPU_ONLINE and CPU_OFFLINE have CPU and STATUS; a suspend is told of by those of
 * every CPU, also of the one that never goes offline. PCE_CHANGED has PCE and
 * PCE_BEFORE.
 */
#define PMC_NETLINK_EVENTS(X) \
	X(CONFIGURED, 16, CONTEXT, "a context claimed its counters") \
	X(ARMED, 17, CONTEXT, "a context was started, and waits for an exec") \
	X(STARTED, 18, CONTEXT, "a context counts") \
	X(STOPPED, 19, CONTEXT, "a context counts no longer, or waits no longer") \
	X(ENDED, 20, CONTEXT, "nobody is left that a context could count") \
	X(RELEASED, 21, CONTEXT, "a context gave its counters back") \
	X(WATERMARK, 32, OVERFLOW, "a sample ring reached its watermark, or is full") \
	X(THROTTLED, 48, THROTTLE, "a counter is sampled no longer") \
	X(UNTHROTTLED, 49, THROTTLE, "a counter is sampled again") \
	X(CPU_ONLINE, 64, HOTPLUG, "a CPU is online") \
	X(CPU_OFFLINE, 65, HOTPLUG, "a CPU goes offline") \
	X(PCE_CHANGED, 80, PCE, "the attribute pce was changed")

/**
 * PMC_NETLINK_ATTRIBUTES - what messages consist of
 *
 * PMC_NETLINK_ATTRIBUTES(X) expands X(NAME, value, TYPE, text) for each. TYPE is
 * U32, U64, TEXT (a string with its final zero), NEST (attributes) or PAD (to be
 * skipped).
 */
#define PMC_NETLINK_ATTRIBUTES(X) \
	X(PAD, 1, PAD, "nothing") \
	X(ABI_VERSION, 2, U32, "PMC_ABI_VERSION of the driver") \
	X(MODULE_VERSION, 3, TEXT, "version of the module") \
	X(CONTEXTS, 4, U32, "contexts configured now") \
	X(CPU, 5, U32, "number of a CPU") \
	X(STATUS, 6, U32, "enum pmc_status: whether its counters can be used") \
	X(FAMILY, 7, U32, "enum pmc_family_id: their kind") \
	X(VENDOR, 8, TEXT, "CPUID's vendor string") \
	X(CPU_FAMILY, 9, U32, "display family") \
	X(CPU_MODEL, 10, U32, "display model") \
	X(CPU_STEPPING, 11, U32, "stepping") \
	X(PERFMON_VERSION, 12, U32, "version of architectural performance monitoring, 0 if none") \
	X(FEATURES, 13, U64, "mask of PMC_FEATURE()") \
	X(GENERAL_COUNTERS, 14, U64, "mask of general counters") \
	X(FIXED_COUNTERS, 15, U64, "mask of fixed counters") \
	X(GENERAL_WIDTH, 16, U32, "bits of a general counter") \
	X(FIXED_WIDTH, 17, U32, "bits of a fixed counter") \
	X(TSC_KHZ, 18, U32, "rate of the time-stamp counter, 0 if unknown") \
	X(COUNTER, 19, NEST, "one counter") \
	X(NUMBER, 20, U32, "PMC_COUNTER_GENERAL() or PMC_COUNTER_FIXED()") \
	X(WIDTH, 21, U32, "its bits") \
	X(HOLDER, 22, U32, "enum pmc_holder_type: who holds it") \
	X(CONTEXT, 23, U64, "number of a context, its own while the module is loaded") \
	X(UID, 24, U32, "user who configured it") \
	X(PID, 25, U32, "process that configured it") \
	X(COMM, 26, TEXT, "name of that process when it did") \
	X(SCOPE, 27, U32, "enum pmc_scope") \
	X(TID, 28, U32, "thread or process that it counts") \
	X(STATE, 29, U32, "mask of PMC_STATE_*, as of struct pmc_read") \
	X(PERIOD, 30, U64, "events between two overflows") \
	X(OVERFLOWS, 31, U64, "overflows of counters with a period") \
	X(RECORDS, 32, U64, "sample records written") \
	X(SAMPLED, 33, U64, "overflows that those stand for") \
	X(LOST, 34, U64, "overflows whose record did not fit into the ring") \
	X(THROTTLED, 35, U64, "overflows that came too often to be sampled") \
	X(MMAPS_LOST, 36, U64, "PMC_RECORD_MMAP records that did not fit") \
	X(WAKEUPS, 37, U64, "how often a ring reached its watermark") \
	X(CONFIGURED, 38, U64, "contexts ever configured: the last one's number") \
	X(SPURIOUS, 39, U64, "interrupts of all CPUs that told of no overflow") \
	X(GROUP, 40, NEST, "one multicast group") \
	X(GROUP_NAME, 41, TEXT, "its name") \
	X(SEQUENCE, 42, U64, "number of an event in its group") \
	X(UNSENT, 43, U64, "events that the driver could not send") \
	X(TSC, 44, U64, "time-stamp counter when it happened") \
	X(TIME, 45, U64, "nanoseconds since 1970 when it happened") \
	X(ON_CPU, 46, U32, "the CPU where it happened") \
	X(PCE, 47, U32, "setting of the attribute pce") \
	X(PCE_BEFORE, 48, U32, "its setting before")

enum pmc_netlink_command {
#define X(name, value, text) PMC_NETLINK_##name = (value),
	PMC_NETLINK_QUERIES(X)
#undef X
#define X(name, value, group, text) PMC_NETLINK_##name = (value),
	PMC_NETLINK_EVENTS(X)
#undef X
};

enum pmc_netlink_group {
#define X(id, name, value, text) PMC_NETLINK_GROUP_##id = (value),
	PMC_NETLINK_GROUPS(X)
#undef X
	PMC_NETLINK_NR_GROUPS
};

/** PMC_NETLINK_EVENT_GROUP - number of the group that an event is told to */
#define PMC_NETLINK_EVENT_GROUP(event)	((event) / 16 - 1)

enum pmc_netlink_attribute {
#define X(name, value, type, text) PMC_NETLINK_A_##name = (value),
	PMC_NETLINK_ATTRIBUTES(X)
#undef X
};

#endif /* _UAPI_PMCDRV_NETLINK_H */
