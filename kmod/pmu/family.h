/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of a family: the operations on one type of counters, a CPU's counters (struct
 * pmc_description), and a context's counters as a family has compiled them (struct pmc_program)
 *
 * To add a processor family, add a file in families/ and a line in families/list.h. Only a
 * family's own files know its registers.
 */
#ifndef PMC_FAMILY_H
#define PMC_FAMILY_H

#include <linux/types.h>

#include "uapi/pmcdrv.h"

struct pmc_pmu;
struct pmc_sample_config;

/* Enough for every processor; CPUID.0AH:EAX[15:8] and ECX could describe more. */
#define PMC_GENERAL_MAX		32
#define PMC_FIXED_MAX		16

/* Extra registers of family core's events: see core_extra.c */
#define PMC_EXTRA_MAX		3

/**
 * struct pmc_description - the counters of one CPU
 * @family:	operations of its counters, NULL where there are none
 * @unreserved:	the kernel's perf may address the counters by registers that the kernel's
 *		reservations don't know
 * @pmu_type:	number of its PMU type, see pmu_type.c
 * @narrowest:	bits of the narrowest general counter, 0 if all have
 *		&struct pmc_query.general_width
 * @hidden:	family core: general counters that exist, but are not offered
 * @config_b:	family core: counters with a register that reloads them on overflows of other
 *		counters, bits as in IA32_PERF_GLOBAL_CTRL
 * @config_c:	family core: counters with a register for PEBS records, likewise
 * @extra:	family core: mask of the extra registers of events that the CPU has
 * @query:	the answer to user space; @query.size, @query.flags and @query.contexts are filled
 *		in by the query itself
 */
struct pmc_description {
	const struct pmc_family *family;
	bool unreserved;
	u32 pmu_type;
	u32 narrowest;
	u64 hidden;
	u64 config_b;
	u64 config_c;
	u64 extra;
	struct pmc_query query;
};

/* &struct pmc_program.number once other software has written the registers of the context */
#define PMC_PROGRAM_ENDED	U64_MAX

/**
 * struct pmc_program - a context's counters, compiled by a family
 * @family:	its operations
 * @number:	the same in all programs of a context, never used for another context; not 0.
 *		PMC_PROGRAM_ENDED: it counts no further on any CPU
 * @pmu_type:	the PMU type it is for
 * @pmu_types:	mask of the PMU types for which the context has a program
 * @next:	the same context's program for another PMU type, in a ring
 * @general:	mask of the general counters used
 * @fixed:	mask of the fixed counters used
 * @sampling:	how it is sampled, NULL if no counter has a period
 * @only:	index of the only counter with a period, if pmi.c can sample it on its shortest
 *		path; otherwise -1; see pmc_program_find_only(). Valid with @sampling
 * @shared:	mask of extra registers used that other counters can use too, by the family's
 *		own numbers
 * @extra:	family core: values of the extra registers, for the bits set in @shared
 * @interrupts:	bits of the counters with a period, in the family's status register
 * @stop_to_read: its counters may count while the kernel reads them one after the other:
 *		kernel mode or the sibling thread is counted
 * @leaks:	an event is also counted in the counters of sibling threads: no counter is used
 *		on these
 * @plain:	a read of its counters is RDPMC and nothing else
 * @metrics:	PMC_COUNTER_METRICS is among its counters: see perf_metrics.c
 * @metrics_at:	if so, the index of that entry
 * @slots_at:	and the index of PMC_COUNTER_SLOTS
 * @enable:	bits that start all of them, in the family's global control
 * @fixed_ctrl:	value of the control of the fixed counters, for those used
 * @fixed_ctrl_mask: bits of that register that belong to those used
 * @nr:		entries of @setup
 * @setup:	the counters, one entry each.
 *		@setup.rdpmc: operand of RDPMC;
 *		@setup.index: number among the counters of its type;
 *		@setup.number: index of this entry;
 *		@setup.extra: a register of the family's own;
 *		@setup.mask: mask of the counter's width;
 *		@setup.select: event select of a general counter;
 *		@setup.write_msr: register to load it by; 0: only the family's write
 *		operation can;
 *		@setup.write_mask: bits of a value that are written there;
 *		@setup.counter_msr: families core and AMD: address of the counter;
 *		@setup.period: sampling period, 0 for none;
 *		@setup.least: it is not loaded closer to its overflow;
 *		@setup.user: counts user mode;
 *		@setup.kernel: counts kernel mode;
 *		@setup.delayed: its PMI can come after the end of the period;
 *		@setup.lead: for that reason it is loaded to overflow one event early
 *
 * The family's compile operation adds the entries. Constant once the context is configured, but for
 * @number.
 */
struct pmc_program {
	const struct pmc_family *family;
	u64 number;
	u32 pmu_type;
	u32 pmu_types;
	struct pmc_program *next;
	u64 general;
	u64 fixed;
	const struct pmc_sample_config *sampling;
	s32 only;
	u64 shared;
	u64 extra[PMC_EXTRA_MAX];
	u64 interrupts;
	bool stop_to_read;
	bool leaks;
	bool plain;
	bool metrics;
	u8 metrics_at;
	u8 slots_at;
	u64 enable;
	u64 fixed_ctrl;
	u64 fixed_ctrl_mask;
	u32 nr;
	/**
	 * struct pmc_counter_setup - one counter of a program
	 * @rdpmc:	operand of RDPMC
	 * @index:	number among the general or among the fixed counters
	 * @number:	index in &pmc_program.setup and in the configuration
	 * @extra:	address of another register: the event select, or the ESCR (NetBurst)
	 * @mask:	mask of the counter's width
	 * @select:	event select of a general counter, 0 for a fixed counter
	 * @write_msr:	address for loading the counter; 0: only &pmc_family.write can
	 * @write_mask:	bits that may be written to @write_msr
	 * @counter_msr: families core and AMD: address of the counter, never 0
	 * @period:	sampling period in events, 0 if the counter is not sampled
	 * @least:	the counter is not loaded closer than this to its overflow, in events; 0:
	 *		no limit. Else @delayed is true
	 * @user:	counts user mode
	 * @kernel:	counts kernel mode
	 * @delayed:	the PMI can be raised by an event after the end of the period, or be that of
	 *		another counter
	 * @lead:	with @delayed: program the overflow one event before the end of the
	 *		period, so that the PMI is raised at its end
	 */
	struct pmc_counter_setup {
		u32 rdpmc;
		u32 index;
		u32 number;
		u32 extra;
		u64 mask;
		u64 select;
		u32 write_msr;
		u32 counter_msr;
		u64 write_mask;
		u64 period;
		bool user;
		bool kernel;
		bool delayed;
		bool lead;
		u8 least;
	} setup[];
};

/**
 * struct pmc_family - operations on one type of counters
 * @name:	for messages
 * @unmasked:	the local APIC is expected not to mask LVTPC when it delivers a PMI; see
 *		pmc_nmi_learn()
 * @recognise:	on this CPU, fill in the description and return true if its counters are of this
 *		family; otherwise set a status and return false. May set
 *		&struct pmc_description.family to other operations, which work around quirks
 * @describe_counter: fill in width, masks and addresses of @counter; -ENXIO if there is none
 * @check:	is @config allowed? -ENXIO, -EINVAL (with the refused bits), -EDOM, -EOPNOTSUPP,
 *		-ERANGE, 0
 * @sibling:	does @config count events of the sibling thread? Of a checked config
 * @compile:	add one entry to a program from a checked config; 0, or -ENOSPC if it does not
 *		fit together with those before. May set &struct pmc_program.family to other
 *		operations
 * @try:	do the extra registers of a program keep its values? On each CPU that may count
 *		it, before it is loaded. NULL if they always do
 * @reserve:	take the kernel's reservations of all general counters of @mask, all or none;
 *		-EBUSY
 * @unreserve:	release them
 * @reserved_as: for a @msr that is an event select unknown to the kernel's reservations, the
 *		event select of a counter of @mask that they know; otherwise 0. In any context;
 *		NULL where they know all
 * @spare_select: an event select that the kernel's reservations know and no processor has; NULL
 *		where perf has no counters
 * @save:	save every register that will be written, stop counters that are not in use; sets
 *		&struct pmc_pmu.found_running
 * @restore:	restore every register that was written
 * @load:	write the event selects of a program; its counters are stopped
 * @enable:	start the counters of a program; only called where @save has set no
 *		&struct pmc_pmu.control_msr
 * @disable:	stop them, likewise
 * @read_one:	read the raw value of one counter; NULL where RDPMC with the entry's operand
 *		does
 * @rdpmc_on_cpu: operand of RDPMC for a counter on this CPU; NULL where it is the entry's on
 *		all CPUs
 * @verify:	do the registers of a running program have the values that were written? NULL: not
 *		known
 * @verify_reads: that can change at any time: each READ verifies them
 * @write:	load a counter with 0 or with the negative of a period
 * @clear: set stopped counters to 0, with what user mode can read beside them; bits of the mask as
 *		&struct pmc_pmu.found_running. True if one was not 0. NULL without RDPMC
 * @acknowledge: acknowledge an overflow of one counter, where there is no status register
 *		(&struct pmc_pmu.status_msr); may be NULL
 * @pause:	stop the counters of a program in NMI context; the copies of the registers stay
 *		as the interrupted code has them
 * @resume:	undo @pause
 *
 * @recognise runs at load and when a CPU comes online. From @save on, everything runs on the
 * CPU concerned, with interrupts off or in NMI context.
 */
struct pmc_family {
	const char *name;
	bool unmasked;
	bool (*recognise)(struct pmc_description *description);
	int (*describe_counter)(const struct pmc_query *query, u32 counter,
				struct pmc_counter *answer);
	int (*check)(const struct pmc_query *query,
		     const struct pmc_counter_config *config, u64 *refused);
	bool (*sibling)(const struct pmc_query *query, const struct pmc_counter_config *config);
	int (*compile)(const struct pmc_query *query,
		       const struct pmc_counter_config *config,
		       struct pmc_program *program);
	bool (*try)(const struct pmc_pmu *pmu, const struct pmc_program *program);
	int (*reserve)(u64 mask);
	void (*unreserve)(u64 mask);
	u32 (*reserved_as)(u32 msr, u64 mask);
	u32 (*spare_select)(void);
	void (*save)(struct pmc_pmu *pmu);
	void (*restore)(struct pmc_pmu *pmu);
	void (*load)(struct pmc_pmu *pmu, const struct pmc_program *program);
	void (*enable)(struct pmc_pmu *pmu, const struct pmc_program *program);
	void (*disable)(struct pmc_pmu *pmu, const struct pmc_program *program);
	u64 (*read_one)(const struct pmc_counter_setup *entry);
	u32 (*rdpmc_on_cpu)(const struct pmc_counter_setup *entry);
	bool (*verify)(const struct pmc_pmu *pmu, const struct pmc_program *program);
	bool verify_reads;
	void (*write)(struct pmc_pmu *pmu, const struct pmc_counter_setup *entry, u64 raw);
	bool (*clear)(struct pmc_pmu *pmu, u64 counters);
	void (*acknowledge)(struct pmc_pmu *pmu, const struct pmc_counter_setup *entry);
	void (*pause)(struct pmc_pmu *pmu, const struct pmc_program *program);
	void (*resume)(struct pmc_pmu *pmu, const struct pmc_program *program);
};

#endif /* PMC_FAMILY_H */
