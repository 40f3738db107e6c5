/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What only NetBurst has: event selection control registers (ESCRs) */
#ifndef PMC_NETBURST_H
#define PMC_NETBURST_H

#include "internal.h"
#include "lex.h"

/*
 * An event select is the CCCR in bits 31:0 and the ESCR in 63:32, as <linux/pmcdrv.h>
 * tells. SDM Volume 3B, figures "Event Selection Control Register" and "Counter
 * Configuration Control Register".
 */
#define NETBURST_COMPARE	(1ULL << 18)
#define NETBURST_COMPLEMENT	(1ULL << 19)
#define NETBURST_THRESHOLD	(0xfULL << 20)
#define NETBURST_THRESHOLD_SHIFT 20
#define NETBURST_EDGE		(1ULL << 24)
#define NETBURST_MASK_SHIFT	41
#define NETBURST_MASK_BITS	16

/* From libpfm4's number of an event: event and ESCR select */
uint64_t pmc_netburst_select(uint64_t code);

/* From libpfm4's ESCR and CCCR, without what the driver sets */
uint64_t pmc_netburst_encoding(uint64_t escr, uint64_t cccr);

/* Counters that can count the event of that name; 0 if none can, or there is none such */
uint64_t pmc_netburst_counters(const struct pmc_token *name);

/*
 * Give a code the counters of its event. There are events of the same numbers on
 * other counters: then it must have the counter. Return: 0 or -1.
 */
int pmc_netburst_set_counters(struct pmc_event *event);

/*
 * Place events: two on one ESCR must want the same of it. Counters are told by their
 * indices in @info.
 * @event, @allowed: @num of each
 * @usable: counters to use
 * @counter: where each is placed
 * Return: whether there is a way; @counter has changed only then.
 */
bool pmc_netburst_place(const struct pmc_info *info, const struct pmc_event *const *event,
			const uint64_t *allowed, size_t num, uint64_t usable, uint8_t *counter);

#endif /* PMC_NETBURST_H */
