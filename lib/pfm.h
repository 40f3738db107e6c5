/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events of libpfm4, for processors that lib/events has no table of */
#ifndef PMC_PFM_H
#define PMC_PFM_H

#include "libpmcdrv.h"
#include "processor.h"
#include "words.h"

/* Why there are no names, as a sentence that tells what to do; NULL if there are */
const char *pmc_pfm_missing(enum pmc_layout layout);

/*
 * Encode an event.
 * @words: its unit masks
 * @select: event select, without privilege levels, enable and interrupt
 * Return: 0; 1 if there is no such event; or -1 after pmc_fail().
 */
int pmc_pfm_encode(enum pmc_layout layout, const char *whole, const struct pmc_word *name,
		   const struct pmc_word *words, size_t num_words, uint64_t *select);

/*
 * The next event. Begin with *@cursor 0.
 * @marked: unit masks that are refused are marked, and an event that cannot be counted has
 *	no counters, and a note that tells why; that takes its time. Else all look as if
 *	they could be counted.
 * Return: 1; 0 after the last one; -1 with errno ENOMEM.
 */
int pmc_pfm_next(enum pmc_layout layout, bool marked, size_t *cursor,
		 struct pmc_event_row *row);

/*
 * Whether an event cannot be counted, whatever its unit mask is, or not with one of them.
 * @mask: its index, or SIZE_MAX for the event
 */
bool pmc_pfm_is_refused(enum pmc_layout layout, const char *name, size_t mask);

/*
 * The kind of core that libpfm4's table is of, where the processor has several and each has
 * a table; 0 where it has one. Once an event was found.
 */
uint32_t pmc_pfm_kind(void);

#endif /* PMC_PFM_H */
