/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mmap records: the mappings that samples lie in
 */
#ifndef PMC_MMAP_H
#define PMC_MMAP_H

struct pmc_sampler;

void pmc_mmap_queue_work(struct pmc_sampler *sampler);

#endif /* PMC_MMAP_H */
