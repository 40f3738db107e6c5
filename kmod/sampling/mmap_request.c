// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests for mmap records: the mappings that the sampled thread still has to record
 *
 * Owns the fields map_* and maps* of struct pmc_sampler, except that mmap.c empties
 * maps_wanted and adds to maps. A sample in user mode, in a mapping without a record,
 * leaves its address in map_wanted and raises the irq_work, which continues in mmap.c.
 *
 * No lock: NMI context, or interrupts off on the sampler's CPU with the sampler locked.
 */
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "pmu/pmu.h"
#include "sampling/mmap_request.h"
#include "sampling/sampler_types.h"

/**
 * pmc_mmap_is_known - has an mmap record of the mapping at @address been written?
 * @sampler:	its &struct pmc_sampler.maps are current's; on its CPU
 * @address:	in user mode
 *
 * Return: true if so.
 */
bool pmc_mmap_is_known(const struct pmc_sampler *sampler, unsigned long address)
{
	u32 i;

	for (i = 0; i < PMC_SAMPLER_MAPS; i++) {
		if (address - sampler->maps[i].start <
		    sampler->maps[i].end - sampler->maps[i].start)
			return true;
	}
	return false;
}

/**
 * pmc_mmaps_are_current - are the remembered mappings those of current's address space?
 * @sampler:	on its CPU
 *
 * The address of the mm alone does not show it: an earlier mm may have had the same.
 *
 * Return: true if so.
 */
bool pmc_mmaps_are_current(const struct pmc_sampler *sampler)
{
	return sampler->map_mm == current->mm && sampler->map_tgid == current->tgid &&
	       sampler->map_exec == current->self_exec_id;
}

static void pmc_mmap_request_one(struct pmc_sampler *sampler, unsigned long address)
{
	if (sampler->maps_wanted < PMC_SAMPLER_MAPS && !pmc_mmap_is_known(sampler, address))
		sampler->map_wanted[sampler->maps_wanted++] = address;
}

/**
 * pmc_mmap_request_all - request records of the mappings that a sample's frames lie in
 * @sampler:	samples current, in user mode
 * @ip:		instruction pointer of the sample
 * @frames:	its call chain in the ring. The program can write to the ring, so any
 *		address may be requested
 * @nr:		number of @frames
 *
 * NMI context. The irq_work calls pmc_mmap_queue_work().
 */
void pmc_mmap_request_all(struct pmc_sampler *sampler, unsigned long ip, const u64 *frames, u32 nr)
{
	u32 i;

	if (!pmc_mmaps_are_current(sampler)) {
		memset(sampler->maps, 0, sizeof(sampler->maps));
		sampler->map_mm = current->mm;
		sampler->map_tgid = current->tgid;
		sampler->map_exec = current->self_exec_id;
		sampler->maps_wanted = 0;
	}
	pmc_mmap_request_one(sampler, ip);
	for (i = 1; i < nr; i++)
		pmc_mmap_request_one(sampler, READ_ONCE(frames[i]));
	if (sampler->maps_wanted)
		irq_work_queue(&this_cpu_ptr(&pmc_pmus)->pmi.work);
}
