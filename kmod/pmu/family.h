/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A family: one pmu_type of counter hardware as a small class of operations
 *
 * Adding a processor family is adding one file below families/ and one line in
 * families/families.c. Nothing outside a family's file knows its registers.
 */
#ifndef PMC_FAMILY_H
#define PMC_FAMILY_H

#include <linux/types.h>

#include "uapi/pmcdrv.h"

struct pmc_pmu;
struct pmc_sample_config;

/* Room for what CPUID.0AH can describe: EAX[15:8] and ECX are wider on paper. */
#define PMC_GENERAL_MAX		32
#define PMC_FIXED_MAX		16

/**
 * struct pmc_description - the counters of one CPU
 * @family:	operations of its pmu_type of counters, NULL where there are none
 * @query:	what user space is told; @size, @cpu, @flags and @contexts are
 *		filled in by the query itself
 * @unreserved:	the kernel's perf may call the counters by addresses that the kernel's
 *		reservations don't know
 * @pmu_type:	number of its pmu_type of CPU, see pmu_type.c
 * @config_b:	family core: counters with a register that has them reloaded by others'
 *		overflows, as in IA32_PERF_GLOBAL_CTRL
 * @config_c:	likewise, with one that has them write PEBS records
 * @narrowest:	bits of the narrowest general counter, 0 if all have
 *		&struct pmc_query.general_width
 */
struct pmc_description {
	const struct pmc_family *family;
	bool unreserved;
	u32 pmu_type;
	u32 narrowest;
	u64 config_b;
	u64 config_c;
	struct pmc_query query;
};

/**
 * struct pmc_program - a context's counters, compiled for one CPU type
 * @family:	family of the CPU type
 * @number:	identifies the context's programs: never 0, never reused
 * @pmu_type:	number of the CPU type, see pmu_type.c
 * @pmu_types:	mask of the CPU types for which the context has a program
 * @next:	the context's program for another CPU type; a ring
 * @general:	mask of the general counters used
 * @fixed:	mask of the fixed counters used
 * @sampling:	sample configuration, NULL if no counter has a period
 * @only:	index in @setup of the only counter with a period, if the short path of the
 *		NMI handler can sample it, else -1; see pmc_program_find_only()
 * @shared:	mask of other registers used that several counters can use, numbered by the
 *		family
 * @interrupts:	bits of the counters with a period in the global status register
 * @stop_to_read: counting continues while the kernel reads (kernel mode or the sibling
 *		thread is counted): stop all counters to read them at one moment
 * @plain:	each value is what RDPMC reads: no &pmc_family.read_one, no metrics
 * @metrics:	PMC_COUNTER_METRICS is among the counters, see perf_metrics.c
 * @metrics_at:	with @metrics: index of PMC_COUNTER_METRICS in @setup
 * @slots_at:	with @metrics: index of PMC_COUNTER_SLOTS in @setup
 * @enable:	bits that start the counters in the global control register
 * @fixed_ctrl:	value of the fixed-counter control register, for the counters used
 * @fixed_ctrl_mask: bits of that register that belong to the counters used
 * @nr:		number of entries in @setup
 * @setup:	one entry for each counter, in the order of the configuration
 *
 * Built once by &pmc_family.compile and constant from then on.
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
	u64 interrupts;
	bool stop_to_read;
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
	 * @extra:	address of a further register: the event select, or the ESCR (NetBurst)
	 * @mask:	mask of the counter's width
	 * @select:	event select of a general counter, 0 for a fixed counter
	 * @write_msr:	address for loading the counter; 0: only &pmc_family.write can
	 * @write_mask:	bits that may be written to @write_msr
	 * @period:	sampling period in events, 0 if the counter is not sampled
	 * @user:	counts user mode
	 * @kernel:	counts kernel mode
	 * @delayed:	the PMI is raised by the event after the overflow
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
		u64 write_mask;
		u64 period;
		bool user;
		bool kernel;
		bool delayed;
		bool lead;
	} setup[];
};

/**
 * struct pmc_family - operations on one pmu_type of counters
 * @name:	for messages
 * @unmasked:	the local APIC leaves its entry unmasked when it delivers the interrupt
 * @recognise:	on this CPU, fill the description and return true if its
 *		counters are of this family; else leave a status and return false
 * @describe_counter: fill width, masks and addresses of @counter; -ENXIO if
 *		there is none
 * @check:	is @config allowed? -ENXIO, -EINVAL (with the refused bits), -EDOM,
 *		-EOPNOTSUPP, -ERANGE, 0
 * @sibling:	does @config count events of the sibling thread?
 * @compile:	add one entry to a program from a checked config; 0, or -ENOSPC if
 *		it does not go together with those before
 * @reserve:	take the kernel's reservations of all general counters of @mask,
 *		all or nothing; -EBUSY
 * @unreserve:	give them back
 * @reserved_as: is @msr an event select that the kernel's reservations don't know? Then one
 *		of @mask that they know, else 0. In any context; NULL where they know all
 * @save:	remember every register that will be touched, stop what is not
 *		in use; sets &pmc_pmu.found_running
 * @restore:	put every touched register back
 * @load:	write the event selects of a program; its counters are stopped
 * @enable:	start the counters of a program; only called where @save has set no
 *		&pmc_pmu.control_msr
 * @disable:	stop them, likewise
 * @read_one:	read one counter, raw; NULL where RDPMC does it with what the entry
 *		says
 * @rdpmc_on_cpu: what RDPMC takes for a counter on this CPU; NULL where that is what the
 *		entry says on each
 * @write:	load a counter; 0 and a value that is a period below 0 fit
 * @acknowledge: acknowledge an overflow of one counter, where there is no status
 *		register (&pmc_pmu.status_msr) for it; may be NULL
 * @pause:	in NMI context: stop the counters of a program; what is remembered
 *		of the registers stays, for whom the NMI interrupts
 * @resume:	in NMI context: undo @pause
 *
 * @recognise runs at load and when a CPU comes online. From @save on,
 * everything runs on the CPU concerned, with interrupts off.
 */
struct pmc_family {
	const char *name;
	bool unmasked;
	bool (*recognise)(struct pmc_description *description);
	int (*describe_counter)(const struct pmc_query *query, u32 counter,
				struct pmc_counter *answer);
	int (*check)(const struct pmc_query *query,
		     const struct pmc_counter_config *config, u64 *refused);
	bool (*sibling)(const struct pmc_counter_config *config);
	int (*compile)(const struct pmc_query *query,
		       const struct pmc_counter_config *config,
		       struct pmc_program *program);
	int (*reserve)(u64 mask);
	void (*unreserve)(u64 mask);
	u32 (*reserved_as)(u32 msr, u64 mask);
	void (*save)(struct pmc_pmu *pmu);
	void (*restore)(struct pmc_pmu *pmu);
	void (*load)(struct pmc_pmu *pmu, const struct pmc_program *program);
	void (*enable)(struct pmc_pmu *pmu, const struct pmc_program *program);
	void (*disable)(struct pmc_pmu *pmu, const struct pmc_program *program);
	u64 (*read_one)(const struct pmc_counter_setup *entry);
	u32 (*rdpmc_on_cpu)(const struct pmc_counter_setup *entry);
	void (*write)(struct pmc_pmu *pmu, const struct pmc_counter_setup *entry, u64 raw);
	void (*acknowledge)(struct pmc_pmu *pmu, const struct pmc_counter_setup *entry);
	void (*pause)(struct pmc_pmu *pmu, const struct pmc_program *program);
	void (*resume)(struct pmc_pmu *pmu, const struct pmc_program *program);
};

#endif /* PMC_FAMILY_H */
