/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * struct pmc_sampler: the sampled counters of one run
 */
#ifndef PMC_SAMPLER_TYPES_H
#define PMC_SAMPLER_TYPES_H

#include <linux/list.h>
#include <linux/types.h>

struct mm_struct;
struct pmc_cpu_ring;
struct pmc_run;
struct pmc_sample_config;
struct task_struct;

/* Maximum of mappings in one request to a thread, and of those that a sampler remembers */
#define PMC_SAMPLER_MAPS	8

/**
 * struct pmc_sampler - the sampled counters of one run
 * @node:	in &struct pmc_pmi.samplers while the run counts; changed by RCU list
 *		operations, so that an NMI finds a whole list at any moment
 * @run:	the run that has the counters; constant
 * @sampling:	how the context is sampled; constant
 * @task:	the counted thread, NULL for a run of a CPU context; constant
 * @mm:		address space of @task when the run last started, or after its last exec
 *		since; only compared
 * @ring:	ring of the CPU where the run counts
 * @only:	&struct pmc_program.only
 * @locked:	the run is being changed: the NMI handler skips it
 * @spent_max:	&struct pmc_sample_config.spent_max
 * @map_mm:	address space of @maps; only compared
 * @map_exec:	&task_struct.self_exec_id of the process of @maps
 * @map_tgid:	thread group of the process of @maps
 * @maps_wanted: number of @map_wanted
 * @map_wanted:	user addresses of which the mapping has to be recorded
 * @maps:	address ranges of which an mmap record was written
 * @map_next:	next element of @maps to be replaced, modulo PMC_SAMPLER_MAPS
 * @due:	one entry for each counter of the program.
 *		@due.next: the count at which it overflows next;
 *		@due.skipped: overflows without a sample since it was throttled;
 *		@due.throttled: it is throttled;
 *		@due.skid: it was loaded to overflow after @due.next
 *
 * Touched only on the CPU where the run counts: in NMI context while @locked is false,
 * otherwise with @locked true and interrupts off.
 */
struct pmc_sampler {
	struct list_head node;
	struct pmc_run *run;
	const struct pmc_sample_config *sampling;
	struct task_struct *task;
	const struct mm_struct *mm;
	struct pmc_cpu_ring *ring;
	s32 only;
	bool locked;
	unsigned long spent_max;
	const struct mm_struct *map_mm;
	u64 map_exec;
	pid_t map_tgid;
	u32 maps_wanted;
	unsigned long map_wanted[PMC_SAMPLER_MAPS];
	struct {
		unsigned long start;
		unsigned long end;
	} maps[PMC_SAMPLER_MAPS];
	u32 map_next;
	struct pmc_due {
		u64 next;
		u64 skipped;
		bool throttled;
		bool skid;
	} due[];
};

#endif /* PMC_SAMPLER_TYPES_H */
