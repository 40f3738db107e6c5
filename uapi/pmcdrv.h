/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * pmcdrv: exact hardware event counts through /dev/pmc
 *
 * This file and pmcdrv-netlink.h are the whole ABI between the driver and user space. The
 * driver and programs include the same files. See pmcdrv(4).
 *
 * An open file of /dev/pmc has at most one context. PMC_IOC_CONFIGURE creates it, claims its
 * counters and programs their events; PMC_IOC_START, STOP, READ, WRITE and RESET use them;
 * PMC_IOC_RELEASE, and the last close() of the file, give them back. The kernel closes the
 * file however the process ends.
 *
 * Structures:
 *  - The layout is the same for 32-bit and 64-bit callers.
 *  - The first field, @size, is the number of bytes that the caller knows. New fields are
 *    added only at the end.
 *  - A caller with a smaller structure than the driver's gets the fields that it knows. A
 *    caller with a larger one is served if all bytes that the driver does not know are 0, and
 *    gets E2BIG otherwise.
 *  - Unknown flags and reserved fields that are not 0 are EINVAL.
 *
 * All times are ticks of the time-stamp counter.
 *
 * "SDM" is Intel's "64 and IA-32 Architectures Software Developer's Manual".
 */
#ifndef _UAPI_PMCDRV_H
#define _UAPI_PMCDRV_H

#include <linux/ioctl.h>
#include <linux/types.h>

/** PMC_ABI_VERSION - version of this ABI; incremented whenever this file grows */
#define PMC_ABI_VERSION		7

/** PMC_DEVICE - path of the character device */
#define PMC_DEVICE		"/dev/pmc"

/**
 * PMC_ERRORS - the error numbers of the ABI, with one meaning each; beside them there is EINTR
 *
 * PMC_ERRORS(X) expands X(number, meaning, advice) for each. libpmcdrv's messages and the
 * manual page contain these texts.
 */
#define PMC_ERRORS(X) \
	X(EINVAL, "malformed request", \
	  "a size, flag, reserved field, CPU number, count or event-select bit is not allowed; " \
	  "the driver reports which entry and which bits it refused") \
	X(E2BIG, "the request uses a newer ABI than the driver's", \
	  "load the pmcdrv.ko that belongs to this program, or leave the new fields zero") \
	X(EFAULT, "bad address", \
	  "a pointer in the request does not point to readable or writable memory of the caller") \
	X(ENOTTY, "no such ioctl", \
	  "load the pmcdrv.ko that belongs to this program") \
	X(ENODEV, "no counters on this CPU", \
	  "PMC_IOC_QUERY reports the reason, unless a hypervisor ignores writes or the system " \
	  "shuts down; an offline CPU has none; if the virtual machine has moved to another " \
	  "host, load the module again") \
	X(ENXIO, "no such counter", \
	  "PMC_IOC_QUERY reports which counters this CPU has") \
	X(EOPNOTSUPP, "not supported by this processor", \
	  "PMC_IOC_QUERY reports the features of this CPU") \
	X(EBUSY, "the counter is in use", \
	  "the driver reports the holder: stop it, or choose another counter") \
	X(EACCES, "permission denied", \
	  "kernel-mode counting, whole CPUs, sibling threads and other users' tasks need " \
	  "CAP_PERFMON; with kernel.perf_event_paranoid above 2 everything does") \
	X(EPERM, "the kernel is locked down", \
	  "lockdown forbids kernel-mode counting; see kernel_lockdown(7)") \
	X(ERANGE, "the period is too long for the counter", \
	  "PMC_IOC_COUNTER reports the longest period of each counter") \
	X(EIO, "the sample ring was overwritten", \
	  "a program wrote into its mapped ring; the records in it are lost") \
	X(EAGAIN, "no samples are available", \
	  "wait with poll, or read without O_NONBLOCK") \
	X(EDOM, "this counter cannot count that event", \
	  "use a counter that can: the event's table lists them, and the library chooses one") \
	X(EXDEV, "a thread could read the counter in user mode on a CPU that lacks it", \
	  "configure without PMC_CONFIG_USER_READ, or use a counter that CPUs of every core type " \
	  "have") \
	X(ENOSPC, "does not fit", \
	  "use fewer counters, or a larger buffer for the reply") \
	X(ESRCH, "no such thread", \
	  "it has ended, or never existed") \
	X(EBADFD, "the context is in the wrong state", \
	  "configure before start, stop, read and write; release before configuring again") \
	X(ENOBUFS, "the user's sample rings would take more memory than allowed", \
	  "use smaller rings, or have RLIMIT_MEMLOCK (ulimit -l) or the module parameter " \
	  "ring_kb raised") \
	X(ENOMEM, "out of memory", \
	  "free some memory, or use fewer contexts")

/**
 * PMC_STATUSES - whether the counters of a CPU can be used, and if not, why
 *
 * PMC_STATUSES(X) expands X(NAME, value, text) for each; PMC_STATUS_OK is 0.
 */
#define PMC_STATUSES(X) \
	X(OK, 0, "the counters can be used") \
	X(NO_CPUID, 1, "the CPU has no CPUID instruction") \
	X(NO_MSR, 2, "CPUID reports no model-specific registers") \
	X(UNKNOWN_CPU, 3, "the driver does not support the counters of this vendor or family") \
	X(NO_PERFMON, 4, \
	  "CPUID leaf 0AH describes no counters: a virtual machine without a PMU, or a " \
	  "hypervisor that hides it") \
	X(FIRMWARE_OFF, 5, \
	  "firmware disabled performance monitoring (IA32_MISC_ENABLE bit 7)") \
	X(UNKNOWN_VERSION, 6, \
	  "CPUID leaf 0AH describes counters that the driver does not support") \
	X(OFFLINE, 7, "the CPU is offline") \
	X(SHARED, 8, \
	  "another logical processor of the same core uses the same counters: take one of the " \
	  "two offline, or disable Hyper-Threading")

/**
 * PMC_FAMILIES - families of counter hardware
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
 * PMC_HOLDERS - kinds of holders of a counter
 *
 * PMC_HOLDERS(X) expands X(NAME, value, text) for each.
 *
 * PMC_HOLDER_KERNEL: the kernel's reservation is taken. In practice perf has it, for a perf
 * event or for the NMI watchdog; the kernel offers a module no way to distinguish the two.
 *
 * PMC_HOLDER_UNKNOWN: the counter runs although it is not reserved. Firmware, a hypervisor or
 * another module started it.
 */
#define PMC_HOLDERS(X) \
	X(NONE, 0, "none") \
	X(KERNEL, 1, "the kernel's perf (a perf event, or the NMI watchdog)") \
	X(CONTEXT, 2, "a pmcdrv context") \
	X(UNKNOWN, 3, \
	  "unknown, without a reservation (firmware, a hypervisor or another module)")

/**
 * PMC_FEATURES - features of a CPU's counters
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
	X(FULL_WIDTH, 7, "full-width writes to the counters") \
	X(INTERRUPT, 8, "interrupt on overflow") \
	X(FREEZE, 9, "counters freeze on an overflow interrupt") \
	X(ANY_THREAD, 10, "counting of the sibling thread's events (AnyThread)") \
	X(KERNEL_MODE, 11, "separate counting of user and kernel mode") \
	X(METRICS, 12, "performance metrics (top-down): fractions of the pipeline slots")

/**
 * PMC_QUIRKS - defects of a processor's counters that the driver handles
 *
 * PMC_QUIRKS(X) expands X(NAME, bit number, "the vendor's names of the erratum; NAME if there is
 * none", text) for each. The text is what the driver does.
 */
#define PMC_QUIRKS(X) \
	X(NETBURST_WRITE, 0, "N15, O8", \
	  "a write can store a wrong value: each counter is written twice") \
	X(P6_RDPMC, 1, "26", "RDPMC does not work: the kernel reads the counters with RDMSR") \
	X(TSX_FORCE_ABORT, 2, "TSX_FORCE_ABORT, Intel 604224", \
	  "microcode uses general counter 3 while TSX is enabled: the counter is not offered") \
	X(NEHALEM_ENABLE, 3, "AAK100, AAP53, BD53", \
	  "a new event can be miscounted: Intel's enable sequence follows each change") \
	X(PERIOD_32, 4, "PERIOD_32", \
	  "a counter close to its overflow interrupts too often or never: with less than 32 " \
	  "events left it interrupts after 32, and the sample is marked") \
	X(PERIOD_128, 5, "HSW11, BDM11", \
	  "INST_RETIRED.PREC_DIST (event C0H, unit mask 01H) needs long periods: with less than " \
	  "128 events left it interrupts after 128, and the sample is marked") \
	X(ZERO, 6, "ZERO", \
	  "a counter that an interrupt leaves at 0 interrupts again: it is reloaded, or set to 1 " \
	  "while it is throttled") \
	X(HT_LEAK, 7, "BJ122, BV98, HSD29", \
	  "with Hyper-Threading, events D0H to D3H also count in the sibling thread's counters: " \
	  "refused while it is online") \
	X(USER_4_7, 8, "USER_4_7", \
	  "general counters 4 to 7 do not count user mode alone: only both modes together") \
	X(NO_RDPMC, 9, "NO_RDPMC", \
	  "RDPMC faults (a hypervisor): the kernel reads the counters with RDMSR, user mode by " \
	  "system call") \
	X(LOST_PMI, 10, "1023", \
	  "with two or more counters, overflow interrupts can be missing: counts are right, late " \
	  "samples are marked, and one can stand for several overflows") \
	X(FIXED0, 11, "HSM154", \
	  "with Hyper-Threading, each start can make fixed counter 0 count up to 32 instructions " \
	  "too many: events by name use a general counter")

/**
 * PMC_RECORDS - types of records in a sample ring
 *
 * PMC_RECORDS(X) expands X(NAME, value, text) for each.
 */
#define PMC_RECORDS(X) \
	X(PAD, 0, "padding: the next record is at the start of the ring") \
	X(SAMPLE, 1, "a counter overflowed: struct pmc_sample") \
	X(LOST, 2, "records were dropped here because the ring was full: struct pmc_lost") \
	X(THROTTLE, 3, "a counter overflows too often to be sampled: struct pmc_throttle") \
	X(UNTHROTTLE, 4, "the counter is sampled again: struct pmc_throttle") \
	X(MMAP, 5, "a mapping that a sample lies in: struct pmc_mmap")

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

enum pmc_quirk_bit {
#define X(name, bit, erratum, text) PMC_QUIRK_BIT_##name = (bit),
	PMC_QUIRKS(X)
#undef X
};

/** PMC_QUIRK - mask of one quirk in &struct pmc_query.quirks */
#define PMC_QUIRK(name)		(1ULL << PMC_QUIRK_BIT_##name)

/**
 * PMC_COUNTER_GENERAL, PMC_COUNTER_FIXED - number of a counter
 *
 * RDPMC takes the same numbers in ECX (SDM Volume 2B, RDPMC): general (programmable) counters
 * from 0, fixed counters from 40000000H.
 */
#define PMC_COUNTER_FIXED_FLAG	0x40000000U
#define PMC_COUNTER_GENERAL(n)	((__u32)(n))
#define PMC_COUNTER_FIXED(n)	(PMC_COUNTER_FIXED_FLAG | (__u32)(n))

/** PMC_COUNTER_SLOTS - fixed counter 3, which counts the slots that the metrics divide */
#define PMC_COUNTER_SLOTS	PMC_COUNTER_FIXED(3)

/**
 * PMC_COUNTER_METRICS - the performance metrics (top-down); needs PMC_FEATURE(METRICS)
 *
 * A register, MSR_PERF_METRICS (329H), and not a counter. RDPMC reads it, too (SDM Volume 2B,
 * RDPMC: type 2000H; Volume 3B, "Performance Metrics"). Each field has eight bits and is a
 * fraction, in 255ths, of the slots that PMC_COUNTER_SLOTS has counted:
 *  - Level 1, bits 31:0: retiring, bad speculation, frontend bound, backend bound.
 *  - Level 2, bits 63:32, where &struct pmc_counter.width is 64: heavy operations (part of
 *    retiring), branch mispredicts (of bad speculation), fetch latency (of frontend bound),
 *    memory bound (of backend bound).
 *
 * A context that has it must have PMC_COUNTER_SLOTS, with the same flags. The value contains
 * the fractions of what the context counted since both were 0: since they were configured,
 * reset or written. Fractions cannot be added, so the scope must be PMC_SCOPE_THREAD or
 * PMC_SCOPE_CPU.
 *
 * The value is that of the register while the context counts without interruption. A new
 * interval begins, with both registers at 0, when another context has counted on the CPU,
 * when a task of another process that may execute RDPMC has run on it, when a process is
 * allowed to execute RDPMC, when the thread has moved to another CPU, and before the slots
 * counter could wrap (at 2^47 slots, or a few more on a busy system). The value is then
 * computed for each field from all intervals: the sum of field * slots, divided by the sum of
 * slots, rounded down. From then until both are 0 again user mode cannot read the value, and
 * the page is as for a stopped context.
 */
#define PMC_COUNTER_METRICS	0x20000000U

/** PMC_METRICS_FIELDS_MAX - upper bound of the number of fields */
#define PMC_METRICS_FIELDS_MAX	8

/**
 * PMC_METRICS_FIELDS - the fields of PMC_COUNTER_METRICS
 *
 * PMC_METRICS_FIELDS(X) expands X(NAME, number, "name of the perf event", text) for each. A
 * field occupies bits 8 * number + 7 to 8 * number.
 */
#define PMC_METRICS_FIELDS(X) \
	X(RETIRING, 0, "topdown-retiring", "slots with an operation that retired") \
	X(BAD_SPECULATION, 1, "topdown-bad-spec", "slots wasted by wrong speculation") \
	X(FRONTEND_BOUND, 2, "topdown-fe-bound", "slots that the frontend left empty") \
	X(BACKEND_BOUND, 3, "topdown-be-bound", "slots that the backend could not accept") \
	X(HEAVY_OPERATIONS, 4, "topdown-heavy-ops", \
	  "part of retiring: instructions of several operations") \
	X(BRANCH_MISPREDICTS, 5, "topdown-br-mispredict", \
	  "part of bad speculation: mispredicted branches") \
	X(FETCH_LATENCY, 6, "topdown-fetch-lat", \
	  "part of frontend bound: nothing was fetched") \
	X(MEMORY_BOUND, 7, "topdown-mem-bound", \
	  "part of backend bound: outstanding loads and stores")

enum pmc_metrics_field {
#define X(id, number, name, text) PMC_METRICS_##id = (number),
	PMC_METRICS_FIELDS(X)
#undef X
};

/** PMC_METRICS_WHOLE - value of a field that contains all slots */
#define PMC_METRICS_WHOLE	255U

/** PMC_COUNTERS_MAX - maximum number of counters of one context */
#define PMC_COUNTERS_MAX	32

/** PMC_CPU_ANY - as a CPU number in a request: the CPU that the caller runs on */
#define PMC_CPU_ANY		(-1)

/**
 * struct pmc_query - PMC_IOC_QUERY: describe a CPU and the driver
 *
 * Follows the feature determination of SDM Volume 3B, "Event and Time-Stamp Monitoring
 * Software": vendor, family and model, the MSR and TSC flags, then leaf 0AH. Works on every
 * CPU, also where there are no counters, and in any state of the context.
 *
 * @size:	in: bytes of this structure that the caller knows
 * @cpu:	in: number of the CPU, or PMC_CPU_ANY; out: number of the CPU described
 * @flags:	in: must be 0
 * @abi_version: PMC_ABI_VERSION of the driver
 * @status:	&enum pmc_status
 * @family:	&enum pmc_family_id
 * @features:	mask of PMC_FEATURE()
 * @vendor:	CPUID vendor string, zero-terminated
 * @cpu_family:	display family (SDM Volume 2A, CPUID leaf 01H)
 * @cpu_model:	display model
 * @cpu_stepping: stepping
 * @perfmon_version: CPUID.0AH:EAX[7:0], 0 without that leaf
 * @general_counters: mask of the general counters that exist
 * @fixed_counters: mask of the fixed counters that exist
 * @general_width: bits of a general counter (32 for NetBurst's from 18 on)
 * @fixed_width: bits of a fixed counter
 * @events_unavailable: mask of the architectural events that this CPU does not have, in the
 *		bit order of CPUID.0AH:EBX
 * @events_described: number of valid bits in @events_unavailable
 * @event_select_mask: bits of an event select that a caller may set
 * @cpuid_0ah:	EAX, EBX, ECX and EDX of CPUID leaf 0AH, as read
 * @perf_capabilities: IA32_PERF_CAPABILITIES, 0 where it does not exist
 * @tsc_khz:	rate of the time-stamp counter in kHz, as the kernel measured it; 0 if unknown
 * @contexts:	number of contexts that are configured now, on all CPUs
 * @cpuid_23h:	EAX, EBX, ECX and EDX of CPUID leaf 23H, sub-leaf 0, as read; 0 without that
 *		leaf. The masks above include what its sub-leaves describe
 * @core_type:	on a processor with several core types (CPUID.07H:EDX[15]) CPUID.1AH:EAX of
 *		this CPU: core type in bits 31:24 (20H: Atom, 40H: Core), native model in 23:0;
 *		0 on others. Counters of different core types differ
 * @reserved:	0
 * @quirks:	mask of PMC_QUIRK(): the errata of this CPU that the driver handles (from ABI 6)
 *
 * An offline CPU is not an error: @status is PMC_STATUS_OFFLINE.
 *
 * Errors:
 *  EINVAL	malformed request, or no such CPU number
 *  E2BIG	the request uses a newer ABI
 *  EFAULT	bad address
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
	__aligned_u64 quirks;
};

/** PMC_CORE_TYPE_MODEL - bits of the native model in &struct pmc_query.core_type */
#define PMC_CORE_TYPE_MODEL	0x00ffffffU

/** PMC_COMM_LEN - bytes of a process name, including the final zero */
#define PMC_COMM_LEN		16

/**
 * struct pmc_holder - holder of a counter
 *
 * @kind:	&enum pmc_holder_type
 * @pid:	process that configured the context, in the caller's pid namespace; 0 if it is
 *		not in that namespace
 * @counter:	number of the counter
 * @cpu:	the CPU on which it is held, -1 for every CPU
 * @tid:	thread or process that the context counts, 0 if it counts CPUs
 * @scope:	&enum pmc_scope of the context, 0 if the holder is not a context
 * @comm:	name of the thread that configured the context, at that time; empty if @pid is 0
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
 * Works in any state of the context.
 *
 * @size:	in: bytes of this structure that the caller knows
 * @cpu:	in: number of the CPU, or PMC_CPU_ANY; out: number of the CPU described
 * @counter:	in: PMC_COUNTER_GENERAL(), PMC_COUNTER_FIXED() or PMC_COUNTER_METRICS
 * @flags:	in: must be 0
 * @width:	bits of the counter; 32 or 64 for the performance metrics (four fields, or eight)
 * @write_width: number of low bits that can be written; the hardware sign-extends the highest
 *		of them
 * @event_select_mask: bits that &struct pmc_counter_config.event_select may have here
 * @rdpmc:	value of ECX with which RDPMC reads this counter
 * @select_msr:	address of the event select register; IA32_FIXED_CTR_CTRL's for a fixed counter
 * @counter_msr: address of the counter register
 * @reserved:	0
 * @holder:	current holder; the first one found if there are several. For the performance
 *		metrics, the holder of PMC_COUNTER_SLOTS
 * @period_max:	longest sampling period, in events; 0 if the counter cannot interrupt
 *
 * Errors:
 *  EINVAL	malformed request, or no such CPU number
 *  E2BIG	the request uses a newer ABI
 *  EFAULT	bad address
 *  ENODEV	the CPU has no counters, or is offline
 *  ENXIO	the CPU has no such counter
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
 * @PMC_SCOPE_CPU:	one CPU, whatever runs on it; needs CAP_PERFMON
 * @PMC_SCOPE_ALL_CPUS:	system-wide: every CPU, including those that come online later; needs
 *			CAP_PERFMON
 * @PMC_SCOPE_THREAD:	one thread, on every CPU that it runs on
 * @PMC_SCOPE_PROCESS:	a process: all its threads, including those created later
 * @PMC_SCOPE_TREE:	as PMC_SCOPE_PROCESS, and all child processes that are created after
 *			PMC_IOC_CONFIGURE, with their threads and children
 *
 * The threads of a process include those that the kernel creates for it and that never enter
 * user mode: the workers of io_uring, and since Linux 6.4 those of vhost.
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
 * struct pmc_counter_config - one counter of a context and the event that it counts
 *
 * @counter:	PMC_COUNTER_GENERAL(), PMC_COUNTER_FIXED() or PMC_COUNTER_METRICS; each at most
 *		once in a context
 * @flags:	PMC_COUNT_USER, PMC_COUNT_KERNEL
 * @event_select: the event, in the layout of the family (below); a subset of
 *		&struct pmc_counter.event_select_mask
 * @event_extra: value of the extra register that the event needs (below), else 0
 * @initial:	value of the counter after configuration
 * @period:	0: no sampling. Otherwise the sampling period in events, at most
 *		&struct pmc_counter.period_max: the counter overflows each time it has counted
 *		that many. A context that follows threads counts the period for each thread,
 *		others for each CPU
 * @reserved:	must be 0
 *
 * The driver sets the enable, interrupt and privilege-level bits; @event_select does not
 * include them.
 *
 * Core (SDM Volume 3B, IA32_PERFEVTSELx): event 7:0, unit mask 15:8, edge 18, AnyThread 21
 * (needs CAP_PERFMON), invert 23, counter mask 31:24; where CPUID leaf 23H reports them, equal
 * 36 and unit mask 2 47:40. For a fixed counter only AnyThread. Events of offcore response have
 * their MSR_OFFCORE_RSP_0 or _1 in @event_extra, front-end events (Skylake and later) their
 * MSR_PEBS_FRONTEND, never 0. For processors that refuse them see EDOM of PMC_IOC_CONFIGURE.
 *
 * P6 (PerfEvtSelx): event 7:0, unit mask 15:8, edge 18, invert 23, counter mask 31:24.
 *
 * P5 (one half of CESR): event 5:0, clocks instead of occurrences 8, pin control 9.
 *
 * NetBurst: the CCCR in 31:0 (ESCR select 15:13, compare 18, complement 19, threshold 23:20,
 * edge 24, cascade 30) and the ESCR in 63:32 (tag enable 36, tag value 40:37, event mask
 * 56:41, event 62:57). For counters 18 to 23 the high half of their register.
 *
 * AMD (PerfEvtSeln, PERF_CTLn): event 7:0 and, from family 10h on, 35:32; unit mask 15:8, edge
 * 18, invert 23, counter mask 31:24; with SVM also guest only 40 and host only 41. Both of
 * these together count guests and host. While SVM is disabled (EFER.SVME), older processors
 * count nothing with either bit; newer ones are documented to ignore them.
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
#define PMC_SAMPLE_KERNEL_CALLCHAIN	(1U << 0) /* kernel call chain; needs CAP_PERFMON */
#define PMC_SAMPLE_USER_CALLCHAIN	(1U << 1) /* user call chain, by frame pointers */
#define PMC_SAMPLE_MMAPS		(1U << 2) /* mmap records of the sampled files */

/** PMC_FRAMES_MAX - maximum number of frames of one call chain (kernel or user) */
#define PMC_FRAMES_MAX		127

/** PMC_FRAMES_DEFAULT - maximum number of frames if &struct pmc_config.frames is 0 */
#define PMC_FRAMES_DEFAULT	64

/** PMC_RING_SIZE_MAX - maximum size of one CPU's ring, in bytes of records */
#define PMC_RING_SIZE_MAX	(1U << 24)

/** PMC_RING_SIZE_DEFAULT - bytes of records if &struct pmc_config.ring_size is 0 */
#define PMC_RING_SIZE_DEFAULT	(1U << 17)

/** PMC_THROTTLE_PERCENT_MAX - maximum of &struct pmc_config.throttle_percent, in per cent */
#define PMC_THROTTLE_PERCENT_MAX	50

/** PMC_ENTRY_NONE - &struct pmc_config.failed_entry: the error is not about one entry */
#define PMC_ENTRY_NONE		0xffffffffU

/**
 * struct pmc_config - PMC_IOC_CONFIGURE: claim counters and program their events
 *
 * Either claims all counters or, on an error, none; the out fields then describe the error.
 * On success the context is configured and stopped. Where CPUs differ, each entry must be
 * allowed on every CPU that the context may count.
 *
 * The driver does not check that an event exists: what a counter counts with an undefined event
 * is up to the hardware.
 *
 * @size:	in: bytes of this structure that the caller knows
 * @flags:	in: PMC_CONFIG_ON_EXEC (not with CPU scopes), PMC_CONFIG_USER_READ
 *		(PMC_SCOPE_THREAD and a thread of the caller's process; no period)
 * @scope:	in: &enum pmc_scope
 * @cpu:	in: CPU number for PMC_SCOPE_CPU, PMC_CPU_ANY otherwise
 * @tid:	in: thread for PMC_SCOPE_THREAD, process for PMC_SCOPE_PROCESS and
 *		PMC_SCOPE_TREE, where 0 is the caller's; 0 for CPU scopes
 * @nr_counters: in: number of entries in @counters, 1 to PMC_COUNTERS_MAX
 * @counters:	in: address of an array of &struct pmc_counter_config
 * @counter_size: in: bytes of one entry that the caller knows
 * @failed_entry: out, on error: index of the entry at fault, or PMC_ENTRY_NONE
 * @refused_bits: out, on EINVAL: bits of that entry's @event_select that are not allowed; if there
 *		are none, of its @event_extra
 * @holder:	out, on EBUSY: the holder of the counter
 * @sample_flags: in: PMC_SAMPLE_*; this and the next three must be 0 unless a counter has a
 *		period
 * @frames:	in: maximum number of frames of one call chain, 1 to PMC_FRAMES_MAX; 0:
 *		PMC_FRAMES_DEFAULT
 * @ring_size:	in: bytes of records in each CPU's ring: a power of two, from one page to
 *		PMC_RING_SIZE_MAX; 0: PMC_RING_SIZE_DEFAULT
 * @watermark:	in: bytes of records in a ring at which poll() and read() return, 1 to
 *		@ring_size; 0: half of @ring_size. They return for a full ring, too
 * @context:	out: number of the context; not used again while the module is loaded. See
 *		PMC_NETLINK_GET_CONTEXT
 * @core_type:	in: 0, or count only on CPUs of this core type. Compared with
 *		&struct pmc_query.core_type: whole, or only bits 31:24 if bits 23:0 are 0 here.
 *		On other CPUs the context neither counts nor claims counters; @time_counted of
 *		&struct pmc_read does not include time spent there
 * @failed_cpu:	out, on error: CPU that refused @failed_entry, -1 if no single CPU did
 * @throttle_percent: in: a counter that overflows is throttled once the overflows of its CPU, of
 *		all contexts, have taken more than this share of the CPU's time, in per cent, 1 to
 *		PMC_THROTTLE_PERCENT_MAX; 0: PMC_THROTTLE_PERCENT_MAX. The device's attribute
 *		throttle_percent can be lower, and then applies. Must be 0 unless a counter has a
 *		period (from ABI 7)
 * @reserved:	in: 0
 *
 * With PMC_COUNTER_METRICS: see there.
 *
 * Errors:
 *  EINVAL	malformed request; a period together with PMC_CONFIG_USER_READ;
 *		PMC_COUNTER_METRICS without PMC_COUNTER_SLOTS, with other flags than
 *		PMC_COUNTER_SLOTS, or with an @event_select or @initial of one of the two
 *		that is not 0
 *  E2BIG	the request uses a newer ABI
 *  EFAULT	bad address
 *  ENODEV	no counters; no CPU of that core type; a hypervisor that discards writes to the
 *		counters, or that value of @event_extra; the system is shutting down
 *  ENXIO	no such counter
 *  EOPNOTSUPP	a kernel thread; a period on a counter without an overflow interrupt; a period
 *		together with PMC_COUNTER_METRICS; PMC_COUNTER_METRICS in a scope other than
 *		PMC_SCOPE_THREAD and PMC_SCOPE_CPU; one privilege level only, on a counter that
 *		does not distinguish them
 *  ERANGE	the period is too long
 *  EDOM	the counter cannot count the event. AMD: no counter can, for events of the north
 *		bridge (before family 17h, those with bits 7:5 of the event set) and for events
 *		that take a pair of counters (from family 17h on, 003H and 0FFFH). Core: an event
 *		of offcore response or the front end without @event_extra, or on a CPU that lacks
 *		the register, or (Nehalem, Westmere) shares it with a sibling thread that is
 *		online; no counter can count load latency, offcore and snoop response of Atom,
 *		offcore response and front-end events of Diamond Rapids and Nova Lake;
 *		PMC_QUIRK(HT_LEAK) and PMC_QUIRK(USER_4_7) refuse others
 *  EXDEV	PMC_CONFIG_USER_READ with a counter that CPUs of another core type lack: RDPMC
 *		would fault after a migration
 *  EBUSY	a counter is held: see @holder
 *  EACCES	CAP_PERFMON is needed; for any count where kernel.perf_event_paranoid is above 2
 *  EPERM	the kernel is locked down
 *  ENOSPC	more than PMC_COUNTERS_MAX counters. Core: two counters need the same extra
 *		register with different values of @event_extra. NetBurst: two counters need one
 *		event selection control register for different events; a cascaded counter
 *		together with kernel mode; an L3 counter together with a period
 *  ESRCH	no such thread or process
 *  EBADFD	the context is configured already
 *  ENOBUFS	the rings of the user, with buffers of perf and io_uring, would take more than the
 *		module parameter ring_kb for each possible CPU and the caller's RLIMIT_MEMLOCK.
 *		CAP_IPC_LOCK lifts the limit
 *  ENOMEM	out of memory; the rings would take more than a quarter of it. On a 32-bit kernel
 *		also: all rings together would take more than a quarter of the vmalloc address
 *		space
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
	__u32 throttle_percent;
	__u32 reserved;
};

/**
 * DOC: flags of &struct pmc_read
 *
 * PMC_READ_ONE_CPU: with PMC_SCOPE_ALL_CPUS, only what @cpu has counted since the last write
 * or reset
 */
#define PMC_READ_ONE_CPU	(1U << 0)

/**
 * DOC: states of &struct pmc_read
 *
 * PMC_STATE_RUNNING: started and not stopped
 *
 * PMC_STATE_ARMED: started with PMC_CONFIG_ON_EXEC; waits for the exec
 *
 * PMC_STATE_ENDED: every thread has ended, or has executed a program that the owner of the
 * context may not count
 *
 * PMC_STATE_OFFLINE: the requested CPU is offline; the values are those at that time
 *
 * PMC_STATE_INCOMPLETE: the values undercount: a new thread or process could not be followed
 * because memory was short. With PREEMPT_RT also if one system call creates several io_uring
 * workers
 *
 * PMC_STATE_UNCOUNTED: the values undercount: the target ran on a CPU that could not count it.
 * Either the CPU came online after PMC_IOC_CONFIGURE, or is isolated and was in no thread's
 * affinity then, and it lacks these counters or another holder uses them. Or a task may execute
 * RDPMC on such an isolated CPU, or perf's file rdpmc was written. Or, on any CPU, that file was
 * changed from 0 while a context counted a thread that may execute RDPMC, or while a context of
 * CPUs was started. A CPU that &struct pmc_config.core_type excludes does not set this
 *
 * PMC_STATE_REWRITTEN: the values are wrong: other software (a hypervisor, another module, KVM
 * with a mediated PMU) wrote a register of these counters while the context counted. What was
 * counted after the last check that found the register unchanged is discarded. The context counts
 * no further; its other CPUs or threads stop counting at their next check. On that CPU no context
 * gets these counters until all contexts are released. Discard the values, stop the other software,
 * release all contexts and measure again. It is also set if the context counts CPUs and perf's file
 * rdpmc is changed from 0 meanwhile, because perf then zeroes counters. In that case the counters
 * are free as soon as this context is released. On AMD, and on Intel's processors from version 2
 * of the counters on, in a virtual machine or on a kernel with CONFIG_PERF_GUEST_MEDIATED_PMU, the
 * driver checks at each stop and at each PMC_IOC_READ. In all other cases, and on Nehalem and
 * Westmere with RDPMC, only a timer checks
 *
 * PMC_STATE_STORM: overflow interrupts that found no overflow took half of a CPU's time.
 * That CPU gets no overflow interrupts until all contexts are released; the values are right, and
 * samples are marked PMC_SAMPLE_LATE
 */
#define PMC_STATE_RUNNING	(1U << 0)
#define PMC_STATE_ARMED		(1U << 1)
#define PMC_STATE_ENDED		(1U << 2)
#define PMC_STATE_OFFLINE	(1U << 3)
#define PMC_STATE_INCOMPLETE	(1U << 4)
#define PMC_STATE_UNCOUNTED	(1U << 5)
#define PMC_STATE_REWRITTEN	(1U << 6)
#define PMC_STATE_STORM		(1U << 7)

/**
 * struct pmc_read - PMC_IOC_READ: read one coherent snapshot of a context
 *
 * All counters of one CPU are read at one moment: no event is counted between the first and
 * the last of them. Values are never scaled or estimated. The counters keep counting.
 *
 * @size:	in: bytes of the buffer including the values, at least
 *		PMC_READ_SIZE(number of counters)
 * @flags:	in: 0 or PMC_READ_ONE_CPU
 * @cpu:	in: the CPU for PMC_READ_ONE_CPU, PMC_CPU_ANY otherwise; out: CPU of the
 *		snapshot, -1 for a sum over CPUs or a thread that is not running
 * @nr_counters: in: 0; out: number of values
 * @state:	out: mask of PMC_STATE_*
 * @reserved:	out: 0
 * @tsc:	out: time-stamp counter at the snapshot
 * @time_enabled: out: ticks between start and stop, or until now. Does not include a suspend
 *		that resets the time-stamp counter
 * @time_counted: out: ticks during which the counters ran: the sum over all CPUs; for a thread,
 *		the ticks that it was running
 * @overflows:	out: overflows of counters with a period since the last reset
 * @reserved2:	out: 0
 * @value:	out: 64-bit counts, in the order of configuration
 *
 * Errors:
 *  EINVAL	malformed request
 *  EFAULT	bad address
 *  ENOSPC	the buffer is too small
 *  EBADFD	the context is not configured
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
 * struct pmc_page_counter - how to read one counter in user mode
 *
 * @rdpmc:	value of ECX for RDPMC
 * @width:	bits that RDPMC returns
 * @offset:	to add to what RDPMC returns, modulo 2^64
 */
struct pmc_page_counter {
	__u32 rdpmc;
	__u32 width;
	__aligned_u64 offset;
};

/** PMC_PAGE_UNAVAILABLE - in &struct pmc_page.sequence: use PMC_IOC_READ instead */
#define PMC_PAGE_UNAVAILABLE	1U

/**
 * struct pmc_page - mapped page of a context, for self-monitoring without system calls
 *
 * For a context that is configured with PMC_CONFIG_USER_READ: mmap() of its file with offset
 * 0, one page, PROT_READ and MAP_SHARED. Only the counted thread may use the page: RDPMC in
 * another thread would read the counters of that thread's CPU. To read a counter:
 *
 *   do {
 *           sequence = page->sequence;
 *           if (sequence & PMC_PAGE_UNAVAILABLE)
 *                   use PMC_IOC_READ;
 *           value = page->counter[i].offset + RDPMC(page->counter[i].rdpmc);
 *   } while (page->sequence != sequence);
 *
 * The value is the whole 64-bit count: the driver keeps the hardware counter from wrapping
 * within a sequence. The page changes only while its thread is not in user mode, and each
 * change changes the sequence. Counters that are read under one sequence are coherent: only
 * the thread's own instructions are counted between them. After a fork the child's mapping
 * shows PMC_PAGE_UNAVAILABLE from then on.
 *
 * RDPMC faults if user access is revoked between the load of @sequence and RDPMC: by writing 0
 * to the driver's pce attribute or to perf's rdpmc attribute.
 *
 * @size:	bytes of this structure that the driver knows
 * @sequence:	PMC_PAGE_UNAVAILABLE, and a number that changes with the page
 * @nr_counters: number of entries in @counter
 * @reserved:	0
 * @since:	time-stamp counter when the driver updated the times
 * @time_enabled: as in &struct pmc_read, at @since
 * @time_counted: as in &struct pmc_read, at @since. While the page is available both advance
 *		with the time-stamp counter
 * @reserved2:	0
 * @counter:	the counters, in the order of configuration
 *
 * Errors of mmap():
 *  EINVAL	size, offset, flags, or not configured with PMC_CONFIG_USER_READ
 *  EACCES	PROT_WRITE
 *  ENOMEM	out of memory
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
 * struct pmc_statistics - PMC_IOC_STATISTICS: what happened to a context's overflows
 *
 * Counts since the context was configured; a reset does not change them. Each overflow is in
 * exactly one of @sampled, @lost and @throttled.
 *
 * @size:	in: bytes of this structure that the caller knows
 * @flags:	in: must be 0
 * @records:	out: sample records written
 * @sampled:	out: overflows that these records represent
 * @lost:	out: overflows without a record, because it did not fit into the ring
 * @throttled:	out: overflows not sampled because they came too often
 * @mmaps_lost:	out: PMC_RECORD_MMAP records that did not fit into the ring, or for which there was
 *		no free request or no memory, or that were requested too late: after a switch or
 *		an exec
 * @spurious:	out: PMIs of all CPUs, since the module was loaded, without an overflow
 * @wakeups:	out: times that a ring reached its watermark, or became full below it
 * @storms:	out: times that PMC_STATE_STORM began on any CPU, since the module was loaded (from
 *		ABI 6)
 *
 * Errors:
 *  EINVAL	malformed request
 *  E2BIG	the request uses a newer ABI
 *  EFAULT	bad address
 *  EBADFD	the context is not configured, or has no period
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
	__aligned_u64 storms;
};

/**
 * PMC_RING_OFFSET - mmap() offset of a CPU's sample ring, in bytes
 * @cpu:	number of the CPU
 * @ring_size:	&struct pmc_config.ring_size
 * @page_size:	bytes of a page of memory
 *
 * A context with a period has one ring for each CPU that it may count on. The mapping consists
 * of one page with a &struct pmc_ring and @ring_size bytes of records. It must be MAP_SHARED,
 * readable and writable, and complete. A child inherits it only after MADV_DOFORK.
 *
 * Errors of mmap():
 *  EINVAL	offset, size, flags; a context without a period; a CPU that it does not count on
 *  EACCES	not both readable and writable
 *  ENOMEM	out of memory
 */
#define PMC_RING_OFFSET(cpu, ring_size, page_size) \
	((__u64)(page_size) + (__u64)(cpu) * ((__u64)(page_size) + (ring_size)))

/**
 * struct pmc_ring - first page of a mapped sample ring
 *
 * The driver writes records, then @head. The reader reads @head, then the records between
 * @tail and @head, then writes @tail:
 *
 *   head = load-acquire(ring->head);
 *   for (tail = ring->tail; tail != head; tail += record->size)
 *           record = (char *)ring + ring->data_offset + tail % ring->data_size;
 *   store-release(ring->tail, tail);
 *
 * Records do not wrap around the end of the ring: PMC_RECORD_PAD fills the remaining bytes.
 * The driver does not trust what programs write into the mapping: with an invalid @tail the
 * ring is treated as full.
 *
 * @size:	bytes of this structure that the driver knows
 * @cpu:	the CPU of this ring
 * @data_offset: offset of the records from the start of this structure
 * @data_size:	bytes of records, a power of two
 * @lost:	overflows dropped on this CPU. A 32-bit program reads the two halves separately;
 *		PMC_IOC_STATISTICS returns the sum over all CPUs atomically
 * @reserved:	0
 * @head:	bytes of records ever written, modulo 2^32; written only by the driver
 * @reserved2:	0
 * @tail:	bytes of records ever read, modulo 2^32; written only by the reader
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
 * struct pmc_record - header of every record
 * @type:	&enum pmc_record_type; a reader skips unknown types
 * @size:	bytes of the whole record, a multiple of 8
 */
struct pmc_record {
	__u32 type;
	__u32 size;
};

/*
 * &struct pmc_sample.flags
 *
 * PMC_SAMPLE_SKID: the PMI interrupted a mode that the counter does not count. If that mode is
 * the kernel, the sample contains the registers with which user mode was left. On NetBurst
 * also: the PMI came one event late. With PMC_QUIRK(PERIOD_32) or PMC_QUIRK(PERIOD_128) also:
 * the counter was loaded with more than the remaining period, and the PMI came after it. On Zen 1
 * (AMD erratum 1023) also: the counter has counted on since the end of the period.
 *
 * PMC_SAMPLE_LATE: the counter was stopped or read before a PMI arrived.
 *
 * PMC_SAMPLE_GUEST: the PMI arrived while the thread executed a KVM guest, or while KVM entered or
 * left it. Nothing is known about the guest: ip, rflags, cs and privilege are 0, and there are no
 * frames.
 */
#define PMC_SAMPLE_SKID		(1U << 0)
#define PMC_SAMPLE_LATE		(1U << 1)
#define PMC_SAMPLE_GUEST	(1U << 2)

/**
 * struct pmc_sample - PMC_RECORD_SAMPLE: a counter overflowed
 *
 * Contains the state that the overflow interrupt (PMI) interrupted (SDM Volume 3B, "Generating
 * an Interrupt on Overflow" for the P6: instruction pointer, code segment, task-register
 * selector, flags). Counters that overflow at the same moment have one record each.
 *
 * @record:	header
 * @flags:	PMC_SAMPLE_SKID, PMC_SAMPLE_LATE, PMC_SAMPLE_GUEST
 * @counter:	index of the overflowed counter, in the order of configuration
 * @ip:		instruction pointer; 0 if unknown: the interrupt came too late to find where
 *		user mode was left, or the thread has executed another program since, or
 *		PMC_SAMPLE_GUEST
 * @rflags:	flags register
 * @tsc:	time-stamp counter
 * @overflows:	overflows of the counter that this record represents: more than one if the
 *		period is shorter than the handling of an interrupt, on NetBurst shorter than
 *		the two events that an interrupt takes, or with PMC_QUIRK(PERIOD_32) or
 *		PMC_QUIRK(PERIOD_128) shorter than these
 * @cs:		code segment selector. Its low two bits are the privilege level, except in
 *		virtual-8086 mode (bit 17 of @rflags), where @ip is relative to @cs * 16
 * @task_register: task-register selector
 * @privilege:	privilege level, 0 or 3
 * @nr_counters: number of values
 * @nr_kernel_frames: number of frames in the kernel call chain, innermost first
 * @nr_user_frames: number of frames in the user call chain, innermost first; in virtual-8086
 *		mode only @ip
 * @reserved:	0
 * @cpu:	number of the CPU
 * @pid:	process, in the pid namespace of the process that configured the context; 0 if
 *		it is not in that namespace
 * @tid:	thread, likewise
 * @comm:	name of the thread; empty if it has executed another program since it left user
 *		mode there
 * @data:	@nr_counters values of the context's counters (of this thread or CPU alone,
 *		since they were last written or reset), then the frames: instruction pointers
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
 * struct pmc_lost - PMC_RECORD_LOST: records were dropped here
 *
 * Written before the next record that fits, and when the context stops or starts.
 * &struct pmc_ring.lost has the sum at any time.
 *
 * @record:	header
 * @overflows:	number of overflows without a record
 */
struct pmc_lost {
	struct pmc_record record;
	__aligned_u64 overflows;
};

/**
 * struct pmc_throttle - PMC_RECORD_THROTTLE, PMC_RECORD_UNTHROTTLE
 *
 * A throttled counter keeps counting; its overflows are not sampled until the CPU has had time
 * for other work.
 *
 * @record:	header
 * @counter:	index of the counter, in the order of configuration
 * @cpu:	number of the CPU
 * @tsc:	time-stamp counter
 * @overflows:	UNTHROTTLE: overflows that were not sampled since the THROTTLE
 */
struct pmc_throttle {
	struct pmc_record record;
	__u32 counter;
	__u32 cpu;
	__aligned_u64 tsc;
	__aligned_u64 overflows;
};

/**
 * struct pmc_mmap - PMC_RECORD_MMAP: a mapping that a sample lies in
 *
 * With PMC_SAMPLE_MMAPS the driver writes one mmap record after the first user-mode sample of each
 * thread in each mapped range (in a CPU scope: of each process), before that thread executes its
 * next instruction in user mode. The ranges of the callers in the sample's call chain also get a
 * record. An mmap record may be in the ring of another CPU than its sample. If a mapping is
 * replaced during sampling, a new record may not be written.
 *
 * @record:	header
 * @pid:	process, as in &struct pmc_sample
 * @tid:	thread, likewise
 * @start:	first address of the range
 * @end:	first address after the range
 * @offset:	offset of @start in the file, in bytes
 * @inode:	inode number of the file
 * @device_major: major number of the file's device
 * @device_minor: minor number
 * @tsc:	time-stamp counter when the mapping was looked up
 * @path:	path of the file as the process sees it, padded with zeros and zero-terminated;
 *		in brackets if the range is not of a file
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
 * Every 64-bit value is allowed, because the driver extends the hardware's width. A running
 * counter continues from the new value. With PMC_SCOPE_ALL_CPUS the value is the new sum.
 * PMC_COUNTER_METRICS and its PMC_COUNTER_SLOTS can only be set to 0.
 *
 * @size:	in: bytes of this structure that the caller knows
 * @flags:	in: must be 0
 * @nr_counters: in: number of the context's counters
 * @reserved:	in: must be 0
 * @values:	in: address of @nr_counters 64-bit values
 *
 * Errors:
 *  EINVAL	malformed request; a value other than 0 for the performance metrics
 *  E2BIG	the request uses a newer ABI
 *  EFAULT	bad address
 *  EBADFD	the context is not configured
 */
struct pmc_write {
	__u32 size;
	__u32 flags;
	__u32 nr_counters;
	__u32 reserved;
	__aligned_u64 values;
};

/**
 * struct pmc_tsc - PMC_IOC_TSC: read the time-stamp counter in kernel mode
 *
 * Works in any state of the context.
 *
 * @size:	in: bytes of this structure that the caller knows
 * @flags:	in: must be 0
 * @cpu:	out: the CPU of the time-stamp counter
 * @reserved:	out: 0
 * @tsc:	out: time-stamp counter, read after all earlier instructions
 *
 * Errors:
 *  EINVAL	malformed request
 *  E2BIG	the request uses a newer ABI
 *  EFAULT	bad address
 *  EOPNOTSUPP	the CPU has no time-stamp counter
 */
struct pmc_tsc {
	__u32 size;
	__u32 flags;
	__s32 cpu;
	__u32 reserved;
	__aligned_u64 tsc;
};

/*
 * The ioctls. Their numbers do not include the size of the structure, so that they stay the
 * same when the structure grows; @size has it.
 */
#define PMC_IOC_MAGIC		0xDC

#define PMC_IOC_QUERY		_IO(PMC_IOC_MAGIC, 0x00) /* struct pmc_query */
#define PMC_IOC_COUNTER		_IO(PMC_IOC_MAGIC, 0x01) /* struct pmc_counter */
#define PMC_IOC_TSC		_IO(PMC_IOC_MAGIC, 0x02) /* struct pmc_tsc */
#define PMC_IOC_CONFIGURE	_IO(PMC_IOC_MAGIC, 0x10) /* struct pmc_config */

/*
 * PMC_IOC_START - start all counters of the context (argument 0)
 * With PMC_CONFIG_ON_EXEC it arms the context, which counts from the next exec on. It has no
 * effect on a started context.
 * Errors:
 *  EINVAL	the argument is not 0
 *  EBADFD	the context is not configured
 *  ENODEV	the CPU is offline
 *  ESRCH	the thread has ended
 */
#define PMC_IOC_START		_IO(PMC_IOC_MAGIC, 0x11)

/*
 * PMC_IOC_STOP - stop all counters of the context (argument 0); the values stay
 * It has no effect on a stopped context.
 * Errors:
 *  EINVAL	the argument is not 0
 *  EBADFD	the context is not configured
 */
#define PMC_IOC_STOP		_IO(PMC_IOC_MAGIC, 0x12)
#define PMC_IOC_READ		_IO(PMC_IOC_MAGIC, 0x13) /* struct pmc_read */
#define PMC_IOC_WRITE		_IO(PMC_IOC_MAGIC, 0x14) /* struct pmc_write */

/*
 * PMC_IOC_RESET - set all values, times and overflow counts to 0 (argument 0)
 * Errors:
 *  EINVAL	the argument is not 0
 *  EBADFD	the context is not configured
 */
#define PMC_IOC_RESET		_IO(PMC_IOC_MAGIC, 0x15)

/*
 * PMC_IOC_RELEASE - stop, and give all counters back (argument 0)
 * Errors:
 *  EINVAL	the argument is not 0
 *  EBADFD	the context is not configured
 */
#define PMC_IOC_RELEASE		_IO(PMC_IOC_MAGIC, 0x16)
#define PMC_IOC_STATISTICS	_IO(PMC_IOC_MAGIC, 0x17) /* struct pmc_statistics */

/**
 * DOC: read() and poll() of a context with a period
 *
 * read() returns whole records, ring by ring in the order of the CPUs. It waits until a ring has
 * reached its watermark or is full, or until counting has stopped. It returns 0 when all records
 * have been read and the context is stopped or has no target left.
 *
 * Errors:
 *  EAGAIN	O_NONBLOCK, and no records
 *  EINTR	a signal arrived while it waited
 *  EINVAL	the buffer is smaller than the next record
 *  EFAULT	bad address
 *  EIO		a program has overwritten the ring
 *  EBADFD	not a context with a period
 *
 * poll() returns POLLIN and POLLRDNORM when a ring has reached its watermark or is full, and for
 * any record when the context is stopped; POLLHUP when no target is left; POLLERR if the file has
 * no context with a period.
 */

#endif /* _UAPI_PMCDRV_H */
