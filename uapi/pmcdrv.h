/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * pmcdrv: exact hardware event counts through /dev/pmc
 *
 * This file is the whole ABI between the driver and user space. Both sides
 * include it.
 *
 * An open file of /dev/pmc is a context. It is configured once (which claims
 * its counters), started, stopped, read and written as often as wanted, and
 * released; closing the file releases it too, however the process ended.
 *
 * Every structure is the same for 32-bit and 64-bit callers and begins with
 * @size, the number of bytes the caller knows. A caller older than the driver
 * is served with the fields it knows. A caller newer than the driver is served
 * as long as all that the driver doesn't know is zero, and gets E2BIG
 * otherwise. Unknown flags and non-zero reserved fields are EINVAL. New fields
 * come only at the end.
 */
#ifndef _UAPI_PMCDRV_H
#define _UAPI_PMCDRV_H

#include <linux/ioctl.h>
#include <linux/types.h>

/** PMC_ABI_VERSION - raised by one whenever this file grows */
#define PMC_ABI_VERSION		5

/** PMC_DEVICE - the character device */
#define PMC_DEVICE		"/dev/pmc"

/**
 * PMC_ERRORS - every error number of the ABI, one meaning each
 *
 * PMC_ERRORS(X) expands X(number, meaning, advice) for each. The library's
 * messages and the manual pages are made from this list.
 */
#define PMC_ERRORS(X) \
	X(EINVAL, "malformed request", \
	  "a size, flag, reserved field, CPU number, count or event-select bit is not allowed; " \
	  "the driver tells which entry and which bits it refused") \
	X(E2BIG, "the request uses a newer ABI than the driver's", \
	  "load the pmcdrv.ko that belongs to this program, or leave the new fields zero") \
	X(EFAULT, "bad address", \
	  "a pointer in the request does not point to readable or writable memory of the caller") \
	X(ENOTTY, "no such ioctl", \
	  "load the pmcdrv.ko that belongs to this program") \
	X(ENODEV, "no counters on this CPU", \
	  "ask PMC_IOC_QUERY for the reason; a CPU that is offline has none") \
	X(ENXIO, "no such counter", \
	  "ask PMC_IOC_QUERY which counters this CPU has") \
	X(EOPNOTSUPP, "this kind of processor cannot do that", \
	  "ask PMC_IOC_QUERY for the features of this CPU") \
	X(EBUSY, "somebody else holds a counter", \
	  "the driver tells who: stop it, or choose another counter") \
	X(EACCES, "not allowed", \
	  "kernel-mode counting, whole CPUs, sibling threads and other users' tasks need " \
	  "CAP_PERFMON") \
	X(EPERM, "the kernel is locked down", \
	  "kernel-mode counting is refused under this kernel's lockdown; see kernel_lockdown(7)") \
	X(ERANGE, "a period is longer than the counter can be", \
	  "ask PMC_IOC_COUNTER for the longest period of that counter") \
	X(EIO, "the ring was written over", \
	  "a program wrote into its mapped ring; what was in it is lost") \
	X(EAGAIN, "there are no samples now", \
	  "wait with poll, or read without O_NONBLOCK") \
	X(EDOM, "this counter cannot count that event", \
	  "take a counter that can: the event's table names it, and the library finds it") \
	X(ENOSPC, "does not fit", \
	  "use fewer counters, or a larger buffer for the answer") \
	X(ESRCH, "no such thread", \
	  "it has ended, or never was") \
	X(EBADFD, "the context is not in the state for this", \
	  "configure before start, stop, read and write; release before configuring again") \
	X(ENOMEM, "out of memory", \
	  "free some memory, or use fewer contexts")

/**
 * PMC_STATUSES - whether the counters of a CPU can be used, and if not, why
 *
 * PMC_STATUSES(X) expands X(NAME, value, text) for each; PMC_STATUS_OK is 0.
 */
#define PMC_STATUSES(X) \
	X(OK, 0, "the counters can be used") \
	X(NO_CPUID, 1, "this CPU has no CPUID instruction") \
	X(NO_MSR, 2, "CPUID says this CPU has no model-specific registers") \
	X(UNKNOWN_CPU, 3, "this driver does not know the counters of this vendor or family") \
	X(NO_PERFMON, 4, \
	  "CPUID leaf 0AH describes no counters: a virtual machine without a PMU, or a " \
	  "hypervisor that hides it") \
	X(FIRMWARE_OFF, 5, \
	  "the firmware switched performance monitoring off (IA32_MISC_ENABLE bit 7)") \
	X(UNKNOWN_VERSION, 6, \
	  "CPUID leaf 0AH tells of a kind of counter that this driver does not know") \
	X(OFFLINE, 7, "the CPU is offline") \
	X(SHARED, 8, \
	  "another logical processor of the same core uses the same counters: take one of the " \
	  "two offline, or switch Hyper-Threading off")

/**
 * PMC_FAMILIES - the kinds of counter hardware
 *
 * PMC_FAMILIES(X) expands X(NAME, value, text) for each.
 */
#define PMC_FAMILIES(X) \
	X(NONE, 0, "none") \
	X(CORE, 1, "Intel architectural performance monitoring") \
	X(P5, 2, "Pentium, Pentium MMX") \
	X(P6, 3, "P6: Pentium Pro, II, III and M") \
	X(NETBURST, 4, "NetBurst: Pentium 4, Xeon, Celeron") \
	X(AMD, 5, "AMD: K7 to Zen")

/**
 * PMC_HOLDERS - who can hold a counter
 *
 * PMC_HOLDERS(X) expands X(NAME, value, text) for each.
 * PMC_HOLDER_KERNEL means that the kernel's reservation is taken: in practice
 * perf, for one of its users or for the NMI watchdog; from inside the kernel
 * the two look the same. PMC_HOLDER_UNKNOWN means that the register was found
 * counting although nobody reserved it: firmware, a hypervisor or another
 * module.
 */
#define PMC_HOLDERS(X) \
	X(NONE, 0, "nobody") \
	X(KERNEL, 1, "the kernel's perf (a perf user, or the NMI watchdog)") \
	X(CONTEXT, 2, "a pmcdrv context") \
	X(UNKNOWN, 3, \
	  "something that did not reserve it (firmware, a hypervisor or another module)")

/**
 * PMC_FEATURES - what a CPU's counters can do
 *
 * PMC_FEATURES(X) expands X(NAME, bit number, text) for each.
 */
#define PMC_FEATURES(X) \
	X(MSR, 0, "model-specific registers") \
	X(TSC, 1, "time-stamp counter") \
	X(TSC_SYNC, 2, "time-stamp counters of all CPUs agree and never stop") \
	X(RDPMC, 3, "RDPMC instruction") \
	X(RDPMC_FAST, 4, "fast 32-bit RDPMC (ECX bit 31)") \
	X(FIXED, 5, "fixed-function counters") \
	X(GLOBAL_CTRL, 6, "one register that starts and stops all counters at once") \
	X(FULL_WIDTH, 7, "counters written in full width") \
	X(INTERRUPT, 8, "interrupt on overflow") \
	X(FREEZE, 9, "counters freeze on an overflow interrupt") \
	X(ANY_THREAD, 10, "events of the sibling thread can be counted (AnyThread)") \
	X(KERNEL_MODE, 11, "user and kernel mode can be told apart") \
	X(METRICS, 12, "performance metrics: what the slots went to, in fractions")

/**
 * PMC_RECORDS - what a sample ring contains
 *
 * PMC_RECORDS(X) expands X(NAME, value, text) for each.
 */
#define PMC_RECORDS(X) \
	X(PAD, 0, "nothing: the next record is at the ring's begin") \
	X(SAMPLE, 1, "a counter overflowed: struct pmc_sample") \
	X(LOST, 2, "here records are missing, the ring was full: struct pmc_lost") \
	X(THROTTLE, 3, "a counter overflows too often to be sampled: struct pmc_throttle") \
	X(UNTHROTTLE, 4, "it is sampled again: struct pmc_throttle") \
	X(MMAP, 5, "a file mapped by a process that is sampled: struct pmc_mmap")

enum pmc_status {
#define X(name, value, text) PMC_STATUS_##name = (value),
	PMC_STATUSES(X)
#undef X
};

enum pmc_family_id {
#define X(name, value, text) PMC_FAMILY_##name = (value),
	PMC_FAMILIES(X)
#undef X
};

enum pmc_holder_type {
#define X(name, value, text) PMC_HOLDER_##name = (value),
	PMC_HOLDERS(X)
#undef X
};

enum pmc_record_type {
#define X(name, value, text) PMC_RECORD_##name = (value),
	PMC_RECORDS(X)
#undef X
};

enum pmc_feature_bit {
#define X(name, bit, text) PMC_FEATURE_BIT_##name = (bit),
	PMC_FEATURES(X)
#undef X
};

/** PMC_FEATURE - mask of one feature in &struct pmc_query.features */
#define PMC_FEATURE(name)	(1ULL << PMC_FEATURE_BIT_##name)

/**
 * PMC_COUNTER_GENERAL, PMC_COUNTER_FIXED - number of a counter
 *
 * The same numbers that RDPMC takes in ECX (SDM Volume 2B, RDPMC): general
 * counters from 0, fixed counters from 40000000H.
 */
#define PMC_COUNTER_FIXED_FLAG	0x40000000U
#define PMC_COUNTER_GENERAL(n)	((__u32)(n))
#define PMC_COUNTER_FIXED(n)	(PMC_COUNTER_FIXED_FLAG | (__u32)(n))

/** PMC_COUNTER_SLOTS - the fixed counter that the performance metrics are fractions of */
#define PMC_COUNTER_SLOTS	PMC_COUNTER_FIXED(3)

/**
 * PMC_COUNTER_METRICS - the performance metrics, where PMC_FEATURE(METRICS) is
 *
 * Not a counter but a register, MSR_PERF_METRICS (329H), that RDPMC reads, too (SDM
 * Volume 2B, RDPMC: type 2000H; Volume 3B, "Performance Metrics"): fields of eight bits,
 * each a fraction in 255ths of what PMC_COUNTER_SLOTS has counted. Level 1, in bits 31:0:
 * retiring, bad speculation, frontend bound, backend bound. Level 2, in bits 63:32, where
 * &struct pmc_counter.width is 64: heavy operations (a part of retiring), branch
 * mispredicts (of bad speculation), fetch latency (of frontend bound), memory bound (of
 * backend bound).
 *
 * A context has it only together with PMC_COUNTER_SLOTS, and both with the same flags.
 * Its value has the fractions of what this context counted since both were 0: configured,
 * reset or written. It is nothing to be added up: so it is for PMC_SCOPE_THREAD and
 * PMC_SCOPE_CPU only.
 *
 * As long as nothing comes between, it is the register as it is. If another context has
 * counted on the same CPU in between, or the thread was on another CPU, or after so many
 * slots that their counter might wrap (2^47 or, on a busy system, a bit more), both
 * registers begin at 0 again. The value is then made of these parts, each field by itself:
 * the sum over all parts of field * slots, divided by all slots and cut off. User mode can
 * no longer read it (the page's counters are as when it is stopped) until both are 0 again.
 */
#define PMC_COUNTER_METRICS	0x20000000U

/** PMC_METRICS_FIELDS_MAX - the most fields that there can be: all that fit */
#define PMC_METRICS_FIELDS_MAX	8

/**
 * PMC_METRICS_FIELDS - the fields of PMC_COUNTER_METRICS
 *
 * PMC_METRICS_FIELDS(X) expands X(NAME, number, "perf's name of it", text) for each; a
 * field's bits are 8 * number + 7 to 8 * number.
 */
#define PMC_METRICS_FIELDS(X) \
	X(RETIRING, 0, "topdown-retiring", "slots whose work retired") \
	X(BAD_SPECULATION, 1, "topdown-bad-spec", "slots lost to wrong speculation") \
	X(FRONTEND_BOUND, 2, "topdown-fe-bound", "slots that the frontend left empty") \
	X(BACKEND_BOUND, 3, "topdown-be-bound", "slots that the backend could not take") \
	X(HEAVY_OPERATIONS, 4, "topdown-heavy-ops", \
	  "of those retired: by instructions of several operations") \
	X(BRANCH_MISPREDICTS, 5, "topdown-br-mispredict", \
	  "of those lost to speculation: by mispredicted branches") \
	X(FETCH_LATENCY, 6, "topdown-fetch-lat", \
	  "of those left empty: with nothing fetched at all") \
	X(MEMORY_BOUND, 7, "topdown-mem-bound", \
	  "of those not taken: for loads and stores under way")

enum pmc_metrics_field {
#define X(id, number, name, text) PMC_METRICS_##id = (number),
	PMC_METRICS_FIELDS(X)
#undef X
};

/** PMC_METRICS_WHOLE - the value of a field that has all slots */
#define PMC_METRICS_WHOLE	255U

/** PMC_COUNTERS_MAX - the most counters that one context can have */
#define PMC_COUNTERS_MAX	32

/** PMC_CPU_ANY - where a CPU number is asked for: the one that the caller runs on */
#define PMC_CPU_ANY		(-1)

/**
 * struct pmc_query - PMC_IOC_QUERY: what this CPU and this driver can do
 *
 * The feature determination of SDM Volume 3B, "Event and Time-Stamp Monitoring
 * Software": vendor, family and model, the MSR and TSC flags, then leaf 0AH.
 * It works on every CPU, also where there are no counters.
 *
 * @size:	in: bytes of this structure that the caller knows
 * @cpu:	in: CPU to describe, or PMC_CPU_ANY; out: the one described
 * @flags:	in: must be 0
 * @abi_version: PMC_ABI_VERSION of the driver
 * @status:	&enum pmc_status
 * @family:	&enum pmc_family_id
 * @features:	mask of PMC_FEATURE()
 * @vendor:	CPUID vendor string, zero-terminated
 * @cpu_family:	display family (SDM Volume 2A, CPUID leaf 01H)
 * @cpu_model:	display model
 * @cpu_stepping: stepping
 * @perfmon_version: CPUID.0AH:EAX[7:0], 0 where there is none
 * @general_counters: mask of the general counters that exist
 * @fixed_counters: mask of the fixed counters that exist
 * @general_width: bits of a general counter (NetBurst's from 18 on have 32)
 * @fixed_width: bits of a fixed counter
 * @events_unavailable: mask of the architectural events that this CPU lacks,
 *		in the bit order of CPUID.0AH:EBX; a set bit is a lacking event
 * @events_described: number of bits of @events_unavailable that mean anything
 * @event_select_mask: bits of an event select that a caller may set
 * @cpuid_0ah:	EAX, EBX, ECX and EDX of CPUID leaf 0AH, as read
 * @perf_capabilities: IA32_PERF_CAPABILITIES, 0 where it does not exist
 * @tsc_khz:	the kernel's measure of the time-stamp counter's rate, 0 if none
 * @contexts:	contexts configured now, everywhere
 * @cpuid_23h:	EAX, EBX, ECX and EDX of CPUID leaf 23H, sub-leaf 0, as read; 0 where it
 *		is not. What it and its sub-leaves describe is in the masks above
 * @core_type:	where a system has several kinds of core (CPUID.07H:EDX[15]), that of this
 *		CPU: CPUID.1AH:EAX, the type of core in bits 31:24 (20H: Atom, 40H: Core),
 *		its model in 23:0; else 0. Counters of different kinds differ
 * @reserved:	0
 *
 * Errors: EINVAL, E2BIG, EFAULT; an unknown CPU number is EINVAL; an offline
 * CPU is told by @status.
 */
struct pmc_query {
	__u32 size;
	__s32 cpu;
	__u32 flags;
	__u32 abi_version;
	__u32 status;
	__u32 family;
	__aligned_u64 features;
	char vendor[16];
	__u32 cpu_family;
	__u32 cpu_model;
	__u32 cpu_stepping;
	__u32 perfmon_version;
	__aligned_u64 general_counters;
	__aligned_u64 fixed_counters;
	__u32 general_width;
	__u32 fixed_width;
	__u32 events_unavailable;
	__u32 events_described;
	__aligned_u64 event_select_mask;
	__u32 cpuid_0ah[4];
	__aligned_u64 perf_capabilities;
	__u32 tsc_khz;
	__u32 contexts;
	__u32 cpuid_23h[4];
	__u32 core_type;
	__u32 reserved;
};

/** PMC_CORE_TYPE_MODEL - bits of a core's model in &struct pmc_query.core_type */
#define PMC_CORE_TYPE_MODEL	0x00ffffffU

/** PMC_COMM_LEN - bytes of a process name, with its final zero */
#define PMC_COMM_LEN		16

/**
 * struct pmc_holder - who holds a counter
 *
 * @kind:	&enum pmc_holder_type
 * @pid:	process that opened the context, as the caller's pid namespace
 *		sees it, 0 if it cannot
 * @counter:	the counter held
 * @cpu:	the CPU it is held on, -1 for every CPU
 * @tid:	the thread that the context counts, 0 if it counts CPUs
 * @scope:	&enum pmc_scope of the context, 0 if the holder is none
 * @comm:	name of that process when it configured the context
 */
struct pmc_holder {
	__u32 kind;
	__s32 pid;
	__u32 counter;
	__s32 cpu;
	__s32 tid;
	__u32 scope;
	char comm[PMC_COMM_LEN];
};

/**
 * struct pmc_counter - PMC_IOC_COUNTER: describe one counter of one CPU
 *
 * @size:	in: bytes of this structure that the caller knows
 * @cpu:	in: CPU, or PMC_CPU_ANY; out: the one described
 * @counter:	in: PMC_COUNTER_GENERAL(), PMC_COUNTER_FIXED() or PMC_COUNTER_METRICS
 * @flags:	in: must be 0
 * @width:	bits of the counter; of the performance metrics 32 or 64: four fields or eight
 * @write_width: low bits that can be written freely; the hardware extends the
 *		sign of the highest of them
 * @event_select_mask: bits of &struct pmc_counter_config.event_select allowed
 *		here
 * @rdpmc:	what RDPMC takes in ECX for this counter
 * @select_msr:	address of the event select (for a fixed counter: of
 *		IA32_FIXED_CTR_CTRL)
 * @counter_msr: address of the counter
 * @reserved:	0
 * @holder:	who holds it now; with several, the first found; of the performance metrics
 *		who holds PMC_COUNTER_SLOTS
 * @period_max:	longest period it can be sampled with, 0 if it cannot interrupt
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENODEV, ENXIO.
 */
struct pmc_counter {
	__u32 size;
	__s32 cpu;
	__u32 counter;
	__u32 flags;
	__u32 width;
	__u32 write_width;
	__aligned_u64 event_select_mask;
	__u32 rdpmc;
	__u32 select_msr;
	__u32 counter_msr;
	__u32 reserved;
	struct pmc_holder holder;
	__aligned_u64 period_max;
};

/**
 * enum pmc_scope - what a context counts
 *
 * @PMC_SCOPE_CPU:	one CPU, whatever runs there; needs CAP_PERFMON
 * @PMC_SCOPE_ALL_CPUS:	every CPU, those that come online later included;
 *			needs CAP_PERFMON
 * @PMC_SCOPE_THREAD:	one thread, wherever it runs
 * @PMC_SCOPE_PROCESS:	a process: all threads that it has and will have
 * @PMC_SCOPE_TREE:	a process and all that it makes from now on: threads,
 *			processes, and theirs
 *
 * A process' threads are also those that the kernel makes for it and that never are in
 * user mode: io_uring's, and since Linux 6.4 vhost's.
 */
enum pmc_scope {
	PMC_SCOPE_CPU = 1,
	PMC_SCOPE_ALL_CPUS = 2,
	PMC_SCOPE_THREAD = 3,
	PMC_SCOPE_PROCESS = 4,
	PMC_SCOPE_TREE = 5,
};

/* &struct pmc_counter_config.flags; at least one of the two is needed */
#define PMC_COUNT_USER		(1U << 0) /* count at privilege level 3 */
#define PMC_COUNT_KERNEL	(1U << 1) /* count at levels 0 to 2; needs CAP_PERFMON */

/**
 * struct pmc_counter_config - one counter of a context and what it counts
 *
 * @counter:	PMC_COUNTER_GENERAL(), PMC_COUNTER_FIXED() or PMC_COUNTER_METRICS; each once
 * @flags:	PMC_COUNT_USER, PMC_COUNT_KERNEL
 * @event_select: event select in the family's own layout, without the bits that
 *		the driver sets itself: privilege levels, enable, interrupt.
 *		For the core family (SDM Volume 3B, IA32_PERFEVTSELx): event
 *		7:0, unit mask 15:8, edge 18, AnyThread 21 (needs CAP_PERFMON),
 *		invert 23, counter mask 31:24, and where CPUID leaf 23H has them equal 36
 *		and unit mask 2 47:40. For a fixed counter only
 *		AnyThread. For the P6 (PerfEvtSelx): event 7:0, unit mask 15:8,
 *		edge 18, invert 23, counter mask 31:24. For the P5 (a half of
 *		CESR): event 5:0, clocks instead of occurrences 8, pin control
 *		9. For NetBurst the CCCR in 31:0 (ESCR select 15:13, compare 18,
 *		complement 19, threshold 23:20, edge 24, cascade 30) and the
 *		ESCR in 63:32 (tag enable 36, tag value 40:37, event mask
 *		56:41, event 62:57); for its counters 18 to 23 the high half of
 *		their register. For AMD (PerfEvtSeln, PERF_CTLn): event 7:0 and, from
 *		family 10h on, 35:32, unit mask 15:8, edge 18, invert 23, counter mask
 *		31:24; with SVM also guest only 40 and host only 41 (both together count
 *		both; where nobody has switched SVM on, older processors count nothing
 *		with either bit, newer ones are said to ignore them). See
 *		&struct pmc_counter.event_select_mask.
 * @event_extra: must be 0
 * @initial:	value that the counter has when configured
 * @period:	0, or sample: an overflow whenever this many more events have
 *		been counted, for a followed thread by itself, else on each CPU
 *		by itself; at most &struct pmc_counter.period_max
 * @reserved:	must be 0
 */
struct pmc_counter_config {
	__u32 counter;
	__u32 flags;
	__aligned_u64 event_select;
	__aligned_u64 event_extra;
	__aligned_u64 initial;
	__aligned_u64 period;
	__aligned_u64 reserved;
};

/* &struct pmc_config.flags */
#define PMC_CONFIG_ON_EXEC	(1U << 0) /* START arms; counting begins at the next exec */
#define PMC_CONFIG_USER_READ	(1U << 1) /* reading in user mode, see struct pmc_page */

/* &struct pmc_config.sample_flags */
#define PMC_SAMPLE_KERNEL_CALLCHAIN	(1U << 0) /* the kernel's call chain; needs CAP_PERFMON */
#define PMC_SAMPLE_USER_CALLCHAIN	(1U << 1) /* user mode's, by frame pointers */
#define PMC_SAMPLE_MMAPS		(1U << 2) /* records of the files that samples lie in */

/** PMC_FRAMES_MAX - the longest call chain of either mode */
#define PMC_FRAMES_MAX		127

/** PMC_FRAMES_DEFAULT - the longest call chain if &struct pmc_config.frames is 0 */
#define PMC_FRAMES_DEFAULT	64

/** PMC_RING_SIZE_MAX - the most bytes of records that one CPU's ring can hold */
#define PMC_RING_SIZE_MAX	(1U << 24)

/** PMC_RING_SIZE_DEFAULT - bytes of records if &struct pmc_config.ring_size is 0 */
#define PMC_RING_SIZE_DEFAULT	(1U << 17)

/** PMC_ENTRY_NONE - &struct pmc_config.failed_entry: no single entry is at fault */
#define PMC_ENTRY_NONE		0xffffffffU

/**
 * struct pmc_config - PMC_IOC_CONFIGURE: claim counters and say what they count
 *
 * All or nothing: on an error nothing is claimed, and the out fields tell more.
 * The context is then configured and stopped. An event select that names an
 * event which this processor doesn't have counts whatever the hardware does.
 *
 * @size:	in: bytes of this structure that the caller knows
 * @flags:	in: PMC_CONFIG_ON_EXEC (not with CPU scopes), PMC_CONFIG_USER_READ
 *		(PMC_SCOPE_THREAD and a thread of the caller's process)
 * @scope:	in: &enum pmc_scope
 * @cpu:	in: CPU number for PMC_SCOPE_CPU, PMC_CPU_ANY otherwise
 * @tid:	in: thread for PMC_SCOPE_THREAD, process for PMC_SCOPE_PROCESS and
 *		PMC_SCOPE_TREE, 0 for the caller's own; 0 for the others
 * @nr_counters: in: entries of @counters, 1 to PMC_COUNTERS_MAX
 * @counters:	in: address of an array of &struct pmc_counter_config
 * @counter_size: in: bytes of one entry that the caller knows
 * @failed_entry: out, on error: entry at fault, or PMC_ENTRY_NONE
 * @refused_bits: out, on EINVAL: the bits of that entry's @event_select that
 *		are not allowed
 * @holder:	out, on EBUSY: who holds it
 * @sample_flags: in: PMC_SAMPLE_*; this and the next three must be 0 unless a
 *		counter has a period
 * @frames:	in: longest call chain, 1 to PMC_FRAMES_MAX; 0 is
 *		PMC_FRAMES_DEFAULT
 * @ring_size:	in: bytes of records that each CPU's ring can hold: a power of two,
 *		one page to PMC_RING_SIZE_MAX; 0 is PMC_RING_SIZE_DEFAULT
 * @watermark:	in: wake those who poll and read when a ring has this many bytes
 *		of records, 1 to @ring_size, or is full; 0 is half of it
 * @context:	out: number of the context, its own while the module is loaded; see
 *		PMC_NETLINK_GET_CONTEXT
 * @core_type:	in: 0, or count only on CPUs of this kind, of those that have a
 *		&struct pmc_query.core_type: equal to it, or, if 23:0 are 0 here, in
 *		31:24. Elsewhere the context does not count, which its times show, and
 *		others have the counters
 * @failed_cpu:	out, on error: the CPU that refuses @failed_entry, or else -1
 *
 * Where CPUs differ each entry must be allowed on every CPU that may run it.
 *
 * A period cannot be had with PMC_CONFIG_USER_READ (EINVAL).
 *
 * With PMC_COUNTER_METRICS there must be PMC_COUNTER_SLOTS with the same flags, and of both
 * @event_select and @initial must be 0 (EINVAL); no counter may have a period, and the scope
 * be no other than PMC_SCOPE_THREAD and PMC_SCOPE_CPU (EOPNOTSUPP).
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENODEV (also: no CPU of that kind; a hypervisor that loses
 * what is written to the counters; the system is going down), ENXIO, EOPNOTSUPP (a kernel
 * thread; a period where there is no overflow interrupt, or beside PMC_COUNTER_METRICS, and that in
 * scopes that add up; a counter that knows no privilege
 * levels, and not all of them), ERANGE (period too long), EDOM
 * (the event cannot be counted on that counter; AMD: on none, if it is the north bridge's,
 * before family 17h those with bits 7:5 of the event set, or one that takes a pair of
 * counters, from then on 003H and 0FFFH), EBUSY, EACCES, EPERM, ENOSPC
 * (nr_counters above PMC_COUNTERS_MAX; NetBurst: two counters that want one event
 * selection control register for different events, a cascaded counter together with
 * kernel mode, or one of the L3's together with a period), ESRCH, EBADFD (already
 * configured), ENOMEM (also: a kernel of 32 bits has no room for more rings, which together
 * get a quarter of the addresses that it has for such).
 */
struct pmc_config {
	__u32 size;
	__u32 flags;
	__u32 scope;
	__s32 cpu;
	__s32 tid;
	__u32 nr_counters;
	__aligned_u64 counters;
	__u32 counter_size;
	__u32 failed_entry;
	__aligned_u64 refused_bits;
	struct pmc_holder holder;
	__u32 sample_flags;
	__u32 frames;
	__u32 ring_size;
	__u32 watermark;
	__aligned_u64 context;
	__u32 core_type;
	__s32 failed_cpu;
};

/**
 * DOC: flags of &struct pmc_read
 *
 * PMC_READ_ONE_CPU: of PMC_SCOPE_ALL_CPUS, only what @cpu counted since the
 * last write or reset
 */
#define PMC_READ_ONE_CPU	(1U << 0)

/**
 * DOC: states of &struct pmc_read
 *
 * PMC_STATE_RUNNING: started and not stopped
 * PMC_STATE_ARMED: waits for the thread's exec
 * PMC_STATE_ENDED: every thread has ended, or its exec took away the right to
 * count it
 * PMC_STATE_OFFLINE: the one CPU asked for is offline; its counts are kept
 * PMC_STATE_INCOMPLETE: for want of memory, a thread or process that was made
 * could not be followed: its counts are missing. With PREEMPT_RT also where one system
 * call makes several of io_uring's workers
 * PMC_STATE_UNCOUNTED: some of what was to be counted ran on a CPU that came online
 * after CONFIGURE, and has no such counters or somebody else's in them: it is missing.
 * (On what &pmc_config.core_type leaves out nothing is missing.)
 */
#define PMC_STATE_RUNNING	(1U << 0)
#define PMC_STATE_ARMED		(1U << 1)
#define PMC_STATE_ENDED		(1U << 2)
#define PMC_STATE_OFFLINE	(1U << 3)
#define PMC_STATE_INCOMPLETE	(1U << 4)
#define PMC_STATE_UNCOUNTED	(1U << 5)

/**
 * struct pmc_read - PMC_IOC_READ: one coherent snapshot of a context
 *
 * All counters of one CPU are read at one moment: nothing is counted between
 * the first and the last of them. No value is scaled or estimated. The counters
 * keep counting. Times are ticks of the time-stamp counter.
 *
 * @size:	in: bytes of the buffer, with room for the values:
 *		PMC_READ_SIZE(number of counters) or more
 * @flags:	in: 0 or PMC_READ_ONE_CPU
 * @cpu:	in: the CPU for PMC_READ_ONE_CPU, PMC_CPU_ANY otherwise; out:
 *		where the snapshot was taken, -1 for a sum over CPUs or a
 *		thread that is not running
 * @nr_counters: in: 0; out: number of values
 * @state:	out: PMC_STATE_*
 * @reserved:	out: 0
 * @tsc:	out: time-stamp counter when the snapshot was taken
 * @time_enabled: out: ticks from start to stop, or till now; where a suspend sets the
 *		time-stamp counter back, without those
 * @time_counted: out: ticks that the counters really ran; over several CPUs,
 *		the sum; for a thread, while it was on a CPU
 * @overflows:	out: overflows of counters with a period, so far
 * @reserved2:	out: 0
 * @value:	out: the counts, 64 bits each, in the order of configuration
 *
 * Errors: EINVAL, EFAULT, ENOSPC (buffer too small), EBADFD.
 */
struct pmc_read {
	__u32 size;
	__u32 flags;
	__s32 cpu;
	__u32 nr_counters;
	__u32 state;
	__u32 reserved;
	__aligned_u64 tsc;
	__aligned_u64 time_enabled;
	__aligned_u64 time_counted;
	__aligned_u64 overflows;
	__aligned_u64 reserved2;
	__aligned_u64 value[];
};

/** PMC_READ_SIZE - bytes of a &struct pmc_read with room for @n values */
#define PMC_READ_SIZE(n)	(sizeof(struct pmc_read) + (n) * sizeof(__u64))

/**
 * struct pmc_page_counter - one counter, for reading it in user mode
 *
 * @rdpmc:	what RDPMC takes in ECX
 * @width:	bits that RDPMC gives
 * @offset:	to be added to what RDPMC gives, modulo 2^64
 */
struct pmc_page_counter {
	__u32 rdpmc;
	__u32 width;
	__aligned_u64 offset;
};

/** PMC_PAGE_UNAVAILABLE - in &struct pmc_page.sequence: use PMC_IOC_READ instead */
#define PMC_PAGE_UNAVAILABLE	1U

/**
 * struct pmc_page - a context's counters, mapped, for reading without a system call
 *
 * mmap() of the context's file, once configured with PMC_CONFIG_USER_READ, gives
 * it: offset 0, one page, PROT_READ, MAP_SHARED. It is for the thread that the
 * context counts, and only for that one: another thread would read the counters
 * of whoever runs on its own CPU. To read a counter:
 *
 *   do {
 *           sequence = page->sequence;
 *           if (sequence & PMC_PAGE_UNAVAILABLE)
 *                   use PMC_IOC_READ;
 *           value = page->counter[i].offset + RDPMC(page->counter[i].rdpmc);
 *   } while (page->sequence != sequence);
 *
 * The value is the whole 64-bit count: the driver sees to it that the hardware's
 * counter does not wrap meanwhile. The page changes only while its thread is not
 * in user mode; then the sequence changes too. Counters of one page that are
 * read under one sequence belong together: only what the thread itself executes
 * lies between them. In a child the mapping shows PMC_PAGE_UNAVAILABLE for ever.
 *
 * Should somebody write 0 to the driver's pce attribute or to perf's rdpmc while
 * a thread is between looking at the sequence and RDPMC, that RDPMC faults.
 *
 * @size:	bytes that the driver knows
 * @sequence:	PMC_PAGE_UNAVAILABLE, and a number that changes with the page
 * @nr_counters: entries of @counter
 * @reserved:	0
 * @since:	time-stamp counter when the times were brought up to date
 * @time_enabled: as in &struct pmc_read, at @since
 * @time_counted: as in &struct pmc_read, at @since; while the page can be used
 *		both go on with the time-stamp counter
 * @reserved2:	0
 * @counter:	the counters, in the order of configuration
 *
 * Errors of mmap(): EINVAL (size, offset, flags, or not configured with
 * PMC_CONFIG_USER_READ), EACCES (PROT_WRITE), ENOMEM.
 */
struct pmc_page {
	__u32 size;
	__u32 sequence;
	__u32 nr_counters;
	__u32 reserved;
	__aligned_u64 since;
	__aligned_u64 time_enabled;
	__aligned_u64 time_counted;
	__aligned_u64 reserved2[3];
	struct pmc_page_counter counter[];
};

/**
 * struct pmc_statistics - PMC_IOC_STATISTICS: what became of a context's overflows
 *
 * Since it was configured; a reset changes nothing here. Every overflow is in just
 * one of @sampled, @lost and @throttled.
 *
 * @size:	in: bytes of this structure that the caller knows
 * @flags:	in: must be 0
 * @records:	out: sample records written
 * @sampled:	out: overflows that those stand for
 * @lost:	out: overflows whose record did not fit into the ring
 * @throttled:	out: overflows that came too often to be sampled
 * @mmaps_lost:	out: PMC_RECORD_MMAP records that did not fit
 * @spurious:	out: interrupts of all CPUs, since the module was loaded, that
 *		told of no overflow
 * @wakeups:	out: how often a ring reached its watermark, or was full before it could
 *
 * Errors: EINVAL, E2BIG, EFAULT, EBADFD (not configured, or without a period).
 */
struct pmc_statistics {
	__u32 size;
	__u32 flags;
	__aligned_u64 records;
	__aligned_u64 sampled;
	__aligned_u64 lost;
	__aligned_u64 throttled;
	__aligned_u64 mmaps_lost;
	__aligned_u64 spurious;
	__aligned_u64 wakeups;
};

/**
 * PMC_RING_OFFSET - where mmap() finds the sample ring of a CPU
 * @cpu:	number of the CPU
 * @ring_size:	&struct pmc_config.ring_size
 * @page_size:	bytes of a page of memory
 *
 * A context with a period has one ring for each CPU that it may count on. The
 * mapping is one page with a &struct pmc_ring and behind it @ring_size bytes of
 * records. It must be MAP_SHARED, readable and writable, and whole.
 *
 * Errors of mmap(): EINVAL (offset, size, flags, not a context with a period, a
 * CPU that it does not count on), EACCES (not both readable and writable),
 * ENOMEM.
 */
#define PMC_RING_OFFSET(cpu, ring_size, page_size) \
	((__u64)(page_size) + (__u64)(cpu) * ((__u64)(page_size) + (ring_size)))

/**
 * struct pmc_ring - head of a mapped sample ring
 *
 * The driver writes records and then @head; the reader reads @head, then the
 * records between @tail and it, and then writes @tail:
 *
 *   head = load-acquire(ring->head);
 *   for (tail = ring->tail; tail != head; tail += record->size)
 *           record = (char *)ring + ring->data_offset + tail % ring->data_size;
 *   store-release(ring->tail, tail);
 *
 * No record goes around the ring's end: PMC_RECORD_PAD fills it. The driver
 * believes nothing that a program can write here: with a wrong @tail the ring is
 * full.
 *
 * @size:	bytes of this structure that the driver knows
 * @cpu:	the CPU whose ring it is
 * @data_offset: of the records, from here
 * @data_size:	bytes of records, a power of two
 * @lost:	overflows lost on this CPU so far. Programs of 32 bits read its halves one
 *		after the other; PMC_IOC_STATISTICS has the sum of all CPUs in one piece
 * @reserved:	0
 * @head:	bytes of records ever written, modulo 2^32; only the driver writes it
 * @reserved2:	0
 * @tail:	bytes of records ever read, modulo 2^32; only the reader writes it
 * @reserved3:	0
 */
struct pmc_ring {
	__u32 size;
	__s32 cpu;
	__aligned_u64 data_offset;
	__aligned_u64 data_size;
	__aligned_u64 lost;
	__aligned_u64 reserved[4];
	__u32 head;
	__u32 reserved2[15];
	__u32 tail;
	__u32 reserved3[15];
};

/**
 * struct pmc_record - head of every record
 * @type:	&enum pmc_record_type; unknown ones are to be skipped
 * @size:	bytes of the whole record, a multiple of 8
 */
struct pmc_record {
	__u32 type;
	__u32 size;
};

/* &struct pmc_sample.flags */
#define PMC_SAMPLE_SKID		(1U << 0) /* interrupted in a mode that is not counted; in
					   * the kernel: it tells where user mode was left.
					   * NetBurst: or one event late
					   */
#define PMC_SAMPLE_LATE		(1U << 1) /* the counter was stopped before the interrupt came */

/**
 * struct pmc_sample - PMC_RECORD_SAMPLE: a counter overflowed
 *
 * What is saved is what the overflow interrupt interrupted (SDM Volume 3B,
 * "Generating an Interrupt on Overflow" for the P6: instruction pointer, code
 * segment, task-register selector, flags). Counters that overflow at one moment
 * have a record each.
 *
 * @record:	head
 * @flags:	PMC_SAMPLE_SKID, PMC_SAMPLE_LATE
 * @counter:	which of the context's counters overflowed, in the order of
 *		configuration
 * @ip:		instruction pointer, 0 if it is not known: an interrupt that came so
 *		late that user mode was left without a trace, or after an exec, of
 *		whose program nothing is told here
 * @rflags:	flags register
 * @tsc:	time-stamp counter
 * @overflows:	overflows of that counter that this record stands for: more than
 *		one if the period is shorter than the handling of an interrupt, or
 *		than the two events that an interrupt takes on NetBurst
 * @cs:		code segment selector; its low two bits are the privilege level, but in
 *		virtual-8086 mode (bit 17 of @rflags), where it is @cs * 16 that @ip is
 *		counted from
 * @task_register: task-register selector
 * @privilege:	privilege level, 0 or 3
 * @nr_counters: values
 * @nr_kernel_frames: frames of the kernel's call chain, the innermost first
 * @nr_user_frames: frames of user mode's call chain, the innermost first; in
 *		virtual-8086 mode @ip alone
 * @reserved:	0
 * @cpu:	CPU
 * @pid:	process, in the pid namespace of who configured the context, 0 if it
 *		is not there
 * @tid:	thread, likewise
 * @comm:	its name, empty if it has exec'ed since it was in user mode there
 * @data:	@nr_counters values of the context's counters (of this thread or
 *		CPU alone, since they were last written or reset), then the
 *		frames: instruction pointers
 */
struct pmc_sample {
	struct pmc_record record;
	__u32 flags;
	__u32 counter;
	__aligned_u64 ip;
	__aligned_u64 rflags;
	__aligned_u64 tsc;
	__aligned_u64 overflows;
	__u16 cs;
	__u16 task_register;
	__u8 privilege;
	__u8 nr_counters;
	__u8 nr_kernel_frames;
	__u8 nr_user_frames;
	__u32 reserved;
	__u32 cpu;
	__s32 pid;
	__s32 tid;
	char comm[PMC_COMM_LEN];
	__aligned_u64 data[];
};

/**
 * struct pmc_lost - PMC_RECORD_LOST: here records are missing
 * It stands before the next record that had room, or was written when the context
 * stopped or started again. &struct pmc_ring.lost has the sum at any time.
 *
 * @record:	head
 * @overflows:	overflows that are missing
 */
struct pmc_lost {
	struct pmc_record record;
	__aligned_u64 overflows;
};

/**
 * struct pmc_throttle - PMC_RECORD_THROTTLE, PMC_RECORD_UNTHROTTLE
 *
 * The counter goes on counting; its overflows are not sampled until the CPU has
 * had time for other things.
 *
 * @record:	head
 * @counter:	which of the context's counters
 * @cpu:	CPU
 * @tsc:	time-stamp counter
 * @overflows:	UNTHROTTLE: overflows that were not sampled meanwhile
 */
struct pmc_throttle {
	struct pmc_record record;
	__u32 counter;
	__u32 cpu;
	__aligned_u64 tsc;
	__aligned_u64 overflows;
};

/**
 * struct pmc_mmap - PMC_RECORD_MMAP: a file mapped by a process that is sampled
 *
 * With PMC_SAMPLE_MMAPS the first sample in user mode of each thread (of each
 * process, where a CPU is counted) in each mapped range is followed by one of
 * these, before that thread executes anything more; so are the ranges of the
 * callers in its call chain. It may be in the ring of another CPU. A range that is unmapped and
 * mapped anew meanwhile may not be told again.
 *
 * @record:	head
 * @pid:	process, as in &struct pmc_sample
 * @tid:	thread
 * @start:	first address
 * @end:	first address behind it
 * @offset:	of @start in the file, bytes
 * @inode:	of the file
 * @device_major: of the file's device
 * @device_minor: likewise
 * @tsc:	time-stamp counter when this was looked up
 * @path:	of the file, as the process sees it, zero-terminated and filled
 *		with zeros; in brackets for what is no file
 */
struct pmc_mmap {
	struct pmc_record record;
	__s32 pid;
	__s32 tid;
	__aligned_u64 start;
	__aligned_u64 end;
	__aligned_u64 offset;
	__aligned_u64 inode;
	__u32 device_major;
	__u32 device_minor;
	__aligned_u64 tsc;
	char path[];
};

/**
 * struct pmc_write - PMC_IOC_WRITE: set the counts
 *
 * Any 64-bit value is good: the driver extends the hardware's width. A counter
 * that runs goes on from there. For PMC_SCOPE_ALL_CPUS the value is the new sum.
 * With PMC_COUNTER_METRICS among them it and PMC_COUNTER_SLOTS take only 0 (EINVAL).
 *
 * @size:	in: bytes of this structure that the caller knows
 * @flags:	in: must be 0
 * @nr_counters: in: the context's number of counters
 * @reserved:	in: must be 0
 * @values:	in: address of @nr_counters 64-bit values
 *
 * Errors: EINVAL, E2BIG, EFAULT, EBADFD.
 */
struct pmc_write {
	__u32 size;
	__u32 flags;
	__u32 nr_counters;
	__u32 reserved;
	__aligned_u64 values;
};

/**
 * struct pmc_tsc - PMC_IOC_TSC: read the time-stamp counter
 *
 * @size:	in: bytes of this structure that the caller knows
 * @flags:	in: must be 0
 * @cpu:	out: the CPU it was read on
 * @reserved:	out: 0
 * @tsc:	out: its value, read in kernel mode, after all earlier
 *		instructions
 *
 * Errors: EINVAL, E2BIG, EFAULT, EOPNOTSUPP (this CPU has none).
 */
struct pmc_tsc {
	__u32 size;
	__u32 flags;
	__s32 cpu;
	__u32 reserved;
	__aligned_u64 tsc;
};

/*
 * The ioctls. The number does not carry the structure's size, so that it stays
 * when the structure grows: the leading @size tells.
 */
#define PMC_IOC_MAGIC		0xDC

#define PMC_IOC_QUERY		_IO(PMC_IOC_MAGIC, 0x00) /* struct pmc_query */
#define PMC_IOC_COUNTER		_IO(PMC_IOC_MAGIC, 0x01) /* struct pmc_counter */
#define PMC_IOC_TSC		_IO(PMC_IOC_MAGIC, 0x02) /* struct pmc_tsc */
#define PMC_IOC_CONFIGURE	_IO(PMC_IOC_MAGIC, 0x10) /* struct pmc_config */

/*
 * PMC_IOC_START - start all counters of the context (argument 0)
 * For PMC_CONFIG_ON_EXEC: arm, counting starts at the next exec. Starting a
 * started context does nothing. Errors: EINVAL, EBADFD, ENODEV (CPU offline),
 * ESRCH (thread ended).
 */
#define PMC_IOC_START		_IO(PMC_IOC_MAGIC, 0x11)

/*
 * PMC_IOC_STOP - stop all counters of the context (argument 0); the values stay
 * Stopping a stopped context does nothing. Errors: EINVAL, EBADFD.
 */
#define PMC_IOC_STOP		_IO(PMC_IOC_MAGIC, 0x12)
#define PMC_IOC_READ		_IO(PMC_IOC_MAGIC, 0x13) /* struct pmc_read */
#define PMC_IOC_WRITE		_IO(PMC_IOC_MAGIC, 0x14) /* struct pmc_write */

/* PMC_IOC_RESET - all values and times become 0 (argument 0). Errors: EINVAL, EBADFD. */
#define PMC_IOC_RESET		_IO(PMC_IOC_MAGIC, 0x15)

/* PMC_IOC_RELEASE - stop and give all counters back (argument 0). Errors: EINVAL, EBADFD. */
#define PMC_IOC_RELEASE		_IO(PMC_IOC_MAGIC, 0x16)
#define PMC_IOC_STATISTICS	_IO(PMC_IOC_MAGIC, 0x17) /* struct pmc_statistics */

/*
 * Samples without mapping: read() gives whole records of the rings, of each CPU
 * in order, and waits until a ring has its watermark or the context has stopped.
 * It returns 0 when the context is stopped, or nobody is left to be counted, and
 * all is read. Errors: EAGAIN (O_NONBLOCK, nothing there), EINVAL (the buffer is
 * smaller than the next record), EFAULT, EIO, EBADFD (no context with a period).
 *
 * poll(): POLLIN when a ring has its watermark, or anything at all once the
 * context has stopped; POLLHUP when nobody is left to be counted; POLLERR when
 * there is no context with a period.
 */

#endif /* _UAPI_PMCDRV_H */
