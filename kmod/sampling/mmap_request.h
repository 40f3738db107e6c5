/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests for mmap records: the mappings that the sampled thread still has to record
 */
#ifndef PMC_MMAP_REQUEST_H
#define PMC_MMAP_REQUEST_H

#include <linux/types.h>

struct pmc_sampler;

bool pmc_mmap_is_known(const struct pmc_sampler *sampler, unsigned long address);
bool pmc_mmaps_are_current(const struct pmc_sampler *sampler);
void pmc_mmap_request_all(struct pmc_sampler *sampler, unsigned long ip, const u64 *frames, u32 nr);

#endif /* PMC_MMAP_REQUEST_H */
