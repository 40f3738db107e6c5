/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * pmcdrv: the generic netlink family "pmc"
 *
 * Queries return the state of the driver, the CPUs and the contexts of /dev/pmc. Multicast
 * groups carry notifications of what happens to them. Nothing can be changed over netlink. See
 * pmcdrv-netlink(7).
 *
 * The numbers of commands, groups and attributes do not change; new ones are added at the end.
 * A reader skips attributes and events that it does not know. All integers are in the byte
 * order of the machine.
 */
#ifndef _UAPI_PMCDRV_NETLINK_H
#define _UAPI_PMCDRV_NETLINK_H

/** PMC_NETLINK_FAMILY - name of the generic netlink family */
#define PMC_NETLINK_FAMILY	"pmc"

/** PMC_NETLINK_VERSION - version of the family, in the generic netlink header */
#define PMC_NETLINK_VERSION	1

/**
 * PMC_NETLINK_QUERIES - commands that request information
 *
 * PMC_NETLINK_QUERIES(X) expands X(NAME, value, text) for each. The reply has the number of
 * the request.
 *
 * PMC_NETLINK_GET_DRIVER, without attributes. Reply: ABI_VERSION, MODULE_VERSION, CONTEXTS.
 *
 * PMC_NETLINK_GET_CPU, with CPU, or as a dump without attributes for every possible CPU. Reply:
 * CPU, STATUS; unless the CPU is offline FAMILY, VENDOR, CPU_FAMILY, CPU_MODEL, CPU_STEPPING,
 * PERFMON_VERSION, FEATURES, GENERAL_COUNTERS, FIXED_COUNTERS, GENERAL_WIDTH, FIXED_WIDTH, TSC_KHZ.
 * If STATUS is OK also one COUNTER with NUMBER and WIDTH for each counter. For a caller with
 * CAP_PERFMON each COUNTER also has HOLDER, and CONTEXT if the holder is a context; of several
 * holders the first one found.
 *
 * PMC_NETLINK_GET_CONTEXT, with CONTEXT, or as a dump without attributes. Reply: CONTEXT; UID, PID
 * and COMM of the owner; SCOPE; CPU or TID (neither for all CPUs); GENERAL_COUNTERS and
 * FIXED_COUNTERS that it holds; STATE. If a counter has a period also OVERFLOWS, RECORDS, SAMPLED,
 * LOST, THROTTLED, MMAPS_LOST, WAKEUPS, THROTTLE_PERCENT, THROTTLED_NOW, and one COUNTER with
 * NUMBER and PERIOD for each such counter. PID and TID are numbers of the caller's pid namespace, 0
 * for a process that is not in it. Contexts of other users need CAP_PERFMON, and so do those that
 * were configured with CAP_PERFMON, with another effective user ID, or by a process that is not
 * dumpable.
 *
 * PMC_NETLINK_GET_STATISTICS, without attributes. Reply: CONFIGURED, SPURIOUS, and one GROUP
 * with GROUP_NAME, SEQUENCE (of its last event) and UNSENT for each multicast group.
 *
 * Errors, most of them with a text in the extended acknowledgment:
 *  EINVAL	an attribute is missing, unknown or malformed; no such CPU
 *  ENOENT	no such context
 *  EACCES	the context of another user, or one configured with privileges: needs CAP_PERFMON
 *  EOPNOTSUPP	no such command, or it cannot be a dump
 *  ENOMEM	out of memory
 */
#define PMC_NETLINK_QUERIES(X) \
	X(GET_DRIVER, 1, "the driver: its versions, and the number of contexts") \
	X(GET_CPU, 2, "a CPU, its counters and their holders") \
	X(GET_CONTEXT, 3, "a context, its owner, its counters, its state") \
	X(GET_STATISTICS, 4, "statistics of the driver since it was loaded")

/**
 * PMC_NETLINK_GROUPS - multicast groups
 *
 * PMC_NETLINK_GROUPS(X) expands X(NAME, name, value, text) for each. Joining the first three
 * needs CAP_NET_ADMIN, because they carry the events of every user's contexts.
 *
 * After joining, send a query before relying on the events: the driver registers a new
 * listener at the latest when it receives a request. Until then ARMED, STARTED and STOPPED of
 * contexts that were configured earlier may not be sent.
 */
#define PMC_NETLINK_GROUPS(X) \
	X(CONTEXT, "context", 0, "contexts: configured, started, stopped, released") \
	X(OVERFLOW, "overflow", 1, "sample rings that reach their watermark or are full") \
	X(THROTTLE, "throttle", 2, "counters that overflow too often to be sampled") \
	X(HOTPLUG, "hotplug", 3, "CPUs that go online and offline") \
	X(PCE, "pce", 4, "changes of user access to RDPMC")

/**
 * PMC_NETLINK_EVENTS - notifications
 *
 * PMC_NETLINK_EVENTS(X) expands X(NAME, value, GROUP, text) for each. The value determines the
 * group: see PMC_NETLINK_EVENT_GROUP().
 *
 * Every event has SEQUENCE, TSC and TIME. SEQUENCE numbers the events of a group. A gap of n
 * numbers means that n events were dropped: the listener's socket buffer was full, or the
 * driver could not allocate memory.
 *
 * Events of the groups context, overflow and throttle have CONTEXT, UID, PID and COMM of the
 * owner, SCOPE, CPU or TID, GENERAL_COUNTERS and FIXED_COUNTERS as in the reply to
 * PMC_NETLINK_GET_CONTEXT, but with numbers of the initial pid and user namespaces. WATERMARK
 * also has ON_CPU; THROTTLED and UNTHROTTLED have ON_CPU and NUMBER; UNTHROTTLED has
 * OVERFLOWS, the number of overflows that were not sampled.
 *
 * After ARMED comes STARTED (at the exec) or STOPPED; after STARTED comes one STOPPED. Every
 * CONFIGURED is followed by one RELEASED. The events of one context are in order. RELEASED comes
 * before the CONFIGURED of the next context that claims the same counters.
 *
 * CPU_ONLINE and CPU_OFFLINE have CPU and STATUS. A suspend sends CPU_OFFLINE for every CPU,
 * including the one that stays online, and the resume CPU_ONLINE. PCE_CHANGED has PCE and
 * PCE_BEFORE.
 */
#define PMC_NETLINK_EVENTS(X) \
	X(CONFIGURED, 16, CONTEXT, "a context claimed its counters") \
	X(ARMED, 17, CONTEXT, "a context was started and waits for an exec") \
	X(STARTED, 18, CONTEXT, "a context started counting") \
	X(STOPPED, 19, CONTEXT, "a context stopped counting, or no longer waits") \
	X(ENDED, 20, CONTEXT, "a context has no thread left to count") \
	X(RELEASED, 21, CONTEXT, "a context released its counters") \
	X(WATERMARK, 32, OVERFLOW, "a sample ring reached its watermark, or is full") \
	X(THROTTLED, 48, THROTTLE, "a counter is throttled: its overflows are not sampled") \
	X(UNTHROTTLED, 49, THROTTLE, "a counter is sampled again") \
	X(CPU_ONLINE, 64, HOTPLUG, "a CPU went online") \
	X(CPU_OFFLINE, 65, HOTPLUG, "a CPU is going offline") \
	X(PCE_CHANGED, 80, PCE, "the setting of the pce attribute changed")

/**
 * PMC_NETLINK_ATTRIBUTES - attributes of messages
 *
 * PMC_NETLINK_ATTRIBUTES(X) expands X(NAME, value, TYPE, text) for each. TYPE is U32, U64,
 * TEXT (a zero-terminated string), NEST (nested attributes) or PAD (padding, to be skipped).
 */
#define PMC_NETLINK_ATTRIBUTES(X) \
	X(PAD, 1, PAD, "padding") \
	X(ABI_VERSION, 2, U32, "PMC_ABI_VERSION of the driver") \
	X(MODULE_VERSION, 3, TEXT, "version of the module") \
	X(CONTEXTS, 4, U32, "contexts configured now") \
	X(CPU, 5, U32, "number of a CPU") \
	X(STATUS, 6, U32, "enum pmc_status of a CPU") \
	X(FAMILY, 7, U32, "enum pmc_family_id of its counters") \
	X(VENDOR, 8, TEXT, "CPUID vendor string") \
	X(CPU_FAMILY, 9, U32, "display family") \
	X(CPU_MODEL, 10, U32, "display model") \
	X(CPU_STEPPING, 11, U32, "stepping") \
	X(PERFMON_VERSION, 12, U32, "version of architectural performance monitoring, 0 if none") \
	X(FEATURES, 13, U64, "mask of PMC_FEATURE()") \
	X(GENERAL_COUNTERS, 14, U64, "mask of general counters") \
	X(FIXED_COUNTERS, 15, U64, "mask of fixed counters") \
	X(GENERAL_WIDTH, 16, U32, "bits of a general counter") \
	X(FIXED_WIDTH, 17, U32, "bits of a fixed counter") \
	X(TSC_KHZ, 18, U32, "rate of the time-stamp counter in kHz, 0 if unknown") \
	X(COUNTER, 19, NEST, "one counter") \
	X(NUMBER, 20, U32, "PMC_COUNTER_GENERAL() or PMC_COUNTER_FIXED()") \
	X(WIDTH, 21, U32, "bits of the counter") \
	X(HOLDER, 22, U32, "enum pmc_holder_type of its holder") \
	X(CONTEXT, 23, U64, "number of a context, unique while the module is loaded") \
	X(UID, 24, U32, "user of the process that configured it") \
	X(PID, 25, U32, "process that configured it") \
	X(COMM, 26, TEXT, "name of that process when it did") \
	X(SCOPE, 27, U32, "enum pmc_scope") \
	X(TID, 28, U32, "thread or process that it counts") \
	X(STATE, 29, U32, "mask of PMC_STATE_*, as in struct pmc_read") \
	X(PERIOD, 30, U64, "sampling period, in events") \
	X(OVERFLOWS, 31, U64, "overflows of counters with a period") \
	X(RECORDS, 32, U64, "sample records written") \
	X(SAMPLED, 33, U64, "overflows that these records represent") \
	X(LOST, 34, U64, "overflows without a record, because the ring was full") \
	X(THROTTLED, 35, U64, "overflows not sampled because they came too often") \
	X(MMAPS_LOST, 36, U64, "mmap records that did not fit, or could not be requested") \
	X(WAKEUPS, 37, U64, "times that a ring reached its watermark, or became full below it") \
	X(CONFIGURED, 38, U64, "contexts configured since the module was loaded") \
	X(SPURIOUS, 39, U64, "PMIs of all CPUs without an overflow") \
	X(GROUP, 40, NEST, "one multicast group") \
	X(GROUP_NAME, 41, TEXT, "name of the group") \
	X(SEQUENCE, 42, U64, "sequence number of an event in its group") \
	X(UNSENT, 43, U64, "events that the driver could not send") \
	X(TSC, 44, U64, "time-stamp counter at the event") \
	X(TIME, 45, U64, "time of the event, nanoseconds since 1970-01-01 UTC") \
	X(ON_CPU, 46, U32, "CPU on which the event happened") \
	X(PCE, 47, U32, "setting of the pce attribute") \
	X(PCE_BEFORE, 48, U32, "previous setting") \
	X(THROTTLE_PERCENT, 49, U32, "limit of a CPU's time at which counters are throttled") \
	X(THROTTLED_NOW, 50, U32, "counters that are throttled now, summed over the CPUs")

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

/** PMC_NETLINK_EVENT_GROUP - number of the multicast group of an event */
#define PMC_NETLINK_EVENT_GROUP(event)	((event) / 16 - 1)

enum pmc_netlink_attribute {
#define X(name, value, type, text) PMC_NETLINK_A_##name = (value),
	PMC_NETLINK_ATTRIBUTES(X)
#undef X
};

#endif /* _UAPI_PMCDRV_NETLINK_H */
