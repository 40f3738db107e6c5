// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling parameters of a context: check the request, allocate the rings
 *
 * Owns struct pmc_sample_config. Takes no lock; task context.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/slab.h>

#include "sampling/ring.h"
#include "sampling/sample_config.h"
#include "sampling/throttle.h"

static u32 pmc_config_frames(const struct pmc_config *config)
{
	return config->frames ? config->frames : PMC_FRAMES_DEFAULT;
}

static u32 pmc_config_ring_size(const struct pmc_config *config)
{
	return config->ring_size ? config->ring_size : PMC_RING_SIZE_DEFAULT;
}

/* Bytes of the largest possible sample record */
static u32 pmc_config_record_max(const struct pmc_config *config)
{
	u32 words = config->nr_counters;

	if (config->sample_flags & PMC_SAMPLE_KERNEL_CALLCHAIN)
		words += pmc_config_frames(config);
	if (config->sample_flags & PMC_SAMPLE_USER_CALLCHAIN)
		words += pmc_config_frames(config);
	return sizeof(struct pmc_sample) + words * sizeof(u64);
}

static bool pmc_config_samples(const struct pmc_config *config,
			       const struct pmc_counter_config *counters)
{
	u32 i;

	for (i = 0; i < config->nr_counters; i++) {
		if (counters[i].period)
			return true;
	}
	return false;
}

static int pmc_sample_config_check_sizes(const struct pmc_config *config)
{
	u32 size = pmc_config_ring_size(config);

	if (config->frames > PMC_FRAMES_MAX)
		return -EINVAL;
	if (!is_power_of_2(size) || size < PAGE_SIZE || size > PMC_RING_SIZE_MAX)
		return -EINVAL;
	/* PMC_RECORD_LOST, padding shorter than a record, the record, the reserved bytes */
	if (size < 2 * pmc_config_record_max(config) + sizeof(struct pmc_lost) +
	    PMC_RING_RESERVE)
		return -EINVAL;
	return config->watermark > size ? -EINVAL : 0;
}

/**
 * pmc_sample_config_check - check the sampling parameters of a request
 * @config:	the request
 * @counters:	its entries, already checked
 *
 * Return: 1 if a counter has a period, 0 if none has; -EINVAL if malformed; -EACCES or -EPERM
 * if the kernel call chain is not permitted.
 */
int pmc_sample_config_check(const struct pmc_config *config,
			    const struct pmc_counter_config *counters)
{
	int err;

	if (config->sample_flags &
	    ~(PMC_SAMPLE_KERNEL_CALLCHAIN | PMC_SAMPLE_USER_CALLCHAIN | PMC_SAMPLE_MMAPS))
		return -EINVAL;
	if (!pmc_config_samples(config, counters)) {
		return config->sample_flags || config->frames || config->ring_size ||
		       config->watermark || config->throttle_percent ? -EINVAL : 0;
	}
	if (config->flags & PMC_CONFIG_USER_READ)
		return -EINVAL;
	if (config->throttle_percent > PMC_THROTTLE_PERCENT_MAX)
		return -EINVAL;
	err = pmc_sample_config_check_sizes(config);
	if (err)
		return err;
	if (config->sample_flags & PMC_SAMPLE_KERNEL_CALLCHAIN) {
		if (!perfmon_capable())
			return -EACCES;
		err = security_locked_down(LOCKDOWN_PERF);
	}
	return err ? err : 1;
}

/**
 * pmc_sample_config_create - allocate the sampling parameters and the rings
 * @config:	the request, for which pmc_sample_config_check() returned 1
 * @wait:	wait queue of the readers; outlives the rings
 *
 * Task context; may sleep. Release with pmc_sample_config_release().
 *
 * Return: the parameters, or an error of pmc_rings_create().
 */
struct pmc_sample_config *pmc_sample_config_create(const struct pmc_config *config,
						   wait_queue_head_t *wait)
{
	u32 size = pmc_config_ring_size(config);
	struct pmc_sample_config *sampling;
	struct pmc_rings *rings;

	sampling = kzalloc(sizeof(*sampling), GFP_KERNEL_ACCOUNT);
	if (!sampling)
		return ERR_PTR(-ENOMEM);
	rings = pmc_rings_create(size, config->watermark ? config->watermark : size / 2,
				 config->cpu, wait);
	if (IS_ERR(rings)) {
		kfree(sampling);
		return ERR_CAST(rings);
	}
	sampling->rings = rings;
	sampling->flags = config->sample_flags;
	sampling->frames = pmc_config_frames(config);
	sampling->record_min = sizeof(struct pmc_sample) + config->nr_counters * sizeof(u64);
	sampling->record_max = pmc_config_record_max(config);
	sampling->throttle_percent = config->throttle_percent ? config->throttle_percent :
				     PMC_THROTTLE_PERCENT_MAX;
	return sampling;
}

/**
 * pmc_sample_config_limit - limit the time that overflows may take
 * @sampling:	parameters of a context, which may count
 * @percent:	of a CPU's time, if the context did not ask for less
 *
 * Runs that count use the limit after pmc_pmi_limit().
 */
void pmc_sample_config_limit(struct pmc_sample_config *sampling, u32 percent)
{
	u32 lower = min(percent, sampling->throttle_percent);

	/* pairs with the READ_ONCE() in pmc_sampler_start() */
	WRITE_ONCE(sampling->spent_max, pmc_throttle_ticks(lower));
}

/**
 * pmc_sample_config_release - undo pmc_sample_config_create()
 * @sampling:	parameters of a context that no longer counts on any CPU
 */
void pmc_sample_config_release(struct pmc_sample_config *sampling)
{
	pmc_rings_close(sampling->rings);
	pmc_rings_put(sampling->rings);
	kfree(sampling);
}
