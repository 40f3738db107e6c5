/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NetBurst: event selects (CCCR and ESCR), and which counters can share an ESCR */
#ifndef PMC_NETBURST_H
#define PMC_NETBURST_H

#include "event.h"
#include "info.h"
#include "lex.h"

/*
 * An event select is the CCCR in bits 31:0 and the ESCR in 63:32, see <pmcdrv/pmcdrv.h>. SDM
 * Volume 3B, figures "Event Selection Control Register" and "Counter Configuration Control
 * Register".
 */
#define NETBURST_COMPARE	(1ULL << 18)
#define NETBURST_COMPLEMENT	(1ULL << 19)
#define NETBURST_THRESHOLD	(0xfULL << 20)
#define NETBURST_THRESHOLD_SHIFT 20
#define NETBURST_EDGE		(1ULL << 24)
#define NETBURST_MASK_SHIFT	41
#define NETBURST_MASK_BITS	16

/* Event select (event and ESCR select) of libpfm4's event number */
uint64_t pmc_netburst_select(uint64_t code);

/* Event select of libpfm4's ESCR and CCCR, without bits that the driver sets */
uint64_t pmc_netburst_encoding(uint64_t escr, uint64_t cccr);

/* Counters that can count the event @name; 0 if none can, or if the name is unknown */
uint64_t pmc_netburst_counters(const struct pmc_token *name);

/*
 * Set the counters of an event that is given as a code. Different events have the same code on
 * different counters, so a code needs :g=N. Return: 0 or -1.
 */
int pmc_netburst_set_counters(struct pmc_event *event);

/*
 * Place events; two events that share an ESCR must have the same value for it. Counters are
 * indices of @info.
 * @event, @allowed: @num of each
 * @usable: counters to use
 * @counter: the counter of each event; changed only on success
 * Return: whether all fit.
 */
bool pmc_netburst_place(const struct pmc_info *info, const struct pmc_event *const *event,
			const uint64_t *allowed, size_t num, uint64_t usable, uint8_t *counter);

#endif /* PMC_NETBURST_H */
